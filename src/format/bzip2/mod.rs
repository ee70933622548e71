//! bzip2, whose format is described by its own source.
//!
//! ```text
//! BZh9 | block | block | … | end     each block: magic number, CRC, codes, symbols
//! ```
//!
//! Written: one stream per chunk, as pbzip2 does, or one around all ([`single`]); the format has no room
//! for an index. Read: any streams, block by block. Blocks begin at any bit, and nothing says where they end. So where they
//! begin is guessed from their magic numbers ([`walk`]), 48 bits that no other place has but by chance
//! or malice; a guess that was wrong is found out by the block before it ([`decode`]).

mod coder;
mod decode;
mod scan;
mod single;
mod walk;

use super::framed::Framed;
use super::{Codec, Decoder, Encoder, Extra, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Layout, Options, Settings};
use crate::pipeline::Joiner;
use coder::ChunkEncoder;
use decode::StreamDecoder;
pub(crate) use pzcomp_bzip2::encode::BlockFill;
use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC, encode};
use walk::BlockWalker;

const NAME: &str = "bzip2";
/// The length of a magic number in bytes.
const MAGIC_LEN: usize = 6;
/// `BZh`, the level, and a magic number.
const START_LEN: usize = 4 + MAGIC_LEN;
/// The magic number of the end, and the CRC of the stream.
const END_LEN: usize = MAGIC_LEN + 4;

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".bz2", ""), (".tbz2", ".tar"), (".tbz", ".tar"), (".tb2", ".tar")],
    levels: 1..=9,
    default_level: 9,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[Extra::Single],
};

pub(super) struct Bzip2;

impl Codec for Bzip2 {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        is_start(head)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::<BlockWalker>::default()
    }

    fn decoder(&self, _: &Reading, _: &Options) -> Result<Box<dyn Decoder>> {
        let decoder = StreamDecoder::new();
        decoder.map(|decoder| Box::new(decoder) as _).ok_or_else(no_memory)
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Bzip2 {
    fn chunk_len(&self, level: i32, options: &Options) -> usize {
        let room = coder::room(level, is_single(&options.layout));
        // Mostly a block has room for more than it holds in the end, as its runs are shortened.
        if options.rsyncable { room } else { room / 2 * 3 }
    }

    fn chunk_room(&self, level: i32, options: &Options) -> Option<usize> {
        Some(coder::room(level, is_single(&options.layout)))
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        coder::coded_bound(settings.chunk_len, settings.level)
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        encode::memory(settings.level as u8)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(ChunkEncoder::new(settings.level, is_single(&settings.layout))?))
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        if is_single(&settings.layout) {
            return single::begin(settings.level);
        }
        (Vec::new(), Framed::new(None))
    }
}

fn no_memory() -> Error {
    Error::Internal("no memory for a bzip2 decoder".into())
}

fn is_single(layout: &Layout) -> bool {
    matches!(layout, Layout::Single(_))
}

fn is_start(bytes: &[u8]) -> bool {
    let is_magic = |magic: &[u8]| {
        [BLOCK_MAGIC, END_MAGIC].iter().any(|known| magic.starts_with(&known.to_be_bytes()[8 - MAGIC_LEN..]))
    };
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', magic @ ..] if is_magic(magic))
}

/// Where in a stream a block begins that is not its first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Context {
    level: u8,
    /// The bit of the byte before the unit in which its magic number begins; 0 if it begins with the
    /// unit.
    bit: u32,
}

impl Context {
    /// As it is carried by the pipeline; never zero, which means the beginning of a stream.
    fn packed(self) -> u8 {
        self.level << 3 | self.bit as u8
    }

    fn unpacked(packed: u8) -> Option<Self> {
        (packed != 0).then_some(Self { level: packed >> 3, bit: u32::from(packed & 7) })
    }
}
