//! The messages of xz, word for word.
//!
//! `message` words an error, and `done` a finished stream. Sizes and speeds have the same digits as in the
//! original.

use std::fmt::Display;
use std::time::Duration;

use pzcomp::{Error, Summary};

use super::super::{
    Done, LICENSE, Message, Messages, OWN, Program, Refusal, defaults, in_parentheses, refusal, system_text,
};
use super::Xz;
use super::limits;
use crate::error::{CliError, Kind};
use crate::interface::Misuse;
use crate::tool::{Name, Status};

impl Messages for Xz {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let name = in_parentheses(name);
        let skipping =
            |what: &dyn Display| program.message(Status::Warning, name, format_args!("{what}, skipping"));
        let refused = |what: &str| {
            Message::error(format!("{}: Compressed data cannot be {what} a terminal", program.name))
        };
        match &failure.kind {
            Kind::Link => skipping(&"Is a symbolic link"),
            Kind::Directory { .. } => skipping(&"Is a directory"),
            Kind::NotRegular => skipping(&"Not a regular file"),
            Kind::HardLinks(_) => skipping(&"Input file has more than one hard link"),
            Kind::SetUserId | Kind::SetGroupId => skipping(&"File has setuid or setgid bit set"),
            Kind::Sticky => skipping(&"File has sticky bit set"),
            Kind::HasSuffix(suffix) => {
                skipping(&format_args!("File already has '{}' suffix", suffix.display()))
            }
            Kind::UnknownSuffix => skipping(&"Filename has an unknown suffix"),
            Kind::Exists => program.message(Status::Error, name, "File exists"),
            Kind::TerminalInput => refused("read from"),
            Kind::TerminalOutput => refused("written to"),
            Kind::Library(error) | Kind::Discarded(error, _) => library_error(program, name, error),
            _ => defaults::message(program, name, failure),
        }
    }

    /// The message for a finished stream: a warning about a check that was not verified, and with `-v` the figures, as
    /// the original prints them if standard error is not a terminal.
    fn done(&self, program: Program, done: &Done) -> Message {
        let mut message = Message::NONE;
        if done.summary.unverified {
            let what = "Unsupported type of integrity check; not verifying file integrity";
            message = program.message(Status::Warning, in_parentheses(done.name), what);
        }
        if program.verbosity.verbose > 0 {
            let gap = if message.text.is_empty() { "" } else { "\n" };
            message.text.push_str(&format!("{gap}{}: {}", in_parentheses(done.name), figures(done.summary)));
        }
        message
    }
}

/// The version as liblzma numbers it: major, minor and patch, and 2 for a stable release.
const VERSION_NUMBER: &str = "50080012";

pub(super) fn version(robot: bool) -> String {
    if robot {
        return format!("XZ_VERSION={VERSION_NUMBER}\nLIBLZMA_VERSION={VERSION_NUMBER}\n");
    }
    format!("xz (XZ Utils) 5.8.1\nliblzma 5.8.1\npzcomp {OWN}, which does what xz 5.8 does\n{LICENSE}")
}

/// The message for an error of the library. With `-v` the text of the library is appended.
fn library_error(program: Program, name: &str, error: &Error) -> Message {
    let what = match error {
        Error::Read { source, .. } => format!("Read error: {}", system_text(source)),
        Error::Write { source, .. } => format!("Write error: {}", system_text(source)),
        Error::Empty | Error::NotCompressed { .. } => "File format not recognized".into(),
        Error::Truncated { .. } => "Unexpected end of input".into(),
        Error::Corrupt { .. } | Error::TrailingGarbage { .. } => "Compressed data is corrupt".into(),
        Error::Unsupported { .. } => "Unsupported options".into(),
        Error::Memory { needed, limit, .. } => {
            let needed = limits::needed(needed.0, Some(limit.0));
            format!("Memory usage limit reached\n{}: {needed}", program.name)
        }
        other => return program.message(Status::Error, name, other),
    };
    let more = match error {
        Error::Read { .. } | Error::Write { .. } | Error::Memory { .. } => false,
        _ => program.verbosity.verbose > 0,
    };
    let what = if more { format!("{what}: {error}") } else { what };
    program.message(Status::Error, name, what)
}

fn figures(summary: &Summary) -> String {
    let Summary { coded_len, plain_len, wall, .. } = *summary;
    let ratio = if plain_len == 0 { f64::INFINITY } else { coded_len as f64 / plain_len as f64 };
    let ratio = if ratio > 9.999 { "> 9.999".into() } else { format!("= {ratio:.3}") };
    let mut figures = format!("{} / {} {ratio}", size(coded_len), size(plain_len));
    // The speed of very short work is not printed.
    for figure in [speed(plain_len, wall), time(wall)].into_iter().flatten() {
        figures.push_str(", ");
        figures.push_str(&figure);
    }
    figures
}

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// A number of bytes. It has a unit from 10,000 on.
pub(super) fn size(bytes: u64) -> String {
    if bytes < 10_000 {
        return format!("{bytes} B");
    }
    let mut scaled = bytes as f64 / 1024.0;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while scaled > 9999.9 && units.len() > 0 {
        scaled /= 1024.0;
        unit = units.next();
    }
    format!("{scaled:.1} {}", unit.unwrap_or(&""))
}

/// The speed. Returns `None` for less than three seconds.
fn speed(plain_len: u64, wall: Duration) -> Option<String> {
    if wall < Duration::from_secs(3) {
        return None;
    }
    let mut speed = plain_len as f64 / 1024.0 / wall.as_secs_f64();
    for unit in &UNITS[..3] {
        if speed <= 999.0 {
            let places = if speed > 9.9 { 0 } else { 1 };
            return Some(format!("{speed:.places$} {unit}/s"));
        }
        speed /= 1024.0;
    }
    None
}

/// The time. Returns `None` for less than one second.
fn time(wall: Duration) -> Option<String> {
    let seconds = wall.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (seconds, hours) {
        (0, _) => None,
        (_, 0) => Some(format!("{minutes}:{rest:02}")),
        _ => Some(format!("{hours}:{minutes:02}:{rest:02}")),
    }
}

/// The refusal of a command line.
pub(super) fn misuse(called: &Name, misuse: Misuse) -> Refusal {
    let program = called.program;
    match misuse {
        refused @ Misuse::Refused(..) => refusal(called, refused),
        other => {
            refusal(called, format_args!("{other}\n{program}: Try '{program} --help' for more information."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_xz() {
        assert_eq!(size(9999), "9999 B");
        assert_eq!(size(10_000), "9.8 KiB");
        assert_eq!(size(3_000_280), "2930.0 KiB");
        assert_eq!(size(1 << 30), "1024.0 MiB");
        assert_eq!(size(u64::MAX), "16777216.0 TiB");
        let seconds = Duration::from_secs;
        assert_eq!(speed(1 << 20, seconds(2)), None);
        assert_eq!(speed(1 << 12, seconds(4)), Some("1.0 KiB/s".into()));
        assert_eq!(speed(1 << 32, seconds(4)), Some("1.0 GiB/s".into()));
        assert_eq!(speed(500 << 20, seconds(5)), Some("100 MiB/s".into()));
        assert_eq!((time(seconds(0)), time(seconds(61))), (None, Some("1:01".into())));
        assert_eq!(time(seconds(3661)), Some("1:01:01".into()));
    }
}
