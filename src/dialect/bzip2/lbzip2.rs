//! lbzip2 2.5: its messages, its exit statuses, and the options that differ from bzip2.
//!
//! [`Lbzip2`] is the dialect of lbzip2, lbunzip2 and lbzcat. It reads options into the same `Args` as bzip2. The table
//! calls [`set_threads`], [`misuse`] and [`version`]. The messages are those of the original, word for word.

use std::ffi::OsString;

use pzcomp::Error;

use super::super::{
    Action, Dialect, Done, Ending, LICENSE, Message, Messages, OWN, Program, Refusal, defaults, refusal,
    system_text, work,
};
use super::options::LBZIP2;
use super::{Args, Tool, parse_positive, with_variables};
use crate::error::{CliError, Kind};
use crate::interface::Misuse;
use crate::request::Mode;
use crate::tool::Name;

/// The dialect of lbzip2, lbunzip2 and lbzcat.
pub(crate) struct Lbzip2;

impl Dialect for Lbzip2 {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let given = with_variables(&["LBZIP2", "BZIP2", "BZIP"], arguments);
        work(&LBZIP2, called, Args::new(called, Tool::Lbzip2), given, |args, files| {
            args.refuse_stdout_with_test("\"-c\" and \"-t\" are incompatible, specify \"-h\" for help")?;
            Ok(args.request(files))
        })
    }

    fn page(&self, name: &str) -> String {
        LBZIP2.page(name, &["lbunzip2", "lbzcat"])
    }
}

impl Messages for Lbzip2 {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let skipping = |what: &str| Message::warning(format!("{program}: skipping \"{name}\": {what}"));
        match &failure.kind {
            Kind::Cannot(_, error) => skipping(&format!("open(): {}", system_text(error))),
            Kind::Directory { is_read: true, .. } => {
                Message::error(format!("{program}: {}: read(): Is a directory", quoted(name)))
            }
            Kind::Link | Kind::Directory { .. } | Kind::NotRegular => skipping("not a regular file"),
            Kind::HardLinks(_) => skipping("more than one links"),
            Kind::HasSuffix(_) => skipping("compressed suffix"),
            Kind::Exists => skipping("File exists"),
            Kind::Library(error) | Kind::Discarded(error, _) => {
                let what = match error {
                    Error::Empty | Error::NotCompressed { .. } => "not a valid bzip2 file".into(),
                    Error::Read { source, .. } => format!("read(): {}", system_text(source)),
                    Error::Write { source, .. } => format!("write(): {}", system_text(source)),
                    Error::Shrank { .. } => error.to_string(),
                    other => format!("compressed data error: {other}"),
                };
                Message::error(format!("{program}: {}: {what}", quoted(name)))
            }
            _ => defaults::message(program, name, failure),
        }
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        let text = match program.verbosity.verbose {
            0 => String::new(),
            _ => done_text(program.name, done),
        };
        Message::fine(text)
    }

    /// An input that is not skipped ends the run.
    fn ending(&self, failure: &CliError, _: Mode) -> Ending {
        match failure.kind {
            Kind::Library(_) | Kind::Discarded(..) | Kind::Directory { is_read: true, .. } => {
                Ending::Abort(1)
            }
            _ => Ending::Usual,
        }
    }

    fn codes(&self) -> (u8, u8) {
        (4, 1)
    }
}

/// The name of a file or stream in messages.
fn quoted(name: &str) -> String {
    if matches!(name, "stdin" | "stdout") { name.into() } else { format!("\"{name}\"") }
}

/// The message for a finished stream: what was done, and the ratio.
fn done_text(program: &str, done: &Done) -> String {
    let (name, summary) = (quoted(done.name), done.summary);
    let how = if done.request.mode() == Mode::Compress { "compressing" } else { "decompressing" };
    let made = match (done.request.mode(), done.made) {
        (Mode::Test, _) => "the bit bucket".into(),
        (_, Some(made)) => quoted(&made.display().to_string()),
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

/// Takes the value of `-n`.
pub(super) fn set_threads(args: &mut Args, value: OsString) -> Result<(), Refusal> {
    args.request.options.threads = parse_positive(&value).ok_or_else(|| {
        let what = format!("failed to parse \"{}\" from \"-n\"", value.display());
        refusal(args.called, format!("{what} as an integer from 1 on, specify \"-h\" for help"))
    })?;
    Ok(())
}

/// The text for a command line that is refused.
pub(super) fn misuse(misuse: &Misuse) -> String {
    let what = match misuse {
        Misuse::Short(letter) => format!("unknown option \"-{letter}\""),
        Misuse::Long(name) => format!("unknown option \"--{name}\""),
        other => other.to_string(),
    };
    format!("{what}, specify \"-h\" for help")
}

pub(super) fn version() -> String {
    format!("lbzip2 version 2.5 (pzcomp {OWN}, which does what that does)\n{LICENSE}")
}
