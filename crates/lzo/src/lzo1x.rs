//! LZO1X: the blocks that the compressors of lzop write.
//!
//! What an instruction means depends on its first byte and on the literals before it:
//!
//! ```text
//! 0000LLLL                       behind a repeat without literals: L + 3 literals; with L = 0 a long length, plus 18
//! 0000DDSS DDDDDDDD              behind 1 to 3 literals: repeat 2 bytes from the distance D + 1
//! 0000DDSS DDDDDDDD              behind 4 or more literals: repeat 3 bytes from D + 2049
//! 0001DLLL DDDDDDSS DDDDDDDD     repeat L + 2 bytes from D + 16384; with L = 0 a long length, plus 9
//! 001LLLLL DDDDDDSS DDDDDDDD     repeat L + 2 bytes from D + 1; with L = 0 a long length, plus 33
//! LLLDDDSS DDDDDDDD              repeat L + 1 bytes from D + 1; L is 2 to 7
//! ```
//!
//! S literals follow a repeat. The last byte of a distance has the higher bits, except that the bit in `0001DLLL` is
//! the highest. A long length follows the first byte: 255 for each byte that is 0, and the byte behind them. A repeat
//! from exactly 16384 is the end. The first byte of a block may be 18 or more: then byte − 17 literals come first.

use crate::Error;
use crate::copy::{literals, repeat};

/// The distance that marks the end of a block.
const END_DISTANCE: usize = 16384;
/// This many literals in one instruction change the meaning of the next instruction.
const MANY: usize = 4;

/// Decodes the block that fills `coded` into the front of `plain`. Returns the length of the data. Bytes of `plain`
/// behind that are arbitrary.
pub fn decompress(coded: &[u8], plain: &mut [u8]) -> Result<usize, Error> {
    let (mut input, mut at) = (coded, 0);
    // How many literals the last instruction had, at most `MANY`.
    let mut before = 0;
    if let Some((&first @ 18.., rest)) = input.split_first() {
        let len = usize::from(first) - 17;
        input = literals(rest, plain, at, len)?;
        at += len;
        before = len.min(MANY);
    }
    loop {
        let word = load(input);
        let code = word as u8 as usize;
        let (distance, len, used, after);
        if code >= 64 {
            distance = ((word as usize >> 8 & 0xff) << 3 | code >> 2 & 7) + 1;
            len = (code >> 5) + 1;
            (used, after) = (2, code & 3);
        } else if code >= 16 {
            let mask = if code >= 32 { 31 } else { 7 };
            let mut place = word >> 8;
            let mut stated = code & mask;
            if stated == 0 {
                let (more, rest) = long_len(input)?;
                // The byte before the distance takes the place of the first byte.
                input = rest;
                place = load(input) >> 8;
                stated = more.checked_add(mask).ok_or(Error::Room)?;
            }
            let place = place as u16 as usize;
            len = stated + 2;
            (used, after) = (3, place & 3);
            if code >= 32 {
                distance = (place >> 2) + 1;
            } else {
                distance = END_DISTANCE + ((code & 8) << 11) + (place >> 2);
                if distance == END_DISTANCE {
                    return match input.len() {
                        3 => Ok(at),
                        0..3 => Err(Error::Truncated),
                        _ => Err(Error::Trailing),
                    };
                }
            }
        } else if before == 0 {
            let (len, rest) = match code {
                0 => {
                    let (more, rest) = long_len(input)?;
                    (more.checked_add(18).ok_or(Error::Room)?, &rest[1..])
                }
                len => (len + 3, &input[1..]),
            };
            input = literals(rest, plain, at, len)?;
            at += len;
            before = MANY;
            continue;
        } else {
            distance = (word as usize >> 8 & 0xff) << 2 | code >> 2;
            (used, after) = (2, code & 3);
            if before == MANY {
                (input, at) = short(input, plain, at, (distance + 2049, 3), used, after)?;
            } else {
                (input, at) = short(input, plain, at, (distance + 1, 2), used, after)?;
            }
            before = after;
            continue;
        }
        let rest = input.get(used..).ok_or(Error::Truncated)?;
        repeat(plain, at, distance, len)?;
        at += len;
        input = tail(rest, plain, at, after)?;
        at += after;
        before = after;
    }
}

/// A short repeat behind literals, and the literals behind it.
#[inline(always)]
fn short<'a>(
    input: &'a [u8],
    plain: &mut [u8],
    at: usize,
    (distance, len): (usize, usize),
    used: usize,
    after: usize,
) -> Result<(&'a [u8], usize), Error> {
    let rest = input.get(used..).ok_or(Error::Truncated)?;
    repeat(plain, at, distance, len)?;
    let at = at + len;
    Ok((tail(rest, plain, at, after)?, at + after))
}

/// Copies the 0 to 3 literals behind a repeat.
#[inline(always)]
fn tail<'a>(input: &'a [u8], plain: &mut [u8], at: usize, len: usize) -> Result<&'a [u8], Error> {
    if let Some(chunk) = input.first_chunk::<4>()
        && let Some(room) = plain.get_mut(at..at + 4)
    {
        room.copy_from_slice(chunk);
        return Ok(&input[len..]);
    }
    literals(input, plain, at, len)
}

/// The next eight bytes, the first one lowest. Bytes behind the end are zeros.
#[inline(always)]
fn load(input: &[u8]) -> u64 {
    let bytes = input.first_chunk().copied().unwrap_or_else(|| {
        let mut bytes = [0; 8];
        bytes[..input.len()].copy_from_slice(input);
        bytes
    });
    u64::from_le_bytes(bytes)
}

/// The long length behind the first byte of the input, and the input from the last byte of the length on.
#[cold]
fn long_len(input: &[u8]) -> Result<(usize, &[u8]), Error> {
    let behind = input.get(1..).ok_or(Error::Truncated)?;
    let zeros = behind.iter().position(|&byte| byte != 0).ok_or(Error::Truncated)?;
    let rest = &behind[zeros..];
    let len = zeros.checked_mul(255).and_then(|len| len.checked_add(usize::from(rest[0])));
    Ok((len.ok_or(Error::Room)?, rest))
}
