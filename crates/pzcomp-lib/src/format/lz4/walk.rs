//! The walker of lz4: goes from block to block, and cuts frames of many independent blocks into parts.
//!
//! The feeder calls [`FrameWalker`]. It reads only the size of each block. A frame is cut only if there is more than
//! one worker. [`CutCounter`] says where, and the decoder (`blocks.rs`) uses it too, so that both agree on the cuts.
//!
//! If a size is not valid, the rest of the input belongs to the frame, and the decoder says what is wrong.

use super::{Header, LEGACY_CODED_MAX, LEGACY_MAGIC, Style};
use crate::error::Result;
use crate::format::chain::{ChainFormat, ChainStart, Link};
use crate::format::{Cursor, Unit, Walker};
use engine::PIECE_LEN;

/// A part has at least this many coded bytes. A job of many small frames has at most as many, so no other frame is in
/// the job of a part.
const PART_LEN: u64 = 256 << 10;

/// Counts blocks, and says behind which of them a frame is cut.
///
/// Walker and decoder must agree on the cuts. If there is only one worker, its output leaves at the same places. So
/// the output before an error depends on the input only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CutCounter {
    /// How many blocks of the greatest length fill a piece of output. 0 if the frame is not cut.
    step: usize,
    blocks: usize,
    /// Coded bytes since the last cut.
    len: u64,
}

impl CutCounter {
    /// The cuts of a frame with this header.
    pub(super) fn of(header: &Header) -> Self {
        let is_cut = header.independent && header.whole_len().is_none();
        if is_cut { Self::inside(header.style) } else { Self::default() }
    }

    /// The cuts behind a cut.
    pub(super) fn inside(style: Style) -> Self {
        Self { step: (PIECE_LEN / style.block_max()).max(1), ..Self::default() }
    }

    /// Counts a block of this many bytes, its size field included.
    pub(super) fn pass(&mut self, len: u64) {
        self.blocks += 1;
        self.len += len;
    }

    /// Whether a cut is here, if the frame does not end here.
    pub(super) fn is_here(&self) -> bool {
        self.step > 0 && self.len >= PART_LEN && self.blocks.is_multiple_of(self.step)
    }
}

/// Finds frames, and parts of frames.
pub(super) struct FrameWalker {
    /// Whether several workers can share a frame.
    is_shared: bool,
    /// The style of the frame, if the next block is inside a frame.
    inside: Option<Style>,
}

impl FrameWalker {
    /// For this many workers.
    pub(super) fn new(workers: usize) -> Self {
        Self { is_shared: workers > 1, inside: None }
    }

    /// Passes blocks, to the end of the frame or to the next cut.
    fn pass_blocks(&mut self, style: Style, mut cuts: CutCounter, cursor: &mut dyn Cursor) -> Result<()> {
        loop {
            let Some(size) = peek_size(cursor)? else {
                return cursor.take_rest();
            };
            if size == 0 {
                return cursor.take(style.end_len()).map(drop);
            }
            if cuts.is_here() {
                self.inside = Some(style);
                return Ok(());
            }
            let Some(len) = style.block(size) else {
                return cursor.take_rest();
            };
            let len = 4 + u64::from(len);
            if !cursor.take(len)? {
                return Ok(());
            }
            cuts.pass(len);
        }
    }
}

