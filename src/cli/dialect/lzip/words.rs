//! What lzip and plzip say.

use std::fmt::Display;

use pzcomp::{Damage, Error, Summary, Unknown};

use super::super::super::report::Status;
use super::super::super::request::{Mode, Request};
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, LICENSE, Speaker, Verdict, plain, system};

pub(super) fn version(program: &str) -> String {
    let version = if program == "plzip" { "1.10" } else { "1.23" };
    format!(
        "{program} {version} (pzcomp {}, which does what that does)\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

/// How streams without a name are called.
pub(super) fn shown(name: &str) -> &str {
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
    match &trouble.kind {
        Kind::Cannot("open", error) => {
            refused(&format_args!("{name}: Can't open input file: {}", system(error)))
        }
        Kind::Directory { .. } | Kind::NotRegular => {
            refused(&format_args!("Input file '{name}' is not a regular file."))
        }
        Kind::HasSuffix(suffix) => {
            refused(&format_args!("Input file '{name}' already has '{}' suffix.", suffix.display()))
        }
        Kind::Exists => refused(&format_args!("Output file '{name}' already exists, skipping.")),
        Kind::TerminalInput => {
            refused(&format_args!("{name}: I won't read compressed data from a terminal."))
        }
        Kind::TerminalOutput => {
            refused(&format_args!("{name}: I won't write compressed data to a terminal."))
        }
        Kind::Coding(error) | Kind::Discarded(error, _) => coding(speaker, name, error),
        _ => Verdict { status: Status::Warning, ..plain::verdict(speaker, name, trouble) },
    }
}

/// What the library found wrong; all that it knows of it for those who ask, and where nothing shorter says it.
fn coding(speaker: Speaker, name: &str, error: &Error) -> Verdict {
    let Speaker { program, voice } = speaker;
    let said = |status, what: &dyn Display| Verdict { status, text: format!("{program}: {name}: {what}") };
    // What is inside of members is told as it is on the way.
    let found = |what: &str| {
        let more = if voice.verbose > 0 { format!(": {error}") } else { String::new() };
        Verdict { status: Status::Error, text: format!("  {name}: {what}{more}") }
    };
    match error {
        Error::Read { source, .. } => said(Status::Warning, &format_args!("Read error: {}", system(source))),
        Error::Write { source, .. } => {
            said(Status::Warning, &format_args!("Write error: {}", system(source)))
        }
        Error::Empty => said(Status::Error, &"File ends unexpectedly at member header."),
        Error::NotCompressed { .. } => said(Status::Error, &"Bad magic number (file not in lzip format)."),
        Error::TrailingGarbage { .. } => said(Status::Error, &"Trailing data not allowed."),
        Error::Truncated { offset, .. } => found(&format!("File ends unexpectedly at pos {offset}")),
        Error::Corrupt { damage: Damage::Check, .. } => found("CRC mismatch"),
        Error::Corrupt { damage: Damage::Length, .. } => found("Size mismatch"),
        Error::Corrupt { what, damage: Damage::Form, .. } if what.contains("the header of a member") => {
            found("Corrupt header in multimember file.")
        }
        Error::Corrupt { what, damage: Damage::Form, .. } if what.contains("has a dictionary of") => {
            found("Invalid dictionary size in member header.")
        }
        Error::Corrupt { offset, what, damage: Damage::Form, .. } => {
            Verdict { status: Status::Error, text: format!("  {name}: Data error at pos {offset}: {what}") }
        }
        Error::Unsupported { what, .. } => {
            let version = what.split_once("has version ").map_or("", |(_, rest)| rest);
            let version = version.split_once(',').map_or("Unknown", |(version, _)| version);
            let text = format!("  {name}: Version {version} member format not supported.");
            Verdict { status: Status::Error, text }
        }
        other => said(Status::Warning, other),
    }
}

pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let Done { name, request, summary, .. } = *done;
    if request.options.unknown == Unknown::Refuse && summary.trailing.zeros > 0 {
        let text = format!("{}: {}: Trailing data not allowed.", speaker.program, shown(name));
        return Verdict { status: Status::Error, text };
    }
    let more = match (request.mode, speaker.voice.verbose) {
        (_, 0) => return Verdict { status: Status::Fine, text: String::new() },
        (Mode::Compress, _) => figures(summary, true),
        (mode, verbose) => {
            let word = if mode == Mode::Test { "ok" } else { "done" };
            if verbose > 1 { format!("{} {word}", figures(summary, false)) } else { word.into() }
        }
    };
    let name = shown(name);
    let pad = widest(request).saturating_sub(name.len());
    Verdict { status: Status::Fine, text: format!("  {name}: {:pad$}{more}", "") }
}

/// The length of the longest name, so that what is said of all of them stands in one column.
fn widest(request: &Request) -> usize {
    request.sources.iter().map(|source| shown(&source.name()).len()).max().unwrap_or(0)
}

fn figures(summary: &Summary, with_lengths: bool) -> String {
    // What is behind the last member is no part of it.
    let coded_len = match summary.trailing.garbage {
        Some(offset) => offset,
        None => summary.coded_len.saturating_sub(summary.trailing.zeros),
    };
    let plain_len = summary.plain_len;
    let Some(saved) = saved(plain_len, coded_len) else {
        let space = if with_lengths { " " } else { "" };
        return format!("{space}no data compressed.");
    };
    let (plain, coded) = (plain_len as f64, coded_len as f64);
    let ratios = format!("{:6.3}:1, {:5.2}% ratio, {saved:5.2}% saved", plain / coded, 100.0 * coded / plain);
    if with_lengths { format!("{ratios}, {plain_len} in, {coded_len} out.") } else { format!("{ratios}.") }
}

/// How many per cent the coded data is shorter; nothing if there is no data.
pub(super) fn saved(plain_len: u64, coded_len: u64) -> Option<f64> {
    (plain_len > 0).then(|| 100.0 - 100.0 * coded_len as f64 / plain_len as f64)
}
