//! What a run has made, and the room for a member whose name something has already.
//!
//! What the same run has made is replaced by a later version of the member, of whatever kind. What was there before is
//! replaced only if the user wants that. A folder is replaced only if it is empty, as by tar.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;

use system::facts::Facts;
use system::folder::Folder as Opened;

use super::super::names::Refused;
use super::Folder;

/// So many files that were made are known, which takes 36 MiB. Those behind them are taken for files that were there
/// before.
const MADE_MAX: usize = 7 << 18;

impl Folder<'_> {
    /// Whether this run has made the file.
    pub(super) fn is_made(&self, file: &Facts) -> bool {
        self.files.contains(&identity(file))
    }

    /// Whether a member may take the place of the file: this run has made it, or the user wants that and it is no
    /// input.
    pub(super) fn replaces(&self, file: &Facts) -> bool {
        self.is_made(file) || self.request.rules.force && !self.pending_files.inputs.have(file, self.request)
    }

    /// The reason for a file that nothing may replace.
    pub(super) fn taken(&self) -> Refused {
        match self.request.rules.force {
            true => Refused::because("is an input of this run, which nothing replaces"),
            false => Refused::taken(),
        }
    }

    /// This run has made what has the name.
    pub(super) fn note(&mut self, parent: &Opened, name: &OsStr) {
        if let Ok(made) = parent.look(name) {
            self.note_made(&made);
        }
    }

    pub(super) fn note_made(&mut self, made: &Facts) {
        if self.files.len() < MADE_MAX {
            self.files.insert(identity(made));
        }
    }

    /// The file has lost a name. Another file may get its number if that was the last one.
    pub(super) fn forget(&mut self, file: &Facts) {
        if file.links() == 1 {
            self.files.remove(&identity(file));
        }
    }

    /// Removes the folder at this place, if it is empty and is to be replaced.
    pub(super) fn remove_folder(
        &mut self,
        (parent, name, there): (&Opened, &OsStr, &Facts),
        place: &[Vec<u8>],
    ) -> Result<(), Refused> {
        if !self.replaces(there) {
            return Err(Refused::because("is a folder already; use -f to replace it if it is empty"));
        }
        match parent.remove_folder(name) {
            Ok(()) => {
                self.files.remove(&identity(there));
                self.made.remove(place);
                self.last = self.last.take().filter(|(last, _)| !last.starts_with(place));
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
                Err(Refused::because("is a folder already, which is not empty, so nothing replaces it"))
            }
            Err(error) => Err(Refused::cannot("replace the folder of this name")(error)),
        }
    }

    /// Removes what has the name at this place, if it is to be replaced.
    pub(super) fn make_room(
        &mut self,
        parent: &Opened,
        name: &OsStr,
        place: &[Vec<u8>],
    ) -> Result<(), Refused> {
        match parent.look(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Refused::cannot("look for a file of this name")(error)),
            Ok(there) if there.is_folder() => self.remove_folder((parent, name, &there), place),
            Ok(there) if !self.replaces(&there) => Err(self.taken()),
            Ok(there) => {
                parent.remove(name).map_err(Refused::cannot("replace the file of this name"))?;
                self.forget(&there);
                Ok(())
            }
        }
    }
}

/// What tells a file from all others: its number, and a hash of its device and its time. Another file that gets the
/// number of a removed one has another time. The time of a folder changes with what is in it, so it does not count.
fn identity(file: &Facts) -> (u64, u64) {
    let mut hasher = DefaultHasher::new();
    file.identity().hash(&mut hasher);
    if !file.is_folder() {
        file.modified().hash(&mut hasher);
    }
    (file.identity().number(), hasher.finish())
}
