//! lz4: its options, as of 1.10, and what they ask for.

mod options;
mod table;
mod words;

use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::Path;

use pzcomp::{Check, Format, Layout, Lz4Blocks, Member, Options, Unknown};

use super::super::interface::{self, Args, Given, Misuse};
use super::super::name::Name;
use super::super::report::{Status, say};
use super::super::request::{Ask, Mode, Request, Shared, Source, Suffixes, Target};
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Ending, Listed, Refusal, Speaker, Verdict};
use options::{Flag, INTERFACE};

/// lz4.
pub(in super::super) struct Lz4;

impl Dialect for Lz4 {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        wishes.take_variables();
        match interface::read(&INTERFACE, called.program, &mut wishes, args)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => wishes.request(files).map(Box::new).map(Asked::Work),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unlz4", "lz4cat"])
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }

    fn list(&self, listed: &[Listed], _: &Request) -> String {
        table::table(listed)
    }

    fn question(&self, _: Speaker, path: &Path) -> Option<String> {
        Some(format!("{} already exists; do you want to overwrite (y/N) ? ", path.display()))
    }

    fn ending(&self, trouble: &Trouble, mode: Mode) -> Ending {
        words::ending(trouble, mode)
    }

    /// Everything that is not as it should be is an error.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

const SUFFIX: &str = ".lz4";
const SUFFIXES: &[(&str, &str)] = &[(SUFFIX, "")];

static READ: [Format; 1] = [Format::LZ4];

const HIGHEST: i32 = 12;
/// The highest N of `--fast=N`; more is taken for that.
const FASTEST: i32 = 65_537;

/// What is said unless options say otherwise.
const LOUDNESS: i32 = 2;

/// What the options seen so far amount to.
struct Wishes {
    called: &'static Name,
    request: Request,
    /// Nothing: the name of the first input decides.
    mode: Option<Mode>,
    stdout: bool,
    /// All names are inputs; else the second is the output.
    multiple: bool,
    /// An input that is not compressed is copied, if that is forced, too. Only `-c` itself asks for it, not output
    /// that goes to standard output for another reason.
    pass_through: bool,
    /// See [`super::voice`].
    loudness: i32,
    files: Vec<OsString>,
}

impl Wishes {
    fn new(called: &'static Name) -> Self {
        let is_cat = called.stdout;
        let request = Request {
            options: Options {
                format: called.format,
                layout: Layout::Single(Member::default()),
                accept: Some(&READ),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, again: true, ..Suffixes::default() },
            force: is_cat,
            follow: true,
            shared: Shared::Removed,
            empty: true,
            ..Request::default()
        };
        Self {
            called,
            request,
            mode: (called.mode == Mode::Decompress).then_some(Mode::Decompress),
            stdout: is_cat,
            multiple: is_cat,
            pass_through: is_cat,
            loudness: if is_cat { 1 } else { LOUDNESS },
            files: Vec::new(),
        }
    }

    /// The defaults of level and threads can be set in the environment.
    fn take_variables(&mut self) {
        for variable in ["LZ4_CLEVEL", "LZ4_NBWORKERS"] {
            let Ok(value) = std::env::var(variable) else { continue };
            match value.parse::<u32>() {
                Ok(threads) if variable == "LZ4_NBWORKERS" => self.request.options.threads = threads as usize,
                Ok(level) => self.level(i32::try_from(level).unwrap_or(HIGHEST)),
                Err(_) => say(format_args!(
                    "Ignore environment variable setting {variable}={value}: not a valid unsigned value"
                )),
            }
        }
    }

    /// 0 is as good as none, and what is beyond the highest is that.
    fn level(&mut self, level: i32) {
        self.request.options.level = (level != 0).then_some(level.clamp(-FASTEST, HIGHEST));
    }

    fn request(mut self, files: Vec<OsString>) -> Result<Request, Refusal> {
        self.files = files;
        if !self.multiple {
            self.name_output()?;
        }
        let request = &mut self.request;
        request.sources = std::mem::take(&mut self.files).into_iter().map(source).collect();
        if request.sources.is_empty() {
            request.sources.push(Source::Stdin);
        }
        request.mode = self.mode.unwrap_or(mode_for(&request.sources[0]));
        if self.stdout {
            // What goes there is nowhere else: the input is kept.
            (request.target, request.remove) = (Target::Stdout, false);
        }
        request.sync = request.remove;
        let from_stdin = request.sources.contains(&Source::Stdin);
        if self.loudness == LOUDNESS && (self.multiple || self.stdout) {
            self.loudness -= 1;
        }
        request.voice = super::voice(self.loudness);
        request.ask = if self.loudness < LOUDNESS || from_stdin { Ask::Nobody } else { Ask::Anyone };
        if request.mode == Mode::Decompress && self.pass_through && request.force {
            request.options.unknown = Unknown::CopyWhole;
        }
        Ok(self.request)
    }

