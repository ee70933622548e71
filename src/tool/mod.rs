//! What the report and all dialects share: a name with its defaults, and the messages of a tool. [`others`] and
//! [`formats`] word what archives and lists hold.
//!
//! A [`Name`] is what pzcomp was called by. Its [`Messages`] word errors, warnings and results, and set the exit
//! status. The report calls them. Dialects implement [`Messages`], and [`defaults`] has the texts for all cases that a
//! tool does not word itself. This file knows no dialect.

pub(super) mod defaults;

use std::fmt::{self, Display};
use std::path::Path;

use pzcomp::inspect::Listing;
use pzcomp::salvage::SalvageReport;
use pzcomp::{ArchiveEntry, EntryChoice, Format, Summary};

use super::error::CliError;
pub(super) use super::error::system_text;
use super::hash::Digests;
use super::request::{Mode, OutputLinks, Request, Target, Verbosity};

/// A name, and what it stands for unless options say otherwise.
#[derive(Clone, Copy)]
pub(super) struct Name {
    pub(super) name: &'static str,
    /// The man page that describes this name.
    pub(super) page: &'static str,
    /// The name in messages. It differs from `name` for a tool that in the original is a script around another tool,
    /// because that other tool prints the messages.
    pub(super) program: &'static str,
    pub(super) messages: &'static dyn Messages,
    /// The format to write, if no option says otherwise.
    pub(super) format: Format,
    pub(super) mode: Mode,
    /// Whether the output goes to standard output, if no option says otherwise.
    pub(super) stdout: bool,
    /// What happens to links in the place of the output.
    pub(super) links: OutputLinks,
}

impl Name {
    /// Where the output goes, if no option says otherwise.
    pub(super) fn target(&self) -> Target {
        if self.stdout { Target::Stdout } else { Target::Beside }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The outcome of a run. The larger value is the worse one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    #[default]
    Fine,
    Warning,
    Error,
}

/// The messages and the exit statuses of one tool. By default they are those of pzcomp or of `defaults`.
pub(super) trait Messages: Sync {
    /// The message for an error with an input or output of this name.
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        defaults::message(program, name, failure)
    }

    /// The message for a finished stream. The text is empty if nothing needs to be printed.
    fn done(&self, program: Program, done: &Done) -> Message {
        defaults::done(program, done)
    }

    /// The message for an input that stays, because it was not taken whole. It changes no status: the tool may have
    /// removed the input, and scripts go by its status.
    fn left(&self, program: Program, name: &str, why: &str) -> Message {
        program.message(Status::Fine, name, format_args!("{why}; not removed"))
    }

    /// Whether `-vv` also prints the settings of each stream.
    fn prints_settings(&self) -> bool {
        true
    }

    /// The message for an input that `-l` has read. If its status is not [`Status::Fine`], the table has no row for
    /// the input.
    fn listed(&self, program: Program, name: &str, listing: &Listing) -> Message {
        let _ = (program, name, listing);
        Message::NONE
    }

    /// The question whether to overwrite a file. Returns `None` if the tool does not ask.
    fn question(&self, program: Program, path: &Path) -> Option<String> {
        let _ = (program, path);
        None
    }

    /// How an error changes the exit status.
    fn ending(&self, failure: &CliError, mode: Mode) -> Ending {
        let _ = (failure, mode);
        Ending::Usual
    }

    /// The exit statuses of a run with a warning and of a run with an error, unless an [`Ending`] gives another.
    fn codes(&self) -> (u8, u8) {
        (2, 1)
    }

    /// The exit status of a run, unless an [`Ending`] gives another.
    fn code(&self, status: Status) -> u8 {
        match (status, self.codes()) {
            (Status::Fine, _) => 0,
            (Status::Warning, (warning, _)) => warning,
            (Status::Error, (_, error)) => error,
        }
    }
}

/// How an error changes the exit status. Some tools tell errors apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The exit status is that of [`Messages::code`].
    Usual,
    /// The exit status is at least this number.
    Code(u8),
    /// The exit status is the number of inputs that failed. This error adds one.
    Counted,
    /// The program ends at once with this exit status.
    Abort(u8),
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Program {
    /// A message about the file `name`. With `-q` only the text of an error is kept.
    pub(super) fn message(self, status: Status, name: &str, what: impl Display) -> Message {
        let is_suppressed = self.verbosity.quiet && status != Status::Error;
        let text = if is_suppressed { String::new() } else { format!("{self}: {name}: {what}") };
        Message { status, text }
    }
}

