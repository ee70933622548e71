//! What a format can do.

use super::{Decoder, Info, Reading, Starts, Walker};
use crate::error::{Error, Result};
use crate::options::{Layout, Options, Settings};
use crate::pipeline::{Emitter, Joiner};

/// How a format is recognised and read, and whether it is written.
pub(crate) trait Codec: Sync {
    fn info(&self) -> &'static Info;
    /// Whether a frame of this format begins with these bytes.
    fn sniff(&self, head: &[u8]) -> bool;
    fn starts(&self) -> Starts {
        Starts::Anywhere
    }

    /// Finds frames in the coded input of one stream, for so many workers: whether it is worth while to share one
    /// that can be taken up in its middle depends on that.
    fn walker(&self, workers: usize, reading: &Reading) -> Box<dyn Walker>;
    /// A decoder, for one worker. It refuses streams that demand more memory than `reading` allows.
    fn decoder(&self, reading: &Reading, options: &Options) -> Result<Box<dyn Decoder>>;
    /// Whether the format's own tool ignores all bytes that follow its frames and begin none.
    fn ignores_trailing(&self) -> bool {
        false
    }

    /// How it is written; nothing if it is not.
    fn writing(&self) -> Option<&dyn WritingCodec> {
        None
    }
}

/// How a format is written.
pub(crate) trait WritingCodec: Codec {
    /// How long the chunks of a level are, so that cutting costs nothing of the ratio.
    fn chunk_len(&self, level: i32, options: &Options) -> usize;
    /// How long chunks are when their runs are shortened as bzip2 does it, if that is what their length
    /// depends on: chunks of any other length are asked for, or cut by content.
    fn chunk_room(&self, level: i32, options: &Options) -> Option<usize> {
        let _ = (level, options);
        None
    }
    /// The greatest coded length of a chunk.
    fn coded_bound(&self, settings: &Settings) -> usize;
    /// Memory that an encoder holds besides the chunk and its coded form.
    fn encoder_memory(&self, settings: &Settings) -> u64;
    /// Memory that a decoder of what is written will hold besides buffers, as far as that depends on the options.
    fn decoder_memory(&self, settings: &Settings) -> u64 {
        let _ = settings;
        0
    }
    /// An encoder, for one worker.
    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>>;
    /// Whether such a frame is coded by one worker, from its first byte to its last.
    fn is_serial(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }
    /// The encoder of a serial frame.
    fn serial_encoder(&self, settings: &Settings) -> Result<Box<dyn SerialEncoder>> {
        let _ = settings;
        Err(Error::Internal("a format without serial frames".into()))
    }
    /// What the coded stream begins with, and what follows its frames and makes its index.
    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>);
}

/// Codes chunks into frames.
pub(crate) trait Encoder: Send {
    /// Codes `chunk` into the front of `out`, which has the length of the bound; the coded length.
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize>;
    /// What the format's joiner must know of the frame coded last, besides its lengths.
    fn note(&self) -> u64 {
        0
    }
}

/// Length of the parts in which the input of a serial frame is passed.
pub(super) const SERIAL_CHUNK_LEN: usize = 1 << 20;

/// Codes all chunks into one frame, one after another.
pub(crate) trait SerialEncoder: Send {
    /// Codes on; after the last chunk the frame is complete.
    fn encode(&mut self, chunk: &[u8], is_last: bool, out: &mut Emitter) -> Result<()>;
}
