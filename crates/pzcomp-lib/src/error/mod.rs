//! [`Error`]: everything that can go wrong in the library, as sentences for the person who must act.
//!
//! One enum serves the whole library. A variant carries what was expected, what was found, and where. Offsets count
//! coded bytes from the start of the input. The command adds the names of files, because the library does not know
//! them.
//!
//! The imitations of other programs (`src/dialect` of the command) choose their own words by the variant and its typed
//! fields, and never by `what`.
//!
//! The texts say what is wrong with the input. Only the command knows what happened to the output, and adds that.

mod context;

use std::io;

/// The result of every function of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a stream could not be compressed or decompressed.
///
/// When a function returns it, all output that belongs before the error has been written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be read.
    #[error("cannot read at offset {offset}; check the disk or the connection")]
    Read {
        /// Offset of the first byte that was not read.
        offset: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write after {offset} bytes")]
    Write {
        /// Bytes of output before the failing write.
        offset: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// A damaged input is to be salvaged, but it cannot be read more than once.
    #[error("a damaged input is read more than once, so it must be a file; save it to a file first")]
    NeedsFile,
    /// A regular file became shorter while it was read.
    #[error(
        "the file became shorter while it was read: expected {expected} bytes, but it ends at {found}; try again when no program writes to it"
    )]
    Shrank {
        /// Length in bytes when reading began, or the end of the bytes that were to be read.
        expected: u64,
        /// Offset at which the file ends now.
        found: u64,
    },
    /// The input is empty, but compressed data was expected.
    #[error(
        "unexpected end of file: the input is empty, expected compressed data; the program that made or sent it may have failed"
    )]
    Empty,
    /// The input begins with bytes that begin no accepted format.
    #[error("not in a compressed format that pzcomp reads: it begins with {found} (hexadecimal)")]
    #[non_exhaustive]
    NotCompressed {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// Bytes behind the last frame that belong to no format.
    #[error(
        "trailing garbage at offset {offset}: no accepted format begins with {found} (hexadecimal). The data before that \
         offset is complete. If the file is damaged there, the rest of it is lost: fetch the file again or restore it \
         from another copy"
    )]
    TrailingGarbage {
        /// Offset at which the last frame ended.
        offset: u64,
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The input ends inside a frame.
    #[error(
        "unexpected end of {format} data: the input ends at offset {offset}, inside the frame that begins at offset \
         {frame}. The data before that frame is not affected. The file is incomplete: fetch it again"
    )]
    #[non_exhaustive]
    Truncated {
        /// Name of the format.
        format: &'static str,
        /// Offset at which the incomplete frame begins.
        frame: u64,
        /// Offset at which the input ends.
        offset: u64,
    },
    /// The input ends behind a whole frame, but its recovery records say that more of the stream follows.
    #[error(
        "unexpected end of the stream: the input ends at offset {offset}, behind a whole frame, but its recovery records \
         say that more follows. The data before that offset is not affected. The file is incomplete: fetch it again"
    )]
    #[non_exhaustive]
    Unfinished {
        /// Offset at which the input ends.
        offset: u64,
    },
    /// The input ends behind a whole frame and without an index, although the options expect one
    /// ([`DecodeBuilder::expect_end`](crate::DecodeBuilder::expect_end)).
    #[error(
        "the input ends at offset {offset} without the index that marks the end. Either it is incomplete: then fetch it \
         again; or it was written without an index, as bzip2, lzip, Snappy, single members, files of less than 16 KiB and \
         most data of other programs are: then its end cannot be demanded"
    )]
    #[non_exhaustive]
    NoEnd {
        /// Offset at which the input ends.
        offset: u64,
    },
    /// A frame is not valid, or does not match its checksum or its length.
    #[error(
        "corrupt {format} data at offset {offset}: {what}. The data before that offset is not affected{}. \
         Fetch the file again or restore it from another copy",
        if *is_held { ", and nothing of that frame is written" } else { "" }
    )]
    #[non_exhaustive]
    Corrupt {
        /// Name of the format.
        format: &'static str,
        /// Offset at which the damaged frame begins. If the damage is not in a frame, as in an Index or a Stream Footer
        /// of xz, it is the offset of that part of the file or of the first wrong byte in it.
        offset: u64,
        /// What was expected and what was found.
        what: String,
        /// The kind of damage, for programs.
        damage: Damage,
        /// Whether nothing of that frame is written. If false, its output may be written up to the damage and a little
        /// beyond.
        is_held: bool,
    },
    /// A frame is valid, but needs something that pzcomp does not support.
    #[error("unsupported {format} data at offset {offset}: {what}")]
    #[non_exhaustive]
    Unsupported {
        /// Name of the format.
        format: &'static str,
        /// Offset at which the frame begins.
        offset: u64,
        /// What the frame needs, and what can be done.
        what: String,
        /// The version of the format, if that is what is not supported.
        version: Option<u8>,
    },
    /// A member of an xbstream is damaged, or cannot be decompressed.
    #[error(
        "the member '{name}' (its first chunk is at offset {start}): {source}. Offsets in compressed data count from the \
         start of the member"
    )]
    #[non_exhaustive]
    Member {
        /// The path of the member in the stream.
        name: String,
        /// Offset at which its first chunk begins.
        start: u64,
        /// What is wrong with it.
        source: Box<Error>,
    },
    /// A zstd frame needs a dictionary that is not given.
    #[error(
        "the zstd frame at offset {offset} needs the dictionary with the id {needed}, {}",
        given_dictionary(*given)
    )]
    #[non_exhaustive]
    Dictionary {
        /// Offset at which the frame begins.
        offset: u64,
        /// The id of the dictionary that it needs.
        needed: u32,
        /// The id of the dictionary that is given, if one is given. It is 0 if that dictionary has no id.
        given: Option<u32>,
    },
    /// The work needs more memory than is allowed.
    #[error(
        "{what} needs {needed} of memory, but only {} is allowed",
        limit.rounded_down()
    )]
    #[non_exhaustive]
    Memory {
        /// What needs the memory.
        what: String,
        /// Bytes that must be allowed at least.
        needed: Size,
        /// Bytes allowed.
        limit: Size,
    },
    /// The plain data is longer than [`DecodeBuilder::max_output`](crate::DecodeBuilder::max_output) allows. That many
    /// bytes have been put out.
    #[error(
        "the plain data is longer than the {allowed} bytes that are allowed; if the source can be trusted, allow more with \
         max_output"
    )]
    #[non_exhaustive]
    OutputLimit {
        /// Bytes allowed.
        allowed: u64,
    },
    /// The format does not have this level.
    #[error("{format} has no level {level}; it has {}", levels(*lowest, *highest))]
    #[non_exhaustive]
    Level {
        /// Name of the format.
        format: &'static str,
        /// The level that was asked for.
        level: i32,
        /// Lowest level of the format.
        lowest: i32,
        /// Highest level of the format.
        highest: i32,
    },
    /// The format does not allow this block size.
    #[error("{format} blocks can be {lowest} to {highest} long, not {asked}; give a size in that range")]
    #[non_exhaustive]
    BlockSize {
        /// Name of the format.
        format: &'static str,
        /// The size that was asked for.
        asked: Size,
        /// Smallest size.
        lowest: Size,
        /// Largest size.
        highest: Size,
    },
    /// pzcomp does not write this format.
    #[error("pzcomp reads {format} but does not write it; choose another format")]
    #[non_exhaustive]
    NotWritten {
        /// Name of the format.
        format: &'static str,
    },
    /// This build of the library lacks the format.
    #[error("this program was built without {format}; build it with the feature \"{feature}\" of pzcomp")]
    #[non_exhaustive]
    NotBuilt {
        /// Name of the format.
        format: &'static str,
        /// The feature in `Cargo.toml` that brings it.
        feature: &'static str,
    },
    /// The format does not have this option.
    #[error("{format} cannot be written {how}")]
    #[non_exhaustive]
    Unavailable {
        /// Name of the format.
        format: &'static str,
        /// The option, in words that follow "cannot be written".
        how: &'static str,
    },
    /// An index beside the file cannot be used, or is wrong.
    #[error("cannot use the index: {what}; make it again, or remove it")]
    #[non_exhaustive]
    Index {
        /// What was expected and what was found.
        what: String,
    },
    /// The plain data is no tar archive, or it is damaged.
    #[error("the data is not a whole tar archive: {what}, at offset {offset} of the plain data")]
    #[non_exhaustive]
    Tar {
        /// Offset in the plain data.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// The system does not allow more threads.
    #[error("cannot start a thread that is needed; let the system allow more")]
    #[non_exhaustive]
    Threads {
        /// The error of the system.
        source: io::Error,
    },
    /// The system has no more memory.
    #[error("cannot get memory for {what}; use fewer threads or free memory")]
    #[non_exhaustive]
    NoMemory {
        /// What needs the memory.
        what: &'static str,
    },
    /// What was written does not decode to what was read. [`Compress::verify`](crate::Compress::verify) causes this.
    #[error(
        "the output is wrong: {what}. The input is not the cause; check the memory and the disk of this machine before \
         you try again"
    )]
    #[non_exhaustive]
    NotVerified {
        /// What was expected and what was found.
        what: String,
    },
    /// [`Progress::cancel`](crate::Progress::cancel) was called.
    #[error("cancelled by the program")]
    Cancelled,
    /// A thread or a library failed, and the data is not the cause.
    #[error("internal error: {0}; please report this")]
    Internal(String),
    /// The work was stopped because of another error. No function returns this to a caller.
    #[doc(hidden)]
    #[error("the work was stopped after an earlier error")]
    GivenUp,
}