/// The program that prints a message, and how much it prints. It is displayed as its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    /// The name at the beginning of messages.
    pub(super) name: &'static str,
    pub(super) verbosity: Verbosity,
}

/// A message on standard error, and how severe it is. If the text is empty, nothing is printed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) status: Status,
    pub(super) text: String,
}

impl Message {
    /// Nothing is printed, and the exit status stays as it is.
    pub(super) const NONE: Self = Self { status: Status::Fine, text: String::new() };

    pub(super) fn fine(text: impl Into<String>) -> Self {
        Self { status: Status::Fine, text: text.into() }
    }

    pub(super) fn warning(text: impl Into<String>) -> Self {
        Self { status: Status::Warning, text: text.into() }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { status: Status::Error, text: text.into() }
    }
}

/// A finished stream.
pub(super) struct Done<'a> {
    pub(super) name: &'a str,
    pub(super) request: &'a Request,
    pub(super) summary: &'a Summary,
    /// The file that was made. `None` if the output is not a file of its own.
    pub(super) made: Option<&'a Path>,
    /// The hashes, if they were asked for.
    pub(super) digests: Option<&'a Digests>,
    /// What was kept and lost of a damaged input.
    pub(super) salvaged: Option<&'a SalvageReport>,
    /// The length of header and trailer of a gzip member. gzip leaves them out of the ratio.
    pub(super) overhead: u64,
    /// How many coded bytes were decoded, if the output is coded again.
    pub(super) read_len: Option<u64>,
}

/// The length of coded data in relation to the plain length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
}

impl Ratio {
    /// The coded length in percent of the plain one.
    pub(super) fn percent(self) -> String {
        match self.plain_len {
            0 => "-".into(),
            plain_len => format!("{:.2}", 100.0 * self.coded_len as f64 / plain_len as f64),
        }
    }

    /// The plain length divided by the coded length, if both are known.
    pub(super) fn value(self) -> Option<f64> {
        let Self { coded_len, plain_len } = self;
        (plain_len > 0 && coded_len > 0).then(|| plain_len as f64 / coded_len as f64)
    }

    /// The same as text.
    pub(super) fn times(self) -> String {
        self.value().map_or_else(|| "-".into(), |ratio| format!("{ratio:.2}"))
    }
}

/// So many files are named.
const NAMED_MAX: usize = 10;

/// Which file was taken, and what the others are called. Nothing if there are no others, or if the user has chosen.
pub(crate) fn others(entries: &[ArchiveEntry], choice: &EntryChoice) -> Option<String> {
    if *choice != EntryChoice::First {
        return None;
    }
    let taken = entries.iter().position(|entry| entry.is_chosen)?;
    let others = entries.iter().filter(|entry| !entry.is_chosen);
    let others: Vec<&str> = others.map(|entry| entry.name.as_str()).collect();
    if others.is_empty() {
        return None;
    }
    let named = others[..others.len().min(NAMED_MAX)].join(", ");
    let more = if others.len() > NAMED_MAX { ", …" } else { "" };
    let which = if taken == 0 { "the first file" } else { "the first file with data" };
    Some(format!(
        "only '{}', {which} of the archive, was taken; --extract NAME takes another of these {}: {named}{more}",
        entries[taken].name,
        others.len()
    ))
}

/// The formats of what is listed. The library has no names for 7z archives, which have an index, for xbstreams, which
/// have checks, and for streams of mydumper.
pub(crate) fn formats(listing: &Listing) -> Vec<&'static str> {
    match &listing.formats[..] {
        [] if listing.is_indexed => vec!["7z"],
        [] if listing.check == "-" => vec!["mydumper"],
        [] => vec!["xbstream"],
        formats => formats.iter().map(|format| format.name()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_nothing_are_not_numbers() {
        let ratio = |coded_len, plain_len| Ratio { coded_len, plain_len };
        assert_eq!((ratio(22, 0).percent(), ratio(22, 0).times()), ("-".into(), "-".into()));
        assert_eq!((ratio(1, 4).percent(), ratio(1, 4).times()), ("25.00".into(), "4.00".into()));
        assert_eq!(ratio(0, 0).times(), "-");
    }
}
