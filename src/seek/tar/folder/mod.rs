//! [`Folder`]: members become files in a folder, with their modes and times as tar sets them for a normal user.
//!
//! Archives are hostile. Nothing outside of the folder is made, changed or linked to:
//!
//! - Each name is taken apart. Slashes at its start do not count, and a name with `..` is refused.
//! - Each folder on the way is opened by its name in the folder before it, and never through a symbolic link.
//! - A symbolic link may lead only to places in the folder: its target is relative, and only begins with `..`, as often
//!   as there are folders around it. A hard link may lead only to a regular file that the same run has made.
//! - A file gets its name when it is complete, and replaces only what the same run has made, unless the user wants
//!   more.
//!
//! `names.rs` judges names and links, `partial.rs` has the file that is being written, and `room.rs` makes room for
//! what has the name of something else.
//!
//! A member that is refused is a problem, which is told, and the other members are extracted.

mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pzcomp::printable;
use pzcomp::tar::{Kind, Member};
use system::facts::{Facts, Kind as FileKind};
use system::folder::Folder as Opened;
use system::name::from_bytes;
use system::place::is_bad_sector;

use super::Problems;
use super::extractor::Take;
use super::names::{Refused, leads_out, parts};
use super::partial::{OpenFile, time};
use crate::error::CliError;
use crate::pending::PendingFiles;
use crate::request::Request;
use crate::tool::Status;

/// The folder into which members are extracted.
pub(super) struct Folder<'a> {
    root: Opened,
    path: PathBuf,
    request: &'a Request,
    umask: u32,
    pending_files: &'a PendingFiles,
    problems: &'a mut Problems,
    /// The folder of the last member, which is often that of the next one.
    last: Option<(Vec<Vec<u8>>, Opened)>,
    /// The file that is being written.
    open: Option<OpenFile>,
    /// Folders that were made.
    made: Made,
    /// Whether this run has made the folder itself.
    is_new: bool,
    /// The identity of each file and folder that was made.
    files: BTreeSet<(u64, u64)>,
}

impl<'a> Folder<'a> {
    /// Opens the folder, and makes it if it is missing.
    pub(super) fn open(
        path: &Path,
        request: &'a Request,
        pending_files: &'a PendingFiles,
        problems: &'a mut Problems,
    ) -> Result<Self, CliError> {
        let about = |error| CliError::cannot("open the folder")(error).about(path.display());
        // The user names this folder, so it may be behind a link.
        let there = Opened::open_to_fill(path);
        let is_new = there.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let root = match is_new {
            true => std::fs::create_dir_all(path).and_then(|()| Opened::open_to_fill(path)),
            false => there,
        };
        let root = root.map_err(about)?;
        let umask = system::folder::umask();
        let path = path.to_owned();
        Ok(Self {
            root,
            path,
            request,
            umask,
            pending_files,
            problems,
            last: None,
            open: None,
            made: Made::default(),
            is_new,
            files: BTreeSet::new(),
        })
    }

    /// Gives the folders that were made their modes and times. After a failure, a new folder that got nothing is
    /// removed.
    pub(super) fn finish(mut self, has_failed: bool) {
        if has_failed && self.is_new && self.made.is_empty() && self.files.is_empty() {
            // A folder that is not empty stays.
            let _ = std::fs::remove_dir(&self.path);
            return;
        }
        for (place, Stated { mode, mtime, mtime_nanos }) in
            std::mem::take(&mut self.made).into_innermost_first()
        {
            let set = || {
                let folder = self.walk(&place, None)?;
                let mode = mode & 0o777 & !self.umask;
                folder.set_own_mode(mode).map_err(Refused::cannot("set the mode"))?;
                let time = time(&Member { mtime, mtime_nanos, ..Member::default() });
                folder.set_own_modified(time).map_err(Refused::cannot("set the time"))
            };
            let set: Result<(), Refused> = set();
            if let Err(Refused(what)) = set {
                self.problems.add(Status::Warning, &place.join(&b'/'), what);
            }
        }
    }

