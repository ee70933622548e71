//! snzip 1.0: its options, and the request that they make.
//!
//! [`Snzip`] is the dialect, and [`Args`] collects the options. snzip knows several formats; pzcomp reads and writes the
//! framing format, which snzip calls framing2, and refuses the others by name. Errors have the words of pzcomp.

mod options;

use std::ffi::OsString;

use pzcomp::{Format, Options};

use super::super::request::{FileRules, HardLinks, Recompress, Request, Suffixes, Target};
use super::super::tool::{Messages, Name};
use super::{Action, Dialect, LICENSE, OWN, Refusal, refusal, work};
use options::INTERFACE;

/// The dialect of snzip.
pub(in super::super) struct Snzip;

impl Messages for Snzip {}

impl Dialect for Snzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, |args, files| Ok(args.request(files)))
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
            rules: FileRules { follow_links: true, hard_links: HardLinks::Removed, ..FileRules::default() },
            ..Request::default()
        };
        Self { called, request, stdout: called.stdout, keep: false }
    }

    /// Makes the request for these files.
    fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, stdout, keep, .. } = self;
        request.sources = Request::sources_of(files);
        request.target = if stdout { Target::Stdout } else { Target::Beside };
        request.rules.remove = !keep && !stdout;
        request
    }

    fn set_suffix(&mut self, letters: OsString) {
        let mut suffix = OsString::from(".");
        suffix.push(letters);
        self.request.suffixes.custom = Some(suffix);
    }

    fn check_format(&mut self, format: OsString) -> Result<(), Refusal> {
        if format == "framing2" {
            return Ok(());
        }
        let what = format!("the format {} is not supported, only framing2", format.display());
        Err(refusal(self.called, what))
    }
}

fn version_text() -> String {
    format!("snzip 1.0.5\npzcomp {OWN}, which reads and writes the format framing2 of snzip\n{LICENSE}")
}
