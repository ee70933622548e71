//! What the headers of gzip, lzip, xz and bzip2 state at a place, and what the first bytes of a block tell.
//!
//! `scout.rs` calls this. `scout.rs` has zstd and lz4, and `blocks.rs` and `qpress.rs` have the rest.

use super::probe::Probe;
use super::scout::{Here, Kind, Place, Scout, Unit};
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::{Cursor, Format, SNIFF_LEN, bzip2, gzip, lzip, xz};

/// A block of bzip2 is never longer.
const BZIP2_BLOCK_MAX: u64 = 4 << 20;

/// The header of gzip up to the length of its extra field.
const GZIP_HEAD_LEN: usize = 12;

impl Scout<'_> {
    pub(super) fn gzip_member(&self, start: Place) -> Result<Here> {
        let Some(found) = self.gzip_claim(start.at)? else {
            // The header may be of an old kind, or it is damaged. The decoder tells.
            return Ok(self.unit(start, Format::Gzip, Kind::Member));
        };
        let Some(size) = found.size else { return Ok(self.unit(start, Format::Gzip, Kind::Member)) };
        let claim = self.behind(start.at, size, None);
        let mut plain_len = None;
        if let Some(Place { at: end, .. }) = claim {
            let mut isize = [0; 4];
            self.read(&mut isize, end.saturating_sub(4))?;
            plain_len = Some(u32::from_le_bytes(isize).into());
        }
        let unit = Unit {
            start,
            format: Format::Gzip,
            claim,
            plain_len,
            has_check: true,
            is_index: found.is_index,
            kind: Kind::Frame,
        };
        Ok(Here::Unit(unit))
    }

    /// What the header of the member states that begins there.
    pub(super) fn gzip_claim(&self, at: u64) -> Result<Option<gzip::MemberClaim>> {
        let mut cursor = self.cursor(at);
        let head_len = gzip::head_len(cursor.peek(GZIP_HEAD_LEN)?);
        Ok(gzip::member_claim(cursor.peek(head_len.max(GZIP_HEAD_LEN))?))
    }

    pub(super) fn lzip_member(&self, start: Place) -> Result<Here> {
        if !lzip::is_header(self.cursor(start.at).peek(SNIFF_LEN)?) {
            return Ok(self.unit(start, Format::Lzip, Kind::Endless));
        }
        let end = self.memory().trailers.end_of(self.sight(), start.at)?;
        let (claim, mut plain_len) = (end.map(Place::outside), None);
        if let Some(at) = end.and_then(|end| end.checked_sub(16)) {
            let mut stated = [0; 8];
            self.read(&mut stated, at)?;
            plain_len = Some(u64::from_le_bytes(stated));
        }
        let kind = Kind::Frame;
        let unit =
            Unit { start, format: Format::Lzip, claim, plain_len, has_check: true, is_index: false, kind };
        Ok(Here::Unit(unit))
    }

    pub(super) fn xz_piece(&self, start: Place, context: u8) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let inside = |context: u8| Some((Format::Xz, context));
        Ok(match xz::piece(&mut cursor, context)? {
            None if context == 0 => Here::Nothing,
            // Another Stream may begin here if the Index before it is missing.
            None => match xz::piece(&mut self.cursor(start.at), 0)? {
                Some(_) => self.xz_piece(Place::outside(start.at), 0)?,
                None => Here::Nothing,
            },
            Some(xz::XzPiece::StreamHeader { context }) => {
                Here::Skip(Place { at: start.at + xz::STREAM_HEADER_LEN as u64, inside: inside(context) })
            }
            Some(xz::XzPiece::End { len }) => Here::Skip(Place::outside(start.at + len)),
            Some(xz::XzPiece::Block { len, plain_len, has_check }) => {
                let len = match len {
                    xz::BlockLen::Stated(len) => Some(len),
                    xz::BlockLen::Chained { header_len, check_len } => {
                        let first = start.at + header_len;
                        let end = self.chain_end(Format::Xz, 0, &xz::ChunkChain, first)?;
                        end.map(|end| xz::BlockLen::with_chain(header_len, end - first, check_len))
                    }
                };
                Here::Unit(Unit {
                    start: Place { at: start.at, inside: inside(context) },
                    format: Format::Xz,
                    claim: len.and_then(|len| self.behind(start.at, len, inside(context))),
                    plain_len,
                    has_check,
                    is_index: false,
                    kind: Kind::Frame,
                })
            }
        })
    }

    /// The start of a bzip2 stream.
    pub(super) fn bzip2_start(&self, start: Place) -> Result<Here> {
        let mut cursor = self.cursor(start.at);
        let head = cursor.peek(SNIFF_LEN)?;
        let level = head.get(3).map_or(9, |digit| digit.wrapping_sub(b'0'));
        let is_end =
            head.get(4..).and_then(bzip2::find_magic).is_some_and(|found| found.is_end && found.at == 0);
        if is_end {
            let end = self.behind(start.at, 4 + bzip2::END_LEN as u64, None);
            return Ok(end.map_or(Here::Nothing, Here::Skip));
        }
        let claim = self.next_bzip2(start.at + 10, level)?;
        Ok(self.bzip2_unit(start, claim))
    }

    fn bzip2_unit(&self, start: Place, claim: Option<Place>) -> Here {
        let kind = Kind::Frame;
        let format = Format::Bzip2;
        Here::Unit(Unit { start, format, claim, plain_len: None, has_check: true, is_index: false, kind })
    }

    /// A block inside of a bzip2 stream, or the end of the stream.
    pub(super) fn bzip2_block(&self, start: Place, context: u8) -> Result<Here> {
        let (Some(level), Some(bit)) = (bzip2::level_of(context), bzip2::bit_of(context)) else {
            return Ok(Here::Nothing);
        };
        let at = start.at - u64::from(bit > 0);
        let mut bytes = [0; 7];
        let read = self.read(&mut bytes, at)?;
        let found = bzip2::find_magic(&bytes[..read]).filter(|found| (found.at, found.bit) == (0, bit));
        match found {
            None => Ok(Here::Nothing),
            Some(found) if found.is_end => {
                let len = bzip2::END_LEN as u64 + u64::from(bit > 0);
                Ok(self.behind(at, len, None).map_or(Here::Nothing, Here::Skip))
            }
            Some(_) => {
                let claim = self.next_bzip2(at + 6, level)?;
                Ok(self.bzip2_unit(start, claim))
            }
        }
    }

    /// The next block or end of a bzip2 stream at or behind `from`.
    fn next_bzip2(&self, from: u64, level: u8) -> Result<Option<Place>> {
        self.bzip2_before(from, from.saturating_add(BZIP2_BLOCK_MAX), level)
    }

    /// The first block, end or stream of bzip2 that begins at or behind `from` and before `until`.
    pub(super) fn bzip2_before(&self, from: u64, until: u64, level: u8) -> Result<Option<Place>> {
        let Some(found) = self.memory().magics.next(self.sight(), from, until)? else { return Ok(None) };
        if found.is_start && found.at - 4 >= from && self.accepted.accepts(Format::Bzip2) {
            return Ok(Some(Place::outside(found.at - 4)));
        }
        let context = bzip2::context_of(level, found.bit);
        let at = found.at + u64::from(found.bit > 0);
        Ok(Some(Place { at, inside: Some((Format::Bzip2, context)) }))
    }

    /// Whether this unit may decode, as far as its first bytes tell at next to no cost.
    pub(super) fn may_decode(&self, unit: &Unit, purpose: Purpose) -> Result<bool> {
        /// Chance is found out in a few bytes mostly.
        const HEAD_LENS: [usize; 3] = [64, 256, 1024];
        let mut cursor = Probe::new(self.sight(), unit.start.at, purpose);
        if unit.format == Format::Bzip2 {
            return may_be_bzip2(unit, &mut cursor);
        }
        let Some((blocks, claim)) = unit.format.codec().blocks().zip(unit.claim) else { return Ok(true) };
        for len in HEAD_LENS {
            if len as u64 >= claim.at - unit.start.at {
                break;
            }
            if !blocks.may_be_block(cursor.peek(len)?, unit.context()) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether the fields at the start of this block of bzip2 may be right.
fn may_be_bzip2(unit: &Unit, cursor: &mut Probe) -> Result<bool> {
    let (level, bit, magic_end) = match bzip2::level_of(unit.context()).zip(bzip2::bit_of(unit.context())) {
        // The unit begins behind the byte in which the magic number begins.
        Some((level, bit)) => (level, bit, if bit > 0 { 5 } else { 6 }),
        None => (cursor.peek(4)?.get(3).map_or(9, |digit| digit.wrapping_sub(b'0')), 0, 10),
    };
    cursor.take(magic_end)?;
    // Most places that are none show it in the first bytes.
    for len in [16, bzip2::FIELDS_LEN] {
        if !bzip2::may_be_block(cursor.peek(len)?, bit, level) {
            return Ok(false);
        }
    }
    Ok(true)
}
