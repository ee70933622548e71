//! Writes a block in the shortest of the three types (RFC 1951, 3.2.3).
//!
//! `Encoder::encode` calls [`BlockWriter::write`] with the parsed symbols of a block. The writer counts the bits of
//! a stored, a fixed and a dynamic block and writes the shortest. It writes nothing if there is no room for it.

use super::bits::BitWriter;
use super::header::Header;
use super::parse::Parsed;
use super::symbols::*;
use super::tokens::*;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
use super::tokens_avx512;
use crate::huffman::{code_lengths, codes};

/// Four literals and the bits that a flush leaves fit into 64 bits. RFC 1951 allows longer codes, which would save next
/// to nothing.
const LITLEN_LIMIT: u32 = 14;
const _: () = assert!(4 * LITLEN_LIMIT + 7 <= 64);
const DIST_LIMIT: u32 = 15;
// So do a length and a distance with their extra bits, and the first table has room for those of the length.
const _: () = assert!(LITLEN_LIMIT + 5 + DIST_LIMIT + dist_extra_bits(DIST_SYMBOLS as u32 - 1) + 7 <= 64);
const _: () = assert!(LITLEN_LIMIT + 5 <= COUNT_SHIFT && DIST_LIMIT <= CODE_SHIFT);
const STORED_MAX: usize = 0xffff;
/// BFINAL and BTYPE.
const BLOCK_HEADER_BITS: u64 = 3;

/// The three values of BTYPE.
#[derive(Clone, Copy)]
enum Type {
    Stored = 0,
    Fixed = 1,
    Dynamic = 2,
}

/// The lengths of the two codes of a block.
#[derive(Clone)]
struct Lengths {
    /// The lengths include two symbols that never occur but have a place in the fixed code.
    litlen: [u8; LITLEN_SYMBOLS + 2],
    dist: [u8; DIST_SYMBOLS],
}

impl Lengths {
    /// RFC 1951, 3.2.6
    const FIXED: Self = {
        let mut litlen = [8; LITLEN_SYMBOLS + 2];
        let mut symbol = 144;
        while symbol < 280 {
            litlen[symbol] = if symbol < 256 { 9 } else { 7 };
            symbol += 1;
        }
        Self { litlen, dist: [5; DIST_SYMBOLS] }
    };

    /// The code lengths with which the block is shortest.
    fn of(tally: &Tally) -> Self {
        let mut lengths = Self { litlen: [0; LITLEN_SYMBOLS + 2], dist: [0; DIST_SYMBOLS] };
        code_lengths(&tally.litlen, LITLEN_LIMIT, &mut lengths.litlen);
        code_lengths(&tally.dist[..DIST_SYMBOLS], DIST_LIMIT, &mut lengths.dist);
        lengths
    }

    /// Bits of all the symbols of a block, without extra bits.
    fn bits(&self, tally: &Tally) -> u64 {
        product(&tally.litlen, &self.litlen) + product(&tally.dist, &self.dist)
    }
}

fn product(freqs: &[u32], lengths: &[u8]) -> u64 {
    freqs.iter().zip(lengths).map(|(&freq, &length)| u64::from(freq) * u64::from(length)).sum()
}

/// An entry of a table has bits to write. From `COUNT_SHIFT` on it has their number, with the extra bits that a token
/// adds. An entry of the second table has the number without these from `CODE_SHIFT` on.
pub(super) const COUNT_SHIFT: u32 = 24;
pub(super) const CODE_SHIFT: u32 = 16;

fn entry(bits: u32, count: u32) -> u32 {
    bits | count << COUNT_SHIFT
}

/// Writes blocks. It holds the codes of one block as two tables, for the two halves of a token.
pub(super) struct BlockWriter {
    /// Literals, and length symbols with their extra bits.
    first: [u32; HALVES],
    /// Distance symbols, nothing, and literals.
    second: [u32; HALVES],
    end: u32,
}

impl BlockWriter {
    pub(super) fn new() -> Self {
        Self { first: [0; HALVES], second: [0; HALVES], end: 0 }
    }

