//! Decodes whole members, two at a time on one core: see [`decode_pair`].
//!
//! The input is members that are at hand completely, each with room for the length that its trailer states. The
//! decoder (`decoder.rs`) calls [`decode`] for several of them. Each of two streams takes the next member when it is
//! done with one.
//!
//! A member counts only if its CRC-32 and its length are right, and all members before it are right too.

use pzcomp_deflate::inflate::{Inflate, Invalid, Output, PairProgress, Pause, Stream, decode_pair};

use super::super::header::{FEXTRA, Header, TRAILER_LEN, is_bgzf};
use crate::format::Whole;
use crate::format::ffi::deflate::crc32;
use engine::Facts;

/// The fields of a whole member.
pub(super) struct WholeMember<'a> {
    pub(super) modified: u32,
    pub(super) body: &'a [u8],
    pub(super) crc: u32,
    /// Whether it is a block of BGZF with data, so that another one must follow.
    pub(super) lacks_end: bool,
}

impl<'a> WholeMember<'a> {
    pub(super) fn facts(&self) -> Facts {
        Facts { lacks_end: Some(self.lacks_end), ..member_facts(self.modified, Some(self.crc)) }
    }

    /// The fields of a member whose header has an extra field or no optional field. Nothing for other members.
    pub(super) fn of(coded: &'a [u8]) -> Option<Self> {
        let header = Header::parse(coded).filter(|header| header.flags & !FEXTRA == 0)?;
        let (body, trailer) = coded[header.len..].split_last_chunk::<TRAILER_LEN>()?;
        let (&[c0, c1, c2, c3, ref plain_len @ ..], &[_, _, _, _, m0, m1, m2, m3, ..]) = (trailer, coded)
        else {
            return None;
        };
        let modified = u32::from_le_bytes([m0, m1, m2, m3]);
        let lacks_end = is_bgzf(coded) && *plain_len != [0; 4];
        Some(Self { modified, body, crc: u32::from_le_bytes([c0, c1, c2, c3]), lacks_end })
    }
}

/// The facts of a member: when its file was modified, and its CRC-32. A time of 0 in its header means that there is
/// none.
pub(crate) fn member_facts(modified: u32, crc: Option<u32>) -> Facts {
    Facts { first: (modified > 0).then_some(modified), last: crc, ..Facts::default() }
}

/// A member that is being decoded.
struct OpenMember<'l, 'm> {
    inflate: &'l mut Inflate,
    number: usize,
    fields: WholeMember<'m>,
    plain: &'m mut [u8],
    read: usize,
    filled: usize,
}

/// The members that have not been begun.
struct Unbegun<'r, 'm> {
    wholes: &'r mut [Whole<'m>],
    next: usize,
}

impl<'m> Unbegun<'_, 'm> {
    /// Begins the next member. Nothing if there is none, or its header is unusual.
    fn begin<'l>(&mut self, inflate: &'l mut Inflate) -> Option<OpenMember<'l, 'm>> {
        let Whole { coded, plain } = std::mem::take(self.wholes.get_mut(self.next)?);
        let (number, fields) = (self.next, WholeMember::of(coded)?);
        self.next += 1;
        inflate.reset_whole();
        Some(OpenMember { inflate, number, fields, plain, read: 0, filled: 0 })
    }
}

impl<'l, 'm> OpenMember<'l, 'm> {
    /// Notes the result of a step. At the end of the member, returns whether it agrees with its trailer.
    fn note_step(&mut self, turn: Result<PairProgress, Invalid>, filled: usize) -> Option<bool> {
        let Ok(PairProgress { read, pause }) = turn else { return Some(false) };
        self.read += read;
        self.filled = filled;
        let is_whole = self.read == self.fields.body.len() && self.filled == self.plain.len();
        Some(pause? == Pause::End && is_whole && crc32(0, self.plain) == self.fields.crc)
    }

    /// Decodes to the end. Returns whether the member agrees with its trailer.
    fn finish_alone(mut self) -> bool {
        let mut output = Output::new(self.plain, self.filled);
        let progress = self.inflate.run(&self.fields.body[self.read..], &mut output);
        let filled = output.filled();
        self.note_step(progress.map(PairProgress::from), filled).unwrap_or(false)
    }
}

/// Decodes members of known length. Returns how many of the first agree with their trailers.
pub(super) fn decode([first, second]: [&mut Inflate; 2], wholes: &mut [Whole]) -> usize {
    let mut unbegun = Unbegun { wholes, next: 0 };
    // One bit for each member. There are at most 64.
    let mut good = 0_u64;
    let mut note = |number: usize, is_good: bool| good |= u64::from(is_good) << number;
    let (mut one, mut other) = (unbegun.begin(first), unbegun.begin(second));
    while let (Some(a), Some(b)) = (&mut one, &mut other) {
        let (mut output, mut other_output) = (Output::new(a.plain, a.filled), Output::new(b.plain, b.filled));
        let (turn, other_turn) = decode_pair(
            Stream { inflate: a.inflate, input: &a.fields.body[a.read..], output: &mut output },
            Stream { inflate: b.inflate, input: &b.fields.body[b.read..], output: &mut other_output },
        );
        let (filled, other_filled) = (output.filled(), other_output.filled());
        let ended = a.note_step(turn, filled);
        let other_ended = b.note_step(other_turn, other_filled);
        for (member, ended) in [(&mut one, ended), (&mut other, other_ended)] {
            if let Some(is_good) = ended
                && let Some(OpenMember { inflate, number, .. }) = member.take()
            {
                note(number, is_good);
                // Members behind a wrong one do not count.
                *member = if is_good { unbegun.begin(inflate) } else { None };
            }
        }
    }
    for member in [one, other].into_iter().flatten() {
        note(member.number, member.finish_alone());
    }
    good.trailing_ones() as usize
}
