//! Salvages a gzip member whose header states no length: the parts of it that can be decoded.
//!
//! `salvager.rs` calls [`Salvager::member`].

use super::salvager::{Fault, Salvager};
use super::scout::{Place, Unit};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::gzip::{self, Rescued, RestartPoint};

impl Salvager<'_> {
    /// Decodes a gzip member whose length is not stated, as far as it can be decoded. Returns where to go on.
    pub(super) fn member(&mut self, unit: Unit) -> Result<Place> {
        let start = unit.start.at;
        let Some(member) = gzip::scan_member(self.scout.place, start..self.scout.len)? else {
            let why = "the header of a member that begins there is not valid";
            let fault = Fault { why: why.into(), plain_len: None, claim: None, is_cut: false };
            return self.lost_from(unit.start, fault, None);
        };
        self.report.note_format(Format::Gzip);
        let doubt = match (&member.fault, member.is_verified) {
            (_, true) => None,
            (Some(fault), _) => Some(fault.clone()),
            (None, false) => Some("the checksum of its member covers the damage too".into()),
        };
        let end = member.end;
        for part in member.parts {
            match part {
                Rescued::Part(part) => {
                    let before = self.sink.written;
                    let from = match &part.window {
                        None => RestartPoint::Member,
                        Some(window) => RestartPoint::Block { bit: part.bit, window },
                    };
                    let sink = &mut self.sink;
                    let mut take = |bytes: &[u8]| sink.put(bytes);
                    let coded = part.coded.clone();
                    match gzip::decode_part(self.scout.place, coded, &from, &mut take) {
                        // A part that is cut off, or whose checksum is wrong, ends in an error behind its data.
                        Err(error) if !error.is_of_input() => return Err(error),
                        _ => {}
                    }
                    let output = before..self.sink.written;
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
                Rescued::Lost { coded, plain_len, why } => self.lose(coded, plain_len, 0, why)?,
            }
        }
        Ok(Place::outside(end))
    }
}
