//! Handles of Windows.
//!
//! Nothing waits for a pipe there but a read, which cannot be given up. So a pipe is asked again and again what it has.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::mem::ManuallyDrop;
pub use std::os::windows::io::{AsHandle, BorrowedHandle as Handle, OwnedHandle};
use std::os::windows::io::{AsRawHandle, FromRawHandle, IntoRawHandle};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{CloseHandle, WAIT_TIMEOUT};
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, FILE_TYPE_PIPE, GetFileType};
use windows_sys::Win32::System::Console::GetConsoleMode;
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::WaitForSingleObject;

/// How often a pipe is asked before the thread sleeps between two questions, and how long it sleeps.
const EAGER: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// The handle of something that is open.
pub fn of(open: &impl AsHandle) -> Handle<'_> {
    open.as_handle()
}

/// The same handle as a file of the standard library, which closes nothing.
pub(crate) fn as_file(handle: Handle<'_>) -> ManuallyDrop<File> {
    // SAFETY: the handle is open as long as it is borrowed, and the file is never dropped.
    ManuallyDrop::new(unsafe { File::from_raw_handle(handle.as_raw_handle()) })
}

/// What has this number, which came from a program of another language. It is an error if it cannot be one.
///
/// # Safety
/// It stays open as long as the handle is used.
pub unsafe fn borrowed<'a>(number: isize) -> io::Result<Handle<'a>> {
    match std::ptr::without_provenance_mut(number.cast_unsigned()) {
        _ if number <= 0 => Err(ErrorKind::InvalidInput.into()),
        // SAFETY: the caller's promise, and the number is not that of an error.
        raw => Ok(unsafe { Handle::borrow_raw(raw) }),
    }
}

/// Reads once. Fails with `WouldBlock` if there is nothing to read now and the handle is set not to wait.
pub fn read(handle: Handle, buffer: &mut [u8]) -> io::Result<usize> {
    (&*as_file(handle)).read(buffer)
}

/// Writes once, and waits for room.
pub fn write(handle: Handle, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match (&*as_file(handle)).write(bytes) {
            // A pipe that is set not to wait is full.
            Ok(0) if !bytes.is_empty() && type_of(handle) == FILE_TYPE_PIPE => std::thread::sleep(PAUSE),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            wrote => return wrote,
        }
    }
}

/// Whether a read would return at once, now or within `patience`. A line of a console may not be complete then.
pub fn is_readable(handle: Handle, patience: Duration) -> bool {
    match type_of(handle) {
        FILE_TYPE_PIPE => pipe_is_readable(handle, patience),
        FILE_TYPE_CHAR if is_console(handle) => {
            let patience = u32::try_from(patience.as_millis()).unwrap_or(u32::MAX - 1);
            // SAFETY: the handle is open as long as it is borrowed. The other argument is a number.
            let woke = unsafe { WaitForSingleObject(handle.as_raw_handle(), patience) };
            woke != WAIT_TIMEOUT
        }
        _ => true,
    }
}

/// Whether a write would take something at once. Nothing tells that, so a write may wait.
pub fn has_room(_: Handle, _: Duration) -> bool {
    true
}

fn pipe_is_readable(handle: Handle, patience: Duration) -> bool {
    let deadline = Instant::now().checked_add(patience);
    for asked in 0_u32.. {
        let mut there = 0;
        let none = std::ptr::null_mut();
        // SAFETY: the handle is open as long as it is borrowed. The call writes a number to `there`, and nothing else.
        let told = unsafe {
            PeekNamedPipe(handle.as_raw_handle(), none, 0, none.cast(), &raw mut there, none.cast())
        };
        // After an error, the read that follows reports it, or the end.
        if told == 0 || there > 0 {
            return true;
        }
        match deadline.map_or(PAUSE, |deadline| deadline.saturating_duration_since(Instant::now())) {
            Duration::ZERO => return false,
            _ if asked < EAGER => std::thread::yield_now(),
            left => std::thread::sleep(left.min(PAUSE)),
        }
    }
    false
}

/// Whether it is a terminal.
fn is_console(handle: Handle) -> bool {
    let mut mode = 0;
    // SAFETY: the handle is open as long as it is borrowed. The call writes a number to `mode`.
    unsafe { GetConsoleMode(handle.as_raw_handle(), &raw mut mode) != 0 }
}

/// `FILE_TYPE_DISK`, `FILE_TYPE_CHAR` or `FILE_TYPE_PIPE`, or a number that means nothing.
pub(crate) fn type_of(handle: Handle) -> u32 {
    // SAFETY: the handle is open as long as it is borrowed.
    unsafe { GetFileType(handle.as_raw_handle()) }
}

/// Closes a file, and tells of an error that the system has kept until then.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the handle belonged to this file, and is used by nobody any more.
    match unsafe { CloseHandle(file.into_raw_handle()) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
