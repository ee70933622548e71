//! Folders of POSIX systems: descriptors.

use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::sandbox;

use crate::facts::{Facts, Time};

/// The user can search in a folder that is opened like this, even if he may not read it.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::RDONLY;

/// A folder that is open.
#[derive(Clone, Debug)]
pub struct Folder(Arc<OwnedFd>);

impl From<OwnedFd> for Folder {
    fn from(fd: OwnedFd) -> Self {
        Self(Arc::new(fd))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Folder {
    /// Opens the folder at this path.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = SEARCH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?.into())
    }

    /// Opens the folder at this path to make folders and files in it.
    pub fn open_to_fill(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?.into())
    }

    /// Opens the folder of the file at this path. Also returns the name of the file in it.
    pub fn of(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(Errno::ISDIR)?;
        Ok((Self::open(super::folder_of(path))?, name.to_owned()))
    }

    /// Whether the folder at this path is this one.
    pub fn is_at(&self, path: &Path) -> bool {
        let place =
            |found: rustix::io::Result<rustix::fs::Stat>| found.map(|stat| (stat.st_dev, stat.st_ino));
        let (own, there) = (place(rustix::fs::fstat(self)), place(rustix::fs::stat(path)));
        own.is_ok() && own == there
    }

    /// Whether the file system has much more room than the files that one run has ready before their turn.
    pub fn has_room(&self) -> bool {
        const BYTES: u64 = 256 << 20;
        const FILES: u64 = 1024;
        rustix::fs::fstatvfs(self).is_ok_and(|system| {
            // A file system without a fixed number of files says 0.
            let has_files = system.f_files == 0 || system.f_favail >= FILES;
            has_files && system.f_bavail.saturating_mul(system.f_frsize) >= BYTES
        })
    }

