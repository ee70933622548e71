//! An encoder of LZMA2 and LZMA.
//!
//! [`Encoder::encode_lzma2`] codes the content of a Block of xz, and [`Encoder::encode_lzma1`] that of a member of
//! lzip. Both take bytes and write into the caller's memory. The crate opens no files and starts no threads.
//!
//! LZMA2 can be coded in slices on several threads: [`Encoder::sort_slice`].
//!
//! ```
//! use pzcomp_lzma::{Encoder, Params, lzma2_bound};
//!
//! let plain = b"she sells sea shells by the sea shore".repeat(10);
//! let mut out = vec![0; lzma2_bound(plain.len())];
//! let len = Encoder::new(Params::preset(6, false)).encode_lzma2(&plain, &mut out)?;
//! assert!(len < 70);
//! # Ok::<(), pzcomp_lzma::Error>(())
//! ```

mod encode;
mod lzma2;
mod matches;
mod model;
mod parse;
mod price;
mod quick;
mod range;

/// Counts the steps of the finder and the parser in tests, so that a test of the worst texts needs no clock.
mod work {
    #[cfg(test)]
    thread_local! {
        static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    /// Does nothing outside of tests.
    #[inline]
    pub(crate) fn count(steps: usize) {
        #[cfg(test)]
        STEPS.with(|sum| sum.set(sum.get() + steps));
        let _ = steps;
    }

    /// The steps of this thread since the last call.
    #[cfg(test)]
    pub(crate) fn take() -> usize {
        STEPS.take()
    }
}

pub use encode::Encoder;
pub use lzma2::{LZMA2_END, lzma2_bound};
pub use matches::Sorter;

/// The parameters of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The greatest distance of a match. A decoder needs a dictionary of this length.
    pub dict_len: usize,
    /// A match of this length is taken without a look at others.
    pub nice_len: usize,
    /// How matches are looked for.
    pub search: Search,
}

/// How matches are looked for, from the fastest to the most thorough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Search {
    /// Takes the first match that is good.
    First,
    /// Compares few matches, and looks at the next place before it takes one.
    Few,
    /// Looks for the cheapest way through the text, with the matches of a table.
    Cheap,
    /// Looks for the cheapest way, with the nearest match of every length.
    All,
}

impl Params {
    /// The parameters of a preset of xz.
    pub fn preset(level: u8, extreme: bool) -> Self {
        const DICT_BITS: [u8; 10] = [18, 20, 21, 22, 22, 23, 23, 24, 25, 26];
        let level = level.min(9);
        let nice_len = match (extreme, level) {
            (true, 3 | 5) => 192,
            (true, _) => 273,
            (false, 0..=1) => 128,
            (false, 2) => 20,
            (false, 3) => 24,
            (false, 4) => 28,
            (false, 5) => 32,
            (false, _) => 64,
        };
        let search = match level {
            0 => Search::First,
            1 => Search::Few,
            2 | 3 => Search::Cheap,
            _ => Search::All,
        };
        Self { dict_len: 1 << DICT_BITS[usize::from(level)], nice_len, search }
    }

    /// How a text is cut into slices. With a dictionary and a text that are long, this depends on the text.
    pub fn slices(&self, plain: &[u8]) -> Slices {
        Slices(match self.search {
            Search::All => matches::Windows::new(plain, self.dict_len),
            _ => matches::Windows::whole(plain.len()),
        })
    }

    /// The greatest coded length of a slice of a text with this length, if it has several slices, or zero.
    pub fn slice_bound(&self, plain_len: usize) -> usize {
        if self.search != Search::All {
            return 0;
        }
        let kinds = matches::Windows::kinds(plain_len, self.dict_len).filter(|windows| windows.count() > 1);
        kinds.map(|windows| Slices(windows).bound()).max().unwrap_or(0)
    }
}

/// The slices of a text. All but the last one have the same plain length.
#[derive(Clone, Copy, Debug)]
pub struct Slices(matches::Windows);

impl Slices {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Whether [`Encoder::join_slice`] must be called in the order of the slices.
    pub fn are_joined(&self) -> bool {
        self.0.is_joined
    }

    /// The greatest coded length of a slice that is not the last. The greatest lengths of all slices of a text and one
    /// byte add up to [`lzma2_bound`].
    pub fn bound(&self) -> usize {
        lzma2::stored_len(self.0.new)
    }
}

/// Why nothing was coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no memory for the tables.
    NoMemory,
    /// The text is longer than [`Encoder::PLAIN_MAX`].
    TooLong,
    /// The coded text is longer than the slice for it.
    NoRoom,
    /// A step of a slice came before the steps that it follows.
    Order,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoMemory => "there is no memory for the tables of the LZMA encoder",
            Self::TooLong => "the text is too long for the tables of the LZMA encoder",
            Self::NoRoom => "the coded text has no room",
            Self::Order => "the steps that code slices are not in order",
        })
    }
}

impl std::error::Error for Error {}
