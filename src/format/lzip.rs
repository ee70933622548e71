//! lzip: the manual of lzip, chapter "File format", and `draft-diaz-lzip` of the IETF.
//!
//! ```text
//! LZIP   version(1)   dictionary(1)   LZMA with an end marker   CRC-32(4)   plain length(8)   member length(8)
//! ```
//!
//! Written: one member per chunk, as plzip does; the format has no room for an index. Read: any members, of
//! version 1, and those of version 0, which do not say how long they are. Where one ends is said behind it, so where the next begins is found by plzip's rule ([`walk`]):
//! behind a length that is the distance to the start of the member. A worker verifies all of it ([`decode`]).

mod decode;
mod header;
mod list;
mod walk;

use super::ffi::lzma::{Effort, RawEncoder};
use super::framed::Framed;
use super::liblzma::internal;
use super::{Codec, Decoder, Encoder, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Options, Settings};
use crate::pipeline::Joiner;
use decode::MemberDecoder;
use header::{Dictionary, HEADER_LEN, MAGIC, TRAILER_LEN, Trailer, header};
pub(crate) use list::members;
use walk::MemberWalker;

const NAME: &str = "lzip";
/// The name of the check that members carry.
pub(crate) const CHECK: &str = "CRC32";

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".lz", ""), (".tlz", ".tar")],
    levels: 0..=9,
    default_level: 6,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[],
};

/// Dictionary and effort of each level: the lengths are those of plzip.
const LEVELS: [(u32, Effort); 10] = [
    (64 << 10, Effort::Preset(0)),
    (1 << 20, Effort::Optimal { match_len: 5 }),
    (3 << 19, Effort::Optimal { match_len: 6 }),
    (2 << 20, Effort::Optimal { match_len: 8 }),
    (3 << 20, Effort::Optimal { match_len: 12 }),
    (4 << 20, Effort::Optimal { match_len: 20 }),
    (8 << 20, Effort::Optimal { match_len: 36 }),
    (16 << 20, Effort::Optimal { match_len: 68 }),
    (24 << 20, Effort::Optimal { match_len: 132 }),
    (32 << 20, Effort::Optimal { match_len: 273 }),
];

/// Chunk of level 0, whose dictionary would make very short ones.
const CHUNK_LEN_MIN: usize = 1 << 20;

pub(super) struct Lzip;

impl Codec for Lzip {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(MemberWalker::default())
    }

    fn ignores_trailing(&self) -> bool {
        true
    }

    fn decoder(&self, reading: &Reading, _: &Options) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(MemberDecoder::new(*reading)))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Lzip {
    /// As plzip has it.
    fn chunk_len(&self, level: i32, _: &Options) -> usize {
        let (dict_len, _) = of_level(level);
        (2 * dict_len as usize).max(CHUNK_LEN_MIN)
    }

    /// LZMA cannot store what it cannot make smaller. Each of the eight choices that a literal is coded by
    /// costs 1.05 bits at the most in the long run; plzip makes the same room.
    fn coded_bound(&self, settings: &Settings) -> usize {
        HEADER_LEN + settings.chunk_len + settings.chunk_len / 8 + 64 + TRAILER_LEN
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        let (dict_len, effort) = of_level(settings.level);
        effort.memory(Dictionary::for_chunk(dict_len, settings.chunk_len).len)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let (dict_len, effort) = of_level(settings.level);
        Ok(Box::new(MemberEncoder { encoder: RawEncoder::new(effort), dict_len }))
    }

    fn framing(&self, _: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        (Vec::new(), Framed::new(None))
    }
}

fn of_level(level: i32) -> (u32, Effort) {
    LEVELS[level.clamp(0, 9) as usize]
}

struct MemberEncoder {
    encoder: RawEncoder,
    /// That of the level.
    dict_len: u32,
}

impl Encoder for MemberEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let no_room = || Error::Internal("LZMA that is longer than can be".into());
        let dictionary = Dictionary::for_chunk(self.dict_len, chunk.len());
        let (head, rest) = out.split_first_chunk_mut::<HEADER_LEN>().ok_or_else(no_room)?;
        *head = header(dictionary);
        let coded = self.encoder.encode(chunk, dictionary.len, rest).map_err(internal)?;
        let (len, end) = coded
            .and_then(|len| Some((len, rest.get_mut(len..)?.first_chunk_mut::<TRAILER_LEN>()?)))
            .ok_or_else(no_room)?;
        let member_len = HEADER_LEN + len + TRAILER_LEN;
        *end = Trailer {
            crc: crc32fast::hash(chunk),
            plain_len: chunk.len() as u64,
            member_len: member_len as u64,
        }
        .encode();
        Ok(member_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_those_of_plzip() {
        let mib = |level| Lzip.chunk_len(level, &Options::default()) >> 20;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(mib), [1, 2, 3, 4, 6, 8, 16, 32, 48, 64]);
    }
}
