//! The probe of qpress: which part of an archive begins at a place, and at which offset of its file a block belongs.
//!
//! `salvage/` asks through [`Probe`] and [`Offsets`]. `piece.rs` reads the headers.

use super::piece::{Piece, piece};
use super::{BLOCK_MAGIC, CHOSEN, MAGIC, PASSED, chunk_len};
use crate::error::Result;
use crate::format::Format;
use crate::format::probe::{Candidate, Here, InputView, Kind, Offsets, Place, Probe};
use crate::options::EntryChoice;

const FORMAT: Format = Format::Qpress;

pub(super) struct ArchiveProbe {
    /// Whether all files are wanted, and not only the first one.
    takes_all: bool,
}

impl ArchiveProbe {
    pub(super) fn new(entry: &EntryChoice) -> Self {
        Self { takes_all: *entry == EntryChoice::All }
    }
}

fn inside(context: u8) -> Option<(Format, u8)> {
    (context != 0).then_some((FORMAT, context))
}

impl Probe for ArchiveProbe {
    /// A block of a file that is not wanted is skipped.
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = start.context();
        Ok(Some(match piece(&mut *view.cursor(start.at), context, self.takes_all)? {
            None => Here::Nothing,
            Some(Piece::Skip { len, context }) => {
                view.behind(start.at, len, inside(context)).map_or(Here::Nothing, Here::Skip)
            }
            Some(Piece::Block { len, plain_len, .. }) => {
                let claim = view.behind(start.at, len, inside(context));
                match claim {
                    Some(end) if context == PASSED => Here::Skip(end),
                    None if context == PASSED => Here::Nothing,
                    _ => {
                        let start = Place { at: start.at, inside: inside(context) };
                        let block = Candidate::new(start, FORMAT, Kind::Frame);
                        Here::Candidate(Candidate { claim, plain_len: Some(plain_len), ..block })
                    }
                }
            }
        }))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn has_block_magic(&self) -> bool {
        true
    }

    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        let context = if inside == 0 { CHOSEN } else { inside };
        head.starts_with(&BLOCK_MAGIC).then_some(context)
    }

    fn may_lack_units(&self) -> bool {
        true
    }

    fn at_once(&self, candidate: &Candidate) -> u64 {
        candidate.plain_len.unwrap_or(0)
    }

    fn is_cut_off(&self, candidate: &Candidate) -> bool {
        candidate.claim.is_none()
    }

    fn ratio_max(&self) -> u64 {
        86
    }

    fn offsets(&self) -> Option<&dyn Offsets> {
        Some(self)
    }
}

impl Offsets for ArchiveProbe {
    fn offset(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>> {
        if self.takes_all || place.inside != inside(CHOSEN) {
            return Ok(None);
        }
        Ok(match piece(&mut *view.cursor(place.at), CHOSEN, false)? {
            Some(Piece::Block { offset, .. }) => Some(offset),
            _ => None,
        })
    }

    fn block_len(&self, view: &dyn InputView, place: Place) -> Result<Option<u64>> {
        if self.takes_all || place.inside != inside(CHOSEN) {
            return Ok(None);
        }
        let mut head = [0; 16];
        let read = view.read(&mut head, 0)?;
        Ok(Some(chunk_len(&head[..read]).unwrap_or(u64::MAX)))
    }

    fn unwanted(&self, place: Place) -> Place {
        Place { inside: inside(PASSED), ..place }
    }
}
