//! Which formats are read, and where they are recognised.

use super::{Codec, FORMATS, Format, FormatId, skippable};

/// Where frames of a format are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    /// At the start of the input, and behind any frame.
    Anywhere,
    /// At the start of the input.
    First,
    /// The same, and only where the format is asked for by name.
    Asked,
}

/// The formats that a stream may be in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    /// One for each line of the table.
    formats: [bool; FORMATS.len()],
    skippable: bool,
}

impl Accepted {
    /// Those that are named, or all that need not be.
    pub(crate) fn new(named: Option<&[Format]>) -> Self {
        let is_accepted = |format: Format| match named {
            Some(named) => named.contains(&format),
            None => format.codec().starts() != Starts::Asked,
        };
        Self {
            formats: std::array::from_fn(|at| is_accepted(Format(at as u8))),
            skippable: is_accepted(Format::ZSTD) || is_accepted(Format::LZ4),
        }
    }

    /// The format whose frames begin so, at this offset of the input.
    pub(crate) fn sniff(&self, head: &[u8], offset: u64) -> Option<FormatId> {
        let begins = |(codec, accepted): (&&dyn Codec, bool)| {
            accepted && codec.sniff(head) && (offset == 0 || codec.starts() == Starts::Anywhere)
        };
        FORMATS.iter().zip(self.formats).position(begins).map(|at| FormatId(at as u8))
    }

    /// The length of the contents, if a skippable frame begins so.
    pub(crate) fn skippable(&self, head: &[u8]) -> Option<u32> {
        skippable::sniff(head).filter(|_| self.skippable)
    }
}

impl Default for Accepted {
    fn default() -> Self {
        Self::new(None)
    }
}
