//! [`Walker`]: how the units of a format are found without decoding them, going forward over a [`Cursor`].
//!
//! The feeder of decompression and the listing of files give a walker a cursor: `decompress/cursor.rs` has one for
//! streams and one for files and memory, and `decompress/walk.rs` puts a cursor around one of them that pushes what is
//! passed to a job. Bytes are passed in order, and a byte that was passed is never looked at again. The walker says
//! which [`Unit`] begins there, and passes it. A unit is a frame, part of a frame, bytes to skip, or an index. Each
//! format that is read has a walker.
//!
//! A walker may be wrong about the end of a unit. The decoder finds the true end.

use crate::error::Result;
use crate::options::ArchiveEntry;
use engine::Segment;

/// The next thing in coded input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    /// What the decoder must know besides the bytes. 0 if nothing.
    pub(crate) context: u8,
    /// The plain length that its header states.
    pub(crate) plain_len: Option<u64>,
    /// The name of the check that it carries.
    pub(crate) check: &'static str,
    /// Whether a decoder can begin here although it has no plain data: the header of a stream begins here.
    pub(crate) begins_stream: bool,
    /// Whether more of the stream follows, if it says so.
    pub(crate) more_follows: Option<bool>,
    /// Whether one core decodes two such units at once in less time than one after the other.
    pub(crate) is_paired: bool,
}

/// The kind of a unit, which says what to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A frame whose end the walker finds.
    Frame,
    /// Bytes that hold no plain data and need no decoder.
    Skip,
    /// An index. Like `Skip`, it needs no decoder.
    Index,
    /// A frame, or part of one, that is decoded as it comes. It ends where another decoder can continue, or at the
    /// end of the input.
    Part,
    /// A frame whose end only its decoder can find. Everything that follows goes with it.
    Rest,
}

impl Unit {
    /// Whether it needs a decoder.
    pub(crate) fn has_data(&self) -> bool {
        matches!(self.kind, UnitKind::Frame | UnitKind::Part | UnitKind::Rest)
    }

    /// A unit without plain data.
    pub(crate) const SKIP: Self = Self {
        kind: UnitKind::Skip,
        context: 0,
        plain_len: None,
        check: "-",
        begins_stream: false,
        more_follows: None,
        is_paired: false,
    };

    /// The header of a stream.
    pub(crate) const HEADER: Self = Self { begins_stream: true, ..Self::SKIP };

    /// An index.
    pub(crate) const INDEX: Self = Self { kind: UnitKind::Index, ..Self::SKIP };

    /// The same unit, if it says whether more of the stream follows.
    pub(crate) const fn followed(self, more_follows: Option<bool>) -> Self {
        Self { more_follows, ..self }
    }

    /// A frame with the plain length that its header states, and its check.
    pub(crate) const fn frame(plain_len: Option<u64>, check: &'static str) -> Self {
        Self { kind: UnitKind::Frame, plain_len, check, ..Self::SKIP }
    }

    /// A frame as it comes, if the context is 0. Otherwise the next part of a frame.
    pub(crate) const fn part(context: u8, check: &'static str) -> Self {
        Self { kind: UnitKind::Part, context, check, ..Self::SKIP }
    }

    /// The same unit, to be decoded together with another.
    pub(crate) const fn paired(self) -> Self {
        Self { is_paired: true, ..self }
    }

    /// A frame without a visible end.
    pub(crate) const fn rest(check: &'static str) -> Self {
        Self { kind: UnitKind::Rest, check, ..Self::SKIP }
    }
}

/// Finds the units of a stream, going forward, without decoding them.
///
/// The end of a unit may be wrong, if the input lies or if the format leaves the end to be guessed. Decoding then
/// continues into the next unit. So a walker that meets nonsense passes the rest of the input, and the decoder says
/// what is wrong with it.
pub(crate) trait Walker: Send {
    /// Looks at the unit that begins here. Passes nothing.
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit>;
    /// Passes the unit that was just looked at.
    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()>;
    /// Whether the next unit continues the same stream, without a magic number of its own.
    fn is_inside(&self) -> bool {
        false
    }
    /// Takes the files that were passed, if the format is an archive.
    fn entries(&mut self) -> Vec<ArchiveEntry> {
        Vec::new()
    }
    /// Whether the stream that [`Self::is_inside`] speaks of continues with the next bytes. This is asked before the
    /// next unit, for formats that have no mark at the end of a stream.
    fn continues(&mut self, cursor: &mut dyn Cursor) -> Result<bool> {
        let _ = cursor;
        Ok(true)
    }
}

/// Coded input that is looked at and passed, going forward.
pub(crate) trait Cursor {
    /// At least `len` of the next bytes. Fewer only at the end of the input.
    fn peek(&mut self, len: usize) -> Result<&[u8]>;

    /// At least `len` of the next bytes, and as many more as are cheap to get. For searching.
    fn peek_far(&mut self, len: usize) -> Result<&[u8]>;

    /// Like [`Self::peek_far`], but fewer bytes also if the input pauses before that many have come. A walker that
    /// looks for something passes the bytes that it got, so that what they hold can be decoded and given out.
    fn glance(&mut self, len: usize) -> Result<&[u8]> {
        self.peek_far(len)
    }

    /// Takes the next segment, of at most `most` bytes. Nothing at the end of the input.
    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>>;

    /// Gets each segment that [`Self::take`] passes. A cursor that is only for looking drops it.
    fn receive(&mut self, segment: Segment) {
        drop(segment);
    }

    /// Offset of the next byte.
    fn offset(&self) -> u64;

    /// Passes `len` bytes. False if the input ends before.
    fn take(&mut self, mut len: u64) -> Result<bool> {
        while len > 0 {
            let Some(segment) = self.next_segment(len)? else {
                return Ok(false);
            };
            len -= segment.len();
            self.receive(segment);
        }
        Ok(true)
    }

    /// Passes everything that follows, to the end of the input.
    fn take_rest(&mut self) -> Result<()> {
        while let Some(segment) = self.next_segment(u64::MAX)? {
            self.receive(segment);
        }
        Ok(())
    }
}
