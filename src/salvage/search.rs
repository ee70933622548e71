//! Finds the next unit behind damage by its magic number.
//!
//! [`next_unit`] is called only for bytes that no intact frame covers. A magic number alone is not believed, except for
//! the 48 bits of bzip2, because it occurs by chance and in data that is stored as it is. A unit counts if its header
//! leads to another unit or to the end of the input, or if it decodes with the right check.

use super::blocks::is_found;
use super::memory::Next;
use super::scout::{Here, Kind, Place, Scout, Unit};
use super::trial::try_unit;
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::blocks::{Item, ItemKind, Look};
use crate::format::{Format, SNIFF_LEN, bzip2, gzip, qpress, skippable, xz};
use crate::options::Options;

/// How many bytes are searched at a time.
const LOOK_LEN: usize = 256 << 10;

/// How many bytes behind them are read too: magic numbers may be cut off, and so may short headers.
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

/// What a search has found.
pub(super) struct Found {
    /// The next place at which decoding can go on. The end of the input if there is none.
    pub(super) place: Place,
    /// The first place before it that was not tried, because too much had been tried already.
    pub(super) untried: Option<u64>,
}

/// The next place at or behind `from` at which decoding can go on.
pub(super) fn next_unit(scout: &Scout, from: u64, search: Search) -> Result<Found> {
    let (mut at, mut untried) = (from, None);
    while at < scout.len {
        let window = scout.window(at, MORE_LEN, LOOK_LEN + MORE_LEN)?;
        let bytes = window.bytes.get((at - window.at) as usize..).unwrap_or_default();
        let is_last = at + bytes.len() as u64 >= scout.len;
        let searched = if is_last { bytes.len() } else { (bytes.len() + 1).saturating_sub(MORE_LEN) };
        if searched == 0 {
            break;
        }
        if let Some(place) = search.in_bytes(scout, at, bytes, searched, &mut untried)? {
            return Ok(Found { place, untried });
        }
        at += searched as u64;
        scout.effort.pass(at);
    }
    Ok(Found { place: Place::outside(scout.len), untried })
}

impl Search<'_> {
    /// The first place in the first `searched` bytes.
    fn in_bytes(
        &self,
        scout: &Scout,
        offset: u64,
        bytes: &[u8],
        searched: usize,
        untried: &mut Option<u64>,
    ) -> Result<Option<Place>> {
        let bzip2 = self.bzip2_in(scout, offset, searched)?;
        for at in 0..searched {
            let here = offset + at as u64;
            if bzip2.is_some_and(|place| place.at <= here) {
                return Ok(bzip2);
            }
            if let Some(place) = self.at(scout, here, &bytes[at..])? {
                return Ok(Some(place));
            }
            if scout.effort.take_refusal() {
                untried.get_or_insert(here);
            }
        }
        Ok(bzip2)
    }

    /// The place of what begins here, if that counts. `head` has the bytes here.
    fn at(&self, scout: &Scout, here: u64, head: &[u8]) -> Result<Option<Place>> {
        let is_right = |place: Place| {
            scout.effort.pass(here);
            self.is_right(scout, place).map(|is_right| is_right.then_some(place))
        };
        if let Some((Format::Xz, context)) = self.inside
            && (xz::may_begin_index(head) || xz::may_begin_block(head))
            && let Some(place) = is_right(Place { at: here, inside: Some((Format::Xz, context)) })?
        {
            return Ok(Some(place));
        }
        if self.formats.contains(&Format::Qpress) && head.starts_with(&qpress::BLOCK_MAGIC) {
            let context = self.inside.map_or(qpress::CHOSEN, |(_, context)| context);
            if let Some(place) = is_right(Place { at: here, inside: Some((Format::Qpress, context)) })? {
                return Ok(Some(place));
            }
        }
        if let Some((format, context)) = self.inside
            && let Some(blocks) = format.codec().blocks()
            && matches!(
                blocks.look(head, context),
                Look::More(_) | Look::Item(Item { kind: ItemKind::Block { plain_len: 1.., .. }, .. })
            )
            && let Some(place) = is_right(Place { at: here, inside: self.inside })?
        {
            return Ok(Some(place));
        }
        if self.is_start(scout, here, head) {
            return is_right(Place::outside(here));
        }
        Ok(None)
    }

    /// The first block or stream of bzip2 in the first `searched` bytes behind `offset`. Nothing is
    /// decoded here. A block may hold a magic number too, and `Salvager::unit` finds that out.
    fn bzip2_in(&self, scout: &Scout, offset: u64, searched: usize) -> Result<Option<Place>> {
        let level = match self.inside {
            _ if !self.formats.contains(&Format::Bzip2) => return Ok(None),
            Some((Format::Bzip2, context)) => bzip2::level_of(context).unwrap_or(9),
            _ => 9,
        };
        scout.bzip2_before(offset, offset + searched as u64, level)
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
            Kind::Member => gzip::is_member_start(scout.place, place.at..scout.len, scout.effort),
            Kind::Frame => {
                let trial = try_unit(scout, unit, true, Purpose::Guess, self.options)?;
                Ok(trial.result.is_ok() && (unit.has_check || scout.is_boundary(trial.end)?))
            }
        }
    }
}

/// Whether headers lead from this place to the end of the input.
fn reaches_end(scout: &Scout, place: Place) -> Result<bool> {
    scout.leads_to_end(place, |place| {
        if place.at >= scout.len {
            return Ok(Next::End(place.at == scout.len));
        }
        if scout.effort.allows(Purpose::Header).is_none() {
            return Ok(Next::Unknown(false));
        }
        let next = match scout.look(place)? {
            Here::Skip(end) => Some(end),
            Here::Unit(Unit { claim, .. }) => claim,
            Here::Nothing => None,
        };
        Ok(match next.filter(|next| next.at > place.at) {
            Some(next) => Next::Place(next),
            None => Next::End(false),
        })
    })
}

/// The stream in which a damaged start of an xz file is, as the Stream Footer at its end states it.
pub(super) fn xz_at_end(scout: &Scout) -> Result<Option<(Format, u8)>> {
    Ok(xz::context_at_end(scout.place, scout.len)?.map(|context| (Format::Xz, context)))
}