    /// Writes `plain` as it was parsed. Returns how many bits its literals take in a dynamic block, or nothing if
    /// there is no room.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        bits: &mut BitWriter,
        plain: &[u8],
        parsed: &Parsed,
        is_final: bool,
    ) -> Option<u64> {
        let tally = &parsed.tally;
        let lengths = Lengths::of(tally);
        let header = Header::new(&lengths.litlen, &lengths.dist);
        let extra = extra_bits(tally);
        let ways = [
            (Type::Stored, stored_bits(plain.len(), bits.odd_bits())),
            (Type::Fixed, BLOCK_HEADER_BITS + Lengths::FIXED.bits(tally) + extra),
            (Type::Dynamic, BLOCK_HEADER_BITS + header.bits() + lengths.bits(tally) + extra),
        ];
        let (way, len) = ways.into_iter().min_by_key(|&(_, len)| len)?;
        if !bits.has_room(len) {
            return None;
        }
        match way {
            Type::Stored => write_stored(bits, plain, is_final),
            Type::Fixed => {
                begin(bits, way, is_final);
                self.prepare(&Lengths::FIXED);
            }
            Type::Dynamic => {
                begin(bits, way, is_final);
                header.write(bits);
                self.prepare(&lengths);
            }
        }
        if !matches!(way, Type::Stored) {
            self.write_tokens(bits, parsed.tokens);
        }
        Some(product(&tally.litlen[..END_OF_BLOCK], &lengths.litlen))
    }

    fn prepare(&mut self, lengths: &Lengths) {
        let mut litlen = [0; LITLEN_SYMBOLS + 2];
        codes(&lengths.litlen, &mut litlen);
        let code = |symbol: usize| (u32::from(litlen[symbol]), u32::from(lengths.litlen[symbol]));
        let literals = self.first.iter_mut().zip(&mut self.second[SECOND_LITERAL..]).take(END_OF_BLOCK);
        for (literal, (first, second)) in literals.enumerate() {
            let (bits, count) = code(literal);
            *first = entry(bits, count);
            *second = *first;
        }
        let (bits, count) = code(END_OF_BLOCK);
        self.end = entry(bits, count);
        for (place, len) in self.first[FIRST_MATCH..].iter_mut().zip(&LEN_SLOTS) {
            let (bits, count) = code(END_OF_BLOCK + 1 + usize::from(len.slot));
            *place = entry(bits | u32::from(len.extra) << count, count + u32::from(len.extra_bits));
        }
        let mut dist = [0; DIST_SYMBOLS];
        codes(&lengths.dist, &mut dist);
        for (slot, (place, bits)) in self.second.iter_mut().zip(dist).enumerate() {
            let count = u32::from(lengths.dist[slot]);
            *place = entry(u32::from(bits) | count << CODE_SHIFT, count + dist_extra_bits(slot as u32));
        }
    }

    #[inline(always)]
    fn write_tokens(&self, bits: &mut BitWriter, tokens: &[Token]) {
        #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
        let tokens = self.write_groups(bits, tokens);
        self.write_one_by_one(bits, tokens);
        bits.put(u64::from(self.end & ((1 << COUNT_SHIFT) - 1)), self.end >> COUNT_SHIFT);
    }

    /// Writes the tokens that instructions for groups can write here, and returns the rest.
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    #[inline(always)]
    fn write_groups<'a>(&self, bits: &mut BitWriter, mut rest: &'a [Token]) -> &'a [Token] {
        let is_there = rest.len() > super::SHORT && tokens_avx512::is_there();
        while is_there && rest.len() >= tokens_avx512::GROUP {
            rest = tokens_avx512::write([&self.first, &self.second], bits, rest);
            // A group that cannot be written so, or less than a group.
            let (now, later) = rest.split_at(rest.len().min(tokens_avx512::GROUP));
            self.write_one_by_one(bits, now);
            rest = later;
        }
        rest
    }

    #[inline(always)]
    fn write_one_by_one(&self, bits: &mut BitWriter, tokens: &[Token]) {
        let mut pen = bits.pen();
        for token in tokens {
            let first = self.first[token.first()];
            let second = self.second[token.second()];
            let (first_count, second_count) = (first >> COUNT_SHIFT, second >> COUNT_SHIFT);
            let high = u64::from(second & 0xffff) | u64::from(token.extra()) << (second >> CODE_SHIFT & 15);
            let low = u64::from(first & ((1 << COUNT_SHIFT) - 1));
            pen.add(low | high << (first_count & 63), first_count + second_count);
            pen.flush();
        }
        let state = pen.state();
        bits.resume(state);
    }
}

fn begin(bits: &mut BitWriter, way: Type, is_final: bool) {
    bits.put(u64::from(is_final) | (way as u64) << 1, BLOCK_HEADER_BITS as u32);
}

/// Bits that belong to no code.
fn extra_bits(tally: &Tally) -> u64 {
    let lens = &tally.litlen[END_OF_BLOCK + 1..];
    let dists = tally.dist.iter().enumerate();
    product(lens, &LEN_EXTRA_BITS)
        + dists.map(|(slot, &freq)| u64::from(freq) * u64::from(dist_extra_bits(slot as u32))).sum::<u64>()
}

