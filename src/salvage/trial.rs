//! Decodes units on trial: nothing is written before all of a unit is verified.
//!
//! [`Trials::get`] decodes a unit together with those that seem to follow it, on all threads. The plain data of short
//! units is kept until it is their turn. A longer unit is only verified, and decoded once more when it is written, so
//! that memory stays bounded.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::scout::{Here, Kind, Place, Scout, Unit};
use crate::decompress::{Alone, decode_alone};
use crate::error::{Error, Result};
use crate::format::{After, Format};
use crate::options::Options;

/// Plain data of a unit is kept if it is not longer.
const KEPT_MAX: usize = 4 << 20;

/// A unit of more coded bytes is not decoded together with others.
const SHARED_MAX: u64 = 8 << 20;

/// How many units are decoded together, for each thread.
const UNITS_EACH: usize = 2;

/// What came of a unit.
pub(super) struct Trial {
    pub(super) unit: Unit,
    /// The plain data, if it is short. Before an error, all that was decoded.
    pub(super) plain: Option<Vec<u8>>,
    pub(super) plain_len: u64,
    /// What follows it.
    pub(super) end: Place,
    pub(super) result: Result<()>,
    /// Whether nothing behind the end that its header states was read.
    pub(super) is_limited: bool,
}

/// Decodes units, and keeps what was decoded ahead.
pub(super) struct Trials<'a> {
    options: &'a Options,
    threads: usize,
    ahead: VecDeque<Trial>,
}

impl<'a> Trials<'a> {
    /// With `threads` threads.
    pub(super) fn new(options: &'a Options, threads: usize) -> Self {
        Self { options, threads: threads.max(1), ahead: VecDeque::new() }
    }

    /// What comes of this unit.
    pub(super) fn get(&mut self, scout: &Scout, unit: Unit) -> Result<Trial> {
        while let Some(trial) = self.ahead.pop_front() {
            if trial.unit == unit {
                return Ok(trial);
            }
        }
        let mut units = vec![unit];
        let is_short = |unit: &Unit, claim: &Place| claim.at - unit.start.at <= SHARED_MAX;
        while units.len() < UNITS_EACH * self.threads
            && let Some(last) = units.last()
            && last.kind == Kind::Frame
            && let Some(claim) = last.claim.filter(|claim| is_short(last, claim))
            && let Some(next) = following(scout, claim)?
            && next.claim.is_some_and(|claim| is_short(&next, &claim))
        {
            units.push(next);
        }
        self.ahead = decode_all(scout, &units, self.options, self.threads.min(units.len()))?;
        self.ahead.pop_front().ok_or_else(|| Error::Internal("a unit was not decoded".into()))
    }
}

/// The first unit at this place or behind bytes without data.
fn following(scout: &Scout, mut place: Place) -> Result<Option<Unit>> {
    /// More bytes without data are not passed for this.
    const SKIPS_MAX: usize = 8;
    for _ in 0..SKIPS_MAX {
        match scout.look(place)? {
            Here::Unit(unit) if unit.kind == Kind::Frame => return Ok(Some(unit)),
            Here::Skip(end) => place = end,
            Here::Unit(_) | Here::Nothing => break,
        }
    }
    Ok(None)
}

/// Decodes these units at the same time.
fn decode_all(scout: &Scout, units: &[Unit], options: &Options, threads: usize) -> Result<VecDeque<Trial>> {
    if threads <= 1 {
        return units.iter().map(|&unit| decode(scout, unit, true, options)).collect();
    }
    let done: Mutex<Vec<Option<Result<Trial>>>> = Mutex::new(units.iter().map(|_| None).collect());
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&unit) = units.get(at) else { break };
            let trial = decode(scout, unit, true, options);
            if let Some(slot) = done.lock().unwrap_or_else(PoisonError::into_inner).get_mut(at) {
                *slot = Some(trial);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // With fewer threads the others do all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let missing = || Err(Error::Internal("a unit was not decoded".into()));
    done.into_iter().map(|trial| trial.unwrap_or_else(missing)).collect()
}

/// Decodes a unit to the end that its header states, or without a limit.
pub(super) fn decode(scout: &Scout, unit: Unit, is_limited: bool, options: &Options) -> Result<Trial> {
    let (mut plain, mut plain_len) = (Some(Vec::new()), 0);
    let mut take = |bytes: &[u8]| {
        plain_len += bytes.len() as u64;
        match &mut plain {
            Some(kept) if kept.len() + bytes.len() <= KEPT_MAX => kept.extend_from_slice(bytes),
            _ => plain = None,
        }
        Ok(())
    };
    let (end, result) = decode_into(scout, unit, is_limited, options, &mut take)?;
    Ok(Trial { unit, plain, plain_len, end, result, is_limited })
}

/// Decodes a unit, and gives its plain data to `take`. Returns what follows it, and whether it is right.
pub(super) fn decode_into(
    scout: &Scout,
    unit: Unit,
    is_limited: bool,
    options: &Options,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<(Place, Result<()>)> {
    // A block of bzip2 may end in the byte in which the next one begins.
    let limit = unit.claim.filter(|_| is_limited && unit.format != Format::Bzip2);
    let coded = unit.start.at..limit.map_or(scout.len, |claim| claim.at);
    let Alone { end, after, result } =
        decode_alone(scout.place, coded, (unit.format, unit.context()), options, take)?;
    let inside = match (unit.format, after) {
        (Format::Bzip2, After::Inside(context)) => Some((Format::Bzip2, context)),
        (Format::Xz | Format::Qpress, _) => unit.start.inside,
        (format, _) if format.codec().blocks().is_some() => unit.start.inside,
        _ => None,
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
