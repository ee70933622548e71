//! [`XzFilter`]: the filters of xz and `.lzma`, in place of those of the level.
//!
//! [`EncodeBuilder::filters`](super::EncodeBuilder::filters) takes them. The format xz calls [`fault_of`] before
//! anything is written.

/// A filter of xz.
///
/// ```
/// use pzcomp::{Encode, XzArch, XzFilter, XzLzma};
///
/// let lzma = XzLzma::preset(6, false).expect("xz has a preset 6").with_dict_len(1 << 20);
/// let filters = [XzFilter::Branches { arch: XzArch::X86, start: 0 }, XzFilter::Lzma(lzma)];
/// let options = Encode::xz(6).filters(filters).build()?;
/// assert_eq!(pzcomp::compress(b"three in the morning", &options)?[1..6], *b"7zXZ\0");
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum XzFilter {
    /// Makes the targets of branches in machine code absolute, so that branches to one target have the same bytes.
    Branches {
        /// The machine.
        arch: XzArch,
        /// The address of the first byte: a multiple of [`XzArch::alignment`].
        start: u32,
    },
    /// Replaces each byte by its difference from the byte `distance` before it.
    Delta {
        /// 1 to 256.
        distance: u32,
    },
    /// LZMA2, or LZMA1 in a `.lzma` file.
    Lzma(XzLzma),
}

/// A machine architecture for [`XzFilter::Branches`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
#[non_exhaustive]
pub enum XzArch {
    X86,
    PowerPc,
    Ia64,
    Arm,
    ArmThumb,
    Arm64,
    Sparc,
    RiscV,
}

impl XzArch {
    /// Instructions begin at multiples of this number of bytes.
    ///
    /// ```
    /// assert_eq!(pzcomp::XzArch::Arm64.alignment(), 4);
    /// ```
    pub fn alignment(self) -> u32 {
        match self {
            Self::X86 => 1,
            Self::ArmThumb | Self::RiscV => 2,
            Self::PowerPc | Self::Arm | Self::Arm64 | Self::Sparc => 4,
            Self::Ia64 => 16,
        }
    }
}

/// The options of LZMA1 and LZMA2. The manual of xz describes them. [`XzLzma::preset`] makes them, and the methods
/// `with_` change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzLzma {
    /// Length of the dictionary in bytes, from 4 KiB to 1.5 GiB.
    pub dict_len: u32,
    /// Literal context bits; together with `lp` at most 4.
    pub lc: u32,
    /// Literal position bits.
    pub lp: u32,
    /// Position bits, at most 4.
    pub pb: u32,
    /// How matches are chosen.
    pub mode: XzMode,
    /// The encoder takes a match of this length at once: 2 to 273.
    pub nice_len: u32,
    /// How matches are found.
    pub finder: XzFinder,
    /// The most steps of a search; 0 lets liblzma choose.
    pub depth: u32,
}

/// How LZMA chooses matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum XzMode {
    /// Quickly.
    Fast,
    /// By comparing all ways to code what lies ahead.
    Normal,
}

/// How LZMA finds matches: hash chains or binary trees, and how many bytes are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
#[non_exhaustive]
pub enum XzFinder {
    Hc3,
    Hc4,
    Bt2,
    Bt3,
    Bt4,
}

/// The lengths of dictionaries that liblzma writes.
const DICT_LENS: std::ops::RangeInclusive<u32> = 4096..=(1 << 30) + (1 << 29);
/// The most filters in a Block Header.
const FILTERS_MAX: usize = 4;

impl XzLzma {
    /// The same with this length of the dictionary ([`Self::dict_len`]).
    #[must_use]
    pub fn with_dict_len(mut self, bytes: u32) -> Self {
        self.dict_len = bytes;
        self
    }

    /// The same with so many literal context bits ([`Self::lc`]).
    #[must_use]
    pub fn with_lc(mut self, bits: u32) -> Self {
        self.lc = bits;
        self
    }

    /// The same with so many literal position bits ([`Self::lp`]).
    #[must_use]
    pub fn with_lp(mut self, bits: u32) -> Self {
        self.lp = bits;
        self
    }

    /// The same with so many position bits ([`Self::pb`]).
    #[must_use]
    pub fn with_pb(mut self, bits: u32) -> Self {
        self.pb = bits;
        self
    }

    /// The same with this way to choose matches ([`Self::mode`]).
    #[must_use]
    pub fn with_mode(mut self, mode: XzMode) -> Self {
        self.mode = mode;
        self
    }

    /// The same with this length of a match that is taken at once ([`Self::nice_len`]).
    #[must_use]
    pub fn with_nice_len(mut self, bytes: u32) -> Self {
        self.nice_len = bytes;
        self
    }

