//! Decodes what is left of a damaged gzip member that states no size.
//!
//! [`scan_member`] decodes a member and verifies it. If the DEFLATE stream turns out to be damaged, the part before it
//! ends at the last [`Anchor`]: a place up to which the form of the blocks shows no damage. Then
//! `resync.rs` finds the next block whose window is known, and the next part begins there.
//!
//! `salvage/` calls it. Nothing is put out here: each [`RescuedPart`] says how [`super::decode_part`] decodes it.

use std::ops::Range;

use pzcomp_deflate::inflate::{Boundary, Inflate, Output, Pause};

use super::super::header::TRAILER_LEN;
use super::super::probe::RATIO_MAX;
use super::header_fields::read_header;
use super::restart::{MemberSum, PartInput, verify};
use super::resync::{BlockStart, Next, Resync, enter};
use crate::effort::{Effort, Purpose};
use crate::error::{Error, Result};
use crate::format::probe::{Rescued, RescuedFrame, RescuedPart};
use engine::io::RandomAccess;

/// The most parts and gaps of a member. Each part has its window in memory until it is written.
const PARTS_MAX: usize = 1 << 10;

/// How much plain data is decoded at a time.
const PLAIN_LEN: usize = 256 << 10;

/// Why a stretch of blocks ended.
enum Stretch {
    /// The stream has ended.
    End,
    /// The input ends inside a block.
    Cut,
    Invalid(String),
    /// No more may be decoded.
    Refused,
}

/// Decodes the member at the start of `range`. `None` if no header is there. All work goes through the account. What is
/// decoded up to an anchor counts as kept.
pub(in crate::format::gzip) fn scan_member(
    place: RandomAccess,
    range: Range<u64>,
    effort: &Effort,
) -> Result<Option<RescuedFrame>> {
    let (start, len) = (range.start, range.end);
    let mut input = PartInput::new(place, range);
    match read_header(|bytes| input.fill(bytes), start) {
        Ok(Some(_)) => {}
        Ok(None) => return Ok(None),
        Err(error) if error.is_of_input() => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut scan = MemberScan { plain: vec![0; PLAIN_LEN], inflate: Inflate::new() };
    let mut resync = None;
    let mut member =
        RescuedFrame { parts: Vec::new(), end: len, fault: None, is_verified: false, is_refused: false };
    let mut from = BlockStart { at: start, bit: 0 };
    let mut window = None;
    let mut kept_len = 0_u64;
    loop {
        let before = input.has_read;
        let stretch = scan.stretch(&mut input, effort)?;
        effort.spend(Purpose::Shown, input.has_read - before, 0);
        let Decoded { anchor, all_len, all_crc, why } = stretch;
        let is_whole = matches!(why, Stretch::End | Stretch::Cut);
        effort
            .keep(all_len.saturating_sub(anchor.map_or(0, |anchor| anchor.plain_len)) * u64::from(is_whole));
        let last = anchor.map(|anchor| anchor.start);
        let (plain_len, coded_end) = match anchor {
            _ if is_whole => (all_len, input.offset()),
            Some(Anchor { start, plain_len }) => (plain_len, start.bytes_before()),
            None => (0, from.at),
        };
        kept_len += plain_len;
        let is_first = window.is_none();
        if plain_len > 0 || is_first && is_whole {
            let coded = from.at..coded_end;
            member.parts.push(Rescued::Part(RescuedPart {
                coded,
                bit: from.bit,
                window: window.take(),
                plain_len,
            }));
        }
        match why {
            Stretch::End => {
                let mut trailer = [0; TRAILER_LEN];
                if !input.fill(&mut trailer)? {
                    let what = "the file ends before the checksum of the member".to_owned();
                    member.parts.push(Rescued::Lost {
                        coded: len..len,
                        plain_len: Some(0),
                        why: what.clone(),
                    });
                    member.fault = Some(what);
                    return Ok(Some(member));
                }
                member.end = input.offset();
                if member.parts.iter().any(|part| matches!(part, Rescued::Lost { .. })) {
                    let [.., l0, l1, l2, l3] = trailer;
                    member.set_lost_len(kept_len, u32::from_le_bytes([l0, l1, l2, l3]));
                    return Ok(Some(member));
                }
                let found = Some(MemberSum { crc: all_crc, len: all_len });
                match verify(found, trailer, start) {
                    Ok(()) => member.is_verified = true,
                    Err(Error::Corrupt { what, .. }) => member.fault = Some(what),
                    Err(error) => return Err(error),
                }
                return Ok(Some(member));
            }
            Stretch::Cut => {
                let why = "the file ends inside the member".to_owned();
                member.parts.push(Rescued::Lost { coded: len..len, plain_len: None, why });
                return Ok(Some(member));
            }
            Stretch::Refused => {
                (member.end, member.is_refused) = (coded_end.max(from.at), true);
                return Ok(Some(member));
            }
            Stretch::Invalid(why) => {
                let from_byte = coded_end.max(from.at);
                let resync = resync.get_or_insert_with(|| Resync::new(place, len, effort));
                let next = match member.parts.len() < PARTS_MAX {
                    true => resync.find_known(last.unwrap_or(from))?,
                    false => Next::Refused,
                };
                let lost =
                    |end: u64| Rescued::Lost { coded: from_byte..end, plain_len: None, why: why.clone() };
                match next {
                    Next::Known { start, window: known } => {
                        member.parts.push(lost(start.at));
                        input = PartInput::new(place, start.at..len);
                        let boundary = enter(&mut input, start)?;
                        scan.inflate.reset_inside(boundary);
                        scan.inflate.set_window(&known);
                        (from, window) = (start, Some(known));
                    }
                    Next::Refused => {
                        effort.refuse();
                        (member.end, member.is_refused) = (from_byte, true);
                        return Ok(Some(member));
                    }
                    Next::End(end) => {
                        member.parts.push(lost(end));
                        member.end = end;
                        return Ok(Some(member));
                    }
                }
            }
        }
    }
}

impl RescuedFrame {
    /// Sets the plain length of the gap, if there is one gap. The trailer states the length of all data, modulo 2^32.
    fn set_lost_len(&mut self, kept_len: u64, stated: u32) {
        let mut gaps = self.parts.iter_mut().filter_map(|part| match part {
            Rescued::Lost { coded, plain_len, .. } => Some((coded, plain_len)),
            Rescued::Part(_) => None,
        });
        let (Some((coded, plain_len)), None) = (gaps.next(), gaps.next()) else { return };
        let missing = u64::from(stated.wrapping_sub(kept_len as u32));
        // The gap may also hold bits of the bytes beside it.
        let most = (coded.end.saturating_sub(coded.start) + 2).saturating_mul(RATIO_MAX);
        *plain_len = (most <= u64::from(u32::MAX) && missing <= most).then_some(missing);
    }
}

/// What [`MemberScan::stretch`] has decoded.
struct Decoded {
    /// The last place up to which the blocks are believed. Nothing if that is the start.
    anchor: Option<Anchor>,
    /// The plain length and the CRC-32 up to the end.
    all_len: u64,
    all_crc: u32,
    why: Stretch,
}

/// A place between two blocks up to which the blocks are believed, although an error follows.
///
/// Damage inside a block mostly makes the decoder see the end of the block too early. The bits that follow there look
/// like any bits. They are hardly ever a valid header of a dynamic or a stored block, but often one of a fixed block,
/// which soon ends by chance. So the damage is not before the last block that has a valid header of the first two
/// kinds, or is a long fixed block. The anchor is the start of this block, or its end if it is stored: a stored block
/// has no codes.
#[derive(Clone, Copy)]
struct Anchor {
    start: BlockStart,
    plain_len: u64,
}

/// The block that is being decoded.
#[derive(Clone, Copy)]
struct OpenBlock {
    /// `None` for the first block.
    start: Option<Anchor>,
    /// Offset of the first byte that belongs to this block alone.
    offset: u64,
    kind: BlockKind,
}

/// The kind of a block, as the first bits of its header state it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Stored,
    Fixed,
    Dynamic,
    Reserved,
}

