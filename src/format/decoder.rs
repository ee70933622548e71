//! Decoding frames.

use crate::error::{Error, Result};
use crate::pipeline::{Emitter, Facts, Source};

/// A whole frame, and room for exactly what it claims to decode to.
#[derive(Default)]
pub(crate) struct Whole<'a> {
    pub(crate) coded: &'a [u8],
    pub(crate) plain: &'a mut [u8],
}

/// So many whole frames are decoded together at the most.
pub(crate) const WHOLES_MAX: usize = 64;

/// Decodes frames.
pub(crate) trait Decoder: Send {
    /// The length that a whole frame claims to decode to, where it can be decoded in one piece.
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        let _ = (coded, context);
        None
    }
    /// Decodes a whole frame of known plain length, all checks included. Anything but success is
    /// found out again by [`Self::stream`], which says what is wrong.
    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let _ = (coded, plain, context);
        false
    }
    /// Whether it is faster with several whole frames than with one after another.
    fn together(&self) -> bool {
        false
    }
    /// Decodes at most [`WHOLES_MAX`] of them; how many of the first were good.
    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        let _ = frames;
        0
    }
    /// The plain length that the frame where the source stands states, if the frame also carries a check of its data.
    /// `coded_len` is the length of the frame, if that is known. No byte is passed.
    fn stated_len(&self, source: &mut Source, context: u8, coded_len: Option<usize>) -> Result<Option<u64>> {
        let _ = (source, context, coded_len);
        Ok(None)
    }
    /// Decodes one frame from where the source stands, in bounded memory.
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()>;
    /// What it knows of what follows that which was decoded last.
    fn after(&self) -> After {
        After::Anything
    }
    /// What the frame that was decoded last says besides its data.
    fn facts(&self) -> Facts {
        Facts::default()
    }
    /// How many frames [`Self::stream`] or [`Self::resume`] decoded last.
    fn frames(&self) -> u64 {
        1
    }
    /// Goes on with the stream where what was decoded last ended, by [`After::Inside`]. Whatever the walker
    /// said was wrong, or the input has ended.
    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let _ = (source, out);
        Err(Error::Internal("a frame that does not go on".into()))
    }
}

/// What a decoder knows of what follows, beside which what the walker says is a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing: whatever is said of the same format is right.
    Anything,
    /// The stream goes on, in this context.
    Inside(u8),
    /// The stream has ended: nothing that has a context can follow.
    Outside,
    /// What follows is not looked at, as nothing can follow, or what the format has there is not read:
    /// `more` is where an archive's second entry begins.
    Closed { more: Option<u64> },
}