/// The kind of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The data is not valid in its format.
    Form,
    /// What follows a frame begins as the header of another one, which is not valid.
    Header,
    /// A header states a window or a dictionary of a size that the format does not have.
    Window,
    /// The data does not match its checksum.
    Check,
    /// The data does not have the length that it states.
    Length,
    /// The data matches neither its checksum nor its length.
    Both,
}

/// The words about the given dictionary in an error.
fn given_dictionary(given: Option<u32>) -> String {
    match given {
        None => "and none is given".into(),
        Some(0) => "and the dictionary that is given has no id".into(),
        Some(id) => format!("and the dictionary that is given has the id {id}"),
    }
}

/// The first bytes of unknown data, for an error.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    shown.join(" ")
}

/// The levels of a format. Level 0 is none of those that are below it.
fn levels(lowest: i32, highest: i32) -> String {
    match lowest {
        ..0 => format!("1 to {highest}, and -1 to {lowest}, which are faster"),
        _ => format!("{lowest} to {highest}"),
    }
}

/// A number of bytes. It is shown with a binary unit, as `5MiB`. It is rounded up, so that memory of the size shown is
/// enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl Size {
    /// The size in words, rounded down. A limit is shown so: it is then less than a need that is rounded up.
    fn rounded_down(self) -> String {
        let (shift, unit) = self.unit();
        format!("{}{unit}", self.0 >> shift)
    }

    /// The binary logarithm of the unit in which the size is shown, and the name of the unit. Below 64 GiB, only whole
    /// GiB are shown in GiB.
    fn unit(self) -> (u32, &'static str) {
        const UNITS: [(u32, &str); 3] = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let fits = |shift: u32| {
            self.0 >= 1_u64 << shift
                && (shift < 30 || self.0 >= 1 << 36 || self.0.is_multiple_of(1_u64 << shift))
        };
        UNITS.into_iter().find(|&(shift, _)| fits(shift)).unwrap_or((0, "B"))
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (shift, unit) = self.unit();
        write!(f, "{}{unit}", self.0.div_ceil(1 << shift))
    }
}

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Self {
        match error {
            engine::Error::Read { offset, source } => Self::Read { offset, source },
            engine::Error::Write { offset, source } => Self::Write { offset, source },
            engine::Error::Shrank { expected, found } => Self::Shrank { expected, found },
            engine::Error::Threads { source } => Self::Threads { source },
            engine::Error::OutputLimit { allowed } => Self::OutputLimit { allowed },
            engine::Error::Cancelled => Self::Cancelled,
            engine::Error::GivenUp => Self::GivenUp,
            engine::Error::Internal(what) => Self::Internal(what),
            // The coders and feeders of this crate return no other error.
            engine::Error::Coder { error, .. } => {
                error.downcast().map_or_else(|error| Self::Internal(error.to_string()), |error| *error)
            }
            error => Self::Internal(error.to_string()),
        }
    }
}

