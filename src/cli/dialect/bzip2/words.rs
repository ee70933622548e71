//! What bzip2 says.

use std::fmt::Display;
use std::path::Path;

use pzcomp::{Error, Summary};

use super::super::super::interface::Misuse;
use super::super::super::report::Status;
use super::super::super::request::{Mode, Request};
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, Ending, LICENSE, Speaker, Verdict, plain, system};
use super::OTHERWISE;

pub(super) fn version(program: &str) -> String {
    format!(
        "{program}, a block-sorting file compressor.  Version 1.0.8 (pzcomp {}, which does what that does)\n\
         {LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

/// How a command line is refused.
pub(super) fn misuse(program: &str, misuse: &Misuse) -> String {
    let what = match misuse {
        Misuse::Short(letter) => format!("Bad flag '-{letter}'"),
        Misuse::Long(name) => format!("Bad flag '--{name}'"),
        other => other.to_string(),
    };
    format!("{what}\n{program}: For help, type: '{program} --help'.")
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
    let (program, name) = (speaker.program, shown(name));
    let refused =
        |what: &dyn Display| Verdict { status: Status::Warning, text: format!("{program}: {what}") };
    let terminal = |what: &str| {
        refused(&format_args!("I won't {what} a terminal.\n{program}: For help, type: '{program} --help'."))
    };
    match &trouble.kind {
        Kind::Cannot("open", error) => {
            refused(&format_args!("Can't open input file {name}: {}.", system(error)))
        }
        Kind::Directory { .. } => refused(&format_args!("Input file {name} is a directory.")),
        Kind::Link | Kind::NotRegular => refused(&format_args!("Input file {name} is not a normal file.")),
        Kind::HardLinks(links) => {
            let others = links - 1;
            let s = if others == 1 { "" } else { "s" };
            refused(&format_args!("Input file {name} has {others} other link{s}."))
        }
        Kind::HasSuffix(suffix) => {
            refused(&format_args!("Input file {name} already has {} suffix.", suffix.display()))
        }
        Kind::Exists => refused(&format_args!("Output file {name} already exists.")),
        Kind::TerminalInput => terminal("read compressed data from"),
        Kind::TerminalOutput => terminal("write compressed data to"),
        Kind::Coding(error) | Kind::Discarded(error, _) => coding(speaker, name, error),
        _ => Verdict { status: Status::Warning, ..plain::verdict(speaker, name, trouble) },
    }
}

/// An error of the system ends bzip2, and so does damage, unless it was to look for that.
pub(super) fn ending(trouble: &Trouble, mode: Mode) -> Ending {
    match &trouble.kind {
        Kind::Coding(Error::Read { .. } | Error::Write { .. }) => Ending::Abort(1),
        Kind::Coding(Error::NotCompressed { .. }) | Kind::Discarded(Error::NotCompressed { .. }, _) => {
            Ending::Usual
        }
        Kind::Coding(_) | Kind::Discarded(..) if mode == Mode::Decompress => Ending::Abort(2),
        _ => Ending::Usual,
    }
}

/// What the library found wrong; all that it knows of it only for those who ask.
fn coding(speaker: Speaker, name: &str, error: &Error) -> Verdict {
    let Speaker { program, voice } = speaker;
    let refused =
        |what: String| Verdict { status: Status::Warning, text: format!("{program}: {name}: {what}") };
    let what = match error {
        Error::Read { source, .. } | Error::Write { source, .. } => {
            return refused(format!("I/O or other error, bailing out: {}", system(source)));
        }
        Error::NotCompressed { .. } => "bad magic number (file not created by bzip2)",
        Error::Empty | Error::Truncated { .. } => "file ends unexpectedly",
        Error::Corrupt { .. } | Error::TrailingGarbage { .. } => "data integrity (CRC) error in data",
        other => return refused(other.to_string()),
    };
    let text = match voice.verbose {
        0 => format!("{program}: {name}: {what}"),
        _ => format!("{program}: {name}: {what}: {error}"),
    };
    Verdict { status: Status::Error, text }
}

pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let Speaker { program, voice } = speaker;
    let Done { name, request, summary, made, .. } = *done;
    let mut lines = Vec::new();
    let is_guess = |made: &Path| made.to_str().is_some_and(|made| made.strip_suffix(OTHERWISE) == Some(name));
    if let Some(made) = made.filter(|made| request.mode == Mode::Decompress && is_guess(made)) {
        let what = format!("Can't guess original name for {name} -- using {}", made.display());
        lines.push(format!("{program}: {what}"));
    }
    let name = shown(name);
    // What begins at the start is not behind anything, and was copied.
    if summary.trailing.garbage.is_some_and(|offset| offset > 0) || summary.trailing.zeros > 0 {
        lines.push(format!("{program}: {name}: trailing garbage after EOF ignored"));
    }
    if voice.quiet {
        lines.clear();
    }
    if voice.verbose > 0 {
        let what = match request.mode {
            Mode::Compress => figures(summary),
            Mode::Test => "ok".into(),
            Mode::Decompress | Mode::List => "done".into(),
        };
        let pad = widest(request).saturating_sub(name.len());
        lines.push(format!("  {name}: {:pad$}{what}", ""));
    }
    Verdict { status: Status::Fine, text: lines.join("\n") }
}

/// The length of the longest name, so that what is said of all of them stands in one column.
fn widest(request: &Request) -> usize {
    let names = request.sources.iter().map(|source| shown(&source.name()).len());
    names.chain(["(stdin)".len()]).max().unwrap_or(0)
}

fn figures(summary: &Summary) -> String {
    let (plain_len, coded_len) = (summary.plain_len, summary.coded_len);
    if plain_len == 0 {
        return " no data compressed.".into();
    }
    let (plain, coded) = (plain_len as f64, coded_len as f64);
    let (times, bits, saved) = (plain / coded, 8.0 * coded / plain, 100.0 * (1.0 - coded / plain));
    format!("{times:6.3}:1, {bits:6.3} bits/byte, {saved:5.2}% saved, {plain_len} in, {coded_len} out.")
}
