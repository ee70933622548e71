//! gzip: RFC 1952, with DEFLATE of RFC 1951.
//!
//! Written: one member per chunk, each with its size in an extra field, so that a pipe can be split
//! too; then the index as empty members. Or, where that is asked for, one member around all chunks
//! ([`member`]), or the short ones of BGZF ([`bgzf`]). Read: any members. Those that carry their size,
//! of whichever of the schemes in use, are decoded side by side; others as a stream.

mod bgzf;
mod header;
mod index;
mod member;

use super::deflated::inflate;
use super::ffi::deflate::{Decompressor, crc32};
use super::framed::Framed;
use super::joined::{Check, Coder, Joined, PartEncoder};
use super::serial::Frame;
use super::{Codec, Cursor, Decoder, Encoder, Extra, Info, Unit, Walker, WritingCodec};
use crate::deflate::End;
use crate::error::{Damage, Error, Result};
use crate::inflate::Inflate;
use crate::options::{Layout, Options, Settings};
use crate::pipeline::{Emitter, Facts, Joiner, Source};
pub(crate) use bgzf::block_size;
use bgzf::{Bgzf, BlocksEncoder};
pub(crate) use header::read_member;
use header::{FEXTRA, FIXED_LEN, Header, OUR_LEN, TRAILER_LEN, our_header, read_header};
pub(crate) use index::{INDEX_END_LEN, index_len, index_table};
use member::MemberWrapper;

const NAME: &str = "gzip";
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// What gzip wrote before its version 1.0; all else is the same.
const OLD_MAGIC: [u8; 3] = [0x1f, 0x9e, 8];

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".gz", ""), (".tgz", ".tar"), (".taz", ".tar")],
    levels: 0..=12,
    default_level: 6,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[Extra::Single, Extra::Name, Extra::Bgzf],
};

pub(super) struct Gzip;

fn is_member(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || head.starts_with(&OLD_MAGIC)
}

impl Codec for Gzip {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        is_member(head)
    }

    fn walker(&self) -> Box<dyn Walker> {
        Box::new(MemberWalker)
    }

    fn decoder(&self, _: u64) -> Result<Box<dyn Decoder>> {
        let whole = Decompressor::new().ok_or_else(|| Error::Internal("no memory for libdeflate".into()))?;
        Ok(Box::new(MemberDecoder { whole, stream: Inflate::new(), facts: Facts::default() }))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Gzip {
    fn chunk_len(&self, _: i32, options: &Options) -> usize {
        match options.layout {
            Layout::Bgzf => bgzf::CHUNK_LEN,
            // The window is 32 KiB: a MiB loses nothing to cutting.
            _ => 1 << 20,
        }
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        match settings.layout {
            Layout::Bgzf => bgzf::coded_bound(settings.chunk_len),
            _ => OUR_LEN + Coder::bound(settings.chunk_len) + TRAILER_LEN,
        }
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        Coder::memory(settings.level)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let coder = Coder::new(settings.level)?;
        Ok(match settings.layout {
            Layout::Single(_) => Box::new(PartEncoder::new(coder, Check::Crc32, settings)),
            Layout::Bgzf => Box::new(BlocksEncoder::new(coder)),
            _ => Box::new(MemberEncoder { coder, extra_flags: extra_flags(settings.level) }),
        })
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        match &settings.layout {
            Layout::Single(member) => {
                let wrapper = MemberWrapper::new(member, extra_flags(settings.level));
                Joined::begin(wrapper, Check::Crc32, settings)
            }
            Layout::Bgzf => (Vec::new(), Bgzf::new(settings.index)),
            _ => (Vec::new(), Framed::new(settings.index.then_some(index::members))),
        }
    }
}

/// XFL of RFC 1952: 2 says that the slowest algorithm was used, 4 the fastest.
fn extra_flags(level: i32) -> u8 {
    match level {
        1 => 4,
        9.. => 2,
        _ => 0,
    }
}

struct MemberEncoder {
    coder: Coder,
    extra_flags: u8,
}

impl Encoder for MemberEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let room = out.len() - TRAILER_LEN;
        let end = OUR_LEN + self.coder.encode(chunk, &mut out[OUR_LEN..room], End::Final)?;
        let size = end + TRAILER_LEN;
        out[..OUR_LEN].copy_from_slice(&our_header(size, self.extra_flags, 0));
        out[end..end + 4].copy_from_slice(&crc32(0, chunk).to_le_bytes());
        out[end + 4..size].copy_from_slice(&(chunk.len() as u32).to_le_bytes());
        Ok(size)
    }
}