impl BlockKind {
    /// The kind of the block at this boundary, before `next`.
    fn at(boundary: Boundary, next: Option<u8>) -> Self {
        let known = boundary.bits();
        let bits = u32::from(boundary.to_byte()) & ((1 << known) - 1) | u32::from(next.unwrap_or(0)) << known;
        match bits >> 1 & 3 {
            0 => Self::Stored,
            1 => Self::Fixed,
            2 => Self::Dynamic,
            _ => Self::Reserved,
        }
    }
}

/// Chance ends a fixed block before it has so many coded bytes.
const FIXED_LEN_MIN: u64 = 2 << 10;

/// The decoder of a member.
struct MemberScan {
    plain: Vec<u8>,
    inflate: Inflate,
}

impl MemberScan {
    /// Decodes blocks up to the end of the stream, or to the first damage.
    fn stretch(&mut self, input: &mut PartInput, effort: &Effort) -> Result<Decoded> {
        let mut all = MemberSum::default();
        let (mut anchor, mut kept_len) = (None, 0);
        let first = self.inflate.boundary().unwrap_or(Boundary::WHOLE_BYTE);
        let kind = BlockKind::at(first, input.bytes()?.first().copied());
        let mut block = OpenBlock { start: None, offset: input.offset(), kind };
        let why = loop {
            let bytes = input.bytes()?;
            let is_end = bytes.is_empty();
            let mut output = Output::new(&mut self.plain, 0);
            let progress = self.inflate.run_to_boundary(bytes, &mut output);
            let filled = output.filled();
            all.update(&self.plain[..filled]);
            effort.spend(Purpose::Shown, 0, filled as u64);
            if effort.rest(Purpose::Shown) == 0 {
                effort.refuse();
                break Stretch::Refused;
            }
            let progress = match progress {
                Ok(progress) => progress,
                Err(invalid) => break Stretch::Invalid(invalid.defect.to_string()),
            };
            input.pass(progress.read);
            // The header was valid if there is output.
            let is_believed = match block.kind {
                BlockKind::Dynamic => filled > 0,
                BlockKind::Fixed => input.offset() - block.offset > FIXED_LEN_MIN,
                BlockKind::Stored | BlockKind::Reserved => false,
            };
            if is_believed && block.start.is_some() {
                anchor = block.start;
            }
            if let Some(Anchor { plain_len, .. }) = anchor
                && plain_len > kept_len
            {
                effort.keep(plain_len - kept_len);
                kept_len = plain_len;
            }
            match progress.pause {
                Pause::End => break Stretch::End,
                Pause::Window => break Stretch::Invalid("a distance reaches back before the window".into()),
                Pause::Input if is_end && progress.read == 0 && filled == 0 => break Stretch::Cut,
                _ => {}
            }
            if let Some(boundary) = self.inflate.boundary() {
                let offset = input.offset();
                let here = Anchor { start: BlockStart::of(offset, boundary), plain_len: all.len };
                if block.kind == BlockKind::Stored {
                    anchor = Some(here);
                }
                let kind = BlockKind::at(boundary, input.bytes()?.first().copied());
                block = OpenBlock { start: Some(here), offset, kind };
            }
        };
        Ok(Decoded { anchor, all_len: all.len, all_crc: all.crc, why })
    }
}
