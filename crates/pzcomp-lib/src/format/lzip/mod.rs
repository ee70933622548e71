//! lzip. The chapter "File format" of lzip's manual and the draft `draft-diaz-lzip` of the IETF are the specification.
//!
//! ```text
//! LZIP   version(1)   dictionary(1)   LZMA with an end marker   CRC-32(4)   plain length(8)   member length(8)
//! ```
//!
//! pzcomp writes one member per chunk, as plzip does. The format has no room for an index.
//!
//! pzcomp reads any members of version 1, and members of version 0, which do not state their length. A member of
//! version 1 states its length at its end. So the walker ([`walk`]) finds the next member by plzip's rule: a header
//! counts if the eight bytes before it state the distance to the start of the member before. A worker verifies the
//! whole member ([`decode`]).

mod decode;
mod header;
mod list;
mod probe;
mod walk;

pub use list::{LzipMember, lzip_members};

use decode::MemberDecoder;
use header::{DictionarySize, HEADER_LEN, MAGIC, MEMBER_LEN_MIN, TRAILER_LEN, Trailer, header};
use probe::MemberProbe;
use pzcomp_lzma::{Encoder as LzmaEncoder, Error as Failure, Params, Search};
use walk::MemberWalker;

use super::framed::Framed;
use super::places::Places;
use super::probe::Probe;
use super::{Codec, Decoder, Encoder, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Decode, Encode, Layout, Settings};
use engine::Joiner;

const NAME: &str = "lzip";
/// The name of the check that all members carry.
const CHECK: &str = "CRC32";

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".lz", ""), (".tlz", ".tar")],
    levels: 0..=9,
    default_level: 6,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[],
};

/// The parameters of each level. The dictionaries are those of plzip.
const LEVELS: [Params; 10] = [
    params(64 << 10, 32, Search::First),
    params(1 << 20, 64, Search::Few),
    params(3 << 19, 16, Search::Cheap),
    params(2 << 20, 19, Search::Cheap),
    params(3 << 20, 24, Search::Cheap),
    params(4 << 20, 28, Search::All),
    params(8 << 20, 36, Search::All),
    params(16 << 20, 68, Search::All),
    params(24 << 20, 132, Search::All),
    params(32 << 20, 273, Search::All),
];

const fn params(dict_len: usize, nice_len: usize, search: Search) -> Params {
    Params { dict_len, nice_len, search }
}

/// The chunk length of level 0. Two of its dictionaries would make very short chunks.
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

    /// The length of a member is in its last eight bytes. Other bytes hardly ever state a length that is possible.
    fn ends_with_frame(&self, tail: &[u8], len: u64) -> bool {
        let member_len = tail.last_chunk().map(|&bytes| u64::from_le_bytes(bytes));
        member_len.is_some_and(|member_len| (MEMBER_LEN_MIN as u64..=len).contains(&member_len))
    }

    fn ignores_trailing(&self) -> bool {
        true
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(MemberDecoder::new(reading.clone())))
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::<MemberProbe>::default())
    }

    fn places(&self) -> &'static dyn Places {
        &Lzip
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Lzip {
    /// Two dictionaries, as plzip does it.
    fn chunk_len(&self, level: i32, _: &Encode) -> usize {
        (2 * of_level(level).dict_len).max(CHUNK_LEN_MIN)
    }

    /// LZMA has no stored form for incompressible data. A literal is coded by eight binary choices, and each takes at
    /// most 1.05 bits in the long run. plzip leaves the same room.
    fn coded_bound(&self, settings: &Settings) -> usize {
        HEADER_LEN + settings.chunk_len + settings.chunk_len / 8 + 64 + TRAILER_LEN
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        LzmaEncoder::memory(&of_level(settings.level), settings.chunk_len)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let params = of_level(settings.level);
        let encoder = OwnEncoder::new(params);
        Ok(Box::new(MemberEncoder { encoder, dict_len: params.dict_len as u32 }))
    }

    fn usual_speed(&self, level: i32) -> u32 {
        /// MB/s of the levels from 0 on.
        const SPEEDS: [u32; 10] = [50, 30, 20, 12, 10, 5, 4, 3, 2, 2];
        SPEEDS[usize::try_from(level).unwrap_or(0).min(SPEEDS.len() - 1)] * 1_000_000
    }

    fn unfinished(&self, _: &Layout, _: bool) -> &'static [u8] {
        &MAGIC
    }

    fn framing(&self, _: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        (Vec::new(), Framed::new(None))
    }
}

fn of_level(level: i32) -> Params {
    LEVELS[level.clamp(0, 9) as usize]
}

struct MemberEncoder {
    encoder: OwnEncoder,
    /// Dictionary length of the level.
    dict_len: u32,
}

impl Encoder for MemberEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let no_room = || Error::Internal("LZMA that is longer than can be".into());
        let dictionary = DictionarySize::for_chunk(self.dict_len, chunk.len());
        let (head, rest) = out.split_first_chunk_mut::<HEADER_LEN>().ok_or_else(no_room)?;
        *head = header(dictionary);
        let (len, end) = self
            .encoder
            .encode(chunk, rest)?
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

/// The LZMA of members, which our own encoder codes (`crates/lzma`).
struct OwnEncoder(LzmaEncoder);

impl OwnEncoder {
    fn new(params: Params) -> Self {
        Self(LzmaEncoder::new(params))
    }

    /// Codes `plain` into the front of `out`. Returns the coded length, or `None` if there is too little room.
    fn encode(&mut self, plain: &[u8], out: &mut [u8]) -> Result<Option<usize>> {
        match self.0.encode_lzma1(plain, out) {
            Ok(len) => Ok(Some(len)),
            Err(Failure::NoRoom) => Ok(None),
            Err(Failure::NoMemory) => Err(Error::NoMemory { what: "the LZMA encoder" }),
            Err(other) => Err(Error::Internal(other.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_those_of_plzip() {
        let mib = |level| Lzip.chunk_len(level, &Encode::default()) >> 20;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(mib), [1, 2, 3, 4, 6, 8, 16, 32, 48, 64]);
    }
}
