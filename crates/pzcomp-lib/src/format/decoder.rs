//! [`Decoder`]: how the frames of a format are decoded.
//!
//! Each worker has a decoder of its own for each format that it meets. The coder of decompression
//! (`decompress/coder.rs`) calls it. A frame that is at hand completely is decoded in one call, from a slice into a
//! slice. Every other frame is decoded as a stream, from the source of the job to its emitter.
//!
//! A decoder verifies all checks that a frame carries. A whole frame that is not right gives no error, only `false`:
//! the stream decoder then says what is wrong.

use crate::error::{Error, Result};
use engine::{Emitter, Facts, Source};

/// A whole frame, and room of exactly the plain length that it states.
#[derive(Default)]
pub(crate) struct Whole<'a> {
    pub(crate) coded: &'a [u8],
    pub(crate) plain: &'a mut [u8],
}

/// At most this many whole frames are decoded together.
pub(crate) const WHOLES_MAX: usize = 64;

/// Decodes frames. Used by one worker.
pub(crate) trait Decoder: Send {
    /// The length of the frame that begins these bytes, if its headers state it, or if nothing but the frame can be in
    /// them. It may be wrong: [`Self::whole`] finds that out. `None` if only decoding tells.
    fn whole_len(&self, coded: &[u8]) -> Option<usize> {
        let _ = coded;
        None
    }
    /// The plain length that a whole frame states, if it can be decoded in one call.
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        let _ = (coded, context);
        None
    }
    /// Decodes a whole frame of known plain length, and verifies all checks. If it returns false, [`Self::stream`]
    /// decodes the frame again and says what is wrong.
    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let _ = (coded, plain, context);
        false
    }
    /// The greatest plain length of whole frames that are decoded faster together than one after another. 0 if none
    /// are.
    fn together_max(&self) -> usize {
        0
    }
    /// Decodes at most [`WHOLES_MAX`] whole frames. Returns how many of the first were right.
    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        let _ = frames;
        0
    }
    /// The plain length that the frame at the source states, if its output must not leave before its end: because the
    /// frame carries a check of its data, or because the format wants it. `coded_len` is the length of the frame, if
    /// that is known. No byte is consumed.
    fn stated_len(&self, source: &mut Source, context: u8, coded_len: Option<usize>) -> Result<Option<u64>> {
        let _ = (source, context, coded_len);
        Ok(None)
    }
    /// Decodes one frame from the source, in bounded memory.
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()>;
    /// What the decoder knows about the bytes behind the data it decoded last.
    fn after(&self) -> After {
        After::Anything
    }
    /// What the last frame states besides its data.
    fn facts(&self) -> Facts {
        Facts::default()
    }
    /// How many frames the last call of [`Self::stream`] or [`Self::resume`] decoded.
    fn frames(&self) -> u64 {
        1
    }
    /// Continues the stream where the last call ended with [`After::Inside`]. This is called if the walker was wrong
    /// about the next span, or if the input has ended.
    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let _ = (source, out);
        Err(Error::Internal("a frame that does not continue".into()))
    }
}

/// What a decoder knows about the bytes that follow. What the walker says about them is only a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing. What the walker says about the same format is accepted.
    Anything,
    /// The stream continues, in this context.
    Inside(u8),
    /// The stream has ended. So no unit with a context can follow.
    Outside,
    /// The bytes that follow are not looked at, because nothing can follow, or because the format has something there
    /// that is not read. `more` is where the second entry of an archive begins.
    Closed { more: Option<u64> },
}
