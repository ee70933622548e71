//! How programs are spoken to, and how they answer.
//!
//! A dialect turns arguments into a [`Request`] and tells what came of it in the words that its users and
//! their scripts know. Names and what they stand for are in [`super::name`]; everything behind a request
//! is the same for all dialects.

pub(super) mod bgzip;
pub(super) mod bzip2;
pub(super) mod gzip;
pub(super) mod lz4;
pub(super) mod lzip;
pub(super) mod native;
pub(super) mod pigz;
mod plain;
pub(super) mod xz;
pub(super) mod zstd;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::IsTerminal;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pzcomp::{Listing, Member, Summary, XzStream};

use super::bench::flags::BenchRequest;
pub(super) use super::interface::Refusal;
use super::name::Name;
use super::report::Status;
use super::request::{Mode, Request, Source, Voice};
use super::source::Opened;
use super::trouble::Trouble;
use native::Artefact;

/// What all names are under.
const LICENSE: &str = "\
Licensed under MIT or Apache-2.0, at your option. There is no warranty, to the extent permitted by law.
";

/// The manners of a program.
pub(super) trait Dialect: Sync {
    /// Understands the arguments behind the program's name.
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal>;

    /// The source of the man page of the program of this name.
    fn page(&self, name: &str) -> String;

    /// What is said of an input or output that is not dealt with.
    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        plain::verdict(speaker, name, trouble)
    }

    /// What is said of a stream that has been dealt with, as far as it matters.
    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        plain::done(speaker, done)
    }

    /// Whether its `-vv` also tells how an input is dealt with.
    fn tells_settings(&self) -> bool {
        true
    }

    /// What is said of an input that was listed; if that matters, it has no row in the table.
    fn listed(&self, speaker: Speaker, name: &str, listing: &Listing) -> Verdict {
        let _ = (speaker, name, listing);
        Verdict { status: Status::Fine, text: String::new() }
    }

    /// What the table of `-l` needs besides the listing.
    fn details(&self, opened: &Opened, listing: &Listing, request: &Request) -> Result<Details, Trouble> {
        let _ = (opened, listing, request);
        Ok(Details::None)
    }

    /// The table of `-l`.
    fn list(&self, listed: &[Listed], request: &Request) -> String {
        native::table::table(listed, request.voice.verbose > 0)
    }

    /// The question whether a file is to be overwritten; nothing if that is not asked.
    fn question(&self, speaker: Speaker, path: &Path) -> Option<String> {
        let _ = (speaker, path);
        None
    }

    /// What trouble with an input or output means for the exit status.
    fn ending(&self, trouble: &Trouble, mode: Mode) -> Ending {
        let _ = (trouble, mode);
        Ending::Usual
    }

    /// The exit status, where no [`Ending`] says another.
    fn code(&self, status: Status) -> u8 {
        match status {
            Status::Fine => 0,
            Status::Error => 1,
            Status::Warning => 2,
        }
    }
}

/// What trouble means for the exit status, for programs that tell errors apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// What [`Dialect::code`] says.
    Usual,
    /// At least this.
    Code(u8),
    /// The number of inputs that met with trouble, of which this is one more.
    Counted,
    /// The program ends at once with this.
    Abort(u8),
}

/// What a command line asks for.
#[derive(Debug)]
pub(super) enum Asked {
    /// Work.
    Work(Box<Request>),
    /// A measurement.
    Bench(Box<BenchRequest>),
    /// Text for standard output: help or version.
    Text(String),
    /// A file of the distribution.
    Generate(Artefact),
    /// What is done to BGZF files as they are.
    Blocks(Box<bgzip::Blocks>),
    /// Links of all names in this folder.
    Links(PathBuf),
}

impl Speaker {
    /// What is said of `name`, and no more.
    fn says(self, status: Status, name: &str, what: impl Display) -> Verdict {
        let hushed = self.voice.quiet && status != Status::Error;
        let text = if hushed { String::new() } else { format!("{}: {name}: {what}", self.program) };
        Verdict { status, text }
    }
}

/// Who speaks, and how much of it is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speaker {
    /// What messages begin with.
    pub(super) program: &'static str,
    pub(super) voice: Voice,
}

/// How much something matters, and all that is said of it on standard error; nothing if it is empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) status: Status,
    pub(super) text: String,
}

/// A stream that has been dealt with.
pub(super) struct Done<'a> {
    pub(super) name: &'a str,
    pub(super) request: &'a Request,
    pub(super) summary: &'a Summary,
    /// The file that was made; nothing if the data went elsewhere.
    pub(super) made: Option<&'a Path>,
    /// Bytes of the coded data that are header and trailer, as far as they depend on the input's name.
    pub(super) overhead: u64,
}

/// What `-l` found out of an input.
pub(super) struct Listed {
    pub(super) source: Source,
    /// When the file was changed last, in seconds since 1970; 0 for what is no file.
    pub(super) modified: i64,
    /// What the header of a gzip file says.
    pub(super) member: Option<Member>,
    pub(super) listing: Listing,
    pub(super) details: Details,
}

/// What a dialect found out by itself of an input that it lists.
#[derive(Default)]
pub(super) enum Details {
    #[default]
    None,
    Lzip(lzip::Members),
    /// The Streams of what is nothing but an xz file.
    Xz(Vec<XzStream>),
    /// What the headers of a zstd file say.
    Zstd(zstd::Frames),
}

/// The words of an environment variable, split at white space.
fn words_of(variable: &OsStr) -> Vec<OsString> {
    let words = variable.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| OsString::from_vec(word.to_vec())).collect()
}

/// The voice of programs in which `-q` and `-v` are steps down and up from 2. At 1, errors are told; at 2
/// warnings too, and results if somebody watches; at 3 results in any case; at 4 settings.
fn voice(loudness: i32) -> Voice {
    let watched = i32::from(std::io::stderr().is_terminal());
    let results = (loudness - 2 + watched * i32::from(loudness == 2)).clamp(0, 2);
    Voice { quiet: loudness < 2, verbose: results as u8 }
}

/// What the system says, without its number.
fn system(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((what, _)) => what.into(),
        None => text,
    }
}
