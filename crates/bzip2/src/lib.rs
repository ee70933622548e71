//! The blocks of bzip2, coded and decoded one by one.
//!
//! A bzip2 stream is a header, blocks of up to 900,000 bytes, and an end. The blocks do not depend on each other,
//! so a program can code or decode many at once. This crate does the work for one block. The program that uses
//! it finds the blocks, writes the header and the end, and decides which thread works on which block. The crate
//! opens no files and starts no threads: it takes slices and gives slices.
//!
//! - [`encode::BlockEncoder`] writes a block to an [`encode::BitWriter`].
//! - [`decode::BlockDecoder`] reads a block from a [`decode::BitReader`]. It accepts the blocks that libbz2
//!   accepts.
//! - [`Crc`] is the checksum of a block, and [`join_crcs`] combines the CRCs of blocks to the CRC of the
//!   stream.
//!
//! ```
//! use pzcomp_bzip2::decode::{BitReader, BlockDecoder};
//! use pzcomp_bzip2::encode::{BitWriter, BlockEncoder, block_len};
//! use pzcomp_bzip2::{BLOCK_MAGIC, Crc, MAGIC_BITS};
//!
//! let plain = b"she sells sea shells by the sea shore";
//! let level = 1;
//!
//! // A block, without the stream around it.
//! let mut coded = [0; 1000];
//! let mut writer = BitWriter::new(&mut coded);
//! let written = BlockEncoder::new(level)?.write(plain, block_len(level), false, &mut writer)?;
//! assert_eq!(written.plain_len, plain.len());
//! let len = writer.finish().ok_or("the block has no room")?;
//!
//! // The caller reads the magic number, by which it knows that a block begins.
//! let mut bits = BitReader::new(&coded[..len], 0);
//! let magic = u64::from(bits.take(24)) << 24 | u64::from(bits.take(24));
//! assert_eq!((magic, MAGIC_BITS), (BLOCK_MAGIC, 48));
//! let mut decoder = BlockDecoder::new()?;
//! let claimed = decoder.decode(&mut bits, level)?;
//!
//! // The data comes out last, and its CRC decides whether it is right.
//! let (mut runs, mut back) = (decoder.runs(), [0; 100]);
//! let filled = runs.fill(&mut back)?;
//! let mut crc = Crc::new();
//! crc.update(&back[..filled]);
//! assert!(runs.is_done() && &back[..filled] == plain);
//! assert_eq!(crc.value(), claimed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crc;
pub mod decode;
pub mod encode;
mod sais;

use std::fmt;

pub use crc::{Crc, join_crcs};

/// The 48 bits that a block begins with: π in binary coded decimal.
pub const BLOCK_MAGIC: u64 = 0x3141_5926_5359;

/// The 48 bits that the end of a stream begins with: √π. The CRC of the stream follows, and zeros up to a whole byte.
pub const END_MAGIC: u64 = 0x1772_4538_5090;

/// The length of both magic numbers.
pub const MAGIC_BITS: u32 = 48;

/// The greatest length of a block for each step of the level, which is 1 to 9: bytes after runs are shortened.
pub const LEVEL_LEN: usize = 100_000;

/// How many symbols of a block are written in the same code before the next selector chooses one.
pub const GROUP_LEN: usize = 50;

/// The greatest number of codes of a block.
const CODES_MAX: usize = 6;

/// The greatest number of symbols: two for runs, 255 places of the list, and the end of the block.
const SYMBOLS_MAX: usize = 258;

/// The two symbols with which the lengths of runs are written.
const RUN_A: u32 = 0;
const RUN_B: u32 = 1;

/// The level itself, or the nearest valid level.
fn valid(level: u8) -> usize {
    usize::from(level.clamp(1, 9))
}

/// Why a block cannot be coded or decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input ends before the block does.
    Truncated,
    /// The block is not valid. The text continues the sentence "The block is damaged: …".
    Invalid(&'static str),
    /// There is not enough memory.
    OutOfMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Truncated => out.write_str("the input ends before the bzip2 block does"),
            Self::Invalid(what) => write!(out, "the bzip2 block is damaged: {what}"),
            Self::OutOfMemory => out.write_str("there is not enough memory for a bzip2 block"),
        }
    }
}

impl std::error::Error for Error {}

/// The place of the first four equal bytes.
pub(crate) fn find_run(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && let Some(shifted) = bytes.get(at + 1..).and_then(<[u8]>::first_chunk)
    {
        let unequal = u64::from_le_bytes(*eight) ^ u64::from_le_bytes(*shifted);
        // The highest bit of each byte that equals the one behind it.
        let equal = !(((unequal & LOW) + LOW) | unequal | LOW);
        let runs = equal & (equal >> 8) & (equal >> 16);
        if runs != 0 {
            return Some(at + (runs.trailing_zeros() / 8) as usize);
        }
        at += 6;
    }
    bytes[at..].windows(4).position(|four| four.iter().all(|&byte| byte == four[0])).map(|run| at + run)
}
