//! Outputs: where they go, and how a file appears complete or not at all.
//!
//! `work` and `bench` make a [`Destination`], let the library write to it, and complete it or give it up. A file is
//! written under a temporary name and renamed when it is complete. It has its name from the beginning only if nothing
//! can be renamed in its folder. It is written in place only if it cannot be replaced, or if its other names are to
//! have the new content. An existing file is overwritten only by force or after the user has agreed.
//!
//! What stands for an open file, as `/dev/stdout`, is written as this file is open. No such name is replaced.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Seek, Write};
use std::path::{Component, Path, PathBuf, is_separator};
use std::time::SystemTime;

use pzcomp::{BlockingWriter, Error, Output, printable};

use super::error::{CREATE, CliError, Kind, system_text};
use super::pending::{Incomplete, PendingFile, PendingFiles};
use super::report::Report;
use super::request::{OutputLinks, Request, Sparse};
use super::side::end_of_links;
use super::source::{OpenInput, is_same_file};
use system::facts::{self, Facts};
use system::folder::{Folder, folder_of, is_a_folder};
use system::handle;
use system::sandbox;
use system::streams::{self, Stream};

/// The path of an output whose path beside its input is `path`: the same, or in the folder of the request. Makes the
/// folders that are needed. Fails if folders are mirrored and `path` goes up by `..`.
pub(super) fn place_in_folder(path: PathBuf, request: &Request) -> Result<PathBuf, CliError> {
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
                let what = "cannot be mirrored in the output folder, because its path has '..'; use a path without '..'";
                return Err(Kind::Failed(what.into()).into());
            }
        }
    }
    let placed = folder.path.join(inside);
    make_folders(&placed)?;
    Ok(placed)
}

/// Makes the missing folders on the way to a file.
pub(super) fn make_folders(path: &Path) -> Result<(), CliError> {
    if names_folder(path) {
        // The error comes when the file is to be made. No folder is made for it.
        return Ok(());
    }
    let parent = folder_of(path);
    fs::create_dir_all(parent)
        .map_err(|error| CliError::cannot("make the folder")(error).about(parent.display()))
}

/// An output that is open.
#[derive(Debug)]
#[must_use]
pub(super) enum Destination {
    /// Standard output, or an existing pipe or device; and its name in messages.
    Open(File, String),
    /// A file that gets its name when it is complete.
    File(Box<OutputFile>),
    /// The output is discarded.
    Nothing,
}

/// An output file that is not complete.
#[derive(Debug)]
#[must_use]
pub(super) struct OutputFile {
    pending: PendingFile,
    path: PathBuf,
    /// The name in its folder.
    name: OsString,
    /// The existing file at this path.
    replaces: Option<Facts>,
    /// Whether an existing file may be replaced, also one that appears while the output is written.
    overwrite: bool,
    /// The bits that it takes from the mode of the file that it is made of.
    rights: u32,
    /// It has its data and its attributes.
    is_ready: bool,
    /// What it replaces is behind a link, or is written into and has other names.
    is_linked: bool,
}

/// A file that has the data and the attributes of an output whose turn has not come, and the path that it is for.
#[derive(Debug)]
pub(super) struct ReadyFile {
    pending: PendingFile,
    path: PathBuf,
}

impl ReadyFile {
    /// Nothing if something has the path, or no file can be made. Its turn tells why.
    pub(super) fn new(
        path: PathBuf,
        bytes: &[u8],
        source: &Facts,
        request: &Request,
        pending_files: &PendingFiles,
    ) -> Option<Self> {
        let pending = pending_files.prepare(&path, bytes)?;
        source.give_to(pending.file(), rights(request));
        Some(Self { pending, path })
    }

    /// The file and its future name, if the path still leads to its folder.
    fn in_place(self, path: &Path) -> Option<(PendingFile, OsString)> {
        let name = path.file_name()?.to_owned();
        self.pending.is_in(folder_of(path)).then_some((self.pending, name))
    }
}

/// The bits that an output takes from the mode of its input.
fn rights(request: &Request) -> u32 {
    if request.rules.keep_sticky { 0o1777 } else { 0o777 }
}

