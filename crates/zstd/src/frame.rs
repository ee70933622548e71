//! Whole frames in memory.

use std::sync::Arc;

use crate::execute::{Block, Executor};
use crate::{
    BLOCK_HEADER_LEN, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Dictionary, Error, Format,
    FrameHeader, TableContext,
};

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
        let mut walk = Walk::begin(coded, self.format, self.dictionary.clone())?;
        let mut pending: [Option<Piece<'_>>; 2] = [None, None];
        loop {
            // Two blocks, or the last one.
            for slot in &mut pending {
                *slot = walk.next()?;
            }
            let [first, second] = &pending;
            let (one, two) = self.decoded.split_at_mut(1);
            match (first.as_ref().and_then(Piece::coded), second.as_ref().and_then(Piece::coded)) {
                (Some(a), Some(b)) => {
                    let (a, b) = self.blocks.decode_two((a, &mut one[0]), (b, &mut two[0]));
                    a.and(b)?;
                }
                (Some(a), None) => self.blocks.decode(a, &mut one[0])?,
                (None, Some(b)) => self.blocks.decode(b, &mut two[0])?,
                (None, None) => {}
            }
            for (piece, decoded) in pending.iter().zip(&self.decoded) {
                if let Some(piece) = piece {
                    walk.execute(piece, decoded, plain)?;
                }
            }
            if pending[1].is_none() {
                return walk.end();
            }
        }
    }
}

/// A block on its way from the walk to its place.
struct Piece<'a> {
    header: BlockHeader,
    bytes: &'a [u8],
    tables: TableContext,
    block_len_max: usize,
}

impl Piece<'_> {
    /// What stage 1 has to do.
    fn coded(&self) -> Option<CodedBlock<'_>> {
        let &Self { header, bytes, ref tables, block_len_max } = self;
        (header.kind == BlockKind::Compressed).then_some(CodedBlock { bytes, tables, block_len_max })
    }
}

/// A frame whose blocks are read one by one.
struct Walk<'a> {
    coded: &'a [u8],
    header: FrameHeader,
    at: usize,
    is_done: bool,
    tables: TableContext,
    executor: Executor,
}

impl<'a> Walk<'a> {
    fn begin(coded: &'a [u8], format: Format, dictionary: Option<Arc<Dictionary>>) -> Result<Self, Error> {
        let header = FrameHeader::parse(coded, format)?.ok_or(Error::Truncated)?;
        let tables =
            dictionary.as_ref().map_or(TableContext::new(), |dictionary| TableContext::with_dictionary(dictionary));
        let executor = Executor::new(&header, dictionary);
        Ok(Self { coded, header, at: header.header_len, is_done: false, tables, executor })
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
        if header.kind == BlockKind::Compressed {
            self.tables.scan(bytes, block_len_max)?;
        }
        Ok(Some(Piece { header, bytes, tables, block_len_max }))
    }

    fn execute(&mut self, piece: &Piece<'_>, decoded: &DecodedBlock, plain: &mut [u8]) -> Result<(), Error> {
        let block = match piece.header.kind {
            BlockKind::Raw => Block::Raw(piece.bytes),
            BlockKind::Rle => Block::Rle(piece.bytes[0], piece.header.size),
            BlockKind::Compressed => Block::Decoded(decoded),
        };
        self.executor.run(block, plain)
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
