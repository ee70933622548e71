//! [`Folder`]: a folder that is open, and the files in it by their names.
//!
//! Programs make outputs and files without a name with it. A path is used once, to open the folder. From then on
//! everything goes by the descriptor. So it does not matter whether a folder above is renamed meanwhile, or may not be
//! searched.
//!
//! File systems differ in what they can do with names. [`Folder::give_name`] goes from the best way to one that every
//! file system has which can rename at all. It never replaces a file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

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

    /// Opens the folder of the file at this path. Also returns the name of the file in it.
    pub fn of(path: &Path) -> io::Result<(Self, OsString)> {
        let name = path.file_name().ok_or(Errno::ISDIR)?;
        Ok((Self::open(folder_of(path))?, name.to_owned()))
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
        match rustix::fs::openat(self, name, flags, mode) {
            // Stores of objects may have no files that are read and written.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {
                let flags = flags.difference(OFlags::RDWR) | OFlags::WRONLY;
                Ok(rustix::fs::openat(self, name, flags, mode)?.into())
            }
            made => Ok(made?.into()),
        }
    }

    /// Makes a file for an output that is not complete. Also returns its name.
    pub fn temporary(&self, mode: u32) -> io::Result<(OsString, File)> {
        const TRIALS: usize = 100;
        for _ in 0..TRIALS {
            let name = name_for_now();
            match self.create(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|file| (name, file)),
            }
        }
        Err(Errno::EXIST.into())
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
        Ok(rustix::fs::unlinkat(self, name, AtFlags::empty())?)
    }

    /// Gives a file another name besides its own. Fails if something has that name.
    pub fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::linkat(self, from, self, to, AtFlags::empty())?)
    }

    /// Gives a file another name besides its own. What has that name is replaced, and stays if that fails.
    pub fn link_over(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let now = name_for_now();
        self.link(from, &now)?;
        let renamed = self.rename(&now, to);
        // If the name was one of the same file, the system has left both.
        let _ = self.remove(&now);
        renamed
    }

    /// Renames a file. What has the new name is replaced.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(self, from, self, to)?)
    }

    /// Renames a file. Fails if something has the new name.
    pub fn give_name(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(self, from, self, to, rustix::fs::RenameFlags::NOREPLACE) {
            Err(error) if is_missing(error) => {}
            renamed => return Ok(renamed?),
        }
        match rustix::fs::linkat(self, from, self, to, AtFlags::empty()) {
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
    pub fn is_still(&self, name: &OsStr, own: Option<&rustix::fs::Stat>) -> io::Result<()> {
        let there = match rustix::fs::statat(self, name, AtFlags::empty()) {
            Err(Errno::NOENT) => return Err(io::Error::other("another program has taken it away")),
            // Where the system does not tell, nobody has seen another file.
            Err(_) => return Ok(()),
            Ok(there) => there,
        };
        let Some(own) = own else { return Ok(()) };
        let is_same = (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)
            || (there.st_size, there.st_mtime, there.st_mtime_nsec)
                == (own.st_size, own.st_mtime, own.st_mtime_nsec);
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

    /// Waits until the names in the folder are on the disk. Not every file system can do this, and it needs the right
    /// to read the folder. In both cases the files are as complete as they can be.
    pub fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let synced = match rustix::fs::openat(self, ".", flags, Mode::empty()) {
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

/// A name for a file that is not complete.
pub fn name_for_now() -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // No random bytes are asked of the system, which may deny them. A name that is taken is tried again.
    let mut hasher = DefaultHasher::new();
    let here = std::ptr::from_ref(&hasher).addr();
    (process::id(), SystemTime::now(), here, COUNT.fetch_add(1, Ordering::Relaxed)).hash(&mut hasher);
    let random = hasher.finish();
    format!("{PARTIAL}{:012x}.partial", random & 0xffff_ffff_ffff).into()
}

const PARTIAL: &str = ".pzcomp-";

/// Whether this is the name of a file that is not complete.
pub fn is_partial(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.strip_prefix(PARTIAL)?.strip_suffix(".partial"));
    number.is_some_and(|number| number.len() == 12 && number.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether the error says that the file system or the system does not have this call at all.
fn is_missing(error: Errno) -> bool {
    matches!(
        error,
        Errno::NOSYS
            | Errno::INVAL
            | Errno::PERM
            | Errno::ACCESS
            | Errno::OPNOTSUPP
            | Errno::XDEV
            | Errno::MLINK
    )
}

/// The path of the folder in which the file at this path is.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
