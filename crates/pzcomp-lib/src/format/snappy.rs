//! The framing format of Snappy, `.sz`. `framing_format.txt` of the snappy project is the specification.
//!
//! ```text
//! ff 06 00 00 sNaPpY   { type(1) length(3) [masked CRC-32C(4)] data }
//! ```
//!
//! A chunk holds at most 64 KiB of plain data, as a block of Snappy (type 0) or as it is (type 1). pzcomp writes full
//! chunks of both types. The crate `snap` has the codec of the blocks.
//!
//! There is no mark at the end, so a file that is cut off between two chunks is a valid file. Chunks of the types 0x80
//! to 0xfe hold no data, and readers skip them. A single wrong bit would hide a chunk of data that way. So the decoder
//! looks whether the content of such a chunk is data with the right checksum, and refuses the chunk then.

use snap::raw::{Decoder as RawDecoder, Encoder as RawEncoder, decompress_len, max_compress_len};

use super::blocks::{BlockFormat, Fault, INSIDE, Item, ItemKind, Look};
use super::framed::Framed;
use super::{Encoder, Format, Info, WritingCodec};
use crate::error::{Error, Result};
use crate::options::{Encode, Layout, Settings};
use engine::Joiner;

const NAME: &str = "snappy";
/// The name of the check of each chunk.
const CHECK: &str = "CRC-32C";
/// The first chunk of a stream. It may occur again behind any chunk.
const IDENTIFIER: [u8; 10] = *b"\xff\x06\x00\x00sNaPpY";
/// Length of the type and the length of a chunk.
const HEAD_LEN: usize = 4;
/// Length of the header of a chunk with data: type, length, checksum.
const DATA_HEAD_LEN: usize = HEAD_LEN + 4;
/// The most plain data of a chunk.
const PLAIN_MAX: usize = 64 << 10;
/// The longest block that holds so much.
const BLOCK_MAX: usize = 32 + PLAIN_MAX + PLAIN_MAX / 6;
/// The longest encoding of the plain length of a block.
const LEN_MAX: usize = 5;

/// The types of chunks.
const CODED: u8 = 0;
const STORED: u8 = 1;
/// The first type that readers must refuse, and the first that they skip.
const FIRST_RESERVED: u8 = 2;
const FIRST_SKIPPABLE: u8 = 0x80;
const IDENTIFIES: u8 = 0xff;

/// The first bytes of other formats that look like the header of a chunk without data: xz and lzop.
const OTHER_MAGIC: [[u8; 4]; 2] = [*b"\xfd7zX", *b"\x89LZO"];

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".sz", ""), (".snappy", "")],
    levels: 1..=1,
    default_level: 1,
    fast: None,
    chunk_len: 4 << 10..=1 << 30,
    extras: &[],
};

pub(super) struct Snappy;

