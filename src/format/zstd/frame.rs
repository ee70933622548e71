//! Finds zstd frames: parses frame headers, and passes frames block by block.
//!
//! The input is a cursor over the coded bytes. The output is one unit per frame, or several if workers share the frame.
//! The feeder calls the walker, and the decoder calls [`Header::parse`]. A frame that is not valid takes the rest of
//! the input with it; the decoder says what is wrong.
//!
//! [`CutCounter`] says where a frame is cut. The decoder (`blocks.rs`) uses it too, so that both agree on the cuts.

use super::MAGIC;
use crate::error::Result;
use crate::format::chain::{ChainFormat, ChainStart, Link};
use crate::format::{Cursor, Unit, Walker};

/// The longest frame header.
pub(super) const HEADER_MAX: usize = 18;
/// The magic number and the descriptor, which tells the length of the header.
pub(super) const HEADER_MIN: usize = 5;
pub(super) const BLOCK_HEADER_LEN: usize = 3;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) len: usize,
    pub(super) window_len: u64,
    pub(super) content_len: Option<u64>,
    pub(super) dictionary: u32,
    pub(super) has_checksum: bool,
}

impl Header {
    /// The length of the header that begins with these bytes, of which [`HEADER_MIN`] are enough to tell.
    pub(super) fn len_at(bytes: &[u8]) -> usize {
        let Some(&descriptor) = bytes.get(MAGIC.len()) else { return HEADER_MIN };
        let single_segment = descriptor & 0x20 != 0;
        let content_field = match descriptor >> 6 {
            0 => usize::from(single_segment),
            flag => 1 << flag,
        };
        let dictionary_field = [0, 1, 2, 4][usize::from(descriptor & 3)];
        HEADER_MIN + usize::from(!single_segment) + dictionary_field + content_field
    }

    /// The bytes of the header at the cursor. Not more are waited for, because a frame may be shorter than the longest
    /// header.
    fn peek(cursor: &mut dyn Cursor) -> Result<Option<Self>> {
        let len = Self::len_at(cursor.peek(HEADER_MIN)?);
        Ok(Self::parse(cursor.peek(len)?))
    }

    /// Parses a Frame_Header (RFC 8878, section 3.1.1.1). Returns `None` if the bytes are too few or if a reserved bit
    /// is set.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (&descriptor, rest) = bytes.strip_prefix(&MAGIC)?.split_first()?;
        let single_segment = descriptor & 0x20 != 0;
        if descriptor & 0x08 != 0 {
            return None;
        }
        let (window, rest) = rest.split_at_checked(usize::from(!single_segment))?;
        let dictionary_field = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let content_field = match descriptor >> 6 {
            0 => usize::from(single_segment),
            flag => 1 << flag,
        };
        let (dictionary, rest) = rest.split_at_checked(dictionary_field)?;
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let content = number(rest.get(..content_field)?);
        let content_len = match content_field {
            0 => None,
            2 => Some(content + 256),
            _ => Some(content),
        };
        let window_len = match window {
            &[byte, ..] => {
                let base = 1_u64 << (10 + (byte >> 3));
                base + base / 8 * u64::from(byte & 7)
            }
            [] => content_len?,
        };
        Some(Self {
            len: MAGIC.len() + 1 + window.len() + dictionary_field + content_field,
            window_len,
            content_len,
            dictionary: number(dictionary) as u32,
            has_checksum: descriptor & 4 != 0,
        })
    }
}

/// A block header.
pub(super) struct Block {
    /// Bytes behind the header.
    pub(super) coded_len: u32,
    pub(super) is_last: bool,
}

impl Block {
    /// Parses a Block_Header (section 3.1.1.2): bit 0 marks the last block, bits 1 and 2 are the type, the rest is the
    /// size. Returns `None` if the type is reserved.
    pub(super) fn parse([a, b, c]: [u8; BLOCK_HEADER_LEN]) -> Option<Self> {
        let header = u32::from_le_bytes([a, b, c, 0]);
        let coded_len = match header >> 1 & 3 {
            // A block of one repeated byte.
            1 => 1,
            3 => return None,
            _ => header >> 3,
        };
        Some(Self { coded_len, is_last: header & 1 == 1 })
    }
}

/// The blocks of a frame, one by one.
pub(super) struct FrameChain;

impl ChainFormat for FrameChain {
    fn link_len(&self) -> usize {
        BLOCK_HEADER_LEN
    }

    fn start(&self, cursor: &mut dyn Cursor) -> Result<Option<ChainStart>> {
        Ok(Header::peek(cursor)?.map(|header| ChainStart {
            header_len: header.len as u64,
            style: 0,
            tail_len: if header.has_checksum { 4 } else { 0 },
            plain_len: header.content_len,
            has_check: header.has_checksum,
        }))
    }

    fn link(&self, head: &[u8], _: u8) -> Option<Link> {
        let Block { coded_len, is_last } = Block::parse(*head.first_chunk()?)?;
        let len = BLOCK_HEADER_LEN as u64 + u64::from(coded_len);
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
        Ok(match Header::peek(cursor)? {
            Some(header) => Unit::frame(header.content_len, check(header.has_checksum)),
            None => Unit::rest("-"),
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let (has_checksum, mut cuts) = if let Some(has_checksum) = self.inside.take() {
            (has_checksum, CutCounter::inside())
        } else {
            let Some(header) = Header::peek(cursor)? else {
                return cursor.take_rest();
            };
            cursor.take(header.len as u64)?;
            (self.len, self.uncut_len) = (header.len as u64, self.uncut_len(header.content_len));
            (header.has_checksum, CutCounter::of(header.content_len))
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
            let Some(block) = head.first_chunk().and_then(|&header| Block::parse(header)) else {
                return cursor.take_rest();
            };
            let len = BLOCK_HEADER_LEN as u64 + u64::from(block.coded_len);
            if !cursor.take(len)? {
                return Ok(());
            }
            self.len += len;
            if block.is_last {
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
    use super::*;
    use crate::decompress::RangeCursor;
    use crate::io::RandomAccess;

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
