//! Finding units.

use super::Cursor;
use crate::error::Result;

/// What comes next in coded input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    /// What the decoder must know besides the bytes.
    pub(crate) context: u8,
    /// The plain length that its header claims.
    pub(crate) plain_len: Option<u64>,
    /// The name of the check it carries.
    pub(crate) check: &'static str,
    /// Whether two like it are decoded on one core in less time than one after the other.
    pub(crate) is_paired: bool,
}

/// What is to be done with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A frame whose end the walker finds.
    Frame,
    /// Bytes that hold no plain data and need no decoder.
    Skip,
    /// The same, and they are an index.
    Index,
    /// A frame, or part of one, that is decoded as it comes. Its end may be a place at which another decoder
    /// can take it up, or that of all input.
    Part,
    /// A frame whose end only its decoder can find; all that follows goes with it.
    Rest,
}

impl Unit {
    /// Whether it needs a decoder.
    pub(crate) fn has_data(&self) -> bool {
        matches!(self.kind, UnitKind::Frame | UnitKind::Part | UnitKind::Rest)
    }

    /// A unit that yields nothing.
    pub(crate) const SKIP: Self =
        Self { kind: UnitKind::Skip, context: 0, plain_len: None, check: "-", is_paired: false };

    /// An index.
    pub(crate) const INDEX: Self = Self { kind: UnitKind::Index, ..Self::SKIP };

    /// A frame, what its header says of its plain length, and its check.
    pub(crate) const fn frame(plain_len: Option<u64>, check: &'static str) -> Self {
        Self { kind: UnitKind::Frame, plain_len, check, ..Self::SKIP }
    }

    /// A frame, or what comes next of it: the context tells.
    pub(crate) const fn part(context: u8, check: &'static str) -> Self {
        Self { kind: UnitKind::Part, context, check, ..Self::SKIP }
    }

    /// The same, better decoded two at a time.
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
/// What it says of the place where a unit ends may be wrong, if the input lies or the format leaves
/// it to be guessed: decoding then goes on into the next unit. So a walker that meets nonsense passes
/// the rest on, for the decoder to say what is wrong with it.
pub(crate) trait Walker {
    /// Looks at the unit that begins here, and passes nothing.
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit>;
    /// Passes the unit just looked at.
    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()>;
    /// Whether the next unit belongs to the same stream, without a magic number of its own.
    fn is_inside(&self) -> bool {
        false
    }
}