impl Destination {
    /// Standard output. Fails if it is closed, or if compressed data would be written to a terminal.
    pub(super) fn stdout(request: &Request) -> Result<Self, CliError> {
        let cannot = |error| CliError::cannot("open")(error).about("stdout");
        let file = streams::copy(Stream::Output).map_err(cannot)?;
        Self::open(file, "stdout".into(), request)
    }

    fn open(file: File, name: String, request: &Request) -> Result<Self, CliError> {
        let may_show = request.rules.force || request.rules.to_terminal;
        if request.mode().writes_coded() && !may_show && file.is_terminal() {
            return Err(CliError::from(Kind::TerminalOutput).about(name));
        }
        Ok(Self::Open(file, name))
    }

    /// The output that `-o` names: a new file, an existing pipe or device, or a file that is open. `source` is the only
    /// input, if there is exactly one.
    pub(super) fn named(
        path: &Path,
        source: Option<&Facts>,
        request: &Request,
        report: &Report,
        pending_files: &PendingFiles,
    ) -> Result<Self, CliError> {
        match opened(path)? {
            Some(file) => Self::open(file, path.display().to_string(), request),
            None => Self::new_file(path.to_owned(), source, request, report, pending_files),
        }
    }

    /// A file beside the output, which replaces what has its name: a new file, an existing pipe or device, or a file
    /// that is open.
    pub(super) fn aside(path: &Path, pending_files: &PendingFiles) -> Result<Self, CliError> {
        if let Some(file) = opened(path)? {
            return Ok(Self::Open(file, path.display().to_string()));
        }
        let replaces = Facts::at(path).ok();
        let (path, _) = end_of_links(path.to_owned());
        let (pending, name) = pending(&path, replaces.is_some(), false, 0o666, pending_files)?;
        let file = OutputFile {
            pending,
            path,
            name,
            replaces,
            overwrite: true,
            rights: 0,
            is_ready: false,
            is_linked: false,
        };
        Ok(Self::File(Box::new(file)))
    }

    /// A file that gets its name when it is complete. `source` is the only input that it is made of, if there is
    /// exactly one. Fails if a file of that name exists and is not to be overwritten, or if no file can be made.
    pub(super) fn new_file(
        path: PathBuf,
        source: Option<&Facts>,
        request: &Request,
        report: &Report,
        pending_files: &PendingFiles,
    ) -> Result<Self, CliError> {
        Self::of_ready((path, None), source, request, report, pending_files)
    }

    /// The same. The data may be in a file.
    pub(super) fn of_ready(
        (path, ready): (PathBuf, Option<ReadyFile>),
        source: Option<&Facts>,
        request: &Request,
        report: &Report,
        pending_files: &PendingFiles,
    ) -> Result<Self, CliError> {
        if names_folder(&path) {
            return Err(CliError::cannot(CREATE)(is_a_folder()).about(path.display()));
        }
        let there = |found: io::Result<Facts>| match found {
            Ok(there) => Ok(Some(there)),
            // A temporary file could be made, and could not get this name.
            Err(error) if error.kind() == ErrorKind::InvalidFilename => {
                Err(CliError::cannot(CREATE)(error).about(path.display()))
            }
            Err(_) => Ok(None),
        };
        let own = there(Facts::of_link(&path))?;
        let is_link = own.as_ref().is_some_and(Facts::is_link);
        let replaces = if is_link { there(Facts::at(&path))? } else { own };
        if let (Some(there), Some(source)) = (&replaces, source)
            && is_same_file(source, there)
        {
            return Err(CliError::from(Kind::SameFile).about(path.display()));
        }
        let is_there = own.is_some();
        if is_there && !request.rules.force {
            may_overwrite(&path, request, report)?;
        }
        if replaces.as_ref().is_some_and(|there| !there.is_file()) {
            return Err(CliError::from(Kind::OutputNotRegular).about(path.display()));
        }
        let follows = match request.rules.links {
            _ if !is_link => false,
            OutputLinks::Follow | OutputLinks::WriteInto => true,
            OutputLinks::ReplaceUnlessDangling => replaces.is_none() || is_of_system(&path),
            OutputLinks::Replace => is_of_system(&path),
        };
        let path = if follows { end_of_links(path).0 } else { path };
        if let Some(there) = replaces.as_ref().filter(|_| follows || !is_link)
            && pending_files.inputs.have(there, request)
        {
            return Err(CliError::from(Kind::SameFile).about(path.display()));
        }
        // A file that is made of one input gets the rights of the input when it is complete. Until then nobody else
        // can read it.
        let mode = if source.is_some_and(Facts::is_file) { 0o600 } else { 0o666 };
        let writes_into = request.rules.links == OutputLinks::WriteInto
            && replaces.as_ref().is_some_and(|there| there.links() > 1);
        let ready = ready.filter(|ready| !is_there && ready.path == path);
        let (pending, name, is_ready) = match ready.and_then(|ready| ready.in_place(&path)) {
            Some((pending, name)) => (pending, name, true),
            None => {
                let (pending, name) = pending(&path, replaces.is_some(), writes_into, mode, pending_files)?;
                (pending, name, false)
            }
        };
        let (rights, overwrite) = (rights(request), is_there || request.rules.force);
        let is_linked = follows || writes_into;
        let file = OutputFile { pending, path, name, replaces, overwrite, rights, is_ready, is_linked };
        Ok(Self::File(Box::new(file)))
    }

