//! pbzip2 1.1.13: its messages, its exit statuses, and the options that differ from bzip2.
//!
//! [`Pbzip2`] is the dialect of pbzip2. It reads options into the same `Args` as bzip2, and writes a stream for each
//! block as the original does. Options that tune queues of the original have no effect in pzcomp.

use std::ffi::OsString;

use pzcomp::{Error, Layout};

use super::super::{
    Action, Dialect, Done, Ending, LICENSE, Message, Messages, OWN, Program, Refusal, defaults, refusal, work,
};
use super::options::PBZIP2;
use super::{Args, Tool, parse_positive};
use crate::error::{CREATE, CliError, Kind};
use crate::interface::Misuse;
use crate::request::{HardLinks, Mode};
use crate::tool::Name;

/// The dialect of pbzip2.
pub(crate) struct Pbzip2;

/// The unit of `-b` in bytes.
const BLOCK_UNIT: usize = 100_000;

impl Dialect for Pbzip2 {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called, Tool::Pbzip2);
        args.request.options.layout = Layout::Frames;
        (args.request.rules.follow_links, args.request.rules.hard_links) = (true, HardLinks::Removed);
        work(&PBZIP2, called, args, arguments, |args, files| Ok(args.request(files)))
    }

    fn page(&self, name: &str) -> String {
        PBZIP2.page(name, &[])
    }
}

impl Messages for Pbzip2 {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let what = match &failure.kind {
            Kind::Cannot(_, error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("File [{name}] NOT found!  Skipping...")
            }
            Kind::Cannot(CREATE, _) => format!("Could not create output file [{name}]!"),
            Kind::Directory { .. } => format!("File [{name}] is a directory!  Skipping..."),
            Kind::HasSuffix(suffix) => {
                format!("Input file [{name}] already has a {} extension!  Skipping...", suffix.display())
            }
            Kind::Exists => format!("Output file [{name}] already exists!  Use -f to overwrite..."),
            Kind::Library(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } => format!("File [{name}] is NOT a valid bzip2!  Skipping..."),
                Error::Empty | Error::Truncated { .. } => {
                    format!("[{name}] File ends unexpectedly!  Skipping...")
                }
                Error::Corrupt { .. } => format!("[{name}] Data integrity (CRC) error in data!  Skipping..."),
                _ => return defaults::message(program, name, failure),
            },
            _ => return defaults::message(program, name, failure),
        };
        Message::error(format!("{}: *ERROR: {what}", program.name))
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        match done.summary.trailing.garbage {
            None => defaults::done(program, done),
            Some(_) => {
                let text = format!("{}: *WARNING: Trailing garbage after EOF ignored!", program.name);
                Message::fine(text)
            }
        }
    }

    /// Any error with `-t` gives exit status 2. Otherwise damage and errors of the system end the run.
    fn ending(&self, failure: &CliError, mode: Mode) -> Ending {
        match &failure.kind {
            _ if mode == Mode::Test => Ending::Code(2),
            Kind::Library(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } | Error::Empty => Ending::Usual,
                _ => Ending::Abort(1),
            },
            _ => Ending::Usual,
        }
    }

    /// pbzip2 exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

/// Takes the value of `-p`.
pub(super) fn set_threads(args: &mut Args, value: Option<OsString>) -> Result<(), Refusal> {
    args.request.options.threads = count(args.called, 'p', value)?;
    Ok(())
}

/// Takes the value of `-b`.
pub(super) fn set_block_size(args: &mut Args, value: Option<OsString>) -> Result<(), Refusal> {
    args.request.options.block_size = Some(count(args.called, 'b', value)?.saturating_mul(BLOCK_UNIT));
    Ok(())
}

/// Reads the value of an option that is a number from 1 on.
fn count(called: &Name, letter: char, value: Option<OsString>) -> Result<usize, Refusal> {
    let value = value.unwrap_or_default();
    parse_positive(&value).ok_or_else(|| {
        let what = format!("Cannot parse -{letter} argument '{}'", value.display());
        refusal(called, format_args!("*ERROR: {what}: a number from 1 on is expected"))
    })
}

/// The text for a command line that is refused.
pub(super) fn misuse(program: &str, misuse: &Misuse) -> String {
    format!("*ERROR: {misuse}; see {program} -h")
}

pub(super) fn version() -> String {
    format!("Parallel BZIP2 v1.1.13 (pzcomp {OWN}, which does what that does)\n{LICENSE}")
}
