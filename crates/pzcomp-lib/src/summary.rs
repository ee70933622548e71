//! [`Summary`]: the result of a stream.
//!
//! The runs, [`Writer`](crate::Writer) and [`Reader`](crate::Reader) return it. It has sizes, times, and
//! remarks about the input that are no errors.

use std::time::Duration;

use crate::format::id::Format;
use crate::options::ArchiveEntry;
use engine::Outcome;
pub use engine::waits::{Stage, Waits};
pub use engine::{CpuTimes, Trailing};

/// What was compressed or decompressed, and how long it took.
///
/// ```
/// use pzcomp::{Compress, Encode};
///
/// let summary = Compress::new(&Encode::default()).run(&[7; 1 << 20], &mut Vec::new())?;
/// println!("{} of {} bytes in {:?}", summary.coded_len, summary.plain_len, summary.wall);
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The format that was written, or the format of the first frame that was read.
    pub format: Option<Format>,
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of coded data, with the index.
    pub coded_len: u64,
    /// The number of frames. A format may call them members, blocks or streams.
    pub frames: u64,
    /// The name of the check that the first frame carries, after decompression; as
    /// [`Listing::check`](crate::inspect::Listing). All checks are verified, unless the options or [`Self::unverified`]
    /// say otherwise.
    pub check: Option<&'static str>,
    /// The number of workers.
    pub threads: usize,
    /// Time from the first byte to the last.
    pub wall: Duration,
    /// CPU time by role. It is zero for `Writer`, `Reader` and other streams whose threads serve several streams.
    pub cpu: CpuTimes,
    /// For what the stream waited.
    pub waits: Waits,
    /// How much was compressed at each level, if the level adapted itself
    /// ([`EncodeBuilder::adapt`](crate::EncodeBuilder::adapt)). Otherwise it is empty.
    pub levels: Vec<LevelShare>,
    /// Whether an index follows the last frame, after decompression. A stream that pzcomp writes with an index and that
    /// was cut between two frames lacks it.
    pub ends_indexed: bool,
    /// The bytes behind the last frame that belong to no frame.
    pub trailing: Trailing,
    /// Sentences that matter only to users who ask for details, for example that an index is wrong.
    pub remarks: Vec<String>,
    /// The files of an archive that was decompressed, in its order. At most 65,536 are listed. Otherwise it is empty.
    pub entries: Vec<ArchiveEntry>,
    /// The index, if it was asked for and the output has no room for it: the `.gzi` of BGZF.
    pub sidecar: Option<Vec<u8>>,
    /// Whether some data was not verified: an xz Stream carries a Check of an unknown kind
    /// ([`DecodeBuilder::xz_unknown_check`](crate::DecodeBuilder::xz_unknown_check)), or data in the formats of lzop
    /// and LZF carries none.
    pub unverified: bool,
    /// Whether the empty block is missing with which BGZF data ends. The data may have been cut off between two blocks.
    pub lacks_end: bool,
}

/// What the engine knows of a stream. The rest is up to its direction.
impl From<Outcome> for Summary {
    fn from(outcome: Outcome) -> Self {
        let Outcome { total, written, wall, cpu, waits, threads, sidecar } = outcome;
        Self {
            plain_len: total.plain_len,
            coded_len: written,
            frames: total.frames,
            threads,
            wall,
            cpu,
            waits,
            trailing: total.trailing,
            sidecar,
            unverified: total.facts.is_unverified,
            lacks_end: total.facts.lacks_end == Some(true),
            ..Self::default()
        }
    }
}

/// What was compressed at a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelShare {
    /// The level.
    pub level: i32,
    /// The number of chunks. In most layouts each of them is a frame.
    pub chunks: u64,
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of coded data.
    pub coded_len: u64,
    /// CPU time of all that was coded for it, also of what was only compared.
    pub cpu: Duration,
    /// Bytes of coded data that the first level makes of the same chunks: as measured, or by comparisons of other
    /// chunks.
    pub coded_len_at_first: u64,
    /// CPU time of the first level alone for the same chunks, in the same way.
    pub cpu_at_first: Duration,
}
