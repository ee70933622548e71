//! The messages of bgzip, word for word where the original has them.
//!
//! `message` words an error, and `done` a finished stream. The name of the program stands in brackets.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::Path;

use pzcomp::Error;

use super::super::{Done, Message, Messages, Program, Refusal, defaults, system_text};
use super::Bgzip;
use super::options::INTERFACE;
use crate::error::{CREATE, CliError, Kind};
use crate::interface::Misuse;
use crate::request::Mode;
use crate::tool::Name;
use crate::tool::Status;

impl Messages for Bgzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let error = |what: &dyn Display| Message::error(format!("[{program}] {what}"));
        match &failure.kind {
            Kind::Exists => error(&format_args!("can't create {name}: File exists")),
            Kind::Refused => error(&format_args!("{name} was not overwritten")),
            Kind::UnknownSuffix => match name.rsplit_once('.') {
                Some((stem, suffix)) if !suffix.contains('/') => {
                    error(&format_args!("unknown extension .{suffix} -- declining to decompress to {stem}"))
                }
                _ => error(&format_args!("can't find an extension in {name} -- please rename")),
            },
            Kind::Cannot(CREATE, cause) => {
                error(&format_args!("can't create {name}: {}", system_text(cause)))
            }
            Kind::Cannot(_, cause) if cause.kind() == ErrorKind::NotFound => {
                error(&format_args!("{}: {name}", system_text(cause)))
            }
            Kind::Directory { .. } => error(&format_args!("Could not open {name}: Is a directory")),
            Kind::Cannot(_, cause) => error(&format_args!("Could not open {name}: {}", system_text(cause))),
            Kind::TerminalInput | Kind::TerminalOutput => {
                error(&"compressed data is neither read from nor written to a terminal; see -h")
            }
            Kind::Library(Error::NotCompressed { .. } | Error::Empty)
            | Kind::Discarded(Error::NotCompressed { .. } | Error::Empty, _) => match name {
                "stdin" => error(&"stdin is not compressed -- ignored"),
                name => error(&format_args!("{name}: not a compressed file -- ignored")),
            },
            Kind::Library(what) | Kind::Discarded(what, _) => error(&format_args!("{name}: {what}")),
            Kind::Failed(what) => error(&format_args!("{name}: {what}")),
            _ => {
                let plain = defaults::message(program, name, failure);
                Message::error(plain.text)
            }
        }
    }

    /// The message for a finished stream: a warning about zero bytes, because the format has none behind the last
    /// block.
    fn done(&self, program: Program, done: &Done) -> Message {
        let zeros = done.summary.trailing.zeros;
        if zeros == 0 {
            let is_read = done.request.mode() != Mode::Compress;
            return match done.summary.lacks_end && is_read {
                true => Message::fine(NO_END),
                false => Message::NONE,
            };
        }
        let text = format!("[{}] {}: {zeros} zero bytes behind the last block", program.name, done.name);
        Message::warning(text)
    }

    fn question(&self, program: Program, path: &Path) -> Option<String> {
        let path = path.display();
        Some(format!("[{program}] {path} already exists; do you wish to overwrite (y or n)? "))
    }

    /// bgzip exits with the same status for warnings and errors.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

const NO_END: &str = "[W::bgzf_read_block] EOF marker is absent. The input may be truncated";

pub(super) fn version(program: &str) -> String {
    format!("{program} (htslib) 1.16\npzcomp {}, which does what it does\n", env!("CARGO_PKG_VERSION"))
}

/// The refusal of a command line, followed by the help.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    Refusal { text: format!("{program}: {misuse}\n{}", INTERFACE.help(program).trim_end()), code: 1 }
}
