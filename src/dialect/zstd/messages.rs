//! The messages of zstd, word for word, and the exit statuses that go with them.
//!
//! `message` words an error, `done` a finished stream, and the other functions word refused command lines.

use std::fmt::Display;
use std::path::Path;

use pzcomp::{Damage, Error};

use super::super::{Done, Ending, Message, Messages, OWN, Program, Refusal, defaults, refusal, system_text};
use super::Zstd;
use crate::error::{CREATE, CliError, Kind, legacy_zstd, sentence};
use crate::interface::Misuse;
use crate::request::Mode;
use crate::tool::{Name, Status};

impl Messages for Zstd {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let name = display_name(name);
        let what = match &failure.kind {
            Kind::Link => {
                // zstd prints nothing about links in directories.
                let status = if failure.found { Status::Fine } else { Status::Error };
                let text = format!("Warning : {name} is a symbolic link, ignoring");
                return Message { status, text: if program.verbosity.quiet { String::new() } else { text } };
            }
            Kind::Directory { .. } => format!("{name} is a directory -- ignored"),
            Kind::Dictionary => format!("cannot use {name} as an input file and dictionary"),
            Kind::NotRegular if failure.found => return Message::NONE,
            Kind::NotRegular => format!("{name} is not a regular file -- ignored"),
            Kind::UnknownSuffix => {
                let known = super::SUFFIXES.iter().map(|(suffix, _)| *suffix);
                let known: Vec<&str> = known.filter(|suffix| *suffix != super::UNLISTED_SUFFIX).collect();
                format!(
                    "{name}: unknown suffix ({} expected). Can't derive the output file name. \
                     Specify it with -o dstFileName. Ignoring.",
                    known.join("/")
                )
            }
            Kind::Exists => format!("{name} already exists; not overwritten"),
            Kind::SameFile => "Refusing to open an output file which will overwrite the input file".into(),
            Kind::Cannot(what, cause) if *what != CREATE && cause.kind() == std::io::ErrorKind::NotFound => {
                format!("can't stat {name} : {} -- ignored", system_text(cause))
            }
            Kind::Refused => return Message::error("Not overwritten"),
            Kind::TerminalInput => return Message::error("stdin is a console, aborting"),
            Kind::TerminalOutput => return Message::error("stdout is a console, aborting"),
            Kind::Library(what) | Kind::Discarded(what, _) => return library_error(program, name, what),
            _ => return defaults::message(program, name, failure),
        };
        Message::error(format!("{program}: {what}"))
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        let Done { request, summary, .. } = *done;
        let name = display_name(done.name);
        let compresses = request.mode() == Mode::Compress;
        // With --pass-through unknown data is copied, but an empty input is an error.
        if !compresses && summary.coded_len == 0 {
            return library_error(program, name, &Error::Empty);
        }
        if summary.trailing.zeros > 0 {
            let text = format!(
                "{}: {name}: {} zero bytes behind the last frame; all frames are whole",
                program.name, summary.trailing.zeros
            );
            return Message::warning(text);
        }
        let text = match program.verbosity.verbose {
            0 => String::new(),
            _ if compresses => {
                let made = done.made.map(Path::display).map_or("/*stdout*\\".into(), |made| made.to_string());
                let ratio = match summary.plain_len {
                    0 => 0.0,
                    plain_len => 100.0 * summary.coded_len as f64 / plain_len as f64,
                };
                let (plain, coded) = (size(summary.plain_len), size(summary.coded_len));
                format!("{name:<20} :{ratio:6.2}%   ({plain:>9} => {coded:>9}, {made})")
            }
            _ => format!("{name:<20}: {} bytes", summary.plain_len),
        };
        Message::fine(text)
    }

    fn question(&self, program: Program, path: &Path) -> Option<String> {
        Some(format!("{}: {} already exists; overwrite (y/n) ? ", program.name, path.display()))
    }

    /// zstd ends with the number of an error after which no other input can succeed.
    fn ending(&self, failure: &CliError, _: Mode) -> Ending {
        match &failure.kind {
            Kind::Library(Error::Write { .. }) => Ending::Abort(WRITING),
            Kind::Usage(_) => Ending::Abort(OUT_OF_BOUND),
            _ => Ending::Usual,
        }
    }

    /// zstd exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

