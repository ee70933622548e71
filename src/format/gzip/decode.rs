//! Decoding for the pipeline: members as a whole, or as they come, from their header or from inside.
//!
//! A job that begins inside a member hopes that nothing in it refers to what is before. Where something
//! does, it goes on without knowing that ([`lane`]), until the job before it hands its window on.
//!
//! Each job has the CRC-32 and the length of its part. Together with those before, they are compared with
//! the trailer by the job that meets the end of the member.

use crc32fast::Hasher;
use pzcomp_deflate::inflate::{
    Boundary, Defect, Inflate, Invalid, Output, Pause, Progress, Resolver, WINDOW_LEN,
};

use super::super::ffi::deflate::{Decompressor, crc32};
use super::NAME;
use super::header::{FEXTRA, FIXED_LEN, Header, TRAILER_LEN, read_header};
use super::lane::{self, Both, Lane};
use super::members::{self, Parts};
use crate::error::{Damage, Error, Result};
use crate::format::{After, Decoder, WHOLES_MAX, Whole};
use crate::pipeline::{Emitter, Facts, HANDED_ON_LEN, RunningSum, Source, WHOLE_CODED_MAX};

const _: () = assert!(WINDOW_LEN <= HANDED_ON_LEN);

/// Decodes members and parts of members.
pub(super) struct MemberDecoder {
    whole: Decompressor,
    lane: Lane,
    /// For the part behind that of the other.
    second: Option<Box<Lane>>,
    /// Where the part begins that was last decoded beside the one before it, or left out because of what had been in vain.
    tried: Option<u64>,
    wary: Backoff,
    resolver: Resolver,
    after: After,
    /// Of what was decoded last.
    facts: Facts,
}

impl MemberDecoder {
    /// Nothing if there is no memory.
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            whole: Decompressor::new()?,
            lane: Lane::new(),
            second: None,
            tried: None,
            wary: Backoff::default(),
            resolver: Resolver::new(),
            after: After::Outside,
            facts: Facts::default(),
        })
    }

    /// Decodes to the end of the member, or to the end of the span if a block ends there.
    fn blocks(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        loop {
            let here = self.both(source, out)?;
            let stream = &mut self.lane.stream;
            if let Some(boundary) = stream.boundary() {
                let is_end = source.available()?.is_empty();
                if source.unit_here().is_some_and(|unit| unit.tag.context == boundary.to_byte()) {
                    // As if the job had ended, which it would have if it had got but one part.
                    out.flush()?;
                }
                if is_end {
                    source.hand_on_window(stream.window(), !stream.window_is_missing());
                    if stream.window().len() == WINDOW_LEN {
                        source.publish_window(0, boundary.to_byte(), stream.window());
                    }
                    self.after = After::Inside(boundary.to_byte());
                    return Ok(());
                }
            }
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let coded = &coded[..coded.len().min(here)];
            let mut behind = RunningSum::NOTHING;
            let progress = step(stream, coded, out, &mut behind)?;
            *source.sum() = behind.behind(*source.sum());
            match progress {
                Ok(progress) => {
                    source.consume(progress.read);
                    match progress.pause {
                        Pause::End => break,
                        Pause::Window if source.has_window() => {
                            stream.set_window(source.window()?);
                        }
                        Pause::Window => self.ahead(source, out)?,
                        Pause::Input if ended => return Err(truncated(source)?),
                        Pause::Input | Pause::Output => {}
                    }
                }
                Err(invalid) => return Err(corrupt(source, invalid)?),
            }
        }
        self.after = After::Outside;
        self.facts.crc = Some(verify(source)?);
        Ok(())
    }

    /// Decodes without the window until that is there.
    fn ahead(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let (sum, invalid) = lane::ahead(&mut self.lane, &mut self.resolver, source, out)?;
        *source.sum() = sum.behind(*source.sum());
        invalid.map_or(Ok(()), |invalid| Err(corrupt(source, invalid)?))
    }

    /// Decodes the part that is said to follow beside this one, if both are at hand. How many bytes there are before
    /// another part.
    fn both(&mut self, source: &mut Source, out: &mut Emitter) -> Result<usize> {
        let (next, is_whole) = source.next_unit();
        let Some(next) = next.filter(|next| next.tag.context != 0) else { return Ok(usize::MAX) };
        let len = usize::try_from(next.start - source.offset()).unwrap_or(usize::MAX);
        if !is_whole || len > PAIR_LEN / 2 || self.tried == Some(next.start) {
            return Ok(len);
        }
        self.tried = Some(next.start);
        if self.wary.holds_back() || source.gather(PAIR_LEN)?.len() <= len {
            return Ok(len);
        }
        let second = self.second.get_or_insert_with(|| Box::new(Lane::new()));
        let boundary = Boundary::from_byte(next.tag.context);
        let both = lane::both([&mut self.lane, second], &mut self.resolver, source, (len, boundary), out)?;
        let Both { sum, read, invalid, is_joined } = both;
        self.wary.was_right(is_joined);
        *source.sum() = sum.behind(*source.sum());
        if let Some(invalid) = invalid {
            return Err(corrupt(source, invalid)?);
        }
        source.consume(read);
        Ok(if is_joined { usize::MAX } else { len - read })
    }
}

