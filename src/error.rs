//! What can go wrong, in sentences for the person who must act.
//!
//! One enum serves the whole library. A variant carries what was expected and what was found, and
//! where: offsets count coded bytes from the start of the input. File names are added by the binary,
//! which knows them.

use std::io;

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a stream could not be compressed or decompressed.
///
/// All bytes that belong before the place of the error have been written when it is returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be read.
    #[error("cannot read at offset {offset}: {source}")]
    Read {
        /// Offset of the first byte that was not read.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write after {offset} bytes: {source}")]
    Write {
        /// Bytes of output before the failing write.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// A regular file became shorter while it was read.
    #[error(
        "the file shrank while it was read: {expected} bytes were there at first, now it ends at {found}"
    )]
    Shrank {
        /// Length when reading began.
        expected: u64,
        /// Where reading met the end.
        found: u64,
    },
    /// There is no input at all where coded data was expected.
    #[error("unexpected end of file: the input is empty, which is not a compressed stream of any format")]
    Empty,
    /// The input begins with nothing that a known format begins with.
    #[error(
        "not in a compressed format pzcomp reads: it begins with {found}; expected zstd, gzip, lz4, xz, bzip2, lzip, lzma, zip, compress, pack or LZH data"
    )]
    NotCompressed {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// Bytes after the last whole frame that belong to no format.
    #[error(
        "trailing garbage at offset {offset}: {found} begins no known format; what comes before is whole and written. \
         If the file was damaged there, the rest of it is lost: fetch it again or restore from another copy"
    )]
    TrailingGarbage {
        /// Where the last whole frame ended.
        offset: u64,
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The input ends inside a frame.
    #[error(
        "unexpected end of {format} data: the input ends at offset {offset}, inside the frame that began at {frame}; \
         all before that is written. The file is incomplete: fetch it again"
    )]
    Truncated {
        /// Name of the format.
        format: &'static str,
        /// Where the frame began that is cut off.
        frame: u64,
        /// Where the input ends.
        offset: u64,
    },
    /// A frame contradicts its format or its checksum.
    #[error(
        "corrupt {format} data at offset {offset}: {what}; everything before that frame is written and right{}. \
         Fetch the file again or restore from another copy",
        if *is_held { ", and nothing of that frame is written" } else { "" }
    )]
    Corrupt {
        /// Name of the format.
        format: &'static str,
        /// Where the damaged frame begins.
        offset: u64,
        /// What was expected and what was found.
        what: String,
        /// In what way, for programs.
        damage: Damage,
        /// Whether nothing of that frame is written. Else its output may have been written up to the damage and a
        /// little beyond.
        is_held: bool,
    },
    /// A frame is valid but asks for what this program does not do.
    #[error("unsupported {format} data at offset {offset}: {what}")]
    Unsupported {
        /// Name of the format.
        format: &'static str,
        /// Where the frame begins.
        offset: u64,
        /// What it asks for, and what to do instead.
        what: String,
    },
    /// A zstd frame needs a dictionary that was not given.
    #[error(
        "the zstd frame at offset {offset} needs the dictionary with the id {needed}, {}; decompress it with zstd -D and that dictionary",
        given_dictionary(*given)
    )]
    Dictionary {
        /// Where the frame begins.
        offset: u64,
        /// The id of the dictionary that it needs.
        needed: u32,
        /// The id of the one that was given, if one was; 0 if that has none.
        given: Option<u32>,
    },
    /// The work cannot be done within the memory allowed.
    #[error("{what} needs {needed} of memory, but {limit} is allowed; allow more with -M {needed}")]
    Memory {
        /// What asks for the memory.
        what: String,
        /// Bytes that `-M` must allow at the least.
        needed: Size,
        /// Bytes allowed.
        limit: Size,
    },
    /// The format has no such level.
    #[error("{format} has no level {level}; it has {lowest} to {highest}")]
    Level {
        /// Name of the format.
        format: &'static str,
        /// The level asked for.
        level: i32,
        /// Lowest level of the format.
        lowest: i32,
        /// Highest level of the format.
        highest: i32,
    },
    /// The block size does not fit the format.
    #[error("{format} blocks can be {lowest} to {highest}, not {asked}")]
    BlockSize {
        /// Name of the format.
        format: &'static str,
        /// What was asked for.
        asked: Size,
        /// Smallest size.
        lowest: Size,
        /// Largest size.
        highest: Size,
    },
    /// The format is not written.
    #[error("{format} is read but not written; choose another format")]
    NotWritten {
        /// Name of the format.
        format: &'static str,
    },
    /// The format has no such option.
    #[error("{format} cannot be written {how}")]
    Unavailable {
        /// Name of the format.
        format: &'static str,
        /// What was asked for.
        how: &'static str,
    },
    /// The system allows no more threads.
    #[error(
        "cannot start a thread: {source}; allow more processes (ulimit -u) or memory, or use fewer threads (-p)"
    )]
    Threads {
        /// What the system said.
        source: io::Error,
    },
    /// A thread or library failed in a way that is no fault of the data.
    #[error("internal error: {0}; please report this with the command line used")]
    Internal(String),
    /// The work was given up because of another error; never returned to a caller.
    #[doc(hidden)]
    #[error("given up after an earlier error")]
    GivenUp,
}

