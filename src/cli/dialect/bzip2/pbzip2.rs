//! pbzip2: its options, as of 1.1.13. What tunes its queues has no meaning here.

use std::ffi::{OsStr, OsString};

use pzcomp::{Error, Layout};

use super::super::super::interface::{Given, Misuse};
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Asked, Dialect, Done, Ending, LICENSE, Refusal, Speaker, Verdict, plain};
use super::options::PBZIP2;
use super::{Tool, Wishes, positive, refusal};

/// pbzip2.
pub(in super::super::super) struct Pbzip2;

/// What `-b` counts in.
const BLOCK_UNIT: usize = 100_000;

impl Dialect for Pbzip2 {
    fn parse(&self, called: &'static Name, given: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called, Tool::Pbzip2);
        wishes.request.options.layout = Layout::Frames;
        match wishes.read(&PBZIP2, given)? {
            Given::Text(text) => Ok(Asked::Text(text)),
            Given::Files(files) => Ok(Asked::Work(Box::new(wishes.request(files)))),
        }
    }

    fn page(&self, name: &str) -> String {
        PBZIP2.page(name, &[])
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        let what = match &trouble.kind {
            Kind::Cannot(_, error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("File [{name}] NOT found!  Skipping...")
            }
            Kind::Directory { .. } => format!("File [{name}] is a directory!  Skipping..."),
            Kind::HasSuffix(suffix) => {
                format!("Input file [{name}] already has a {} extension!  Skipping...", suffix.display())
            }
            Kind::Exists => format!("Output file [{name}] already exists!  Use -f to overwrite..."),
            Kind::Coding(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } => format!("File [{name}] is NOT a valid bzip2!  Skipping..."),
                Error::Empty | Error::Truncated { .. } => {
                    format!("[{name}] File ends unexpectedly!  Skipping...")
                }
                Error::Corrupt { .. } => format!("[{name}] Data integrity (CRC) error in data!  Skipping..."),
                _ => return plain::verdict(speaker, name, trouble),
            },
            _ => return plain::verdict(speaker, name, trouble),
        };
        Verdict { status: Status::Error, text: format!("{}: *ERROR: {what}", speaker.program) }
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        if done.summary.trailing.garbage.is_none() {
            return plain::done(speaker, done);
        }
        let text = format!("{}: *WARNING: Trailing garbage after EOF ignored!", speaker.program);
        Verdict { status: Status::Fine, text }
    }

    /// What fails a test is told by a status of its own. Damage and what the system refuses end it.
    fn ending(&self, trouble: &Trouble, mode: Mode) -> Ending {
        match &trouble.kind {
            _ if mode == Mode::Test => Ending::Code(2),
            Kind::Coding(error) | Kind::Discarded(error, _) => match error {
                Error::NotCompressed { .. } | Error::Empty => Ending::Usual,
                _ => Ending::Abort(1),
            },
            _ => Ending::Usual,
        }
    }

    /// Everything that goes wrong is an error.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

/// The value of an option that counts.
pub(super) fn counted(called: &Name, letter: char, value: Option<&OsStr>) -> Result<usize, Refusal> {
    positive(value).ok_or_else(|| {
        let given = value.unwrap_or_default().display();
        refusal(
            called,
            &format!("*ERROR: Cannot parse -{letter} argument '{given}': a number from 1 on is expected"),
        )
    })
}

/// The value of `-b`, in bytes.
pub(super) fn block_size(called: &Name, value: Option<&OsStr>) -> Result<usize, Refusal> {
    Ok(counted(called, 'b', value)?.saturating_mul(BLOCK_UNIT))
}

/// How a command line is refused.
pub(super) fn misuse(program: &str, misuse: &Misuse) -> String {
    format!("*ERROR: {misuse}; see {program} -h")
}

pub(super) fn version() -> String {
    format!(
        "Parallel BZIP2 v1.1.13 (pzcomp {}, which does what that does)\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}
