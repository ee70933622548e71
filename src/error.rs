//! Why an input was not processed, or not to its end.
//!
//! [`CliError`] says what happened, and to which file. `source`, `target`, `work` and others make it. A dialect turns
//! it into a message and decides how severe it is: for a symbolic link gzip prints an error, and pzcomp a warning. So
//! no text of a message is here, except in [`Kind::Failed`] and [`Kind::Usage`].

use std::ffi::OsString;
use std::fmt::Display;
use std::io;

/// What cannot be done if no new file can be made at the path of an output: the text of a [`Kind::Cannot`], by which
/// dialects know this error.
pub(super) const CREATE: &str = "create a file in its folder";

/// What cannot be done if a program does not start: the text of a [`Kind::Cannot`] too.
pub(super) const RUN: &str = "run";

/// An error or a warning that concerns an input or an output.
#[derive(Debug)]
pub(super) struct CliError {
    pub(super) kind: Kind,
    /// The name of the file that it concerns, if that is not the input.
    pub(super) about: Option<String>,
    /// The first bytes of the frame that it concerns, if the input is a file.
    pub(super) magic: Option<[u8; 4]>,
    /// The input was not named but found in a directory. Dialects print less about such inputs.
    pub(super) found: bool,
    /// No other input can succeed either. For example, the output that all inputs share cannot be written.
    fatal: bool,
}

/// What happened.
#[derive(Debug)]
pub(super) enum Kind {
    /// The input is a symbolic link.
    Link,
    /// The input is a directory, or a symbolic link to one. `is_read` says that the original would try to read it:
    /// because of force, or because no output takes its place.
    Directory { is_link: bool, is_read: bool },
    /// The input is a device, a pipe or a socket.
    NotRegular,
    /// The input has this number of names, and removing it would remove only one of them.
    HardLinks(u64),
    /// The input has the set-user-ID bit.
    SetUserId,
    /// The input has the set-group-ID bit.
    SetGroupId,
    /// The input has the sticky bit.
    Sticky,
    /// The input is the file of the dictionary.
    Dictionary,
    /// The name of the input has this suffix of compressed files already.
    HasSuffix(OsString),
    /// The name of the input has no known suffix of compressed files.
    UnknownSuffix,
    /// The output exists.
    Exists,
    /// The output exists, and the user answered that it is not to be overwritten.
    Refused,
    /// The output exists and is not a regular file.
    OutputNotRegular,
    /// The output is the same file as the input.
    SameFile,
    /// The input is not removed, because it has changed since it was read. The value says how.
    Kept(String),
    /// The time of the input does not fit into the header of the output. No time is stored.
    TimeOutOfRange,
    /// Compressed data would be read from a terminal.
    TerminalInput,
    /// Compressed data would be written to a terminal.
    TerminalOutput,
    /// The system refuses an operation. The text follows "cannot", and the error says why.
    Cannot(&'static str, io::Error),
    /// The library reports an error.
    Library(pzcomp::Error),
    /// The library reports an error. The output of this name was begun and is discarded.
    Discarded(pzcomp::Error, String),
    /// The output was written in place, and that failed. The file is empty now.
    Emptied,
    /// The output is not made, because some of its inputs could not be read.
    Incomplete,
    /// Something else failed. All dialects print this text.
    Failed(String),
    /// The command asks for something that is impossible for any input. The text says what.
    Usage(String),
}

/// The text of a system error without its number.
pub(super) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((what, _)) => what.into(),
        None => text,
    }
}

/// How an xbstream begins, in hexadecimal.
const XBSTREAM: &str = "58 42 53 54 43 4b";

/// The sentence for an error of the library, with the cause, and with what a user of the command can do.
pub(super) fn sentence(error: &pzcomp::Error) -> String {
    use pzcomp::Error;
    match error {
        // The input is what another reader of the library has decompressed.
        Error::Read { source, .. } if let Some(inner) = Error::of(source) => sentence(inner),
        Error::NotCompressed { found, .. } if found.starts_with(XBSTREAM) => {
            "is an xbstream, and not compressed as a whole; -d, -t and -l read its members with --xbstream"
                .into()
        }
        Error::Read { offset, source } => {
            format!(
                "cannot read at offset {offset}: {}; check the disk or the connection",
                system_text(source)
            )
        }
        Error::Write { source, .. } => format!("{error}: {}", system_text(source)),
        Error::Threads { source, .. } => {
            format!("cannot start a thread that is needed: {}; {}", system_text(source), system::child::MORE)
        }
        Error::NoMemory { what, .. } => {
            format!("cannot get memory for {what}; use fewer threads (-p) or free memory")
        }
        Error::Memory { needed, .. } => format!("{error}; allow more with -M {needed}"),
        Error::BlockSize { .. } => format!("{error} (option -b)"),
        Error::Level { format, level, lowest, highest, .. } if *lowest < 0 => {
            let fast = lowest.unsigned_abs();
            format!("{format} has no level {level}; it has 1 to {highest}, and --fast=1 to --fast={fast}")
        }
        Error::NotCompressed { found, .. } => match legacy_zstd(found) {
            Some(what) => format!("{error}; {what}"),
            None => format!("{error}; pzcomp(1) lists the formats"),
        },
        Error::Dictionary { .. } => {
            format!("{error}; decompress it with: pzcomp -d -D DICTIONARY FILE")
        }
        Error::Index { what, .. } => {
            format!("cannot use the index: {what}; make it again with pzcomp -f --index, or remove it")
        }
        Error::Corrupt { format: "BGZF", .. } => {
            error.to_string().replace("make the .gzi again", "make the .gzi again with bgzip -r")
        }
        Error::Internal(_) => format!("{error} with the command line used"),
        _ => error.to_string(),
    }
}

/// What bytes are, in hexadecimal, that begin a frame of a zstd older than 0.8.
pub(super) fn legacy_zstd(found: &str) -> Option<&'static str> {
    let (number, rest) = found.split_at_checked(2)?;
    let is_old = matches!(number, "1e" | "22" | "23" | "24" | "25" | "26" | "27");
    (is_old && rest.starts_with(" b5 2f fd")).then_some(
        "it begins a frame of zstd 0.1 to 0.7, of 2015 or 2016; zstd 1.5 reads those from 0.5 on: zstd -d FILE",
    )
}

impl From<Kind> for CliError {
    fn from(kind: Kind) -> Self {
        Self { kind, about: None, magic: None, found: false, fatal: false }
    }
}

impl CliError {
    /// Returns a function that turns a system error into a [`Kind::Cannot`]. `what` is a verb with its object, as
    /// "open".
    pub(super) fn cannot(what: &'static str) -> impl Fn(io::Error) -> Self + Copy {
        move |error| Kind::Cannot(what, error).into()
    }

    /// Sets the name of the file that it concerns.
    pub(super) fn about(self, name: impl Display) -> Self {
        Self { about: Some(name.to_string()), ..self }
    }

    /// Says whether the input was found in a directory.
    pub(super) fn with_found(self, found: bool) -> Self {
        Self { found, ..self }
    }

    /// Sets the first bytes of the frame that it concerns.
    pub(super) fn with_magic(self, magic: Option<[u8; 4]>) -> Self {
        Self { magic, ..self }
    }

    /// Says that no other input can succeed either.
    pub(super) fn fatal(self) -> Self {
        Self { fatal: true, ..self }
    }

    pub(super) fn is_fatal(&self) -> bool {
        self.fatal || matches!(self.kind, Kind::Usage(_))
    }
}
