//! GNU gzip: its options, as of 1.14, and what they ask for.

mod options;
mod table;
mod words;

pub(super) use table::plain_name;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pzcomp::{Format, Layout, Listing, Member, Options, Unknown};

use super::super::interface::{self, Args, Given, Misuse};
use super::super::name::Name;
use super::super::request::{Ask, Mode, Origin, Request, Source, Suffixes, Target, Voice};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Listed, Refusal, Speaker, Verdict};
use options::{Flag, INTERFACE};

/// GNU gzip.
pub(in super::super) struct Gzip;

impl Dialect for Gzip {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        if let Some(variable) = std::env::var_os("GZIP") {
            wishes.take_variable(&variable);
        }
        match interface::read(&INTERFACE, called.program, &mut wishes, args)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => Ok(Asked::Work(Box::new(wishes.request(files)))),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["gunzip", "zcat"])
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }

    fn listed(&self, speaker: Speaker, name: &str, listing: &Listing) -> Verdict {
        words::listed(speaker, name, listing)
    }

    fn list(&self, listed: &[Listed], request: &Request) -> String {
        table::table(listed, request)
    }

    fn question(&self, speaker: Speaker, path: &Path) -> Option<String> {
        let (program, path) = (speaker.program, path.display());
        Some(format!("{program}: {path} already exists; do you wish to overwrite (y or n)? "))
    }
}

/// Suffixes of coded files, and what takes their place.
const SUFFIXES: &[(&str, &str)] =
    &[(".gz", ""), (".z", ""), (".taz", ".tar"), (".tgz", ".tar"), ("-gz", ""), ("-z", ""), ("_z", "")];

/// What is tried behind the name of a file that is not there.
const TRIED: &[&str] = &[".gz", ".z", "-z", ".Z"];

/// What is decoded besides gzip itself.
static READ: [Format; 5] = [Format::GZIP, Format::LZW, Format::PACK, Format::LZH, Format::ZIP];

/// The longest suffix.
const SUFFIX_MAX: usize = 30;

/// What the options seen so far amount to.
pub(super) struct Wishes {
    pub(super) called: &'static Name,
    pub(super) request: Request,
    pub(super) stdout: bool,
    pub(super) keep: bool,
    /// Whether name and time are stored or restored, where an option says so.
    pub(super) name: Option<bool>,
    pub(super) time: Option<bool>,
}

impl Wishes {
    pub(super) fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options {
                format: called.format,
                accept: Some(&READ),
                unknown: Unknown::Ignore,
                salvage: true,
                layout: Layout::Single(Member::default()),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, tried: TRIED, ..Suffixes::default() },
            ask: Ask::Terminal,
            wary: true,
            ..Request::default()
        };
        Self { called, request, stdout: called.stdout, keep: false, name: None, time: None }
    }

    /// Of the options in the environment only those act that cannot surprise a script.
    fn take_variable(&mut self, variable: &OsStr) {
        let words = variable.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        for word in words {
            match word {
                [b'-', digit @ b'1'..=b'9'] => self.request.options.level = Some(i32::from(digit - b'0')),
                b"--fast" => self.request.options.level = Some(1),
                b"--best" => self.request.options.level = Some(9),
                b"--rsyncable" => self.request.options.rsyncable = true,
                b"--synchronous" => self.request.sync = true,
                _ => {}
            }
        }
    }

    pub(super) fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, stdout, keep, name, time, .. } = self;
        let compresses = request.mode == Mode::Compress;
        // Compressing, both are stored unless that is unwanted; decompressing, neither is restored.
        let (name, time) = (name.unwrap_or(compresses), time.unwrap_or(compresses));
        request.origin = Origin { name, time, ..request.origin };
        if stdout {
            request.target = Target::Stdout;
        }
        request.remove = !keep && !stdout && matches!(request.mode, Mode::Compress | Mode::Decompress);
        request.sources = Request::sources_of(files);
        let from_stdin = request.sources.iter().all(|source| *source == Source::Stdin);
        if (stdout || from_stdin) && request.force && request.mode == Mode::Decompress {
            request.options.unknown = Unknown::Copy;
        }
        request
    }
}

impl Args for Wishes {
    type Flag = Flag;

    fn version(&self) -> String {
        words::version(self.called.program)
    }

    fn number(&mut self, level: u32) -> Result<(), Refusal> {
        self.request.options.level = i32::try_from(level).ok();
        Ok(())
    }

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        match flag {
            Flag::Unknown => return Err(Refusal { text: advice(called), code: 1 }),
            Flag::PresumeTty => request.ask = Ask::Anyone,
            Flag::Stdout => self.stdout = true,
            // Who lists does not test, and who tests does not write, in whatever order it is said.
            Flag::Decompress if request.mode == Mode::Compress => request.mode = Mode::Decompress,
            Flag::Test if request.mode != Mode::List => request.mode = Mode::Test,
            Flag::Decompress | Flag::Test => {}
            Flag::List => request.mode = Mode::List,
            Flag::Force => request.force = true,
            Flag::Keep => self.keep = true,
            Flag::NoName => (self.name, self.time) = (Some(false), Some(false)),
            Flag::Name => (self.name, self.time) = (Some(true), Some(true)),
            Flag::NoTime => self.time = Some(false),
            Flag::Time => self.time = Some(true),
            Flag::Quiet => request.voice = Voice { quiet: true, verbose: 0 },
            Flag::Verbose => request.voice = Voice { quiet: false, verbose: request.voice.verbose + 1 },
            Flag::Recursive => request.recursive = true,
            Flag::Rsyncable => request.options.rsyncable = true,
            Flag::Synchronous => request.sync = true,
            Flag::Level(level) => request.options.level = Some(level),
            Flag::Lzw => return Err(refusal(called, "-Z not supported in this version")),
            Flag::Bits => {
                let bits = value.unwrap_or_default();
                if bits.is_empty() || !bits.as_bytes().iter().all(u8::is_ascii_digit) {
                    return Err(refusal(called, "-b operand is not an integer"));
                }
            }
            Flag::Suffix => {
                let suffix = value.unwrap_or_default();
                let bytes = suffix.as_bytes();
                if bytes.is_empty() || bytes.len() > SUFFIX_MAX || bytes.contains(&b'/') {
                    let text = format!("{}: invalid suffix '{}'", called.program, suffix.display());
                    return Err(Refusal { text, code: 1 });
                }
                request.suffixes.own = Some(suffix);
            }
        }
        Ok(())
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        refusal(self.called, misuse)
    }
}

/// A command line that is not understood.
fn refusal(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("{}: {what}\n{}", called.program, advice(called)), code: 1 }
}

fn advice(called: &Name) -> String {
    format!("Try `{} --help' for more information.", called.program)
}
