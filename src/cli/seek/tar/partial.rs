//! [`OpenFile`]: a file that is being extracted. It gets its name when it is complete, and is removed otherwise.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use pzcomp::tar::Member;
use rustix::fs::{AtFlags, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;

use super::names::Refused;
use crate::cli::pending::{PendingFiles, Registration};

/// A file that has no name yet.
pub(super) struct OpenFile {
    pub(super) file: File,
    parent: OwnedFd,
    /// The name until it is complete.
    partial: String,
    pub(super) member: Member,
    name: Vec<u8>,
    /// The file that it replaces.
    pub(super) replaced: Option<Stat>,
    /// Whether it has its name.
    pub(super) is_named: bool,
    _registration: Registration,
}

impl OpenFile {
    /// Makes the file in this folder, which is the `number`th of the run.
    pub(super) fn begin(
        (parent, mut path): (OwnedFd, PathBuf),
        name: Vec<u8>,
        number: u64,
        member: &Member,
        replaced: Option<Stat>,
        pending_files: &PendingFiles,
    ) -> Result<Self, Refused> {
        let partial = format!(".pzcomp-{}-{number}.partial", std::process::id());
        path.push(&partial);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // The system takes the umask off the mode.
        let mode = Mode::from_raw_mode(member.mode & 0o777);
        let made = pending_files.guard(path, || Ok(rustix::fs::openat(&parent, &partial, flags, mode)?));
        let (file, registration) =
            made.map_err(|error| Refused(format!("cannot make a file in its folder: {error}")))?;
        let (file, member) = (file.into(), member.clone());
        Ok(Self {
            file,
            parent,
            partial,
            member,
            name,
            replaced,
            is_named: false,
            _registration: registration,
        })
    }

    /// Gives the file its time and its name.
    pub(super) fn complete(&mut self, force: bool) -> Result<(), Refused> {
        let (parent, partial, name) = (&self.parent, &self.partial, &self.name[..]);
        rustix::fs::futimens(&self.file, &times(&self.member)).map_err(Refused::cannot("set the time"))?;
        if !force && self.replaced.is_none() {
            // Unlike a renaming, this replaces nothing.
            match rustix::fs::linkat(parent, partial, parent, name, AtFlags::empty()) {
                Ok(()) => {
                    self.is_named = true;
                    let removed = rustix::fs::unlinkat(parent, partial, AtFlags::empty());
                    return removed.map_err(Refused::cannot("remove the name of the incomplete file"));
                }
                Err(Errno::EXIST) => return Err(Refused::cannot("")(Errno::EXIST)),
                // Not every file system has hard links. That nothing has the name was seen before.
                Err(_) => {}
            }
        }
        rustix::fs::renameat(parent, partial, parent, name)
            .map_err(Refused::cannot("give the file its name"))?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if !self.is_named {
            let _ = rustix::fs::unlinkat(self.parent.as_fd(), &self.partial, AtFlags::empty());
        }
    }
}

/// The time of the last access is now, and the other one is that of the member.
pub(super) fn times(member: &Member) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        last_modification: Timespec { tv_sec: member.mtime, tv_nsec: member.mtime_nanos.into() },
    }
}
