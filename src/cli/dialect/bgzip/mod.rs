//! bgzip of htslib: its options, as of 1.16 and later, and what they ask for.

mod blocks;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use pzcomp::{Format, Layout, Options};

use super::super::getopt::{Arguments, Digits, Item, Opt, flag, value};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Ask, Mode, Request, Shared, Sidecar, Source, Suffixes, Target};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Refusal, Speaker, Verdict};
pub(in super::super) use blocks::Blocks;
use blocks::Deed;

/// bgzip.
pub(in super::super) struct Bgzip;

impl Dialect for Bgzip {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        let mut arguments = Arguments::new(&OPTIONS, Digits::Flags, args);
        while let Some(item) = arguments.next().map_err(|misuse| words::misuse(called, &misuse))? {
            match item {
                Item::File(file) => wishes.files.push(file),
                Item::Option(Flag::Help, _) => return Ok(Asked::Text(words::help(called.program))),
                Item::Option(Flag::Version, _) => return Ok(Asked::Text(words::version(called.program))),
                Item::Option(flag, value) => wishes.take(called, flag, value.unwrap_or_default())?,
                // Digits are no options of it.
                Item::Number(_) => {}
            }
        }
        wishes.asked(called)
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }

    fn question(&self, speaker: Speaker, path: &Path) -> Option<String> {
        let (program, path) = (speaker.program, path.display());
        Some(format!("[{program}] {path} already exists; do you wish to overwrite (y or n)? "))
    }

    /// Everything that is not as it should be is an error.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Decompress,
    Force,
    Help,
    Index,
    IndexName,
    Keep,
    Level,
    /// What changes neither the output nor what is said.
    Nothing,
    Offset,
    Output,
    Rebgzip,
    Reindex,
    Size,
    Stdout,
    Test,
    Threads,
    Version,
}

static OPTIONS: [Opt<Flag>; 19] = [
    value(Flag::Offset, "b", "offset"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Decompress, "d", "decompress"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Rebgzip, "g", "rebgzip"),
    flag(Flag::Help, "h", "help"),
    flag(Flag::Index, "i", "index"),
    value(Flag::IndexName, "I", "index-name"),
    flag(Flag::Keep, "k", "keep"),
    value(Flag::Level, "l", "compress-level"),
    value(Flag::Output, "o", "output"),
    flag(Flag::Reindex, "r", "reindex"),
    value(Flag::Size, "s", "size"),
    flag(Flag::Test, "t", "test"),
    value(Flag::Threads, "@", "threads"),
    flag(Flag::Version, "", "version"),
    // Blocks are never aligned with lines, as they were not before 1.19.
    flag(Flag::Nothing, "", "binary"),
    value(Flag::Nothing, "", "verbosity"),
    flag(Flag::Help, "?", ""),
];

const SUFFIXES: &[(&str, &str)] = &[(".gz", ""), (".bgz", ""), (".bgzf", "")];

static READ: [Format; 1] = [Format::GZIP];

/// Suffix of an index.
const GZI: &str = ".gzi";

/// What the options seen so far amount to.
struct Wishes {
    request: Request,
    stdout: bool,
    keep: bool,
    index: bool,
    index_name: Option<PathBuf>,
    reindex: bool,
    /// First plain byte that is wanted.
    offset: Option<u64>,
    /// How many are wanted.
    size: Option<u64>,
    files: Vec<OsString>,
}

impl Wishes {
    fn new(called: &Name) -> Self {
        let request = Request {
            options: Options {
                format: called.format,
                layout: Layout::Bgzf,
                accept: Some(&READ),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, again: true, ..Suffixes::default() },
            follow: true,
            shared: Shared::Removed,
            ask: Ask::Terminal,
            ..Request::default()
        };
        Self {
            request,
            stdout: false,
            keep: false,
            index: false,
            index_name: None,
            reindex: false,
            offset: None,
            size: None,
            files: Vec::new(),
        }
    }

