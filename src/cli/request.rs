//! What is to be done, whatever dialect it was asked for in.
//!
//! A dialect ([`super::native`] is the only one so far) turns an argument list into a [`Request`];
//! nothing behind it sees a flag.

use std::ffi::OsString;
use std::path::PathBuf;

use pzcomp::Options;

/// A whole command line, understood.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) mode: Mode,
    pub(super) options: Options,
    pub(super) sources: Vec<Source>,
    pub(super) target: Target,
    /// The suffix of compressed files, where it is not the format's own.
    pub(super) suffix: Option<OsString>,
    /// Overwrite, follow links, and talk to terminals.
    pub(super) force: bool,
    /// Remove each input once its output is safe.
    pub(super) remove: bool,
    /// Go into directories.
    pub(super) recursive: bool,
    pub(super) voice: Voice,
}

/// What is done with each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Compress,
    Decompress,
    Test,
    List,
}

/// Where input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    Path(PathBuf),
}

/// Where output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Each input's output in a file beside it; that of standard input on standard output.
    Beside,
    /// All on standard output, one after the other.
    Stdout,
    /// All in one file, one after the other.
    File(PathBuf),
}

/// How much is said on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Voice {
    /// Warnings change the exit status only.
    pub(super) quiet: bool,
    /// 1: figures and remarks; 2: settings as well.
    pub(super) verbose: u8,
}

impl Source {
    /// How messages call it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::Path(path) => path.display().to_string(),
        }
    }
}
