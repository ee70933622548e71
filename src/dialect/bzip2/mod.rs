//! bzip2 1.0.8, lbzip2 and pbzip2: their options, and the requests that they make.
//!
//! [`Bzip2`] is the dialect of bzip2, bunzip2 and bzcat. [`Args`] collects the options of all three tools, which
//! share most of them. What differs for lbzip2 and pbzip2 is in files of their own.

mod lbzip2;
mod messages;
mod options;
mod pbzip2;

use std::ffi::{OsStr, OsString};

use pzcomp::{Layout, Member, Unknown};

use super::super::request::{FileRules, Mode, Options, Recompress, Request, Source, Suffixes, Target};
use super::super::tool::Name;
use super::{Action, Dialect, Refusal, refusal, split_words, work};
pub(in super::super) use lbzip2::Lbzip2;
use options::BZIP2;
pub(in super::super) use pbzip2::Pbzip2;

/// The dialect of bzip2.
pub(in super::super) struct Bzip2;

impl Dialect for Bzip2 {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let given = with_variables(&["BZIP2", "BZIP"], arguments);
        work(&BZIP2, called, Args::new(called, Tool::Bzip2), given, |args, mut files| {
            args.refuse_stdout_with_test("-c and -t cannot be used together.")?;
            // The original reads `-` as an option without a letter.
            files.retain(|file| file != "-");
            Ok(args.request(files))
        })
    }

    fn page(&self, name: &str) -> String {
        BZIP2.page(name, &["bunzip2", "bzcat"])
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] =
    &[(".bz2", ""), (".bz", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tz2", ".tar")];

/// What is appended to the name of a decompressed file if the name of the input has no known suffix.
const PLAIN_FALLBACK: &str = ".out";

/// The first bytes of bzip2 data. Data that begins with them is damaged, and is never copied to a file.
const MAGIC: &[u8] = b"BZh";

/// The highest level with `-s`, which uses little memory.
const SMALL: i32 = 2;

/// The tool that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Bzip2,
    Lbzip2,
    Pbzip2,
}

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    tool: Tool,
    request: Request,
    small: bool,
}

impl Args {
    fn new(called: &'static Name, tool: Tool) -> Self {
        let request = Request {
            task: called.mode.into(),
            target: called.target(),
            rules: FileRules { remove: true, ..FileRules::default() },
            options: Options {
                format: called.format,
                accept: Some(vec![called.format]),
                unknown: Unknown::Ignore,
                // Many readers stop after the first stream.
                layout: Layout::Single(Member::new()),
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                plain_fallback: Some(PLAIN_FALLBACK),
                case_sensitive: true,
                recompress: Recompress::Never,
                ..Suffixes::default()
            },
            ..Request::default()
        };
        Self { called, tool, request, small: false }
    }

    fn set_level(&mut self, level: u64) {
        self.request.options.level = i32::try_from(level).ok();
    }

    /// Fails with this message if output that is only tested is to go to standard output.
    fn refuse_stdout_with_test(&self, what: &str) -> Result<(), Refusal> {
        match self.request.target == Target::Stdout && self.request.mode() == Mode::Test {
            true => Err(refusal(self.called, what)),
            false => Ok(()),
        }
    }

    /// Makes the request for these files.
    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, tool, small, .. } = self;
        let stdout = request.target == Target::Stdout;
        if small {
            let level = request.options.level.unwrap_or(SMALL);
            request.options.level = Some(level.min(SMALL));
        }
        request.sources = Request::sources_of(files);
        let is_forced = request.rules.force && request.mode() == Mode::Decompress;
        let from_stdin = request.sources == [Source::Stdin];
        match tool {
            _ if !is_forced => {}
            // What is copied from standard input is known by its first bytes, which are read only once.
            Tool::Bzip2 | Tool::Lbzip2 if from_stdin => request.options.unknown = Unknown::CopyWhole,
            Tool::Bzip2 => request.copy_unless = Some(MAGIC),
            Tool::Lbzip2 if stdout => (request.copy_unless, request.accept_empty) = (Some(MAGIC), true),
            Tool::Lbzip2 | Tool::Pbzip2 => {}
        }
        request.rules.remove &= !stdout && request.mode() != Mode::Test;
        request
    }
}

/// The words of these environment variables, and the arguments after them. The words can be file names, too.
fn with_variables(variables: &[&str], args: Vec<OsString>) -> Vec<OsString> {
    let variables = variables.iter().filter_map(std::env::var_os);
    variables.flat_map(|words| split_words(&words)).chain(args).collect()
}

/// Reads a number that is at least 1.
fn parse_positive(value: &OsStr) -> Option<usize> {
    value.to_str()?.parse().ok().filter(|&number| number > 0)
}
