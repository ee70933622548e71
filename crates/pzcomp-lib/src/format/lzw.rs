//! LZW, the `.Z` format of `compress`. The source of that program is the only description.
//!
//! ```text
//! 1f 9d   flags: bits 0-4 longest code, 7 block mode   codes of 9 bits, 10, … the least significant first
//! ```
//!
//! pzcomp only reads it. Codes come in groups of eight. Where the length of codes changes, the rest of a group is
//! padding. In block mode the code 256 empties the table.
//!
//! There is no check, no length and no end mark, so a truncated file is valid. Only a code without a meaning is found
//! to be wrong. One worker decodes the whole input.

use super::serial::{FrameErrors, OldFormat};
use super::{Decoder, Info};
use crate::error::Result;
use engine::{Emitter, Source};

const NAME: &str = "lzw";

/// The bits of the flags that state the length of the longest code.
const BITS_MASK: u8 = 0x1f;
/// The flag of block mode.
const BLOCK_MODE: u8 = 0x80;
/// Length of the first codes in bits, and the greatest length.
const BITS_MIN: u32 = 9;
const BITS_MAX: u32 = 16;
/// The code that empties the table in block mode.
const CLEAR: usize = 256;
/// Output leaves in pieces of at least this length.
const GATHER_LEN: usize = 32 << 10;

pub(super) static LZW: OldFormat = OldFormat {
    info: &Info::read_only(NAME, &[(".Z", "")]),
    magic: [0x1f, 0x9d],
    decoder: || {
        Box::new(LzwDecoder { table: CodeTable::default(), plain: Vec::with_capacity(2 * GATHER_LEN) })
    },
};

struct LzwDecoder {
    table: CodeTable,
    plain: Vec<u8>,
}

impl Decoder for LzwDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "stream", start: source.offset() };
        let [_, _, flags] = frame.bytes(source)?;
        let longest = u32::from(flags & BITS_MASK);
        if longest > BITS_MAX {
            return Err(frame.unsupported(format_args!("has codes of {longest} bits, expected at most 16")));
        }
        self.plain.clear();
        self.table.clear();
        let done = self.decode(source, out, frame, longest, flags & BLOCK_MODE != 0);
        // The bytes before an error are output too.
        out.write(&self.plain)?;
        done
    }
}

impl LzwDecoder {
    fn decode(
        &mut self,
        source: &mut Source,
        out: &mut Emitter,
        frame: FrameErrors,
        longest: u32,
        block_mode: bool,
    ) -> Result<()> {
        let table = &mut self.table;
        let mut codes = Codes::new();
        // The greatest number of codes, and the number in use.
        let limit = 1 << longest;
        let mut used = if block_mode { CLEAR + 1 } else { CLEAR };
        // `previous` is the code before, and `byte` is the first byte of its string.
        let Some(first) = codes.next(source)? else { return Ok(()) };
        let Ok(mut byte) = u8::try_from(first) else {
            return Err(frame.corrupt("begins with the code of a string, expected the code of a byte"));
        };
        let mut previous = first;
        self.plain.push(byte);
        while let Some(code) = codes.next(source)? {
            if code == CLEAR && block_mode {
                // The code that follows defines code 256 again, which is never used.
                used = CLEAR;
                codes.set_len(BITS_MIN);
                continue;
            }
            if code > used {
                let offset = source.offset();
                let what = format_args!("has a code before offset {offset} that is not defined yet");
                return Err(frame.corrupt(what));
            }
            // A code that is just being defined stands for the string before and the first byte of that string.
            let known = if code == used { previous } else { code };
            byte = table.spell(known, &mut self.plain);
            if code == used {
                self.plain.push(byte);
            }
            if used < limit {
                table.set(used, previous, byte);
                used += 1;
            }
            previous = code;
            // At the greatest length the codes grow no more. If that length is nine, programs still go on to ten.
            if used >= 1 << codes.len && (codes.len != longest || longest == BITS_MIN) {
                codes.set_len(codes.len + 1);
            }
            if self.plain.len() >= GATHER_LEN {
                out.write(&self.plain)?;
                self.plain.clear();
            }
        }
        Ok(())
    }
}

/// The strings of the codes from 256 on: each is the string of a lower code and one byte more.
struct CodeTable {
    prefix: Box<[u16]>,
    last: Box<[u8]>,
}

impl Default for CodeTable {
    fn default() -> Self {
        let len = 1 << BITS_MAX;
        Self { prefix: vec![0; len].into(), last: vec![0; len].into() }
    }
}

impl CodeTable {
    /// Empties the table. No entry then refers to itself or a later entry, whatever the stream holds, so that
    /// [`Self::spell`] ends.
    fn clear(&mut self) {
        self.prefix.fill(0);
    }

    fn set(&mut self, code: usize, prefix: usize, last: u8) {
        (self.prefix[code], self.last[code]) = (prefix as u16, last);
    }

    /// Appends the string of a code to `plain`. Returns its first byte.
    fn spell(&self, mut code: usize, plain: &mut Vec<u8>) -> u8 {
        let start = plain.len();
        while code >= CLEAR {
            plain.push(self.last[code]);
            code = usize::from(self.prefix[code]);
        }
        plain.push(code as u8);
        plain[start..].reverse();
        code as u8
    }
}

/// The codes of a stream, read in groups of eight.
struct Codes {
    /// Length of a code in bits. It is also the length of a group in bytes.
    len: u32,
    /// The group, followed by zeros that may be read behind it.
    group: [u8; BITS_MAX as usize + 4],
    /// Length of the group in bits.
    bits: u32,
    /// Bits of the group that are passed.
    at: u32,
}

impl Codes {
    fn new() -> Self {
        Self { len: BITS_MIN, group: [0; BITS_MAX as usize + 4], bits: 0, at: 0 }
    }

    /// Continues with codes of another length in a new group.
    fn set_len(&mut self, len: u32) {
        (self.len, self.bits, self.at) = (len, 0, 0);
    }

    /// The next code; `None` if too few bits are left.
    fn next(&mut self, source: &mut Source) -> Result<Option<usize>> {
        if self.at + self.len > self.bits {
            let group = &mut self.group[..self.len as usize];
            (self.bits, self.at) = (8 * read_some(source, group)? as u32, 0);
            if self.bits < self.len {
                return Ok(None);
            }
        }
        let byte = (self.at / 8) as usize;
        let &[a, b, c, ..] = &self.group[byte..] else { return Ok(None) };
        let code = u32::from_le_bytes([a, b, c, 0]) >> (self.at % 8) & ((1 << self.len) - 1);
        self.at += self.len;
        Ok(Some(code as usize))
    }
}

/// Fills `out` from the input. Returns the length, which is shorter only at the end of the input.
fn read_some(source: &mut Source, out: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < out.len()
        && let bytes @ [_, ..] = source.inside()?
    {
        let len = bytes.len().min(out.len() - filled);
        out[filled..filled + len].copy_from_slice(&bytes[..len]);
        source.consume(len);
        filled += len;
    }
    Ok(filled)
}