    fn take(&mut self, called: &Name, flag: Flag, value: OsString) -> Result<(), Refusal> {
        let request = &mut self.request;
        match flag {
            Flag::Help | Flag::Version | Flag::Nothing => {}
            Flag::Stdout => self.stdout = true,
            Flag::Decompress => request.mode = Mode::Decompress,
            Flag::Test => (request.mode, self.reindex) = (Mode::Test, false),
            Flag::Reindex => self.reindex = true,
            Flag::Force => request.force = true,
            Flag::Keep => self.keep = true,
            Flag::Index => self.index = true,
            Flag::IndexName => self.index_name = Some(value.into()),
            Flag::Output if value == "-" => self.stdout = true,
            Flag::Output => request.target = Target::File(value.into()),
            Flag::Offset => {
                self.offset = Some(number(called, "offset", &value)?);
                request.mode = Mode::Decompress;
            }
            Flag::Size => self.size = Some(number(called, "size", &value)?),
            Flag::Threads => request.options.threads = number(called, "number of threads", &value)?,
            Flag::Level => {
                request.options.level = match value.to_str() {
                    Some("-1") => None,
                    _ => match number(called, "compress-level", &value)? {
                        level @ 0..=9 => Some(level),
                        level => {
                            return Err(refusal(called, format_args!("Invalid compress-level: {level}")));
                        }
                    },
                }
            }
            Flag::Rebgzip => {
                let what = "-g is not supported: blocks are cut at even distances, not where an index says; \
                            -i makes an index of the blocks as they are";
                return Err(refusal(called, what));
            }
        }
        Ok(())
    }

    fn asked(mut self, called: &Name) -> Result<Asked, Refusal> {
        let request = &mut self.request;
        if self.stdout && request.target != Target::Beside {
            return Err(refusal(called, "Cannot write to a file and stdout at the same time."));
        }
        let sources = Request::sources_of(self.files);
        let from_stdin = sources.contains(&Source::Stdin);
        if (self.index || self.reindex) && self.index_name.is_some() && sources.len() > 1 {
            let what = "Cannot specify index filename with multiple data file on index, reindex.";
            return Err(refusal(called, what));
        }
        let compresses = request.mode == Mode::Compress && !self.reindex;
        if (compresses && self.index || self.reindex) && from_stdin && self.index_name.is_none() {
            return Err(refusal(called, "Index file name expected when reading from stdin"));
        }
        let wants_range = self.offset.is_some() || self.size.is_some() && request.mode == Mode::Decompress;
        if self.reindex || wants_range {
            let deed = match self.reindex {
                true => Deed::Index,
                false => {
                    let start = self.offset.unwrap_or(0);
                    Deed::Read(start..self.size.map_or(u64::MAX, |size| start.saturating_add(size)))
                }
            };
            return Ok(Asked::Blocks(Box::new(Blocks {
                deed,
                index_name: self.index_name,
                options: self.request.options,
                sources,
            })));
        }
        request.options.index = self.index;
        request.sidecar = self.index.then(|| self.index_name.map_or(Sidecar::Beside(GZI), Sidecar::File));
        let in_place = request.target == Target::Beside && !self.stdout;
        request.remove = in_place && !self.keep && request.mode != Mode::Test;
        request.sync = request.remove;
        if self.stdout || self.size.is_some() {
            (request.target, request.remove) = (Target::Stdout, false);
        }
        request.sources = sources;
        Ok(Asked::Work(Box::new(self.request)))
    }
}

/// The number that is the value of an option.
fn number<N: std::str::FromStr>(called: &Name, what: &str, value: &OsStr) -> Result<N, Refusal> {
    let number = value.to_str().and_then(|value| value.parse().ok());
    number.ok_or_else(|| refusal(called, format_args!("Invalid {what}: {}", value.display())))
}

fn refusal(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("[{}] {what}", called.program), code: 1 }
}