    /// Opens the folder at this place. Missing folders are made if they can be noted.
    fn walk(&self, place: &[Vec<u8>], mut made: Option<&mut Vec<Facts>>) -> Result<Opened, Refused> {
        let mut folder = self.root.clone();
        for part in place {
            let name = from_bytes(&part[..]);
            let opened = match (folder.inner(&name), &mut made) {
                (Err(error), Some(made)) if error.kind() == ErrorKind::NotFound => {
                    match folder.make_folder(&name, 0o777) {
                        Ok(()) => {
                            let opened = folder.inner(&name);
                            let new = opened.as_ref().ok().and_then(|new| new.as_ref()?.own_facts().ok());
                            made.extend(new);
                            opened
                        }
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => folder.inner(&name),
                        Err(error) => Err(error),
                    }
                }
                (opened, _) => opened,
            };
            let opened = opened.map_err(|error| Refused(format!("cannot open its folder: {error}")))?;
            folder = opened.ok_or_else(|| {
                Refused(format!(
                    "'{}' on its way is a symbolic link or a file, and nothing is extracted through it",
                    printable(part)
                ))
            })?;
        }
        Ok(folder)
    }

    /// The folder of a member, and its name in the folder. Nothing for the folder itself.
    fn parent(&mut self, place: &mut Vec<Vec<u8>>) -> Result<Option<(Opened, OsString)>, Refused> {
        let Some(name) = place.pop() else { return Ok(None) };
        let is_last = self.last.as_ref().is_some_and(|(last, _)| last == place);
        if !is_last {
            let mut made = Vec::new();
            let folder = self.walk(place, Some(&mut made));
            made.iter().for_each(|made| self.note_made(made));
            let folder = folder?;
            self.last = Some((place.clone(), folder));
        }
        Ok(self.last.as_ref().map(|(_, folder)| (folder.clone(), from_bytes(name))))
    }

    fn extract(&mut self, member: &Member) -> Result<bool, Refused> {
        if member.flag == b'V' {
            // The label of a volume is no file, and its name no path.
            return Ok(false);
        }
        let mut place = parts(&member.name)?;
        if member.name.starts_with(b"/") {
            self.problems.has_slash = true;
        }
        let depth = place.len().saturating_sub(1);
        let whole = place.clone();
        let Some((parent, name)) = self.parent(&mut place)? else {
            return match member.kind() {
                Kind::Directory => Ok(false),
                _ => Err(Refused::because("has the name of the folder itself")),
            };
        };
        match member.kind() {
            Kind::Directory => self.directory(&parent, &name, whole, member)?,
            Kind::File => return self.begin_file(parent, name, &whole, member).map(|()| true),
            Kind::Unknown => {
                self.begin_file(parent, name, &whole, member)?;
                let what = format!(
                    "is of the unknown type '{}', and was extracted as a regular file",
                    char::from(member.flag)
                );
                self.problems.add(Status::Fine, &member.name, what);
                return Ok(true);
            }
            Kind::Symlink => {
                if let Some(why) = leads_out(&member.link, depth) {
                    self.problems.has_link = true;
                    return Err(Refused(format!("is a link to '{}', {why}", printable(&member.link))));
                }
                self.make_room(&parent, &name, &whole)?;
                parent.make_link(&member.link, &name).map_err(Refused::cannot("make the link"))?;
                let set = parent.set_modified(&name, time(member));
                self.note(&parent, &name);
                set.map_err(Refused::cannot("set the time"))?;
            }
            Kind::HardLink => self.hard_link(&parent, &name, &whole, member)?,
            Kind::Fifo => {
                self.make_room(&parent, &name, &whole)?;
                let made = parent.make_fifo(&name, member.mode & 0o777);
                made.map_err(Refused::cannot("make the named pipe"))?;
                parent.set_modified(&name, time(member)).map_err(Refused::cannot("set the time"))?;
                self.note(&parent, &name);
            }
            Kind::CharDevice | Kind::BlockDevice => {
                return Err(Refused::because("is a device, and devices are not extracted"));
            }
            _ => return Err(Refused::because("is continued from another volume, and not extracted")),
        }
        Ok(false)
    }

