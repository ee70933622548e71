//! LZ4: `doc/lz4_Frame_format.md` of the lz4 project.
//!
//! ```text
//! magic(4) FLG BD [content size(8)] [dictionary(4)] HC   { size(4) block [checksum(4)] }   0(4) [checksum(4)]
//! ```
//!
//! Written: one frame for each chunk, of independent blocks, with content size and checksum. The seek table follows
//! in a skippable frame. [`write`] has the other kinds of frames.
//!
//! Read: all frames, also those of linked blocks and the legacy frames of Linux kernels. [`walk`] finds their ends
//! from block to block. Several workers share a frame of many independent blocks ([`blocks`]).
//!
//! This file has what the table of formats needs, the frame header, and the decoder that chooses between the ways to
//! decode a frame.

mod blocks;
mod stream;
mod walk;
mod write;

use xxhash_rust::xxh32::xxh32;

use super::chain::ChainProbe;
use super::ffi::lz4::{Compressor, FrameDecompressor, Strength, decompress};
use super::framed::Framed;
use super::places::Places;
use super::probe::Probe;
use super::records::Envelope;
use super::seek_table::TableInFrame;
use super::{
    After, Codec, Cursor, Decoder, Encoder, Extra, Format, Info, Reading, SerialEncoder, Walker,
    WritingCodec, skippable,
};
use crate::error::{Error, Result};
use crate::options::{Check, Decode, Encode, Layout, Lz4Blocks, Settings};
use blocks::BlockStream;
use engine::{Emitter, Joiner, Source};
use walk::{FrameChain, FrameWalker};
use write::{LegacyEncoder, LibraryEncoder};

const NAME: &str = "lz4";
const MAGIC: [u8; 4] = 0x184D_2204_u32.to_le_bytes();
const LEGACY_MAGIC: [u8; 4] = 0x184C_2102_u32.to_le_bytes();

/// Plain length of the blocks of a legacy frame, and the greatest coded length of such a block.
const LEGACY_BLOCK_LEN: usize = 8 << 20;
const LEGACY_CODED_MAX: u32 = (LEGACY_BLOCK_LEN + LEGACY_BLOCK_LEN / 255 + 16) as u32;

/// The shortest header.
const HEADER_MIN: usize = 7;
/// Length of our headers: magic number, FLG, BD, content size, HC.
const HEADER_LEN: usize = 15;
/// A frame that states at most this many plain bytes is decoded whole.
const WHOLE_PLAIN_MAX: u64 = 4 << 20;
/// Version 1, independent blocks, content size, content checksum.
const FLAGS: u8 = 0b0110_1100;
/// Set in the size of a block that is not compressed.
const STORED: u32 = 1 << 31;

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".lz4", ""), (".tlz4", ".tar")],
    levels: 1..=12,
    default_level: 1,
    fast: Some(1..=65_537),
    chunk_len: 4 << 10..=1 << 30,
    extras: &[Extra::Single, Extra::Legacy, Extra::Check(Check::None), Extra::Recovery, Extra::Lz4Blocks],
};

pub(super) struct Lz4;

