//! What can be wrong with coded data. Each error is a sentence that says what is wrong and where.

use std::fmt;

/// Why coded data is not valid, or why it cannot be decoded with the given means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The data does not begin with the magic number of a zstd frame.
    Magic,
    /// The reserved bit of the frame header is set.
    ReservedHeaderBit,
    /// The frame needs a greater window than the caller allows.
    WindowTooLarge {
        /// The window size that the frame header states, in bytes.
        needed: u64,
        /// The greatest window size that the caller allows, in bytes.
        limit: u64,
    },
    /// The frame ends in the middle of a header, a block or the checksum.
    Truncated,
    /// A block has the reserved type 3.
    ReservedBlockType,
    /// A block, or what a block decodes to, is longer than the window or 128 KiB.
    BlockTooLarge,
    /// A compressed block is too short for its headers.
    BlockTooShort,
    /// The literals section does not fit in the block.
    LiteralsLength,
    /// Four Huffman streams were announced for fewer than six literals.
    TooFewLiterals,
    /// The literals use the Huffman table of an earlier block, and there is none.
    NoHuffmanTable,
    /// The description of the Huffman table is not valid.
    HuffmanTable,
    /// The jump table of the four Huffman streams points outside of them.
    JumpTable,
    /// A Huffman stream ends without its final 1 bit, or its codes do not end exactly at its start.
    HuffmanStream,
    /// The header of the sequences section is cut, or has a reserved bit set.
    SequencesHeader,
    /// The block states more sequences than a block can hold.
    TooManySequences,
    /// Bytes follow the last section of a block.
    TrailingBytes,
    /// The sequences use an FSE table of an earlier block, and there is none.
    NoFseTable,
    /// The description of an FSE table is not valid.
    FseTable,
    /// The code of an RLE table is greater than the greatest code of its kind.
    RleCode,
    /// The stream of the sequences has no final 1 bit, or its codes do not end exactly at its start.
    SequenceStream,
    /// The sequences use more literals than the block has.
    LiteralsExhausted,
    /// A match reaches before the window, or before the start of the frame and its dictionary.
    OffsetTooFar,
    /// The decoded data does not fit into the output.
    OutputTooSmall,
    /// The frame decodes to another length than its header states.
    ContentSize {
        /// The length that the header states.
        stated: u64,
        /// The length of the decoded data, or as much of it as was decoded.
        decoded: u64,
    },
    /// The frame needs another dictionary than the one that is there.
    DictionaryId {
        /// The id that the frame header states.
        needed: u32,
        /// The id of the given dictionary. None if it is a raw one, or there is none.
        given: Option<u32>,
    },
    /// The dictionary begins with the magic number of a formatted dictionary and is not a valid one.
    Dictionary,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::WindowTooLarge { needed, limit } => {
                return write!(out, "the frame needs a window of {needed} bytes, and {limit} are allowed");
            }
            Self::ContentSize { stated, decoded } => {
                return write!(out, "the frame header states {stated} bytes, and the frame has {decoded}");
            }
            Self::DictionaryId { needed, given: None } => {
                return write!(out, "the frame needs dictionary {needed}");
            }
            Self::DictionaryId { needed, given: Some(given) } => {
                return write!(out, "the frame needs dictionary {needed}, and the given one is {given}");
            }
            Self::Magic => "this is not a zstd frame",
            Self::ReservedHeaderBit => "the reserved bit of the frame header is set",
            Self::Truncated => "the frame is truncated",
            Self::ReservedBlockType => "a block has the reserved type",
            Self::BlockTooLarge => "a block is larger than its frame allows",
            Self::BlockTooShort => "a block is too short for its headers",
            Self::LiteralsLength => "the literals section does not fit in its block",
            Self::TooFewLiterals => "the literals section has four streams for fewer than six literals",
            Self::NoHuffmanTable => "the literals section repeats a Huffman table, and there is none",
            Self::HuffmanTable => "the Huffman table of the literals is not valid",
            Self::JumpTable => "the jump table of the literals is not valid",
            Self::HuffmanStream => "a Huffman stream of the literals is not valid",
            Self::SequencesHeader => "the header of the sequences section is not valid",
            Self::TooManySequences => "the block has more sequences than a block can hold",
            Self::TrailingBytes => "bytes follow the last section of a block",
            Self::NoFseTable => "the sequences section repeats an FSE table, and there is none",
            Self::FseTable => "an FSE table of the sequences is not valid",
            Self::RleCode => "an RLE table of the sequences has a code that does not exist",
            Self::SequenceStream => "the stream of the sequences is not valid",
            Self::LiteralsExhausted => "the sequences of a block use more literals than it has",
            Self::OffsetTooFar => {
                "a match reaches before the window, as where the dictionary is missing (-D)"
            }
            Self::OutputTooSmall => "the decoded data does not fit into the output",
            Self::Dictionary => "the dictionary is damaged",
        };
        out.write_str(text)
    }
}

impl std::error::Error for Error {}
