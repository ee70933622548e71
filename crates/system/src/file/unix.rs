//! Files of POSIX systems.

use std::fs::File;
use std::io::Result;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{CWD, Mode, OFlags};

/// The device that takes all bytes.
pub const NULL: &str = "/dev/null";

/// Makes a file without a name in the folder of temporary files (`TMPDIR`, or `/tmp`). Its bytes leave the disk with
/// it.
pub fn unnamed() -> Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = std::env::temp_dir();
    if let Some(file) = unnamed_at(CWD, &folder) {
        return Ok(file);
    }
    let path =
        folder.join(format!(".pzcomp-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    // Nobody else may read it, also before its name is gone.
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)?;
    std::fs::remove_file(&path).map(|()| file.into())
}

/// A file without a name in this folder. Only Linux has such files, and not every file system.
pub(crate) fn unnamed_at(folder: impl AsFd, path: impl rustix::path::Arg) -> Option<File> {
    #[cfg(target_os = "linux")]
    return {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        rustix::fs::openat(folder, path, flags, Mode::RUSR | Mode::WUSR).ok().map(File::from)
    };
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (folder, path);
        None
    }
}

/// Whether a program serves this file through FUSE, as for a store of objects. Only Linux tells.
pub fn is_of_fuse(file: &File) -> bool {
    /// `FUSE_SUPER_MAGIC`.
    #[cfg(target_os = "linux")]
    const FUSE: i128 = 0x6573_5546;
    #[cfg(target_os = "linux")]
    return rustix::fs::fstatfs(file).is_ok_and(|there| i128::from(there.f_type) == FUSE);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}

/// Whether this folder has the descriptors of this process, by their numbers. Only Linux has such folders, whose
/// entries lead to files that need not have a name.
pub fn has_own_descriptors(folder: &Path) -> bool {
    let mut own = ["/proc/self/fd", "/proc/thread-self/fd"].into_iter().map(std::fs::canonicalize);
    cfg!(target_os = "linux") && own.any(|own| own.is_ok_and(|own| own == folder))
}

/// Whether the names in this folder belong to the system.
pub fn is_of_system(folder: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|system| folder.starts_with(system))
}

/// Makes a named pipe in a folder. macOS cannot in a folder that is open.
pub fn make_fifo(folder: impl AsFd, name: &[u8], mode: u32) -> rustix::io::Result<()> {
    #[cfg(not(target_vendor = "apple"))]
    return rustix::fs::mknodat(folder, name, rustix::fs::FileType::Fifo, self::mode(mode), 0);
    #[cfg(target_vendor = "apple")]
    {
        let _ = (folder, name, mode);
        Err(rustix::io::Errno::NOTSUP)
    }
}

/// The bits that the user takes off the mode of new files. Linux tells them; elsewhere they can only be asked for by
/// setting them.
pub fn umask() -> Mode {
    let status = crate::memory::status();
    let told = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    told.and_then(|bits| u32::from_str_radix(bits.trim(), 8).ok()).map_or_else(
        || {
            let umask = rustix::process::umask(Mode::RWXG | Mode::RWXO);
            rustix::process::umask(umask);
            umask
        },
        mode,
    )
}

/// A mode with these bits. The types of modes differ between systems.
pub fn mode(bits: u32) -> Mode {
    Mode::from_raw_mode(bits as _)
}
