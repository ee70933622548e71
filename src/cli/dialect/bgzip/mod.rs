//! bgzip of htslib: its options, as of 1.16 and later, and what they ask for.

mod blocks;
mod options;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use pzcomp::{Format, Layout, Options};

use super::super::interface::{self, Args, Given, Misuse};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Ask, Mode, Request, Shared, Sidecar, Source, Suffixes, Target};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Refusal, Speaker, Verdict};
pub(in super::super) use blocks::Blocks;
use blocks::Deed;
use options::{Flag, INTERFACE};

/// bgzip.
pub(in super::super) struct Bgzip;

impl Dialect for Bgzip {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        match interface::read(&INTERFACE, called.program, &mut wishes, args)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => wishes.asked(files),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
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

const SUFFIXES: &[(&str, &str)] = &[(".gz", ""), (".bgz", ""), (".bgzf", "")];

static READ: [Format; 1] = [Format::GZIP];

/// Suffix of an index.
const GZI: &str = ".gzi";

/// What the options seen so far amount to.
struct Wishes {
    called: &'static Name,
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
}

impl Wishes {
    fn new(called: &'static Name) -> Self {
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

    fn asked(mut self, files: Vec<OsString>) -> Result<Asked, Refusal> {
        let (called, request) = (self.called, &mut self.request);
        if self.stdout && request.target != Target::Beside {
            return Err(refusal(called, "Cannot write to a file and stdout at the same time."));
        }
        let sources = Request::sources_of(files);
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

impl Args for Wishes {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        let value = value.unwrap_or_default();
        match flag {
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
        }
        Ok(())
    }

    fn version(&self) -> String {
        words::version(self.called.program)
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        match misuse {
            refused @ Misuse::Refused(..) => refusal(self.called, refused),
            other => words::misuse(self.called, &other),
        }
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
