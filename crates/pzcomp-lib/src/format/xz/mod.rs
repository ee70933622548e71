//! xz. `doc/xz-file-format.txt` of the xz project is the specification. Section numbers and capitalised terms are its
//! own.
//!
//! ```text
//! Stream Header | Block | Block | … | Index | Stream Footer
//! ```
//!
//! pzcomp writes one Stream with a Block per chunk, of LZMA2 alone or with other filters before it. Each Block Header
//! carries both sizes, so that readers can find the Blocks and decode them side by side. Other layouts are one Block
//! for all data, and the `.lzma` file that is older than xz.
//!
//! pzcomp reads all Streams and all Blocks. If a Block Header has no sizes, the walker finds the end of the Block by
//! the headers of its LZMA2 chunks. The feeder ([`walk`]) verifies everything around the Blocks, and a worker
//! ([`decode`]) verifies each Block. [`piece`] says what begins at any place of a damaged file.

mod decode;
mod header;
mod index;
mod list;
mod own;
mod probe;
mod slices;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use decode::BlockDecoder;
use engine::io::RandomAccess;
use engine::{Emitter, Joiner, Report};
use header::{CONTEXT_MAX, CheckId, STREAM_HEADER_LEN};
use index::XzIndex;
use list::streams;
pub use list::{XzBlock, XzStream, xz_streams};
use probe::StreamProbe;
use walk::{StreamWalker, block_plain_len};

use super::ffi::lzma::{self, Coded};
use super::framed::Framed;
use super::liblzma::internal;
use super::places::Places;
use super::probe::Probe;
use super::{
    Codec, Decoder, Encoder, Extra, Info, Reading, SERIAL_CHUNK_LEN, SerialEncoder, Then, Walker,
    WritingCodec,
};
use crate::error::{Error, Result};
use crate::format::Cursor;
use crate::format::places::{Listed, ListedFrame, Stated};
use crate::options::{self, Decode, Encode, Layout, Settings, XzFilter, XzLzma};

const NAME: &str = "xz";
const MAGIC: [u8; 6] = *b"\xfd7zXZ\0";

/// The shortest chunk. Levels with small dictionaries use it too.
const CHUNK_LEN_MIN: usize = 1 << 20;
const CHUNK_LEN_MAX: usize = 1 << 30;

static INFO: Info = Info {
    name: NAME,
    suffixes: &[(".xz", ""), (".txz", ".tar")],
    levels: 0..=9,
    default_level: 6,
    fast: None,
    chunk_len: 4 << 10..=CHUNK_LEN_MAX,
    extras: &[
        Extra::Single,
        Extra::Alone,
        Extra::Check(options::Check::None),
        Extra::Check(options::Check::Crc32),
        Extra::Check(options::Check::Crc64),
        Extra::Check(options::Check::Sha256),
        Extra::Extreme,
        Extra::XzFilters,
    ],
};

pub(super) struct Xz;

impl Codec for Xz {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn walker(&self, _: usize, reading: &Reading) -> Box<dyn Walker> {
        Box::new(StreamWalker::new(reading.clone()))
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(BlockDecoder::new(reading.clone())))
    }

    fn probe(&self, _: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::new(StreamProbe))
    }

    fn places(&self) -> &'static dyn Places {
        &Xz
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

impl XzLzma {
    /// The options of a level of xz, 0 to 9, with or without `--extreme`; `None` for another level.
    ///
    /// ```
    /// use pzcomp::XzLzma;
    /// assert_eq!(XzLzma::preset(6, false).map(|lzma| lzma.dict_len), Some(8 << 20));
    /// assert_eq!(XzLzma::preset(10, false), None);
    /// ```
    pub fn preset(level: u32, extreme: bool) -> Option<Self> {
        (level <= 9).then(|| lzma::preset(level | if extreme { lzma::EXTREME } else { 0 }))
    }
}

impl WritingCodec for Xz {
    /// Three dictionaries, as `xz -T` does it.
    fn chunk_len(&self, level: i32, options: &Encode) -> usize {
        if self.is_serial(&options.layout) {
            return SERIAL_CHUNK_LEN;
        }
        let chosen = options::lzma_of(&options.xz_filters).map(|lzma| lzma.dict_len);
        let dict_len = chosen.unwrap_or_else(|| lzma::preset(level as u32).dict_len);
        (dict_len as usize).saturating_mul(3).clamp(CHUNK_LEN_MIN, CHUNK_LEN_MAX)
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        lzma::block_bound(settings.chunk_len)
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        if let Some((_, params)) = own::params(settings) {
            return own::memory(&params, settings);
        }
        let reach = if settings.is_serial { usize::MAX } else { settings.chunk_len };
        lzma::encoder_memory(&filters(settings), dict_max(reach))
    }

