//! Files of Windows.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use windows_sys::Win32::Storage::FileSystem::{FILE_ATTRIBUTE_TEMPORARY, FILE_FLAG_DELETE_ON_CLOSE};

/// The device that takes all bytes.
pub const NULL: &str = "NUL";

/// Makes a file in the folder of temporary files that leaves the disk when it is closed.
pub fn unnamed() -> Result<File> {
    unnamed_in(&std::env::temp_dir())
}

/// The same in this folder.
pub(crate) fn unnamed_in(folder: &Path) -> Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".pzcomp-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        options.attributes(FILE_ATTRIBUTE_TEMPORARY).custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
        match options.open(path) {
            // A process that was ended had the same number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
}

/// Files are not served through FUSE.
pub fn is_of_fuse(_: &File) -> bool {
    false
}

/// There are no such folders.
pub fn has_own_descriptors(_: &Path) -> bool {
    false
}

/// Names of the system are in no folder.
pub fn is_of_system(_: &Path) -> bool {
    false
}