    /// The same with this way to find matches ([`Self::finder`]).
    #[must_use]
    pub fn with_finder(mut self, finder: XzFinder) -> Self {
        self.finder = finder;
        self
    }

    /// The same with at most so many steps of a search ([`Self::depth`]).
    #[must_use]
    pub fn with_depth(mut self, steps: u32) -> Self {
        self.depth = steps;
        self
    }

    fn fault(&self) -> Option<&'static str> {
        Some(match *self {
            Self { dict_len, .. } if !DICT_LENS.contains(&dict_len) => {
                "with such a dictionary: it must have 4 KiB to 1.5 GiB"
            }
            Self { lc, lp, .. } if lc.saturating_add(lp) > 4 => {
                "with such lc and lp: together they must be at most 4"
            }
            Self { pb, .. } if pb > 4 => "with such a pb: it must be at most 4",
            Self { nice_len, .. } if !(2..=273).contains(&nice_len) => {
                "with such a nice length: it must be 2 to 273"
            }
            _ => return None,
        })
    }
}

/// The options of LZMA in a chain of filters.
pub(crate) fn lzma_of(filters: &[XzFilter]) -> Option<&XzLzma> {
    filters.iter().find_map(|filter| match filter {
        XzFilter::Lzma(lzma) => Some(lzma),
        XzFilter::Branches { .. } | XzFilter::Delta { .. } => None,
    })
}

/// Why these filters cannot be written, in words that follow "cannot be written". A `.lzma` file has LZMA only.
pub(crate) fn fault_of(filters: &[XzFilter], is_alone: bool) -> Option<&'static str> {
    let (last, before) = filters.split_last()?;
    if filters.len() > FILTERS_MAX {
        return Some("with more than 4 filters");
    }
    if is_alone && !before.is_empty() {
        return Some("as .lzma with filters before LZMA");
    }
    let XzFilter::Lzma(lzma) = last else {
        return Some("with such filters: the last must be LZMA2");
    };
    before.iter().find_map(XzFilter::fault_before_last).or_else(|| lzma.fault())
}

impl XzFilter {
    fn fault_before_last(&self) -> Option<&'static str> {
        match *self {
            Self::Lzma(_) => Some("with such filters: LZMA2 must be the last"),
            Self::Branches { arch, start } if !start.is_multiple_of(arch.alignment()) => {
                Some("with such a start offset: it must be a multiple of the alignment of instructions")
            }
            Self::Delta { distance } if !(1..=256).contains(&distance) => {
                Some("with such a distance of delta: it must be 1 to 256")
            }
            Self::Branches { .. } | Self::Delta { .. } => None,
        }
    }
}

#[cfg(feature = "xz")]
#[cfg(test)]
mod tests {
    use super::*;

    fn fault(filters: &[XzFilter]) -> Option<&'static str> {
        fault_of(filters, false)
    }

    #[test]
    fn chains_that_cannot_be_written_are_refused_with_a_reason() {
        let preset = XzLzma::preset(6, false).unwrap();
        let lzma = |change: fn(&mut XzLzma)| {
            let mut changed = preset;
            change(&mut changed);
            XzFilter::Lzma(changed)
        };
        let (last, delta) = (XzFilter::Lzma(preset), XzFilter::Delta { distance: 1 });
        for good in [&[][..], &[last], &[delta, last], &[delta, delta, delta, last]] {
            assert_eq!(fault(good), None, "{good:?}");
        }
        for (wrong, part) in [
            (&[delta][..], "last must be"),
            (&[last, delta], "last must be"),
            (&[last, last], "LZMA2 must be"),
            (&[delta, delta, delta, delta, last], "more than 4"),
            (&[XzFilter::Delta { distance: 0 }, last], "1 to 256"),
            (&[XzFilter::Delta { distance: 257 }, last], "1 to 256"),
            (&[XzFilter::Branches { arch: XzArch::Arm, start: 2 }, last], "multiple"),
            (&[lzma(|lzma| lzma.dict_len = 4095)], "4 KiB"),
            (&[lzma(|lzma| lzma.dict_len = (3 << 29) + 1)], "1.5 GiB"),
            (&[lzma(|lzma| (lzma.lc, lzma.lp) = (3, 2))], "lc and lp"),
            (&[lzma(|lzma| (lzma.lc, lzma.lp) = (u32::MAX, 2))], "lc and lp"),
            (&[lzma(|lzma| lzma.pb = 5)], "pb"),
            (&[lzma(|lzma| lzma.nice_len = 274)], "nice"),
            (&[lzma(|lzma| lzma.nice_len = 1)], "nice"),
        ] {
            assert!(fault(wrong).is_some_and(|what| what.contains(part)), "{wrong:?}");
        }
        assert!(fault_of(&[delta, last], true).is_some());
        assert!(XzLzma::preset(10, false).is_none());
    }
}
