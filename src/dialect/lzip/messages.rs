//! The messages of lzip and plzip, word for word.
//!
//! `message` words an error, and `done` a finished stream. What is wrong in the data has the status of an error,
//! and what the system refuses that of a warning, because of the exit statuses of lzip.

use pzcomp::{Damage, Error, Summary, Unknown};

use super::super::{
    Done, LICENSE, Message, Messages, OWN, Program, defaults, in_parentheses, system_text, widest_name,
};
use super::Lzip;
use crate::error::{CREATE, CliError, Kind};
use crate::request::Mode;
use crate::tool::Status;

impl Messages for Lzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let name = in_parentheses(name);
        let what = match &failure.kind {
            Kind::Cannot("open", error) => format!("{name}: Can't open input file: {}", system_text(error)),
            Kind::Cannot(CREATE, error) => {
                format!("Can't create output file '{name}': {}", system_text(error))
            }
            Kind::Directory { .. } | Kind::NotRegular => {
                format!("Input file '{name}' is not a regular file.")
            }
            Kind::HasSuffix(suffix) => {
                format!("Input file '{name}' already has '{}' suffix.", suffix.display())
            }
            Kind::Exists => format!("Output file '{name}' already exists, skipping."),
            Kind::TerminalInput => format!("{name}: I won't read compressed data from a terminal."),
            Kind::TerminalOutput => format!("{name}: I won't write compressed data to a terminal."),
            Kind::Library(error) | Kind::Discarded(error, _) => return library_error(program, name, error),
            _ => return Message { status: Status::Warning, ..defaults::message(program, name, failure) },
        };
        Message::warning(format!("{program}: {what}"))
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
        let more = match (request.mode(), program.verbosity.verbose) {
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
    fn codes(&self) -> (u8, u8) {
        (1, 2)
    }
}

pub(super) fn version(program: &str) -> String {
    let version = if program == "plzip" { "1.10" } else { "1.23" };
    format!("{program} {version} (pzcomp {OWN}, which does what that does)\n{LICENSE}")
}

/// The message for an error of the library. The text of the library is appended with `-v`, and if lzip has no shorter
/// text.
fn library_error(program: Program, name: &str, error: &Error) -> Message {
    let error_of = |what: &str| Message::error(format!("{program}: {name}: {what}"));
    let warning_of = |what: String| Message::warning(format!("{program}: {name}: {what}"));
    // The original prints damage in a member behind the name of the file, as progress.
    let damage = |what: &str| {
        let more = if program.verbosity.verbose > 0 { format!(": {error}") } else { String::new() };
        Message::error(format!("  {name}: {what}{more}"))
    };
    match error {
        Error::Read { source, .. } => warning_of(format!("Read error: {}", system_text(source))),
        Error::Write { source, .. } => warning_of(format!("Write error: {}", system_text(source))),
        Error::Empty => error_of("File ends unexpectedly at member header."),
        Error::NotCompressed { .. } => error_of("Bad magic number (file not in lzip format)."),
        Error::TrailingGarbage { .. } => error_of("Trailing data not allowed."),
        Error::Truncated { offset, .. } => damage(&format!("File ends unexpectedly at pos {offset}")),
        Error::Corrupt { damage: Damage::Check, .. } => damage("CRC mismatch"),
        Error::Corrupt { damage: Damage::Length, .. } => damage("Size mismatch"),
        Error::Corrupt { damage: Damage::Header, .. } => damage("Corrupt header in multimember file."),
        Error::Corrupt { damage: Damage::Window, .. } => damage("Invalid dictionary size in member header."),
        Error::Corrupt { offset, what, damage: Damage::Form, .. } => {
            Message::error(format!("  {name}: Data error at pos {offset}: {what}"))
        }
        Error::Unsupported { version, .. } => {
            let version = version.map_or("Unknown".to_owned(), |version| version.to_string());
            Message::error(format!("  {name}: Version {version} member format not supported."))
        }
        other => warning_of(other.to_string()),
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
