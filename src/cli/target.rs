//! Outputs: what they are called, and how they come to be there whole or not at all.

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use pzcomp::Output;

use super::inherited::{self, Stream};
use super::partial::{Partial, Partials};
use super::report::Report;
use super::request::{Links, Mode, Request};
use super::source::{Opened, is_same_file};
use super::trouble::{Kind, Trouble};

/// Where the file of this name goes: there, or into the folder that is asked for.
pub(super) fn placed(path: PathBuf, request: &Request) -> Result<PathBuf, Trouble> {
    let Some(folder) = &request.folder else {
        return Ok(path);
    };
    if !folder.mirror {
        return Ok(folder.path.join(path.file_name().unwrap_or_default()));
    }
    let mut inside = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => inside.push(part),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
            Component::ParentDir => {
                let what = "has no place in another folder, because its path goes up; name it from there";
                return Err(Kind::Failed(what.into()).into());
            }
        }
    }
    let placed = folder.path.join(inside);
    make_folders(&placed)?;
    Ok(placed)
}

/// Makes the folders on the way to a file, if they are not there.
pub(super) fn make_folders(path: &Path) -> Result<(), Trouble> {
    let parent = folder_of(path);
    fs::create_dir_all(parent)
        .map_err(|error| Trouble::cannot("make the folder")(error).about(parent.display()))
}

/// Where output goes.
#[derive(Debug)]
pub(super) enum Destination {
    /// Standard output, or a pipe or device that has a name.
    Open(File, String),
    /// A file that gets its name when it is complete.
    File(Box<NewFile>),
    /// Nowhere.
    Nothing,
}

/// A file that gets its name when it is complete, or one that is there and is written in place.
#[derive(Debug)]
pub(super) struct NewFile {
    partial: Partial,
    path: PathBuf,
    /// What has the name now.
    replaces: Option<Metadata>,
    /// Whether it may be replaced, now or when it turns up meanwhile.
    overwrite: bool,
    /// What it takes over of the mode of the file that it is made of.
    rights: u32,
}

impl Destination {
    pub(super) fn stdout(request: &Request) -> Result<Self, Trouble> {
        let cannot = |error| Trouble::cannot("open")(error).about("stdout");
        inherited::check(Stream::Output).map_err(cannot)?;
        let file = File::from(io::stdout().as_fd().try_clone_to_owned().map_err(cannot)?);
        Self::open(file, "stdout".into(), request)
    }

    fn open(file: File, name: String, request: &Request) -> Result<Self, Trouble> {
        if request.mode == Mode::Compress && !request.force && file.is_terminal() {
            return Err(Trouble::from(Kind::TerminalOutput).about(name));
        }
        Ok(Self::Open(file, name))
    }

    /// What `-o` names: a new file, or a pipe or device that is there. `source` is the file that it is
    /// made of, if there is only one.
    pub(super) fn named(
        path: &Path,
        source: Option<&Metadata>,
        request: &Request,
        report: &Report,
        partials: &Partials,
    ) -> Result<Self, Trouble> {
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
                let cannot = |error| Trouble::cannot("open")(error).about(path.display());
                let file = File::options().write(true).open(path).map_err(cannot)?;
                Self::open(file, path.display().to_string(), request)
            }
            _ => NewFile::create(path.to_owned(), source, request, report, partials)
                .map(Box::new)
                .map(Self::File),
        }
    }

    /// The file beside `source`.
    pub(super) fn beside(
        path: PathBuf,
        source: &Metadata,
        request: &Request,
        report: &Report,
        partials: &Partials,
    ) -> Result<Self, Trouble> {
        NewFile::create(path, Some(source), request, report, partials).map(Box::new).map(Self::File)
    }

    /// How messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Open(_, name) => name.clone(),
            Self::File(file) => file.path.display().to_string(),
            Self::Nothing => "nowhere".into(),
        }
    }

    /// The name that it will have, if it is a file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(&file.path),
            Self::Open(..) | Self::Nothing => None,
        }
    }

    /// Whether it is a file.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Whether it is a file that is written in place.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self, Self::File(file) if file.partial.is_in_place())
    }

    /// Says that the writing begins: what a file that is written in place held is gone.
    pub(super) fn begin(&self) -> Result<(), Trouble> {
        let Self::File(file) = self else { return Ok(()) };
        file.partial.begin().map_err(|error| Trouble::cannot("empty")(error).about(self.name()))
    }

    /// Gives the output up. A file that is written in place is emptied, and the user is told.
    pub(super) fn give_up(self, report: &mut Report) {
        if let Self::File(file) = &self
            && file.partial.has_begun_in_place()
        {
            Trouble::from(Kind::Emptied).about(self.name()).tell("output", report);
        }
    }

    /// The file to write to; none if the data goes nowhere.
    pub(super) fn file(&self) -> Option<&File> {
        match self {
            Self::Open(file, _) => Some(file),
            Self::File(file) => Some(file.partial.file()),
            Self::Nothing => None,
        }
    }

    /// For the library.
    pub(super) fn output(&self) -> io::Result<Output<'_>> {
        match self {
            Self::Open(file, _) => Output::from_file(file),
            Self::File(file) => Output::from_file(file.partial.file()),
            Self::Nothing => Ok(Output::Nothing),
        }
    }

    /// Refuses to write over what is being read.
    pub(super) fn check(&self, source: &Opened) -> Result<(), Trouble> {
        let there = match self {
            Self::Open(file, _) => file.metadata().ok(),
            Self::File(file) => file.replaces.clone(),
            Self::Nothing => None,
        };
        match there {
            Some(there) if is_same_file(&source.metadata, &there) => Err(Kind::SameFile.into()),
            _ => Ok(()),
        }
    }

    /// Completes the output: like `source` in mode, owner and times, if it is made of one file, but
    /// `modified` if that is known better; and on disk for good if `safe`.
    pub(super) fn complete(
        self,
        source: Option<&Metadata>,
        modified: Option<SystemTime>,
        safe: bool,
    ) -> Result<(), Trouble> {
        match self {
            Self::File(file) => file.complete(source, modified, safe),
            Self::Open(..) | Self::Nothing => Ok(()),
        }
    }
}

