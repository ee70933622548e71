//! What jobs amount to, added up in the order of the stream.

/// What a job amounts to; joined in stream order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Bytes of plain data.
    pub(crate) plain_len: u64,
    /// Bytes of coded data.
    pub(crate) coded_len: u64,
    /// Whole frames.
    pub(crate) frames: u64,
    /// What is behind the last frame.
    pub(crate) trailing: Trailing,
    /// What the first frame and the last say besides.
    pub(crate) facts: Facts,
    /// What a single frame's format wants its joiner to know besides; it does not add up.
    pub(crate) note: u64,
}

impl Report {
    pub(crate) fn add(&mut self, other: &Self) {
        self.plain_len += other.plain_len;
        self.coded_len += other.coded_len;
        self.frames += other.frames;
        self.trailing = self.trailing.or(other.trailing);
        self.facts = self.facts.then(other.facts);
    }
}

/// What frames say besides their data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// When the file was modified that the first frame holds, in seconds since 1970.
    pub(crate) modified: Option<u32>,
    /// The CRC-32 of the last.
    pub(crate) crc: Option<u32>,
    /// Some frame carries a check that could not be verified.
    pub(crate) is_unverified: bool,
}

impl Facts {
    /// Puts those of one stretch of frames and of the next together.
    pub(crate) fn then(self, next: Self) -> Self {
        Self {
            modified: self.modified.or(next.modified),
            crc: next.crc.or(self.crc),
            is_unverified: self.is_unverified || next.is_unverified,
        }
    }
}

/// What was behind the last frame, and no frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trailing {
    /// Bytes of zeros up to the end of the input, where there was nothing else.
    pub zeros: u64,
    /// Where bytes began that begin no accepted format, if they were ignored or copied.
    pub garbage: Option<u64>,
    /// Where the second entry of an archive begins, of which only the first was read.
    pub more: Option<u64>,
}

impl Trailing {
    /// Puts together what was found before and later: there is only one end.
    pub(crate) fn or(self, later: Self) -> Self {
        Self {
            zeros: self.zeros + later.zeros,
            garbage: self.garbage.or(later.garbage),
            more: self.more.or(later.more),
        }
    }
}
