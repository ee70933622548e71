//! Inputs: which there are, and which are left alone.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use pzcomp::Error;
use rustix::fs::Mode as Permissions;

use super::inherited::{self, Stream};
use super::report::Report;
use super::request::{Mode, Request, Shared, Source, Target};
use super::suffix::{plain_path, suffix_of};
use super::trouble::{Kind, Trouble};

/// An input that was named, or found in a directory that was.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) source: Source,
    /// Found in a directory: it may well be none of our business.
    pub(super) found: bool,
}

/// The inputs of a request, in order, directories opened up on the way.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The next one is the last.
    waiting: Vec<Candidate>,
    recursive: bool,
}

impl Candidates {
    pub(super) fn new(request: &Request) -> Self {
        let named = request.sources.iter().rev().map(|source| Candidate::named(source.clone()));
        Self { waiting: named.collect(), recursive: request.recursive }
    }

    /// The next input; directories that cannot be read are reported.
    pub(super) fn next(&mut self, report: &mut Report) -> Option<Candidate> {
        loop {
            let candidate = self.waiting.pop()?;
            match &candidate.source {
                Source::Path(path) if self.recursive && is_directory(path) => match entries(path) {
                    Ok(names) => {
                        let found = names.into_iter().rev().map(|name| path.join(name));
                        self.waiting
                            .extend(found.map(|path| Candidate { source: Source::Path(path), found: true }));
                    }
                    Err(error) => {
                        report.error(path.display(), format_args!("cannot read the directory: {error}"))
                    }
                },
                _ => return Some(candidate),
            }
        }
    }
}

/// Whether it is a directory itself, not a link to one: links could lead in circles.
fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// What is in a directory, sorted, so that a run can be repeated.
fn entries(path: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<Vec<_>, _>>()?;
    names.sort();
    Ok(names)
}

/// An input, open.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    /// As it was when it was opened.
    pub(super) metadata: Metadata,
    /// Nothing for standard input.
    pub(super) path: Option<PathBuf>,
}

impl Candidate {
    fn named(source: Source) -> Self {
        Self { source, found: false }
    }

    /// Opens the input, unless the request leaves such ones alone.
    pub(super) fn open(&self, request: &Request) -> Result<Opened, Trouble> {
        match &self.source {
            Source::Stdin => open_stdin(request),
            Source::Path(path) => {
                let path = &existing(path, request);
                let about = |trouble: Trouble| trouble.of_found(self.found).about(path.display());
                self.check(path, request).map_err(about)?;
                let cannot = Trouble::cannot("open");
                let file = File::open(path).map_err(cannot)?;
                let metadata = file.metadata().map_err(cannot)?;
                Ok(Opened { file, metadata, path: Some(path.to_owned()) })
            }
        }
    }

    fn check(&self, path: &Path, request: &Request) -> Result<(), Trouble> {
        let cannot = Trouble::cannot("open");
        // Where a file takes the place of another, what is not an ordinary file is left alone.
        let in_place =
            request.target == Target::Beside && matches!(request.mode, Mode::Compress | Mode::Decompress);
        let is_link = fs::symlink_metadata(path).map_err(cannot)?.is_symlink();
        if is_link && (self.found || in_place && !request.force && !request.follow) {
            return Err(Kind::Link.into());
        }
        let metadata = fs::metadata(path).map_err(cannot)?;
        if metadata.is_dir() {
            return Err(Kind::Directory { is_link, is_read: !in_place || request.force }.into());
        }
        if !metadata.is_file() && (self.found || in_place) {
            return Err(Kind::NotRegular.into());
        }
        if in_place && request.wary {
            check_mode(metadata.mode(), request.force)?;
        }
        let is_shared = metadata.nlink() > 1 && !request.force && request.shared == Shared::Skipped;
        if in_place && (request.remove || request.wary) && is_shared {
            return Err(Kind::HardLinks(metadata.nlink()).into());
        }
        let compresses = request.mode == Mode::Compress;
        let is_dictionary = request.dictionary.as_ref().is_some_and(|file| is_same_file(file, &metadata));
        if compresses && is_dictionary {
            return Err(Kind::Dictionary.into());
        }
        if compresses
            && (in_place || request.suffixes.everywhere)
            && (!request.force || request.suffixes.strict)
            && !request.suffixes.again
            && let Some(suffix) = suffix_of(path, request)
        {
            return Err(Kind::HasSuffix(suffix).into());
        }
        if !compresses && self.found && plain_path(path, request).is_none() {
            return Err(Kind::UnknownSuffix.into());
        }
        Ok(())
    }
}

