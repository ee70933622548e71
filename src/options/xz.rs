//! [`XzOptions`] and [`LzipOptions`]: options that only xz, lzip and `.lzma` have.
//!
//! They are fields of [`Options`](crate::Options). `format/settings.rs` calls [`XzOptions::fault`] before anything is
//! written. The decoders use the rest through `Reading`.

/// How xz and `.lzma` files are written, and how they and lzip files are read.
///
/// ```
/// use pzcomp::{Format, Options, XzArch, XzFilter, XzLzma, XzOptions};
///
/// let lzma = XzLzma::preset(6, false).expect("xz has a preset 6").with_dict_len(1 << 20);
/// let filters = [XzFilter::Branches { arch: XzArch::X86, start: 0 }, XzFilter::Lzma(lzma)];
/// let options = Options::builder().format(Format::Xz).xz(XzOptions::new().with_filters(filters)).build()?;
/// let mut coded = Vec::new();
/// pzcomp::Compress::new(&options).run(b"three in the morning", &mut coded)?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzOptions {
    /// Compression: the filters in the order in which the data passes through them. The last is
    /// [`XzFilter::Lzma`]. If there are no filters, the level decides.
    pub filters: Vec<XzFilter>,
    /// Decompression: the memory that all decoders may use together, counted as xz counts it: dictionaries count,
    /// buffers do not. A frame that needs more than its worker's share waits until no other frame is decoded.
    /// Without this figure [`Options::window_limit`](crate::Options::window_limit) applies to each frame.
    pub decoder_memory: Option<u64>,
    /// Decompression: treat what follows the first frame as xz does. Only frames of the same format may
    /// follow. Behind lzip members other bytes are ignored. Behind `.lzma` data every byte is an error.
    pub one_format: bool,
    /// Decompression: stop behind the first Stream or member, and ignore all that follows.
    pub single_stream: bool,
    /// Decompression: do not verify the checks of the data. Headers and lengths are still verified.
    pub ignore_check: bool,
    /// Decompression: decode Streams whose Check is of an unknown kind, although nothing can be verified.
    /// [`Summary::unverified`](crate::Summary::unverified) then reports that. Otherwise they are an error.
    pub unknown_check: bool,
}

/// How lzip files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LzipOptions {
    /// Ignore bytes behind a member even if they look like a damaged header. Otherwise such bytes are an error.
    pub loose_trailing: bool,
    /// Refuse members of version 0, as lzip does.
    pub only_version_1: bool,
}

impl LzipOptions {
    /// The default: all versions are read, and bytes like a damaged header are an error.
    pub const fn new() -> Self {
        Self { loose_trailing: false, only_version_1: false }
    }

    /// The same with bytes like a damaged header that are ignored, or an error ([`Self::loose_trailing`]).
    #[must_use]
    pub fn with_loose_trailing(mut self, loose_trailing: bool) -> Self {
        self.loose_trailing = loose_trailing;
        self
    }

    /// The same with members of version 0 that are refused, or read ([`Self::only_version_1`]).
    #[must_use]
    pub fn with_only_version_1(mut self, only_version_1: bool) -> Self {
        self.only_version_1 = only_version_1;
        self
    }
}

/// A filter of xz.
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

impl XzOptions {
    /// The default: the level chooses the filters, and everything is verified.
    pub const fn new() -> Self {
        Self {
            filters: Vec::new(),
            decoder_memory: None,
            one_format: false,
            single_stream: false,
            ignore_check: false,
            unknown_check: false,
        }
    }

    /// The same with these filters ([`Self::filters`]).
    #[must_use]
    pub fn with_filters(mut self, filters: impl Into<Vec<XzFilter>>) -> Self {
        self.filters = filters.into();
        self
    }

    /// The same with this much memory for all decoders ([`Self::decoder_memory`]).
    #[must_use]
    pub fn with_decoder_memory(mut self, bytes: u64) -> Self {
        self.decoder_memory = Some(bytes);
        self
    }

    /// The same with frames of one format only, or of several ([`Self::one_format`]).
    #[must_use]
    pub fn with_one_format(mut self, one_format: bool) -> Self {
        self.one_format = one_format;
        self
    }

    /// The same with the end behind the first Stream, or at the end of the input ([`Self::single_stream`]).
    #[must_use]
    pub fn with_single_stream(mut self, single_stream: bool) -> Self {
        self.single_stream = single_stream;
        self
    }

    /// The same with checks that are ignored, or verified ([`Self::ignore_check`]).
    #[must_use]
    pub fn with_ignore_check(mut self, ignore_check: bool) -> Self {
        self.ignore_check = ignore_check;
        self
    }

    /// The same with Checks of unknown kinds that are accepted, or refused ([`Self::unknown_check`]).
    #[must_use]
    pub fn with_unknown_check(mut self, unknown_check: bool) -> Self {
        self.unknown_check = unknown_check;
        self
    }

    /// The options of LZMA in the chain.
    pub(crate) fn lzma(&self) -> Option<&XzLzma> {
        self.filters.iter().find_map(|filter| match filter {
            XzFilter::Lzma(lzma) => Some(lzma),
            XzFilter::Branches { .. } | XzFilter::Delta { .. } => None,
        })
    }

    /// Why these filters cannot be written, in words that follow "cannot be written". A `.lzma` file has LZMA only.
    pub(crate) fn fault(&self, is_alone: bool) -> Option<&'static str> {
        let (last, before) = self.filters.split_last()?;
        if self.filters.len() > FILTERS_MAX {
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
        XzOptions { filters: filters.to_vec(), ..XzOptions::default() }.fault(false)
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
        let alone = XzOptions { filters: vec![delta, last], ..XzOptions::default() };
        assert!(alone.fault(true).is_some());
        assert!(XzLzma::preset(10, false).is_none());
    }
}
