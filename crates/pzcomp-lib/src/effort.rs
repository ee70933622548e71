//! [`Effort`]: the account of a salvage. It counts the bytes that are examined and decoded, and so bounds the time
//! whatever the input holds.
//!
//! The reads of `salvage/` and all trial decodes pass through it, also those inside of `format/gzip/`. Only a few reads
//! of fixed length do not. Work on trial is done for a [`Purpose`], and each purpose has its own limits, so that
//! guesses cannot use up the work that places with good evidence need. A limit grows with the *front*, the offset up to
//! which the input has been worked through, and with the plain bytes that were kept. So false headers use up only the
//! work that their own bytes have brought, and there is work left for intact data behind them.
//!
//! [`Effort::allows`] is asked before work begins. Work that has begun may examine all bytes behind the front once, and
//! may make as many plain bytes as the answer states. With these two rules the sums cannot exceed
//! [`SalvageEffort::examined_max`] and [`SalvageEffort::made_max`].

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// How many bytes are examined at most for each coded byte, and how many bytes trial decodes make at most for each
/// coded byte and each plain byte that is kept.
const TIMES: u64 = 20;

/// What is examined even if the input is very short.
const EXAMINED_ROOM: u64 = 4 << 10;

/// What trial decodes of each purpose make even if the input is very short: a few blocks of any format.
const MADE_ROOM: u64 = 8 << 20;

/// How many plain bytes a unit may make for each of its coded bytes if nothing was tried there before.
const MADE_OF_UNIT: u64 = 4;

/// What a salvage has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SalvageEffort {
    /// How many coded bytes were examined, by searches, as headers and by trial decodes. A byte counts as often as it
    /// was examined.
    pub examined: u64,
    /// How many plain bytes trial decodes have made.
    pub made: u64,
}

impl SalvageEffort {
    /// The most that a salvage of so many coded bytes examines.
    pub fn examined_max(coded_len: u64) -> u64 {
        coded_len.saturating_mul(TIMES).saturating_add(PURPOSES as u64 * EXAMINED_ROOM)
    }

    /// The most that the trial decodes make, if so many plain bytes are written.
    pub fn made_max(coded_len: u64, written: u64) -> u64 {
        let bytes = coded_len.saturating_add(written);
        bytes.saturating_mul(TIMES).saturating_add(PURPOSES as u64 * MADE_ROOM)
    }
}

/// For what coded bytes are examined and decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To search, and to read indexes. This goes through the input a few times at most, and is always allowed.
    Scan,
    /// To read the headers at a place, and those to which they lead.
    Header,
    /// To decode on trial where only a magic number or a number that may be a length stands.
    Guess,
    /// To decode what headers or intact data lead to.
    Shown,
    /// To decode what follows such a unit, before its turn.
    Ahead,
}

const PURPOSES: usize = 5;

/// The limits of a purpose, in multiples.
struct Limits {
    /// What may be examined at the start, for each byte of the input.
    first: u64,
    /// How much more for each byte that is passed.
    passed: u64,
    /// What may be made at the start, for each byte of the input.
    made_first: u64,
    /// How much more for each byte that is passed or kept.
    made_passed: u64,
    /// The most that may ever be made, for each byte of the input and each that is kept.
    made_most: u64,
}

impl Purpose {
    /// Work that was allowed may examine the whole input once more. So the examined multiples of all purposes, each
    /// with one more, and those of `Scan` are at most [`TIMES`] together: 4 + (1 + 2 + 1) + (2 + 1 + 1) + (1 + 3 + 1) +
    /// (0 + 1 + 1). [`Effort::allows_unit`] adds one more to `Shown`. What is made ends at `made_most`: 2 + 12 + 2, and
    /// 4 more there.
    const fn limits(self) -> Limits {
        let none = Limits { first: 0, passed: 0, made_first: 0, made_passed: 0, made_most: 0 };
        match self {
            Self::Scan => none,
            Self::Header => Limits { first: 1, passed: 2, ..none },
            Self::Guess => Limits { first: 2, passed: 1, made_first: 1, made_passed: 1, made_most: 2 },
            Self::Shown => Limits { first: 1, passed: 3, made_first: 2, made_passed: 4, made_most: 12 },
            Self::Ahead => Limits { first: 0, passed: 1, made_first: 1, made_passed: 1, made_most: 2 },
        }
    }
}

/// What was done for a purpose.
#[derive(Debug, Default)]
struct Account {
    examined: AtomicU64,
    made: AtomicU64,
}

/// The account of a salvage.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    len: u64,
    front: AtomicU64,
    kept: AtomicU64,
    /// The end of the units that were tried.
    tried: AtomicU64,
    accounts: [Account; PURPOSES],
    has_refused: AtomicBool,
}

impl Effort {
    /// For an input of this length.
    pub(crate) fn new(len: u64) -> Self {
        Self { len, ..Self::default() }
    }

    /// Up to where the input has been worked through.
    pub(crate) fn front(&self) -> u64 {
        self.front.load(Relaxed)
    }

    /// The input has been worked through up to this offset.
    pub(crate) fn pass(&self, offset: u64) {
        self.front.fetch_max(offset.min(self.len), Relaxed);
    }

    /// So many plain bytes are kept.
    pub(crate) fn keep(&self, plain_len: u64) {
        self.kept.fetch_add(plain_len, Relaxed);
    }

    /// Whether work may begin for this purpose, and how many plain bytes it may make. A refusal is remembered.
    pub(crate) fn allows(&self, purpose: Purpose) -> Option<u64> {
        let allowed = self.room(purpose);
        if allowed.is_none() {
            self.refuse();
        }
        allowed
    }

