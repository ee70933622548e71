//! The literals section of a block (RFC 8878, section 3.1.1.3.1).

use std::ops::Range;

use crate::Error;
use crate::context::HuffmanDescription;
use crate::huffman::weights::description_len;

/// How literals are coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LiteralsKind {
    Raw,
    Rle,
    /// With a Huffman table that the section describes: its place in the block.
    Compressed {
        description: Range<usize>,
    },
    /// With the Huffman table of an earlier block.
    Treeless,
}

/// Where everything of a literals section is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiteralsLayout {
    pub kind: LiteralsKind,
    /// The number of literals.
    pub len: usize,
    /// The literals, the repeated byte or the Huffman streams: their place in the block. The section ends where it
    /// ends.
    pub content: Range<usize>,
    pub has_four_streams: bool,
}

impl LiteralsLayout {
    /// Reads the headers of the section at the start of a block.
    pub fn parse(block: &[u8], block_len_max: usize) -> Result<Self, Error> {
        let (&[first, second], _) = block.split_first_chunk().ok_or(Error::BlockTooShort)?;
        let (kind, size_format) = (first & 3, first >> 2 & 3);
        let layout = if kind < 2 {
            let (header_len, len) = match size_format {
                0 | 2 => (1, usize::from(first >> 3)),
                1 => (2, usize::from(first) >> 4 | usize::from(second) << 4),
                _ => {
                    let third = *block.get(2).ok_or(Error::BlockTooShort)?;
                    (3, usize::from(first) >> 4 | usize::from(second) << 4 | usize::from(third) << 12)
                }
            };
            let (kind, coded) = if kind == 0 { (LiteralsKind::Raw, len) } else { (LiteralsKind::Rle, 1) };
            Self { kind, len, content: header_len..header_len + coded, has_four_streams: false }
        } else {
            // The format has headers of three bytes, but no valid section is shorter than five: libzstd refuses it.
            let &header: &[u8; 5] = block.first_chunk().ok_or(Error::BlockTooShort)?;
            let [a, b, c, d, e] = header.map(u64::from);
            let word = a | b << 8 | c << 16 | d << 24 | e << 32;
            let (header_len, width) = match size_format {
                0 | 1 => (3, 10),
                2 => (4, 14),
                _ => (5, 18),
            };
            let len = (word >> 4 & ((1 << width) - 1)) as usize;
            let coded_len = (word >> (4 + width) & ((1 << width) - 1)) as usize;
            let has_four_streams = size_format != 0;
            if len <= block_len_max && has_four_streams && len < 6 {
                return Err(Error::TooFewLiterals);
            }
            let mut content = header_len..header_len + coded_len;
            let mut layout_kind = LiteralsKind::Treeless;
            if kind == 2 {
                let section = block.get(content.clone()).ok_or(Error::LiteralsLength)?;
                let description_len = description_len(section).ok_or(Error::HuffmanTable)?;
                let streams = header_len + description_len;
                layout_kind = LiteralsKind::Compressed { description: header_len..streams };
                content.start = streams;
            }
            if content.is_empty() {
                return Err(Error::HuffmanStream);
            }
            Self { kind: layout_kind, len, content, has_four_streams }
        };
        if layout.len > block_len_max || layout.content.end > block.len() {
            return Err(Error::LiteralsLength);
        }
        Ok(layout)
    }

    /// The description of the Huffman table that the section brings with it.
    pub fn description(&self, block: &[u8]) -> Option<HuffmanDescription> {
        match &self.kind {
            LiteralsKind::Compressed { description } => HuffmanDescription::new(&block[description.clone()]),
            _ => None,
        }
    }
}
