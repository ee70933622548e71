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
//! check again. Values that only one format has stand in the other files of this room.
//!
//! The same input, options and version give the same output, whatever `threads` and `memory` are. With `flush_interval`
//! the output also depends on when the input comes, and with `adapt` on how fast everything is.

mod adapt;
mod decode;
mod encode;
mod entry;
mod recovery;
mod settings;
mod tar;
mod written;
mod xz;
mod zstd;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use engine::Progress;

pub use adapt::Adapt;
pub(crate) use adapt::AdaptSettings;
pub use decode::{Decode, DecodeBuilder, Unknown, WINDOW_LIMIT};
pub use encode::{Encode, EncodeBuilder};
pub use entry::{ArchiveEntry, EntryChoice};
pub use recovery::Recovery;
pub(crate) use settings::Settings;
pub use tar::Tar;
pub use written::{Check, Layout, Lz4Blocks, Member, Strategy};
pub use xz::{XzArch, XzFilter, XzFinder, XzLzma, XzMode};
pub(crate) use xz::{fault_of, lzma_of};
pub(crate) use zstd::ZstdWriting;
pub use zstd::{Dictionary, ZstdParameter};

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
            ///
            /// ```
            /// use pzcomp::{Decode, Encode};
            /// assert_eq!(Encode::zstd(3).threads(2).build()?.worker_count(), 2);
            /// assert!(Decode::default().worker_count() >= 1);
            /// # Ok::<(), pzcomp::Error>(())
            /// ```
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
