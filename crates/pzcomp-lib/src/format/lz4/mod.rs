//! LZ4: `doc/lz4_Frame_format.md` of the lz4 project.
//!
//! ```text
//! magic(4) FLG BD [content size(8)] [dictionary(4)] HC   { size(4) block [checksum(4)] }   0(4) [checksum(4)]
//! ```
//!
//! Written: one frame for each chunk, of independent blocks, with content size and checksum. The seek table follows
//! in a skippable frame. [`write`] has the other kinds of frames.
//!
//! Read: all frames, also those of linked blocks and the legacy frames of Linux kernels. [`header`] finds their
//! ends from block to block. Several workers share a frame of many independent blocks ([`blocks`]).
//!
//! This file has what the table of formats needs, and the decoder that chooses between the ways to decode a frame.
//! [`header`] has the frame header.

mod blocks;
mod header;
mod stream;
mod write;

use xxhash_rust::xxh32::xxh32;

use super::chain::{ChainProbe, ChainWalker, frame_len};
use super::ffi::lz4::{Compressor, FrameDecompressor, Strength, decompress};
use super::framed::Framed;
use super::places::Places;
use super::probe::Probe;
use super::records::Envelope;
use super::seek_table::TableInFrame;
use super::{
    After, Codec, Decoder, Encoder, Extra, Format, Info, Reading, SerialEncoder, Walker, WritingCodec,
    skippable,
};
use crate::error::{Error, Result};
use crate::options::{Check, Decode, Encode, Layout, Lz4Blocks, Settings};
use blocks::BlockStream;
use engine::{Emitter, Joiner, Source};
use header::{FrameChain, Header, Style, block_id, block_max, header_check};
use write::{LegacyEncoder, LibraryEncoder};

const NAME: &str = "lz4";
const MAGIC: [u8; 4] = 0x184D_2204_u32.to_le_bytes();
const LEGACY_MAGIC: [u8; 4] = 0x184C_2102_u32.to_le_bytes();

/// Plain length of the blocks of a legacy frame, and the greatest coded length of such a block.
const LEGACY_BLOCK_LEN: usize = 8 << 20;
const LEGACY_CODED_MAX: u32 = (LEGACY_BLOCK_LEN + LEGACY_BLOCK_LEN / 255 + 16) as u32;

/// Length of our headers: magic number, FLG, BD, content size, HC.
const HEADER_LEN: usize = 15;
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
        Box::new(ChainWalker::new(FrameChain, workers))
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
                        .with_short_index(settings.short_index)
                        .with_records(self.recovery(settings))
                        .with_listing(settings.listing.as_ref(), Envelope::Skippable),
                )
            }
        }
    }
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

struct FrameDecoder {
    stream: FrameDecompressor,
    /// A block of a legacy frame. These blocks are longer than a piece of output.
    legacy: Vec<u8>,
    blocks: BlockStream,
    after: After,
}

impl Decoder for FrameDecoder {
    fn whole_len(&self, coded: &[u8]) -> Option<usize> {
        frame_len(&FrameChain, &Header::parse(coded)?.chain(), coded)
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
