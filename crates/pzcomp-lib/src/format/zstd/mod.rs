//! Zstandard: RFC 8878, and `doc/zstd_compression_format.md` of the zstd project.
//!
//! pzcomp writes one frame per chunk, with content size and checksum, and then the seek table of the Seekable Format.
//! Other layouts are frames with a skippable frame before each, which states its size, as `pzstd` writes them, and one
//! frame for all data.
//!
//! libzstd codes the frames ([`encode`]), with parameters that follow the data ([`content`]).
//!
//! pzcomp reads any frames. The end of a frame is found by its block headers ([`frame`]). The decoder
//! ([`decode`]) decodes with `crates/zstd`, and several workers share a long frame ([`blocks`]). libzstd is used for
//! compression only.

mod blocks;
mod content;
mod decode;
mod encode;
mod execution;
mod frame;
mod list;
mod sequences;

use super::chain::{ChainProbe, ChainWalker};
use super::framed::Framed;
use super::places::Places;
use super::probe::Probe;
use super::records::Envelope;
use super::seek_table::TableInFrame;
use super::{
    Codec, Decoder, Encoder, Extra, Format, Info, Reading, SERIAL_CHUNK_LEN, SerialEncoder, Walker,
    WritingCodec, skippable,
};
use crate::error::Result;
use crate::options::{Check, Decode, Encode, Layout, Settings};
use decode::FrameDecoder;
use encode::{FrameEncoder, SIZE_FRAME_LEN, SerialFrame};
use engine::Joiner;
use frame::FrameChain;
pub use list::{ZstdFrame, zstd_frames};

const NAME: &str = "zstd";
const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// The longest window with which libzstd compresses.
const WINDOW_LOG_MAX: u32 = if usize::BITS == 32 { 30 } else { 31 };

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".zst", ""), (".zstd", ""), (".tzst", ".tar")],
    levels: 1..=22,
    default_level: 3,
    fast: Some(1..=100),
    chunk_len: 4 << 10..=1 << 30,
    extras: &[
        Extra::Single,
        Extra::Pzstd,
        Extra::Check(Check::None),
        Extra::Recovery,
        Extra::Window,
        Extra::Zstd,
    ],
};

pub(super) struct Zstd;