    fn decoder_memory(&self, settings: &Settings) -> u64 {
        let reach = if settings.is_serial { usize::MAX } else { settings.chunk_len };
        lzma::decoder_memory(&filters(settings), dict_max(reach))
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        let check = CheckId::wanted(settings.check).id();
        if let Some((lzma, params)) = own::params(settings) {
            let encoders = slices::Encoders::new(params, 1);
            return Ok(Box::new(own::OwnBlockEncoder::new(lzma, encoders, check)));
        }
        let encoder = lzma::BlockEncoder::new(filters(settings), check);
        Ok(Box::new(XzBlockEncoder { encoder, padding: 0 }))
    }

    fn encoders(&self, settings: &Settings, count: usize) -> Result<Vec<Box<dyn Encoder>>> {
        let Some((lzma, params)) = own::params(settings) else {
            return (0..count).map(|_| self.encoder(settings)).collect();
        };
        let check = CheckId::wanted(settings.check).id();
        let encoders = slices::Encoders::new(params, count);
        let encoder = || own::OwnBlockEncoder::new(lzma, Arc::clone(&encoders), check);
        Ok((0..count).map(|_| Box::new(encoder()) as Box<dyn Encoder>).collect())
    }

    fn usual_speed(&self, level: i32) -> u32 {
        /// MB/s of the levels from 0 on.
        const SPEEDS: [u32; 10] = [50, 30, 20, 10, 6, 5, 4, 4, 4, 4];
        SPEEDS[usize::try_from(level).unwrap_or(0).min(SPEEDS.len() - 1)] * 1_000_000
    }

    fn is_serial(&self, layout: &Layout) -> bool {
        matches!(layout, Layout::Single(_) | Layout::Alone)
    }

    fn contradiction(&self, options: &Encode) -> Option<&'static str> {
        let is_alone = options.layout == Layout::Alone;
        Some(match options {
            _ if is_alone && options.flush_interval.is_some() => {
                "as .lzma with a flush interval: such a file cannot be read before its end"
            }
            _ if is_alone && options.check.is_some() => "as .lzma with a check: that format has none",
            _ => return options::fault_of(&options.xz_filters, is_alone),
        })
    }

    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        let filters = filters(settings);
        let encoder = match (&settings.layout, &filters[..]) {
            (Layout::Alone, [XzFilter::Lzma(lzma)]) => lzma::StreamEncoder::alone(lzma),
            _ => lzma::StreamEncoder::new(&filters, CheckId::wanted(settings.check).id()),
        };
        let can_flush = settings.layout != Layout::Alone;
        Ok(Box::new(XzStreamEncoder { encoder: encoder.map_err(internal)?, can_flush }))
    }

    fn refuse_flush(&self, layout: &Layout) -> Result<()> {
        let how = "so that its data can be read before its end: do not flush";
        match layout {
            Layout::Alone => Err(Error::Unavailable { format: "lzma", how }),
            _ => Ok(()),
        }
    }

    fn unfinished(&self, layout: &Layout, is_begun: bool) -> &'static [u8] {
        match layout {
            _ if is_begun => &[],
            // A header of level 6, without the data.
            Layout::Alone => &[0x5d, 0, 0, 0x80, 0, 255, 255, 255, 255, 255, 255, 255, 255],
            _ => &MAGIC,
        }
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        if settings.is_serial {
            return (Vec::new(), Framed::single());
        }
        let check = CheckId::wanted(settings.check);
        (stream_header(check), Box::new(Blocks { index: XzIndex::default(), check }))
    }
}

/// The filters that the caller chose, or LZMA2 with the options of the level.
fn filters(settings: &Settings) -> Vec<XzFilter> {
    if !settings.xz_filters.is_empty() {
        return settings.xz_filters.clone();
    }
    XzLzma::preset(settings.level as u32, settings.extreme).map(XzFilter::Lzma).into_iter().collect()
}

/// The Stream Header (section 2.1.1).
fn stream_header(check: CheckId) -> Vec<u8> {
    let flags = check.stream_flags();
    [&MAGIC[..], &flags, &crc32fast::hash(&flags).to_le_bytes()].concat()
}

/// The longest dictionary that is of use for a chunk. A longer dictionary costs memory on both sides, and no match can
/// use it.
fn dict_max(chunk_len: usize) -> u32 {
    // Sizes that a Block Header can state: 2^n and 2^n + 2^(n - 1).
    let fits = (12..31).flat_map(|bit| [2 << bit >> 1, 3 << bit >> 1]).find(|&len: &usize| len >= chunk_len);
    fits.map_or(u32::MAX, |len| len as u32)
}