impl Error {
    /// Data of `format` that contradicts itself in the frame at `offset`.
    pub(crate) fn corrupt(format: &'static str, offset: u64, what: impl Into<String>) -> Self {
        Self::Corrupt { format, offset, what: what.into(), damage: Damage::Form, is_held: false }
    }

    /// The same error, if it is of corrupt data, as one of this damage.
    pub(crate) fn by(self, wrong: Damage) -> Self {
        match self {
            Self::Corrupt { format, offset, what, is_held, .. } => {
                Self::Corrupt { format, offset, what, damage: wrong, is_held }
            }
            other => other,
        }
    }

    /// The same error, if it is of corrupt data, of a frame that is held or not.
    pub(crate) fn of_held(self, is_held: bool) -> Self {
        match self {
            Self::Corrupt { format, offset, what, damage, .. } => {
                Self::Corrupt { format, offset, what, damage, is_held }
            }
            other => other,
        }
    }

    /// Whether the output's reader has gone away: filters end silently then.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { source, .. } | Error::Write { source, .. } => source,
            Error::Truncated { .. } | Error::Empty => Self::new(io::ErrorKind::UnexpectedEof, error),
            Error::Memory { .. } => Self::new(io::ErrorKind::OutOfMemory, error),
            Error::Level { .. }
            | Error::BlockSize { .. }
            | Error::NotWritten { .. }
            | Error::Unavailable { .. } => Self::new(io::ErrorKind::InvalidInput, error),
            Error::Internal(_) | Error::GivenUp => Self::other(error),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// In what way data is corrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// It is not what the format allows.
    Form,
    /// It has another checksum than it says.
    Check,
    /// It has another length than it says.
    Length,
    /// It has both another checksum and another length than it says.
    Both,
}

/// A number of bytes, shown with a binary unit so that the figure can be typed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        for (shift, unit) in UNITS {
            // Rounded up, so that a figure named as needed is enough; GiB only where nothing is lost.
            if self.0 >= 1 << shift && (shift < 30 || self.0.is_multiple_of(1 << shift)) {
                return write!(f, "{}{unit}", self.0.div_ceil(1 << shift));
            }
        }
        write!(f, "{}B", self.0)
    }
}

/// Which dictionary was given, for an error message.
fn given_dictionary(given: Option<u32>) -> String {
    match given {
        None => "and none is given".into(),
        Some(0) => "and the one that is given has no id".into(),
        Some(id) => format!("and the one that is given has the id {id}"),
    }
}

/// The first bytes of something unknown, for an error message.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ")
}
