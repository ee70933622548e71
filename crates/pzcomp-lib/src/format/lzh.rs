//! LZH, the format that `compress -H` of SCO writes. It has no specification. It uses the LZ77 and Huffman codes of
//! Okumura's `ar002`, with a window of 8 KiB and an end of its own.
//!
//! ```text
//! 1f a0   { symbols(16)   code of the code lengths, code of literals and lengths, code of distances   symbols }   0(16)
//! ```
//!
//! pzcomp only reads it. In all numbers the most significant bit comes first. There is no check. A block of no symbols
//! ends the stream, and the bytes that follow are ignored. One worker decodes the whole input.

use super::serial::{Bits, FrameErrors, OldFormat};
use super::{After, Decoder, Info};
use crate::error::{Error, Result};
use engine::{Emitter, Source};

const NAME: &str = "lzh";

const WINDOW_LEN: usize = 8 << 10;
/// The shortest match.
const MATCH_MIN: usize = 3;
const CODE_LEN_MAX: usize = 16;
/// Symbols: 256 literals, and matches of 3 to 256 bytes.
const SYMBOLS: usize = 256 + 254;
/// Classes of distances. The class is the number of bits in the distance.
const DISTANCES: usize = 14;
/// Symbols of the code of code lengths: the lengths, and three symbols for runs without a code.
const LENGTHS: usize = CODE_LEN_MAX + 3;

pub(super) static LZH: OldFormat = OldFormat {
    info: &Info::read_only(NAME, &[(".lzh", "")]),
    magic: [0x1f, 0xa0],
    decoder: || Box::new(LzhDecoder { window: vec![0; WINDOW_LEN].into() }),
};

struct LzhDecoder {
    window: Box<[u8]>,
}

impl Decoder for LzhDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "stream", start: source.offset() };
        let [_, _] = frame.bytes(source)?;
        let mut window = OutputWindow { bytes: &mut self.window, at: 0, is_full: false };
        let mut bits = Bits::new(source, frame);
        while let symbols @ 1.. = bits.take(16)? {
            block(symbols, &mut bits, frame, &mut window, out)?;
        }
        window.flush(out)
    }

    fn after(&self) -> After {
        After::Closed { more: None }
    }
}

/// Decodes a block with this number of symbols.
fn block(
    symbols: u32,
    bits: &mut Bits,
    frame: FrameErrors,
    window: &mut OutputWindow,
    out: &mut Emitter,
) -> Result<()> {
    let broken = || frame.corrupt("has a block with a Huffman code that is not complete");
    let lengths = HuffmanCode::read_short(bits, 5, LENGTHS, true)?.ok_or_else(broken)?;
    let litlens = HuffmanCode::read_long(bits, &lengths)?.ok_or_else(broken)?;
    let distances = HuffmanCode::read_short(bits, 4, DISTANCES, false)?.ok_or_else(broken)?;
    for _ in 0..symbols {
        let symbol = litlens.next(bits)?;
        if let Ok(byte) = u8::try_from(symbol) {
            window.push(byte, out)?;
            continue;
        }
        let distance = match distances.next(bits)? {
            0 => 0,
            class => 1 << (class - 1) | bits.take(class as u32 - 1)? as usize,
        };
        if !window.copy(distance + 1, symbol - 256 + MATCH_MIN, out)? {
            return Err(frame.corrupt("has a match that reaches back before the start of its data"));
        }
    }
    Ok(())
}

/// A complete Huffman code.
struct HuffmanCode {
    /// The number of codes of each length.
    counts: [u16; CODE_LEN_MAX + 1],
    /// The symbols, sorted by the lengths of their codes.
    symbols: Vec<u16>,
}

impl HuffmanCode {
    /// The code with these lengths, one for each symbol; `None` if it is not complete.
    fn new(lens: &[u8]) -> Option<Self> {
        let mut counts = [0; CODE_LEN_MAX + 1];
        for &len in lens {
            *counts.get_mut(usize::from(len))? += 1;
        }
        counts[0] = 0;
        let space: u32 =
            counts.iter().zip(0..).map(|(&count, len)| u32::from(count) << (CODE_LEN_MAX - len)).sum();
        let mut symbols: Vec<u16> = (0..lens.len() as u16).filter(|&at| lens[usize::from(at)] > 0).collect();
        symbols.sort_by_key(|&symbol| lens[usize::from(symbol)]);
        (space == 1 << CODE_LEN_MAX).then_some(Self { counts, symbols })
    }

