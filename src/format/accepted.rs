//! Which formats are read, and where they are recognised.

use super::{Codec, FORMATS, Format, skippable};

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
    /// LZMA alone is looked for behind frames as well, as the tool `zstd` does: whoever names both wants that.
    lzma_anywhere: bool,
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
            lzma_anywhere: named
                .is_some_and(|named| named.contains(&Format::ZSTD) && named.contains(&Format::LZMA)),
        }
    }

    /// The same, if only this format is accepted of them.
    pub(crate) fn only(self, format: Format) -> Self {
        let mut formats = [false; FORMATS.len()];
        let at = usize::from(format.0);
        formats[at] = self.formats[at];
        Self { formats, skippable: false, lzma_anywhere: false }
    }

    /// The format whose frames begin so, at this offset of the input.
    pub(crate) fn sniff(&self, head: &[u8], offset: u64) -> Option<Format> {
        let begins = |(codec, accepted): (&&dyn Codec, bool)| {
            let starts_here = || match codec.starts() {
                _ if offset == 0 => true,
                Starts::Anywhere => true,
                Starts::First | Starts::Asked => {
                    self.lzma_anywhere && codec.info().name == Format::LZMA.name()
                }
            };
            accepted && codec.sniff(head) && starts_here()
        };
        FORMATS.iter().zip(self.formats).position(begins).map(|at| Format(at as u8))
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
