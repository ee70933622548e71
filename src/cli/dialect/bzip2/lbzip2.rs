//! lbzip2: its options, as of 2.5.

use std::ffi::{OsStr, OsString};

use pzcomp::Error;

use super::super::super::interface::{Given, Misuse};
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Asked, Dialect, Done, Ending, LICENSE, Refusal, Speaker, Verdict, plain, system};
use super::options::LBZIP2;
use super::{Tool, Wishes, positive, refusal, with_variables};

/// lbzip2.
pub(in super::super::super) struct Lbzip2;

impl Dialect for Lbzip2 {
    fn parse(&self, called: &'static Name, given: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called, Tool::Lbzip2);
        let files = match wishes.read(&LBZIP2, with_variables(&["LBZIP2", "BZIP2", "BZIP"], given))? {
            Given::Text(text) => return Ok(Asked::Text(text)),
            Given::Files(files) => files,
        };
        if wishes.stdout && wishes.request.mode == Mode::Test {
            return Err(refusal(called, "\"-c\" and \"-t\" are incompatible, specify \"-h\" for help"));
        }
        Ok(Asked::Work(Box::new(wishes.request(files))))
    }

    fn page(&self, name: &str) -> String {
        LBZIP2.page(name, &["lbunzip2", "lbzcat"])
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        let program = speaker.program;
        let skipping = |what: &str| Verdict {
            status: Status::Warning,
            text: format!("{program}: skipping \"{name}\": {what}"),
        };
        match &trouble.kind {
            Kind::Cannot(_, error) => skipping(&format!("open(): {}", system(error))),
            Kind::Directory { is_read: true, .. } => {
                let text = format!("{program}: {}: read(): Is a directory", shown(name));
                Verdict { status: Status::Error, text }
            }
            Kind::Link | Kind::Directory { .. } | Kind::NotRegular => skipping("not a regular file"),
            Kind::HardLinks(_) => skipping("more than one links"),
            Kind::HasSuffix(_) => skipping("compressed suffix"),
            Kind::Exists => skipping("File exists"),
            Kind::Coding(error) | Kind::Discarded(error, _) => {
                let what = match error {
                    Error::Empty | Error::NotCompressed { .. } => "not a valid bzip2 file".into(),
                    Error::Read { source, .. } => format!("read(): {}", system(source)),
                    Error::Write { source, .. } => format!("write(): {}", system(source)),
                    other => format!("compressed data error: {other}"),
                };
                Verdict { status: Status::Error, text: format!("{program}: {}: {what}", shown(name)) }
            }
            _ => plain::verdict(speaker, name, trouble),
        }
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        let text = match speaker.voice.verbose {
            0 => String::new(),
            _ => told(speaker.program, done),
        };
        Verdict { status: Status::Fine, text }
    }

    /// What it does not skip ends it.
    fn ending(&self, trouble: &Trouble, _: Mode) -> Ending {
        match trouble.kind {
            Kind::Coding(_) | Kind::Discarded(..) | Kind::Directory { is_read: true, .. } => Ending::Abort(1),
            _ => Ending::Usual,
        }
    }

    fn code(&self, status: Status) -> u8 {
        match status {
            Status::Fine => 0,
            Status::Error => 1,
            Status::Warning => 4,
        }
    }
}

/// How files and streams are called.
fn shown(name: &str) -> String {
    if matches!(name, "stdin" | "stdout") { name.into() } else { format!("\"{name}\"") }
}

/// What was done, and how well.
fn told(program: &str, done: &Done) -> String {
    let (name, summary) = (shown(done.name), done.summary);
    let how = if done.request.mode == Mode::Compress { "compressing" } else { "decompressing" };
    let made = match (done.request.mode, done.made) {
        (Mode::Test, _) => "the bit bucket".into(),
        (_, Some(made)) => shown(&made.display().to_string()),
        (_, None) => "stdout".into(),
    };
    let (plain, coded) = (summary.plain_len as f64, summary.coded_len as f64);
    let mut text = format!("{program}: {how} {name} to {made}");
    if summary.plain_len > 0 && summary.coded_len > 0 {
        let ratio =
            if plain < coded { format!("{:.3}:1", coded / plain) } else { format!("1:{:.3}", plain / coded) };
        let saved = 100.0 * (1.0 - coded / plain);
        let figures = format!("compression ratio is {ratio}, space savings is {saved:.2}%");
        text.push_str(&format!("\n{program}: {name}: {figures}"));
    }
    text
}

/// The value of `-n`.
pub(super) fn threads(called: &Name, value: Option<&OsStr>) -> Result<usize, Refusal> {
    positive(value).ok_or_else(|| {
        let what = format!("failed to parse \"{}\" from \"-n\"", value.unwrap_or_default().display());
        refusal(called, &format!("{what} as an integer from 1 on, specify \"-h\" for help"))
    })
}

/// How a command line is refused.
pub(super) fn misuse(misuse: &Misuse) -> String {
    let what = match misuse {
        Misuse::Short(letter) => format!("unknown option \"-{letter}\""),
        Misuse::Long(name) => format!("unknown option \"--{name}\""),
        other => other.to_string(),
    };
    format!("{what}, specify \"-h\" for help")
}

pub(super) fn version() -> String {
    format!("lbzip2 version 2.5 (pzcomp {}, which does what that does)\n{LICENSE}", env!("CARGO_PKG_VERSION"))
}
