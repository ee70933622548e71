//! Offsets on Windows. A read at an offset moves the offset of the open file. So each read opens the file anew for
//! itself, which the system does by the handle and without a path.

use std::fs::File;
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom};
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::sync::{Mutex, PoisonError, RwLock};

use windows_sys::Wdk::Storage::FileSystem::{FileAccessInformation, NtQueryInformationFile};
use windows_sys::Win32::Foundation::{
    ERROR_CRC, ERROR_IO_DEVICE, ERROR_LOCK_VIOLATION, ERROR_READ_FAULT, ERROR_SECTOR_NOT_FOUND, GENERIC_READ,
    INVALID_HANDLE_VALUE, RtlNtStatusToDosError,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_APPEND_DATA, FILE_READ_DATA, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_WRITE_DATA,
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, ReOpenFile,
};
use windows_sys::Win32::System::IO::{IO_STATUS_BLOCK, OVERLAPPED, OVERLAPPED_0_0};

/// Held by reads through the handle of the file itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Whether the process ends, and no file is written any more. Held while one is written.
static FORBIDDEN: RwLock<bool> = RwLock::new(false);

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
    match *FORBIDDEN.read().unwrap_or_else(PoisonError::into_inner) {
        true => Err(ErrorKind::PermissionDenied.into()),
        false => file.seek_write(bytes, offset),
    }
}

/// Waits for the writes that are on their way, and refuses all others.
#[cfg(feature = "program")]
pub(crate) fn forbid_writes() {
    *FORBIDDEN.write().unwrap_or_else(PoisonError::into_inner) = true;
}

/// Locks the file for this process. False if another process has locked it. A file system without locks gives none.
pub fn lock(file: &File) -> bool {
    // Only one byte, far behind all data: Windows lets no other handle, as one for reads, use what is locked.
    const AT: u64 = i64::MAX as u64 - 1;
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous = OVERLAPPED_0_0 { Offset: AT as u32, OffsetHigh: (AT >> 32) as u32 };
    let how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the file is open, and the call reads the place before it returns, because it does not wait.
    let is_locked = unsafe { LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &raw mut place) != 0 };
    is_locked || Error::last_os_error().raw_os_error() != Some(ERROR_LOCK_VIOLATION.cast_signed())
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
