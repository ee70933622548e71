//! The messages of tools whose own wording is not imitated, and of cases for which a tool has no wording of its own.
//!
//! Dialects call [`message`] and [`done`] for all cases that they do not word themselves. The texts begin with the
//! name of the program and the name of the file.

use pzcomp::Error;

use super::super::error::{CliError, Kind, sentence};
use super::super::request::Mode;
use super::{Done, Message, Program, Ratio, Status, system_text};

/// The text for a file that was written in place, which failed.
pub(in super::super) const EMPTIED: &str = "is empty now: it could only be written in place, and what was to be in it is not complete. Write to another file";

/// The message for an error.
pub(in super::super) fn message(program: Program, name: &str, failure: &CliError) -> Message {
    let warning = |what: &str| program.message(Status::Warning, name, what);
    let error = |what: &str| program.message(Status::Error, name, what);
    match &failure.kind {
        Kind::Link => warning("is a symbolic link, skipping"),
        Kind::Directory { .. } => warning("is a directory, skipping"),
        Kind::NotRegular => warning("not a regular file, skipping"),
        Kind::HardLinks(_) => warning("file has more than one hard link, skipping"),
        Kind::SetUserId | Kind::SetGroupId => warning("file has setuid or setgid bit set, skipping"),
        Kind::Dictionary => error("is the dictionary, so it cannot be an input"),
        Kind::Sticky => warning("file has sticky bit set, skipping"),
        Kind::HasSuffix(suffix) => {
            warning(&format!("file already has '{}' suffix, skipping", suffix.display()))
        }
        Kind::UnknownSuffix => warning("file name has an unknown suffix, skipping"),
        Kind::Exists => error("file exists"),
        Kind::Refused => error("file exists; not overwritten"),
        Kind::OutputNotRegular => error("exists and is not a regular file"),
        Kind::SameFile => error("input and output are the same file"),
        Kind::Kept(why) => warning(&format!("{why}; not removed")),
        Kind::TimeOutOfRange => warning("its time does not fit into the header"),
        Kind::TerminalInput => error("compressed data cannot be read from a terminal"),
        Kind::TerminalOutput => error("compressed data cannot be written to a terminal"),
        Kind::Cannot(_, cause) => error(&system_text(cause)),
        Kind::Library(Error::Read { source, .. } | Error::Write { source, .. }) => {
            error(&system_text(source))
        }
        Kind::Library(what) | Kind::Discarded(what, _) => error(&sentence(what)),
        Kind::Emptied => error(EMPTIED),
        Kind::Incomplete => error("was not made, because of the errors above"),
        Kind::Failed(what) => error(what),
        Kind::Usage(what) => Message::error(format!("{}: {what}", program.name)),
    }
}

/// The message for a finished stream: a warning about data behind the last frame, or with `-v` the sizes.
pub(in super::super) fn done(program: Program, done: &Done) -> Message {
    let &Done { name, request, summary, .. } = done;
    if let Some(offset) = summary.trailing.garbage {
        let what = format!("trailing garbage from offset {offset} on ignored");
        return program.message(Status::Warning, name, what);
    }
    if program.verbosity.verbose == 0 {
        return Message::NONE;
    }
    let what = match request.mode() {
        Mode::Test => "OK".into(),
        _ => {
            let ratio = Ratio { coded_len: summary.coded_len, plain_len: summary.plain_len };
            format!("{} / {} = {} %", summary.coded_len, summary.plain_len, ratio.percent())
        }
    };
    program.message(Status::Fine, name, what)
}