    /// The code of a single symbol, which takes no bits.
    fn single(symbol: u32, symbols: usize) -> Option<Self> {
        let is_known = (symbol as usize) < symbols;
        is_known.then(|| Self { counts: [0; CODE_LEN_MAX + 1], symbols: vec![symbol as u16] })
    }

    fn next(&self, bits: &mut Bits) -> Result<usize> {
        if let [symbol] = self.symbols[..] {
            return Ok(symbol.into());
        }
        let ahead = bits.peek(CODE_LEN_MAX as u32)?;
        let (mut first, mut place) = (0, 0);
        for (&count, len) in self.counts.iter().zip(0..=CODE_LEN_MAX as u32) {
            let (count, above) = (u32::from(count), (ahead >> (CODE_LEN_MAX as u32 - len)) - first);
            if above < count {
                bits.pass(len)?;
                return Ok(self.symbols[(place + above) as usize].into());
            }
            (first, place) = ((first + count) << 1, place + count);
        }
        Err(Error::Internal("a complete Huffman code did not match the input".into()))
    }

    /// Reads the code of code lengths or the code of distances; the number of symbols has `count_bits` bits. In the
    /// code of code lengths a two-bit number follows the third length: the number of further symbols without a code.
    fn read_short(bits: &mut Bits, count_bits: u32, symbols: usize, has_gap: bool) -> Result<Option<Self>> {
        let count = bits.take(count_bits)? as usize;
        if count == 0 {
            return Ok(Self::single(bits.take(count_bits)?, symbols));
        }
        let mut lens = Vec::with_capacity(symbols);
        while lens.len() < count {
            let mut len = bits.take(3)? as u8;
            // A length of more than seven is written as seven, then a one for each step above seven, and a zero.
            while len >= 7 && usize::from(len) <= CODE_LEN_MAX && bits.take(1)? == 1 {
                len += 1;
            }
            lens.push(len);
            if has_gap && lens.len() == 3 {
                lens.resize(3 + bits.take(2)? as usize, 0);
            }
        }
        Ok(if lens.len() > symbols { None } else { Self::new(&lens) })
    }

    /// Reads the code of literals and lengths. Its code lengths are coded with `lengths`.
    fn read_long(bits: &mut Bits, lengths: &Self) -> Result<Option<Self>> {
        let count = bits.take(9)? as usize;
        if count == 0 {
            return Ok(Self::single(bits.take(9)?, SYMBOLS));
        }
        let mut lens = Vec::with_capacity(SYMBOLS);
        while lens.len() < count {
            let without = match lengths.next(bits)? {
                0 => 1,
                1 => bits.take(4)? + 3,
                2 => bits.take(9)? + 20,
                len => {
                    lens.push((len - 2) as u8);
                    continue;
                }
            };
            lens.resize(lens.len() + without as usize, 0);
        }
        Ok(if lens.len() > SYMBOLS { None } else { Self::new(&lens) })
    }
}

/// The last output of a stream. Bytes leave when the window is full, and at the end.
struct OutputWindow<'a> {
    bytes: &'a mut [u8],
    at: usize,
    /// Whether the bytes from `at` on hold output too.
    is_full: bool,
}

impl OutputWindow<'_> {
    fn push(&mut self, byte: u8, out: &mut Emitter) -> Result<()> {
        self.bytes[self.at] = byte;
        self.at += 1;
        if self.at == self.bytes.len() {
            self.flush(out)?;
            (self.at, self.is_full) = (0, true);
        }
        Ok(())
    }

    /// Copies `len` bytes from `distance` bytes before. Returns false if the output is shorter than `distance`.
    fn copy(&mut self, distance: usize, len: usize, out: &mut Emitter) -> Result<bool> {
        if distance > self.at && !self.is_full {
            return Ok(false);
        }
        for _ in 0..len {
            let from = (self.at + WINDOW_LEN - distance) % WINDOW_LEN;
            self.push(self.bytes[from], out)?;
        }
        Ok(true)
    }

    /// Puts out the bytes since the window was last full.
    fn flush(&self, out: &mut Emitter) -> Result<()> {
        Ok(out.write(&self.bytes[..self.at])?)
    }
}
