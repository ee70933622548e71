//! Whole frames in memory.

use std::sync::Arc;

use crate::context::BlockLayout;
use crate::execute::{Block, Executor};
use crate::{
    BLOCK_HEADER_LEN, BLOCK_LEN_MAX, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock,
    Dictionary, Error, Format, FrameHeader, TableContext,
};

/// Up to this decoded length, two frames are decoded at once rather than one after the other.
const TOGETHER_MAX: u64 = 2 * BLOCK_LEN_MAX as u64;

/// What a frame was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The length of the frame, from its header to its last block or its checksum.
    pub coded_len: usize,
    /// The length of the decoded frame.
    pub plain_len: usize,
    /// The checksum that the frame states: the low four bytes of the XXH64 of the content. **Nobody has compared it with
    /// the content.** That is the caller's part.
    pub checksum: Option<u32>,
}

/// Decodes frames that are in memory as a whole. It keeps its memory from frame to frame.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    blocks: BlockDecoder,
    decoded: [DecodedBlock; 2],
    format: Format,
    dictionary: Option<Arc<Dictionary>>,
}

impl FrameDecoder {
    /// A decoder of frames without a dictionary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A decoder of frames that may need this dictionary, with or without magic numbers.
    #[must_use]
    pub fn with(format: Format, dictionary: Option<Arc<Dictionary>>) -> Self {
        Self { format, dictionary, ..Self::default() }
    }

    /// Decodes the frame at the start of `coded` into `plain`, which may be longer than the frame. Some bytes
    /// behind the frame may be overwritten too.
    pub fn decode(&mut self, coded: &[u8], plain: &mut [u8]) -> Result<Frame, Error> {
        let walk = Walk::begin(coded, plain, self.format, self.dictionary.clone())?;
        self.finish(walk)
    }

    /// Decodes two frames, each as [`FrameDecoder::decode`] does. Short frames are decoded at once: this takes less time
    /// on one core. Long ones have enough blocks of their own to decode two at once, and one output fits in the cache
    /// better than two.
    pub fn decode_two(
        &mut self,
        a: (&[u8], &mut [u8]),
        b: (&[u8], &mut [u8]),
    ) -> (Result<Frame, Error>, Result<Frame, Error>) {
        let begun_a = Walk::begin(a.0, a.1, self.format, self.dictionary.clone());
        let begun_b = Walk::begin(b.0, b.1, self.format, self.dictionary.clone());
        let (mut walk_a, mut walk_b) = match (begun_a, begun_b) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => return (a.and_then(|walk| self.finish(walk)), b.and_then(|walk| self.finish(walk))),
        };
        if walk_a.is_long() && walk_b.is_long() {
            return (self.finish(walk_a), self.finish(walk_b));
        }
        // A block of each, as long as both have one. What is left of the longer frame is decoded alone.
        while !walk_a.is_done && !walk_b.is_done {
            let (piece_a, piece_b) = match (walk_a.next(), walk_b.next()) {
                (Ok(a), Ok(b)) => (a, b),
                (Err(error), Ok(b)) => return (Err(error), self.finish_with(walk_b, b)),
                (Ok(a), Err(error)) => return (self.finish_with(walk_a, a), Err(error)),
                (Err(a), Err(b)) => return (Err(a), Err(b)),
            };
            let (result_a, result_b) = self.decode_pair(piece_a.as_ref(), piece_b.as_ref());
            let [decoded_a, decoded_b] = &self.decoded;
            let result_a = result_a.and_then(|()| walk_a.execute(piece_a, decoded_a));
            let result_b = result_b.and_then(|()| walk_b.execute(piece_b, decoded_b));
            match (result_a, result_b) {
                (Ok(()), Ok(())) => {}
                (Err(error), Ok(())) => return (Err(error), self.finish(walk_b)),
                (Ok(()), Err(error)) => return (self.finish(walk_a), Err(error)),
                (Err(a), Err(b)) => return (Err(a), Err(b)),
            }
        }
        (self.finish(walk_a), self.finish(walk_b))
    }

    /// Decodes a block that was read already, and then the rest.
    fn finish_with(&mut self, mut walk: Walk<'_, '_>, piece: Option<Piece<'_>>) -> Result<Frame, Error> {
        self.decode_pair(piece.as_ref(), None).0?;
        walk.execute(piece, &self.decoded[0])?;
        self.finish(walk)
    }

    /// Decodes the rest of a frame, two blocks at a time.
    fn finish(&mut self, mut walk: Walk<'_, '_>) -> Result<Frame, Error> {
        while !walk.is_done {
            let first = walk.next()?;
            let second = walk.next()?;
            let (one, two) = self.decode_pair(first.as_ref(), second.as_ref());
            one.and(two)?;
            walk.execute(first, &self.decoded[0])?;
            walk.execute(second, &self.decoded[1])?;
        }
        walk.end()
    }

    /// Stage 1 of two blocks that need it.
    fn decode_pair(
        &mut self,
        first: Option<&Piece<'_>>,
        second: Option<&Piece<'_>>,
    ) -> (Result<(), Error>, Result<(), Error>) {
        let [one, two] = &mut self.decoded;
        match (first.and_then(Piece::coded), second.and_then(Piece::coded)) {
            (Some((a, layout_a)), Some((b, layout_b))) => {
                self.blocks.decode_two_laid_out((&a, Ok(layout_a), one), (&b, Ok(layout_b), two))
            }
            (Some((a, layout)), None) => (self.blocks.decode_laid_out((&a, Ok(layout), one)), Ok(())),
            (None, Some((b, layout))) => (Ok(()), self.blocks.decode_laid_out((&b, Ok(layout), two))),
            (None, None) => (Ok(()), Ok(())),
        }
    }
}