    /// Makes a file, which must not be there. The system takes the bits of the umask off the mode.
    pub fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = crate::file::mode(mode & 0o7777);
        let open = |flags| named(name, |name| rustix::fs::openat(self, name, flags, mode));
        match open(flags) {
            // Stores of objects may have no files that are read and written.
            Err(error) if error == Errno::INVAL || is_unsupported(error) => {
                let flags = flags.difference(OFlags::RDWR) | OFlags::WRONLY;
                Ok(open(flags)?.into())
            }
            made => Ok(made?.into()),
        }
    }

    /// Makes a file without a name.
    pub fn unnamed(&self) -> io::Result<File> {
        if let Some(file) = crate::file::unnamed_at(self, ".") {
            return Ok(file);
        }
        let (name, file) = self.temporary(0o600)?;
        self.remove(&name).map(|()| file)
    }

    /// Opens a file that is there, to write it under its name.
    pub fn open_to_write(&self, name: &OsStr) -> io::Result<File> {
        Ok(rustix::fs::openat(self, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// Takes a name away.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(named(name, |name| rustix::fs::unlinkat(self, name, AtFlags::empty()))?)
    }

    /// Gives a file another name besides its own. Fails if something has that name.
    pub fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(self.link_names(from, to)?)
    }

    fn link_names(&self, from: &OsStr, to: &OsStr) -> rustix::io::Result<()> {
        named(from, |from| named(to, |to| rustix::fs::linkat(self, from, self, to, AtFlags::empty())))
    }

    /// Renames a file. What has the new name is replaced.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(named(from, |from| named(to, |to| rustix::fs::renameat(self, from, self, to)))?)
    }

    /// Renames a file. Fails if something has the new name.
    pub fn give_name(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        let kept = rustix::fs::RenameFlags::NOREPLACE;
        #[cfg(target_os = "linux")]
        match named(from, |from| named(to, |to| rustix::fs::renameat_with(self, from, self, to, kept))) {
            Err(error) if is_missing(error) => {}
            renamed => return Ok(renamed?),
        }
        match self.link_names(from, to) {
            Err(error) if is_missing(error) => {}
            linked => {
                linked?;
                // The file has its name. The first one is of no use any more, but does no harm either.
                let _ = self.remove(from);
                return Ok(());
            }
        }
        // An empty file takes the name, so that the renaming replaces this file and no other.
        let placeholder = self.create(to, 0o600)?;
        self.rename(from, to).inspect_err(|_| {
            // A file system may fail after it has renamed the file. Then it is the file that has the name.
            if self.has(from) || self.is_empty_and(to, &placeholder) {
                let _ = self.remove(to);
            }
        })
    }

    /// Whether this name is that of the open file, and the file is empty.
    fn is_empty_and(&self, name: &OsStr, file: &File) -> bool {
        let there = rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW);
        let own = rustix::fs::fstat(file);
        there.is_ok_and(|there| {
            let is_same = |own: &rustix::fs::Stat| (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino);
            there.st_size == 0 && own.as_ref().is_ok_and(is_same)
        })
    }

    /// Whether something has this name.
    pub fn has(&self, name: &OsStr) -> bool {
        rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Fails if this name is not that of the open file, because another program has removed, renamed or replaced it.
    /// Some file systems number a file anew when it is renamed, so a file of the same length and time is the same too.
    /// `own` is what the system tells of the open file, if it does.
    pub fn is_still(&self, name: &OsStr, own: Option<&Facts>) -> io::Result<()> {
        let there = match rustix::fs::statat(self, name, AtFlags::empty()) {
            Err(Errno::NOENT) => return Err(io::Error::other("another program has taken it away")),
            // Where the system does not tell, nobody has seen another file.
            Err(_) => return Ok(()),
            Ok(there) => Facts::from(there),
        };
        let Some(own) = own else { return Ok(()) };
        let is_same = there.identity() == own.identity()
            || (there.len(), there.modified()) == (own.len(), own.modified());
        is_same
            .then_some(())
            .ok_or_else(|| io::Error::other("another program has put another file in its place"))
    }

    /// Whether a file can get this other name here. If it can, it has it then. After any other error it may be
    /// possible, which shows when the file is complete.
    pub fn can_rename(&self, name: &mut OsString, other: OsString) -> bool {
        match rustix::fs::renameat(self, &*name, self, &other) {
            Err(error) if is_missing(error) => return false,
            Err(_) if self.has(name) => {}
            _ => *name = other,
        }
        true
    }

    /// Opens a folder in this one. Nothing if a link or a file has the name.
    pub fn inner(&self, name: &OsStr) -> io::Result<Option<Self>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(self, name, flags, Mode::empty()) {
            // FreeBSD says of a link that there are too many.
            Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Ok(None),
            opened => Ok(Some(opened?.into())),
        }
    }

    /// What has this name, which may be a link.
    pub fn look(&self, name: &OsStr) -> io::Result<Facts> {
        Ok(rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// Makes a folder. The system takes the bits of the umask off the mode.
    pub fn make_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(self, name, crate::file::mode(mode))?)
    }

    /// Makes a named pipe. macOS cannot.
    pub fn make_fifo(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(crate::file::make_fifo(self, name.as_encoded_bytes(), mode)?)
    }

    /// Makes a symbolic link.
    pub fn make_link(&self, target: &[u8], name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, self, name)?)
    }

    /// Where a symbolic link leads.
    pub fn read_link(&self, name: &OsStr) -> io::Result<Vec<u8>> {
        Ok(rustix::fs::readlinkat(self, name, Vec::new())?.into_bytes())
    }

    /// Gives a file another name in another folder. Fails if something has that name.
    pub fn link_into(&self, from: &OsStr, folder: &Self, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::linkat(self, from, folder, to, AtFlags::empty())?)
    }

    /// Takes the name of a folder away, which must be empty.
    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self, name, AtFlags::REMOVEDIR)?)
    }

    /// Sets the time of what has this name, which may be a link.
    pub fn set_modified(&self, name: &OsStr, time: Time) -> io::Result<()> {
        Ok(rustix::fs::utimensat(self, name, &times(time), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Sets the mode of the folder itself.
    pub fn set_own_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(self, crate::file::mode(mode))?)
    }

    /// Sets the time of the folder itself.
    pub fn set_own_modified(&self, time: Time) -> io::Result<()> {
        Ok(rustix::fs::futimens(self, &times(time))?)
    }

    /// What the folder itself is.
    pub fn own_facts(&self) -> io::Result<Facts> {
        Ok(rustix::fs::fstat(self)?.into())
    }

    /// Waits until the names in the folder are on the disk. Not every file system can do this, and it needs the right
    /// to read the folder. In both cases the files are as complete as they can be.
    pub fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = |itself: &CStr| rustix::fs::openat(self, itself, flags, Mode::empty());
        let synced = match named(OsStr::new("."), open) {
            Ok(folder) => rustix::fs::fsync(folder),
            Err(Errno::ACCESS | Errno::PERM) => return Ok(()),
            Err(error) => Err(error),
        };
        match synced {
            Err(error) if is_missing(error) => Ok(()),
            synced => Ok(synced?),
        }
    }

    /// The number of the file system, and whether what is in the folder must keep its name.
    #[cfg(target_os = "linux")]
    pub fn facts(&self) -> io::Result<(u64, bool)> {
        use rustix::fs::{StatxAttributes, StatxFlags};
        match rustix::fs::statx(self, "", AtFlags::EMPTY_PATH, StatxFlags::empty()) {
            Ok(own) => {
                let number = u64::from(own.stx_dev_major) << 32 | u64::from(own.stx_dev_minor);
                Ok((number, own.stx_attributes.contains(StatxAttributes::APPEND)))
            }
            // Old systems do not tell.
            Err(_) => Ok((rustix::fs::fstat(self)?.st_dev, false)),
        }
    }

    /// The number of the file system, and that names may change: only Linux is asked.
    #[cfg(not(target_os = "linux"))]
    pub fn facts(&self) -> io::Result<(u64, bool)> {
        Ok((rustix::fs::fstat(self)?.st_dev as u64, false))
    }

    /// Whether nothing can take the place of the file that has this name now, though files can be renamed here: if it
    /// has another owner in a folder such as /tmp, if something is mounted on it, if it is protected, or if it is one
    /// of the links of the system to open files.
    pub fn keeps(&self, name: &OsStr) -> bool {
        let Ok(own) = rustix::fs::fstat(self) else { return false };
        let Ok(there) = rustix::fs::statat(self, name, AtFlags::SYMLINK_NOFOLLOW) else { return false };
        let is_sticky = Mode::from_raw_mode(own.st_mode).contains(Mode::SVTX);
        let is_own = || {
            let user = rustix::process::geteuid();
            user.is_root() || [own.st_uid, there.st_uid].contains(&user.as_raw())
        };
        is_sticky && !is_own() || self.is_of_processes() || self.is_fixed(name)
    }

    /// Whether this is a folder of `/proc`. Links in it lead to files that are open, which need not have a name.
    #[cfg(target_os = "linux")]
    pub fn is_of_processes(&self) -> bool {
        rustix::fs::fstatfs(self).is_ok_and(|own| own.f_type == rustix::fs::PROC_SUPER_MAGIC)
    }

    /// Whether this is a folder of `/proc`, which only Linux has.
    #[cfg(not(target_os = "linux"))]
    pub fn is_of_processes(&self) -> bool {
        false
    }

    /// Whether something is mounted on the file of this name, or it is protected.
    #[cfg(target_os = "linux")]
    fn is_fixed(&self, name: &OsStr) -> bool {
        use rustix::fs::{StatxAttributes, StatxFlags};
        let fixed = StatxAttributes::MOUNT_ROOT | StatxAttributes::APPEND | StatxAttributes::IMMUTABLE;
        let there = rustix::fs::statx(self, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
        there.is_ok_and(|there| there.stx_attributes.intersects(fixed))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_fixed(&self, _: &OsStr) -> bool {
        false
    }
}

/// The time of the last access is now.
fn times(modified: Time) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        last_modification: Timespec { tv_sec: modified.seconds, tv_nsec: modified.nanoseconds.into() },
    }
}