impl BlockFormat for Snappy {
    fn itself(&self) -> &'static dyn BlockFormat {
        &Snappy
    }

    fn format(&self) -> Format {
        Format::Snappy
    }

    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&IDENTIFIER)
    }

    fn first_byte(&self) -> &'static [u8] {
        &IDENTIFIER[..1]
    }

    fn ratio_max(&self) -> u64 {
        32
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }

    fn unit(&self) -> &'static str {
        "chunk"
    }

    fn look(&self, bytes: &[u8], _: u8) -> Look {
        if bytes.first().is_some_and(|kind| (FIRST_RESERVED..FIRST_SKIPPABLE).contains(kind)) {
            return Look::Outside;
        }
        let Some(&head @ [kind, l0, l1, l2]) = bytes.first_chunk() else { return Look::More(HEAD_LEN) };
        let len = u32::from_le_bytes([l0, l1, l2, 0]) as usize;
        let item = |kind| Look::Item(Item { len: (HEAD_LEN + len) as u64, kind });
        let block = |plain_len| item(ItemKind::Block { plain_len, check: CHECK });
        match kind {
            // Zeros behind a stream fill up a tape.
            CODED if len == 0 => Look::Outside,
            CODED | STORED if len < 4 => Look::Refused(Fault::form("is too short for its checksum")),
            STORED if len - 4 > PLAIN_MAX => Look::Refused(too_long(len - 4)),
            STORED => block(len - 4),
            CODED if len - 4 > BLOCK_MAX => {
                let what = format!("says it has {} coded bytes, expected at most {BLOCK_MAX}", len - 4);
                Look::Refused(Fault::form(what))
            }
            CODED => {
                let len_end = DATA_HEAD_LEN + LEN_MAX.min(len - 4);
                let Some(coded_len) = bytes.get(DATA_HEAD_LEN..len_end) else { return Look::More(len_end) };
                match decompress_len(coded_len) {
                    Ok(plain_len) if plain_len > PLAIN_MAX => Look::Refused(too_long(plain_len)),
                    Ok(plain_len) if len > 4 => block(plain_len),
                    _ => Look::Refused(Fault::form("does not state its plain length")),
                }
            }
            IDENTIFIES if len != IDENTIFIER.len() - HEAD_LEN => {
                Look::Refused(Fault::form("is a stream identifier of a wrong length"))
            }
            IDENTIFIES => match bytes.get(..IDENTIFIER.len()) {
                None => Look::More(IDENTIFIER.len()),
                Some(found) if found == IDENTIFIER => item(ItemKind::Header { context: INSIDE }),
                Some(_) => Look::Refused(Fault::form("is a stream identifier that does not say sNaPpY")),
            },
            _ if OTHER_MAGIC.contains(&head) => Look::Outside,
            _ => block(0),
        }
    }

    fn may_be_block(&self, head: &[u8], _: u8) -> bool {
        match head.split_at_checked(DATA_HEAD_LEN) {
            Some(([CODED, ..], data)) => elements_are_valid(data),
            _ => true,
        }
    }

    fn decode(&self, coded: &[u8], plain: &mut [u8], _: u8) -> Result<(), Fault> {
        let too_short = || Fault::form("is too short");
        let (head, body) = coded.split_first_chunk::<HEAD_LEN>().ok_or_else(too_short)?;
        let kind = head[0];
        if kind > STORED {
            return skip(kind, body);
        }
        let (stated, data) = body.split_first_chunk::<4>().ok_or_else(too_short)?;
        match kind {
            STORED if data.len() == plain.len() => plain.copy_from_slice(data),
            CODED if matches!(RawDecoder::new().decompress(data, plain), Ok(len) if len == plain.len()) => {}
            _ => return Err(Fault::form("does not decode")),
        }
        let (stated, found) = (u32::from_le_bytes(*stated), masked_crc(plain));
        if found == stated { Ok(()) } else { Err(Fault::check(CHECK, found, stated)) }
    }
}

fn too_long(plain_len: usize) -> Fault {
    Fault::form(format!("says it holds {plain_len} bytes, expected at most {PLAIN_MAX}"))
}

/// Passes a chunk of a type that holds no data, unless its content is data.
fn skip(kind: u8, body: &[u8]) -> Result<(), Fault> {
    let Some((stated, data)) = body.split_first_chunk::<4>() else { return Ok(()) };
    let is_right = |plain: &[u8]| masked_crc(plain) == u32::from_le_bytes(*stated);
    let is_stored = !data.is_empty() && data.len() <= PLAIN_MAX && is_right(data);
    let is_coded = || {
        let plain_len = decompress_len(data).ok().filter(|len| (1..=PLAIN_MAX).contains(len))?;
        let mut plain = vec![0; plain_len];
        RawDecoder::new().decompress(data, &mut plain).ok().filter(|_| is_right(&plain))
    };
    if is_stored || data.len() <= BLOCK_MAX && is_coded().is_some() {
        let what =
            format!("has the type {kind:#04x} of chunks without data, but holds data with a right {CHECK}");
        return Err(Fault::form(what));
    }
    Ok(())
}

