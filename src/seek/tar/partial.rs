//! [`OpenFile`]: a file that is being extracted. It gets its name when it is complete, and is removed otherwise.

use std::ffi::OsString;
use std::fs::File;

use pzcomp::printable;
use pzcomp::tar::Member;
use system::facts::{Facts, Time};
use system::folder::Folder;

use super::names::Refused;
use crate::pending::{Incomplete, PendingFile, PendingFiles};

/// A file that has no name yet.
pub(super) struct OpenFile {
    pending: PendingFile,
    pub(super) member: Member,
    name: OsString,
    /// The file that it replaces.
    pub(super) replaced: Option<Facts>,
}

impl OpenFile {
    /// Makes the file in this folder.
    pub(super) fn begin(
        parent: Folder,
        name: OsString,
        member: &Member,
        replaced: Option<Facts>,
        pending_files: &PendingFiles,
    ) -> Result<Self, Refused> {
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
    pub(super) fn complete(self, force: bool) -> Result<Facts, Refused> {
        let Self { pending, member, name, replaced } = self;
        let time = time(&member)
            .into_system()
            .ok_or_else(|| Refused::because("has a time that files cannot have"))?;
        pending.file().set_modified(time).map_err(Refused::cannot("set the time"))?;
        let made = Facts::of(pending.file()).map_err(Refused::cannot("look at it"))?;
        pending.complete(&name, force || replaced.is_some(), false, false).map(|()| made).map_err(|why| {
            match why {
                Incomplete::Taken => Refused::taken(),
                Incomplete::System(error) => Refused(format!("cannot write: {error}")),
                Incomplete::Kept(error, kept) => {
                    let kept = printable(kept.as_encoded_bytes());
                    Refused(format!("cannot get its name: {error}; it is complete, as {kept} in its folder"))
                }
            }
        })
    }
}

/// The time that a member states.
pub(super) fn time(member: &Member) -> Time {
    Time { seconds: member.mtime, nanoseconds: member.mtime_nanos }
}
