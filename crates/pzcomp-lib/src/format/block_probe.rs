//! [`BlockProbe`]: the probe of formats whose streams are blocks that state their lengths.
//!
//! Such a block has no magic number. So `salvage/` believes a block only if headers lead on from it, or if it decodes.

use super::Cursor;
use super::blocks::{BlockFormat, Item, ItemKind, Look, look_at};
use super::probe::{Candidate, Here, InputView, Kind, Place, Probe};
use crate::error::Result;

pub(super) struct BlockProbe(pub(super) &'static dyn BlockFormat);

impl Probe for BlockProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let context = match start.inside {
            Some((_, context)) => context,
            None => self.0.first_context(),
        };
        let (look, _) = look_at(self.0, &mut *view.cursor(start.at), context)?;
        let inside = (context != 0).then_some((self.0.format(), context));
        let here = Place { at: start.at, inside };
        let skip = |end: Option<Place>| end.map_or(Here::Nothing, Here::Skip);
        Ok(Some(match look {
            Some(Look::Item(Item { len, kind: ItemKind::Block { plain_len, check } })) => {
                let claim = view.behind(start.at, len, inside);
                let (plain_len, has_check) = (Some(plain_len as u64), check != "-");
                let block = Candidate::new(here, self.0.format(), Kind::Frame);
                Here::Candidate(Candidate { claim, plain_len, has_check, ..block })
            }
            Some(Look::Item(Item { len, kind: ItemKind::Header { context } })) => {
                skip(view.behind(start.at, len, Some((self.0.format(), context))))
            }
            Some(Look::Item(Item { len, kind: ItemKind::End })) => skip(view.behind(start.at, len, None)),
            // Another stream may begin here.
            Some(Look::Outside | Look::Refused(_)) if start.inside.is_some() => return Ok(None),
            // The header is damaged. The blocks behind it are searched for with the usual context.
            Some(Look::Refused(_)) if context == 0 => {
                let inside = Some((self.0.format(), self.0.usual_context()));
                Here::Candidate(Candidate::new(Place { inside, ..start }, self.0.format(), Kind::Frame))
            }
            _ => Here::Nothing,
        }))
    }

    fn is_searched(&self) -> bool {
        self.0.is_searched()
    }

    fn first_bytes(&self) -> &'static [u8] {
        self.0.first_byte()
    }

    /// A block that holds data.
    fn begins_inside(&self, head: &[u8], inside: u8) -> Option<u8> {
        let look = || self.0.look(head, inside);
        let is_block = inside != 0
            && matches!(
                look(),
                Look::More(_) | Look::Item(Item { kind: ItemKind::Block { plain_len: 1.., .. }, .. })
            );
        is_block.then_some(inside)
    }

    fn may_lack_units(&self) -> bool {
        true
    }

    fn may_decode(&self, cursor: &mut dyn Cursor, candidate: &Candidate) -> Result<bool> {
        /// Chance is found out in a few bytes mostly.
        const HEAD_LENS: [usize; 3] = [64, 256, 1024];
        let Some(claim) = candidate.claim else { return Ok(true) };
        for len in HEAD_LENS {
            if len as u64 >= claim.at - candidate.start.at {
                break;
            }
            if !self.0.may_be_block(cursor.peek(len)?, candidate.context()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_once(&self, candidate: &Candidate) -> u64 {
        candidate.plain_len.unwrap_or(0)
    }

    fn is_cut_off(&self, candidate: &Candidate) -> bool {
        candidate.plain_len.is_some() && candidate.claim.is_none()
    }

    fn ratio_max(&self) -> u64 {
        self.0.ratio_max()
    }
}