    fn directory(
        &mut self,
        parent: &Opened,
        name: &OsStr,
        place: Vec<Vec<u8>>,
        member: &Member,
    ) -> Result<(), Refused> {
        // Files are made in it before it gets its own mode.
        let mode = member.mode & 0o777 | 0o700;
        match parent.make_folder(name, mode) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let there = parent.look(name).map_err(Refused::cannot("look for a folder of this name"))?;
                if !there.is_folder() {
                    if !self.replaces(&there) {
                        return Err(Refused::because(
                            "exists already, and is no folder; use -f to replace it",
                        ));
                    }
                    // An earlier version of the member.
                    self.make_room(parent, name, &place)?;
                    parent.make_folder(name, mode).map_err(Refused::cannot("make the folder"))?;
                } else if !self.replaces(&there) {
                    return Ok(());
                }
            }
            Err(error) => return Err(Refused::cannot("make the folder")(error)),
        }
        self.note(parent, name);
        if !self.made.add(&place, member) {
            let what = "keeps the mode and the time that it has now, because there are too many folders";
            self.problems.add(Status::Warning, &member.name, what);
        }
        Ok(())
    }

    /// The folder of the target of a hard link, its name there, and the file.
    fn target(&self, link: &Member) -> Result<(Opened, OsString, Facts), Refused> {
        let mut place = parts(&link.link)?;
        let missing = || {
            let target = printable(&link.link);
            Refused(format!("is another name of '{target}', which was not extracted; extract '{target}' too"))
        };
        let target = place.pop().ok_or_else(missing)?;
        let folder = self.walk(&place, None).map_err(|_| missing())?;
        let target = from_bytes(target);
        let there = folder.look(&target).map_err(|_| missing())?;
        // What was there before is no part of the archive.
        if !self.is_made(&there) {
            return Err(missing());
        }
        Ok((folder, target, there))
    }

    /// Why a hard link with this many folders around it cannot lead to this file.
    fn refusal(&self, (folder, name, there): &(Opened, OsString, Facts), depth: usize) -> Option<Refused> {
        match there.kind() {
            FileKind::File | FileKind::Pipe => None,
            // A symbolic link in another folder could lead out.
            FileKind::Link => match folder.read_link(name) {
                Ok(target) => leads_out(&target, depth).map(|why| {
                    Refused(format!("is another name of a link to '{}', {why}", printable(&target)))
                }),
                Err(error) => Some(Refused::cannot("read the link that it is another name of")(error)),
            },
            _ => Some(Refused::because("is another name of something that is no file")),
        }
    }

    fn hard_link(
        &mut self,
        parent: &Opened,
        name: &OsStr,
        place: &[Vec<u8>],
        member: &Member,
    ) -> Result<(), Refused> {
        let target = self.target(member)?;
        if let Some(refused) = self.refusal(&target, place.len().saturating_sub(1)) {
            return Err(refused);
        }
        let (folder, target, there) = target;
        if parent.look(name).is_ok_and(|own| own.identity() == there.identity()) {
            return Ok(());
        }
        self.make_room(parent, name, place)?;
        folder.link_into(&target, parent, name).map_err(Refused::cannot("make the link"))
    }

    fn begin_file(
        &mut self,
        parent: Opened,
        name: OsString,
        place: &[Vec<u8>],
        member: &Member,
    ) -> Result<(), Refused> {
        let mut replaced = parent.look(&name).ok();
        if let Some(there) = replaced.take_if(|there| there.is_folder()) {
            self.remove_folder((&parent, &name, &there), place)?;
        }
        if replaced.as_ref().is_some_and(|there| !self.replaces(there)) {
            return Err(self.taken());
        }
        self.open = Some(OpenFile::begin(parent, name, member, replaced, self.pending_files)?);
        Ok(())
    }

    /// Writes to the file that is open. The member is given up if that fails, and all others if they will fail as well.
    fn write(&mut self, write: impl FnOnce(&File) -> io::Result<()>) -> Result<(), CliError> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let Err(error) = write(open.file()) else { return Ok(()) };
        let name = std::mem::take(&mut open.member.name);
        self.open = None;
        let is_of_all = matches!(
            error.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem
        );
        if is_of_all || is_bad_sector(&error) {
            return Err(CliError::cannot("write")(error).about(printable(&name)).fatal());
        }
        self.problems.error(&name, format!("cannot write: {error}"));
        Ok(())
    }
}

