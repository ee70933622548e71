//! lzip and plzip: their options, as of lzip 1.23 and plzip 1.10, and what they ask for.

mod members;
mod number;
mod options;
mod table;
mod words;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;

use pzcomp::{Error, Format, Listing, LzipOptions, Options, Unknown, XzOptions};

use super::super::interface::{self, Args, Given, Misuse};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Mode, Request, Shared, Source, Suffixes, Target};
use super::super::source::Opened;
use super::super::trouble::{Kind, Trouble};
use super::{Asked, Details, Dialect, Done, Listed, Refusal, Speaker, Verdict};
pub(in super::super) use members::Members;
use options::{Flag, INTERFACE};

/// lzip, and plzip, which differs by its name.
pub(in super::super) struct Lzip;

impl Dialect for Lzip {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        match interface::read(&INTERFACE, called.program, &mut wishes, args)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => Ok(Asked::Work(Box::new(wishes.request(files)))),
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

    fn tells_settings(&self) -> bool {
        false
    }

    fn details(&self, opened: &Opened, listing: &Listing, request: &Request) -> Result<Details, Trouble> {
        if request.options.unknown == Unknown::Refuse && listing.trailing.zeros > 0 {
            let offset = members::end(listing);
            return Err(Kind::Coding(Error::TrailingGarbage { offset, found: "00".into() }).into());
        }
        if !opened.metadata.is_file() {
            return Ok(Details::None);
        }
        Ok(Details::Lzip(Members::of(&opened.file, listing).map_err(Kind::Coding)?))
    }

    fn list(&self, listed: &[Listed], request: &Request) -> String {
        table::table(listed, request.voice.verbose)
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
const SUFFIXES: &[(&str, &str)] = &[(".lz", ""), (".tlz", ".tar")];

/// What is behind the name of a decoded file whose own name says nothing.
const OTHERWISE: &str = ".out";

static READ: [Format; 1] = [Format::LZIP];

/// What the options seen so far amount to.
struct Wishes {
    called: &'static Name,
    request: Request,
    /// What is to be done, if that was said; only once it can be.
    mode: Option<Mode>,
    stdout: bool,
    keep: bool,
    output: Option<OsString>,
}

impl Wishes {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options {
                format: called.format,
                accept: Some(&READ),
                unknown: Unknown::Ignore,
                lzip: LzipOptions { only_version_1: true, ..LzipOptions::default() },
                // There is no limit.
                xz: XzOptions { decoder_memory: Some(u64::MAX), ..XzOptions::default() },
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                otherwise: Some(OTHERWISE),
                strict: true,
                everywhere: true,
                ..Suffixes::default()
            },
            follow: true,
            folders: true,
            shared: Shared::Removed,
            ..Request::default()
        };
        Self { called, request, mode: None, stdout: called.stdout, keep: false, output: None }
    }

    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, mode, stdout, keep, output, .. } = self;
        request.mode = mode.unwrap_or(request.mode);
        request.sources = Request::sources_of(files);
        // Standard input is read once, however often it is named.
        let first = request.sources.iter().position(|source| *source == Source::Stdin);
        let mut at = 0..;
        request.sources.retain(|source| {
            let is_first = at.next() == first;
            *source != Source::Stdin || is_first
        });
        let codes = matches!(request.mode, Mode::Compress | Mode::Decompress);
        request.target = match output {
            _ if stdout => Target::Stdout,
            Some(output) if codes && output != "-" => Target::File(named(output, &request)),
            Some(_) => Target::Stdout,
            None => Target::Beside,
        };
        request.stops = request.mode == Mode::Decompress;
        request.remove = codes && !keep && request.target == Target::Beside;
        request
    }
}

impl Args for Wishes {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let (called, request) = (self.called, &mut self.request);
        let given = value.as_deref().unwrap_or_default();
        let wrong = |what: &dyn Display| refusal(called, what);
        match flag {
            Flag::Mode(mode) => {
                if self.mode.is_some_and(|known| known != mode) {
                    return Err(refusal_with_hint(called, &"Only one operation can be specified."));
                }
                self.mode = Some(mode);
            }
            Flag::Stdout => self.stdout = true,
            Flag::Keep => self.keep = true,
            Flag::Force => request.force = true,
            Flag::Recompress => {
                request.force = true;
                request.suffixes.again = true;
            }
            Flag::Output if given.is_empty() => {
                return Err(refusal_with_hint(called, &Misuse::LongLacks("output")));
            }
            Flag::Output => self.output = value,
            Flag::Quiet => request.mute = true,
            Flag::Verbose => request.voice.verbose = request.voice.verbose.saturating_add(1),
            Flag::LooseTrailing => request.options.lzip.loose_trailing = true,
            Flag::TrailingError => request.options.unknown = Unknown::Refuse,
            Flag::Level(level) => request.options.level = Some(level),
            Flag::Threads => {
                let threads =
                    number::parse(given, "n", 1..=number::THREADS_MAX).map_err(|what| wrong(&what))?;
                request.options.threads = usize::try_from(threads).unwrap_or(usize::MAX);
            }
            Flag::DataSize => {
                let len = number::parse(given, "B", number::DATA_SIZES).map_err(|what| wrong(&what))?;
                request.options.block_size = Some(usize::try_from(len).unwrap_or(usize::MAX));
            }
        }
        Ok(())
    }

    fn number(&mut self, level: u32) -> Result<(), Refusal> {
        self.request.options.level = i32::try_from(level).ok();
        Ok(())
    }

    fn version(&self) -> String {
        words::version(self.called.program)
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        refusal_with_hint(self.called, &misuse)
    }
}

/// The file for the output: what has no name but this gets the suffix.
fn named(output: OsString, request: &Request) -> PathBuf {
    let mut name = output;
    let known = SUFFIXES.iter().any(|(suffix, _)| name.to_string_lossy().ends_with(suffix));
    if request.mode == Mode::Compress && request.sources == [Source::Stdin] && !known {
        name.push(Format::LZIP.suffix());
    }
    name.into()
}

/// A command line that is not understood.
fn refusal_with_hint(called: &Name, what: &dyn Display) -> Refusal {
    let program = called.program;
    refusal(called, &format_args!("{what}\nTry '{program} --help' for more information."))
}

fn refusal(called: &Name, what: &dyn Display) -> Refusal {
    Refusal { text: format!("{}: {what}", called.program), code: 1 }
}