/// The length in bits of stored blocks for `plain_len` bytes, behind `odd_bits` bits of a byte.
fn stored_bits(plain_len: usize, odd_bits: u32) -> u64 {
    let blocks = plain_len.div_ceil(STORED_MAX).max(1) as u64;
    let begun = u64::from(odd_bits) + BLOCK_HEADER_BITS;
    begun.next_multiple_of(8) - u64::from(odd_bits) + 32 + (blocks - 1) * 40 + 8 * plain_len as u64
}

/// Writes stored blocks. An empty block that is not final is a sync flush.
pub(super) fn write_stored(bits: &mut BitWriter, plain: &[u8], is_final: bool) {
    let mut rest = plain;
    loop {
        let (now, later) = rest.split_at(rest.len().min(STORED_MAX));
        begin(bits, Type::Stored, is_final && later.is_empty());
        bits.align();
        let len = now.len() as u64;
        bits.put(len | (!len & 0xffff) << 16, 32);
        bits.bytes(now);
        rest = later;
        if rest.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::bufread::DeflateDecoder;

    use super::*;
    use crate::encode::coded_bound;

    /// Blocks with unusual codes: zlib-rs decodes them.
    #[test]
    fn blocks_with_few_symbols_and_deep_codes() {
        let mut fibonacci = Vec::new();
        let (mut a, mut b) = (1, 1);
        for byte in 0..if cfg!(miri) { 9 } else { 19 } {
            fibonacci.extend(std::iter::repeat_n(byte, a));
            (a, b) = (b, a + b);
        }
        for plain in [vec![], vec![1], vec![1; 9], [vec![1; 50], vec![2; 50]].concat(), fibonacci] {
            let mut room = TokenRoom::default();
            let mut tokens = room.tokens();
            assert_eq!(tokens.push_literals(&plain, 0), plain.len());
            let mut coded = vec![0; coded_bound(plain.len())];
            let mut bits = BitWriter::new(&mut coded);
            let parsed = Parsed::new(tokens.list(), plain.len());
            BlockWriter::new().write(&mut bits, &plain, &parsed, true).unwrap();
            bits.align();
            let len = bits.len();
            let (mut back, mut decoder) = (Vec::new(), DeflateDecoder::new(&coded[..len]));
            decoder.read_to_end(&mut back).unwrap();
            assert_eq!((back, decoder.total_in()), (plain, len as u64));
        }
    }

    /// The writer for AVX-512 writes the same bytes: with codes so short that words end in the byte in which they
    /// begin, with codes so long that two tokens do not fit into a word, behind each number of bits, and at the end
    /// of the memory.
    #[test]
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    fn groups_of_tokens_have_the_same_bytes() {
        if !tokens_avx512::is_there() {
            return;
        }
        let mut state = 1_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut grouped = 0;
        for round in 0..600 {
            let kinds = [1, 2, 30, 256][round % 4];
            let tokens: Vec<_> = (0..random(400))
                .map(|_| match random(kinds) % 3 {
                    0 => Token::literals(random(kinds) as u8, random(kinds) as u8),
                    1 => Token::of_match(LEN_MIN + random(256), 1 + random(32 << 10)),
                    _ => Token::literal(random(kinds) as u8),
                })
                .collect();
            let mut tally = Tally::of(&tokens);
            if kinds > 2 {
                // Long codes for symbols that are not rare.
                for freq in tally.litlen.iter_mut().chain(&mut tally.dist[..DIST_SYMBOLS]) {
                    let bits = random(15);
                    *freq = (*freq).min(1) + random(1 << bits) as u32;
                }
            }
            let mut writer = BlockWriter::new();
            writer.prepare(&Lengths::of(&tally));
            let write = |memory: &mut [u8], is_grouped| {
                let mut bits = BitWriter::new(memory);
                bits.put(0, round as u32 % 8);
                let tables = [&writer.first, &writer.second];
                let left =
                    if is_grouped { tokens_avx512::write(tables, &mut bits, &tokens) } else { &tokens };
                writer.write_one_by_one(&mut bits, left);
                bits.align();
                (bits.len(), left.len())
            };
            let mut memory = vec![0; 8 * tokens.len() + 16];
            let (len, _) = write(&mut memory, false);
            for room in [len + BitWriter::SLACK, len + 80, memory.len()] {
                let mut other = vec![0; room];
                let (other_len, left) = write(&mut other, true);
                assert_eq!((other_len, &other[..len]), (len, &memory[..len]), "round {round}, {room} bytes");
                grouped += tokens.len() - left;
            }
        }
        assert!(grouped > 1000, "only {grouped} tokens were written in groups");
    }
}
