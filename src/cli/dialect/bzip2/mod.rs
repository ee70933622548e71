//! bzip2: its options, as of 1.0.8, and what they ask for; with those who do the same on all cores.

mod lbzip2;
mod options;
mod pbzip2;
mod words;

use std::ffi::{OsStr, OsString};

use pzcomp::{Format, Layout, Member, Options, Unknown};

use super::super::interface::{self, Args, Given, Interface, Misuse};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Mode, Request, Suffixes, Target};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Ending, Refusal, Speaker, Verdict, words_of};
pub(in super::super) use lbzip2::Lbzip2;
use options::{BZIP2, Flag};
pub(in super::super) use pbzip2::Pbzip2;

/// bzip2.
pub(in super::super) struct Bzip2;

impl Dialect for Bzip2 {
    fn parse(&self, called: &'static Name, given: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called, Tool::Bzip2);
        let mut files = match wishes.read(&BZIP2, with_variables(&["BZIP2", "BZIP"], given))? {
            Given::Text(text) => return Ok(Asked::Text(text)),
            Given::Files(files) => files,
        };
        if wishes.stdout && wishes.request.mode == Mode::Test {
            return Err(refusal(called, "-c and -t cannot be used together."));
        }
        // A dash alone is an option without a letter.
        files.retain(|file| file != "-");
        Ok(Asked::Work(Box::new(wishes.request(files))))
    }

    fn page(&self, name: &str) -> String {
        BZIP2.page(name, &["bunzip2", "bzcat"])
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

/// Suffixes of coded files, and what takes their place.
const SUFFIXES: &[(&str, &str)] =
    &[(".bz2", ""), (".bz", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tz2", ".tar")];

/// What is behind the name of a decoded file whose own name says nothing.
const OTHERWISE: &str = ".out";

static READ: [Format; 1] = [Format::BZIP2];

/// The level at which little memory is used.
const SMALL: i32 = 2;

/// Which of the tools is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Bzip2,
    Lbzip2,
    Pbzip2,
}

/// What the options seen so far amount to.
struct Wishes {
    called: &'static Name,
    tool: Tool,
    request: Request,
    stdout: bool,
    keep: bool,
    small: bool,
}

impl Wishes {
    fn new(called: &'static Name, tool: Tool) -> Self {
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
        Self { called, tool, request, stdout: called.stdout, keep: false, small: false }
    }

    fn read(&mut self, interface: &'static Interface<Flag>, given: Vec<OsString>) -> Result<Given, Refusal> {
        interface::read(interface, self.called.program, self, given)
    }

    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, stdout, keep, small, .. } = self;
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

impl Args for Wishes {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        let value = value.as_deref();
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
            Flag::Threads if self.tool == Tool::Lbzip2 => {
                request.options.threads = lbzip2::threads(called, value)?;
            }
            Flag::Threads => request.options.threads = pbzip2::counted(called, 'p', value)?,
            Flag::BlockSize => request.options.block_size = Some(pbzip2::block_size(called, value)?),
            Flag::TrailingGarbage if value == Some(OsStr::new("0")) => {
                request.options.unknown = Unknown::Refuse;
            }
            Flag::TrailingGarbage => request.options.unknown = Unknown::Ignore,
        }
        Ok(())
    }

    fn number(&mut self, level: u32) -> Result<(), Refusal> {
        self.request.options.level = i32::try_from(level).ok();
        Ok(())
    }

    fn version(&self) -> String {
        match self.tool {
            Tool::Bzip2 => words::version(self.called.program),
            Tool::Lbzip2 => lbzip2::version(),
            Tool::Pbzip2 => pbzip2::version(),
        }
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        let what = match self.tool {
            Tool::Bzip2 => words::misuse(self.called.program, &misuse),
            Tool::Lbzip2 => lbzip2::misuse(&misuse),
            Tool::Pbzip2 => pbzip2::misuse(self.called.program, &misuse),
        };
        refusal(self.called, &what)
    }
}

/// The words of these environment variables, which can be file names too, and the arguments behind them.
fn with_variables(variables: &[&str], args: Vec<OsString>) -> Vec<OsString> {
    let variables = variables.iter().filter_map(std::env::var_os);
    variables.flat_map(|words| words_of(&words)).chain(args).collect()
}

fn refusal(called: &Name, what: &str) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}

/// A number of threads or of something else that there is at least one of.
fn positive(value: Option<&OsStr>) -> Option<usize> {
    value?.to_str()?.parse().ok().filter(|&number| number > 0)
}
