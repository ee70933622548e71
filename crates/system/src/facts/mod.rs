//! [`Facts`]: what the system tells of a file, open or by its path. The standard library tells less on some systems:
//! nothing of pipes, and no identity of a file.
//!
//! In: a file or a path. The engine asks whether a file has offsets, and the command which files are the same.

use std::time::{Duration, SystemTime};

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::{Facts, Identity, Rights};

/// What kind of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, with a name or without. Windows does not tell sockets from pipes.
    Pipe,
    /// A socket.
    Socket,
    /// A terminal, or another device that is read in order.
    Device,
    /// A disk.
    Disk,
    /// None of these.
    Other,
}

/// A time since 1970, in UTC. `seconds` may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Whole seconds, rounded down.
    pub seconds: i64,
    /// What is behind them.
    pub nanoseconds: u32,
}

impl Time {
    /// The time in the type of the standard library, if it has that.
    pub fn into_system(self) -> Option<SystemTime> {
        let (seconds, behind) = (self.seconds.unsigned_abs(), Duration::from_nanos(self.nanoseconds.into()));
        let whole = match self.seconds {
            0.. => SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)),
            _ => SystemTime::UNIX_EPOCH.checked_sub(Duration::from_secs(seconds)),
        };
        whole?.checked_add(behind)
    }
}

/// A bit of the mode of a file that a copy must not have, the gravest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Who runs the file has the rights of its owner.
    SetUserId,
    /// Who runs the file has the rights of its group.
    SetGroupId,
    /// The sticky bit.
    Sticky,
}

impl Facts {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        self.kind() == Kind::File
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.kind() == Kind::Folder
    }

    /// Whether it is a symbolic link.
    pub fn is_link(&self) -> bool {
        self.kind() == Kind::Link
    }

    /// Whether it is a device.
    pub fn is_device(&self) -> bool {
        matches!(self.kind(), Kind::Device | Kind::Disk)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::handle::OwnedHandle;

    #[test]
    fn a_file_is_the_same_by_its_path_and_open_and_by_both_links() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("one"), folder.path().join("other"));
        let mut file = fs::File::create_new(&path).unwrap();
        file.write_all(b"three").unwrap();
        fs::hard_link(&path, &other).unwrap();
        let (open, one) = (Facts::of(&file).unwrap(), Facts::at(&path).unwrap());
        assert_eq!((open.len(), one.len(), one.links()), (5, 5, 2));
        assert_eq!((open.kind(), Facts::at(folder.path()).unwrap().kind()), (Kind::File, Kind::Folder));
        assert_eq!(open.identity(), one.identity());
        assert_eq!(open.identity(), Facts::of_link(&other).unwrap().identity());
        let another = fs::File::create_new(folder.path().join("another")).unwrap();
        assert_ne!(Facts::of(&another).unwrap().identity(), one.identity());
        assert!(Facts::at(&folder.path().join("none")).is_err());
    }

    #[test]
    fn a_change_is_told_although_the_time_of_the_bytes_was_put_back() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"some data").unwrap();
        let before = Facts::of(&file).unwrap();
        // The clock of the file system has a coarse tick.
        std::thread::sleep(Duration::from_millis(20));
        file.write_all(b"more").unwrap();
        file.set_modified(before.modified().into_system().unwrap()).unwrap();
        let after = Facts::of(&file).unwrap();
        assert_eq!(after.modified(), before.modified());
        assert_ne!(after.changed(), before.changed());
    }

    #[test]
    fn times_are_those_of_the_standard_library() {
        let file = tempfile::tempfile().unwrap();
        for (time, expected) in [
            (Duration::from_millis(1_234_567_890_500), (1_234_567_890, 500_000_000)),
            (Duration::from_secs(5_000_000_000), (5_000_000_000, 0)),
        ] {
            file.set_modified(std::time::UNIX_EPOCH + time).unwrap();
            let modified = Facts::of(&file).unwrap().modified();
            assert_eq!((modified.seconds, modified.nanoseconds), expected);
        }
    }

    #[test]
    fn a_pipe_and_a_device_are_told() {
        let (from, to) = std::io::pipe().unwrap();
        for end in [OwnedHandle::from(from), OwnedHandle::from(to)] {
            assert_eq!(Facts::of(&end.into()).unwrap().kind(), Kind::Pipe);
        }
        let null = fs::File::open(if cfg!(windows) { "NUL" } else { "/dev/null" }).unwrap();
        assert_eq!(Facts::of(&null).unwrap().kind(), Kind::Device);
    }
}
