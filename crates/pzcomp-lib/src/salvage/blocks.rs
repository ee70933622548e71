//! Whether a block of lzop, Snappy or LZF begins at a place that is searched.
//!
//! Such a block has no magic number, and its header may be two numbers, which occur by chance. So the answer of
//! `scout.rs` about such a place is not enough:
//!
//! - A header leads to the place. `salvager.rs` asks [`is_block`]: the block counts if it leads to more headers, or if
//!   it is short and its check is right.
//! - Only a search leads to the place. `search.rs` asks [`is_found`]: the block must be right.
//!
//! So a number that looks like a length costs no long read, and no data is taken for a block. The end of an lzop stream
//! is four zeros, which occur by chance too ([`Salvager::behind_end`]).

use super::salvager::Salvager;
use super::scout::Scout;
use super::search::{Search, next_unit};
use super::trial::{Trial, try_unit};
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::probe::{Candidate, Here, Place};
use crate::options::Decode;

/// The tools write shorter blocks. A longer block counts only if its header leads to others.
pub(super) const LONE_MAX: u64 = 1 << 20;

/// So many headers behind a block show that it is one. In data of small numbers, a few headers follow each other by
/// chance.
const STEPS: usize = 8;

impl Salvager<'_> {
    /// Whether zeros from `mark` to `end` may be no end of a stream: something follows, but neither a frame nor only
    /// zeros.
    pub(super) fn is_doubtful_end(&self, mark: Place, end: Place) -> Result<bool> {
        let is_of_blocks = mark.inside.is_some_and(|(format, _)| format.codec().blocks().is_some());
        Ok(is_of_blocks
            && end.inside.is_none()
            && end.at < self.scout.len
            && self.scout.look(end)? == Here::Nothing
            && !self.ends_with_zeros(end.at)?)
    }

    /// Whether a block without data, of which nothing can be verified but its length, may be a damaged block: nothing
    /// begins where it ends. Intact blocks may be inside of it.
    pub(super) fn is_doubtful_block(&self, Trial { unit, plain_len, end, .. }: &Trial) -> Result<bool> {
        let is_empty_block = *plain_len == 0 && unit.format.codec().blocks().is_some();
        Ok(is_empty_block && !self.is_end(*end)?)
    }

    /// Finds the place to go on at behind such zeros, and notes the loss. Zeros that were inserted before a block end
    /// where its length begins, which is mostly with zeros too. So the next block may begin inside of the mark.
    pub(super) fn behind_end(&mut self, mark: Place, end: Place) -> Result<Place> {
        let search = Search {
            formats: &self.report.formats,
            inside: mark.inside,
            is_strict: false,
            // The stream may really end here. Then a block without a check would be chance.
            needs_check: true,
            takes_blocks: false,
            options: &self.options.reading,
        };
        let next = self.found(next_unit(&self.scout, mark.at + 1, search)?);
        let mut start = mark.at;
        if next.at > end.at {
            self.report.pass(mark.at..end.at);
            start = end.at;
        }
        let why = "zeros there look like the end of the stream, but no frame follows them";
        self.lose(start..next.at, None, 0, why.into())?;
        Ok(next)
    }
}

/// Whether a block, intact or damaged, begins at this place, at which the header of a block says that it ends.
pub(super) fn is_block(scout: &Scout, place: Place, options: &Decode) -> Result<bool> {
    let Here::Candidate(unit) = scout.look(place)? else { return leads_on(scout, place, STEPS) };
    let Some(claim) = unit.claim else { return Ok(false) };
    Ok(leads_on(scout, claim, STEPS)? || is_intact(scout, unit, claim, options)?)
}

/// Whether an intact block begins at this place. Nothing leads to the place but a search. Among thousands of numbers,
/// some lead to a true block by chance, so the data there must be right too. `needs_check` is as in [`Search`].
pub(super) fn is_found(scout: &Scout, place: Place, needs_check: bool, options: &Decode) -> Result<bool> {
    match scout.look(place)? {
        Here::Candidate(unit) if unit.has_check || !needs_check => match unit.claim {
            Some(claim) => is_intact(scout, unit, claim, options),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

/// Whether this block, which says that it ends at `claim`, is right. A long block is decoded only if headers follow it,
/// and a block without a check needs a header behind it. Nothing can be wrong in a block without data.
fn is_intact(scout: &Scout, unit: Candidate, claim: Place, options: &Decode) -> Result<bool> {
    let is_short = unit.plain_len.is_some_and(|len| (1..=LONE_MAX).contains(&len));
    let is_shown = leads_on(scout, claim, STEPS)?;
    let is_likely = is_shown
        || match (is_short, unit.has_check) {
            (true, true) => true,
            (true, false) => leads_on(scout, claim, 1)?,
            (false, _) => false,
        };
    let purpose = if is_shown { Purpose::Shown } else { Purpose::Guess };
    Ok(is_likely && try_unit(scout, unit, true, purpose, options)?.result.is_ok())
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
            Here::Candidate(Candidate { start, .. }) if start.inside.is_none() => return Ok(true),
            Here::Candidate(Candidate { claim: None, .. }) => return Ok(false),
            Here::Candidate(Candidate { claim: Some(claim), plain_len, .. }) => {
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
