//! The trailer of a member, and the errors of members.
//!
//! The decoder calls [`verify`] at the end of a member. The CRC-32 and the length of all parts are compared with the
//! trailer, so wrong parts never pass. An error names the member in which it occurred. For that it waits until all
//! jobs before are done, because the member may have begun in one of them.

use pzcomp_deflate::inflate::{Defect, Invalid};

use super::super::NAME;
use super::super::header::TRAILER_LEN;
use crate::error::{Damage, Error, Result};
use crate::format::joined::combine_crc32;
use engine::Source;

/// Joins the CRC-32 of a part of `len` bytes to that of the parts before it.
pub(super) fn join_crcs(before: u64, crc: u64, len: u64) -> u64 {
    combine_crc32(before as u32, crc as u32, len).into()
}

/// The error of a member that is not valid.
pub(super) fn corrupt(source: &Source, Invalid { read, defect }: Invalid) -> Result<Error> {
    // If a part is decoded without its window, the position of a match that reaches back too far is not known.
    let place = match defect {
        Defect::Distance => String::new(),
        _ => format!(" at offset {}", source.offset() + read as u64),
    };
    let what = format!("the DEFLATE stream of the member that begins there is not valid{place}: {defect}");
    Ok(Error::corrupt(NAME, source.relay.stream_start()?, what))
}

/// The error of a member in which the input ends.
pub(super) fn truncated(source: &Source) -> Result<Error> {
    Ok(Error::Truncated { format: NAME, frame: source.relay.stream_start()?, offset: source.offset() })
}

/// Compares the trailer, which comes next, with the decoded data. Returns the CRC-32.
pub(super) fn verify(source: &mut Source) -> Result<u32> {
    let mut trailer = [0; TRAILER_LEN];
    if !source.read_exact(&mut trailer)? {
        return Err(truncated(source)?);
    }
    let whole = source.relay.whole_sum()?;
    let (crc, len) = (whole.sum() as u32, whole.count() as u32);
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
    let (stated, stated_len) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if stated != crc {
        let damage = if stated_len == len { Damage::Check } else { Damage::Both };
        let what = format!("the member that begins there has the CRC-32 {crc:08x}, expected {stated:08x}");
        return Err(Error::corrupt(NAME, source.relay.stream_start()?, what).by(damage));
    }
    if stated_len != len {
        let what =
            format!("the member that begins there is {len} bytes long (modulo 2^32), expected {stated_len}");
        return Err(Error::corrupt(NAME, source.relay.stream_start()?, what).by(Damage::Length));
    }
    Ok(crc)
}
