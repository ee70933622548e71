//! Whole frames in memory.

use std::sync::Arc;

use crate::context::BlockLayout;
use crate::execute::{Block, Executor};
use crate::{
    BLOCK_HEADER_LEN, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Dictionary, Error,
    Format, FrameHeader, TableContext,
};

/// What a frame was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// The length of the frame, from its header to its last block or its checksum.
    pub coded_len: usize,
    /// The length of the decoded frame.
    pub plain_len: usize,
    /// The checksum that the frame states: the low four bytes of the XXH64 of the content. **Nobody has compared it
    /// with the content.** That is the caller's part.
    pub checksum: Option<u32>,
}

/// Decodes frames that are in memory as a whole. It keeps its memory from frame to frame.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    blocks: BlockDecoder,
    decoded: DecodedBlock,
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
        let Self { blocks, decoded, format, dictionary } = self;
        let header = FrameHeader::parse(coded, *format)?.ok_or(Error::Truncated)?;
        Dictionary::check(dictionary.as_deref(), &header)?;
        let block_len_max = header.block_len_max();
        let mut tables =
            dictionary.as_ref().map_or(TableContext::new(), |it| TableContext::with_dictionary(it));
        let mut executor = Executor::new(&header, dictionary.clone());
        let mut rest = &coded[header.header_len..];
        loop {
            let (&head, behind) = rest.split_first_chunk::<BLOCK_HEADER_LEN>().ok_or(Error::Truncated)?;
            let block = BlockHeader::parse(head, block_len_max)?;
            let (bytes, behind) = behind.split_at_checked(block.coded_len()).ok_or(Error::Truncated)?;
            rest = behind;
            match block.kind {
                BlockKind::Raw => executor.run(Block::Raw(bytes), plain)?,
                BlockKind::Rle => executor.run(Block::Rle(bytes[0], block.size), plain)?,
                BlockKind::Compressed => {
                    let layout = BlockLayout::parse(bytes, block_len_max)?;
                    let coded = CodedBlock { bytes, tables: &tables, block_len_max };
                    executor.run_coded(blocks, (&coded, Ok(&layout), decoded), plain)?;
                    tables.apply(&layout, bytes);
                }
            }
            if block.is_last {
                break;
            }
        }
        let decoded = executor.produced();
        if let Some(stated) = header.content_size.filter(|&stated| stated != decoded) {
            return Err(Error::ContentSize { stated, decoded });
        }
        let mut checksum = None;
        if header.has_checksum {
            let (bytes, behind) = rest.split_first_chunk().ok_or(Error::Truncated)?;
            (checksum, rest) = (Some(u32::from_le_bytes(*bytes)), behind);
        }
        Ok(Frame { coded_len: coded.len() - rest.len(), plain_len: decoded as usize, checksum })
    }
}
