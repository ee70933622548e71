//! Why an input was not dealt with, or not to the end.
//!
//! What happened is known here; in which words it is told, and how much it matters, is the dialect's:
//! gzip skips a symbolic link with an error where pzcomp does with a warning.

use std::ffi::OsString;
use std::fmt::Display;
use std::io;

/// Something that went wrong with an input or output.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) kind: Kind,
    /// What it is about, where that is not the input.
    pub(super) about: Option<String>,
    /// The first bytes of the frame that it is about, where they can be read again.
    pub(super) magic: Option<[u8; 4]>,
    /// The input was found on the way through a directory: it may well be none of our business.
    pub(super) found: bool,
    /// What follows would be in vain too: the output that all share takes no more, say.
    fatal: bool,
}

/// What happened.
#[derive(Debug)]
pub(super) enum Kind {
    /// The input is a symbolic link.
    Link,
    /// The input is a directory, or a link to one. It may be that it was to be read in any case: by force, or because
    /// nothing takes its place.
    Directory { is_link: bool, is_read: bool },
    /// The input is a device, a pipe or a socket.
    NotRegular,
    /// The input has several names, of which one would be removed.
    HardLinks(u64),
    /// The mode of the input says that it runs with its owner's rights.
    SetUserId,
    /// The mode of the input says that it runs with its group's rights.
    SetGroupId,
    /// The mode of the input has the sticky bit.
    Sticky,
    /// The input is the dictionary.
    Dictionary,
    /// The input is called as if it were compressed already, with this suffix.
    HasSuffix(OsString),
    /// The input is not called as if it were compressed.
    UnknownSuffix,
    /// The output is there already.
    Exists,
    /// The output is there already, and whoever was asked wants to keep it.
    Refused,
    /// The output is there, and no regular file.
    OutputNotRegular,
    /// The output is the input.
    SameFile,
    /// The input is kept because it is not what was read any more.
    Kept(String),
    /// The time of the input does not fit into the header of the output, which says nothing of it then.
    TimeOutOfRange,
    /// Compressed data would be read from a terminal.
    TerminalInput,
    /// Compressed data would be written to a terminal.
    TerminalOutput,
    /// The system refuses something: "cannot" do what, and why.
    Cannot(&'static str, io::Error),
    /// The library gave up.
    Coding(pzcomp::Error),
    /// The library gave up, and the output of this name that had been begun is discarded.
    Discarded(pzcomp::Error, String),
    /// The output was written in place, which failed.
    Emptied,
    /// The output would lack inputs that could not be had.
    Incomplete,
    /// Something else failed, in words that are no dialect's.
    Failed(String),
    /// Asked for what cannot be, whatever the input.
    Usage(String),
}

impl From<Kind> for Trouble {
    fn from(kind: Kind) -> Self {
        Self { kind, about: None, magic: None, found: false, fatal: false }
    }
}

impl Trouble {
    /// What [`io`] refuses, as in "cannot open".
    pub(super) fn cannot(what: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Kind::Cannot(what, error).into()
    }

    pub(super) fn about(self, name: impl Display) -> Self {
        Self { about: Some(name.to_string()), ..self }
    }

    /// Marks it as one of an input that was found in a directory, if it was.
    pub(super) fn of_found(self, found: bool) -> Self {
        Self { found, ..self }
    }

    pub(super) fn of_frame(self, magic: Option<[u8; 4]>) -> Self {
        Self { magic, ..self }
    }

    pub(super) fn fatal(self) -> Self {
        Self { fatal: true, ..self }
    }

    pub(super) fn is_fatal(&self) -> bool {
        self.fatal || matches!(self.kind, Kind::Usage(_))
    }
}
