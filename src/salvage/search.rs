//! Finds the next unit behind damage by its magic number.
//!
//! [`next_unit`] is called only for bytes that no intact frame covers. A magic number alone is not believed, because it
//! occurs by chance and in data that is stored as it is. A unit counts if its header leads to another unit or to the
//! end of the input, or if it decodes with the right check.

use super::blocks::is_found;
use super::scout::{Here, Kind, Place, Scout, Unit};
use super::trial::decode;
use crate::error::Result;
use crate::format::blocks::{Item, ItemKind, Look};
use crate::format::{Format, SNIFF_LEN, bzip2, gzip, qpress, skippable, xz};
use crate::options::Options;

/// How many bytes are searched at a time.
const LOOK_LEN: usize = 256 << 10;

/// How many bytes behind them are read too: magic numbers may be cut off, and Block Headers of xz have up to 1 KiB.
const MORE_LEN: usize = 1 << 10;

/// How a search is done.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    /// The formats that are searched for.
    pub(super) formats: &'a [Format],
    /// The stream that was damaged.
    pub(super) inside: Option<(Format, u8)>,
    /// Whether a unit counts only if headers lead from it to the end of the input. This is so if the input seems to be cut
    /// off inside a frame: then all that is found may be data of this frame.
    pub(super) is_strict: bool,
    /// Whether a block of a format without magic numbers counts only if it carries a check.
    pub(super) needs_check: bool,
    pub(super) options: &'a Options,
}

/// The next place at or behind `from` at which decoding can go on. The end of the input if there is none.
pub(super) fn next_unit(scout: &Scout, from: u64, search: Search) -> Result<Place> {
    let mut at = from;
    while at < scout.len {
        let mut bytes = vec![0; LOOK_LEN + MORE_LEN];
        let read = scout.place.read_at(&mut bytes, at)?;
        let searched = read.min(LOOK_LEN);
        // The end of the input lies in the middle of a file if the caller gave a part of it.
        bytes.truncate(usize::try_from(scout.len - at).unwrap_or(read).min(read));
        if let Some(place) = search.in_bytes(scout, at, &bytes, searched.min(bytes.len()))? {
            return Ok(place);
        }
        at += searched.max(1) as u64;
    }
    Ok(Place::outside(scout.len))
}

impl Search<'_> {
    /// The first place in the first `searched` bytes.
    fn in_bytes(&self, scout: &Scout, offset: u64, bytes: &[u8], searched: usize) -> Result<Option<Place>> {
        let bzip2 = self.bzip2_in(scout, offset, bytes).filter(|place| place.at < offset + searched as u64);
        for at in 0..searched {
            let here = offset + at as u64;
            if bzip2.is_some_and(|place| place.at <= here) {
                return Ok(bzip2);
            }
            let head = &bytes[at..];
            if let Some((Format::Xz, context)) = self.inside
                && is_block_header(head)
                && self.is_right(scout, Place { at: here, inside: Some((Format::Xz, context)) })?
            {
                return Ok(Some(Place { at: here, inside: Some((Format::Xz, context)) }));
            }
            if self.formats.contains(&Format::Qpress) && head.starts_with(&qpress::BLOCK_MAGIC) {
                let context = self.inside.map_or(qpress::CHOSEN, |(_, context)| context);
                let place = Place { at: here, inside: Some((Format::Qpress, context)) };
                if self.is_right(scout, place)? {
                    return Ok(Some(place));
                }
            }
            if let Some((format, context)) = self.inside
                && let Some(blocks) = format.codec().blocks()
                && matches!(
                    blocks.look(head, context),
                    Look::More(_) | Look::Item(Item { kind: ItemKind::Block { plain_len: 1.., .. }, .. })
                )
                && self.is_right(scout, Place { at: here, inside: self.inside })?
            {
                return Ok(Some(Place { at: here, inside: self.inside }));
            }
            if self.is_start(scout, here, head) && self.is_right(scout, Place::outside(here))? {
                return Ok(Some(Place::outside(here)));
            }
        }
        Ok(bzip2)
    }

    /// The first block or stream of bzip2. A magic number of 48 bits is believed: no bzip2 data holds one elsewhere.
    fn bzip2_in(&self, scout: &Scout, offset: u64, bytes: &[u8]) -> Option<Place> {
        if !self.formats.contains(&Format::Bzip2) {
            return None;
        }
        let level = match self.inside {
            Some((Format::Bzip2, context)) => bzip2::level_of(context)?,
            _ => 9,
        };
        let found = bzip2::find_magic(bytes)?;
        Some(scout.bzip2_place(offset, found, level, bytes))
    }

    /// Whether these bytes begin with a magic number that is searched for.
    fn is_start(&self, scout: &Scout, at: u64, head: &[u8]) -> bool {
        // The first bytes of all magic numbers.
        let (Some(0x28 | 0x1f | 0x04 | 0x02 | 0xfd | b'L' | 0x50..=0x5f | 0xff | 0x89), Some(head)) =
            (head.first(), head.get(..head.len().min(SNIFF_LEN)))
        else {
            return false;
        };
        if skippable::sniff(head).is_some() {
            return self.formats.iter().any(|format| matches!(format, Format::Zstd | Format::Lz4));
        }
        let Some(format) = scout.accepted.sniff(head, at.max(1)) else { return false };
        format != Format::Bzip2
            && self.formats.contains(&format)
            && (format != Format::Gzip
                || head.get(2) == Some(&8) && head.get(3).is_some_and(|flags| flags & 0xe0 == 0))
    }

    /// Whether a unit really begins at this place.
    fn is_right(&self, scout: &Scout, place: Place) -> Result<bool> {
        if self.is_strict {
            return reaches_end(scout, place);
        }
        if place.inside.is_some_and(|(format, _)| format.codec().blocks().is_some()) {
            return is_found(scout, place, self.needs_check, self.options);
        }
        let unit = match scout.look(place)? {
            Here::Nothing => return Ok(false),
            Here::Skip(end) => return scout.is_boundary(end),
            Here::Unit(unit) => unit,
        };
        if let Some(claim) = unit.claim
            && scout.is_boundary(claim)?
        {
            return Ok(true);
        }
        match unit.kind {
            Kind::Endless => Ok(false),
            Kind::Member => gzip::is_member_start(scout.place, place.at..scout.len),
            Kind::Frame => {
                let trial = decode(scout, unit, true, self.options)?;
                Ok(trial.result.is_ok() && (unit.has_check || scout.is_boundary(trial.end)?))
            }
        }
    }
}

/// Whether headers lead from this place to the end of the input.
fn reaches_end(scout: &Scout, mut place: Place) -> Result<bool> {
    while place.at < scout.len {
        let next = match scout.look(place)? {
            Here::Skip(end) => end,
            Here::Unit(Unit { claim: Some(claim), .. }) => claim,
            Here::Unit(_) | Here::Nothing => return Ok(false),
        };
        if next.at <= place.at {
            return Ok(false);
        }
        place = next;
    }
    Ok(place.at == scout.len)
}

/// Whether these bytes may be a Block Header or an Index of xz. Their CRC32 is compared later.
fn is_block_header(head: &[u8]) -> bool {
    matches!(head, [0, ..]) || matches!(head, [_, flags, ..] if flags & 0x3c == 0)
}

/// The stream in which a damaged start of an xz file is, as the Stream Footer at its end states it.
pub(super) fn xz_at_end(scout: &Scout) -> Result<Option<(Format, u8)>> {
    Ok(xz::context_at_end(scout.place, scout.len)?.map(|context| (Format::Xz, context)))
}
