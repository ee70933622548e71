//! What begins at a place of a damaged lzip file.
//!
//! A member states its length at its end. So the ends of members are searched for, going forward only ([`Trailers`]):
//! each byte is searched once, whatever is asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use memchr::memmem;

use super::header::{HEADER_LEN, MAGIC, MEMBER_LEN_MIN, is_header};
use crate::error::Result;
use crate::format::probe::{Candidate, Here, InputView, Kind, Place, Probe, Searched};
use crate::format::{Format, SNIFF_LEN};

const FORMAT: Format = Format::Lzip;

/// The length of a member is in its last bytes, and its plain length is in the eight bytes before them.
const LENGTH_LEN: u64 = 8;

/// The most ends that are remembered.
const ENDS_MAX: usize = 1 << 16;

#[derive(Default)]
pub(super) struct MemberProbe {
    trailers: Mutex<Trailers>,
}

impl Probe for MemberProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        if !is_header(view.cursor(start.at).peek(SNIFF_LEN)?) {
            return Ok(Some(Here::Candidate(Candidate::new(start, FORMAT, Kind::Endless))));
        }
        let mut trailers = self.trailers.lock().unwrap_or_else(PoisonError::into_inner);
        let end = trailers.end_of(view, start.at)?;
        let (claim, mut plain_len) = (end.map(Place::outside), None);
        if let Some(at) = end.and_then(|end| end.checked_sub(2 * LENGTH_LEN)) {
            let mut stated = [0; LENGTH_LEN as usize];
            view.read(&mut stated, at)?;
            plain_len = Some(u64::from_le_bytes(stated));
        }
        let member = Candidate::new(start, FORMAT, Kind::Frame);
        Ok(Some(Here::Candidate(Candidate { claim, plain_len, ..member })))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }
}

/// The ends of members behind the front: for the place of each header, the first place at which the length before
/// another header, or at the end of the input, leads back to it.
#[derive(Default)]
struct Trailers {
    ends: BTreeMap<u64, u64>,
    searched: u64,
    bytes: Searched,
}

impl Trailers {
    /// The end of the member whose header is at `start`.
    fn end_of(&mut self, view: &dyn InputView, start: u64) -> Result<Option<u64>> {
        let front = view.effort().front();
        self.searched = self.searched.max(front);
        if self.ends.len() >= ENDS_MAX {
            self.ends.retain(|&start, _| start >= front);
        }
        while !self.ends.contains_key(&start) && self.searched < view.len() && self.ends.len() < ENDS_MAX {
            self.search(view)?;
        }
        Ok(self.ends.get(&start).copied())
    }

    fn search(&mut self, view: &dyn InputView) -> Result<()> {
        self.bytes.read(view, self.searched.saturating_sub(LENGTH_LEN))?;
        let is_last = self.bytes.end() >= view.len();
        let from = self.searched;
        for found in memmem::find_iter(self.bytes.from(from), &MAGIC) {
            let at = from + found as u64;
            if is_header(self.bytes.from(at)) {
                note(&mut self.ends, &self.bytes, at);
            }
        }
        if is_last {
            note(&mut self.ends, &self.bytes, view.len());
        }
        let behind = self.bytes.end().saturating_sub(HEADER_LEN as u64 - 1);
        self.searched = if is_last || behind <= from { view.len() } else { behind };
        Ok(())
    }
}

/// Notes where the member begins that may end at `end`.
fn note(ends: &mut BTreeMap<u64, u64>, bytes: &Searched, end: u64) {
    let stated = end.checked_sub(LENGTH_LEN).filter(|&at| at >= bytes.at);
    let Some(stated) = stated.and_then(|at| bytes.from(at).first_chunk()) else { return };
    let len = u64::from_le_bytes(*stated);
    if let Some(start) = end.checked_sub(len).filter(|_| len >= MEMBER_LEN_MIN as u64) {
        ends.entry(start).or_insert(end);
    }
}
