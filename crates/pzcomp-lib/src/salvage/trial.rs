//! Decodes units on trial: nothing is written before all of a unit is verified.
//!
//! The salvager calls [`Trials::get`], which decodes a unit together with those that seem to follow it, on all threads.
//! The plain data of short units is kept until the salvager comes to them. A longer unit is only verified, and decoded
//! once more when it is written. So memory stays bounded.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use super::scout::Scout;
use crate::decompress::{Alone, decode_alone};
use crate::effort::Purpose;
use crate::error::{Error, Result};
use crate::format::After;
use crate::format::probe::{Candidate, Here, Kind, Place};
use crate::options::Decode;
use crate::side_by_side::side_by_side;
use engine::io::{RandomAccess, ReadAt};

/// Plain data of a unit is kept if it is not longer.
const KEPT_MAX: usize = 4 << 20;

/// A unit of more coded bytes is not decoded together with others.
const SHARED_MAX: u64 = 8 << 20;

/// How many units are decoded together, for each thread.
const UNITS_EACH: usize = 2;

/// What came of a unit.
pub(super) struct Trial {
    pub(super) unit: Candidate,
    /// The plain data, if it is short. Before an error, all that was decoded.
    pub(super) plain: Option<Vec<u8>>,
    pub(super) plain_len: u64,
    /// What follows it.
    pub(super) end: Place,
    pub(super) result: Result<()>,
    /// Whether nothing behind the end that its header states was read.
    pub(super) is_limited: bool,
    /// Whether it was not decoded, or not to its end, because too much had been tried already.
    pub(super) is_refused: bool,
    /// How many coded bytes were examined, and how many plain bytes were made.
    examined: u64,
    made: u64,
    purpose: Purpose,
}

/// Decodes units, and keeps what was decoded ahead.
pub(super) struct Trials<'a> {
    options: &'a Decode,
    threads: usize,
    ahead: VecDeque<Trial>,
}

impl<'a> Trials<'a> {
    /// With `threads` threads.
    pub(super) fn new(options: &'a Decode, threads: usize) -> Self {
        Self { options, threads: threads.max(1), ahead: VecDeque::new() }
    }

    /// What comes of this unit.
    pub(super) fn get(&mut self, scout: &Scout, unit: Candidate) -> Result<Trial> {
        if scout.probe(unit.format).is_some_and(|probe| probe.is_cut_off(&unit)) {
            return Ok(Trial::cut_off(scout, unit));
        }
        while let Some(trial) = self.ahead.pop_front() {
            if trial.unit == unit {
                return self.its_turn(scout, trial);
            }
        }
        let Some(most) = allowance(scout, &unit) else { return Ok(Trial::refused(unit)) };
        let mut units = vec![unit];
        let is_short = |unit: &Candidate, claim: &Place| claim.at - unit.start.at <= SHARED_MAX;
        let ahead = scout.effort.room(Purpose::Ahead);
        while ahead.is_some()
            && units.len() < UNITS_EACH * self.threads
            && let Some(last) = units.last()
            && last.kind == Kind::Frame
            && let Some(claim) = last.claim.filter(|claim| is_short(last, claim))
            && let Some(next) = following(scout, claim)?
            && next.claim.is_some_and(|claim| is_short(&next, &claim))
        {
            units.push(next);
        }
        let share = ahead.unwrap_or(0) / units.len() as u64;
        let allowed = |at: usize| if at == 0 { (Purpose::Shown, most) } else { (Purpose::Ahead, share) };
        let tries: Vec<Try> =
            units.iter().enumerate().map(|(at, &unit)| Try { unit, allowed: allowed(at) }).collect();
        self.ahead = decode_all(scout, &tries, self.options, self.threads.min(tries.len()))?;
        self.ahead.pop_front().ok_or_else(|| Error::Internal("a unit was not decoded".into()))
    }

