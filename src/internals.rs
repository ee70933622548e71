//! Functions that `benches/model` measures and that the public API does not have: the pipeline without a codec, and
//! the parts into which the gzip walker cuts a member.
//!
//! This module exists only with the feature `model`. It is no part of the API, and any version may change it.
//! `benches/model` is its only caller. The functions add nothing to the code that streams run, so that the
//! model measures that code.

use std::ops::Range;
use std::time::Duration;

use crate::compress::{ChunkCoder, Chunked, Counts};
use crate::decompress::RangeCursor;
use crate::error::Result;
use crate::format::{Cursor, Cut, Encoder, Format, Reading, combine_crc32, ffi, gzip};
use crate::summary::Summary;
use engine::Coder;
use engine::io::{Input, Output, RandomAccess};

/// Bytes of output that a decoder fills at a time.
pub const PIECE_LEN: usize = engine::PIECE_LEN;

/// Coded bytes of a gzip member that the walker passes before it looks for the end of a part.
pub const PART_LEN: u64 = gzip::PART_LEN;

/// Plain bytes for each coded byte: below the first figure two workers share a gzip member, and above the
/// second they stop.
pub const RATIOS: [f32; 2] = gzip::RATIOS;

/// Symbols that a decoder without its window makes at a time.
pub const STEP: usize = gzip::STEP;

/// Symbols that a decoder without its window makes at most.
pub const SYMBOLS_MAX: usize = gzip::SYMBOLS_MAX;

/// CPU time of the calling thread since it started.
pub fn thread_cpu() -> Duration {
    engine::thread_cpu()
}

/// The CRC-32 of gzip. `crc` is that of the bytes before, and 0 at first.
pub fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    ffi::deflate::crc32(crc, bytes)
}

/// The CRC-32 of two parts from that of each, and the length of the second.
pub fn join_crc32(before: u32, crc: u32, len: u64) -> u32 {
    combine_crc32(before, crc, len)
}

/// Where the walker cuts a gzip file of one member for so many workers: the range of each part, and the context
/// byte at its start, which holds the bits of the byte that belong to the part before.
pub fn gzip_parts(coded: &[u8], workers: usize) -> Result<Vec<(Range<usize>, u8)>> {
    let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
    let mut walker = Format::Gzip.codec().walker(workers, &Reading::default());
    let mut parts = Vec::new();
    loop {
        let start = Cursor::offset(&cursor) as usize;
        let context = walker.unit(&mut cursor)?.context;
        walker.pass(&mut cursor)?;
        parts.push((start..Cursor::offset(&cursor) as usize, context));
        if !walker.is_inside() {
            return Ok(parts);
        }
    }
}

/// Runs `input` through the pipeline of compression to `output`, with `code` in the place of an encoder. It
/// gets a chunk and room for [`frame_bound`] bytes, and says how many of these it has filled.
///
/// The summary names no format, and its coded length is that of all frames: there is no index.
pub fn run_chunks<C>(
    input: Input,
    output: Output,
    threads: usize,
    chunk_len: usize,
    code: C,
) -> Result<Summary>
where
    C: FnMut(&[u8], &mut [u8]) -> usize + Clone + Send + 'static,
{
    let bound = frame_bound(chunk_len);
    let coder = |_| {
        let encoder = Box::new(ClosureEncoder(code.clone()));
        Box::new(ChunkCoder { encoder, chunk_len, bound, sums: None }) as Box<dyn Coder>
    };
    let chunked = Chunked {
        coders: (0..threads).map(coder).collect(),
        plan: Counts::ample(threads, chunk_len).plan(chunk_len, bound),
        cut: Cut::evenly(chunk_len),
        scan: None,
        read: None,
        flush_interval: None,
        taps: engine::Taps::default(),
        unfinished: engine::Unfinished::default(),
    };
    Ok(chunked.run(input, output)?.into())
}

/// Room for the frame of a chunk. As in every format, a frame is shorter than its bound, so that it leaves when
/// its job ends.
pub fn frame_bound(chunk_len: usize) -> usize {
    chunk_len + 16
}

/// An encoder that calls a closure.
struct ClosureEncoder<C>(C);

impl<C: FnMut(&[u8], &mut [u8]) -> usize + Send> Encoder for ClosureEncoder<C> {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        Ok((self.0)(chunk, out))
    }
}