/// A block on its way from the walk to its place.
struct Piece<'a> {
    header: BlockHeader,
    bytes: &'a [u8],
    /// What the headers of a compressed block say.
    layout: Option<BlockLayout>,
    tables: TableContext,
    block_len_max: usize,
}

impl Piece<'_> {
    /// What stage 1 has to do.
    fn coded(&self) -> Option<(CodedBlock<'_>, &BlockLayout)> {
        let &Self { bytes, ref layout, ref tables, block_len_max, .. } = self;
        Some((CodedBlock { bytes, tables, block_len_max }, layout.as_ref()?))
    }
}

/// A frame whose blocks are read one by one.
struct Walk<'a, 'p> {
    coded: &'a [u8],
    plain: &'p mut [u8],
    header: FrameHeader,
    at: usize,
    is_done: bool,
    tables: TableContext,
    executor: Executor,
}

impl<'a, 'p> Walk<'a, 'p> {
    fn begin(
        coded: &'a [u8],
        plain: &'p mut [u8],
        format: Format,
        dictionary: Option<Arc<Dictionary>>,
    ) -> Result<Self, Error> {
        let header = FrameHeader::parse(coded, format)?.ok_or(Error::Truncated)?;
        Dictionary::check(dictionary.as_deref(), &header)?;
        let tables = dictionary
            .as_ref()
            .map_or(TableContext::new(), |dictionary| TableContext::with_dictionary(dictionary));
        let executor = Executor::new(&header, dictionary);
        Ok(Self { coded, plain, header, at: header.header_len, is_done: false, tables, executor })
    }

    /// Whether the frame has more blocks than it is good to decode beside another frame.
    fn is_long(&self) -> bool {
        self.header.content_size.unwrap_or(self.plain.len() as u64) > TOGETHER_MAX
    }

    /// The next block, and the tables in force before it.
    fn next(&mut self) -> Result<Option<Piece<'a>>, Error> {
        if self.is_done {
            return Ok(None);
        }
        let block_len_max = self.header.block_len_max();
        let rest = &self.coded[self.at..];
        let (&header, rest) = rest.split_first_chunk::<BLOCK_HEADER_LEN>().ok_or(Error::Truncated)?;
        let header = BlockHeader::parse(header, block_len_max)?;
        let bytes = rest.get(..header.coded_len()).ok_or(Error::Truncated)?;
        self.at += BLOCK_HEADER_LEN + bytes.len();
        self.is_done = header.is_last;
        let tables = self.tables;
        let mut layout = None;
        if header.kind == BlockKind::Compressed {
            let parsed = BlockLayout::parse(bytes, block_len_max)?;
            self.tables.apply(&parsed, bytes);
            layout = Some(parsed);
        }
        Ok(Some(Piece { header, bytes, layout, tables, block_len_max }))
    }

    fn execute(&mut self, piece: Option<Piece<'_>>, decoded: &DecodedBlock) -> Result<(), Error> {
        let Some(piece) = piece else { return Ok(()) };
        let block = match piece.header.kind {
            BlockKind::Raw => Block::Raw(piece.bytes),
            BlockKind::Rle => Block::Rle(piece.bytes[0], piece.header.size),
            BlockKind::Compressed => Block::Decoded(decoded),
        };
        self.executor.run(block, self.plain)
    }

    fn end(self) -> Result<Frame, Error> {
        let decoded = self.executor.produced();
        if let Some(stated) = self.header.content_size.filter(|&stated| stated != decoded) {
            return Err(Error::ContentSize { stated, decoded });
        }
        let (mut coded_len, mut checksum) = (self.at, None);
        if self.header.has_checksum {
            let bytes = self.coded[self.at..].first_chunk().ok_or(Error::Truncated)?;
            checksum = Some(u32::from_le_bytes(*bytes));
            coded_len += bytes.len();
        }
        Ok(Frame { coded_len, plain_len: decoded as usize, checksum })
    }
}