    /// What comes of a unit that was decoded ahead, now that it is its turn: the same as if it were decoded now.
    fn its_turn(&self, scout: &Scout, trial: Trial) -> Result<Trial> {
        match allowance(scout, &trial.unit) {
            None => Ok(Trial::refused(trial.unit)),
            Some(most) if trial.is_refused || trial.made > most => {
                decode(scout, trial.unit, true, (Purpose::Shown, most), self.options)
            }
            Some(_) => {
                scout.effort.transfer(trial.purpose, Purpose::Shown, trial.examined, trial.made);
                Ok(trial)
            }
        }
    }
}

/// How many plain bytes a unit may make whose turn it is.
fn allowance(scout: &Scout, unit: &Candidate) -> Option<u64> {
    // Nothing bounds what a unit reads whose end is a guess, or which states no end.
    match unit.claim.filter(|_| !guesses_ends(scout, unit)) {
        Some(claim) => scout.effort.allows_unit(unit.start.at..claim.at, unit.plain_len),
        None => scout.effort.allows(Purpose::Shown),
    }
}

/// A unit to be decoded, for what, and how many plain bytes it may have.
struct Try {
    unit: Candidate,
    allowed: (Purpose, u64),
}

impl Trial {
    /// Of a unit that ends behind the input. A length that is only claimed must not use up what is allowed, so the unit
    /// is not decoded.
    fn cut_off(scout: &Scout, unit: Candidate) -> Self {
        let (format, frame) = (unit.format.name(), unit.start.at);
        let result = Err(Error::Truncated { format, frame, offset: scout.len });
        Self { result, is_refused: false, ..Self::refused(unit) }
    }

    /// Of a unit that is not decoded.
    fn refused(unit: Candidate) -> Self {
        let what =
            "it was not decoded: so many places look like frames and are none that the search was cut short";
        Self {
            unit,
            plain: None,
            plain_len: 0,
            end: unit.start,
            result: Err(Error::corrupt(unit.format.name(), unit.start.at, what)),
            is_limited: true,
            is_refused: true,
            examined: 0,
            made: 0,
            purpose: Purpose::Shown,
        }
    }
}

/// The first unit at this place or behind bytes without data.
fn following(scout: &Scout, mut place: Place) -> Result<Option<Candidate>> {
    /// More bytes without data are not passed for this.
    const SKIPS_MAX: usize = 8;
    for _ in 0..SKIPS_MAX {
        match scout.look(place)? {
            Here::Candidate(unit) if unit.kind == Kind::Frame => return Ok(Some(unit)),
            Here::Skip(end) => place = end,
            Here::Candidate(_) | Here::Nothing => break,
        }
    }
    Ok(None)
}

/// Decodes these units at the same time.
fn decode_all(scout: &Scout, tries: &[Try], options: &Decode, threads: usize) -> Result<VecDeque<Trial>> {
    let decode = |one: &Try| decode(scout, one.unit, true, one.allowed, options);
    Ok(side_by_side(tries, threads, decode)?.into())
}

/// Decodes a unit to the end that its header states, or without a limit, if that is allowed for this purpose.
pub(super) fn try_unit(
    scout: &Scout,
    unit: Candidate,
    is_limited: bool,
    purpose: Purpose,
    options: &Decode,
) -> Result<Trial> {
    match scout.effort.allows(purpose) {
        Some(most) => decode(scout, unit, is_limited, (purpose, most), options),
        None => Ok(Trial::refused(unit)),
    }
}