/// The file of this name; of coded files that are not there and lack a suffix, the first that is with one. A link that
/// leads nowhere is there only where links are looked at, because a file is to take the place of another.
fn existing(path: &Path, request: &Request) -> PathBuf {
    let minds_links = request.target == Target::Beside && request.mode == Mode::Decompress && !request.force;
    let is_there = |path: &Path| match minds_links {
        true => fs::symlink_metadata(path).is_ok(),
        false => fs::metadata(path).is_ok(),
    };
    let is_coded = plain_path(path, request).is_some();
    if request.mode != Mode::Compress && !is_coded && !is_there(path) {
        let own = request.suffixes.own.as_deref();
        let tried = own.into_iter().chain(request.suffixes.tried.iter().map(OsStr::new));
        let mut names = tried.map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        });
        // What is not there is missed by the first of these names.
        let first = names.next();
        return match first.iter().find(|first| is_there(first)) {
            Some(first) => first.clone(),
            None => names.find(|name| is_there(name)).or(first).unwrap_or_else(|| path.to_owned()),
        };
    }
    path.to_owned()
}

/// Leaves files alone that are something special: a compressed copy would not be.
fn check_mode(mode: u32, force: bool) -> Result<(), Trouble> {
    let mode = Permissions::from_raw_mode(mode);
    let kind = if mode.contains(Permissions::SUID) {
        Kind::SetUserId
    } else if mode.contains(Permissions::SGID) {
        Kind::SetGroupId
    } else if mode.contains(Permissions::SVTX) && !force {
        Kind::Sticky
    } else {
        return Ok(());
    };
    Err(kind.into())
}

pub(super) fn open_stdin(request: &Request) -> Result<Opened, Trouble> {
    let cannot = Trouble::cannot("open");
    inherited::check(Stream::Input).map_err(cannot)?;
    let file = File::from(std::io::stdin().as_fd().try_clone_to_owned().map_err(cannot)?);
    if request.mode != Mode::Compress && !request.force && file.is_terminal() {
        return Err(Kind::TerminalInput.into());
    }
    let metadata = file.metadata().map_err(cannot)?;
    Ok(Opened { file, metadata, path: None })
}

impl Opened {
    /// What it was opened from.
    pub(super) fn source(&self) -> Source {
        self.path.as_ref().map_or(Source::Stdin, |path| Source::Path(path.clone()))
    }

    /// How messages call it.
    pub(super) fn name(&self) -> String {
        self.source().name()
    }

    /// The first bytes of the frame that an error is about, if the input is a file.
    pub(super) fn magic_of(&self, error: &Error) -> Option<[u8; 4]> {
        let (Error::Truncated { frame: at, .. } | Error::Corrupt { offset: at, .. }) = error else {
            return None;
        };
        let mut magic = [0; 4];
        let read = self.metadata.is_file().then(|| self.file.read_exact_at(&mut magic, *at).ok()).flatten();
        read.map(|()| magic)
    }

    /// Removes the file, if it is still what was read. Its output must be safe.
    pub(super) fn remove(self, request: &Request) -> Result<(), Trouble> {
        let Some(path) = self.path else { return Ok(()) };
        let links = self.metadata.nlink();
        if links > 1 && request.shared == Shared::Kept && !request.force {
            return Err(Trouble::from(Kind::HardLinks(links)).about(path.display()));
        }
        let kept = |what: &str| Trouble::from(Kind::Kept(what.into())).about(path.display());
        let now = self.file.metadata().map_err(|error| kept(&error.to_string()))?;
        if now.len() != self.metadata.len() || now.modified().ok() != self.metadata.modified().ok() {
            return Err(kept("was changed while it was read"));
        }
        if !fs::metadata(&path).is_ok_and(|there| is_same_file(&there, &self.metadata)) {
            return Err(kept("has become another file"));
        }
        fs::remove_file(&path).map_err(|error| Trouble::cannot("remove")(error).about(path.display()))
    }
}

/// Whether these are of one regular file.
pub(super) fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    one.is_file() && other.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino())
}
