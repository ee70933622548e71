//! The two copies of which both decoders consist: bytes of the input, and bytes of the output once more.
//!
//! Most copies are short. So they are done in chunks of fixed length, which the compiler turns into one load and one
//! store, if there is room for a whole chunk. The bytes of a chunk that are too many are overwritten by the next copy.

use crate::Error;

/// The length of a chunk.
const CHUNK: usize = 16;

/// Copies the first `len` bytes of `input` to the offset `at` of the output. Returns the rest of the input.
#[inline(always)]
pub(crate) fn literals<'a>(
    input: &'a [u8],
    plain: &mut [u8],
    at: usize,
    len: usize,
) -> Result<&'a [u8], Error> {
    if len <= CHUNK
        && let Some(chunk) = input.first_chunk::<CHUNK>()
        && let Some(room) = plain.get_mut(at..at + CHUNK)
    {
        room.copy_from_slice(chunk);
        return Ok(&input[len..]);
    }
    let (bytes, rest) = input.split_at_checked(len).ok_or(Error::Truncated)?;
    let end = at.checked_add(len).ok_or(Error::Room)?;
    plain.get_mut(at..end).ok_or(Error::Room)?.copy_from_slice(bytes);
    Ok(rest)
}

/// Repeats `len` bytes of the output that begin `distance` bytes before the offset `at`. The distance is not 0. It may
/// be shorter than the length: then the bytes repeat themselves.
#[inline(always)]
pub(crate) fn repeat(plain: &mut [u8], at: usize, distance: usize, len: usize) -> Result<(), Error> {
    let from = at.checked_sub(distance).ok_or(Error::Distance)?;
    if len <= CHUNK && distance >= CHUNK && at + CHUNK <= plain.len() {
        copy::<CHUNK>(plain, from, at);
        return Ok(());
    }
    if len <= 8 && distance >= 8 && at + 8 <= plain.len() {
        copy::<8>(plain, from, at);
        return Ok(());
    }
    repeat_long(plain, from, at, len)
}

fn repeat_long(plain: &mut [u8], from: usize, at: usize, len: usize) -> Result<(), Error> {
    let end = at.checked_add(len).filter(|&end| end <= plain.len()).ok_or(Error::Room)?;
    let distance = at - from;
    if distance == 1 {
        let byte = plain[from];
        plain[at..end].fill(byte);
        return Ok(());
    }
    let mut to = at;
    if distance < CHUNK {
        // A multiple of the distance repeats the same bytes. The first bytes are copied one by one until a multiple
        // that is as long as a chunk reaches back to the start.
        let reach = distance * CHUNK.div_ceil(distance);
        let short = end.min(from + reach);
        while to < short {
            plain[to] = plain[to - distance];
            to += 1;
        }
    }
    let reach = to - from;
    while to < end {
        if to + CHUNK <= plain.len() {
            copy::<CHUNK>(plain, to - reach, to);
            to += CHUNK;
        } else {
            plain[to] = plain[to - reach];
            to += 1;
        }
    }
    Ok(())
}

/// Copies `LEN` bytes, which do not overlap.
#[inline(always)]
fn copy<const LEN: usize>(plain: &mut [u8], from: usize, to: usize) {
    let mut chunk = [0; LEN];
    chunk.copy_from_slice(&plain[from..from + LEN]);
    plain[to..to + LEN].copy_from_slice(&chunk);
}