    /// Like [`Self::allows`] with [`Purpose::Shown`], for a unit that fills these coded bytes and states this plain
    /// length. A unit that states at most four plain bytes for each coded byte, and begins behind all units of which
    /// this was asked before, is allowed even if the limit is used up. Such units do not overlap, so their sum is
    /// bounded.
    pub(crate) fn allows_unit(&self, coded: Range<u64>, plain_len: Option<u64>) -> Option<u64> {
        let before = self.tried.fetch_max(coded.end, Relaxed);
        if let Some(rest) = self.room(Purpose::Shown)
            && (rest > 0 || coded.start < before)
        {
            return Some(rest);
        }
        let own = coded.end.saturating_sub(coded.start).saturating_mul(MADE_OF_UNIT);
        let is_short = coded.start >= before && plain_len.is_some_and(|len| len <= own);
        let rest = self.rest_to(Purpose::Shown, Purpose::Shown.limits().made_most + MADE_OF_UNIT);
        match is_short && rest > 0 {
            true => Some(own.min(rest)),
            false => self.allows(Purpose::Shown),
        }
    }

    /// How many plain bytes may still be made for this purpose.
    pub(crate) fn rest(&self, purpose: Purpose) -> u64 {
        self.rest_to(purpose, purpose.limits().made_most)
    }

    /// How many plain bytes are left of so many for each byte.
    fn rest_to(&self, purpose: Purpose, times: u64) -> u64 {
        let bytes = self.len.saturating_add(self.kept.load(Relaxed));
        let most = bytes.saturating_mul(times).saturating_add(MADE_ROOM);
        most.saturating_sub(self.account(purpose).made.load(Relaxed))
    }

    /// Like [`Self::allows`], for work that is tried again later. A refusal is not remembered.
    pub(crate) fn room(&self, purpose: Purpose) -> Option<u64> {
        let Limits { first, passed, made_first, made_passed, .. } = purpose.limits();
        let account = self.account(purpose);
        let (front, kept) = (self.front(), self.kept.load(Relaxed));
        let times = |bytes: u64, times: u64| bytes.saturating_mul(times);
        let examined_max = times(self.len, first).saturating_add(times(front, passed));
        let made_max =
            times(self.len, made_first).saturating_add(times(front.saturating_add(kept), made_passed));
        let made = account.made.load(Relaxed);
        let is_allowed = purpose == Purpose::Scan
            || account.examined.load(Relaxed) <= examined_max.saturating_add(EXAMINED_ROOM / 2)
                && made <= made_max.saturating_add(MADE_ROOM / 2);
        is_allowed.then(|| self.rest(purpose))
    }

    /// Notes that something was not tried.
    pub(crate) fn refuse(&self) {
        self.has_refused.store(true, Relaxed);
    }

    /// Whether something was refused since this was asked last.
    pub(crate) fn take_refusal(&self) -> bool {
        self.has_refused.swap(false, Relaxed)
    }

    /// Counts what was done.
    pub(crate) fn spend(&self, purpose: Purpose, examined: u64, made: u64) {
        let account = self.account(purpose);
        account.examined.fetch_add(examined, Relaxed);
        account.made.fetch_add(made, Relaxed);
    }

    /// Counts for the second purpose what was done for the first.
    pub(crate) fn transfer(&self, from: Purpose, to: Purpose, examined: u64, made: u64) {
        let account = self.account(from);
        account.examined.fetch_sub(examined, Relaxed);
        account.made.fetch_sub(made, Relaxed);
        self.spend(to, examined, made);
    }

    /// What was done for all purposes.
    pub(crate) fn sum(&self) -> SalvageEffort {
        let sum = |field: fn(&Account) -> &AtomicU64| {
            self.accounts.iter().map(|account| field(account).load(Relaxed)).sum()
        };
        SalvageEffort { examined: sum(|account| &account.examined), made: sum(|account| &account.made) }
    }

    fn account(&self, purpose: Purpose) -> &Account {
        &self.accounts[purpose as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Purpose; PURPOSES] =
        [Purpose::Scan, Purpose::Header, Purpose::Guess, Purpose::Shown, Purpose::Ahead];

    /// Work that takes all that it gets, at every offset, stays below both bounds, and is allowed again behind it.
    #[test]
    fn the_greediest_work_stays_below_the_bounds() {
        for len in [0, 100, 100_000, 10_000_000] {
            for kept_each in [0, 3] {
                let effort = Effort::new(len);
                effort.spend(Purpose::Scan, 4 * len, 0);
                let (mut kept, mut refusals) = (0, 0);
                for step in 0..=1000 {
                    effort.pass(len * step / 1000);
                    for purpose in ALL.into_iter().skip(1) {
                        for _ in 0..50 {
                            let Some(most) = effort.allows(purpose) else {
                                refusals += 1;
                                break;
                            };
                            let made = if purpose == Purpose::Header { 0 } else { most.min(len / 7 + 1000) };
                            effort.spend(purpose, len - effort.front(), made);
                        }
                    }
                    let unit = effort.front()..len * (step + 1).min(1000) / 1000;
                    if let Some(most) = effort.allows_unit(unit.clone(), Some(0)) {
                        effort.spend(Purpose::Shown, unit.end - unit.start, most.min(len / 7));
                    }
                    effort.keep(len * kept_each / 1000);
                    kept += len * kept_each / 1000;
                }
                let SalvageEffort { examined, made } = effort.sum();
                assert!(examined <= SalvageEffort::examined_max(len), "{examined} of {len}");
                assert!(made <= SalvageEffort::made_max(len, kept), "{made} of {len} and {kept}");
                assert!(len < 1000 || refusals > 1000 && effort.take_refusal() && !effort.take_refusal());
            }
        }
    }
}