impl NewFile {
    fn create(
        path: PathBuf,
        source: Option<&Metadata>,
        request: &Request,
        report: &Report,
        partials: &Partials,
    ) -> Result<Self, Trouble> {
        let replaces = fs::metadata(&path).ok();
        if let (Some(there), Some(source)) = (&replaces, source)
            && is_same_file(source, there)
        {
            return Err(Trouble::from(Kind::SameFile).about(path.display()));
        }
        let is_there = fs::symlink_metadata(&path).is_ok();
        if is_there && !request.force {
            may_overwrite(&path, request, report)?;
        }
        if replaces.as_ref().is_some_and(|there| !there.is_file()) {
            return Err(Trouble::from(Kind::OutputNotRegular).about(path.display()));
        }
        let follows = match request.links {
            Links::Follow | Links::WriteInto => true,
            Links::ReplaceUnlessDangling => replaces.is_none(),
            Links::Replace => false,
        };
        let path = if follows { end_of_links(path) } else { path };
        // What is made of one file gets that file's rights in the end, and nobody else's until then.
        let mode = if source.is_some() { 0o600 } else { 0o666 };
        let has_other_names = replaces.as_ref().is_some_and(|there| there.nlink() > 1);
        let partial = match has_other_names && request.links == Links::WriteInto {
            true => in_place(&path, partials)?,
            false => match partials.create(folder_of(&path), mode) {
                // The file can be written even where none can be made beside it.
                Err(error) if replaces.is_some() && forbids_new_files(&error) => in_place(&path, partials)?,
                Err(error) => {
                    let folder = folder_of(&path).display();
                    return Err(Trouble::cannot("create a file there")(error).about(folder));
                }
                Ok(partial) => partial,
            },
        };
        let rights = if request.sticky { 0o1777 } else { 0o777 };
        Ok(Self { partial, path, replaces, overwrite: is_there || request.force, rights })
    }

    fn complete(
        self,
        source: Option<&Metadata>,
        modified: Option<SystemTime>,
        safe: bool,
    ) -> Result<(), Trouble> {
        let Self { partial, path, overwrite, rights, .. } = self;
        let what =
            if partial.is_in_place() { "complete the file, which was emptied" } else { "complete the file" };
        let cannot = |error| Trouble::cannot(what)(error).about(path.display());
        if let Some(source) = source.filter(|source| source.is_file()) {
            resemble(partial.file(), source, rights);
        }
        if let Some(modified) = modified {
            // As with what else the file is like: what the file system refuses is no loss.
            let _ = partial.file().set_modified(modified);
        }
        if safe {
            partial.file().sync_all().map_err(cannot)?;
        }
        match partial.persist(&path, overwrite) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(Trouble::from(Kind::Exists).about(path.display()));
            }
            persisted => persisted.map_err(cannot)?,
        }
        if safe {
            let synced = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
            synced.map_err(cannot)?;
        }
        Ok(())
    }
}

/// Opens a file that is there, to be written in place.
fn in_place(path: &Path, partials: &Partials) -> Result<Partial, Trouble> {
    let cannot = |error| Trouble::cannot("open for writing")(error).about(path.display());
    partials.open_in_place(path).map_err(cannot)
}

/// Whether the system allows no new file in a folder, though it may allow writing to those that are there.
fn forbids_new_files(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// The file that a name leads to by symbolic links, whether it is there or not.
fn end_of_links(path: PathBuf) -> PathBuf {
    /// As many as Linux follows.
    const LINKS_MAX: usize = 40;
    let mut end = path.clone();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&end) {
            Ok(target) => end = folder_of(&end).join(target),
            Err(_) => return end,
        }
    }
    path
}

/// Asks whether to overwrite the file, if that is wanted and somebody is there to answer.
fn may_overwrite(path: &Path, request: &Request, report: &Report) -> Result<(), Trouble> {
    let kind = match report.may_overwrite(path, request.ask) {
        Some(true) => return Ok(()),
        Some(false) => Kind::Refused,
        None => Kind::Exists,
    };
    Err(Trouble::from(kind).about(path.display()))
}

/// The folder that a file of this name is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Gives `file` the owner, times and these bits of the mode of another, as far as the file system has them: what it
/// refuses leaves the file more private, never less.
fn resemble(file: &File, like: &Metadata, rights: u32) {
    // Only root may give files away; others may at least give them to groups they are in. Rights are
    // for the group they were meant for; special ones are for that one file.
    let _ = fchown(file, Some(like.uid()), None);
    let mode = match fchown(file, None, Some(like.gid())) {
        Ok(()) => like.mode() & rights,
        Err(_) => {
            let others = like.mode() & 0o007;
            like.mode() & rights & !0o070 | like.mode() & 0o070 & others << 3
        }
    };
    let _ = file.set_permissions(Permissions::from_mode(mode));
    if let (Ok(accessed), Ok(modified)) = (like.accessed(), like.modified()) {
        let _ = file.set_times(fs::FileTimes::new().set_accessed(accessed).set_modified(modified));
    }
}
