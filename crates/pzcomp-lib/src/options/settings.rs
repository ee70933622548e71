//! [`Settings`]: options that are valid for a format, as its encoders take them.
//!
//! `format/settings.rs` makes them of an [`Encode`](super::Encode), and nothing behind it checks them again.

use super::{AdaptSettings, Check, Layout, Lz4Blocks, Recovery, Strategy, XzFilter, ZstdWriting};
use crate::tar_list::Listing;

/// Options that are valid for a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) level: i32,
    /// The greatest length of a chunk.
    pub(crate) chunk_len: usize,
    /// bzip2: the most bytes that a chunk may have after its runs are shortened. `None` if `chunk_len` alone decides
    /// where a chunk ends.
    pub(crate) chunk_room: Option<usize>,
    /// Whether one worker codes all chunks, one after another.
    pub(crate) is_serial: bool,
    pub(crate) index: bool,
    /// Whether a short stream has an index too.
    pub(crate) short_index: bool,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) layout: Layout,
    pub(crate) check: Option<Check>,
    pub(crate) window_log: Option<u32>,
    pub(crate) plain_len: Option<u64>,
    pub(crate) rsyncable: bool,
    /// Whether a chunk ends behind a line.
    pub(crate) align_lines: bool,
    /// Gets the members of a tar archive, if the output is to list them.
    pub(crate) listing: Option<Listing>,
    /// The number of threads for a serial encoder that has threads of its own, as `Encode` has it: 0 stands for one for
    /// each CPU. `None` if such an encoder is to work on the thread that calls it.
    pub(crate) threads: Option<usize>,
    pub(crate) extreme: bool,
    pub(crate) strategy: Strategy,
    pub(crate) lz4: Lz4Blocks,
    /// Empty if the level decides.
    pub(crate) xz_filters: Vec<XzFilter>,
    pub(crate) zstd: ZstdWriting,
    /// The levels, if they adapt themselves. `level` is the highest of them then.
    pub(crate) adapt: Option<AdaptSettings>,
}

impl Settings {
    /// The settings to begin with.
    pub(crate) fn at_start(&self) -> Self {
        Self { level: self.adapt.as_ref().map_or(self.level, |adapt| adapt.start), ..self.clone() }
    }

    /// The most of a need at all levels.
    pub(crate) fn most<T: Ord>(&self, need: impl Fn(&Self) -> T) -> T {
        let levels = self.adapt.iter().flat_map(|adapt| &adapt.levels);
        let needs = levels.map(|&(level, _)| need(&Self { level, ..self.clone() }));
        needs.fold(need(self), T::max)
    }
}
