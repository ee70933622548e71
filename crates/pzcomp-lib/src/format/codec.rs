//! The traits of a format: how it is recognised and read ([`Codec`]), and how it is written ([`WritingCodec`]).
//!
//! Each format implements `Codec`, and the table of formats in `mod.rs` has it. The old formats whose frames do not say
//! where they end share one implementation: `serial::OldFormat`. `compress` and `decompress` ask a codec for encoders,
//! decoders and walkers. The options have been checked against the `Info` of the format before a call, so an
//! implementation need not check them again.
//!
//! `decoder.rs` and `walker.rs` have the traits for reading.

use std::time::Duration;

use super::blocks::BlockFormat;
use super::places::{HeadersOnly, Places};
use super::probe::Probe;
use super::records::{self, Envelope, Settings as RecoverySettings};
use super::{Decoder, Format, Info, Reading, SNIFF_LEN, Starts, Walker};
use crate::error::{Error, Result};
use crate::options::{Decode, Encode, Layout, Settings};
use engine::{Emitter, Joiner};

/// How many bytes are enough for [`Codec::ends_with_frame`].
pub(crate) const TAIL_LEN: usize = 20;

/// How a format is recognised and read, and whether it is written.
pub(crate) trait Codec: Sync {
    fn info(&self) -> &'static Info;
    /// Whether a frame of this format begins with these bytes.
    fn sniff(&self, head: &[u8]) -> bool;
    /// How many bytes are enough for [`Self::sniff`].
    fn sniff_len(&self) -> usize {
        SNIFF_LEN
    }
    /// Where in the input a frame of this format is recognised.
    fn starts(&self) -> Starts {
        Starts::Anywhere
    }

    /// Whether a frame of this format is recognised behind other frames, if the caller names these formats. The list is
    /// empty if the caller names none.
    fn starts_behind(&self, named: &[Format]) -> bool {
        let _ = named;
        self.starts() == Starts::Anywhere
    }
    /// Whether nothing but unknown bytes can follow a stream of this format.
    fn is_last(&self) -> bool {
        false
    }

    /// Whether streams of this format may hold skippable frames.
    fn has_skippable(&self) -> bool {
        false
    }

    /// Whether the format is an archive of files with names, of which the options choose.
    fn has_entries(&self) -> bool {
        false
    }

    /// A walker, which finds the units in the coded input of one stream. Some formats have frames that can be decoded
    /// from the middle. Whether the walker cuts these depends on the number of workers.
    fn walker(&self, workers: usize, reading: &Reading) -> Box<dyn Walker>;
    /// A decoder for one worker. It refuses streams that demand more memory than `reading` allows.
    fn decoder(&self, reading: &Reading, options: &Decode) -> Result<Box<dyn Decoder>>;
    /// Whether the format's own tool ignores all bytes that follow its frames and begin no frame.
    fn ignores_trailing(&self) -> bool {
        false
    }

    /// The error of bytes behind a frame that the format's own tools take for a frame that is damaged or cut off,
    /// although they ignore other bytes. `head` has [`SNIFF_LEN`] bytes, or fewer at the end of the input.
    fn damaged_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        let _ = (head, offset);
        None
    }

    /// The error of bytes at the end of the input that are too few to begin a frame, if the format's own tool takes
    /// them for a frame that was cut off.
    fn cut_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        let _ = (head, offset);
        None
    }

    /// Whether `len` bytes that end with this `tail` of at most [`TAIL_LEN`] bytes end with a frame, as far as the tail
    /// states it.
    fn ends_with_frame(&self, tail: &[u8], len: u64) -> bool {
        let _ = (tail, len);
        false
    }

    /// How the blocks of the format are found and decoded, if its streams are blocks that state their lengths.
    fn blocks(&self) -> Option<&'static dyn BlockFormat> {
        None
    }

    /// What begins at a place of a damaged file. `None` if nothing can be found behind damage.
    fn probe(&self, reading: &Reading) -> Option<Box<dyn Probe>> {
        let _ = reading;
        None
    }

    /// What the format states of the places in its files.
    fn places(&self) -> &'static dyn Places {
        &HeadersOnly
    }

    /// The error of reading or writing a format that this build lacks.
    fn refusal(&self) -> Option<Error> {
        None
    }

    /// How the format is written. Nothing if it is not written.
    fn writing(&self) -> Option<&dyn WritingCodec> {
        None
    }
}

