//! The messages of lz4, word for word, and the exit statuses that go with them.
//!
//! `message` words an error, `done` a finished stream, and `ending` gives the exit status of an error.

use std::path::Path;

use pzcomp::{Damage, Error};

use super::super::{Done, Ending, Message, Messages, OWN, Program, Refusal, defaults, system_text};
use super::Lz4;
use crate::error::{CliError, Kind};
use crate::interface::Misuse;
use crate::request::Mode;
use crate::tool::{Name, Status};

impl Messages for Lz4 {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        match &failure.kind {
            Kind::Directory { .. } => Message::error(format!("Error {READING} : Error reading {name} ")),
            Kind::Exists => Message::error(format!("{name} already exists; not overwritten")),
            Kind::Refused => Message::error("    not overwritten"),
            Kind::UnknownSuffix => Message::error(format!(
                "File extension doesn't match expected LZ4_EXTENSION (.lz4); will not process file: {name}"
            )),
            Kind::TerminalInput => Message::error("refusing to read from a console"),
            Kind::TerminalOutput => Message::error("refusing to write to console without -c"),
            Kind::Cannot(_, cause) => Message::error(format!("{name}: {}", system_text(cause))),
            Kind::Library(what) | Kind::Discarded(what, _) => library_error(program, name, what),
            _ => Message { status: Status::Error, ..defaults::message(program, name, failure) },
        }
    }

    /// The message for a finished stream: a warning about data behind the last frame, or the figures.
    fn done(&self, program: Program, done: &Done) -> Message {
        let Done { name, request, summary, .. } = *done;
        if summary.trailing.zeros > 0 {
            let behind = summary.coded_len.saturating_sub(summary.trailing.zeros);
            let text =
                format!("{}: {name}: Stream followed by undecodable data at position {behind}", program.name);
            return Message::warning(text);
        }
        let text = match (program.verbosity.verbose, request.mode()) {
            (0, _) => String::new(),
            (_, Mode::Compress) => {
                let (plain_len, coded_len) = (summary.plain_len, summary.coded_len);
                let ratio = 100.0 * coded_len as f64 / plain_len.max(1) as f64;
                format!("Compressed {plain_len} bytes into {coded_len} bytes ==> {ratio:.2}%")
            }
            _ => format!("{name:<20.20} : decoded {} bytes", summary.plain_len),
        };
        Message::fine(text)
    }

    fn question(&self, _: Program, path: &Path) -> Option<String> {
        Some(format!("{} already exists; do you want to overwrite (y/N) ? ", path.display()))
    }

    /// An error in the data ends lz4 with the number of the error, as of lz4 1.9. Other errors are counted.
    fn ending(&self, failure: &CliError, mode: Mode) -> Ending {
        let compresses = mode == Mode::Compress;
        let error = match &failure.kind {
            Kind::Directory { .. } => return Ending::Abort(READING),
            Kind::Library(error) | Kind::Discarded(error, _) => error,
            // The input that could not be read is counted already.
            Kind::Incomplete => return Ending::Usual,
            _ => return Ending::Counted,
        };
        Ending::Abort(match error {
            Error::Read { .. } if compresses => READING,
            Error::Read { .. } => 67,
            Error::Write { .. } if compresses => 42,
            Error::Write { .. } => 70,
            Error::NotCompressed { found, .. } | Error::TrailingGarbage { found, .. } if is_short(found) => {
                READING
            }
            Error::NotCompressed { .. } => 44,
            Error::Truncated { .. } if failure.magic == Some(LEGACY_MAGIC) => 53,
            Error::Corrupt { .. } if failure.magic == Some(LEGACY_MAGIC) => 54,
            Error::Truncated { .. } | Error::Unfinished { .. } => 68,
            Error::Corrupt { .. } | Error::Unsupported { .. } => 66,
            _ => return Ending::Counted,
        })
    }

    /// lz4 exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

pub(super) fn version() -> String {
    format!("*** LZ4 command line interface 64-bits v1.10.0, as pzcomp {OWN} does it ***\n")
}

/// The refusal of a command line.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    let text = match misuse {
        Misuse::Refused(..) => format!("{program}: {misuse}"),
        _ => format!("Incorrect parameters: {misuse}\nSee '{program} --help'"),
    };
    Refusal { text, code: 1 }
}

/// The refusal of a value.
pub(super) fn incorrect(called: &Name) -> Refusal {
    Refusal { text: format!("Incorrect parameters\nSee '{} --help'", called.program), code: 1 }
}

/// The exit status for a file that cannot be read, or that has less than four bytes.
const READING: u8 = 40;

/// The magic number of legacy frames. lz4 has a decoder of its own for them, with other error numbers.
const LEGACY_MAGIC: [u8; 4] = [0x02, 0x21, 0x4c, 0x18];

/// Whether `found` shows fewer bytes than a magic number has. Each byte is two digits, with a space between bytes.
fn is_short(found: &str) -> bool {
    found.len() < 4 * 3 - 1
}

/// The message for an error of the library.
fn library_error(program: Program, name: &str, what: &Error) -> Message {
    let what = match what {
        Error::Read { source, .. } | Error::Write { source, .. } => system_text(source),
        Error::NotCompressed { .. } => "Unrecognized header : file cannot be decoded".into(),
        Error::TrailingGarbage { offset, .. } => {
            format!("Stream followed by undecodable data at position {offset}")
        }
        Error::Truncated { .. } | Error::Unfinished { .. } => "Unfinished stream".into(),
        Error::Corrupt { damage: Damage::Check | Damage::Both, .. } => {
            "Decompression error : ERROR_contentChecksum_invalid".into()
        }
        other => other.to_string(),
    };
    Message::error(format!("{program}: {name}: {what}"))
}
