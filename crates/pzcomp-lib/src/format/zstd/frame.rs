//! Finds zstd frames, and passes them block by block. `crates/zstd` parses the headers.
//!
//! The input is a cursor over the coded bytes. The output is one unit per frame, or several if workers share the frame.
//! The feeder calls the walker. A frame that is not valid takes the rest of the input with it; the decoder says what is
//! wrong.
//!
//! [`CutCounter`] says where a frame is cut. The decoder (`blocks.rs`) uses it too, so that both agree on the cuts.

use pzcomp_zstd::{BLOCK_HEADER_LEN, BlockHeader, FRAME_HEADER_LEN_MIN, Format, FrameHeader};

use crate::error::Result;
use crate::format::chain::{ChainFormat, ChainStart, Link};
use crate::format::{Cursor, Unit, Walker};

/// The header at the cursor. Not more bytes are waited for, because a frame may be shorter than the longest header.
fn header_at(cursor: &mut dyn Cursor) -> Result<Option<FrameHeader>> {
    let len = FrameHeader::len_at(cursor.peek(FRAME_HEADER_LEN_MIN)?);
    Ok(header(cursor.peek(len)?))
}

/// The header that begins with these bytes. `None` if they are too few, or not valid.
pub(super) fn header(bytes: &[u8]) -> Option<FrameHeader> {
    FrameHeader::parse(bytes, Format::Magic).ok().flatten()
}

/// The length of the block with this header, and whether it is the last one. `None` if its type is reserved.
pub(super) fn block(header: [u8; BLOCK_HEADER_LEN]) -> Option<(u64, bool)> {
    // The decoder says that a block is too long.
    let header = BlockHeader::parse(header, usize::MAX).ok()?;
    Some(((BLOCK_HEADER_LEN + header.coded_len()) as u64, header.is_last))
}

/// The length of the frame that begins these bytes, if they hold all of it.
pub(super) fn len(coded: &[u8]) -> Option<usize> {
    let header = header(coded)?;
    let mut at = header.header_len;
    loop {
        let (block_len, is_last) = block(*coded.get(at..)?.first_chunk()?)?;
        at += usize::try_from(block_len).ok()?;
        if is_last {
            return Some(at + if header.has_checksum { 4 } else { 0 }).filter(|&len| len <= coded.len());
        }
    }
}

/// The blocks of a frame, one by one.
pub(super) struct FrameChain;

impl ChainFormat for FrameChain {
    fn link_len(&self) -> usize {
        BLOCK_HEADER_LEN
    }

    fn start(&self, cursor: &mut dyn Cursor) -> Result<Option<ChainStart>> {
        Ok(header_at(cursor)?.map(|header| ChainStart {
            header_len: header.header_len as u64,
            style: 0,
            tail_len: if header.has_checksum { 4 } else { 0 },
            plain_len: header.content_size,
            has_check: header.has_checksum,
        }))
    }

    fn link(&self, head: &[u8], _: u8) -> Option<Link> {
        let (len, is_last) = block(*head.first_chunk()?)?;
        Some(if is_last { Link::End(len) } else { Link::Block(len) })
    }
}

/// The context of a cut. The job before hands on everything else that must be known there.
pub(super) const CONTEXT: u8 = 1;

/// A frame that states at most this many plain bytes is not cut.
const WHOLE_PLAIN_MAX: u64 = 4 << 20;

/// A frame that follows another frame is not cut if it states at most this many plain bytes: workers decode several
/// such frames at the same time, and that is faster.
const SERIES_PLAIN_MAX: u64 = 64 << 20;

/// A frame that follows another frame and states no length is expected to be about as long: `pzstd` writes such files.
/// It is not cut before it is this many times as long as the frame before, or longer than this.
const SERIES_GROWTH: u64 = 2;
const SERIES_CODED_MAX: u64 = 32 << 20;

/// A part has at least this many coded bytes.
const PART_LEN: u64 = 32 << 10;

/// The number of blocks in a part is a multiple of this. Blocks of the greatest length fill a piece of output.
const PART_BLOCKS: usize = 8;

/// Counts blocks, and says behind which of them a frame is cut.
///
/// Walker and decoder must agree on the cuts. Where the walker does not cut, the output of the decoder leaves at the
/// same places. So the output before an error depends on the input only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CutCounter {
    is_cut: bool,
    blocks: usize,
    /// Coded bytes since the last cut.
    len: u64,
}

impl CutCounter {
    /// The cuts of a frame that states this plain length.
    pub(super) fn of(content_len: Option<u64>) -> Self {
        Self { is_cut: content_len.is_none_or(|len| len > WHOLE_PLAIN_MAX), ..Self::default() }
    }

    /// The cuts behind a cut.
    pub(super) fn inside() -> Self {
        Self { is_cut: true, ..Self::default() }
    }

    /// Counts a block of this many bytes, its header included. It is not the last of the frame.
    pub(super) fn pass(&mut self, len: u64) {
        self.blocks += 1;
        self.len += len;
    }

