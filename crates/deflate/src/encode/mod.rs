//! The encoder: DEFLATE (RFC 1951) made for speed, one chunk at a time.
//!
//! ```text
//! chunk ─▶ quick, parse, plain: blocks of tokens ─▶ block: the shortest way to write each ─▶ bits
//! ```
//!
//! A caller gives [`Encoder::encode`] a chunk of any length and memory of [`coded_bound`] bytes. A chunk does not
//! depend on those before it, so many encoders can work on one stream: chunks that end with [`End::SyncFlush`] are
//! concatenated. The output depends on the chunk alone. An encoder owns its memory and allocates nothing per chunk.

mod bits;
mod block;
mod bmi;
mod header;
mod lazy;
mod parse;
mod plain;
mod quick;
mod symbols;
mod table;
mod tokens;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
mod tokens_avx512;
mod words;

use bits::BitWriter;
use block::{BlockWriter, write_stored};
use parse::Parser;
use table::Tables;

/// A chunk of so many bytes takes less time than to ask for the features of the CPU: in a virtual machine, each
/// question leads out of it.
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
const SHORT: usize = 4 << 10;

/// How a coded chunk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The chunk ends the stream: its last block is final, and zeros fill its last byte.
    Final,
    /// The chunk ends with an empty stored block that is not final, and so with a whole byte: `00 00 FF FF`. Other
    /// chunks can follow. The bytes `03 00`, an empty final block, end the stream.
    SyncFlush,
}

/// The greatest coded length of a chunk of `plain_len` bytes, with the spare room that the encoder needs.
pub const fn coded_bound(plain_len: usize) -> usize {
    // A stored block costs five bytes, and another four with the last bits of the block before. All blocks of a
    // chunk but the last hold at least BLOCK_MIN bytes.
    plain_len + (plain_len / parse::BLOCK_MIN + 2) * 9 + 32
}

/// Which matches the encoder looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Matches in the window of 32 KiB, the first of four bytes or more that one look finds. This is the fastest
    /// search.
    Quick,
    /// Matches in the window of 32 KiB whose cost is less than that of literals. Some places of the window are noted.
    Matches,
    /// The same, with all places of the window noted in larger tables. It is slower than `Matches`, and the output is
    /// shorter.
    Thorough,
    /// The longest match of each place, unless the next places have a better one. It is slow with long chunks. It takes
    /// little memory with short ones, of which the output is the shortest.
    Lazy,
    /// Only repetitions of the byte before, as zlib's strategy `Z_RLE`.
    Runs,
    /// None: literals only, as zlib's strategy `Z_HUFFMAN_ONLY`.
    Nothing,
}

/// An encoder of one chunk after another.
///
/// ```
/// use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
///
/// // Two chunks, which could also be coded by two threads, make one stream.
/// let mut encoder = Encoder::new(Search::Matches);
/// let mut stream = Vec::new();
/// for chunk in [b"first chunk, ", b"second chunk."] {
///     let mut coded = vec![0; coded_bound(chunk.len())];
///     let len = encoder.encode(chunk, &mut coded, End::SyncFlush).ok_or("no room")?;
///     stream.extend_from_slice(&coded[..len]);
/// }
/// stream.extend([3, 0]);
/// # use pzcomp_deflate::inflate::{Inflate, Output};
/// # let mut memory = [0; 26];
/// # Inflate::new().run(&stream, &mut Output::new(&mut memory, 0)).unwrap();
/// # assert_eq!(&memory[..], b"first chunk, second chunk.");
/// # Ok::<(), &str>(())
/// ```
pub struct Encoder {
    search: Search,
    parser: Parser,
    writer: BlockWriter,
}

impl Encoder {
    /// An encoder with this search. It takes about 100 KiB of memory, and for `Search::Thorough` 170 KiB.
    pub fn new(search: Search) -> Self {
        Self { search, parser: Parser::new(Tables::new(search)), writer: BlockWriter::new() }
    }

    /// Codes `chunk` into `coded`. Returns the coded length, or nothing if `coded` has too little room.
    pub fn encode(&mut self, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
        bmi::encode(self, chunk, coded, end)
    }

    /// This function and all below it that takes time are inlined, so that `bmi.rs` compiles them a second time.
    #[inline(always)]
    fn encode_anywhere(&mut self, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
        let mut bits = BitWriter::new(coded);
        let mut at = 0;
        self.parser.begin(chunk);
        loop {
            let parsed = match self.search {
                Search::Quick => self.parser.parse_quickly(chunk, at),
                Search::Matches | Search::Thorough | Search::Lazy => self.parser.parse(chunk, at),
                search => self.parser.parse_plainly(chunk, at, search),
            };
            let next = parsed.end;
            let is_last = next == chunk.len();
            let literals: u32 = parsed.tally.litlen[..symbols::END_OF_BLOCK].iter().sum();
            let literal_bits =
                self.writer.write(&mut bits, &chunk[at..next], &parsed, is_last && end == End::Final)?;
            self.parser.learn(literals, literal_bits);
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
