//! GNU gzip: its options, as of 1.14, and what they ask for.

mod table;
mod words;

pub(super) use table::plain_name;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pzcomp::{Format, Layout, Listing, Member, Options, Unknown};

use super::super::getopt::{Arguments, Digits, Item, Opt, flag, value};
use super::super::name::Name;
use super::super::request::{Ask, Mode, Origin, Request, Source, Suffixes, Target, Voice};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Listed, Refusal, Speaker, Verdict};

/// GNU gzip.
pub(in super::super) struct Gzip;

impl Dialect for Gzip {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        if let Some(variable) = std::env::var_os("GZIP") {
            wishes.take_variable(&variable);
        }
        let mut arguments = Arguments::new(&OPTIONS, Digits::Flags, args);
        while let Some(item) = arguments.next().map_err(|misuse| refusal(called, misuse))? {
            match item {
                Item::File(file) => wishes.files.push(file),
                Item::Option(Flag::Help, _) => return Ok(Asked::Text(words::help(called.program))),
                Item::Option(Flag::Version, _) => return Ok(Asked::Text(words::version(called.program))),
                Item::Option(Flag::License, _) => return Ok(Asked::Text(words::license(called.program))),
                Item::Option(flag, value) => wishes.take(called, flag, value.as_deref())?,
                // Digits are flags.
                Item::Number(_) => {}
            }
        }
        Ok(Asked::Work(Box::new(wishes.request())))
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    /// What has no meaning on Unix.
    Ascii,
    Stdout,
    Decompress,
    Force,
    Help,
    /// What getopt says of options that are none, and gzip takes for one.
    Puzzled,
    Keep,
    List,
    License,
    /// Neither name nor time, or both.
    NoName,
    Name,
    NoTime,
    Time,
    PresumeTty,
    Quiet,
    Recursive,
    Rsyncable,
    Suffix,
    Synchronous,
    Test,
    Verbose,
    Version,
    Lzw,
    Bits,
    Level(i32),
}

/// In the order in which abbreviations that fit several are told.
static OPTIONS: [Opt<Flag>; 36] = [
    flag(Flag::Ascii, "a", "ascii"),
    flag(Flag::Stdout, "", "to-stdout"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Decompress, "d", "decompress"),
    flag(Flag::Decompress, "", "uncompress"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Help, "hH", "help"),
    flag(Flag::Puzzled, "?", ""),
    flag(Flag::Keep, "k", "keep"),
    flag(Flag::List, "l", "list"),
    flag(Flag::License, "L", "license"),
    flag(Flag::NoName, "n", "no-name"),
    flag(Flag::Name, "N", "name"),
    flag(Flag::NoTime, "m", ""),
    flag(Flag::Time, "M", ""),
    flag(Flag::PresumeTty, "", "-presume-input-tty"),
    flag(Flag::Quiet, "q", "quiet"),
    flag(Flag::Quiet, "", "silent"),
    flag(Flag::Synchronous, "", "synchronous"),
    flag(Flag::Recursive, "r", "recursive"),
    value(Flag::Suffix, "S", "suffix"),
    flag(Flag::Test, "t", "test"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::Version, "V", "version"),
    flag(Flag::Level(1), "1", "fast"),
    flag(Flag::Level(2), "2", ""),
    flag(Flag::Level(3), "3", ""),
    flag(Flag::Level(4), "4", ""),
    flag(Flag::Level(5), "5", ""),
    flag(Flag::Level(6), "6", ""),
    flag(Flag::Level(7), "7", ""),
    flag(Flag::Level(8), "8", ""),
    flag(Flag::Level(9), "9", "best"),
    flag(Flag::Lzw, "Z", "lzw"),
    value(Flag::Bits, "b", "bits"),
    flag(Flag::Rsyncable, "", "rsyncable"),
];

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
    pub(super) request: Request,
    pub(super) stdout: bool,
    pub(super) keep: bool,
    /// Whether name and time are stored or restored, where an option says so.
    pub(super) name: Option<bool>,
    pub(super) time: Option<bool>,
    pub(super) files: Vec<OsString>,
}

impl Wishes {
    pub(super) fn new(called: &Name) -> Self {
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
        Self { request, stdout: called.stdout, keep: false, name: None, time: None, files: Vec::new() }
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

    fn take(&mut self, called: &Name, flag: Flag, value: Option<&OsStr>) -> Result<(), Refusal> {
        let request = &mut self.request;
        match flag {
            Flag::Ascii | Flag::Help | Flag::License | Flag::Version => {}
            Flag::Puzzled => return Err(Refusal { text: advice(called), code: 1 }),
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
                request.suffixes.own = Some(suffix.to_owned());
            }
        }
        Ok(())
    }

    pub(super) fn request(self) -> Request {
        let Self { mut request, stdout, keep, name, time, files } = self;
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

/// A command line that is not understood.
fn refusal(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("{}: {what}\n{}", called.program, advice(called)), code: 1 }
}

fn advice(called: &Name) -> String {
    format!("Try `{} --help' for more information.", called.program)
}
