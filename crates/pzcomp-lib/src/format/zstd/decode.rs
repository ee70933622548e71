//! Decodes zstd frames with `crates/zstd`.
//!
//! The input is the coded bytes of a job. The output goes to the emitter of the job. If all bytes of a short frame are
//! at hand, the frame is decoded in one call; otherwise it is decoded block by block (`blocks.rs`). Before decoding,
//! the decoder checks that the memory limit allows the window of the frame, and that the dictionary which the frame
//! needs is the one given.

use std::sync::Arc;

use pzcomp_zstd::{FRAME_HEADER_LEN_MIN, Format, Frame, FrameDecoder as WholeDecoder, FrameHeader};
use xxhash_rust::xxh64::xxh64;

use super::NAME;
use super::blocks::BlockStream;
use super::frame::{self, FrameChain};
use crate::error::{Error, Result, Size};
use crate::format::chain::{ChainFormat, frame_len};
use crate::format::rings::Rings;
use crate::format::{After, Decoder, Reading, Whole};
use crate::options::{Decode, Dictionary};
use engine::{Emitter, Source};

/// The memory limit does not apply to the window of a frame with at most this much data, the greatest length of a
/// block. Such a frame is never refused because of its window.
const WINDOWLESS_MAX: u64 = 128 << 10;

/// Frames that state at most this many plain bytes are taken from the input several at a time.
const TOGETHER_MAX: usize = 256 << 10;

pub(super) struct FrameDecoder {
    whole: WholeDecoder,
    blocks: BlockStream,
    after: After,
    /// The longest window that a frame may have if it is decoded block by block, and the stream has the memory for
    /// itself.
    memory_limit: u64,
    rings: Arc<Rings>,
    /// The longest window that a frame may have if it is decoded in one call. The output then serves as the window and
    /// no memory is allocated, so only a limit that the caller set counts.
    window_limit: u64,
    dictionary: Option<Dictionary>,
    ignore_checksums: bool,
}

impl FrameDecoder {
    pub(super) fn new(reading: &Reading, options: &Decode) -> Self {
        let (dictionary, ignore_checksums) = (options.dictionary.clone(), options.zstd_ignore_checksums);
        let prepared = dictionary.as_ref().map(Dictionary::for_decoding);
        Self {
            whole: WholeDecoder::with(Format::Magic, prepared.clone()),
            blocks: BlockStream::new(prepared, Arc::clone(&reading.rings)),
            after: After::Outside,
            memory_limit: reading.share,
            rings: Arc::clone(&reading.rings),
            window_limit: options.window_limit.unwrap_or(u64::MAX),
            dictionary,
            ignore_checksums,
        }
    }

    /// Whether the frame needs no dictionary, or needs the dictionary that is given.
    fn has_dictionary(&self, header: &FrameHeader) -> bool {
        let given = self.dictionary.as_ref().map(Dictionary::id);
        header.dictionary_id.is_none() || header.dictionary_id == given
    }
}

impl Decoder for FrameDecoder {
    fn whole_len(&self, coded: &[u8]) -> Option<usize> {
        frame_len(&FrameChain, &FrameChain.start(coded)?, coded)
    }

    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        let header = frame::header(coded)?;
        let is_allowed = self.has_dictionary(&header) && demand(&header) <= self.window_limit;
        usize::try_from(header.content_size.filter(|_| is_allowed)?).ok()
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        self.after = After::Outside;
        self.whole.decode(coded, plain).is_ok_and(|Frame { coded_len, plain_len, checksum }| {
            let checksum = checksum.filter(|_| !self.ignore_checksums);
            coded_len == coded.len()
                && plain_len == plain.len()
                && checksum.is_none_or(|stated| stated == xxh64(plain, 0) as u32)
        })
    }

    fn together_max(&self) -> usize {
        TOGETHER_MAX
    }

    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        frames.iter_mut().map_while(|frame| self.whole(frame.coded, frame.plain, 0).then_some(())).count()
    }

    /// A frame without a check is held too, because it can be cut off, or not decode. If it were not held, what is
    /// written of it would depend on the pauses of the input.
    fn stated_len(&self, source: &mut Source, context: u8, _: Option<usize>) -> Result<Option<u64>> {
        if context != 0 {
            return Ok(None);
        }
        Ok(gather_header(source)?.and_then(|header| header.content_size))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        if context != 0 {
            self.blocks.inside(out);
        } else {
            let frame = source.offset();
            if let Some(header) = gather_header(source)? {
                self.check(&header, frame)?;
            }
            let header = FrameHeader::parse(source.bytes(), Format::Magic).map_err(|error| {
                Error::corrupt(NAME, frame, format!("the frame that begins there does not decode: {error}"))
            })?;
            let Some(header) = header else {
                let offset = frame + source.bytes().len() as u64;
                return Err(Error::Truncated { format: NAME, frame, offset });
            };
            self.blocks.begin(header, !self.ignore_checksums, source, out)?;
        }
        self.after = self.blocks.part(source, out)?;
        Ok(())
    }

    fn after(&self) -> After {
        self.after
    }

    fn frames(&self) -> u64 {
        (self.after == After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        self.blocks.resume(source);
        self.after = self.blocks.part(source, out)?;
        Ok(())
    }
}

impl FrameDecoder {
    /// Checks that the frame can be decoded with the dictionary and the memory that are given.
    fn check(&self, header: &FrameHeader, frame: u64) -> Result<()> {
        if !self.has_dictionary(header) {
            let given = self.dictionary.as_ref().map(Dictionary::id);
            return Err(Error::Dictionary {
                offset: frame,
                needed: header.dictionary_id.unwrap_or_default(),
                given,
            });
        }
        let window_len = demand(header);
        let memory_limit = self.memory_limit.saturating_sub(self.rings.taken());
        if window_len > memory_limit {
            let what = format!("the window of the zstd frame at offset {frame}");
            return Err(Error::Memory { what, needed: Size(window_len), limit: Size(memory_limit) });
        }
        Ok(())
    }
}

/// The header of the frame that begins here.
fn gather_header(source: &mut Source) -> Result<Option<FrameHeader>> {
    let len = FrameHeader::len_at(source.gather_inside(FRAME_HEADER_LEN_MIN)?);
    Ok(frame::header(source.gather_inside(len)?))
}

/// The memory for the window of a frame.
fn demand(header: &FrameHeader) -> u64 {
    match header.content_size {
        Some(..=WINDOWLESS_MAX) => 0,
        Some(len) => len.min(header.window_size),
        None => header.window_size,
    }
}
