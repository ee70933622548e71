//! A zstd decoder (RFC 8878) for programs that decode one frame with many threads.
//!
//! It works on slices. The crate opens no files, starts no threads, and has no dependencies. A frame's blocks refer
//! to each other, so decoding has two stages, and a walk over headers before them:
//!
//! - [`FrameHeader`] and [`BlockHeader`] say where blocks are. [`TableContext`] notes which tables are in force before
//!   each block. This is done in order, and is cheap.
//! - [`BlockDecoder`] decodes the literals and sequences of one block, or of two at once, to a [`DecodedBlock`]. This
//!   is done in any order.
//! - [`Executor`] puts blocks together in order, in a slice that holds the whole frame or in a [`Ring`] that holds
//!   the window.
//!
//! [`FrameDecoder`] does all this for frames in memory, and [`StreamDecoder`] for a frame that arrives piece by piece.
//!
//! Checksums are the caller's: the crate tells what a frame states, and compares nothing. So are skippable frames.
//!
//! ```
//! use pzcomp_zstd::FrameDecoder;
//!
//! // A frame of one compressed block: two literals, and a match of eight bytes.
//! let frame = [
//!     0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0x4D, 0, 0, 0x10, b'a', b'b', 1, 0x54, 2, 2, 5, 5,
//! ];
//! let mut plain = [0; 10];
//! let frame = FrameDecoder::new().decode(&frame, &mut plain)?;
//! assert_eq!((frame.plain_len, &plain), (10, b"ababababab"));
//! # Ok::<(), pzcomp_zstd::Error>(())
//! ```

#![cfg_attr(pzcomp_safe, deny(unsafe_code), allow(dead_code, unused_imports, unused_mut))]

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bits;
mod block;
mod context;
mod dictionary;
mod error;
mod execute;
mod frame;
mod fse;
mod header;
mod huffman;
mod literals;
mod sequences;
mod stream;

pub use block::{BlockDecoder, CodedBlock, DecodedBlock};
pub use context::TableContext;
pub use dictionary::Dictionary;
pub use error::Error;
pub use execute::{Block, Executor, Lent, Ring};
pub use frame::{Frame, FrameDecoder};
pub use header::{
    BLOCK_HEADER_LEN, BLOCK_LEN_MAX, BlockHeader, BlockKind, FRAME_HEADER_LEN_MAX, FRAME_HEADER_LEN_MIN,
    Format, FrameHeader, MAGIC,
};
pub use stream::{Pause, Progress, StreamDecoder};

/// Whether the loops that are compiled for BMI2 and AVX2 may run.
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
pub(crate) fn has_bmi2() -> bool {
    // The macro asks the processor once and remembers the answer.
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("avx2")
}
