//! [`OpenFile`]: a file that is being extracted. It gets its name when it is complete, and is removed otherwise.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;

use pzcomp::printable;
use pzcomp::tar::Member;
use rustix::fs::{Stat, Timespec, Timestamps, UTIME_NOW};
use rustix::io::Errno;

use super::names::Refused;
use crate::pending::{Incomplete, PendingFile, PendingFiles};
use system::folder::Folder;

/// A file that has no name yet.
pub(super) struct OpenFile {
    pending: PendingFile,
    pub(super) member: Member,
    name: OsString,
    /// The file that it replaces.
    pub(super) replaced: Option<Stat>,
}

impl OpenFile {
    /// Makes the file in this folder.
    pub(super) fn begin(
        parent: OwnedFd,
        name: Vec<u8>,
        member: &Member,
        replaced: Option<Stat>,
        pending_files: &PendingFiles,
    ) -> Result<Self, Refused> {
        let (parent, name) = (Folder::from(parent), system::name::from_bytes(name));
        let mode = member.mode & 0o777;
        let made = match pending_files.create(&parent, mode) {
            Ok(Some(pending)) => Ok(pending),
            // Nothing can be renamed here.
            Ok(None) => replaced
                .as_ref()
                .map_or(Ok(()), |_| parent.remove(&name))
                .and_then(|()| pending_files.make(&parent, &name, mode)),
            Err(error) => Err(error),
        };
        let pending = made.map_err(|error| Refused(format!("cannot make a file in its folder: {error}")))?;
        Ok(Self { pending, member: member.clone(), name, replaced })
    }

    pub(super) fn file(&self) -> &File {
        self.pending.file()
    }

    /// Gives the file its time and its name. Returns what it is then.
    pub(super) fn complete(self, force: bool) -> Result<Stat, Refused> {
        let Self { pending, member, name, replaced } = self;
        rustix::fs::futimens(pending.file(), &times(&member)).map_err(Refused::cannot("set the time"))?;
        let made = rustix::fs::fstat(pending.file()).map_err(Refused::cannot("look at it"))?;
        pending.complete(&name, force || replaced.is_some(), false, false).map(|()| made).map_err(|why| {
            match why {
                Incomplete::Taken => Refused::cannot("")(Errno::EXIST),
                Incomplete::System(error) => Refused(format!("cannot write: {error}")),
                Incomplete::Kept(error, kept) => {
                    let kept = printable(kept.as_encoded_bytes());
                    Refused(format!("cannot get its name: {error}; it is complete, as {kept} in its folder"))
                }
            }
        })
    }
}

/// The time of the last access is now, and the other one is that of the member.
pub(super) fn times(member: &Member) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        last_modification: Timespec { tv_sec: member.mtime, tv_nsec: member.mtime_nanos.into() },
    }
}
