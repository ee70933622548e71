//! Gzip members that can be taken up inside, or only look so: as on one thread, and as other tools have it.
//!
//! The submodules have ordinary members, members that were flushed, and members that say how long they are. Peers that
//! make them are gzip, pigz, libdeflate, igzip, zopfli and flate2. `is_decoded` and `is_refused` compare threads and
//! inputs.

mod blocks;
mod flushed;
mod members;

use crate::common::outcome::{dribbled, from_file, from_memory, is_decoded, is_refused};
use crate::common::plain::{self, Random};
use crate::common::{compress, decoded, flipped, is_exhaustive, pipe};
use flate2::{Compress, Compression, FlushCompress};
use pzcomp::{Encode, Error, Format, Layout, Member};

/// A part of a member is searched for its end from here on.
pub(crate) const PART_LEN: usize = 256 << 10;

pub(crate) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

/// An empty stored block, as flushing leaves it.
pub(crate) const EMPTY_STORED: [u8; 5] = [0, 0, 0, 0xff, 0xff];

pub(crate) fn options(level: i32, block_size: usize) -> Encode {
    encode!(Encode::builder(Format::Gzip), level, block_size, threads: 2, layout: Layout::Single(Member::default()))
}

/// Data whose chunks differ much in what they come to.
pub(crate) fn mixed() -> Vec<u8> {
    let parts = [plain::text(1_100_000), plain::random(400_000), vec![0; 500_000], plain::text(900_000)];
    parts.concat()
}

/// A member of this body.
pub(crate) fn member(body: &[u8], plain: &[u8]) -> Vec<u8> {
    [&HEADER[..], body, &crc32fast::hash(plain).to_le_bytes(), &(plain.len() as u32).to_le_bytes()].concat()
}

/// A DEFLATE stream that is flushed so after each part.
pub(crate) fn flushed<'a>(
    parts: impl Iterator<Item = &'a [u8]>,
    level: u32,
    flush: FlushCompress,
) -> Vec<u8> {
    let mut encoder = Compress::new(Compression::new(level), false);
    let mut coded = Vec::new();
    for part in parts {
        coded.reserve(part.len() + 10_000);
        encoder.compress_vec(part, &mut coded, flush).unwrap();
    }
    coded.reserve(1000);
    encoder.compress_vec(&[], &mut coded, FlushCompress::Finish).unwrap();
    coded
}