    /// The second name is that of the output. Without one, it is standard output, unless that is a
    /// terminal.
    fn name_output(&mut self) -> Result<(), Refusal> {
        let expected = if self.stdout { 1 } else { 2 };
        if let Some(surplus) = self.files.get(expected) {
            let text =
                format!("{} won't be used ! Do you want multiple input files (-m) ?", surplus.display());
            if !self.request.force {
                return Err(Refusal { text: format!("{}: Error : {text}", self.called.program), code: 1 });
            }
            say(format_args!("Warning : {text}"));
            self.files.truncate(expected);
        }
        if self.files.len() == 2 {
            let output = self.files.pop().unwrap_or_default();
            match output.to_str() {
                Some("-" | "stdout") => self.stdout = true,
                Some("null") => self.request.target = Target::File("/dev/null".into()),
                _ => self.request.target = Target::File(output.into()),
            }
            return Ok(());
        }
        let is_named = self.files.first().is_some_and(|input| source(input.clone()) != Source::Stdin);
        if is_named && !self.stdout && self.mode != Some(Mode::Test) && !std::io::stdout().is_terminal() {
            say(
                "Warning : using stdout as default output. Do not rely on this behavior: use explicit `-c` instead !",
            );
            self.stdout = true;
        }
        Ok(())
    }
}

impl Args for Wishes {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        let value = value.as_deref().and_then(OsStr::to_str);
        let number = |value: &str| value.parse::<u32>().map_err(|_| words::incorrect(called));
        match flag {
            Flag::Mode(mode) => self.mode = Some(mode),
            Flag::List => (self.mode, self.multiple) = (Some(Mode::List), true),
            Flag::Stdout => (self.stdout, self.pass_through) = (true, true),
            Flag::Multiple => self.multiple = true,
            Flag::Recursive => (self.multiple, request.recursive) = (true, true),
            Flag::Force(force) => request.force = force,
            Flag::Remove(remove) => request.remove = remove,
            Flag::Quiet => self.loudness -= 1,
            Flag::Verbose => self.loudness += 1,
            Flag::Threads => request.options.threads = number(value.unwrap_or("0"))? as usize,
            Flag::Best => self.level(HIGHEST),
            Flag::Fast => match value.map_or(Ok(1), number)? {
                0 => return Err(words::incorrect(called)),
                fast => self.level(-i32::try_from(fast).unwrap_or(FASTEST)),
            },
            Flag::Legacy => request.options.layout = Layout::Legacy,
            Flag::Blocks => blocks(value.unwrap_or_default(), &mut request.options.lz4)
                .ok_or_else(|| words::incorrect(called))?,
            Flag::ContentSize(size) => request.origin.size = size,
            Flag::Check(check) => request.options.check = (!check).then_some(Check::None),
            Flag::NoChecks => {
                request.options.check = Some(Check::None);
                request.options.lz4.checksums = false;
            }
        }
        Ok(())
    }

    fn number(&mut self, level: u32) -> Result<(), Refusal> {
        self.level(i32::try_from(level).unwrap_or(HIGHEST));
        Ok(())
    }

    fn version(&self) -> String {
        words::version()
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        words::misuse(self.called, &misuse)
    }
}

/// The input of this name.
fn source(name: OsString) -> Source {
    if name == "-" || name == "stdin" { Source::Stdin } else { Source::Path(name.into()) }
}

/// What is done to what is called so.
fn mode_for(source: &Source) -> Mode {
    match source {
        Source::Path(path) if path.as_os_str().as_encoded_bytes().ends_with(SUFFIX.as_bytes()) => {
            Mode::Decompress
        }
        _ => Mode::Compress,
    }
}

/// Takes the properties of blocks behind `-B`; nothing if there are others.
fn blocks(properties: &str, blocks: &mut Lz4Blocks) -> Option<()> {
    for property in properties.bytes() {
        match property {
            b'D' => blocks.linked = true,
            b'I' => blocks.linked = false,
            b'X' => blocks.checksums = true,
            b'4'..=b'7' => blocks.id = Some(property - b'0'),
            _ => return None,
        }
    }
    Some(())
}
