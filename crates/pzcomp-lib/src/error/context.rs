//! Errors are made, and get what only their callers know: the place of a part in its file, the name of a member,
//! whether the frame was held, the share of the memory.

use std::io;

use super::{Damage, Error, Result, Size};

impl Error {
    /// An [`Error::Corrupt`] of the kind [`Damage::Form`]: data of `format` at `offset` is not valid. `what` says what
    /// was expected and found.
    pub fn corrupt(format: &'static str, offset: u64, what: impl Into<String>) -> Self {
        Self::Corrupt { format, offset, what: what.into(), damage: Damage::Form, is_held: false }
    }

    pub(crate) fn unsupported(format: &'static str, offset: u64, what: impl Into<String>) -> Self {
        Self::Unsupported { format, offset, what: what.into(), version: None }
    }

    /// The error of an index beside the file.
    pub(crate) fn index(what: impl Into<String>) -> Self {
        Self::Index { what: what.into() }
    }

    /// The same error of an input that begins `start` bytes behind the start of its file. A program that decompresses
    /// parts of a file ([`Part`](crate::parts::Part)) makes the offsets of errors those of the file.
    pub fn behind(mut self, start: u64) -> Self {
        match &mut self {
            Self::TrailingGarbage { offset, .. }
            | Self::Corrupt { offset, .. }
            | Self::Unsupported { offset, .. }
            | Self::Dictionary { offset, .. } => *offset += start,
            Self::Truncated { frame, offset, .. } => {
                *frame += start;
                *offset += start;
            }
            _ => {}
        }
        self
    }

    /// The same error with this kind of damage. Other errors than [`Self::Corrupt`] stay as they are.
    pub(crate) fn by(mut self, kind: Damage) -> Self {
        if let Self::Corrupt { damage, .. } = &mut self {
            *damage = kind;
        }
        self
    }

    /// The same error, for a frame that was held or not. Other errors than [`Self::Corrupt`] stay as they are.
    pub(crate) fn of_held(mut self, held: bool) -> Self {
        if let Self::Corrupt { is_held, .. } = &mut self {
            *is_held = held;
        }
        self
    }

    /// The same error, of a member of an xbstream that begins at `start`, with its name as it is shown. Errors of the
    /// system and of the memory that is allowed stay as they are.
    pub(crate) fn of_member(self, name: String, start: u64) -> Self {
        match self {
            Self::Read { .. }
            | Self::Write { .. }
            | Self::Memory { .. }
            | Self::NoMemory { .. }
            | Self::Threads { .. }
            | Self::OutputLimit { .. }
            | Self::Cancelled
            | Self::Member { .. } => return self,
            _ => {}
        }
        Self::Member { name, start, source: Box::new(self) }
    }

    /// Whether the cause is the content of the input, so that other parts of the input may be right.
    pub(crate) fn is_of_input(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. }
                | Self::Truncated { .. }
                | Self::Unfinished { .. }
                | Self::NoEnd { .. }
                | Self::TrailingGarbage { .. }
                | Self::NotCompressed { .. }
                | Self::Unsupported { .. }
                | Self::Dictionary { .. }
                | Self::Memory { .. }
        )
    }

    /// The same error of one of `sides` directions that work at the same time and share `total` bytes of memory in
    /// equal parts.
    pub(crate) fn of_share(mut self, sides: u64, total: Option<u64>) -> Self {
        if let Self::Memory { needed, limit, .. } = &mut self {
            *needed = Size(needed.0.saturating_mul(sides));
            *limit = total.map_or(*limit, Size);
        }
        self
    }

    /// The results of two directions that share memory. Of two errors about it, this is the one that needs more, so
    /// that its figure is enough for both.
    pub(crate) fn both<A, B>(one: Result<A>, other: Result<B>) -> Result<(A, B)> {
        match (one, other) {
            (Err(Self::Memory { needed, .. }), Err(more @ Self::Memory { needed: most, .. }))
                if needed < most =>
            {
                Err(more)
            }
            (one, other) => Ok((one?, other?)),
        }
    }

    /// Whether the reader of the output has gone away. A filter then ends without a message.
    ///
    /// ```
    /// use pzcomp::{Compress, Encode, Output};
    /// let (reader, writer) = std::io::pipe()?;
    /// drop(reader);
    /// let gone = Compress::new(&Encode::default()).run(b"three in the morning", Output::writer(writer));
    /// assert!(gone.is_err_and(|error| error.is_broken_pipe()));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}
