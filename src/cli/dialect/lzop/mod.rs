//! lzop 1.04: the options that concern reading, and the request that they make.
//!
//! [`Lzop`] is the dialect of lzop, unlzop and lzopcat. [`Args`] collects the options. pzcomp does not compress to this
//! format, so a command line without `-d`, `-t` or `-l` is refused. Errors have the words of pzcomp.

mod options;

use std::ffi::OsString;
use std::fmt::Display;

use pzcomp::{Format, Options, Unknown};

use super::super::interface::{self, Given, Misuse, TakeOptions};
use super::super::request::{Folder, HardLinks, Mode, Request, Suffixes, Target};
use super::super::tool::{Done, Message, Messages, Name, Program, defaults};
use super::{Action, Dialect, LICENSE, Refusal, refusal, unverified};
use options::{Flag, INTERFACE};

/// The dialect of lzop.
pub(in super::super) struct Lzop;

impl Messages for Lzop {
    fn done(&self, program: Program, done: &Done) -> Message {
        unverified(program, done).unwrap_or_else(|| defaults::done(program, done))
    }
}

impl Dialect for Lzop {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        match interface::read(&INTERFACE, called.program, &mut args, arguments)? {
            Given::Text(text) => Ok(Action::Text(text)),
            Given::Files(files) => args.request(files).map(Box::new).map(Action::Work),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unlzop", "lzopcat"])
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[(".lzo", ""), (".tzo", ".tar")];

static READ: [Format; 1] = [Format::Lzop];

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    mode: Mode,
    stdout: bool,
    keep: bool,
    unlink: bool,
    output: Option<OsString>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            options: Options::builder().accept(&READ).unknown(Unknown::Ignore).build_unchecked(),
            suffixes: Suffixes { known: SUFFIXES, case_sensitive: true, ..Suffixes::default() },
            follow_links: true,
            hard_links: HardLinks::Removed,
            ..Request::default()
        };
        let (mode, stdout) = (called.mode, called.stdout);
        Self { called, request, mode, stdout, keep: false, unlink: false, output: None }
    }

    /// Makes the request for these files. Fails if they are to be compressed.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, mode, stdout, keep, unlink, output } = self;
        if mode == Mode::Compress {
            let what = "pzcomp reads the format of lzop and does not write it; use -d, -t or -l, or compress with pzcomp";
            return Err(refusal(called, what));
        }
        request.mode = mode;
        request.sources = Request::sources_of(files);
        request.target = match output {
            _ if stdout => Target::Stdout,
            Some(output) if output == "-" => Target::Stdout,
            Some(output) => Target::File(output.into()),
            None => Target::Beside,
        };
        request.remove = unlink && !keep && mode == Mode::Decompress && request.target == Target::Beside;
        Ok(request)
    }
}

impl TakeOptions for Args {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let request = &mut self.request;
        match flag {
            Flag::Mode(mode) => self.mode = mode,
            Flag::Stdout => self.stdout = true,
            Flag::Output => self.output = value,
            Flag::Folder => {
                let path = value.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".into()).into();
                request.folder = Some(Folder { path, mirror: false });
            }
            Flag::Force => request.force = true,
            Flag::Suffix => request.suffixes.custom = value,
            Flag::Keep => self.keep = true,
            Flag::Unlink => self.unlink = true,
            Flag::Quiet => request.verbosity.quiet = true,
            Flag::IgnoreWarnings => {
                (request.verbosity.quiet, request.ignore_warnings) = (true, true);
            }
            Flag::Verbose => request.verbosity.verbose = request.verbosity.verbose.saturating_add(1),
        }
        Ok(())
    }

    fn version(&self) -> String {
        let own = env!("CARGO_PKG_VERSION");
        format!("lzop v1.04\npzcomp {own}, which reads what lzop 1.04 writes\n{LICENSE}")
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        let misuse: &dyn Display = &misuse;
        refusal(
            self.called,
            format_args!("{misuse}\nTry '{} --help' for more information.", self.called.program),
        )
    }
}