impl Codec for Lz4 {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC) || head.starts_with(&LEGACY_MAGIC)
    }

    fn has_skippable(&self) -> bool {
        true
    }

    fn sniff_len(&self) -> usize {
        MAGIC.len()
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        /// Of both magic numbers.
        const FIRST: [u8; 2] = [MAGIC[0], LEGACY_MAGIC[0]];
        let format = Format::Lz4;
        Some(Box::new(ChainProbe { format, chain: &FrameChain, first_bytes: &FIRST, ratio_max: 256 }))
    }

    fn walker(&self, workers: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(FrameWalker::new(workers))
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        let stream = FrameDecompressor::new().ok_or(Error::NoMemory { what: "an lz4 decoder" })?;
        Ok(Box::new(FrameDecoder {
            stream,
            legacy: Vec::new(),
            blocks: BlockStream::default(),
            after: After::Outside,
        }))
    }

    fn places(&self) -> &'static dyn Places {
        &TableInFrame
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Lz4 {
    fn envelope(&self) -> Option<Envelope> {
        Some(Envelope::Skippable)
    }

    fn has_table(&self) -> bool {
        true
    }

    fn chunk_len(&self, _: i32, options: &Encode) -> usize {
        match options.layout {
            Layout::Legacy => LEGACY_BLOCK_LEN,
            // All blocks but the last are full.
            Layout::Single(_) => 4 << 20,
            // The window is 64 KiB, so chunks of 1 MiB lose nothing. They also stay in the cache.
            _ => (1 << 20).max(options.lz4.id.map_or(0, block_max)),
        }
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        let plain_len = settings.chunk_len;
        match settings.layout {
            Layout::Legacy => 4 + LEGACY_CODED_MAX as usize,
            _ if write::is_plain(settings) => {
                // A block that does not shrink is stored.
                HEADER_LEN + plain_len + (plain_len / block_max(block_id(plain_len)) + 1) * 4 + 8
            }
            _ => write::bound(settings),
        }
    }

    fn encoder_memory(&self, _: &Settings) -> u64 {
        512 << 10
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(match settings.layout {
            Layout::Legacy => Box::new(LegacyEncoder(Compressor::new(effort(settings)))),
            _ if write::is_plain(settings) => Box::new(FrameEncoder(Compressor::new(effort(settings)))),
            _ => Box::new(LibraryEncoder::new(settings)?),
        })
    }

    fn usual_speed(&self, level: i32) -> u32 {
        /// MB/s of the levels from 1 on.
        const SPEEDS: [u32; 12] = [700, 700, 130, 110, 90, 75, 60, 50, 45, 30, 20, 15];
        let speed = match usize::try_from(level - 1) {
            Ok(at) => SPEEDS[at.min(SPEEDS.len() - 1)],
            Err(_) => SPEEDS[0] + 20 * level.unsigned_abs().min(50),
        };
        speed * 1_000_000
    }

    fn is_serial(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Single(_))
    }

    fn contradiction(&self, options: &Encode) -> Option<&'static str> {
        let has_blocks = options.lz4 != Lz4Blocks::default();
        Some(match options.layout {
            Layout::Legacy if options.block_size.is_some() => {
                "in the legacy format with a block size: its blocks have 8 MiB"
            }
            Layout::Legacy if has_blocks || options.check.is_some() => {
                "in the legacy format with options for blocks or checks: it has none"
            }
            _ if options.lz4.id.is_some_and(|id| !(4..=7).contains(&id)) => {
                "with such blocks: their number must be 4 to 7, for 64 KiB, 256 KiB, 1 MiB and 4 MiB"
            }
            _ => return None,
        })
    }

    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        Ok(Box::new(LibraryEncoder::new(settings)?))
    }

    fn unfinished(&self, layout: &Layout, is_begun: bool) -> &'static [u8] {
        match layout {
            // The size of a block that is missing. A legacy frame has no end mark.
            Layout::Legacy => &[16, 0, 0, 0],
            Layout::Single(_) if is_begun => &[],
            _ => &MAGIC,
        }
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        match settings.layout {
            Layout::Legacy => (LEGACY_MAGIC.to_vec(), Framed::single()),
            Layout::Single(_) => (Vec::new(), Framed::single()),
            _ => {
                let frames = Framed::new(settings.index.then_some(skippable::seek_table));
                (
                    Vec::new(),
                    frames
                        .with_records(self.recovery(settings))
                        .with_listing(settings.listing.as_ref(), Envelope::Skippable),
                )
            }
        }
    }
}

/// The number of the smallest blocks that hold a chunk, or of the largest blocks there are.
fn block_id(chunk_len: usize) -> u8 {
    (4..7).find(|&id| chunk_len <= block_max(id)).unwrap_or(7)
}

/// The greatest plain length of blocks with this number.
fn block_max(id: u8) -> usize {
    1 << (8 + 2 * id)
}

/// The effort of a level, as in the lz4 tool: levels 1 and 2 both are the fast compressor, which has no second level.
fn effort(settings: &Settings) -> Strength {
    match settings.level {
        level @ ..0 => Strength::Fast(-level),
        0..=2 => Strength::Fast(1),
        level => Strength::High(level),
    }
}

struct FrameEncoder(Compressor);