/// How a format is written.
pub(crate) trait WritingCodec: Codec {
    /// The length of chunks at a level. Longer chunks would not be coded better, or only very little.
    fn chunk_len(&self, level: i32, options: &Encode) -> usize;
    /// bzip2: the most bytes that a chunk may have after its runs are shortened, as bzip2 first does. A chunk then ends
    /// where its block is full. `None` for other formats, and if something else decides where a chunk ends: a length
    /// that was asked for, or the content (`rsyncable`).
    fn chunk_room(&self, level: i32, options: &Encode) -> Option<usize> {
        let _ = (level, options);
        None
    }
    /// The greatest coded length of a chunk.
    fn coded_bound(&self, settings: &Settings) -> usize;
    /// Memory of an encoder besides the chunk and its coded form.
    fn encoder_memory(&self, settings: &Settings) -> u64;
    /// Memory that a decoder of the output will need besides its buffers, as far as that depends on the options.
    fn decoder_memory(&self, settings: &Settings) -> u64 {
        let _ = settings;
        0
    }
    /// An encoder for one worker.
    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>>;
    /// The encoders of all workers of a stream. Together they take as much memory as so many of [`Self::encoder`], and
    /// code the same bytes. While some have no chunk, threads of the others may use their memory.
    fn encoders(&self, settings: &Settings, count: usize) -> Result<Vec<Box<dyn Encoder>>> {
        (0..count).map(|_| self.encoder(settings)).collect()
    }
    /// Bytes per second with which one core usually codes at a level, to begin the estimates for `EncodeBuilder::adapt`
    /// with. What counts is the relation between levels.
    fn usual_speed(&self, level: i32) -> u32;
    /// The highest level that `EncodeBuilder::adapt` uses by default.
    fn adaptive_max(&self) -> i32 {
        *self.info().levels.end()
    }
    /// What is around a recovery record, if the format has room for records between frames.
    fn envelope(&self) -> Option<Envelope> {
        None
    }
    /// How recovery records are made, if they are wanted.
    fn recovery(&self, settings: &Settings) -> Option<RecoverySettings> {
        Some(records::settings(settings.recovery?, self.envelope()?))
    }
    /// Whether the output ends with a table of all frames, which can be made from their lengths alone.
    fn has_table(&self) -> bool {
        false
    }
    /// Whether the layout is one frame that one worker codes from the first byte to the last.
    fn is_serial(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }
    /// Options that the format has, but not with these values or not together. The words follow "cannot be written".
    fn contradiction(&self, options: &Encode) -> Option<&'static str> {
        let _ = options;
        None
    }
    /// Whether the encoder of a serial frame makes the places of its cuts depend on the content (`rsyncable`).
    fn cuts_serial_by_content(&self) -> bool {
        false
    }
    /// Whether parts that are coded elsewhere in this layout are one stream when they follow each other.
    fn joins(&self, layout: &Layout) -> bool {
        *layout == Layout::Frames && self.starts() == Starts::Anywhere
    }
    /// The encoder of a serial frame.
    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        let _ = settings;
        Err(Error::Internal("a format without serial frames".into()))
    }
    /// Fails if the layout cannot be flushed: its data cannot be read before its end.
    fn refuse_flush(&self, layout: &Layout) -> Result<()> {
        let _ = layout;
        Ok(())
    }
    /// Bytes behind an output that was given up. With them, every reader refuses the output, although all its frames
    /// may be whole. `is_begun` says whether part of the current frame has been written; the header of the stream has.
    ///
    /// A stream that has a header and needs a trailer is refused without such bytes.
    fn unfinished(&self, layout: &Layout, is_begun: bool) -> &'static [u8] {
        let _ = (layout, is_begun);
        &[]
    }
    /// The bytes at the start of the coded stream, and the joiner. The joiner makes all bytes behind the last frame,
    /// with the index.
    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>);
}

/// Codes chunks into frames.
pub(crate) trait Encoder: Send {
    /// Codes `chunk` into the front of `out`. The length of `out` is the greatest coded length. Returns the coded
    /// length.
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize>;
    /// Codes a chunk that is shorter than the others because the caller wants a flush. More chunks follow it.
    fn encode_flushed(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.encode(chunk, out)
    }
    /// Codes the next chunks at the level of `settings`. Nothing else in them has changed. False if a new encoder must
    /// be made for that.
    fn change_level(&mut self, settings: &Settings) -> Result<bool> {
        let _ = settings;
        Ok(false)
    }
    /// A number about the frame that was coded last, for the joiner of the format. It is in the report beside the
    /// lengths of the frame; each format gives it its own meaning.
    fn note(&self) -> u64 {
        0
    }
    /// CPU time of threads that this encoder has started and that have ended.
    fn helpers_cpu(&self) -> Duration {
        Duration::ZERO
    }
}

/// Length of the chunks that are passed to a serial encoder.
pub(super) const SERIAL_CHUNK_LEN: usize = 1 << 20;

/// Codes all chunks into one frame, one after another.
pub(crate) trait SerialEncoder: Send {
    /// Codes the next chunk.
    fn encode(&mut self, chunk: &[u8], then: Then, out: &mut Emitter) -> Result<()>;
}

/// What follows a chunk of a serial frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Another chunk.
    More,
    /// Another chunk, but a reader must be able to decode all chunks up to here now.
    Flush,
    /// Nothing: the frame is complete.
    End,
}
