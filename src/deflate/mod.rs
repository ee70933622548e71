//! A DEFLATE encoder (RFC 1951) made for speed: one chunk at a time, each independent of all others.
//!
//! [`parse`] cuts the chunk into blocks of literals and matches, [`block`] finds the shortest way to
//! write each and does so. The encoder owns all its memory; nothing is allocated per chunk.

mod bits;
mod block;
mod bmi;
mod header;
mod huffman;
mod parse;
mod plain;
mod symbols;
mod words;

use bits::BitWriter;
use block::{BlockWriter, write_stored};
pub(crate) use huffman::code_lengths;
use parse::Parser;

/// How a coded chunk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With a block that is final, and zeros up to a whole byte.
    Final,
    /// With an empty stored block that is not final, hence on a whole byte: `00 00 FF FF`. Other chunks
    /// can follow, in the end the empty block `03 00`.
    SyncFlush,
}

/// The greatest coded length of `plain_len` bytes, with the room that the bit writer wants.
pub(crate) const fn coded_bound(plain_len: usize) -> usize {
    // Blocks that are stored because that is shortest cost five bytes each, and another four with the
    // last bits of the block before; all but the last of a chunk hold at least BLOCK_MIN bytes.
    plain_len + (plain_len / parse::BLOCK_MIN + 2) * 9 + 32
}

/// What is looked for besides literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// What was there before, anywhere in the window.
    Matches,
    /// The byte before, again.
    Runs,
    Nothing,
}

pub(crate) struct Encoder {
    search: Search,
    parser: Parser,
    writer: BlockWriter,
}

impl Encoder {
    pub(crate) fn new(search: Search) -> Self {
        Self { search, parser: Parser::new(), writer: BlockWriter::new() }
    }

    /// Codes `chunk` into `coded`; its length, unless there is no room.
    pub(crate) fn encode(&mut self, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
        bmi::encode(self, chunk, coded, end)
    }

    /// Inlined, as all that takes time below it, so as to be compiled for more than one processor.
    #[inline(always)]
    fn encode_anywhere(&mut self, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
        let mut bits = BitWriter::new(coded);
        let mut at = 0;
        self.parser.begin(chunk);
        loop {
            let parsed = match self.search {
                Search::Matches => self.parser.parse(chunk, at),
                search => self.parser.parse_plainly(chunk, at, search),
            };
            let next = parsed.end;
            let is_last = next == chunk.len();
            let literal_bits =
                self.writer.write(&mut bits, &chunk[at..next], &parsed, is_last && end == End::Final)?;
            self.parser.learn(literal_bits);
            if is_last {
                break;
            }
            at = next;
        }
        if end == End::SyncFlush {
            if !bits.has_room(48) {
                return None;
            }
            write_stored(&mut bits, &[], false);
        }
        bits.align();
        Some(bits.len())
    }
}

#[cfg(test)]
mod tests;