impl Codec for Zstd {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        let (format, first_bytes) = (Format::Zstd, &MAGIC[..1]);
        Some(Box::new(ChainProbe { format, chain: &FrameChain, first_bytes, ratio_max: 48 << 10 }))
    }

    fn has_skippable(&self) -> bool {
        true
    }

    fn sniff_len(&self) -> usize {
        MAGIC.len()
    }

    fn walker(&self, workers: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(ChainWalker::new(FrameChain, workers))
    }

    fn decoder(&self, reading: &Reading, options: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(FrameDecoder::new(reading, options)))
    }

    fn places(&self) -> &'static dyn Places {
        &TableInFrame
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl WritingCodec for Zstd {
    fn envelope(&self) -> Option<Envelope> {
        Some(Envelope::Skippable)
    }

    fn has_table(&self) -> bool {
        true
    }

    fn chunk_len(&self, level: i32, options: &Encode) -> usize {
        if self.is_serial(&options.layout) {
            return SERIAL_CHUNK_LEN;
        }
        // A window is useful only if a frame is as long as the window.
        let window_len = options.window_log.map_or(0, |log| 1 << log.min(30));
        window_len.max(match level {
            ..=2 => 2 << 20,
            3..=4 => 1 << 20,
            5..=8 => 4 << 20,
            9..=15 => 16 << 20,
            _ => 32 << 20,
        })
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        zstd_safe::compress_bound(settings.chunk_len) + SIZE_FRAME_LEN
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        // By level, for inputs of any length, as measured with libzstd 1.5.7. At the highest levels, inputs of 64 MiB
        // and more get long distance matching.
        let tables: u64 = match settings.level {
            ..=2 => 2 << 20,
            3..=4 => 5 << 20,
            5..=8 => 12 << 20,
            9..=12 => 42 << 20,
            13..=15 => 66 << 20,
            16..=19 => 86 << 20,
            _ => 706 << 20,
        };
        // The long distance matcher remembers 8 bytes for a part of the window, of 128 bytes at low levels and of 16 at
        // the highest ones, and one byte for each 16 of these entries.
        let part_log = match settings.level {
            ..=4 => 7,
            5..=12 => 6,
            13..=18 => 5,
            _ => 4,
        };
        let distant = settings.window_log.map_or(0, |log| 9 << log >> part_log);
        let named = settings.zstd.parameters.iter().map(|&(parameter, value)| parameter.memory(value));
        let distant = distant + named.sum::<u64>();
        if settings.is_serial {
            // libzstd keeps the window. The part that it codes is four windows long, and it collects the next part at
            // the same time.
            let usual = if settings.level < 20 { 8 << 20 } else { 128 << 20 };
            let window = settings.window_log.map_or(usual, |log| 1 << log);
            return tables + distant + 8 * window + (1 << 20);
        }
        // Shorter inputs get smaller tables: at most about 16 bytes for each byte of the next power of two.
        distant + tables.min((settings.chunk_len as u64).next_power_of_two() * 16 + (2 << 20))
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(FrameEncoder::new(settings)?))
    }

    fn usual_speed(&self, level: i32) -> u32 {
        /// MB/s of the levels from 1 on.
        const SPEEDS: [u32; 22] =
            [480, 380, 250, 210, 130, 95, 80, 65, 55, 45, 35, 28, 14, 11, 9, 6, 5, 4, 3, 2, 2, 1];
        let speed = match usize::try_from(level - 1) {
            Ok(at) => SPEEDS[at.min(SPEEDS.len() - 1)],
            Err(_) => SPEEDS[0] + 20 * level.unsigned_abs().min(50),
        };
        speed * 1_000_000
    }

    /// Higher levels take many times the memory, also to decompress.
    fn adaptive_max(&self) -> i32 {
        19
    }

    fn is_serial(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Single(_))
    }

    fn contradiction(&self, options: &Encode) -> Option<&'static str> {
        let is_wrong = options.window_log.is_some_and(|log| !(10..=WINDOW_LOG_MAX).contains(&log));
        is_wrong.then_some(
            "with such a window: its binary logarithm must be 10 to 31, or 10 to 30 on machines of 32 bits",
        )
    }

    fn cuts_serial_by_content(&self) -> bool {
        true
    }

    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        SerialFrame::new(settings).map(|frame| Box::new(frame) as _)
    }

    fn unfinished(&self, layout: &Layout, is_begun: bool) -> &'static [u8] {
        if self.is_serial(layout) && is_begun { &[] } else { &MAGIC }
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        let index =
            (settings.index && settings.layout == Layout::Frames).then_some(skippable::seek_table as _);
        (
            Vec::new(),
            if settings.is_serial {
                Framed::single()
            } else {
                Framed::new(index)
                    .with_short_index(settings.short_index)
                    .with_records(self.recovery(settings))
                    .with_listing(settings.listing.as_ref(), Envelope::Skippable)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::encode::context;
    use super::*;

    #[test]
    fn libzstd_takes_the_longest_window_and_the_next_one_is_refused() {
        let with = |log| Encode { window_log: Some(log), ..Encode::default() };
        let settings = with(WINDOW_LOG_MAX).settings().unwrap();
        assert!(context(&settings).is_ok());
        assert!(with(WINDOW_LOG_MAX + 1).settings().is_err());
    }

    #[test]
    fn an_encoder_takes_at_most_the_memory_that_is_said() {
        let zeros = vec![0; 16 << 20];
        let mut out = vec![0; 1 << 20];
        // libzstd has four tables of parameters, each for a range of lengths. Its memory grows behind a power of two.
        let lens = [4 << 10, 65 << 10, 129 << 10, 300 << 10, 1_200 << 10, 4 << 20];
        let all = (-1..=22).filter(|&level| level != 0);
        let usual = all.clone().flat_map(|level| lens.map(|len| (level, len, None)));
        // Shorter and longer windows than most levels have.
        let long = all.flat_map(|level| [10, 20].map(|log| (level, 2 << 20, Some(log))));
        let longest = [(12, 16 << 20, None), (22, 16 << 20, Some(24))];
        for (level, len, window_log) in usual.chain(long).chain(longest) {
            let options =
                Encode { level: Some(level), block_size: Some(len), window_log, ..Encode::default() };
            let settings = options.settings().unwrap();
            // A thread keeps the memory of the context before, up to a limit. A new thread has none.
            let taken = std::thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    let mut context = context(&settings).unwrap();
                    context.frame(&zeros[..len], &mut out).unwrap();
                    context.memory() as u64
                });
                thread.join().unwrap()
            });
            let said = Zstd.encoder_memory(&settings);
            assert!(
                taken <= said,
                "level {level}, {len} bytes, window {window_log:?}: {taken}, more than {said}"
            );
        }
    }
}
