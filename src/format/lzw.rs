//! compress, the `.Z` of old: LZW with codes that grow, as the program itself describes it.
//!
//! ```text
//! 1f 9d   flags: bits 0-4 longest code, 7 block mode   codes of 9 bits, 10, … the least significant first
//! ```
//!
//! Read only. Codes come in groups of eight: where their length changes, the rest of a group is padding.
//! In block mode the code 256 empties the table. There is no check, no length and no end but that of the
//! input, and whatever a cut leaves is valid: only what a code cannot mean is found to be wrong.

use super::serial::{Frame, RestWalker};
use super::{Codec, Decoder, Info, Reading, Walker};
use crate::error::Result;
use crate::options::Options;
use crate::pipeline::{Emitter, Source};

const NAME: &str = "lzw";
const MAGIC: [u8; 2] = [0x1f, 0x9d];

const BITS_MASK: u8 = 0x1f;
const BLOCK_MODE: u8 = 0x80;
/// Lengths of the first codes, and of the longest.
const BITS_MIN: u32 = 9;
const BITS_MAX: u32 = 16;
/// The code that empties the table, in block mode.
const CLEAR: usize = 256;
/// Output is gathered up to this.
const GATHER_LEN: usize = 32 << 10;

static INFO: Info = Info::read_only(NAME, &[(".Z", "")]);

pub(super) struct Lzw;

impl Codec for Lzw {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(RestWalker { check: "-" })
    }

    fn decoder(&self, _: &Reading, _: &Options) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(LzwDecoder { table: Table::default(), plain: Vec::with_capacity(2 * GATHER_LEN) }))
    }
}

struct LzwDecoder {
    table: Table,
    plain: Vec<u8>,
}

impl Decoder for LzwDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = Frame { format: NAME, unit: "stream", start: source.offset() };
        let [_, _, flags] = frame.bytes(source)?;
        let longest = u32::from(flags & BITS_MASK);
        if longest > BITS_MAX {
            return Err(frame.unsupported(format_args!("has codes of {longest} bits; 16 are the most")));
        }
        self.plain.clear();
        self.table.clear();
        let done = self.decode(source, out, frame, longest, flags & BLOCK_MODE != 0);
        // What came before an error is output too.
        out.write(&self.plain)?;
        done
    }
}

impl LzwDecoder {
    fn decode(
        &mut self,
        source: &mut Source,
        out: &mut Emitter,
        frame: Frame,
        longest: u32,
        block_mode: bool,
    ) -> Result<()> {
        let table = &mut self.table;
        let mut codes = Codes::new();
        // How many codes there can be, and how many are in use.
        let limit = 1 << longest;
        let mut used = if block_mode { CLEAR + 1 } else { CLEAR };
        // The code before and the first byte of what it stands for.
        let Some(first) = codes.next(source)? else { return Ok(()) };
        let Ok(mut byte) = u8::try_from(first) else {
            return Err(frame.corrupt("begins with a code that is no byte"));
        };
        let mut previous = first;
        self.plain.push(byte);
        while let Some(code) = codes.next(source)? {
            if code == CLEAR && block_mode {
                // The code that follows makes one more, which stands where this one is and is never used.
                used = CLEAR;
                codes.set_len(BITS_MIN);
                continue;
            }
            if code > used {
                let offset = source.offset();
                return Err(
                    frame.corrupt(format_args!("has a code before offset {offset} that means nothing yet"))
                );
            }
            // A code that is about to be made is the one before and its own first byte.
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
            // At the longest length all codes fit; only where that is nine, programs go on to ten.
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

/// What codes above 255 stand for: what a lower code does, and one byte more.
struct Table {
    prefix: Box<[u16]>,
    last: Box<[u8]>,
}

impl Default for Table {
    fn default() -> Self {
        let len = 1 << BITS_MAX;
        Self { prefix: vec![0; len].into(), last: vec![0; len].into() }
    }
}

impl Table {
    /// No code is longer than itself then, whatever a stream says.
    fn clear(&mut self) {
        self.prefix.fill(0);
    }

    fn set(&mut self, code: usize, prefix: usize, last: u8) {
        (self.prefix[code], self.last[code]) = (prefix as u16, last);
    }

    /// Puts out what a code stands for; its first byte.
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
    /// Length of a code in bits, and of a group in bytes.
    len: u32,
    /// The group, and zeros to be read beyond it.
    group: [u8; BITS_MAX as usize + 4],
    /// Bits of the group, and how many of them have been passed.
    bits: u32,
    at: u32,
}

impl Codes {
    fn new() -> Self {
        Self { len: BITS_MIN, group: [0; BITS_MAX as usize + 4], bits: 0, at: 0 }
    }

    /// Goes on with codes of another length, in a new group.
    fn set_len(&mut self, len: u32) {
        (self.len, self.bits, self.at) = (len, 0, 0);
    }

    /// The next code; nothing where too few bits are left.
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

/// Fills `out` as far as the input goes; the length.
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