/// The CRC-32C, rotated and with a constant added, as the format stores it.
fn masked_crc(plain: &[u8]) -> u32 {
    crc32c::crc32c(plain).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Whether these bytes, which more bytes of the block follow, begin a block of Snappy: each copy begins in the data
/// before it, and the data is not longer than stated. `format_description.txt` of the snappy project has the elements.
fn elements_are_valid(mut data: &[u8]) -> bool {
    let Ok(stated) = decompress_len(data) else { return false };
    let varint_len = data.iter().take_while(|&&byte| byte & 0x80 != 0).count() + 1;
    data = data.get(varint_len..).unwrap_or_default();
    let mut made = 0_usize;
    while let Some((&tag, rest)) = data.split_first() {
        let upper = usize::from(tag >> 2);
        let field_len = match (tag & 3, upper) {
            (0, 60..) => upper - 59,
            (0, _) => 0,
            (kind, _) => [1, 2, 4][usize::from(kind) - 1],
        };
        let Some((field, rest)) = rest.split_at_checked(field_len) else { return true };
        let field = field.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let (len, distance, rest) = match tag & 3 {
            0 => {
                let len = if field_len == 0 { upper + 1 } else { field + 1 };
                (len, None, rest.get(len..).unwrap_or_default())
            }
            1 => (4 + (upper & 7), Some((upper >> 3) << 8 | field), rest),
            _ => (upper + 1, Some(field), rest),
        };
        if distance.is_some_and(|distance| distance == 0 || distance > made) {
            return false;
        }
        made += len;
        if made > stated || made == stated && !rest.is_empty() {
            return false;
        }
        data = rest;
    }
    true
}

impl WritingCodec for Snappy {
    /// A chunk of pzcomp becomes several chunks of the format.
    fn chunk_len(&self, _: i32, _: &Encode) -> usize {
        8 * PLAIN_MAX
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        // The encoder wants room for the longest block, also for the last one, which may then be stored.
        let chunks = settings.chunk_len.div_ceil(PLAIN_MAX);
        settings.chunk_len + chunks * DATA_HEAD_LEN + max_compress_len(PLAIN_MAX) - PLAIN_MAX
    }

    fn encoder_memory(&self, _: &Settings) -> u64 {
        128 << 10
    }

    fn encoder(&self, _: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(ChunkEncoder(RawEncoder::new())))
    }

    fn usual_speed(&self, _: i32) -> u32 {
        600_000_000
    }

    fn unfinished(&self, _: &Layout, _: bool) -> &'static [u8] {
        // The header of a chunk that is missing.
        &[STORED, 0, 0, 1]
    }

    fn framing(&self, _: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        (IDENTIFIER.to_vec(), Framed::new(None))
    }
}

struct ChunkEncoder(RawEncoder);

impl Encoder for ChunkEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let mut at = 0;
        for plain in chunk.chunks(PLAIN_MAX) {
            let no_room = || Error::Internal("a chunk of Snappy outgrew its bound".into());
            let (head, body) = out[at..].split_first_chunk_mut::<DATA_HEAD_LEN>().ok_or_else(no_room)?;
            let coded_len = self.0.compress(plain, body).map_err(|_| no_room())?;
            // A block that shrinks by less than an eighth is stored, because that is faster to decode.
            let (kind, len) = match coded_len {
                len if len < plain.len() - plain.len() / 8 => (CODED, len),
                _ => {
                    body[..plain.len()].copy_from_slice(plain);
                    (STORED, plain.len())
                }
            };
            head[..4].copy_from_slice(&((len as u32 + 4) << 8 | u32::from(kind)).to_le_bytes());
            head[4..].copy_from_slice(&masked_crc(plain).to_le_bytes());
            at += DATA_HEAD_LEN + len;
        }
        Ok(at)
    }
}
