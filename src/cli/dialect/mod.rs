//! The command-line interfaces of pzcomp itself and of the tools that it can behave as.
//!
//! A [`Dialect`] turns arguments into a [`Request`], and turns results and errors into the messages of its tool,
//! because users and scripts know them. `cli::run` calls [`Dialect::parse`]; the report calls the functions of
//! [`Messages`].
//! Which name stands for which dialect is in [`super::name`]. The code that does a request is the same for all
//! dialects.
//!
//! Everything that imitates an original keeps the exact words of the original.

pub(super) mod bgzip;
pub(super) mod bzip2;
mod defaults;
pub(super) mod gzip;
pub(super) mod lz4;
pub(super) mod lzip;
pub(super) mod native;
pub(super) mod pigz;
pub(super) mod xz;
pub(super) mod zstd;

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::io::IsTerminal;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pzcomp::{Listing, Member, Summary, XzStream};

use super::bench::flags::BenchRequest;
use super::error::CliError;
pub(super) use super::interface::Refusal;
use super::name::Name;
use super::report::Status;
use super::request::{Mode, Request, Source, Verbosity};
use super::source::OpenInput;
use native::Artefact;

/// The licence, which `--version` and `--license` of several tools print.
const LICENSE: &str = "\
Licensed under MIT or Apache-2.0, at your option. There is no warranty, to the extent permitted by law.
";

/// The command-line interface of one tool.
pub(super) trait Dialect: Messages {
    /// Reads the arguments behind the name of the program. Fails with a message and an exit status if the tool would
    /// refuse them.
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Action, Refusal>;

    /// The source of the man page under this name.
    fn page(&self, name: &str) -> String;

    /// Reads what the table of `-l` needs in addition to the listing.
    fn details(&self, opened: &OpenInput, listing: &Listing, request: &Request) -> Result<Details, CliError> {
        let _ = (opened, listing, request);
        Ok(Details::None)
    }

    /// Why the inputs have no table together, although each could be listed.
    fn unlistable(&self, listed: &[Listed]) -> Option<CliError> {
        let _ = listed;
        None
    }

    /// The table of `-l`.
    fn list(&self, listed: &[Listed], request: &Request) -> String {
        native::table::table(listed, request.verbosity.verbose > 0)
    }
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

    /// The exit status of a run, unless an [`Ending`] gives another.
    fn code(&self, status: Status) -> u8 {
        match status {
            Status::Fine => 0,
            Status::Error => 1,
            Status::Warning => 2,
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

/// What a command line asks for.
#[derive(Debug)]
pub(super) enum Action {
    /// Compress, decompress, test or list.
    Work(Box<Request>),
    /// Measure formats and levels.
    Bench(Box<BenchRequest>),
    /// Print this text to standard output: help or version.
    Text(String),
    /// Print a man page or a completion script.
    Generate(Artefact),
    /// Make an index of BGZF files, or read part of them.
    Bgzf(Box<bgzip::BgzfTask>),
    /// Make links of all names in this folder.
    InstallLinks(PathBuf),
}

impl Action {
    /// The same with a number of threads that this machine can start. The originals take numbers of many thousands.
    /// More threads than CPUs only cost memory, and the output does not depend on their number.
    pub(super) fn with_fewer_threads(mut self) -> Self {
        const MOST: usize = 256;
        let threads = match &mut self {
            Self::Work(request) => &mut request.options.threads,
            Self::Bgzf(task) => &mut task.options.threads,
            _ => return self,
        };
        *threads = MOST.min(*threads);
        self
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Program {
    /// A message about the file `name`. With `-q` only the text of an error is kept.
    fn message(self, status: Status, name: &str, what: impl Display) -> Message {
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
    const NONE: Self = Self { status: Status::Fine, text: String::new() };

    fn fine(text: impl Into<String>) -> Self {
        Self { status: Status::Fine, text: text.into() }
    }

    fn warning(text: impl Into<String>) -> Self {
        Self { status: Status::Warning, text: text.into() }
    }

    fn error(text: impl Into<String>) -> Self {
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
    /// The length of header and trailer of a gzip member. gzip leaves them out of the ratio.
    pub(super) overhead: u64,
}

/// What `-l` has read from an input.
pub(super) struct Listed {
    pub(super) source: Source,
    /// The time of the last change in seconds since 1970. It is 0 if the input is not a file.
    pub(super) modified: i64,
    /// What the header of the first gzip member says.
    pub(super) member: Option<Member>,
    pub(super) listing: Listing,
    pub(super) details: Details,
}

/// What a dialect has read itself from an input that it lists.
#[derive(Default)]
pub(super) enum Details {
    #[default]
    None,
    Lzip(lzip::Members),
    /// The Streams of a file that holds nothing but xz data.
    Xz(Vec<XzStream>),
    /// What the headers of a zstd file say.
    Zstd(zstd::Frames),
}

/// The refusal of a command line with exit status 1 and the name of the program in front of the message.
fn refusal(called: &Name, what: impl Display) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}

/// The name of an input or output in the messages of bzip2, lzip and xz: standard streams stand in parentheses.
fn in_parentheses(name: &str) -> &str {
    match name {
        "stdin" => "(stdin)",
        "stdout" => "(stdout)",
        name => name,
    }
}

/// The length of the longest name of an input. bzip2 and lzip align their figures with it.
fn widest_name(request: &Request) -> usize {
    request.sources.iter().map(|source| in_parentheses(&source.name()).len()).max().unwrap_or(0)
}

/// The words of an environment variable, split at white space.
fn split_words(variable: &OsStr) -> Vec<OsString> {
    let words = variable.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// The verbosity of a tool with a display level, which `-q` lowers and `-v` raises from 2. At 1 the tool prints
/// errors, at 2 also warnings, at 3 also results, at 4 also settings. If standard error is a terminal, results are
/// printed at 2, too.
fn verbosity(display_level: i32) -> Verbosity {
    let is_watched = i32::from(std::io::stderr().is_terminal());
    let results = (display_level - 2 + is_watched * i32::from(display_level == 2)).clamp(0, 2);
    Verbosity { quiet: display_level < 2, verbose: results as u8 }
}

/// The text of a system error without its number.
fn system_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((what, _)) => what.into(),
        None => text,
    }
}
