//! Which tables are in force between two blocks of a frame.
//!
//! A block may use the tables of an earlier one. So that blocks can be decoded in any order, somebody walks over the
//! headers of all blocks in order and notes the *descriptions* of the tables in force before each: this is cheap,
//! because a description is short and no table is built.

use crate::Error;
use crate::dictionary::Dictionary;
use crate::literals::LiteralsLayout;
use crate::sequences::SequencesLayout;

/// The longest description of a Huffman table: its head, and 127 bytes of FSE coded weights.
const HUFFMAN_LEN_MAX: usize = 129;

/// More than the longest description of an FSE table: 53 codes with ten bits and a zero flag of two bits each.
const FSE_LEN_MAX: usize = 96;

/// The description of a Huffman table as it stands in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HuffmanDescription {
    len: u8,
    bytes: [u8; HUFFMAN_LEN_MAX],
}

impl HuffmanDescription {
    /// None if it is longer than a description can be.
    pub fn new(description: &[u8]) -> Option<Self> {
        let mut bytes = [0; HUFFMAN_LEN_MAX];
        bytes.get_mut(..description.len())?.copy_from_slice(description);
        Some(Self { len: description.len() as u8, bytes })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// What an FSE table is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FseDescription {
    /// No block had sequences yet.
    None,
    Predefined,
    Rle(u8),
    Described {
        len: u8,
        bytes: [u8; FSE_LEN_MAX],
    },
}

impl FseDescription {
    /// None if it is longer than a description can be.
    pub fn described(description: &[u8]) -> Option<Self> {
        let mut bytes = [0; FSE_LEN_MAX];
        bytes.get_mut(..description.len())?.copy_from_slice(description);
        Some(Self::Described { len: description.len() as u8, bytes })
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Described { len, bytes } => &bytes[..usize::from(*len)],
            _ => &[],
        }
    }
}

/// The descriptions of the tables in force before a block: with it, the block can be decoded without the blocks before.
///
/// It is a plain value of about 450 bytes, so that each block on its way to a worker can have its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableContext {
    pub(crate) huffman: Option<HuffmanDescription>,
    /// In the order of [`SequencesLayout::KINDS`].
    pub(crate) fse: [FseDescription; 3],
}

impl TableContext {
    /// What is in force before the first block of a frame without a dictionary: nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { huffman: None, fse: [const { FseDescription::None }; 3] }
    }

    /// What is in force before the first block of a frame with a dictionary. A raw dictionary has no tables.
    #[must_use]
    pub fn with_dictionary(dictionary: &Dictionary) -> Self {
        dictionary.context
    }

    /// Steps over a compressed block: the context then is that before the next block. Raw and RLE blocks change nothing
    /// and need no call. `block` has no header. `block_len_max` is [`crate::FrameHeader::block_len_max`].
    ///
    /// Only headers are read, so only errors of headers are found. The decoder finds the others.
    pub fn scan(&mut self, block: &[u8], block_len_max: usize) -> Result<(), Error> {
        let layout = BlockLayout::parse(block, block_len_max)?;
        self.apply(&layout, block);
        Ok(())
    }

    /// Makes the tables that a block describes those in force.
    pub(crate) fn apply(&mut self, layout: &BlockLayout, block: &[u8]) {
        if let Some(description) = layout.literals.description(block) {
            self.huffman = Some(description);
        }
        for (fse, mode) in self.fse.iter_mut().zip(&layout.sequences.modes) {
            if let Some(description) = mode.description(block) {
                *fse = description;
            }
        }
    }
}

impl Default for TableContext {
    fn default() -> Self {
        Self::new()
    }
}

/// Where everything of a compressed block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockLayout {
    pub literals: LiteralsLayout,
    pub sequences: SequencesLayout,
}

impl BlockLayout {
    pub fn parse(block: &[u8], block_len_max: usize) -> Result<Self, Error> {
        if block.len() > block_len_max {
            return Err(Error::BlockTooLarge);
        }
        let literals = LiteralsLayout::parse(block, block_len_max)?;
        let sequences = SequencesLayout::parse(block, literals.content.end, block_len_max)?;
        Ok(Self { literals, sequences })
    }
}
