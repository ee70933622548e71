//! igzip of ISA-L 2.30: its options, and the request that they make.
//!
//! [`Igzip`] is the dialect. Container engines run `igzip -cd` to unpack the layers of images. Messages are in
//! `messages`, and the table of options in `options`.

mod messages;
mod options;

use std::ffi::OsString;

use pzcomp::{Format, Layout, Member, Unknown};

use super::super::request::{
    FileRules, HardLinks, Mode, Options, Origin, Recompress, Request, Suffixes, Target,
};
use super::super::tool::Name;
use super::{Action, Dialect, Refusal, refusal, work};
use options::INTERFACE;

/// The dialect of igzip.
pub(in super::super) struct Igzip;

impl Dialect for Igzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

const SUFFIXES: &[(&str, &str)] = &[(".gz", "")];

static READ: [Format; 1] = [Format::Gzip];

/// The levels of pzcomp in place of those of igzip, from 0 on. All levels of igzip compress, level 0 too.
const LEVELS: [i32; 4] = [1, 1, 2, 3];

/// The level of igzip, if no option gives one.
const DEFAULT_LEVEL: usize = 2;

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    remove: bool,
    /// Whether name and time are stored or restored, if an option says so.
    name: Option<bool>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            options: Options {
                format: called.format,
                level: Some(LEVELS[DEFAULT_LEVEL]),
                accept: Some(READ.to_vec()),
                unknown: Unknown::Ignore,
                keep_cut_frames: true,
                layout: Layout::Single(Member::new()),
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                recompress: Recompress::Always,
                case_sensitive: true,
                ..Suffixes::default()
            },
            rules: FileRules { follow_links: true, hard_links: HardLinks::Removed, ..FileRules::default() },
            ..Request::default()
        };
        Self { called, request, stdout: false, remove: false, name: None }
    }

    /// Makes the request for these files. Fails if one output file is named for several inputs.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, stdout, remove, name } = self;
        if stdout {
            request.target = Target::Stdout;
        }
        if matches!(request.target, Target::File(_)) && files.len() > 1 {
            return Err(refusal(called, "An output file may be specified with only one input file"));
        }
        let name = name.unwrap_or(request.mode() == Mode::Compress);
        request.origin = Origin { name, time: name, ..request.origin };
        request.rules.remove = remove && !stdout && request.mode() != Mode::Test;
        request.sources = Request::sources_of(files);
        Ok(request)
    }

    fn set_level(&mut self, level: u64) {
        self.request.options.level = usize::try_from(level).ok().and_then(|at| LEVELS.get(at)).copied();
    }

    fn set_threads(&mut self, value: OsString) -> Result<(), Refusal> {
        let threads = value.to_str().and_then(|value| value.parse().ok());
        self.request.options.threads = threads.ok_or_else(|| {
            let what = format!("invalid number of threads: {}; expected a number", value.display());
            refusal(self.called, what)
        })?;
        Ok(())
    }
}
