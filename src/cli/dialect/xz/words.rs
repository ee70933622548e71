//! What xz says.

use std::fmt::Display;
use std::time::Duration;

use pzcomp::{Error, Summary};

use super::super::super::report::Status;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, LICENSE, Speaker, Verdict, plain, system};
use super::limits;

/// As libraries number their versions: major, minor and patch, and 2 for stable.
const NUMBER: &str = "50080012";

pub(super) fn version(robot: bool) -> String {
    if robot {
        return format!("XZ_VERSION={NUMBER}\nLIBLZMA_VERSION={NUMBER}\n");
    }
    format!(
        "xz (XZ Utils) 5.8.1\nliblzma 5.8.1\npzcomp {}, which does what xz 5.8 does\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

/// How streams without a name are called.
fn shown(name: &str) -> &str {
    match name {
        "stdin" => "(stdin)",
        "stdout" => "(stdout)",
        name => name,
    }
}

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let name = shown(name);
    let skipping = |what: &dyn Display| speaker.says(Status::Warning, name, format_args!("{what}, skipping"));
    let refused = |what: &str| Verdict {
        status: Status::Error,
        text: format!("{}: Compressed data cannot be {what} a terminal", speaker.program),
    };
    match &trouble.kind {
        Kind::Link => skipping(&"Is a symbolic link"),
        Kind::Directory { .. } => skipping(&"Is a directory"),
        Kind::NotRegular => skipping(&"Not a regular file"),
        Kind::HardLinks(_) => skipping(&"Input file has more than one hard link"),
        Kind::SetUserId | Kind::SetGroupId => skipping(&"File has setuid or setgid bit set"),
        Kind::Sticky => skipping(&"File has sticky bit set"),
        Kind::HasSuffix(suffix) => skipping(&format_args!("File already has '{}' suffix", suffix.display())),
        Kind::UnknownSuffix => skipping(&"Filename has an unknown suffix"),
        Kind::Exists => speaker.says(Status::Error, name, "File exists"),
        Kind::TerminalInput => refused("read from"),
        Kind::TerminalOutput => refused("written to"),
        Kind::Coding(error) | Kind::Discarded(error, _) => coding(speaker, name, error),
        _ => plain::verdict(speaker, name, trouble),
    }
}

/// What the library found wrong; all that it knows of it only for those who ask.
fn coding(speaker: Speaker, name: &str, error: &Error) -> Verdict {
    let what = match error {
        Error::Read { source, .. } => format!("Read error: {}", system(source)),
        Error::Write { source, .. } => format!("Write error: {}", system(source)),
        Error::Empty | Error::NotCompressed { .. } => "File format not recognized".into(),
        Error::Truncated { .. } => "Unexpected end of input".into(),
        Error::Corrupt { .. } | Error::TrailingGarbage { .. } => "Compressed data is corrupt".into(),
        Error::Unsupported { .. } => "Unsupported options".into(),
        Error::Memory { needed, limit, .. } => {
            let needed = limits::needed(needed.0, Some(limit.0));
            format!("Memory usage limit reached\n{}: {needed}", speaker.program)
        }
        other => return speaker.says(Status::Error, name, other),
    };
    let more = match error {
        Error::Read { .. } | Error::Write { .. } | Error::Memory { .. } => false,
        _ => speaker.voice.verbose > 0,
    };
    let what = if more { format!("{what}: {error}") } else { what };
    speaker.says(Status::Error, name, what)
}

/// The figures, as where there is no terminal to show progress on.
pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let mut verdict = Verdict { status: Status::Fine, text: String::new() };
    if done.summary.unverified {
        let what = "Unsupported type of integrity check; not verifying file integrity";
        verdict = speaker.says(Status::Warning, shown(done.name), what);
    }
    if speaker.voice.verbose > 0 {
        let gap = if verdict.text.is_empty() { "" } else { "\n" };
        verdict.text.push_str(&format!("{gap}{}: {}", shown(done.name), figures(done.summary)));
    }
    verdict
}

fn figures(summary: &Summary) -> String {
    let Summary { coded_len, plain_len, wall, .. } = *summary;
    let ratio = if plain_len == 0 { f64::INFINITY } else { coded_len as f64 / plain_len as f64 };
    let ratio = if ratio > 9.999 { "> 9.999".into() } else { format!("= {ratio:.3}") };
    let mut figures = format!("{} / {} {ratio}", size(coded_len), size(plain_len));
    // What takes no time is not worth a speed.
    for figure in [speed(plain_len, wall), time(wall)].into_iter().flatten() {
        figures.push_str(", ");
        figures.push_str(&figure);
    }
    figures
}

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// A number of bytes, with a unit from 10,000 on.
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

/// From the third second on.
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

/// From the first second on.
fn time(wall: Duration) -> Option<String> {
    let seconds = wall.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (seconds, hours) {
        (0, _) => None,
        (_, 0) => Some(format!("{minutes}:{rest:02}")),
        _ => Some(format!("{hours}:{minutes:02}:{rest:02}")),
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