    /// A file that replaces the one at `path` when it is complete. Until then the old file stays as it is. `path` is no
    /// symbolic link.
    pub(super) fn successor_of(path: PathBuf, pending_files: &PendingFiles) -> Result<Self, CliError> {
        let cannot = |error| CliError::cannot(CREATE)(error).about(path.display());
        let (folder, name) = Folder::of(&path).map_err(cannot)?;
        let Some(pending) = pending_files.create(&folder, 0o600).map_err(cannot)? else {
            let what = "cannot be replaced: no file can be renamed in its folder; name another file with -o";
            return Err(CliError::from(Kind::Failed(what.into())).about(path.display()));
        };
        let replaces = Facts::at(&path).ok();
        Ok(Self::File(Box::new(OutputFile {
            pending,
            path,
            name,
            replaces,
            overwrite: true,
            rights: 0o7777,
            is_ready: false,
            is_linked: false,
        })))
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Open(_, name) => name.clone(),
            Self::File(file) => printable(file.path.as_os_str().as_encoded_bytes()),
            Self::Nothing => "nowhere".into(),
        }
    }

    /// The file that is made, if the output is one.
    fn made(&self) -> Option<&OutputFile> {
        match self {
            Self::File(file) => Some(file),
            Self::Open(..) | Self::Nothing => None,
        }
    }

    /// The file that a new file replaces.
    pub(super) fn replaces(&self) -> Option<&Facts> {
        self.made()?.replaces.as_ref()
    }

    /// Whether the file that a new file replaces has another name too.
    pub(super) fn is_linked(&self) -> bool {
        self.made().is_some_and(|file| file.is_linked)
    }

    /// The final path, if it is a file.
    pub(super) fn path(&self) -> Option<&Path> {
        self.made().map(|file| &*file.path)
    }

    /// The folder of the file that is made.
    pub(super) fn folder(&self) -> Option<&Folder> {
        self.made().map(|file| file.pending.folder())
    }

    /// Whether it is a file.
    pub(super) fn is_file(&self) -> bool {
        self.made().is_some()
    }

    /// Whether zeros become holes.
    pub(super) fn is_sparse(&self, request: &Request) -> bool {
        match request.rules.sparse {
            Sparse::Never => false,
            Sparse::Files => self.is_file(),
            Sparse::Always => true,
        }
    }

    /// Whether it is a file that is written in place.
    pub(super) fn is_in_place(&self) -> bool {
        self.made().is_some_and(|file| file.pending.is_in_place())
    }

    /// Says that writing begins. A file that is written in place is emptied now.
    pub(super) fn begin(&self) -> Result<(), CliError> {
        let Some(file) = self.made() else { return Ok(()) };
        file.pending.begin().map_err(|error| CliError::cannot("empty")(error).about(self.name()))
    }

    /// Empties a new file, into which the output is written again.
    pub(super) fn begin_again(&self) -> Result<(), CliError> {
        let Some(mut file) = self.file() else { return Ok(()) };
        let emptied = file.set_len(0).and_then(|()| file.rewind());
        emptied.map_err(|error| CliError::cannot("empty")(error).about(self.name()))
    }

    /// Whether it is a file that has its name already.
    pub(super) fn has_name(&self) -> bool {
        self.made().is_some_and(|file| file.pending.has_name())
    }

    /// Discards the output. If an empty file stays, the user is told. Returns whether there is one.
    pub(super) fn discard(self, report: &mut Report) -> bool {
        let name = self.name();
        let is_emptied = match self {
            Self::File(file) => file.pending.give_up(),
            Self::Open(..) | Self::Nothing => false,
        };
        if is_emptied {
            CliError::from(Kind::Emptied).about(name).report("output", report);
        }
        is_emptied
    }

    /// The file to write to. Returns `None` if the output is discarded.
    pub(super) fn file(&self) -> Option<&File> {
        match self {
            Self::Open(file, _) => Some(file),
            Self::File(file) => Some(file.pending.file()),
            Self::Nothing => None,
        }
    }

    /// What the completion of a file that is made of this input needs in the sandbox.
    pub(super) fn left<'a>(&'a self, source: &'a OpenInput) -> Option<sandbox::Output<'a>> {
        let OutputFile { pending, name, overwrite, rights, .. } = self.made()?;
        let like = Some(&source.facts).filter(|there| source.path.is_some() && there.is_file());
        Some(pending.left((name, *overwrite), like.map(|like| (like, *rights))))
    }

    /// The output in the type that the library takes.
    pub(super) fn output(&self) -> io::Result<Output<'_>> {
        self.file().map_or(Ok(Output::Nothing), Output::from_file)
    }

    /// Fails if the output is the input.
    pub(super) fn check(&self, source: &OpenInput) -> Result<(), CliError> {
        let there = match self {
            Self::Open(file, _) => Facts::of(file).ok(),
            Self::File(file) => file.replaces,
            Self::Nothing => None,
        };
        match there {
            Some(there) if is_same_file(&source.facts, &there) => Err(Kind::SameFile.into()),
            _ => Ok(()),
        }
    }

    /// Writes these bytes.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<(), Error> {
        let (mut open, mut own);
        let (file, mut at): (&mut dyn Write, _) = match self {
            Self::Open(file, _) => {
                open = BlockingWriter::new(handle::of(file));
                (&mut open, 0)
            }
            Self::File(file) if file.is_ready => return Ok(()),
            Self::File(file) => {
                own = file.pending.file();
                (&mut own, 0)
            }
            Self::Nothing => return Ok(()),
        };
        while at < bytes.len() {
            match file.write(&bytes[at..]) {
                Ok(0) => return Err(Error::Write { offset: at as u64, source: ErrorKind::WriteZero.into() }),
                Ok(len) => at += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Write { offset: at as u64, source }),
            }
        }
        Ok(())
    }

    /// Writes all that this output has, and completes it. An error says that it was not possible to do `what`.
    pub(super) fn hold(self, what: &'static str, bytes: &[u8], safe: bool) -> Result<(), CliError> {
        self.begin()?;
        let written =
            self.file().map_or(Ok(()), |file| BlockingWriter::new(handle::of(file)).write_all(bytes));
        written.map_err(|error| CliError::cannot(what)(error).about(self.name()))?;
        self.complete(None, None, safe)
    }

    /// Has the system tell of all errors of what was written so far, which it may tell only now. If `safe` is set, the
    /// function waits until a file is on disk.
    pub(super) fn settle(&self, safe: bool) -> Result<(), CliError> {
        let (settled, what) = match self {
            Self::File(file) => (file.pending.settle(safe), file.what()),
            Self::Open(file, _) => (streams::settle(file), "complete the output"),
            Self::Nothing => return Ok(()),
        };
        settled.map_err(|error| CliError::cannot(what)(error).about(self.name()))
    }

    /// Completes the output. If it is made of one file `source`, it gets the mode, owner and times of that file;
    /// `modified` replaces the time. If `safe` is set, the function waits until the file is on disk.
    pub(super) fn complete(
        self,
        source: Option<&Facts>,
        modified: Option<SystemTime>,
        safe: bool,
    ) -> Result<(), CliError> {
        match self {
            Self::File(file) => file.complete(source, modified, safe),
            Self::Open(..) | Self::Nothing => self.settle(safe),
        }
    }
}