    /// Whether a cut is here, if the frame does not end here.
    pub(super) fn is_here(&self) -> bool {
        self.is_cut && self.len >= PART_LEN && self.blocks.is_multiple_of(PART_BLOCKS)
    }
}

/// Finds frames, and parts of frames.
pub(super) struct FrameWalker {
    /// Whether several workers can share a frame.
    is_shared: bool,
    /// The coded length of the frame that was passed last.
    last_len: Option<u64>,
    /// The coded length of the current frame so far.
    len: u64,
    /// The current frame is not cut before it is longer than this.
    uncut_len: u64,
    /// Whether the frame has a checksum, if the next block is inside a frame.
    inside: Option<bool>,
}

impl FrameWalker {
    /// For this many workers.
    pub(super) fn new(workers: usize) -> Self {
        Self { is_shared: workers > 1, last_len: None, len: 0, uncut_len: 0, inside: None }
    }

    /// The length up to which a frame that begins here is not cut.
    fn uncut_len(&self, content_len: Option<u64>) -> u64 {
        match (self.last_len, content_len) {
            _ if !self.is_shared => u64::MAX,
            (Some(_), Some(stated)) if stated <= SERIES_PLAIN_MAX => u64::MAX,
            (Some(last), None) => last.saturating_mul(SERIES_GROWTH).min(SERIES_CODED_MAX),
            _ => 0,
        }
    }
}

fn check(has_checksum: bool) -> &'static str {
    if has_checksum { "XXH64" } else { "-" }
}

impl Walker for FrameWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        if let Some(has_checksum) = self.inside {
            return Ok(Unit::part(CONTEXT, check(has_checksum)));
        }
        Ok(match header_at(cursor)? {
            Some(header) => Unit::frame(header.content_size, check(header.has_checksum)),
            None => Unit::rest("-"),
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let (has_checksum, mut cuts) = if let Some(has_checksum) = self.inside.take() {
            (has_checksum, CutCounter::inside())
        } else {
            let Some(header) = header_at(cursor)? else {
                return cursor.take_rest();
            };
            cursor.take(header.header_len as u64)?;
            (self.len, self.uncut_len) = (header.header_len as u64, self.uncut_len(header.content_size));
            (header.has_checksum, CutCounter::of(header.content_size))
        };
        loop {
            let head = cursor.peek(BLOCK_HEADER_LEN)?;
            // A frame is not cut where the input ends, because a job without input would find nothing wrong.
            if cuts.is_here() && !head.is_empty() {
                if self.len > self.uncut_len {
                    self.inside = Some(has_checksum);
                    return Ok(());
                }
                cuts = CutCounter::inside();
            }
            let Some((len, is_last)) = head.first_chunk().and_then(|&header| block(header)) else {
                return cursor.take_rest();
            };
            if !cursor.take(len)? {
                return Ok(());
            }
            self.len += len;
            if is_last {
                self.last_len = Some(self.len);
                return cursor.take(if has_checksum { 4 } else { 0 }).map(drop);
            }
            cuts.pass(len);
        }
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAGIC;
    use super::*;
    use crate::decompress::RangeCursor;
    use engine::io::RandomAccess;

    const BLOCK_LEN: usize = 32 << 10;

    /// A frame of so many raw blocks.
    fn frame(content_len: Option<u64>, blocks: usize) -> Vec<u8> {
        let mut coded = MAGIC.to_vec();
        coded.extend([if content_len.is_some() { 0xC0 } else { 0 }, 10 << 3]);
        coded.extend(content_len.iter().flat_map(|len| len.to_le_bytes()));
        for number in 1..=blocks {
            let header = (BLOCK_LEN as u32) << 3 | u32::from(number == blocks);
            coded.extend(&header.to_le_bytes()[..BLOCK_HEADER_LEN]);
            coded.resize(coded.len() + BLOCK_LEN, 7);
        }
        coded
    }

    /// How many blocks each unit has, for this many workers.
    fn units(coded: &[u8], workers: usize) -> Vec<usize> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let (mut walker, mut units, mut at) = (FrameWalker::new(workers), Vec::new(), 0);
        while at < coded.len() {
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            let offset = Cursor::offset(&cursor) as usize;
            units.push((offset - at) / BLOCK_LEN);
            at = offset;
        }
        units
    }

    #[test]
    fn frames_in_a_row_are_not_cut_while_they_are_about_as_long() {
        let coded = [16, 24, 24, 96, 16].map(|blocks| frame(None, blocks)).concat();
        assert_eq!(units(&coded, 2), [8, 8, 24, 24, 56, 8, 8, 8, 8, 8, 16]);
        assert_eq!(units(&coded, 1), [16, 24, 24, 96, 16]);
    }

    #[test]
    fn a_frame_in_a_row_is_cut_if_it_states_that_it_is_long() {
        let long = frame(Some(SERIES_PLAIN_MAX + 1), 24);
        let short = frame(Some(SERIES_PLAIN_MAX), 24);
        assert_eq!(units(&[&short[..], &short, &long].concat(), 2), [8, 8, 8, 24, 8, 8, 8]);
    }
}
