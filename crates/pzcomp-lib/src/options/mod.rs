//! The options of a caller: [`Encode`] says how data is compressed, and [`Decode`] how it is decompressed.
//!
//! Each is made by a builder of its own with one end, `build`, which checks everything that can be checked before there
//! is data. Options that are built cannot be changed, so a function that takes them fails for the data only. A builder
//! can begin with options that were built.
//!
//! - `Encode` names the format first: `Encode::zstd(3)`, `Encode::gzip(6).bgzf()`. [`Encode::builder`] takes a format
//!   that is chosen at run time. The methods of a builder stand in groups: those of all formats, and those of one
//!   format or a few. An option that the format does not have is an error of `build`, in words. There is one type of
//!   builder for all formats, not one for each: programs choose formats at run time, and with many types each of them
//!   would have to name them all.
//! - `Decode` names no format, because formats are recognised. Its options that only one format has begin with its
//!   name.
//! - A recoding takes both. Everything else takes one of the two, so an option of the wrong direction does not compile.
//!
//! `format/settings.rs` checks an `Encode` against its format and makes [`Settings`], which the encoders use and do not
//! check again. Values that only one format has stand in the other files of this folder.
//!
//! The same input, options and version give the same output, whatever `threads` and `memory` are. With `flush_interval`
//! the output also depends on when the input comes, and with `adapt` on how fast everything is.

mod decode;
mod encode;
mod entry;
mod written;
mod xz;
mod zstd;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

pub use decode::{Decode, DecodeBuilder, Unknown, WINDOW_LIMIT};
pub use encode::{Encode, EncodeBuilder};
use engine::Progress;
pub use entry::{ArchiveEntry, EntryChoice};
pub(crate) use written::AdaptSettings;
pub use written::{Adapt, Check, Layout, Lz4Blocks, Member, Recovery, Strategy, Tar};
pub use xz::{XzArch, XzFilter, XzFinder, XzLzma, XzMode};
pub(crate) use xz::{fault_of, lzma_of};
pub(crate) use zstd::ZstdWriting;
pub use zstd::{Dictionary, ZstdParameter};

use crate::tar_list::Listing;

/// Methods of a builder, each of which sets a field of the options: `pub fn NAME(VALUE: TYPE) { FIELD = EXPRESSION }`.
macro_rules! setters {
    ($(#[$group:meta])* impl $builder:ident {
        $($(#[$doc:meta])* pub fn $name:ident($value:ident: $type:ty) { $($field:ident).+ = $set:expr })*
    }) => {
        $(#[$group])*
        impl $builder {
            $($(#[$doc])* pub fn $name(mut self, $value: $type) -> Self {
                self.0.$($field).+ = $set;
                self
            })*
        }
    };
}
use setters;

/// Two directions that work at the same time each get half of the memory.
pub(crate) const SIDES: u64 = 2;

/// What the options of both directions have, for code that serves both.
pub(crate) trait Common: Clone {
    /// Whether files leave the page cache.
    fn drops_cache(&self) -> bool;
    /// Whether workers take only what other programs leave.
    fn is_idle(&self) -> bool;
    /// The number of workers.
    fn workers(&self) -> usize;
    /// The progress of the stream, or a new one.
    fn progress(&self) -> Progress;
    /// The same with this progress.
    fn with_progress(&self, progress: &Progress) -> Self;
    /// The same for a stream whose files another part of the program drops from the page cache.
    fn keeping_cache(&self) -> Self;
}

/// The number of available CPUs. To ask the system takes a dozen calls, so it is asked once, when threads are wanted.
static CPUS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get));

/// The number of workers for a number of threads that was asked for.
pub(crate) fn worker_count(threads: usize) -> usize {
    match threads {
        0 => *CPUS,
        threads => threads,
    }
}

/// The most bytes of the store between producer and consumer, if there is one.
fn store_len(buffer: Option<u64>) -> Option<usize> {
    /// A shorter one would slow the stream down.
    const SHORTEST: usize = 64 << 10;
    let len = buffer.filter(|&len| len > 0)?;
    Some(usize::try_from(len).unwrap_or(usize::MAX).max(SHORTEST))
}

macro_rules! common {
    ($options:ty) => {
        impl Common for $options {
            fn drops_cache(&self) -> bool {
                self.drop_cache
            }

            fn is_idle(&self) -> bool {
                self.idle
            }

            fn workers(&self) -> usize {
                self.worker_count()
            }

            fn progress(&self) -> Progress {
                self.progress.clone().unwrap_or_default()
            }

            fn with_progress(&self, progress: &Progress) -> Self {
                Self { progress: Some(progress.clone()), ..self.clone() }
            }

            fn keeping_cache(&self) -> Self {
                Self { drop_cache: false, ..self.clone() }
            }
        }

        impl $options {
            /// The number of workers: the number of threads of the options, or the number of available CPUs.
            pub fn worker_count(&self) -> usize {
                worker_count(self.threads)
            }

            /// The most bytes of the store between producer and consumer, if there is one.
            pub(crate) fn store_len(&self) -> Option<usize> {
                store_len(self.buffer)
            }
        }
    };
}

common!(Encode);
common!(Decode);

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
