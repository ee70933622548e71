//! snzip 1.0: its options, and the request that they make.
//!
//! [`Snzip`] is the dialect, and [`Args`] collects the options. snzip knows several formats; pzcomp reads and writes the
//! framing format, which snzip calls framing2, and refuses the others by name. Errors have the words of pzcomp.

mod options;

use std::ffi::OsString;
use std::fmt::Display;

use pzcomp::{Format, Options};

use super::super::interface::{self, Given, Misuse, TakeOptions};
use super::super::request::{HardLinks, Mode, Recompress, Request, Suffixes, Target};
use super::super::tool::{Messages, Name};
use super::{Action, Dialect, LICENSE, Refusal, refusal};
use options::{Flag, INTERFACE};

/// The dialect of snzip.
pub(in super::super) struct Snzip;

impl Messages for Snzip {}

impl Dialect for Snzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        match interface::read(&INTERFACE, called.program, &mut args, arguments)? {
            Given::Text(text) => Ok(Action::Text(text)),
            Given::Files(files) => Ok(Action::Work(Box::new(args.request(files)))),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[(".sz", "")];

static READ: [Format; 1] = [Format::Snappy];

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    keep: bool,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options::builder().format(called.format).accept(&READ).build_unchecked(),
            suffixes: Suffixes {
                known: SUFFIXES,
                case_sensitive: true,
                recompress: Recompress::Always,
                ..Suffixes::default()
            },
            follow_links: true,
            hard_links: HardLinks::Removed,
            ..Request::default()
        };
        Self { called, request, stdout: called.stdout, keep: false }
    }

    /// Makes the request for these files.
    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, stdout, keep, .. } = self;
        request.sources = Request::sources_of(files);
        request.target = if stdout { Target::Stdout } else { Target::Beside };
        request.remove = !keep && !stdout;
        request
    }
}

impl TakeOptions for Args {
    type Flag = Flag;

    fn option(&mut self, flag: Flag, value: Option<OsString>) -> Result<(), Refusal> {
        let request = &mut self.request;
        match flag {
            Flag::Decompress => request.mode = Mode::Decompress,
            Flag::Stdout => self.stdout = true,
            Flag::Keep => self.keep = true,
            Flag::Force => request.force = true,
            Flag::Suffix => {
                let mut suffix = OsString::from(".");
                suffix.push(value.unwrap_or_default());
                request.suffixes.custom = Some(suffix);
            }
            Flag::Kind if value.as_ref().is_some_and(|kind| kind == "framing2") => {}
            Flag::Kind => {
                let kind = value.unwrap_or_default();
                let what = format!("the format {} is not supported, only framing2", kind.display());
                return Err(refusal(self.called, what));
            }
        }
        Ok(())
    }

    fn version(&self) -> String {
        let own = env!("CARGO_PKG_VERSION");
        format!("snzip 1.0.5\npzcomp {own}, which reads and writes the format framing2 of snzip\n{LICENSE}")
    }

    fn misuse(&self, misuse: Misuse) -> Refusal {
        let misuse: &dyn Display = &misuse;
        refusal(
            self.called,
            format_args!("{misuse}\nTry '{} --help' for more information.", self.called.program),
        )
    }
}
