//! bgzip of htslib: its options as of 1.16 and later, and the request that they make.
//!
//! [`Bgzip`] is the dialect. Options that make an index or read part of a file become a [`BgzfTask`], because the
//! other code of the command has no such request.

mod blocks;
mod messages;
mod options;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use pzcomp::{Format, Layout};

use super::super::interface::Given;
use super::super::request::{
    Ask, FileRules, HardLinks, IndexFile, Mode, Options, Recompress, Request, Source, Suffixes, Target,
};
use super::super::tool::Name;
use super::{Action, Dialect, Refusal};
use blocks::BgzfOperation;
pub(in super::super) use blocks::BgzfTask;
use options::INTERFACE;

/// The dialect of bgzip.
pub(in super::super) struct Bgzip;

impl Dialect for Bgzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        match INTERFACE.read(called.program, &mut args, arguments)? {
            Given::Text(text) => Ok(Action::Text(text)),
            Given::Files(files) => args.action(files),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

const SUFFIXES: &[(&str, &str)] = &[(".gz", ""), (".bgz", ""), (".bgzf", "")];

static READ: [Format; 1] = [Format::Gzip];

/// The suffix of an index.
const GZI: &str = ".gzi";

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    keep: bool,
    index: bool,
    index_name: Option<PathBuf>,
    reindex: bool,
    /// The first plain byte to read.
    offset: Option<u64>,
    /// The number of plain bytes to read.
    size: Option<u64>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            options: Options {
                format: called.format,
                layout: Layout::Bgzf,
                accept: Some(READ.to_vec()),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, recompress: Recompress::Always, ..Suffixes::default() },
            rules: FileRules {
                follow_links: true,
                hard_links: HardLinks::Removed,
                ask: Ask::IfTerminal,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self {
            called,
            request,
            stdout: false,
            keep: false,
            index: false,
            index_name: None,
            reindex: false,
            offset: None,
            size: None,
        }
    }

    /// Makes the request or the task for these files. Fails if options contradict each other.
    fn action(mut self, files: Vec<OsString>) -> Result<Action, Refusal> {
        let (called, request) = (self.called, &mut self.request);
        if self.stdout && request.target != Target::Beside {
            return Err(refusal_in_brackets(called, "Cannot write to a file and stdout at the same time."));
        }
        let sources = Request::sources_of(files);
        let from_stdin = sources.contains(&Source::Stdin);
        if (self.index || self.reindex) && self.index_name.is_some() && sources.len() > 1 {
            let what = "Cannot specify index filename with multiple data file on index, reindex.";
            return Err(refusal_in_brackets(called, what));
        }
        let compresses = request.mode() == Mode::Compress && !self.reindex;
        if (compresses && self.index || self.reindex) && from_stdin && self.index_name.is_none() {
            return Err(refusal_in_brackets(called, "Index file name expected when reading from stdin"));
        }
        let wants_range = self.offset.is_some() || self.size.is_some() && request.mode() == Mode::Decompress;
        if self.reindex || wants_range {
            let operation = match self.reindex {
                true => BgzfOperation::MakeIndex,
                false => {
                    let start = self.offset.unwrap_or(0);
                    BgzfOperation::ReadRange(
                        start..self.size.map_or(u64::MAX, |size| start.saturating_add(size)),
                    )
                }
            };
            return Ok(Action::Bgzf(Box::new(BgzfTask {
                operation,
                index_name: self.index_name,
                options: self.request.options,
                sources,
            })));
        }
        request.options.no_index = !self.index;
        request.index_file =
            self.index.then(|| self.index_name.map_or(IndexFile::Beside(GZI), IndexFile::File));
        let in_place = request.target == Target::Beside && !self.stdout;
        request.rules.remove = in_place && !self.keep && request.mode() != Mode::Test;
        request.rules.sync = request.rules.remove;
        if self.stdout || self.size.is_some() {
            (request.target, request.rules.remove) = (Target::Stdout, false);
        }
        request.sources = sources;
        Ok(Action::Work(Box::new(self.request)))
    }

    fn set_level(&mut self, level: OsString) -> Result<(), Refusal> {
        self.request.options.level = match level.to_str() {
            Some("-1") => None,
            _ => match self.number("compress-level", &level)? {
                level @ 0..=9 => Some(level),
                level => {
                    let what = format_args!("Invalid compress-level: {level}");
                    return Err(refusal_in_brackets(self.called, what));
                }
            },
        };
        Ok(())
    }

    /// Reads the value of an option as a number.
    fn number<N: std::str::FromStr>(&self, what: &str, value: &OsStr) -> Result<N, Refusal> {
        let number = value.to_str().and_then(|value| value.parse().ok());
        let invalid =
            || refusal_in_brackets(self.called, format_args!("Invalid {what}: {}", value.display()));
        number.ok_or_else(invalid)
    }
}

/// The refusal of a command line. bgzip puts its name in brackets.
fn refusal_in_brackets(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("[{}] {what}", called.program), code: 1 }
}
