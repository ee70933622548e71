//! The command-line interfaces of pzcomp itself and of the tools that it can behave as.
//!
//! A [`Dialect`] turns arguments into a [`Request`]. It also turns results and errors into the messages of its tool,
//! which users and scripts know. `main` calls [`Dialect::parse`]; the report calls the functions of [`Messages`]. A
//! dialect other than that of pzcomp has a table of options, an `Interface`, and a type `Args` that the rows change.
//! [`work`] reads a command line by the table. [`super::name`] says which dialect a name stands for. The code that
//! carries out a request is the same for all dialects.
//!
//! The *original* of a dialect is the tool that it imitates. A message that the original also prints has the exact
//! words of the original.

pub(super) mod bgzip;
pub(super) mod bzip2;
pub(super) mod gzip;
pub(super) mod igzip;
pub(super) mod lz4;
pub(super) mod lzip;
pub(super) mod native;
pub(super) mod pigz;
pub(super) mod qpress;
pub(super) mod snzip;
pub(super) mod xz;
pub(super) mod zstd;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::str::FromStr;

use pzcomp::Member;
use pzcomp::inspect::{Listing, XzStream};
use pzcomp::recovery::Brief;

use super::error::CliError;
pub(super) use super::interface::Refusal;
use super::interface::{Given, Interface};
use super::report::print_line;
use super::request::{BenchRequest, Request, Source, Verbosity};
use super::source::OpenInput;
pub(super) use super::tool::{Done, Ending, Message, Messages, Name, Program, defaults, system_text};

/// The licence, which `--version` and `--license` of several tools print.
const LICENSE: &str = "\
Licensed under MIT or Apache-2.0, at your option. There is no warranty, to the extent permitted by law.
";

/// The version of pzcomp, which `--version` of every tool prints beside that of the original.
const OWN: &str = env!("CARGO_PKG_VERSION");

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

    /// The table of `-l`. Fails if the tool prints an error in place of the totals.
    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        Ok(native::table::table(listed, request.reporting.verbosity.verbose > 0))
    }
}

/// What a command line asks for.
#[derive(Debug)]
pub(super) enum Action {
    /// Compress, decompress, test or list, as the request says.
    Work(Box<Request>),
    /// Measure formats and levels.
    Bench(Box<BenchRequest>),
    /// Print this text to standard output: help or version.
    Text(String),
    /// Print the man page of this name.
    Page(String),
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

/// What `-l` has read from an input.
pub(super) struct Listed {
    pub(super) source: Source,
    /// The time of the last change in seconds since 1970. It is 0 if the input is not a file.
    pub(super) modified: i64,
    /// What the header of the first gzip member says.
    pub(super) member: Option<Member>,
    pub(super) listing: Listing,
    /// The recovery records inside the file, as far as they are known.
    pub(super) records: Brief,
    pub(super) details: Details,
}

impl Listed {
    /// Bytes of plain data. The command decodes what headers do not tell, so the number is known.
    fn plain_len(&self) -> u64 {
        self.listing.plain_len.unwrap_or_default()
    }

    /// The number of frames, which is known too.
    fn frames(&self) -> u64 {
        self.listing.frames.unwrap_or_default()
    }
}

/// Adds rows of numbers. Headers may claim any length, so a sum stops at the largest number.
fn sums<const N: usize>(rows: impl IntoIterator<Item = [u64; N]>) -> [u64; N] {
    let add = |sums: [u64; N], row: [u64; N]| std::array::from_fn(|at| sums[at].saturating_add(row[at]));
    rows.into_iter().fold([0; N], add)
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

/// Reads a command line by the table of its tool. `request` makes the request of what was read, for these files.
fn work<A>(
    interface: &'static Interface<A>,
    called: &Name,
    mut args: A,
    given: Vec<OsString>,
    request: impl FnOnce(A, Vec<OsString>) -> Result<Request, Refusal>,
) -> Result<Action, Refusal> {
    match interface.read(called.program, &mut args, given)? {
        Given::Text(text) => Ok(Action::Text(text)),
        Given::Files(files) => Ok(Action::Work(Box::new(request(args, files)?))),
    }
}

/// The refusal of a command line with exit status 1 and the name of the program in front of the message.
fn refusal(called: &Name, what: impl Display) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}

/// The same with the advice to read the help.
fn refusal_with_hint(called: &Name, what: impl Display) -> Refusal {
    refusal(called, format_args!("{what}\nTry '{} --help' for more information.", called.program))
}

/// How many names a file has besides one, in words.
fn other_links(links: u64) -> String {
    let others = links - 1;
    format!("{others} other link{}", if others == 1 { "" } else { "s" })
}

/// The name of an input or output in the messages of bzip2, lzip and xz: standard streams stand in parentheses.
fn in_parentheses(name: &str) -> &str {
    match name {
        "stdin" => "(stdin)",
        "stdout" => "(stdout)",
        name => name,
    }
}

/// The length of the longest name of an input. bzip2 and lzip pad the other names to this length, so that the figures
/// behind them stand in a column.
fn widest_name(request: &Request) -> usize {
    request.sources.iter().map(|source| in_parentheses(&source.name()).len()).max().unwrap_or(0)
}

/// The number in an environment variable of zstd or lz4. If it holds another text, the user is told so.
fn number_in_variable<N: FromStr>(variable: &str, kind: &str) -> Option<N> {
    let value = std::env::var(variable).ok()?;
    let number = value.parse().ok();
    if number.is_none() {
        print_line(format_args!(
            "Ignore environment variable setting {variable}={value}: not a valid {kind} value"
        ));
    }
    number
}

/// The words of an environment variable, split at white space.
fn split_words(variable: &OsStr) -> Vec<OsString> {
    let words = variable.as_encoded_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(system::name::from_bytes).collect()
}

/// The verbosity of a tool with a display level, which `-q` lowers and `-v` raises from 2. At 1 the tool prints
/// errors, at 2 also warnings, at 3 also results, at 4 also settings. If standard error is a terminal, results are
/// printed at 2, too.
fn verbosity(display_level: i32) -> Verbosity {
    let is_watched = i32::from(std::io::stderr().is_terminal());
    let results = (display_level - 2 + is_watched * i32::from(display_level == 2)).clamp(0, 2);
    Verbosity { quiet: display_level < 2, verbose: results as u8 }
}
