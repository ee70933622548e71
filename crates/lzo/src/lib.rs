//! Decoders of LZO1X and LZF blocks in safe Rust.
//!
//! Both formats are lists of instructions: copy some bytes from the input, or repeat some bytes of the output. lzop
//! stores LZO1X blocks, and liblzf's program `lzf` stores LZF blocks. This crate decodes one block from a slice into a
//! slice. The program that uses it reads the files around the blocks and compares their checksums.
//!
//! - [`lzo1x::decompress`] decodes what the compressors LZO1X-1, LZO1X-1(15) and LZO1X-999 write.
//! - [`lzf::decompress`] decodes LZF.
//!
//! Neither allocates memory. Wrong input is an [`Error`], and never a panic.
//!
//! ```
//! // Four bytes as they are, six bytes that begin three bytes before, and the end.
//! let coded = [17 + 4, b'o', b'x', b'o', b'x', 0xa8, 0, 0x11, 0, 0];
//! let mut plain = [0; 10];
//! assert_eq!(pzcomp_lzo::lzo1x::decompress(&coded, &mut plain)?, 10);
//! assert_eq!(&plain, b"oxoxxoxxox");
//!
//! // In LZF: the same.
//! let coded = [3, b'o', b'x', b'o', b'x', 4 << 5, 2];
//! assert_eq!(pzcomp_lzo::lzf::decompress(&coded, &mut plain)?, 10);
//! assert_eq!(&plain, b"oxoxxoxxox");
//! # Ok::<(), pzcomp_lzo::Error>(())
//! ```

mod copy;
pub mod lzf;
pub mod lzo1x;

use std::fmt;

/// Why a block does not decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The block ends inside an instruction, or without the end that LZO1X demands.
    Truncated,
    /// The output is longer than the room for it.
    Room,
    /// An instruction repeats bytes from before the start of the output.
    Distance,
    /// Bytes follow the end of the block.
    Trailing,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "the block ends too early",
            Self::Room => "the block holds more data than there is room for",
            Self::Distance => "the block refers to data before its start",
            Self::Trailing => "bytes follow the end of the block",
        })
    }
}

impl std::error::Error for Error {}
