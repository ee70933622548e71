//! Whether a block of lzop, Snappy or LZF begins at a place that is searched.
//!
//! `scout.rs` asks what the header at a place states. Such a block has no magic number, and the header of lzop is two numbers that occur by chance. `search.rs` and
//! `salvager.rs` ask here. A place counts if its header leads to more headers ([`leads_on`]), or if the block is short and
//! its check is right. So a number that looks like a length costs no long read, and no block is taken for data.

use super::scout::{Here, Kind, Place, Scout, Unit};
use super::trial::decode;
use crate::error::Result;
use crate::format::Format;
use crate::format::blocks::{BlockFormat, Item, ItemKind, Look, look_at};
use crate::options::Options;

/// The tools write shorter blocks. A longer block counts only if its header leads to others.
pub(super) const LONE_MAX: u64 = 1 << 20;

/// So many headers behind a block show that it is one. In data of small numbers, a few headers follow each other by chance.
const STEPS: usize = 8;

impl Scout<'_> {
    /// A part of a stream of blocks that state their lengths.
    pub(super) fn block(
        &self,
        start: Place,
        format: Format,
        blocks: &dyn BlockFormat,
        context: u8,
    ) -> Result<Here> {
        let (look, _) = look_at(blocks, &mut self.cursor(start.at), context)?;
        let inside = (context != 0).then_some((format, context));
        let behind = |len, inside| self.behind(start.at, len, inside);
        Ok(match look {
            Some(Look::Item(Item { len, kind: ItemKind::Block { plain_len, check } })) => Here::Unit(Unit {
                start: Place { at: start.at, inside },
                format,
                claim: behind(len, inside),
                plain_len: Some(plain_len as u64),
                has_check: check != "-",
                is_index: false,
                kind: Kind::Frame,
            }),
            Some(Look::Item(Item { len, kind: ItemKind::Header { context } })) => {
                behind(len, Some((format, context))).map_or(Here::Nothing, Here::Skip)
            }
            Some(Look::Item(Item { len, kind: ItemKind::End })) => {
                behind(len, None).map_or(Here::Nothing, Here::Skip)
            }
            // Another stream may begin here.
            Some(Look::Outside | Look::Refused(_)) if start.inside.is_some() => {
                self.outside(Place::outside(start.at))?
            }
            // The header is damaged. The blocks behind it are searched for with the usual context.
            Some(Look::Refused(_)) if context == 0 => {
                let start = Place { at: start.at, inside: Some((format, blocks.usual_context())) };
                self.unit(start, format, Kind::Frame)
            }
            _ => Here::Nothing,
        })
    }
}

/// Whether a block begins at this place.
pub(super) fn is_block(scout: &Scout, place: Place, options: &Options) -> Result<bool> {
    let Here::Unit(unit) = scout.look(place)? else { return leads_on(scout, place, STEPS) };
    let Some(claim) = unit.claim else { return Ok(false) };
    if leads_on(scout, claim, STEPS)? {
        return Ok(true);
    }
    let is_short = unit.plain_len.is_some_and(|len| len <= LONE_MAX);
    if !is_short || !unit.has_check && !leads_on(scout, claim, 1)? {
        return Ok(false);
    }
    Ok(decode(scout, unit, true, options)?.result.is_ok())
}

/// Whether the headers at this place lead over this many blocks, or to the end of the input or of the stream.
fn leads_on(scout: &Scout, mut place: Place, mut steps: usize) -> Result<bool> {
    /// More headers of parts without data are not passed.
    const LOOKS_MAX: usize = 16;
    for _ in 0..LOOKS_MAX {
        if place.at >= scout.len {
            return Ok(place.at == scout.len);
        }
        place = match scout.look(place)? {
            Here::Nothing => return Ok(false),
            // The end of a stream is a few zeros, which occur everywhere.
            Here::Skip(end) if end.inside.is_none() => {
                return Ok(end.at == scout.len || scout.look(end)? != Here::Nothing);
            }
            Here::Skip(_) => return Ok(true),
            Here::Unit(Unit { start, .. }) if start.inside.is_none() => return Ok(true),
            Here::Unit(Unit { claim: None, .. }) => return Ok(false),
            Here::Unit(Unit { claim: Some(claim), plain_len, .. }) => {
                steps -= usize::from(plain_len != Some(0)).min(steps);
                if steps == 0 {
                    return Ok(true);
                }
                claim
            }
        };
    }
    Ok(false)
}