/// Removes the file at this path.
pub fn remove_file(path: &Path) -> io::Result<()> {
    Ok(named(path.as_os_str(), |path| rustix::fs::unlinkat(CWD, path, AtFlags::empty()))?)
}

/// Calls with this name, at the place where the sandbox allows that if it is one that is left.
fn named<T>(name: &OsStr, call: impl FnOnce(&CStr) -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    match sandbox::sealed(name) {
        Some(name) => call(name),
        None => name.into_with_c_str(call),
    }
}

/// The bits that the user takes off the mode of new files.
#[allow(clippy::useless_conversion)] // A mode has 16 bits on macOS.
pub fn umask() -> u32 {
    u32::from(crate::file::umask().bits())
}

/// Whether the error says that the file system or the system does not have this call at all.
fn is_missing(error: Errno) -> bool {
    is_unsupported(error)
        || matches!(
            error,
            Errno::NOSYS | Errno::INVAL | Errno::PERM | Errno::ACCESS | Errno::XDEV | Errno::MLINK
        )
}

/// Whether the error says that a file system does not support something. On macOS these are two errors.
fn is_unsupported(error: Errno) -> bool {
    error == Errno::OPNOTSUPP || error == Errno::NOTSUP
}

/// The error of what would need a file, and has a folder.
pub fn is_a_folder() -> io::Error {
    Errno::ISDIR.into()
}

/// Makes a symbolic link at a path. Windows needs a privilege for it.
pub fn make_link_at(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}
