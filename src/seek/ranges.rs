//! The option `--range`: writes ranges of the plain data, in the order in which they are given.
//!
//! Only the frames that hold the ranges are read. If a range ends behind the data, what is there is written, and then
//! there is an error that names the length of the data.

use std::io::Write;

use pzcomp::Seekable;

use super::write;
use crate::error::{CliError, Kind};
use crate::request::PlainRange;
use crate::source::Rest;

/// How much is decoded at a time. It is enough for several frames, which are decoded in parallel.
const PART_LEN: u64 = 32 << 20;

/// Writes all ranges.
pub(super) fn copy(
    ranges: &[PlainRange],
    seekable: &Seekable<Rest>,
    out: &mut impl Write,
) -> Result<(), CliError> {
    let mut part = Vec::new();
    for range in ranges {
        let end = range.end.unwrap_or(u64::MAX);
        let mut at = range.start;
        while at < end {
            let len = (end - at).min(PART_LEN).min(left(seekable, at));
            part.resize(len as usize, 0);
            let read = seekable.read_at(&mut part, at).map_err(CliError::cannot("read the range"))?;
            if read == 0 {
                break;
            }
            write(out, &part[..read])?;
            at += read as u64;
        }
        let is_behind = match range.end {
            Some(end) => at < end,
            None => seekable.len().is_some_and(|len| range.start > len),
        };
        if is_behind {
            let len = seekable.measure().map_err(Kind::Library)?;
            let what = format!(
                "the range {range} ends behind the data, which has {len} bytes; what is there of the range is written"
            );
            return Err(Kind::Failed(what).into());
        }
    }
    Ok(())
}

/// How many bytes there can be from `at` on. It keeps the memory small for a range up to the end of a short file.
fn left(seekable: &Seekable<Rest>, at: u64) -> u64 {
    seekable.len().map_or(PART_LEN, |len| len.saturating_sub(at).max(1))
}
