//! The messages of igzip, word for word where the original has them.
//!
//! `message` words an error, and `done` a finished stream. A message about damaged data also says what is wrong and at
//! which offset, which the original does not.

use std::io::ErrorKind;

use pzcomp::Error;

use super::super::{Done, Message, Messages, OWN, Program, Refusal, defaults, refusal, system_text};
use super::Igzip;
use super::options::INTERFACE;
use crate::error::{CliError, Kind};
use crate::interface::Misuse;
use crate::tool::Name;

impl Messages for Igzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let what = match &failure.kind {
            Kind::Exists => format!("{name} already exists;       not overwritten"),
            Kind::UnknownSuffix => format!("{name}: unknown suffix -- ignored"),
            Kind::SameFile => "Error input and output file names must differ".into(),
            Kind::Cannot("open", cause) if cause.kind() == ErrorKind::NotFound => {
                format!("{name} does not exist")
            }
            Kind::Directory { .. } => format!("Error encountered while reading file {name}: is a directory"),
            Kind::Library(cause) | Kind::Discarded(cause, _) => data_error(name, cause),
            _ => return Message::error(defaults::message(program, name, failure).text),
        };
        Message::error(format!("{program}: {what}"))
    }

    /// igzip says nothing of bytes behind the last member, and takes no notice of them.
    fn done(&self, program: Program, done: &Done) -> Message {
        match done.summary.trailing.garbage {
            Some(_) => Message::NONE,
            None => defaults::done(program, done),
        }
    }

    /// igzip exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

fn data_error(name: &str, cause: &Error) -> String {
    match cause {
        Error::Read { source, .. } => {
            format!("Error encountered while reading file {name}: {}", system_text(source))
        }
        Error::Write { source, .. } => {
            format!("Error encountered while writing the output of {name}: {}", system_text(source))
        }
        Error::Empty | Error::NotCompressed { .. } => {
            format!("Error invalid gzip header found for file {name}")
        }
        Error::Truncated { .. } | Error::Unfinished { .. } => {
            format!("Error {name} does not contain a complete gzip file")
        }
        cause @ Error::Corrupt { .. } => {
            format!("Error encountered while decompressing file {name}: {cause}")
        }
        cause => format!("{name}: {cause}"),
    }
}

/// The text of `--version`. The original prints one line, which ends with its version.
pub(super) fn version(program: &str) -> String {
    format!("{program} command line interface 2.30.0\npzcomp {OWN}, which does what it does\n")
}

/// The refusal of a command line, with the help.
pub(super) fn misuse(called: &Name, misuse: Misuse) -> Refusal {
    let what = match misuse {
        Misuse::Short('4'..='9') => "invalid compression level".to_owned(),
        Misuse::Short(letter) | Misuse::ShortLacks(letter) => format!("invalid option -{letter}"),
        Misuse::Long(name) | Misuse::Ambiguous(name, _) => format!("invalid option --{name}"),
        other => other.to_string(),
    };
    refusal(called, format_args!("{what}\n{}", INTERFACE.help(called.program).trim_end()))
}
