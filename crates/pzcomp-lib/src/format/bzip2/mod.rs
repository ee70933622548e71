//! bzip2. The format has no specification; the source of the `bzip2` program describes it.
//!
//! ```text
//! BZh9 | block | block | … | end     each block: magic number, CRC, codes, symbols
//! ```
//!
//! pzcomp writes one stream per chunk, as pbzip2 does, or one stream for all chunks. The format has no
//! room for an index.
//!
//! pzcomp reads any streams, block by block. A block begins at any bit, and no field says where it ends. So the walker
//! ([`walk`]) guesses the starts from the magic numbers of 48 bits. Other data holds such a number only by chance or
//! malice. The decoder ([`decode`]) finds a wrong guess: the block before then ends elsewhere.

mod coder;
mod decode;
mod probe;
mod scan;
mod walk;

use std::ops::Range;

use coder::ChunkEncoder;
use decode::StreamDecoder;
use engine::Joiner;
use engine::io::RandomAccess;
use probe::StreamProbe;
use pzcomp_bzip2::decode::{BitReader, check_fields};
pub(crate) use pzcomp_bzip2::encode::BlockFill;
use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC, Error as Fault, encode};
use walk::BlockWalker;

use super::framed::Framed;
use super::places::Places;
use super::probe::Probe;
use super::{Codec, Decoder, Encoder, Extra, Info, Reading, Walker, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Decode, Encode, Layout, Settings};

const NAME: &str = "bzip2";
/// The length of a magic number in bytes.
const MAGIC_LEN: usize = 6;
/// `BZh`, the level, and a magic number.
const START_LEN: usize = 4 + MAGIC_LEN;
/// The magic number of the end of a stream, and the CRC of the stream.
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

/// Where the last block of a stream ends, from the last bytes of the stream: how many of these bytes hold bits of the
/// block, and the context of what follows. `None` if no stream of this level ends there.
fn end_of_blocks(tail: &[u8], level: u8) -> Option<(usize, u8)> {
    // The stream is filled up to a whole byte, so its end can begin at eight bits.
    let first = tail.len().checked_sub(END_LEN + 1)?;
    let found = scan::find(&tail[first..]).filter(|found| found.is_end)?;
    let at = first + found.at;
    let is_last = at + END_LEN + usize::from(found.bit > 0) == tail.len();
    let context = Context { level, bit: found.bit };
    is_last.then_some((at + usize::from(found.bit > 0), context.packed()))
}

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

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        let decoder = StreamDecoder::new();
        decoder.map(|decoder| Box::new(decoder) as _).ok_or_else(no_memory)
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::<StreamProbe>::default())
    }

    /// The header of a stream, or what is left of it, whose first magic number is damaged or missing.
    fn damaged_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        let is_header = match head {
            [] => false,
            [b'B', b'Z', b'h', level, ..] => (b'1'..=b'9').contains(level),
            head => b"BZh".starts_with(head),
        };
        is_header.then(|| match head.len() {
            len if len < START_LEN => {
                Error::Truncated { format: NAME, frame: offset, offset: offset + len as u64 }
            }
            _ => Error::corrupt(
                NAME,
                offset,
                "neither a block nor the end of the stream begins behind its header",
            ),
        })
    }

    fn places(&self) -> &'static dyn Places {
        &Bzip2
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Bzip2 {
    fn chunk_len(&self, level: i32, options: &Encode) -> usize {
        let room = coder::room(level, is_single(&options.layout));
        // Shortening the runs makes most chunks smaller, so a block mostly has room for more plain bytes than its size.
        if options.rsyncable { room } else { room / 2 * 3 }
    }

    fn chunk_room(&self, level: i32, options: &Encode) -> Option<usize> {
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

    fn usual_speed(&self, level: i32) -> u32 {
        /// MB/s of the levels from 1 on.
        const SPEEDS: [u32; 9] = [20, 19, 18, 18, 17, 17, 16, 16, 15];
        SPEEDS[usize::try_from(level - 1).unwrap_or(0).min(SPEEDS.len() - 1)] * 1_000_000
    }

    fn unfinished(&self, layout: &Layout, is_begun: bool) -> &'static [u8] {
        // With the magic number of a block: readers take a shorter start for garbage, also behind the last stream.
        if is_single(layout) && is_begun { b"1AY&SY" } else { b"BZh91AY&SY" }
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        if is_single(&settings.layout) {
            return coder::begin(settings.level);
        }
        (Vec::new(), Framed::new(None))
    }
}