impl Encoder for FrameEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let id = block_id(chunk.len());
        out[..4].copy_from_slice(&MAGIC);
        out[4..6].copy_from_slice(&[FLAGS, id << 4]);
        out[6..14].copy_from_slice(&(chunk.len() as u64).to_le_bytes());
        out[14] = header_check(&out[4..14]);
        let mut at = HEADER_LEN;
        for block in chunk.chunks(block_max(id)) {
            let body = at + 4;
            // If the block does not shrink, it is stored, because that is faster to decode.
            let size = match self.0.compress(block, &mut out[body..body + block.len() - 1]) {
                Some(len) => len as u32,
                None => {
                    out[body..body + block.len()].copy_from_slice(block);
                    block.len() as u32 | STORED
                }
            };
            out[at..body].copy_from_slice(&size.to_le_bytes());
            at = body + (size & !STORED) as usize;
        }
        out[at..at + 4].fill(0);
        out[at + 4..at + 8].copy_from_slice(&xxh32(chunk, 0).to_le_bytes());
        Ok(at + 8)
    }
}

/// HC: one byte of the checksum of the descriptor.
fn header_check(descriptor: &[u8]) -> u8 {
    (xxh32(descriptor, 0) >> 8) as u8
}

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    len: usize,
    independent: bool,
    content_len: Option<u64>,
    style: Style,
}

/// What all blocks of a frame have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    /// The number for the greatest length of a block.
    id: u8,
    block_checksums: bool,
    content_checksum: bool,
    /// Whether the header states the plain length of the frame.
    content_len: bool,
}

impl Header {
    /// The length of the header that begins with these bytes, of which [`HEADER_MIN`] are enough to tell. A legacy frame
    /// has a header of four bytes.
    fn len_at(bytes: &[u8]) -> usize {
        let flags = bytes.get(4).filter(|_| bytes.starts_with(&MAGIC)).copied().unwrap_or(0);
        HEADER_MIN + 8 * usize::from(flags & 8 != 0) + 4 * usize::from(flags & 1 != 0)
    }

    /// The bytes of the header at the cursor. Not more are waited for, because a frame may be shorter than the longest
    /// header.
    fn peek(cursor: &mut dyn Cursor) -> Result<&[u8]> {
        let len = Self::len_at(cursor.peek(HEADER_MIN)?);
        cursor.peek(len)
    }

    /// Like [`Self::peek`], for a decoder.
    fn gather<'a>(source: &'a mut Source) -> Result<&'a [u8]> {
        // A legacy frame without blocks is its magic number alone.
        if source.gather(LEGACY_MAGIC.len())?.starts_with(&LEGACY_MAGIC) {
            return Ok(source.gather(LEGACY_MAGIC.len())?);
        }
        let len = Self::len_at(source.gather_inside(HEADER_MIN)?);
        Ok(source.gather_inside(len)?)
    }

    /// Nothing if the bytes are too few or not valid.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let &[flags, sizes, ref rest @ ..] = bytes.strip_prefix(&MAGIC)? else {
            return None;
        };
        let has_content_len = flags & 8 != 0;
        let has_dictionary = flags & 1 != 0;
        let content_len =
            rest.first_chunk::<8>().filter(|_| has_content_len).map(|len| u64::from_le_bytes(*len));
        let id = sizes >> 4 & 7;
        let len = 7 + 8 * usize::from(has_content_len) + 4 * usize::from(has_dictionary);
        let checked = header_check(bytes.get(4..len - 1)?) == *bytes.get(len - 1)?;
        (flags >> 6 == 1 && id >= 4 && checked && !has_dictionary).then_some(Self {
            len,
            independent: flags & 0x20 != 0,
            content_len,
            style: Style {
                id,
                block_checksums: flags & 0x10 != 0,
                content_checksum: flags & 4 != 0,
                content_len: has_content_len,
            },
        })
    }
}

impl Header {
    /// The plain length, if the frame is decoded whole when it is at hand.
    fn whole_len(&self) -> Option<usize> {
        self.content_len.filter(|&len| len <= WHOLE_PLAIN_MAX).map(|len| len as usize)
    }
}

impl Style {
    /// The greatest plain length of a block.
    fn block_max(self) -> usize {
        block_max(self.id)
    }

