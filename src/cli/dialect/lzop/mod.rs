//! lzop 1.04: the options that concern reading, and the request that they make.
//!
//! [`Lzop`] is the dialect of lzop, unlzop and lzopcat. [`Args`] collects the options. pzcomp does not compress to this
//! format, so a command line without `-d`, `-t` or `-l` is refused. Errors have the words of pzcomp.

mod options;

use std::ffi::OsString;

use pzcomp::{Format, Options, Unknown};

use super::super::request::{FileRules, HardLinks, Mode, Request, Suffixes, Target};
use super::super::tool::{Done, Message, Messages, Name, Program, defaults};
use super::{Action, Dialect, LICENSE, OWN, Refusal, refusal, unverified, work};
use options::INTERFACE;

/// The dialect of lzop.
pub(in super::super) struct Lzop;

impl Messages for Lzop {
    fn done(&self, program: Program, done: &Done) -> Message {
        unverified(program, done).unwrap_or_else(|| defaults::done(program, done))
    }
}

impl Dialect for Lzop {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, Args::request)
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
    stdout: bool,
    keep: bool,
    unlink: bool,
    output: Option<OsString>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options::builder().accept(&READ).unknown(Unknown::Ignore).build_unchecked(),
            suffixes: Suffixes { known: SUFFIXES, case_sensitive: true, ..Suffixes::default() },
            rules: FileRules { follow_links: true, hard_links: HardLinks::Removed, ..FileRules::default() },
            ..Request::default()
        };
        Self { called, request, stdout: called.stdout, keep: false, unlink: false, output: None }
    }

    /// Makes the request for these files. Fails if they are to be compressed.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, stdout, keep, unlink, output } = self;
        if request.mode == Mode::Compress {
            let what = "pzcomp reads the format of lzop and does not write it; use -d, -t or -l, or compress with pzcomp";
            return Err(refusal(called, what));
        }
        request.sources = Request::sources_of(files);
        request.target = match output {
            _ if stdout => Target::Stdout,
            Some(output) if output == "-" => Target::Stdout,
            Some(output) => Target::File(output.into()),
            None => Target::Beside,
        };
        request.rules.remove =
            unlink && !keep && request.mode == Mode::Decompress && request.target == Target::Beside;
        Ok(request)
    }
}

fn version_text() -> String {
    format!("lzop v1.04\npzcomp {OWN}, which reads what lzop 1.04 writes\n{LICENSE}")
}
