//! Finds restart points in gzip members, for an index beside the file.
//!
//! [`scan_members`] decodes members in order and verifies each of them. About every `interval` plain bytes it
//! notes where a block begins. It gives each part between two such points to its caller: the place, the window before
//! the part, and the length and the CRC-32 of its data. `seekable/` makes an index of the parts. Memory is bounded by
//! what the caller keeps.

use std::ops::Range;

use pzcomp_deflate::inflate::{Inflate, Output, Pause, WINDOW_LEN};

use super::super::header::TRAILER_LEN;
use super::super::{NAME, is_member};
use super::header_fields::read_header;
use super::restart::{MemberSum, PartInput, verify};
use crate::error::{Error, Result};
use crate::format::joined::combine_crc32;
use crate::format::restart::{RestartPart, ScannedPart};
use engine::io::RandomAccess;

/// How much plain data is decoded at a time. It stays in the cache until its checksum is computed.
const PLAIN_LEN: usize = 256 << 10;

/// Decodes the members at the start of `range`, and gives their parts to `take` in order. Returns where they end: at
/// the end of the range, or at bytes that begin no member. Zeros behind the last member are passed over.
pub(in crate::format::gzip) fn scan_members(
    place: RandomAccess,
    range: Range<u64>,
    interval: u64,
    take: &mut dyn FnMut(ScannedPart) -> Result<()>,
) -> Result<u64> {
    let (first, len) = (range.start, range.end);
    let mut input = PartInput::new(place, range);
    let mut inflate: Inflate = Inflate::new();
    let mut plain = vec![0; PLAIN_LEN];
    let mut start = first;
    while start < len {
        if start > first && input.is_only_zeros()? {
            return Ok(len);
        }
        let mut magic = [0; 2];
        let read = place.read_at(&mut magic, start)?;
        // A single byte at the end of the input may be the start of a member.
        if start != input.offset() || !is_member(&magic[..read]) && start + 1 < len {
            return Ok(start);
        }
        if read_header(|bytes| input.fill(bytes), start)?.is_none() {
            return Err(input.truncated(start));
        }
        inflate.reset();
        let header_len = u32::try_from(input.offset() - start).unwrap_or(u32::MAX);
        let mut part = OpenPart { start, bit: 0, header_len, window: None, sum: MemberSum::default() };
        let mut member = MemberSum::default();
        loop {
            let bytes = input.bytes()?;
            let is_end = bytes.is_empty();
            if is_end && inflate.boundary().is_some() {
                return Err(input.truncated(start));
            }
            let mut output = Output::new(&mut plain, 0);
            let progress = match part.sum.len >= interval {
                true => inflate.run_to_boundary(bytes, &mut output),
                false => inflate.run(bytes, &mut output),
            };
            let filled = output.filled();
            let progress =
                progress.map_err(|invalid| Error::corrupt(NAME, start, invalid.defect.to_string()))?;
            input.pass(progress.read);
            part.sum.update(&plain[..filled]);
            match progress.pause {
                Pause::End => break,
                Pause::Input if is_end => return Err(input.truncated(start)),
                _ => {}
            }
            if part.sum.len >= interval
                && let Some(boundary) = inflate.boundary()
            {
                let end = input.offset();
                let bits = boundary.bits() as u8;
                member.join(part.sum);
                let window = inflate.window();
                let next = OpenPart {
                    // The first bits of the next part are in the last byte of this part.
                    start: end - u64::from(bits > 0),
                    bit: (8 - bits) % 8,
                    header_len: 0,
                    window: Some(window[window.len().saturating_sub(WINDOW_LEN)..].to_vec()),
                    sum: MemberSum::default(),
                };
                take(std::mem::replace(&mut part, next).close(end))?;
            }
        }
        member.join(part.sum);
        let mut trailer = [0; TRAILER_LEN];
        if !input.fill(&mut trailer)? {
            return Err(input.truncated(start));
        }
        verify(Some(member), trailer, start)?;
        start = input.offset();
        take(part.close(start))?;
    }
    Ok(len)
}

/// The part that is being decoded.
struct OpenPart {
    start: u64,
    bit: u8,
    header_len: u32,
    window: Option<Vec<u8>>,
    sum: MemberSum,
}

impl OpenPart {
    fn close(self, end: u64) -> ScannedPart {
        let Self { start, bit, header_len, window, sum } = self;
        let part = RestartPart { header_len, bit, window: None, crc: Some(sum.crc) };
        ScannedPart { coded: start..end, plain_len: sum.len, window, part }
    }
}

impl MemberSum {
    /// Adds the data that follows.
    fn join(&mut self, next: Self) {
        self.crc = combine_crc32(self.crc, next.crc, next.len);
        self.len += next.len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ffi::deflate::crc32;

    #[test]
    fn checksums_of_parts_join_to_that_of_the_whole() {
        let mut sum = MemberSum::default();
        for part in [&b"three "[..], b"", b"in the ", b"morning"] {
            let mut next = MemberSum::default();
            next.update(part);
            sum.join(next);
        }
        assert_eq!((sum.crc, sum.len), (crc32(0, b"three in the morning"), 20));
    }
}
