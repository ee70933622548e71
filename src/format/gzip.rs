//! gzip: RFC 1952, with DEFLATE of RFC 1951.
//!
//! Written: one member per chunk, each with its size in an extra field, so that a pipe can be split
//! too; then the index as empty members. Or, where that is asked for, one member around all chunks
//! ([`member`]), or the short ones of BGZF ([`bgzf`]). Read: any members. Those that carry their size,
//! of whichever of the schemes in use, are decoded side by side. In others it is guessed where they may be
//! taken up ([`walk`]); a guess that was wrong is found out by who decodes what is before ([`decode`]).

mod bgzf;
mod decode;
mod header;
mod index;
mod lane;
mod member;
mod members;
mod share;
mod walk;

use pzcomp_deflate::encode::End;

use super::ffi::deflate::crc32;
use super::framed::Framed;
use super::joined::{Check, Coder, Joined, PartEncoder, chunk_len};
use super::{Codec, Decoder, Encoder, Extra, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Layout, Options, Settings};
use crate::pipeline::Joiner;
pub(crate) use bgzf::block_size;
use bgzf::{Bgzf, BlocksEncoder};
use decode::MemberDecoder;
#[cfg(feature = "model")]
pub(crate) use decode::join;
use header::{OUR_LEN, TRAILER_LEN, our_header};
pub(crate) use index::{INDEX_END_LEN, index_len, index_table};
#[cfg(feature = "model")]
pub(crate) use lane::{STEP, SYMBOLS_MAX};
use member::MemberWrapper;
#[cfg(feature = "model")]
pub(crate) use share::{PART_LEN, RATIOS};
use walk::MemberWalker;

const NAME: &str = "gzip";
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// What gzip wrote before its version 1.0; all else is the same.
const OLD_MAGIC: [u8; 2] = [0x1f, 0x9e];

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".gz", ""), (".tgz", ".tar"), (".taz", ".tar")],
    levels: 0..=12,
    default_level: 6,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[Extra::Single, Extra::Name, Extra::Bgzf, Extra::Strategy],
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

    fn walker(&self, workers: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(MemberWalker::new(workers))
    }

    fn decoder(&self, _: &Reading, _: &Options) -> Result<Box<dyn Decoder>> {
        let no_memory = || Error::Internal("no memory for libdeflate".into());
        Ok(Box::new(MemberDecoder::new().ok_or_else(no_memory)?))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Gzip {
    fn chunk_len(&self, _: i32, options: &Options) -> usize {
        match options.layout {
            Layout::Bgzf => bgzf::CHUNK_LEN,
            _ => chunk_len(options),
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
        let coder = Coder::new(settings)?;
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