impl OutputFile {
    /// What cannot be done if the system tells of an error late.
    fn what(&self) -> &'static str {
        match self.pending.is_in_place() {
            true => "complete the file, which was emptied",
            false => "complete the file",
        }
    }

    fn complete(
        self,
        source: Option<&Facts>,
        modified: Option<SystemTime>,
        safe: bool,
    ) -> Result<(), CliError> {
        let what = self.what();
        let Self { pending, path, name, overwrite, rights, is_ready, .. } = self;
        // What came through a pipe cannot be had again.
        let is_sole = !source.is_some_and(Facts::is_file);
        if let Some(source) = source.filter(|source| source.is_file() && !is_ready) {
            source.give_to(pending.file(), rights);
        }
        if let Some(modified) = modified {
            // A file system may refuse to set times. The data is complete without them.
            let _ = pending.file().set_modified(modified);
        }
        let failure = match pending.complete(&name, overwrite, is_sole, safe) {
            Ok(()) => return Ok(()),
            Err(Incomplete::System(error)) => CliError::cannot(what)(error),
            Err(Incomplete::Taken) => Kind::Exists.into(),
            Err(Incomplete::Kept(error, kept)) => {
                let kept = folder_of(&path).join(kept);
                let what = format!(
                    "cannot get its name: {}; the file is complete, and is kept as {}",
                    system_text(&error),
                    printable(kept.as_os_str().as_encoded_bytes())
                );
                Kind::Failed(what).into()
            }
        };
        Err(failure.about(path.display()))
    }
}

