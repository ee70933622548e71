//! LZF: the blocks of liblzf.
//!
//! ```text
//! 000LLLLL                          L + 1 bytes follow as they are
//! LLLDDDDD DDDDDDDD                 repeat L + 2 bytes from the distance D + 1; L is 1 to 6
//! 111DDDDD LLLLLLLL DDDDDDDD        repeat L + 9 bytes
//! ```
//!
//! The highest bits of a distance come first. A block has no end mark and no checksum.

use crate::Error;
use crate::copy::{literals, repeat};

/// Decodes the block that fills `coded` into the front of `plain`. Returns the length of the data. Bytes of `plain`
/// behind that are arbitrary.
pub fn decompress(coded: &[u8], plain: &mut [u8]) -> Result<usize, Error> {
    let (mut input, mut at) = (coded, 0);
    while let Some((&control, rest)) = input.split_first() {
        let control = usize::from(control);
        if control < 32 {
            let len = control + 1;
            input = literals(rest, plain, at, len)?;
            at += len;
            continue;
        }
        let (len, rest) = match (control >> 5, rest) {
            (7, [more, rest @ ..]) => (usize::from(*more) + 9, rest),
            (7, []) => return Err(Error::Truncated),
            (len, rest) => (len + 2, rest),
        };
        let (&low, rest) = rest.split_first().ok_or(Error::Truncated)?;
        repeat(plain, at, ((control & 31) << 8 | usize::from(low)) + 1, len)?;
        at += len;
        input = rest;
    }
    Ok(at)
}
