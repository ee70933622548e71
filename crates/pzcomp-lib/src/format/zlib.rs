//! zlib: RFC 1950, which puts a header and a checksum around DEFLATE of RFC 1951.
//!
//! ```text
//! CMF FLG   DEFLATE stream   ADLER32(4, the highest byte first)
//! ```
//!
//! pzcomp reads it here; `joined/mod.rs` writes it. One of 1,000 pairs of random bytes is a valid header. So a stream
//! is recognised only if the caller names the format, and only at the start of the input. One worker decodes the whole
//! input.

use pzcomp_deflate::inflate::Inflate;

use super::deflated::inflate;
use super::ffi::deflate::adler32;
use super::joined::info;
use super::serial::{FrameErrors, RestWalker};
use super::{Codec, Decoder, Extra, Format, Info, Reading, Starts, Walker, WritingCodec};
use crate::error::{Damage, Result};
use crate::options::Decode;
use engine::{Emitter, Source};

const NAME: &str = "zlib";
/// The bit of FLG that asks for a preset dictionary. The stream does not contain the dictionary.
const FDICT: u8 = 0x20;

static INFO: Info = info(NAME, &[(".zz", "")], &[Extra::Single, Extra::Strategy]);

pub(super) struct Zlib;

impl Codec for Zlib {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// CM must be DEFLATE with a window of at most 32 KiB. FCHECK makes both bytes a multiple of 31.
    fn sniff(&self, head: &[u8]) -> bool {
        matches!(*head, [cmf, flags, ..] if cmf & 15 == 8 && cmf >> 4 <= 7 && u16::from_be_bytes([cmf, flags]) % 31 == 0)
    }

    fn starts(&self) -> Starts {
        Starts::FirstIfNamed
    }

    /// pigz goes on with a zlib stream behind a gzip member. It names both formats.
    fn starts_behind(&self, named: &[Format]) -> bool {
        named.contains(&Format::Gzip)
    }

    fn is_last(&self) -> bool {
        true
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(RestWalker { check: "Adler32" })
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(StreamDecoder(Inflate::new())))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

struct StreamDecoder(Inflate);

impl Decoder for StreamDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "stream", start: source.offset() };
        let [_, flags] = frame.bytes(source)?;
        if flags & FDICT != 0 {
            return Err(frame.unsupported("needs a preset dictionary; use the program that wrote the stream"));
        }
        let mut sum = 1;
        inflate(&mut self.0, frame, source, out, |plain| sum = adler32(sum, plain))?;
        let stated = u32::from_be_bytes(frame.bytes(source)?);
        if stated != sum {
            return Err(frame
                .corrupt(format_args!("has the Adler-32 {sum:08x}, expected {stated:08x}"))
                .by(Damage::Check));
        }
        Ok(())
    }
}