/// Makes the file for an output at this path. Also returns its name in its folder. `is_there` says that a file of this
/// name is to be overwritten, and `writes_into` that it stays the same file.
fn pending(
    path: &Path,
    is_there: bool,
    writes_into: bool,
    mode: u32,
    pending_files: &PendingFiles,
) -> Result<(PendingFile, OsString), CliError> {
    let cannot = |error| CliError::cannot(CREATE)(error).about(path.display());
    let (folder, name) = Folder::of(path).map_err(cannot)?;
    let stays = is_there && (writes_into || folder.keeps(&name));
    let made = if stays { Ok(None) } else { pending_files.create(&folder, mode) };
    let pending = match made {
        Ok(Some(pending)) => pending,
        Ok(None) if !is_there => pending_files.make(&folder, &name, mode).map_err(cannot)?,
        // No new file can be made in this folder, so the existing file is written in place.
        Err(error) if !is_there || !forbids_new_files(&error) => return Err(cannot(error)),
        Ok(None) | Err(_) => pending_files
            .open_in_place(&folder, &name)
            .map_err(|error| CliError::cannot("open for writing")(error).about(path.display()))?,
    };
    Ok((pending, name))
}

/// Whether the error means that the folder takes no new files. Existing files in it may still be writable.
fn forbids_new_files(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// What is at this path and is not replaced: a file that the caller has opened, a pipe or a device.
fn opened(path: &Path) -> Result<Option<File>, CliError> {
    let cannot = |error| CliError::cannot("open")(error).about(path.display());
    if let (end, true) = end_of_links(path.to_owned()) {
        let folder = fs::canonicalize(folder_of(&end)).map_err(cannot)?;
        let number = end.file_name().and_then(|name| name.to_str()?.parse().ok());
        if let Some(number) = number.filter(|_| system::file::has_own_descriptors(&folder)) {
            return streams::descriptor(number).map(Some).map_err(cannot);
        }
    }
    match Facts::at(path) {
        Ok(there) if !matches!(there.kind(), facts::Kind::File | facts::Kind::Folder) => {
            File::options().write(true).open(path).map(Some).map_err(cannot)
        }
        _ => Ok(None),
    }
}

/// Whether the name at this path belongs to the system.
fn is_of_system(path: &Path) -> bool {
    fs::canonicalize(folder_of(path)).is_ok_and(|folder| system::file::is_of_system(&folder))
}

/// Asks whether to overwrite the file. Fails if the answer is no, or if the question is not to be asked.
fn may_overwrite(path: &Path, request: &Request, report: &Report) -> Result<(), CliError> {
    let kind = match report.may_overwrite(path, request.rules.ask) {
        Some(true) => return Ok(()),
        Some(false) => Kind::Refused,
        None => Kind::Exists,
    };
    Err(CliError::from(kind).about(path.display()))
}

/// Whether this path can only be that of a folder, because it ends with a separator.
fn names_folder(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&byte| is_separator(byte.into()))
}