impl From<Error> for engine::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { offset, source } => Self::Read { offset, source },
            Error::Write { offset, source } => Self::Write { offset, source },
            Error::Shrank { expected, found } => Self::Shrank { expected, found },
            Error::Threads { source } => Self::Threads { source },
            Error::OutputLimit { allowed } => Self::OutputLimit { allowed },
            Error::Cancelled => Self::Cancelled,
            Error::GivenUp => Self::GivenUp,
            Error::Internal(what) => Self::Internal(what),
            error => {
                let is_refusal = matches!(error, Error::Unavailable { .. });
                Self::Coder { error: Box::new(error), is_refusal }
            }
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { source, .. } | Error::Write { source, .. } => source,
            Error::Truncated { .. } | Error::Unfinished { .. } | Error::NoEnd { .. } | Error::Empty => {
                Self::new(io::ErrorKind::UnexpectedEof, error)
            }
            Error::NeedsFile => Self::new(io::ErrorKind::NotSeekable, error),
            Error::Threads { .. } => Self::new(io::ErrorKind::ResourceBusy, error),
            Error::Memory { .. } | Error::NoMemory { .. } => Self::new(io::ErrorKind::OutOfMemory, error),
            Error::NotBuilt { .. } => Self::new(io::ErrorKind::Unsupported, error),
            Error::Level { .. }
            | Error::BlockSize { .. }
            | Error::NotWritten { .. }
            | Error::Unavailable { .. } => Self::new(io::ErrorKind::InvalidInput, error),
            Error::Internal(_) | Error::GivenUp | Error::Cancelled => Self::other(error),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Error;
    use super::Size;

    #[test]
    fn a_need_is_rounded_up_and_a_limit_down() {
        let (needed, limit) = (Size((4 << 20) + 2), Size((4 << 20) + 1));
        let error = Error::Memory { what: "decompression".into(), needed, limit };
        assert!(
            error.to_string().starts_with("decompression needs 5MiB of memory, but only 4MiB is allowed")
        );
        for (bytes, up, down) in [
            (0, "0B", "0B"),
            (1023, "1023B", "1023B"),
            (1025, "2KiB", "1KiB"),
            (1 << 30, "1GiB", "1GiB"),
            ((1 << 30) + 1, "1025MiB", "1024MiB"),
            ((64 << 30) + 1, "65GiB", "64GiB"),
        ] {
            assert_eq!((Size(bytes).to_string(), Size(bytes).rounded_down()), (up.into(), down.into()));
        }
    }
}
