//! The messages of lzip and plzip, word for word.
//!
//! `message` words an error, and `done` a finished stream. What is wrong in the data has the status of an error,
//! and what the system refuses that of a warning, because of the exit statuses of lzip.

use std::fmt::Display;

use pzcomp::{Damage, Error, Summary, Unknown};

use super::super::{
    Done, LICENSE, Message, Messages, Program, defaults, in_parentheses, system_text, widest_name,
};
use super::Lzip;
use crate::cli::error::{CREATE, CliError, Kind};
use crate::cli::request::Mode;
use crate::cli::tool::Status;

impl Messages for Lzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let name = in_parentheses(name);
        let refused = |what: &dyn Display| Message::warning(format!("{program}: {what}"));
        match &failure.kind {
            Kind::Cannot("open", error) => {
                refused(&format_args!("{name}: Can't open input file: {}", system_text(error)))
            }
            Kind::Cannot(CREATE, error) => {
                refused(&format_args!("Can't create output file '{name}': {}", system_text(error)))
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
            Kind::Library(error) | Kind::Discarded(error, _) => library_error(program, name, error),
            _ => Message { status: Status::Warning, ..defaults::message(program, name, failure) },
        }
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        let Done { name, request, summary, .. } = *done;
        if request.options.unknown == Unknown::Refuse && summary.trailing.zeros > 0 {
            let text = format!("{}: {}: Trailing data not allowed.", program.name, in_parentheses(name));
            return Message::error(text);
        }
        // lzip itself is content with such a file.
        if program.name == "plzip" && summary.trailing.ends_with_frame {
            let at = summary.trailing.garbage.unwrap_or_default();
            let what = format_args!("Data error at pos {at}: there is data between two members");
            return Message::error(format!("{}: {}: {what}", program.name, in_parentheses(name)));
        }
        let more = match (request.mode, program.verbosity.verbose) {
            (_, 0) => return Message::NONE,
            (Mode::Compress, _) => figures(summary, true),
            (mode, verbose) => {
                let word = if mode == Mode::Test { "ok" } else { "done" };
                if verbose > 1 { format!("{} {word}", figures(summary, false)) } else { word.into() }
            }
        };
        let name = in_parentheses(name);
        let pad = widest_name(request).saturating_sub(name.len());
        Message::fine(format!("  {name}: {:pad$}{more}", ""))
    }

    fn prints_settings(&self) -> bool {
        false
    }

    /// Damage has a higher exit status than a failure of the system. So such a failure has the status of a warning
    /// here.
    fn code(&self, status: Status) -> u8 {
        match status {
            Status::Fine => 0,
            Status::Warning => 1,
            Status::Error => 2,
        }
    }
}

pub(super) fn version(program: &str) -> String {
    let version = if program == "plzip" { "1.10" } else { "1.23" };
    format!(
        "{program} {version} (pzcomp {}, which does what that does)\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

/// The message for an error of the library. The text of the library is appended with `-v`, and if lzip has no shorter
/// text.
fn library_error(program: Program, name: &str, error: &Error) -> Message {
    let verbosity = program.verbosity;
    let said = |status, what: &dyn Display| Message { status, text: format!("{program}: {name}: {what}") };
    // The original prints damage in a member behind the name of the file, as progress.
    let found = |what: &str| {
        let more = if verbosity.verbose > 0 { format!(": {error}") } else { String::new() };
        Message::error(format!("  {name}: {what}{more}"))
    };
    match error {
        Error::Read { source, .. } => {
            said(Status::Warning, &format_args!("Read error: {}", system_text(source)))
        }
        Error::Write { source, .. } => {
            said(Status::Warning, &format_args!("Write error: {}", system_text(source)))
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
            Message::error(format!("  {name}: Data error at pos {offset}: {what}"))
        }
        Error::Unsupported { what, .. } => {
            let version = what.split_once("has version ").map_or("", |(_, rest)| rest);
            let version = version.split_once(',').map_or("Unknown", |(version, _)| version);
            let text = format!("  {name}: Version {version} member format not supported.");
            Message::error(text)
        }
        other => said(Status::Warning, other),
    }
}

fn figures(summary: &Summary, with_lengths: bool) -> String {
    // Data behind the last member does not count.
    let coded_len = match summary.trailing.garbage {
        Some(offset) => offset,
        None => summary.coded_len.saturating_sub(summary.trailing.zeros),
    };
    let plain_len = summary.plain_len;
    let Some(saved) = percent_saved(plain_len, coded_len) else {
        let space = if with_lengths { " " } else { "" };
        return format!("{space}no data compressed.");
    };
    let (plain, coded) = (plain_len as f64, coded_len as f64);
    let ratios = format!("{:6.3}:1, {:5.2}% ratio, {saved:5.2}% saved", plain / coded, 100.0 * coded / plain);
    if with_lengths { format!("{ratios}, {plain_len} in, {coded_len} out.") } else { format!("{ratios}.") }
}

/// By how many per cent the coded data is shorter. Returns `None` if there is no data.
pub(super) fn percent_saved(plain_len: u64, coded_len: u64) -> Option<f64> {
    (plain_len > 0).then(|| 100.0 - 100.0 * coded_len as f64 / plain_len as f64)
}