/// Decodes a unit, for this purpose and to so many plain bytes at most.
fn decode(
    scout: &Scout,
    unit: Candidate,
    is_limited: bool,
    (purpose, most): (Purpose, u64),
    options: &Decode,
) -> Result<Trial> {
    if !scout.may_decode(&unit, purpose)? {
        let what = "the first bytes of the block are not valid";
        let result = Err(Error::corrupt(unit.format.name(), unit.start.at, what));
        return Ok(Trial { result, is_refused: false, purpose, ..Trial::refused(unit) });
    }
    // The data of a block is made before any of it comes out.
    let at_once = scout.probe(unit.format).map_or(0, |probe| probe.at_once(&unit));
    if at_once > most {
        scout.effort.refuse();
        return Ok(Trial { purpose, ..Trial::refused(unit) });
    }
    let (mut plain, mut plain_len, mut is_refused) = (Some(Vec::new()), 0, false);
    let mut take = |bytes: &[u8]| {
        plain_len += bytes.len() as u64;
        if plain_len > most {
            is_refused = true;
            return Err(Error::GivenUp);
        }
        match &mut plain {
            Some(kept) if kept.len() + bytes.len() <= KEPT_MAX => kept.extend_from_slice(bytes),
            _ => plain = None,
        }
        Ok(())
    };
    let counted = Counted::new(scout.place);
    let decoded = decode_into(scout, &counted, unit, is_limited, options, &mut take);
    let examined = counted.read();
    let made = if matches!(decoded, Ok((_, Ok(())))) { plain_len } else { plain_len.max(at_once) };
    scout.effort.spend(purpose, examined, made);
    if is_refused {
        scout.effort.refuse();
        return Ok(Trial { examined, made, purpose, ..Trial::refused(unit) });
    }
    let (end, result) = decoded?;
    Ok(Trial { unit, plain, plain_len, end, result, is_limited, is_refused, examined, made, purpose })
}

/// Decodes a unit that is right once more, and gives its plain data to `take`. Returns whether it is right.
pub(super) fn decode_again(
    scout: &Scout,
    unit: Candidate,
    is_limited: bool,
    options: &Decode,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<Result<()>> {
    let counted = Counted::new(scout.place);
    let mut made = 0;
    let mut take = |bytes: &[u8]| {
        made += bytes.len() as u64;
        take(bytes)
    };
    let decoded = decode_into(scout, &counted, unit, is_limited, options, &mut take);
    scout.effort.spend(Purpose::Shown, counted.read(), made);
    Ok(decoded?.1)
}

/// Whether the end that a unit claims is a guess.
fn guesses_ends(scout: &Scout, unit: &Candidate) -> bool {
    scout.probe(unit.format).is_some_and(|probe| probe.guesses_ends())
}

/// Counts what is read of an input.
pub(super) struct Counted<'a> {
    place: RandomAccess<'a>,
    read: AtomicU64,
}

impl<'a> Counted<'a> {
    pub(super) fn new(place: RandomAccess<'a>) -> Self {
        Self { place, read: AtomicU64::new(0) }
    }

    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let read = self.place.read_at(buffer, offset)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.place.len(0)?)
    }
}

/// Decodes a unit, and gives its plain data to `take`. Returns what follows it, and whether it is right.
fn decode_into(
    scout: &Scout,
    counted: &Counted,
    unit: Candidate,
    is_limited: bool,
    options: &Decode,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<(Place, Result<()>)> {
    let limit = unit.claim.filter(|_| is_limited);
    let coded = unit.start.at..limit.map_or(scout.len, |claim| claim.at);
    let limit = limit.filter(|_| !guesses_ends(scout, &unit));
    let Alone { end, after, result } =
        decode_alone(RandomAccess::Source(counted), coded, (unit.format, unit.context()), options, take)?;
    let has_lone_blocks = unit.format.codec().places().has_lone_blocks();
    let inside = match after {
        After::Inside(context) if has_lone_blocks => Some((unit.format, context)),
        _ if has_lone_blocks => None,
        _ => unit.start.inside,
    };
    let end = Place { at: end, inside };
    let result = result.and_then(|()| match limit {
        Some(claim) if claim.at != end.at => {
            let what = "the frame that begins there does not end where its header says";
            Err(Error::corrupt(unit.format.name(), unit.start.at, what))
        }
        _ => Ok(()),
    });
    Ok((end, result))
}
