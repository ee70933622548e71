//! The probe of gzip: what the header of a member states, and which parts of a damaged member can be decoded.
//!
//! `salvage/` asks through [`Probe`]. A member whose header states its size is decoded as a whole. Any other member is
//! decoded in parts, which `read/` finds.

use std::ops::Range;

use super::header::{FIXED_LEN, Header};
use super::read::{is_member_start, scan_member};
use super::{MAGIC, is_member};
use crate::effort::Effort;
use crate::error::Result;
use crate::format::Format;
use crate::format::probe::{Candidate, Here, InputView, Kind, Place, Probe, RescuedFrame};
use engine::io::RandomAccess;

/// The header up to the length of its extra field.
const HEAD_LEN: usize = FIXED_LEN + 2;

/// Flags to which RFC 1952 gives no meaning.
const RESERVED: u8 = 0xe0;

/// DEFLATE makes at most this many plain bytes of one coded byte.
pub(super) const RATIO_MAX: u64 = 1032;

pub(super) struct MemberProbe;

impl Probe for MemberProbe {
    fn look(&self, view: &dyn InputView, start: Place) -> Result<Option<Here>> {
        let header = header_at(view, start.at)?;
        // A header may be of an old kind, or damaged. The decoder tells.
        let parts = Candidate::new(start, Format::Gzip, Kind::Parts { has_header: header.is_some() });
        let Some((size, header)) = header.and_then(|header| Some((header.size?, header))) else {
            return Ok(Some(Here::Candidate(parts)));
        };
        let claim = view.behind(start.at, size, None);
        let mut plain_len = None;
        if let Some(Place { at: end, .. }) = claim {
            let mut isize = [0; 4];
            view.read(&mut isize, end.saturating_sub(4))?;
            plain_len = Some(u32::from_le_bytes(isize).into());
        }
        let is_index = header.is_index || header.is_record;
        Ok(Some(Here::Candidate(Candidate { claim, plain_len, is_index, kind: Kind::Frame, ..parts })))
    }

    fn first_bytes(&self) -> &'static [u8] {
        &MAGIC[..1]
    }

    fn may_start(&self, head: &[u8]) -> bool {
        matches!(head, [_, _, 8, flags, ..] if flags & RESERVED == 0)
    }

    fn ratio_max(&self) -> u64 {
        RATIO_MAX
    }

    fn has_start(&self, view: &dyn InputView, range: Range<u64>) -> Result<bool> {
        is_member_start(view.place(), range, view.effort())
    }

    fn rescue(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        effort: &Effort,
    ) -> Result<Option<RescuedFrame>> {
        scan_member(place, range, effort)
    }
}

/// The header of the member that begins at this offset. `None` if none begins there.
fn header_at(view: &dyn InputView, at: u64) -> Result<Option<Header>> {
    let mut cursor = view.cursor(at);
    let head = cursor.peek(HEAD_LEN)?;
    let len = Header::extra_end(head).filter(|_| is_member(head)).unwrap_or(FIXED_LEN);
    let bytes = cursor.peek(len.max(HEAD_LEN))?;
    Ok(Header::parse(bytes).filter(|header| is_member(bytes) && header.flags & RESERVED == 0))
}
