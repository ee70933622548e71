//! What bgzip says.

use std::fmt::Display;
use std::io::ErrorKind;

use pzcomp::Error;

use super::super::super::interface::Misuse;
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, Refusal, Speaker, Verdict, plain, system};
use super::options::INTERFACE;

pub(super) fn version(program: &str) -> String {
    format!("{program} (htslib) 1.16\npzcomp {}, which does what it does\n", env!("CARGO_PKG_VERSION"))
}

/// A command line that is not understood.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    Refusal { text: format!("{program}: {misuse}\n{}", INTERFACE.help(program).trim_end()), code: 1 }
}

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let program = speaker.program;
    let says = |what: &dyn Display| Verdict { status: Status::Error, text: format!("[{program}] {what}") };
    match &trouble.kind {
        Kind::Exists => says(&format_args!("can't create {name}: File exists")),
        Kind::Refused => says(&format_args!("{name} was not overwritten")),
        Kind::UnknownSuffix => match name.rsplit_once('.') {
            Some((stem, suffix)) if !suffix.contains('/') => {
                says(&format_args!("unknown extension .{suffix} -- declining to decompress to {stem}"))
            }
            _ => says(&format_args!("can't find an extension in {name} -- please rename")),
        },
        Kind::Cannot(_, cause) if cause.kind() == ErrorKind::NotFound => {
            says(&format_args!("{}: {name}", system(cause)))
        }
        Kind::Directory { .. } => says(&format_args!("Could not open {name}: Is a directory")),
        Kind::Cannot(_, cause) => says(&format_args!("Could not open {name}: {}", system(cause))),
        Kind::TerminalInput | Kind::TerminalOutput => {
            says(&"compressed data is neither read from nor written to a terminal; see -h")
        }
        Kind::Coding(Error::NotCompressed { .. } | Error::Empty)
        | Kind::Discarded(Error::NotCompressed { .. } | Error::Empty, _) => match name {
            "stdin" => says(&"stdin is not compressed -- ignored"),
            name => says(&format_args!("{name}: not a compressed file -- ignored")),
        },
        Kind::Coding(what) | Kind::Discarded(what, _) => says(&format_args!("{name}: {what}")),
        Kind::Failed(what) => says(&format_args!("{name}: {what}")),
        _ => {
            let plain = plain::verdict(speaker, name, trouble);
            Verdict { status: Status::Error, text: plain.text }
        }
    }
}

/// Zeros behind the last block are no part of the format.
pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let zeros = done.summary.trailing.zeros;
    if zeros == 0 {
        return Verdict { status: Status::Fine, text: String::new() };
    }
    let text = format!("[{}] {}: {zeros} zero bytes behind the last block", speaker.program, done.name);
    Verdict { status: Status::Warning, text }
}