/// Two parts that are decoded beside each other are so long at the most.
const PAIR_LEN: usize = 2 << 20;

/// Does something less often, the more often it was in vain.
#[derive(Default)]
struct Backoff {
    left: u32,
    /// How often it is left out after the next time in vain.
    next: u32,
}

impl Backoff {
    const MAX: u32 = 64;

    /// Whether it is left out this time.
    fn holds_back(&mut self) -> bool {
        let holds = self.left > 0;
        self.left = self.left.saturating_sub(1);
        holds
    }

    fn was_right(&mut self, was_right: bool) {
        self.next = if was_right { 0 } else { (2 * self.next + 1).min(Self::MAX) };
        self.left = self.next;
    }
}

impl Decoder for MemberDecoder {
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        coded.last_chunk::<4>().map(|isize| u32::from_le_bytes(*isize) as usize)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let Some(Parts { modified, body, crc }) = Parts::of(coded) else { return false };
        self.after = After::Outside;
        self.facts = Facts::of_member(modified, Some(crc));
        self.whole.decompress_exactly(body, plain) && crc32(0, plain) == crc
    }

    fn together(&self) -> bool {
        true
    }

    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        let mut facts = [Facts::default(); WHOLES_MAX + 1];
        for (frame, facts) in frames.iter().zip(&mut facts[1..]) {
            *facts = Parts::of(frame.coded)
                .map_or_else(Facts::default, |parts| Facts::of_member(parts.modified, Some(parts.crc)));
        }
        let second = self.second.get_or_insert_with(|| Box::new(Lane::new()));
        let count = members::decode([&mut self.lane.stream, &mut second.stream], frames);
        self.after = After::Outside;
        self.facts = facts[..=count].iter().copied().reduce(Facts::then).unwrap_or_default();
        count
    }

    /// A member that says how long its coded form is has its plain length at the end of that.
    fn stated_len(&self, source: &mut Source, context: u8, coded_len: Option<usize>) -> Result<Option<u64>> {
        let coded_len = match coded_len {
            _ if context != 0 => None,
            Some(len) => Some(len),
            None => stated_coded_len(source)?,
        };
        let Some(coded_len) = coded_len else { return Ok(None) };
        let member = source.gather_inside(coded_len)?.get(..coded_len);
        let plain_len = member.and_then(|member| member.last_chunk()).copied().map(u32::from_le_bytes);
        Ok(plain_len.map(u64::from))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        self.facts = Facts::default();
        if context != 0 {
            self.lane.stream.reset_inside(Boundary::from_byte(context));
            out.continue_frame();
        } else {
            let member = source.offset();
            *source.sum() = RunningSum::starting(member);
            let Some(header) = read_header(|bytes| source.read_exact(bytes), member)? else {
                return Err(truncated(source)?);
            };
            self.facts = Facts::of_member(header.modified, None);
            self.lane.stream.reset();
        }
        self.blocks(source, out)
    }

    fn after(&self) -> After {
        self.after
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn frames(&self) -> u64 {
        (self.after == After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        if source.inside()?.is_empty() {
            return Err(truncated(source)?);
        }
        self.blocks(source, out)
    }
}

/// The coded length that the header of the member here states, if the member is short enough to be gathered.
fn stated_coded_len(source: &mut Source) -> Result<Option<usize>> {
    let fixed = source.gather_inside(FIXED_LEN + 2)?;
    let has_extra = fixed.get(3).is_some_and(|flags| flags & FEXTRA != 0);
    let extra_len =
        fixed.get(FIXED_LEN..).and_then(|bytes| bytes.first_chunk().copied()).map(u16::from_le_bytes);
    let Some(extra_len) = extra_len.filter(|_| has_extra) else { return Ok(None) };
    let header = Header::parse(source.gather_inside(FIXED_LEN + 2 + usize::from(extra_len))?);
    let size = header.and_then(|header| header.size).and_then(|size| usize::try_from(size).ok());
    Ok(size.filter(|&size| size <= WHOLE_CODED_MAX))
}

/// Decodes as much as there is input or room for; `sum` is continued.
pub(super) fn step(
    stream: &mut Inflate,
    coded: &[u8],
    out: &mut Emitter,
    sum: &mut RunningSum,
) -> Result<std::result::Result<Progress, Invalid>> {
    let (piece, before) = out.room_behind(1)?;
    let mut output = Output::new(piece, before);
    let progress = stream.run(coded, &mut output);
    let written = output.filled() - before;
    sum.push(written as u64, crc32(0, &piece[before..before + written]), join);
    out.commit(written)?;
    Ok(progress)
}

/// The CRC-32 of two parts, the second of so many bytes.
pub(crate) fn join(before: u32, crc: u32, len: u64) -> u32 {
    let mut both = Hasher::new_with_initial(before);
    both.combine(&Hasher::new_with_initial_len(crc, len));
    both.finalize()
}

/// Where the member begins that is being decoded; waits for all before it to be certain.
fn member(source: &Source) -> Result<u64> {
    Ok(source.whole_sum()?.start().unwrap_or(source.offset()))
}

/// The error of a member that is not valid.
fn corrupt(source: &Source, Invalid { read, defect }: Invalid) -> Result<Error> {
    // Who decodes ahead does not know at which place a distance turned out to be too long.
    let place = match defect {
        Defect::Distance => String::new(),
        _ => format!(" at offset {}", source.offset() + read as u64),
    };
    let what = format!("the DEFLATE stream of the member that begins there is not valid{place}: {defect}");
    Ok(Error::corrupt(NAME, member(source)?, what))
}

/// The error of a member that the input ends in.
fn truncated(source: &Source) -> Result<Error> {
    Ok(Error::Truncated { format: NAME, frame: member(source)?, offset: source.offset() })
}

/// Compares the trailer, which comes next, with what was decoded; the CRC-32.
fn verify(source: &mut Source) -> Result<u32> {
    let mut trailer = [0; TRAILER_LEN];
    if !source.read_exact(&mut trailer)? {
        return Err(truncated(source)?);
    }
    let whole = source.whole_sum()?;
    let (crc, len) = (whole.sum(), whole.count() as u32);
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer;
    let (said, said_len) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if said != crc {
        let damage = if said_len == len { Damage::Check } else { Damage::Both };
        let what = format!("the member that begins there has the CRC-32 {crc:08x}, expected {said:08x}");
        return Err(Error::corrupt(NAME, member(source)?, what).by(damage));
    }
    if said_len != len {
        let what =
            format!("the member that begins there is {len} bytes long (modulo 2^32), expected {said_len}");
        return Err(Error::corrupt(NAME, member(source)?, what).by(Damage::Length));
    }
    Ok(crc)
}
