//! Facts of POSIX systems.

use std::fs::{File, FileTimes, Permissions};
use std::io::Result;
use std::os::unix::fs::{PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{FileType, Mode, Stat};

use super::{Kind, Special, Time};

/// What the system tells of a file.
#[derive(Clone, Copy, Debug)]
pub struct Facts(Stat);

/// Two files that are there at the same time are the same if their identities are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(u64, u64);

impl Identity {
    /// Its number in its file system.
    pub fn number(self) -> u64 {
        self.1
    }
}

/// Who may do what with a file: its owner, its group and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights(u32, u32, u32);

impl From<Stat> for Facts {
    fn from(stat: Stat) -> Self {
        Self(stat)
    }
}

// The types of the fields differ between systems.
#[allow(clippy::unnecessary_cast, reason = "the types of the fields differ between systems")]
impl Facts {
    /// Of a file that is open, which may be a pipe or a device.
    pub fn of(file: &File) -> Result<Self> {
        Ok(Self(rustix::fs::fstat(file)?))
    }

    /// Of the file at this path, behind all links.
    pub fn at(path: &Path) -> Result<Self> {
        Ok(Self(rustix::fs::stat(path)?))
    }

    /// Of what has this path, which may be a link.
    pub fn of_link(path: &Path) -> Result<Self> {
        Ok(Self(rustix::fs::lstat(path)?))
    }

    /// What kind of file it is.
    pub fn kind(&self) -> Kind {
        match FileType::from_raw_mode(self.0.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Pipe,
            FileType::Socket => Kind::Socket,
            FileType::CharacterDevice => Kind::Device,
            FileType::BlockDevice => Kind::Disk,
            _ => Kind::Other,
        }
    }

    /// The length that the system states. Reads may show another one.
    #[allow(clippy::len_without_is_empty, reason = "a length of 0 says nothing of most kinds")]
    pub fn len(&self) -> u64 {
        self.0.st_size as u64
    }

    /// What tells it from all other files.
    pub fn identity(&self) -> Identity {
        Identity(self.0.st_dev as u64, self.0.st_ino as u64)
    }

    /// How many names it has.
    pub fn links(&self) -> u64 {
        self.0.st_nlink as u64
    }

    /// When its bytes changed last.
    pub fn modified(&self) -> Time {
        Time { seconds: self.0.st_mtime as i64, nanoseconds: self.0.st_mtime_nsec as u32 }
    }

    /// When its bytes, its names or its rights changed last.
    pub fn changed(&self) -> Time {
        Time { seconds: self.0.st_ctime as i64, nanoseconds: self.0.st_ctime_nsec as u32 }
    }

    /// Whether it is the device that has no bytes.
    pub fn is_null(&self) -> bool {
        let null = rustix::fs::stat("/dev/null").map(|null| null.st_rdev);
        self.kind() == Kind::Device && null.is_ok_and(|null| null == self.0.st_rdev)
    }

    /// Who may do what with it.
    pub fn rights(&self) -> Rights {
        Rights(self.0.st_uid, self.0.st_gid, self.0.st_mode as u32 & 0o7777)
    }

    /// The gravest of the bits that say more than who may do what.
    pub fn special(&self) -> Option<Special> {
        let mode = Mode::from_raw_mode(self.0.st_mode);
        [(Mode::SUID, Special::SetUserId), (Mode::SGID, Special::SetGroupId), (Mode::SVTX, Special::Sticky)]
            .into_iter()
            .find_map(|(bit, special)| mode.contains(bit).then_some(special))
    }

    /// The user, the group and the bits `rights` of the mode: all, those for a file that has another user, and those
    /// for a file that has another group.
    pub(crate) fn given(&self, rights: u32) -> (u32, u32, [u32; 3]) {
        let Rights(user, group, own) = self.rights();
        let (others, of_all) = (own & 0o007, own & rights & !0o6000);
        (user, group, [own & rights, of_all, of_all & !0o070 | own & 0o070 & others << 3])
    }

    /// Gives a file the owner, the times and the bits `rights` of the mode of this one, as far as the file system
    /// allows. If a step fails, the file gives fewer rights than this one, never more.
    pub fn give_to(&self, file: &File, rights: u32) {
        let (user, group, [all, of_group, reduced]) = self.given(rights);
        // Only root can change the owner. Other users can set a group to which they belong. If the group cannot be set,
        // rights of the group are reduced to those of others, because they were meant for another group. Set-user-ID
        // and set-group-ID bits were meant for a file of that user and group only.
        let mode = match fchown(file, Some(user), Some(group)) {
            Ok(()) => all,
            Err(_) => {
                let _ = fchown(file, Some(user), None);
                if fchown(file, None, Some(group)).is_ok() { of_group } else { reduced }
            }
        };
        let _ = file.set_permissions(Permissions::from_mode(mode));
        let accessed = Time { seconds: self.0.st_atime as i64, nanoseconds: self.0.st_atime_nsec as u32 };
        if let (Some(accessed), Some(modified)) = (accessed.into_system(), self.modified().into_system()) {
            let _ = file.set_times(FileTimes::new().set_accessed(accessed).set_modified(modified));
        }
    }
}