struct XzBlockEncoder {
    encoder: lzma::BlockEncoder,
    padding: u64,
}

impl Encoder for XzBlockEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        // An empty input becomes a Stream without Blocks.
        if chunk.is_empty() {
            self.padding = 0;
            return Ok(0);
        }
        let coded = self.encoder.encode(chunk, dict_max(chunk.len()), out).map_err(internal)?;
        self.padding = (coded.len - coded.unpadded_len) as u64;
        Ok(coded.len)
    }

    /// The length of the Block Padding, which the Index does not count.
    fn note(&self) -> u64 {
        self.padding
    }
}

/// Codes a whole Stream, or a `.lzma` file.
struct XzStreamEncoder {
    encoder: lzma::StreamEncoder,
    /// A `.lzma` file cannot be flushed, and `Compression::flush` refuses that earlier. If a flush is asked for here,
    /// the input has failed, and this is the rest.
    can_flush: bool,
}

impl SerialEncoder for XzStreamEncoder {
    fn encode(&mut self, mut chunk: &[u8], then: Then, out: &mut Emitter) -> Result<()> {
        let then = if self.can_flush || then == Then::End { then } else { Then::More };
        loop {
            let Coded { read, written, state } = self.encoder.code(chunk, then, out.room(1)?);
            chunk = &chunk[read..];
            out.commit(written)?;
            let ended = state.map_err(internal)?;
            if ended || then == Then::More && chunk.is_empty() {
                return Ok(());
            }
        }
    }
}

/// The joiner of a Stream with many Blocks.
struct Blocks {
    index: XzIndex,
    check: CheckId,
}

impl Joiner for Blocks {
    fn join(&mut self, report: &Report) {
        if report.coded_len > 0 {
            self.index.push(report);
        }
    }

    fn trailer(&mut self) -> Vec<u8> {
        self.index.encode(self.check.stream_flags())
    }

    fn total(&self) -> Report {
        self.index.total()
    }
}

impl Places for Xz {
    /// If an Index is wrong, the headers are used, and decoding finds the error.
    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        if range.start > 0 {
            return Ok(None);
        }
        let Ok(streams) = streams(place, range.end, most) else { return Ok(None) };
        let check =
            streams.iter().find(|stream| !stream.blocks.is_empty()).map_or("-", |stream| stream.check);
        let frames = streams.into_iter().flat_map(|stream| {
            let mut at = stream.offset + STREAM_HEADER_LEN as u64;
            stream.blocks.into_iter().map(move |block| {
                let coded = at..at + block.coded_len;
                at = coded.end;
                ListedFrame { coded, plain_len: block.plain_len, context: stream.context }
            })
        });
        Ok(Some(Listed { frames: Box::new(frames), is_index: true, check: Some(check) }))
    }

    /// The Index and the Block must agree.
    fn vouches(&self, _: RandomAccess, cursor: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        let start = cursor.offset();
        let plain_len = block_plain_len(cursor, stated.frame.context)?;
        let coded_len = cursor.offset() - start;
        let is_right = plain_len == Some(stated.frame.plain_len)
            && coded_len == stated.frame.coded.end - stated.frame.coded.start;
        Ok(Some(is_right))
    }

    fn may_begin(&self, _: u64, context: u8, next: u8) -> bool {
        (1..=CONTEXT_MAX).contains(&context) && next == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_no_longer_than_chunks() {
        assert_eq!(dict_max(usize::MAX), u32::MAX);
        assert_eq!(dict_max(24 << 20), 24 << 20);
        assert_eq!(dict_max((1 << 20) + 1), 3 << 19);
        assert_eq!(dict_max(1 << 20), 1 << 20);
        assert_eq!(dict_max(1), 4096);
    }

    #[test]
    fn chunks_are_those_of_xz() {
        let mib = |level| Xz.chunk_len(level, &Encode::default()) >> 20;
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(mib), [1, 3, 6, 12, 12, 24, 24, 48, 96, 192]);
        let preset = XzLzma::preset(0, false).unwrap();
        for (dict_len, expected) in [(4 << 10, 1), (32 << 20, 96), (1 << 30, 1024)] {
            let xz_filters = vec![XzFilter::Lzma(XzLzma { dict_len, ..preset })];
            let options = Encode { xz_filters, ..Encode::default() };
            assert_eq!(Xz.chunk_len(6, &options) >> 20, expected, "{dict_len}");
        }
    }
}