struct MemberWalker;

impl MemberWalker {
    /// The header of a member that carries its size.
    fn look(cursor: &mut dyn Cursor) -> Result<Option<Header>> {
        let fixed = cursor.peek(FIXED_LEN + 2)?;
        let &[_, _, _, flags, _, _, _, _, _, _, x0, x1, ..] = fixed else {
            return Ok(None);
        };
        if flags & FEXTRA == 0 {
            return Ok(None);
        }
        let len = FIXED_LEN + 2 + usize::from(u16::from_le_bytes([x0, x1]));
        Ok(Header::parse(cursor.peek(len)?).filter(|header| header.size.is_some()))
    }
}

impl Walker for MemberWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let Some(header) = Self::look(cursor)? else {
            return Ok(Unit::rest("CRC32"));
        };
        if header.is_index && index::is_empty_body(cursor.peek(header.len + index::EMPTY_BODY_LEN)?, &header)
        {
            return Ok(Unit::INDEX);
        }
        Ok(Unit::frame(header.plain_len, "CRC32"))
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        match Self::look(cursor)?.and_then(|header| header.size) {
            Some(size) => cursor.take(size).map(drop),
            None => cursor.take_rest(),
        }
    }
}

struct MemberDecoder {
    whole: Decompressor,
    stream: Inflate,
    /// Of the member decoded last.
    facts: Facts,
}

impl Decoder for MemberDecoder {
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        coded.last_chunk::<4>().map(|isize| u32::from_le_bytes(*isize) as usize)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let Some(header) = Header::parse(coded).filter(|header| header.flags & !FEXTRA == 0) else {
            return false;
        };
        let Some((body, trailer)) = coded[header.len..].split_last_chunk::<TRAILER_LEN>() else {
            return false;
        };
        let (&[c0, c1, c2, c3, ..], &[_, _, _, _, m0, m1, m2, m3, ..]) = (trailer, coded) else {
            return false;
        };
        let crc = u32::from_le_bytes([c0, c1, c2, c3]);
        self.facts = Facts::of_member(u32::from_le_bytes([m0, m1, m2, m3]), crc);
        self.whole.decompress_exactly(body, plain) && crc32(0, plain) == crc
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = Frame { format: NAME, unit: "member", start: source.offset() };
        let Some(member) = read_header(|bytes| source.read_exact(bytes), frame.start)? else {
            return Err(frame.truncated(source));
        };
        let (mut crc, mut len) = (0, 0_u32);
        inflate(&mut self.stream, frame, source, out, |plain| {
            crc = crc32(crc, plain);
            len = len.wrapping_add(plain.len() as u32);
        })?;
        let [c0, c1, c2, c3, l0, l1, l2, l3] = frame.bytes::<TRAILER_LEN>(source)?;
        let (said, said_len) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
        if said != crc {
            return Err(frame
                .corrupt(format_args!("has the CRC-32 {crc:08x}, expected {said:08x}"))
                .by(Damage::Check));
        }
        if said_len != len {
            return Err(frame
                .corrupt(format_args!("is {len} bytes long (modulo 2^32), expected {said_len}"))
                .by(Damage::Length));
        }
        self.facts = Facts::of_member(member.modified, said);
        Ok(())
    }

    fn facts(&self) -> Facts {
        self.facts
    }
}