impl Walker for FrameWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let check = |style: Style| if style.content_checksum { "XXH32" } else { "-" };
        if let Some(style) = self.inside {
            return Ok(Unit::part(style.packed(), check(style)));
        }
        let head = Header::peek(cursor)?;
        if head.starts_with(&LEGACY_MAGIC) {
            return Ok(Unit::frame(None, "-"));
        }
        Ok(match Header::parse(head) {
            Some(header) => Unit::frame(header.content_len, check(header.style)),
            None => Unit::rest("-"),
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        if let Some(style) = self.inside.take() {
            return self.pass_blocks(style, CutCounter::inside(style), cursor);
        }
        let head = Header::peek(cursor)?;
        if head.starts_with(&LEGACY_MAGIC) {
            return pass_legacy(cursor);
        }
        let Some(header) = Header::parse(head) else {
            return cursor.take_rest();
        };
        cursor.take(header.len as u64)?;
        let cuts = if self.is_shared { CutCounter::of(&header) } else { CutCounter::default() };
        self.pass_blocks(header.style, cuts, cursor)
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}

/// Passes a legacy frame. It ends at the end of the input, or at a size that is too large: the next magic number.
fn pass_legacy(cursor: &mut dyn Cursor) -> Result<()> {
    cursor.take(4)?;
    while let Some(size) = peek_size(cursor)? {
        if size > LEGACY_CODED_MAX || !cursor.take(4 + u64::from(size))? {
            return Ok(());
        }
    }
    cursor.take_rest()
}

/// The blocks of a frame, one by one.
pub(super) struct FrameChain;

/// The style of legacy frames. [`Style::packed`] gives other values.
const LEGACY_STYLE: u8 = 0;

impl ChainFormat for FrameChain {
    fn link_len(&self) -> usize {
        4
    }

    fn start(&self, cursor: &mut dyn Cursor) -> Result<Option<ChainStart>> {
        let head = cursor.peek(LEGACY_MAGIC.len())?;
        if head.starts_with(&LEGACY_MAGIC) {
            let header_len = LEGACY_MAGIC.len() as u64;
            let (style, plain_len) = (LEGACY_STYLE, None);
            return Ok(Some(ChainStart { header_len, style, tail_len: 0, plain_len, has_check: false }));
        }
        Ok(Header::parse(Header::peek(cursor)?).map(|header| ChainStart {
            header_len: header.len as u64,
            style: header.style.packed(),
            tail_len: 0,
            plain_len: header.content_len,
            has_check: header.style.content_checksum,
        }))
    }

    fn link(&self, head: &[u8], style: u8) -> Option<Link> {
        let size = u32::from_le_bytes(*head.first_chunk()?);
        let Some(style) = Style::unpacked(style) else {
            // The next magic number.
            let is_block = size <= LEGACY_CODED_MAX;
            return Some(if is_block { Link::Block(4 + u64::from(size)) } else { Link::End(0) });
        };
        match size {
            0 => Some(Link::End(style.end_len())),
            _ => style.block(size).map(|len| Link::Block(4 + u64::from(len))),
        }
    }
}

fn peek_size(cursor: &mut dyn Cursor) -> Result<Option<u32>> {
    Ok(cursor.peek(4)?.first_chunk::<4>().map(|size| u32::from_le_bytes(*size)))
}

#[cfg(test)]
mod tests {
    use super::super::header::{WHOLE_PLAIN_MAX, header_check};
    use super::super::{MAGIC, STORED};
    use super::*;
    use crate::decompress::RangeCursor;
    use engine::io::RandomAccess;

    /// A frame of `count` stored blocks of `len` bytes.
    fn frame(flags: u8, id: u8, content_len: Option<u64>, count: usize, len: usize) -> Vec<u8> {
        let mut coded = MAGIC.to_vec();
        coded.extend([flags | if content_len.is_some() { 8 } else { 0 }, id << 4]);
        coded.extend(content_len.iter().flat_map(|len| len.to_le_bytes()));
        coded.push(header_check(&coded[4..]));
        for _ in 0..count {
            coded.extend((len as u32 | STORED).to_le_bytes());
            coded.resize(coded.len() + len, 7);
        }
        coded.extend([0; 4]);
        coded
    }

    /// How many blocks of this length are before each cut, for this many workers.
    fn cuts(coded: &[u8], workers: usize, block_len: usize) -> Vec<usize> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let mut walker = FrameWalker::new(workers);
        let mut cuts = Vec::new();
        loop {
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            let offset = Cursor::offset(&cursor) as usize;
            if !walker.is_inside() {
                assert_eq!(offset, coded.len());
                return cuts;
            }
            cuts.push(offset / (4 + block_len));
        }
    }

    const INDEPENDENT: u8 = 0x60;

    #[test]
    fn a_frame_is_cut_where_blocks_fill_pieces_and_parts_are_not_too_short() {
        for (id, len, count, expected) in [
            (4, 64 << 10, 40, &[16, 32][..]),
            (4, 64 << 10, 32, &[16]),
            (4, 20 << 10, 40, &[16, 32]),
            (4, 10 << 10, 70, &[32, 64]),
            (5, 256 << 10, 9, &[4, 8]),
            (6, 1 << 20, 3, &[1, 2]),
            (7, 4 << 20, 3, &[1, 2]),
            (7, 100 << 10, 7, &[3, 6]),
            (7, 200 << 10, 1, &[]),
        ] {
            for content_len in [None, Some(u64::MAX), Some(WHOLE_PLAIN_MAX + 1)] {
                let coded = frame(INDEPENDENT, id, content_len, count, len);
                assert_eq!(cuts(&coded, 2, len), expected, "{count} blocks of {len}");
                assert_eq!(cuts(&coded, 1, len), [0_usize; 0], "for nobody");
            }
            assert_eq!(
                cuts(&frame(INDEPENDENT, id, Some(WHOLE_PLAIN_MAX), count, len), 2, len),
                [0_usize; 0],
                "short"
            );
            assert_eq!(cuts(&frame(0x40, id, None, count, len), 2, len), [0_usize; 0], "linked");
        }
    }

    #[test]
    fn what_is_no_block_belongs_to_those_before_it() {
        let len = 64 << 10;
        let coded = frame(INDEPENDENT, 4, None, 40, len);
        for end in [7, 9, 7 + 5 * (4 + len) + 2, 7 + 16 * (4 + len), 7 + 16 * (4 + len) + 3] {
            assert_eq!(cuts(&coded[..end], 2, len), [], "cut off at {end}");
        }
        let mut lying = coded;
        lying[7 + 20 * (4 + len) + 2] = 0x7f;
        assert_eq!(cuts(&lying, 2, len), [16]);
    }
}
