//! The messages of bzip2, word for word, and the exit statuses that go with them.
//!
//! `message` words an error, `done` a finished stream, and `ending` gives the exit status of an error.

use std::path::Path;

use pzcomp::{Error, Summary};

use super::super::{
    Done, Ending, LICENSE, Message, Messages, OWN, Program, defaults, in_parentheses, other_links,
    system_text, widest_name,
};
use super::Bzip2;
use super::PLAIN_FALLBACK;
use crate::error::{CREATE, CliError, Kind};
use crate::interface::Misuse;
use crate::request::Mode;
use crate::tool::Status;

impl Messages for Bzip2 {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let name = in_parentheses(name);
        let terminal = |what: &str| {
            format!("I won't {what} a terminal.\n{program}: For help, type: '{program} --help'.")
        };
        let what = match &failure.kind {
            Kind::Cannot("open", error) => format!("Can't open input file {name}: {}.", system_text(error)),
            Kind::Cannot(CREATE, error) => {
                format!("Can't create output file {name}: {}.", system_text(error))
            }
            Kind::Directory { .. } => format!("Input file {name} is a directory."),
            Kind::Link | Kind::NotRegular => format!("Input file {name} is not a normal file."),
            Kind::HardLinks(links) => format!("Input file {name} has {}.", other_links(*links)),
            Kind::HasSuffix(suffix) => format!("Input file {name} already has {} suffix.", suffix.display()),
            Kind::Exists => format!("Output file {name} already exists."),
            Kind::TerminalInput => terminal("read compressed data from"),
            Kind::TerminalOutput => terminal("write compressed data to"),
            Kind::Library(error) | Kind::Discarded(error, _) => return library_error(program, name, error),
            _ => return Message { status: Status::Warning, ..defaults::message(program, name, failure) },
        };
        Message::warning(format!("{program}: {what}"))
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        let verbosity = program.verbosity;
        let Done { name, request, summary, made, .. } = *done;
        let mut lines = Vec::new();
        let is_guess =
            |made: &Path| made.to_str().is_some_and(|made| made.strip_suffix(PLAIN_FALLBACK) == Some(name));
        if let Some(made) = made.filter(|made| request.mode() == Mode::Decompress && is_guess(made)) {
            let what = format!("Can't guess original name for {name} -- using {}", made.display());
            lines.push(format!("{program}: {what}"));
        }
        let name = in_parentheses(name);
        // Garbage at offset 0 is not behind a stream: the whole input was copied.
        if summary.trailing.garbage.is_some_and(|offset| offset > 0) || summary.trailing.zeros > 0 {
            lines.push(format!("{program}: {name}: trailing garbage after EOF ignored"));
        }
        if verbosity.quiet {
            lines.clear();
        }
        if verbosity.verbose > 0 {
            let what = match request.mode() {
                Mode::Compress | Mode::Recode => figures(summary),
                Mode::Test => "ok".into(),
                Mode::Decompress | Mode::List => "done".into(),
            };
            let pad = widest_name(request).max("(stdin)".len()).saturating_sub(name.len());
            lines.push(format!("  {name}: {:pad$}{what}", ""));
        }
        Message::fine(lines.join("\n"))
    }

    /// An error of the system ends bzip2. Damage ends it, too, except with `-t`, which looks for damage.
    fn ending(&self, failure: &CliError, mode: Mode) -> Ending {
        match &failure.kind {
            Kind::Library(Error::Read { .. } | Error::Write { .. }) => Ending::Abort(1),
            Kind::Library(Error::NotCompressed { .. }) | Kind::Discarded(Error::NotCompressed { .. }, _) => {
                Ending::Usual
            }
            Kind::Library(_) | Kind::Discarded(..) if mode == Mode::Decompress => Ending::Abort(2),
            _ => Ending::Usual,
        }
    }

    /// Damage has a higher exit status than a failure of the system. So such a failure has the status of a warning
    /// here.
    fn codes(&self) -> (u8, u8) {
        (1, 2)
    }
}

pub(super) fn version(program: &str) -> String {
    format!(
        "{program}, a block-sorting file compressor.  Version 1.0.8 (pzcomp {OWN}, which does what that does)\n\
         {LICENSE}"
    )
}

/// The text for a command line that is refused.
pub(super) fn misuse(program: &str, misuse: &Misuse) -> String {
    let what = match misuse {
        Misuse::Short(letter) => format!("Bad flag '-{letter}'"),
        Misuse::Long(name) => format!("Bad flag '--{name}'"),
        other => other.to_string(),
    };
    format!("{what}\n{program}: For help, type: '{program} --help'.")
}

/// The message for an error of the library. With `-v` the text of the library is appended.
fn library_error(program: Program, name: &str, error: &Error) -> Message {
    let verbosity = program.verbosity;
    let refused = |what: String| Message::warning(format!("{program}: {name}: {what}"));
    let what = match error {
        Error::Read { source, .. } | Error::Write { source, .. } => {
            return refused(format!("I/O or other error, bailing out: {}", system_text(source)));
        }
        Error::NotCompressed { .. } => "bad magic number (file not created by bzip2)",
        Error::Empty | Error::Truncated { .. } => "file ends unexpectedly",
        Error::Corrupt { .. } | Error::TrailingGarbage { .. } => "data integrity (CRC) error in data",
        other => return refused(other.to_string()),
    };
    let text = match verbosity.verbose {
        0 => format!("{program}: {name}: {what}"),
        _ => format!("{program}: {name}: {what}: {error}"),
    };
    Message::error(text)
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
