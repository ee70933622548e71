//! Standard streams of Windows: handles, which may be missing.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::mem::ManuallyDrop;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::sync::OnceLock;

use super::Stream;
use crate::handle::AsHandle;

/// A standard stream, which stays open. Fails if the caller has given none. Bytes pass as they are.
pub fn file(stream: Stream) -> io::Result<&'static File> {
    static FILES: [OnceLock<Option<ManuallyDrop<File>>>; 3] = [const { OnceLock::new() }; 3];
    let file = FILES[stream as usize].get_or_init(|| {
        let handle = match stream {
            Stream::Input => io::stdin().as_raw_handle(),
            Stream::Output => io::stdout().as_raw_handle(),
            Stream::Error => io::stderr().as_raw_handle(),
        };
        // SAFETY: the handle is that of a standard stream, which nobody closes, and the file is never dropped.
        (!handle.is_null()).then(|| ManuallyDrop::new(unsafe { File::from_raw_handle(handle) }))
    });
    file.as_deref().ok_or_else(|| io::Error::new(ErrorKind::NotFound, "the program has no such stream"))
}

/// Waits until the bytes of a file are on the disk.
pub fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
}

/// Errors of earlier writes come with the writes.
pub fn settle(_: &impl AsHandle) -> io::Result<()> {
    Ok(())
}

/// Programs pass no descriptors on by their numbers.
pub fn descriptor(_: i32) -> io::Result<File> {
    Err(io::Error::new(ErrorKind::Unsupported, "Windows passes no descriptors on"))
}
