//! What bgzip says.

use std::fmt::Display;
use std::io::ErrorKind;

use pzcomp::Error;

use super::super::super::getopt::Misuse;
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, Refusal, Speaker, Verdict, plain, system};

pub(super) fn version(program: &str) -> String {
    format!("{program} (htslib) 1.16\npzcomp {}, which does what it does\n", env!("CARGO_PKG_VERSION"))
}

pub(super) fn help(program: &str) -> String {
    format!(
        "
Version: 1.16 (pzcomp {})
Usage:   {program} [OPTIONS] [FILE] ...
Options:
   -b, --offset INT           decompress from this plain byte on, by the index
   -c, --stdout               write to standard output, keep the files
   -d, --decompress           decompress
   -f, --force                overwrite files
   -h, --help                 this help
   -i, --index                compress, and make an index
   -I, --index-name FILE      name of the index [file.gz.gzi]
   -k, --keep                 keep the files
   -l, --compress-level INT   level: 0 to 9, or -1 for the default [-1]
   -o, --output FILE          write to FILE, keep the files
   -r, --reindex              make an index of a compressed file
   -s, --size INT             decompress so many plain bytes
   -t, --test                 test compressed files
       --binary               do not align blocks with lines; they never are
   -@, --threads INT          threads [the CPUs this process may use]
Not here: -g.
",
        env!("CARGO_PKG_VERSION")
    )
}

/// A command line that is not understood.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    Refusal { text: format!("{program}: {misuse}\n{}", help(program).trim_end()), code: 1 }
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
