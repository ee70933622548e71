//! Offsets on Windows. A read at an offset moves the offset of the open file. So each read opens the file anew for
//! itself, which the system does by the handle and without a path.

use std::fs::File;
use std::io::{Error, Result, Seek, SeekFrom};
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::sync::{Mutex, PoisonError};

use windows_sys::Wdk::Storage::FileSystem::{FileAccessInformation, NtQueryInformationFile};
use windows_sys::Win32::Foundation::{
    ERROR_CRC, ERROR_IO_DEVICE, ERROR_READ_FAULT, ERROR_SECTOR_NOT_FOUND, GENERIC_READ, INVALID_HANDLE_VALUE,
    RtlNtStatusToDosError,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_APPEND_DATA, FILE_READ_DATA, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_WRITE_DATA,
    ReOpenFile,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

/// Held by reads through the handle of the file itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Reads from an offset. 0 if the buffer is empty or the file has ended.
///
/// If whoever opened the file lets nobody else open it, the read puts the offset of the file back. Other threads may
/// read at offsets meanwhile, but must not use the offset.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    if let Ok(again) = opened(file) {
        return again.seek_read(buffer, offset);
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = file;
    let before = file.stream_position()?;
    let read = file.seek_read(buffer, offset);
    file.seek(SeekFrom::Start(before))?;
    read
}

/// Writes at an offset, and moves the offset of the file.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    file.seek_write(bytes, offset)
}

/// Whether the file is open for appending. The system ignores the offsets of writes then.
pub fn appends(file: &File) -> Result<bool> {
    Ok(access(file)? & (FILE_APPEND_DATA | FILE_WRITE_DATA) == FILE_APPEND_DATA)
}

/// A way to read a file that is open for writing. Nothing if the file is open for reading too. It is an error if the
/// process may not read the file.
pub fn open_again(file: &File) -> Result<Option<File>> {
    match access(file)? & FILE_READ_DATA {
        0 => opened(file).map(Some),
        _ => Ok(None),
    }
}

/// The same file, opened anew for reading.
fn opened(file: &File) -> Result<File> {
    let shares = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    // SAFETY: the file is open. The handle that the call makes belongs to nothing else.
    unsafe {
        match ReOpenFile(file.as_raw_handle(), GENERIC_READ, shares, 0) {
            INVALID_HANDLE_VALUE => Err(Error::last_os_error()),
            again => Ok(File::from_raw_handle(again)),
        }
    }
}

/// Whether this file needs a second way to be read again.
pub fn is_only_written(file: &File) -> bool {
    !access(file).is_ok_and(|access| access & FILE_READ_DATA != 0)
}

/// What a handle may do with its file.
fn access(file: &File) -> Result<u32> {
    let (mut access, mut status) = (0_u32, IO_STATUS_BLOCK::default());
    let len = size_of_val(&access) as u32;
    // SAFETY: the file is open, and the call writes a number to `access` and to `status`, which live longer.
    let code = unsafe {
        let place = (&raw mut access).cast();
        NtQueryInformationFile(file.as_raw_handle(), &raw mut status, place, len, FileAccessInformation)
    };
    match code {
        0.. => Ok(access),
        // SAFETY: the call makes one number of another.
        _ => Err(Error::from_raw_os_error(unsafe { RtlNtStatusToDosError(code) } as i32)),
    }
}

/// Whether the error says that the medium cannot read a sector.
pub fn is_bad_sector(error: &Error) -> bool {
    let refusals = [ERROR_CRC, ERROR_SECTOR_NOT_FOUND, ERROR_READ_FAULT, ERROR_IO_DEVICE];
    error.raw_os_error().is_some_and(|code| refusals.contains(&code.cast_unsigned()))
}

/// The error of a sector that cannot be read.
pub fn refusal_of_sector() -> Error {
    Error::from_raw_os_error(ERROR_CRC.cast_signed())
}