impl Take for Folder<'_> {
    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        match self.extract(member) {
            Ok(wants_data) => Ok(wants_data),
            Err(Refused(what)) => {
                self.problems.error(&member.name, what);
                Ok(false)
            }
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.write(|mut file| file.write_all(bytes))
    }

    fn hole(&mut self, len: u64) -> Result<(), CliError> {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        self.write(|mut file| file.seek(SeekFrom::Current(len)).map(drop))
    }

    fn end(&mut self) -> Result<(), CliError> {
        // A hole at the end.
        let len = self.open.as_ref().map_or(0, |open| open.member.size);
        let is_sparse = self.open.as_ref().is_some_and(|open| open.member.is_sparse);
        self.write(|file| if is_sparse { file.set_len(len) } else { Ok(()) })?;
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let (name, replaced) = (std::mem::take(&mut open.member.name), open.replaced);
        match open.complete(self.request.rules.force) {
            Ok(made) => {
                if let Some(replaced) = &replaced {
                    self.forget(replaced);
                }
                self.note_made(&made);
            }
            Err(Refused(what)) => self.problems.error(&name, what),
        }
        Ok(())
    }

    fn give_up(&mut self) -> bool {
        self.open = None;
        true
    }

    fn has_target(&self, link: &Member) -> bool {
        self.target(link).is_ok()
    }

    fn problem(&mut self, status: Status, name: &[u8], what: String) {
        self.problems.add(status, name, what);
    }
}

/// The most memory for them.
const MADE_LEN_MAX: usize = 64 << 20;

/// About so much does a folder take besides its place.
const ENTRY_LEN: usize = 128;

/// Folders that were made. They get their modes and times at the end, because files in them change their times.
#[derive(Default)]
struct Made {
    /// By their places, with slashes between the names.
    folders: BTreeMap<Vec<u8>, Stated>,
    len: usize,
}

/// What the last version of a folder says.
struct Stated {
    mode: u32,
    mtime: i64,
    mtime_nanos: u32,
}

impl Made {
    /// Notes a folder. False if there is no memory for it.
    fn add(&mut self, place: &[Vec<u8>], member: &Member) -> bool {
        let key = place.join(&b'/');
        let len = if self.folders.contains_key(&key) { 0 } else { key.len() + ENTRY_LEN };
        if self.len + len > MADE_LEN_MAX {
            return false;
        }
        self.len += len;
        let Member { mode, mtime, mtime_nanos, .. } = *member;
        self.folders.insert(key, Stated { mode, mtime, mtime_nanos });
        true
    }

    /// The folder is no more.
    fn remove(&mut self, place: &[Vec<u8>]) {
        let key = place.join(&b'/');
        if self.folders.remove(&key).is_some() {
            self.len -= key.len() + ENTRY_LEN;
        }
    }

    fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// All folders. What is in a folder comes before the folder.
    fn into_innermost_first(self) -> impl Iterator<Item = (Vec<Vec<u8>>, Stated)> {
        let split = |key: Vec<u8>| key.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        self.folders.into_iter().rev().map(move |(key, stated)| (split(key), stated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Vec<Vec<u8>> {
        name.split('/').map(|part| part.as_bytes().to_vec()).collect()
    }

    #[test]
    fn versions_of_a_folder_take_no_more_memory_and_the_last_one_counts() {
        let mut made = Made::default();
        for mode in 0..1000 {
            assert!(made.add(&place("a/b"), &Member { mode, ..Member::default() }));
        }
        assert!(made.add(&place("a"), &Member::default()) && made.add(&place("a/b-c"), &Member::default()));
        made.remove(&place("a/b-c"));
        let len = made.len;
        assert_eq!(len, "a/b".len() + "a".len() + 2 * ENTRY_LEN);
        let long = vec![vec![b'x'; MADE_LEN_MAX]];
        assert!(!made.add(&long, &Member::default()) && made.len == len);
        let all: Vec<_> = made.into_innermost_first().map(|(place, stated)| (place, stated.mode)).collect();
        assert_eq!(all, [(place("a/b"), 999), (place("a"), 0)]);
    }
}
