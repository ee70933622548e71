//! pack, the `.z` format of System V: one Huffman code for the whole file. The manual of `pack` and the source of
//! `pcat` are the only descriptions.
//!
//! ```text
//! 1f 1e   plain length(4, the highest byte first)   longest code(1)   codes of each length   bytes   codes
//! ```
//!
//! pzcomp only reads it. The header lists the bytes from the shortest code to the longest. Codes of one length are
//! those that are not below the prefixes of longer codes.
//!
//! The last code of the greatest length ends the data. The header's count for that length leaves out this code and one
//! more, so that 256 fits into a byte. The plain length, modulo 2^32, is the only check. One worker decodes the whole
//! input.

use super::serial::{Bits, FrameErrors, OldFormat};
use super::{Decoder, Info};
use crate::error::{Damage, Result};
use engine::{Emitter, Source};

const NAME: &str = "pack";
/// The longest code that gzip reads. Those of `pack` have at most 24 bits.
const BITS_MAX: u32 = 25;
/// Output leaves in pieces of this length.
const GATHER_LEN: usize = 8 << 10;

pub(super) static PACK: OldFormat = OldFormat {
    info: &Info::read_only(NAME, &[(".z", "")]),
    magic: [0x1f, 0x1e],
    decoder: || Box::new(PackDecoder),
};

struct PackDecoder;

impl Decoder for PackDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "stream", start: source.offset() };
        let [_, _, l0, l1, l2, l3, longest] = frame.bytes(source)?;
        let stated = u32::from_be_bytes([l0, l1, l2, l3]);
        let code = PackCode::read(source, frame, longest.into())?;
        let mut bits = Bits::new(source, frame);
        let mut plain = Vec::with_capacity(GATHER_LEN);
        let mut len = 0_u32;
        while let Some(byte) = code.next(&mut bits)? {
            plain.push(byte);
            if plain.len() == GATHER_LEN {
                out.write(&plain)?;
                len = len.wrapping_add(GATHER_LEN as u32);
                plain.clear();
            }
        }
        out.write(&plain)?;
        len = len.wrapping_add(plain.len() as u32);
        if len != stated {
            return Err(frame
                .corrupt(format_args!("is {len} bytes long (modulo 2^32), expected {stated}"))
                .by(Damage::Length));
        }
        Ok(())
    }
}

/// The Huffman code of a stream.
struct PackCode {
    /// For each length: the first value that is a complete code, and where the bytes of these codes begin in `bytes`.
    /// Lower values are prefixes of longer codes.
    lens: Vec<(u32, usize)>,
    /// The bytes in the order of their codes. The code of the end comes behind all of them.
    bytes: Vec<u8>,
}

impl PackCode {
    fn read(source: &mut Source, frame: FrameErrors, longest: u32) -> Result<Self> {
        if !(1..=BITS_MAX).contains(&longest) {
            return Err(frame.corrupt(format_args!("has codes of {longest} bits, expected 1 to {BITS_MAX}")));
        }
        let mut counts = vec![0; longest as usize];
        for count in &mut counts {
            let [byte] = frame.bytes(source)?;
            *count = usize::from(byte);
        }
        // The count in the header leaves out two codes. One is that of a byte, and is added here.
        counts[longest as usize - 1] += 1;
        let total: usize = counts.iter().sum();
        if total > 256 {
            return Err(frame.corrupt(format_args!("has codes for {total} bytes, expected at most 256")));
        }
        let mut bytes = vec![0; total];
        for byte in &mut bytes {
            [*byte] = frame.bytes(source)?;
        }
        // The other is that of the end.
        counts[longest as usize - 1] += 1;
        let mut lens = Vec::with_capacity(counts.len());
        let (mut room, mut first) = (1_usize, 0);
        for &count in &counts {
            room *= 2;
            let Some(longer) = room.checked_sub(count) else {
                return Err(frame.corrupt(format_args!("has {count} codes where {room} fit")));
            };
            lens.push((longer as u32, first));
            (room, first) = (longer, first + count);
        }
        if room > 0 {
            return Err(frame.corrupt("has a Huffman code that is not complete"));
        }
        Ok(Self { lens, bytes })
    }

    /// The next byte; `None` at the end.
    fn next(&self, bits: &mut Bits) -> Result<Option<u8>> {
        let longest = self.lens.len() as u32;
        let ahead = bits.peek(longest)?;
        for (len, &(longer, first)) in (1..).zip(&self.lens) {
            let code = ahead >> (longest - len);
            if let Some(above) = code.checked_sub(longer) {
                bits.pass(len)?;
                // The code of the end has no byte.
                return Ok(self.bytes.get(first + above as usize).copied());
            }
        }
        // This is never reached, because the code is complete: every value of the bits begins with a code.
        Ok(None)
    }
}