/// The version that is imitated.
const VERSION: &str = "1.5.7";

pub(super) fn version(display_level: i32) -> String {
    match display_level {
        ..super::DISPLAY_LEVEL => format!("{VERSION}\n"),
        _ => format!("*** Zstandard CLI (64-bit) v{VERSION}, as pzcomp {OWN} does it ***\n"),
    }
}

/// The refusal of a command line.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    match misuse {
        Misuse::Refused(..) => refusal(called, misuse),
        Misuse::Short(letter) => incorrect(called, format_args!("-{letter}")),
        Misuse::Long(name) => incorrect(called, format_args!("--{name}")),
        Misuse::Surplus(name) => incorrect(called, format_args!("--{name}=...")),
        Misuse::Ambiguous(..) | Misuse::ShortLacks(_) | Misuse::LongLacks(_) => {
            refusal(called, "error: missing command argument")
        }
    }
}

pub(super) fn incorrect(called: &Name, parameter: impl Display) -> Refusal {
    let program = called.program;
    let text = format!("Incorrect parameter: {parameter}\nSee '{program} --help'");
    Refusal { text, code: 1 }
}

/// The exit statuses for a parameter that the library refuses, and for output that cannot be written.
pub(super) const OUT_OF_BOUND: u8 = 11;
const WRITING: u8 = 70;

/// The refusal of a command line with an exit status of zstd.
pub(super) fn error(called: &Name, code: u8, what: impl Display) -> Refusal {
    Refusal { text: format!("{}: error {code} : {what}", called.program), code }
}

/// The refusal of a parameter that the library would refuse.
pub(super) fn out_of_bound(called: &Name) -> Refusal {
    error(called, OUT_OF_BOUND, "Parameter is out of bound")
}

/// The name of a standard stream or of a file in messages.
fn display_name(name: &str) -> &str {
    match name {
        "stdin" => "/*stdin*\\",
        "stdout" => "/*stdout*\\",
        name => name,
    }
}

/// The message for an error of the library.
fn library_error(program: Program, name: &str, what: &Error) -> Message {
    let text = match what {
        Error::Read { source, .. } | Error::Write { source, .. } => {
            format!("{program}: {name}: {}", system_text(source))
        }
        Error::Shrank { .. } => format!("{program}: {name}: {what}"),
        Error::Empty => format!("{program}: {name}: unexpected end of file"),
        Error::NotCompressed { found, .. } | Error::TrailingGarbage { found, .. } => {
            let text = format!("{program}: {name}: unsupported format");
            match legacy_zstd(found) {
                Some(what) => format!("{text}: {what}"),
                None => text,
            }
        }
        Error::Truncated { .. } | Error::Unfinished { .. } => {
            format!("{name} : Read error (39) : premature end")
        }
        Error::Corrupt { damage: Damage::Check | Damage::Both, .. } => {
            format!("{name} : Decoding error (36) : Restored data doesn't match checksum")
        }
        Error::Dictionary { .. } => {
            format!("{name} : Decoding error (36) : Dictionary mismatch\n{name} : {what}")
        }
        Error::Memory { .. } => {
            format!(
                "{name} : Decoding error (36) : Frame requires too much memory for decoding\n\
                 {name} : {what}"
            )
        }
        Error::Threads { .. } | Error::NoMemory { .. } => {
            format!("{program}: {name}: {}", sentence(what))
        }
        other => format!("{name} : Decoding error (36) : {other}"),
    };
    Message::error(text)
}

/// A number of bytes with three or four digits and a unit.
pub(super) fn size(bytes: u64) -> String {
    let (value, unit) = scaled(bytes);
    format!("{value} {unit}")
}

/// The number and its unit.
pub(super) fn scaled(bytes: u64) -> (String, &'static str) {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.checked_ilog2().unwrap_or(0) / 10) as usize;
    let value = bytes as f64 / (1_u64 << (10 * power)) as f64;
    let precision = match value {
        _ if power == 0 || value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value > 1.0 => 2,
        _ => 3,
    };
    (format!("{value:.precision$}"), UNITS[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1024, "1.000 KiB"),
            (1100, "1.07 KiB"),
            (71_555, "69.9 KiB"),
            (151_344, "148 KiB"),
            (2 << 20, "2.00 MiB"),
            (1 << 30, "1.000 GiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }
}