    /// How many bytes follow the size of a block with this size. Nothing if the size is not valid.
    fn block(self, size: u32) -> Option<u32> {
        let len = size & !STORED;
        (len as usize <= self.block_max()).then_some(len + if self.block_checksums { 4 } else { 0 })
    }

    /// Length of the end mark and of the checksum behind it.
    fn end_len(self) -> u64 {
        if self.content_checksum { 8 } else { 4 }
    }

    /// The style as one byte, for the context of a resume point. Never 0, which is the context of the start of a
    /// frame.
    fn packed(self) -> u8 {
        let flags = [self.content_checksum, self.block_checksums, self.content_len];
        flags.into_iter().rev().fold(self.id, |packed, flag| packed << 1 | u8::from(flag))
    }

    fn unpacked(packed: u8) -> Option<Self> {
        let [content_checksum, block_checksums, content_len] = [1, 2, 4].map(|flag| packed & flag != 0);
        (packed != 0).then_some(Self { id: packed >> 3, block_checksums, content_checksum, content_len })
    }
}

struct FrameDecoder {
    stream: FrameDecompressor,
    /// A block of a legacy frame. These blocks are longer than a piece of output.
    legacy: Vec<u8>,
    blocks: BlockStream,
    after: After,
}

impl Decoder for FrameDecoder {
    fn whole_len(&self, coded: &[u8]) -> Option<usize> {
        let header = Header::parse(coded)?;
        let mut at = header.len;
        loop {
            let size = u32::from_le_bytes(*coded.get(at..)?.first_chunk()?);
            if size == 0 {
                return Some(at + header.style.end_len() as usize).filter(|&len| len <= coded.len());
            }
            at += 4 + header.style.block(size)? as usize;
        }
    }

    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        Header::parse(coded).filter(|header| header.independent)?.whole_len()
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        self.after = After::Outside;
        decode_whole(coded, plain).unwrap_or(false)
    }

    fn stated_len(&self, source: &mut Source, context: u8, _: Option<usize>) -> Result<Option<u64>> {
        if context != 0 {
            return Ok(None);
        }
        let header = Header::parse(Header::gather(source)?);
        Ok(header.filter(|header| header.style.content_checksum).and_then(|header| header.content_len))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        self.after = After::Outside;
        if let Some(style) = Style::unpacked(context) {
            self.blocks = BlockStream::inside(style, out);
            return self.resume(source, out);
        }
        let frame = source.offset();
        let head = Header::gather(source)?;
        if head.starts_with(&LEGACY_MAGIC) {
            return stream::legacy(source, out, frame, &mut self.legacy);
        }
        match Header::parse(head).filter(|header| header.independent) {
            Some(header) => {
                self.blocks = BlockStream::begin(&header, source, out);
                self.resume(source, out)
            }
            None => stream::linked(&mut self.stream, source, out, frame),
        }
    }

    fn after(&self) -> After {
        self.after
    }

    fn frames(&self) -> u64 {
        (self.after == After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        self.after = self.blocks.part(source, out)?;
        Ok(())
    }
}

/// Decodes a frame of independent blocks that is exactly `coded` and `plain`. Nothing or false if it is not.
fn decode_whole(coded: &[u8], plain: &mut [u8]) -> Option<bool> {
    let header = Header::parse(coded)?;
    let mut rest = &coded[header.len..];
    let mut at = 0;
    loop {
        let (size, behind) = rest.split_first_chunk::<4>()?;
        let size = u32::from_le_bytes(*size);
        if size == 0 {
            rest = behind;
            break;
        }
        let (body, behind) = behind.split_at_checked(header.style.block(size)? as usize)?;
        let (block, check) = body.split_at_checked((size & !STORED) as usize)?;
        if header.style.block_checksums && xxh32(block, 0).to_le_bytes() != check {
            return None;
        }
        let end = plain.len().min(at + header.style.block_max());
        let room = &mut plain[at..end];
        at += if size & STORED == 0 {
            decompress(block, room)?
        } else {
            room.get_mut(..block.len())?.copy_from_slice(block);
            block.len()
        };
        rest = behind;
    }
    let checked =
        if header.style.content_checksum { xxh32(plain, 0).to_le_bytes() == rest } else { rest.is_empty() };
    Some(at == plain.len() && checked)
}
