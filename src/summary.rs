//! What a stream amounted to.

use std::time::Duration;

use crate::format::id::Format;
pub use crate::pipeline::{CpuTimes, Trailing};

/// What was compressed or decompressed, and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The format written, or the first one found.
    pub format: Option<Format>,
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of coded data, index included.
    pub coded_len: u64,
    /// Frames: members, blocks or streams, as the format calls them.
    pub frames: u64,
    /// Workers.
    pub threads: usize,
    /// Time from the first byte to the last.
    pub wall: Duration,
    /// CPU time by role.
    pub cpu: CpuTimes,
    /// What was behind the last frame, and no frame.
    pub trailing: Trailing,
    /// What is worth a word only to those who ask, such as an index that lies.
    pub remarks: Vec<String>,
    /// The index of output that has no room for it, where one was asked for: the `.gzi` of BGZF.
    pub sidecar: Option<Vec<u8>>,
    /// Some xz Stream carries a Check of an unknown kind, so that nothing vouches for its data. See
    /// [`XzOptions::unknown_check`](crate::XzOptions::unknown_check).
    pub unverified: bool,
}
