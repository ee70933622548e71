//! An encoder of LZMA2 and LZMA.
//!
//! [`encode_lzma2`] codes what a Block of xz holds, and [`encode_lzma1`] what a member of lzip holds. Both take a slice and
//! append to a vector. The crate opens no files and starts no threads.

mod encode;
mod lzma1;
mod lzma2;
mod matches;
mod model;
mod parse;
mod price;
mod range;

pub use lzma1::encode_lzma1;
pub use lzma2::encode_lzma2;

/// What an encoder does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// The greatest distance of a match. A decoder needs a dictionary of this length.
    pub dict_len: usize,
    /// A match of this length is taken without a look at others.
    pub nice_len: usize,
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
            (false, 2..=3) => 273,
            (false, 4) => 16,
            (false, 5) => 32,
            (false, _) => 64,
        };
        Self { dict_len: 1 << DICT_BITS[usize::from(level)], nice_len }
    }
}

/// Why nothing was coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no memory for the tables, or the text is too long for them.
    NoMemory,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no memory for the tables of the LZMA encoder")
    }
}

impl std::error::Error for Error {}
