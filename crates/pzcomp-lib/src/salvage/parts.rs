//! Salvages the parts of a frame whose header states no length, as most gzip members are.
//!
//! `salvager.rs` calls [`Salvager::parts`] at the start of such a frame. The probe of the format finds the parts that
//! can be decoded; they are decoded once more and written, and the report says which of them are not verified. The
//! place behind the frame goes out.

use super::Fault;
use super::salvager::Salvager;
use super::trial::Counted;
use crate::effort::Purpose;
use crate::error::{Error, Result};
use crate::format::probe::Rescued;
use crate::format::probe::{Candidate, Place};
use crate::format::restart::RestartPoint;
use engine::io::RandomAccess;

impl Salvager<'_> {
    /// Decodes a frame whose length is not stated, as far as it can be decoded. Returns where to go on.
    pub(super) fn parts(&mut self, unit: Candidate) -> Result<Place> {
        let start = unit.start.at;
        let effort = self.scout.effort;
        if effort.allows(Purpose::Shown).is_none() {
            return self.lost_from(unit.start, refused(), None);
        }
        let (Some(probe), Some(restarts)) =
            (self.scout.probe(unit.format), unit.format.codec().places().restarts())
        else {
            return Err(Error::Internal("a format without parts".into()));
        };
        let Some(member) = probe.rescue(self.scout.place, start..self.scout.len, effort)? else {
            let why = "the header of a member that begins there is not valid";
            let fault = Fault::of(why);
            return self.lost_from(unit.start, fault, None);
        };
        self.report.note_format(unit.format);
        let doubt = match (&member.fault, member.is_verified) {
            (_, true) => None,
            (Some(fault), _) => Some(fault.clone()),
            (None, false) => Some("the checksum of its member covers the damage too".into()),
        };
        let (end, is_refused) = (member.end, member.is_refused);
        // Refused places are behind the last part.
        let untried = effort.take_refusal() && !is_refused;
        for part in member.parts {
            match part {
                Rescued::Part(part) => {
                    let before = self.output.written();
                    let from = match &part.window {
                        None => RestartPoint::Frame,
                        Some(window) => RestartPoint::Block { bit: part.bit, window },
                    };
                    let sink = &mut self.output;
                    let mut take = |bytes: &[u8]| Ok(sink.write_all(bytes)?);
                    let coded = part.coded.clone();
                    let counted = Counted::new(self.scout.place);
                    let decoded = restarts.decode(RandomAccess::Source(&counted), coded, &from, &mut take);
                    effort.spend(Purpose::Shown, counted.read(), part.plain_len);
                    match decoded {
                        // A part that is cut off, or whose checksum is wrong, ends in an error behind its data.
                        Err(error) if !error.is_of_input() => return Err(error),
                        _ => {}
                    }
                    let output = before..self.output.written();
                    if output.end - output.start != part.plain_len {
                        return Err(Error::Internal(
                            "a part decoded to another length the second time".into(),
                        ));
                    }
                    self.advance_by(part.plain_len);
                    match &doubt {
                        None => {
                            self.report.frames += 1;
                            self.report.keep(start..end, output);
                        }
                        Some(why) => self.report.doubt(part.coded, output, why.clone()),
                    }
                }
                Rescued::Lost { coded, plain_len, why } => {
                    if untried && coded.end == end {
                        self.report.leave(coded.clone());
                    }
                    self.lose(coded, plain_len, 0, why)?;
                }
            }
        }
        if is_refused {
            effort.refuse();
            return self.lost_from(Place::outside(end), refused(), None);
        }
        Ok(Place::outside(end))
    }
}

/// A place at which nothing more is tried.
fn refused() -> Fault {
    let why = "it was not tried: so many places look like parts of members and are none that the search was cut short";
    Fault::of(why)
}
