//! How a run ends: why it pauses, how much it has read, and what is wrong with the stream.

use std::error::Error;
use std::fmt;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// The decoder has read all input and needs more.
    Input,
    /// The memory is full, and the decoder has more to put out.
    Output,
    /// A match reaches back before the place where the decoder began.
    /// [`Inflate::set_window`](super::Inflate::set_window) lets it continue. Only a decoder that began inside a stream
    /// ([`Inflate::reset_inside`](super::Inflate::reset_inside)) pauses for this.
    Window,
    /// The stream has ended. The decoder reads nothing behind its last byte.
    End,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes of the input the run used up.
    pub read: usize,
    /// Why it ended.
    pub pause: Pause,
}

/// The error of a stream that is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// How many bytes of the input the decoder had read when it saw the defect.
    pub read: usize,
    /// What is wrong.
    pub defect: Defect,
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let Self { read, defect } = self;
        write!(out, "the DEFLATE stream is not valid at byte {read} of this input: {defect}")
    }
}

impl Error for Invalid {}

/// What is wrong with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A block has the type 3, which is reserved.
    BlockType,
    /// The length of a stored block and its complement contradict each other.
    StoredLength,
    /// A dynamic block states more codes than its alphabets have symbols.
    Counts,
    /// The code in which a dynamic block writes its code lengths is not a complete prefix code.
    Precode,
    /// A repetition of the code length before has no length before it, or goes on behind the last symbol.
    Repeat,
    /// A dynamic block has no code for its end.
    NoEndOfBlock,
    /// The code of literals and lengths is not a complete prefix code.
    LitlenCode,
    /// The code of distances is not a complete prefix code.
    DistanceCode,
    /// The next bits of the input are not the code of any literal or length.
    LitlenSymbol,
    /// The next bits of the input are not the code of any distance.
    DistanceSymbol,
    /// A distance reaches back before the first byte of the stream.
    Distance,
}

impl fmt::Display for Defect {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self {
            Self::BlockType => "a block has the reserved type",
            Self::StoredLength => "the length of a stored block contradicts its complement",
            Self::Counts => "a block states more codes than there are symbols",
            Self::Precode => "the code of a block's code lengths is not valid",
            Self::Repeat => {
                "a repeated code length has no length before it, or is repeated behind the last symbol"
            }
            Self::NoEndOfBlock => "a block has no code for its end",
            Self::LitlenCode => "the code of a block's literals and lengths is not valid",
            Self::DistanceCode => "the code of a block's distances is not valid",
            Self::LitlenSymbol => "the bits are not the code of any literal or length",
            Self::DistanceSymbol => "the bits are not the code of any distance",
            Self::Distance => "a distance reaches back before the first byte of the stream",
        })
    }
}

impl Error for Defect {}
