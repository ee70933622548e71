//! bzip2: its options, as of 1.0.8, and what they ask for; with those who do the same on all cores.

mod lbzip2;
mod pbzip2;
mod words;

use std::ffi::{OsStr, OsString};

use pzcomp::{Format, Layout, Member, Options, Unknown};

use super::super::getopt::{Arguments, Digits, Item, Misuse, Opt, flag};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Mode, Request, Suffixes, Target};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Ending, Refusal, Speaker, Verdict, words_of};
pub(in super::super) use lbzip2::Lbzip2;
pub(in super::super) use pbzip2::Pbzip2;

/// bzip2.
pub(in super::super) struct Bzip2;

impl Dialect for Bzip2 {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        // Both variables hold what could stand in front of the arguments, files too.
        let variables = ["BZIP2", "BZIP"].iter().filter_map(std::env::var_os);
        let args: Vec<OsString> = variables.flat_map(|words| words_of(&words)).chain(args).collect();
        let mut arguments = Arguments::new(OPTIONS, Digits::Flags, args).in_full();
        while let Some(item) = arguments.next().map_err(|misuse| misused(called, &misuse))? {
            match item {
                Item::File(file) => wishes.files.push(file),
                Item::Option(Flag::Help, _) => return Ok(Asked::Text(words::help(called.program))),
                Item::Option(Flag::Version, _) => return Ok(Asked::Text(words::version(called.program))),
                Item::Option(flag, _) => wishes.take(flag),
                // Digits are flags.
                Item::Number(_) => {}
            }
        }
        if wishes.stdout && wishes.request.mode == Mode::Test {
            return Err(refusal(called, "-c and -t cannot be used together."));
        }
        // A dash alone is an option without a letter.
        wishes.files.retain(|file| file != "-");
        Ok(Asked::Work(Box::new(wishes.request())))
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }

    fn ending(&self, trouble: &Trouble, mode: Mode) -> Ending {
        words::ending(trouble, mode)
    }

    /// Damage is worse than what the environment refuses, which is told as a warning therefore.
    fn code(&self, status: Status) -> u8 {
        match status {
            Status::Fine => 0,
            Status::Warning => 1,
            Status::Error => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Compress,
    Decompress,
    Test,
    Stdout,
    Keep,
    Force,
    Small,
    Quiet,
    Verbose,
    Level(i32),
    Help,
    Version,
    /// Plain bytes in a stream, in hundreds of thousands.
    BlockSize,
    Threads,
    TrailingGarbage,
    /// What has no effect on the output.
    Idle,
}

/// The options that all three have, and more.
macro_rules! options {
    ($($own:expr),* $(,)?) => {
        &[
            flag(Flag::Compress, "z", "compress"),
            flag(Flag::Decompress, "d", "decompress"),
            flag(Flag::Test, "t", "test"),
            flag(Flag::Stdout, "c", "stdout"),
            flag(Flag::Keep, "k", "keep"),
            flag(Flag::Force, "f", "force"),
            flag(Flag::Quiet, "q", "quiet"),
            flag(Flag::Verbose, "v", "verbose"),
            flag(Flag::Level(1), "1", "fast"),
            flag(Flag::Level(2), "2", ""),
            flag(Flag::Level(3), "3", ""),
            flag(Flag::Level(4), "4", ""),
            flag(Flag::Level(5), "5", ""),
            flag(Flag::Level(6), "6", ""),
            flag(Flag::Level(7), "7", ""),
            flag(Flag::Level(8), "8", ""),
            flag(Flag::Level(9), "9", "best"),
            flag(Flag::Help, "h", "help"),
            flag(Flag::Version, "V", "version"),
            flag(Flag::Version, "L", "license"),
            flag(Flag::Small, "s", "small"),
            flag(Flag::Idle, "", "repetitive-fast"),
            flag(Flag::Idle, "", "repetitive-best"),
            flag(Flag::Idle, "", "exponential"),
            $($own),*
        ]
    };
}
use options;

static OPTIONS: &[Opt<Flag>] = options!();

/// Suffixes of coded files, and what takes their place.
const SUFFIXES: &[(&str, &str)] =
    &[(".bz2", ""), (".bz", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tz2", ".tar")];

/// What is behind the name of a decoded file whose own name says nothing.
const OTHERWISE: &str = ".out";

static READ: [Format; 1] = [Format::BZIP2];

/// The level at which little memory is used.
const SMALL: i32 = 2;

/// What the options seen so far amount to.
struct Wishes {
    request: Request,
    stdout: bool,
    keep: bool,
    small: bool,
    files: Vec<OsString>,
}

impl Wishes {
    fn new(called: &Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options {
                format: called.format,
                accept: Some(&READ),
                unknown: Unknown::Ignore,
                // Many readers stop after the first stream.
                layout: Layout::Single(Member::default()),
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                otherwise: Some(OTHERWISE),
                strict: true,
                everywhere: true,
                ..Suffixes::default()
            },
            ..Request::default()
        };
        Self { request, stdout: called.stdout, keep: false, small: false, files: Vec::new() }
    }

    /// Takes an option that is not the dialect's own.
    fn take(&mut self, flag: Flag) {
        let request = &mut self.request;
        match flag {
            Flag::Compress => request.mode = Mode::Compress,
            Flag::Decompress => request.mode = Mode::Decompress,
            Flag::Test => request.mode = Mode::Test,
            Flag::Stdout => self.stdout = true,
            Flag::Keep => self.keep = true,
            Flag::Force => request.force = true,
            Flag::Small => self.small = true,
            Flag::Quiet => request.voice.quiet = true,
            Flag::Verbose => request.voice.verbose = request.voice.verbose.saturating_add(1),
            Flag::Level(level) => request.options.level = Some(level),
            Flag::Help | Flag::Version | Flag::Idle => {}
            Flag::BlockSize | Flag::Threads | Flag::TrailingGarbage => {}
        }
    }

    fn request(self) -> Request {
        let Self { mut request, stdout, keep, small, files } = self;
        if small {
            let level = request.options.level.unwrap_or(SMALL);
            request.options.level = Some(level.min(SMALL));
        }
        if stdout && request.force && request.mode == Mode::Decompress {
            request.options.unknown = Unknown::CopyWhole;
        }
        if stdout {
            request.target = Target::Stdout;
        }
        request.remove = !keep && !stdout && request.mode != Mode::Test;
        request.sources = Request::sources_of(files);
        request
    }
}

/// A command line that is not understood.
fn misused(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    let what = match misuse {
        Misuse::Short(letter) => format!("Bad flag '-{letter}'"),
        Misuse::Long(name) => format!("Bad flag '--{name}'"),
        other => other.to_string(),
    };
    refusal(called, &format!("{what}\n{program}: For help, type: '{program} --help'."))
}

fn refusal(called: &Name, what: &str) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}

/// A number of threads or of something else that there is at least one of.
fn positive(value: Option<&OsStr>) -> Option<usize> {
    value?.to_str()?.parse().ok().filter(|&number| number > 0)
}