fn no_memory() -> Error {
    Error::NoMemory { what: "a bzip2 decoder" }
}

fn is_single(layout: &Layout) -> bool {
    matches!(layout, Layout::Single(_))
}

/// Whether the fields at the start of a block may be right. `bytes` are those behind its magic number, whose last bit
/// is before `bit` of the first byte. It costs next to nothing, and an answer of no is certain.
fn may_be_block(bytes: &[u8], bit: u32, level: u8) -> bool {
    let checked = check_fields(&mut BitReader::new(bytes, bit), level);
    !matches!(checked, Err(Fault::Invalid(_)))
}

/// Whether a stream begins with these bytes.
fn is_start(bytes: &[u8]) -> bool {
    let is_magic = |magic: &[u8]| {
        [BLOCK_MAGIC, END_MAGIC].iter().any(|known| magic.starts_with(&known.to_be_bytes()[8 - MAGIC_LEN..]))
    };
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', magic @ ..] if is_magic(magic))
}

/// Where in a stream a block begins that is not the first block. The context byte of a resume point holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Context {
    /// The digit in the header of the stream.
    level: u8,
    /// The bit at which the magic number of the block begins, in the byte before the unit. It is 0 if the magic number
    /// begins with the unit.
    bit: u32,
}

impl Context {
    /// The context byte. It is never 0, because 0 means the start of a stream.
    fn packed(self) -> u8 {
        self.level << 3 | self.bit as u8
    }

    fn unpacked(packed: u8) -> Option<Self> {
        (packed != 0).then_some(Self { level: packed >> 3, bit: u32::from(packed & 7) })
    }
}

impl Places for Bzip2 {
    /// The block may begin in the byte before it.
    fn may_begin(&self, at: u64, context: u8, next: u8) -> bool {
        let is_level =
            |context| Context::unpacked(context).is_none_or(|context| (1..=9).contains(&context.level));
        let bit = Context::unpacked(context).map_or(0, |context| context.bit);
        is_level(context) && is_level(next) && (at > 0 || bit == 0)
    }

    fn has_lone_blocks(&self) -> bool {
        true
    }

    /// The end of a stream has a checksum of all its blocks.
    fn leave_out_end(&self, place: RandomAccess, coded: &mut Range<u64>, context: u8) -> Result<u8> {
        const TAIL_LEN: u64 = 16;
        const LEVEL_AT: u64 = 3;
        // The end of the file may be filled up with zeros. The end of the stream has at most as many itself.
        const ZEROS_MAX: u64 = 5;
        let Range { start, end } = *coded;
        let level = match Context::unpacked(context) {
            Some(context) => context.level,
            None => {
                let mut digit = [0];
                place.read_at(&mut digit, start + LEVEL_AT)?;
                digit[0].wrapping_sub(b'0')
            }
        };
        let last = end_of_data(place, start..end)?;
        for end in last..=end.min(last + ZEROS_MAX) {
            let at = end.saturating_sub(TAIL_LEN).max(start);
            let mut tail = vec![0; (end - at) as usize];
            place.read_at(&mut tail, at)?;
            if let Some((len, next)) = end_of_blocks(&tail, level) {
                coded.end = at + len as u64;
                return Ok(next);
            }
        }
        Err(Error::corrupt(NAME, start, "the stream does not end where its last block ends"))
    }
}

/// Where the last byte ends that is not zero.
fn end_of_data(place: RandomAccess, range: Range<u64>) -> Result<u64> {
    let mut bytes = [0; 4096];
    let mut end = range.end;
    while end > range.start {
        let len = (end - range.start).min(bytes.len() as u64);
        let here = &mut bytes[..len as usize];
        place.read_at(here, end - len)?;
        if let Some(last) = here.iter().rposition(|&byte| byte != 0) {
            return Ok(end - len + last as u64 + 1);
        }
        end -= len;
    }
    Ok(end)
}
