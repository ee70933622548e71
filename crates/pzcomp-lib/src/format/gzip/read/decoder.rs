//! Decoding members and parts of members for the pipeline.
//!
//! The input of a worker is one or more whole members, or a member as a stream, or a part that begins inside a member.
//! The output goes to the emitter. [`MemberDecoder`] is the [`Decoder`] of gzip; the worker's coder
//! (`decompress/coder.rs`) calls it.
//!
//! A job that begins inside a member assumes that its part refers to nothing before it. Where a match does refer to
//! that, the job continues without the window ([`part`]) until the job before publishes it.
//!
//! Each job has the CRC-32 and the length of its own part. The job that meets the trailer joins them with those of the
//! jobs before, and compares them with the trailer. A part counts only if the part before ends, to the bit, where it
//! begins.

use pzcomp_deflate::inflate::{Boundary, Deferred, Inflate, Invalid, Output, Pause, Progress, Resolver};

use super::super::header::{BGZF_HEAD_LEN, FIXED_LEN, Header, is_bgzf};
use super::block_cuts::PART_LEN;
use super::deferred;
use super::header_fields::read_header;
use super::part::{self, Pair, PartDecoder};
use super::trailer::{corrupt, join_crcs, truncated, verify};
use super::whole_members::{self, WholeMember, member_facts};
use super::window;
use crate::error::Result;
use crate::format::ffi::deflate::{Decompressor, crc32};
use crate::format::{After, Decoder, WHOLES_MAX, Whole};
use engine::{Emitter, Facts, Mark, RunningSum, Source, WHOLE_CODED_MAX};

/// Two parts that are decoded at once have at most this many coded bytes together.
const PAIR_LEN: usize = 2 << 20;

/// Decodes members and parts of members.
pub(in crate::format::gzip) struct MemberDecoder {
    libdeflate: Decompressor,
    part: PartDecoder,
    /// Decodes a part whose window is not known, if there are two workers.
    deferred: Option<Box<Deferred>>,
    workers: usize,
    /// For the second of two parts that are decoded at once.
    second_part: Option<Box<PartDecoder>>,
    /// Offset of the last part for which it was decided whether to decode it together with the part before it.
    last_pair: Option<u64>,
    pair_backoff: Backoff,
    resolver: Resolver,
    after: After,
    /// Whether the job begins inside a member.
    begins_inside: bool,
    /// Of the members decoded last.
    facts: Facts,
}

impl MemberDecoder {
    /// For one of so many workers. Nothing if there is no memory.
    pub(in crate::format::gzip) fn new(workers: usize) -> Option<Self> {
        Some(Self {
            libdeflate: Decompressor::new()?,
            part: PartDecoder::new(),
            deferred: None,
            workers,
            second_part: None,
            last_pair: None,
            pair_backoff: Backoff::default(),
            resolver: Resolver::new(),
            after: After::Outside,
            begins_inside: false,
            facts: Facts::default(),
        })
    }

    /// Decodes to the end of the member, or to the end of the span if a block ends there.
    fn decode_blocks(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let result = self.decode_to_end(source, out);
        let fault = match &result {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(Invalid { read, .. })) => source.offset() + *read as u64,
            Err(_) => source.offset(),
        };
        // Other numbers of workers may have cut the member before the fault. Then a part of its output has left. So the
        // output leaves here too, and does not depend on the number of workers. Nothing is cut before the first part
        // is so long.
        if self.begins_inside || fault >= source.relay.job_start() + PART_LEN {
            out.flush()?;
        }
        result?.or_else(|invalid| Err(corrupt(source, invalid)?))
    }

    /// Does what [`Self::decode_blocks`] says, and returns the defect of the stream if there is one.
    fn decode_to_end(
        &mut self,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<std::result::Result<(), Invalid>> {
        loop {
            if let Some(invalid) = self.decode_pair(source, out)? {
                return Ok(Err(invalid));
            }
            let stream = &mut self.part.stream;
            if let Some(boundary) = stream.boundary() {
                out.flush_if_input_pauses(source)?;
                let is_end = source.available()?.is_empty();
                if source.units().marked_here().is_some_and(|unit| unit.tag.context == boundary.to_byte()) {
                    // Output leaves here as if the job ended here, which it does if its span has only one part. So the
                    // output before an error does not depend on the number of parts of a job.
                    out.flush()?;
                }
                if is_end {
                    window::hand_on(stream, boundary, source)?;
                    self.after = After::Inside(boundary.to_byte());
                    return Ok(Ok(()));
                }
            }
            out.flush_if_input_pauses(source)?;
            let at_hand = source.inside()?.len();
            let ended = at_hand == 0;
            // A unit is marked before its bytes come. So a step never passes the start of a part, where output leaves.
            let len = next_part(source).map_or(at_hand, |(_, len, _)| at_hand.min(len));
            let coded = &source.bytes()[..len];
            let mut sum = RunningSum::NOTHING;
            let progress = step(stream, coded, out, &mut sum)?;
            source.relay.add_sum(sum);
            match progress {
                Ok(progress) => {
                    source.consume(progress.read);
                    match progress.pause {
                        Pause::End => break,
                        Pause::Window if window::is_known(source) => {
                            stream.set_window(window::before(source)?);
                        }
                        Pause::Window => {
                            if let Some(invalid) = self.decode_without_window(source, out)? {
                                return Ok(Err(invalid));
                            }
                        }
                        Pause::Input if ended => return Err(truncated(source)?),
                        Pause::Input | Pause::Output => {}
                    }
                }
                Err(invalid) => return Ok(Err(invalid)),
            }
        }
        self.after = After::Outside;
        self.facts.last = Some(verify(source)?);
        Ok(Ok(()))
    }

    /// Decodes without the window until the window is there. Returns the defect of the stream if there is one.
    fn decode_without_window(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Option<Invalid>> {
        let (sum, invalid) = if self.workers == 2 {
            deferred::decode_without_window(&mut self.part.stream, &mut self.deferred, source, out)?
        } else {
            part::decode_without_window(&mut self.part, &mut self.resolver, source, out)?
        };
        source.relay.add_sum(sum);
        Ok(invalid)
    }

    /// Decodes this part and the next one at once, if all input of both is at hand. Returns the defect of this part if
    /// there is one.
    fn decode_pair(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Option<Invalid>> {
        let Some((next, len, is_at_hand)) = next_part(source) else { return Ok(None) };
        if !is_at_hand || len > PAIR_LEN / 2 || self.last_pair == Some(next.start) {
            return Ok(None);
        }
        self.last_pair = Some(next.start);
        if self.pair_backoff.skips() || source.gather_until_pause(PAIR_LEN, false)?.len() <= len {
            return Ok(None);
        }
        let second = self.second_part.get_or_insert_with(|| Box::new(PartDecoder::new()));
        let parts = [&mut self.part, second];
        let boundary = Boundary::from_byte(next.tag.context);
        let Pair { sum, read, invalid, is_adjacent } =
            part::decode_two_parts(parts, &mut self.resolver, source, (len, boundary), out)?;
        self.pair_backoff.note(is_adjacent);
        source.relay.add_sum(sum);
        if invalid.is_none() {
            source.consume(read);
        }
        Ok(invalid)
    }
}

/// Tries something less often, the more often it failed.
#[derive(Default)]
struct Backoff {
    /// How many times are skipped from now on.
    left: u32,
    /// How many times are skipped after the last failure.
    skipped: u32,
}

impl Backoff {
    const MAX: u32 = 64;

    /// Whether this time is skipped.
    fn skips(&mut self) -> bool {
        let skips = self.left > 0;
        self.left = self.left.saturating_sub(1);
        skips
    }

    /// Notes whether a try succeeded.
    fn note(&mut self, succeeded: bool) {
        self.skipped = if succeeded { 0 } else { (2 * self.skipped + 1).min(Self::MAX) };
        self.left = self.skipped;
    }
}

impl Decoder for MemberDecoder {
    /// A member that states no size is taken for the last one.
    fn whole_len(&self, coded: &[u8]) -> Option<usize> {
        // A record says whether more follows, which the walker notes.
        let stated = Header::parse(coded).filter(|header| !header.is_record)?.size;
        stated.map_or(Some(coded.len()), |size| usize::try_from(size).ok()).filter(|&len| len <= coded.len())
    }

    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        coded.last_chunk::<4>().map(|isize| u32::from_le_bytes(*isize) as usize)
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let Some(member) = WholeMember::of(coded) else { return false };
        self.after = After::Outside;
        self.facts = member.facts();
        let WholeMember { body, crc, .. } = member;
        self.libdeflate.decompress_exactly(body, plain) && crc32(0, plain) == crc
    }

    fn together_max(&self) -> usize {
        usize::MAX
    }

    fn wholes(&mut self, frames: &mut [Whole]) -> usize {
        let mut facts = [Facts::default(); WHOLES_MAX + 1];
        for (frame, facts) in frames.iter().zip(&mut facts[1..]) {
            *facts = WholeMember::of(frame.coded).map_or_else(Facts::default, |member| member.facts());
        }
        let second = self.second_part.get_or_insert_with(|| Box::new(PartDecoder::new()));
        let count = whole_members::decode([&mut self.part.stream, &mut second.stream], frames);
        self.after = After::Outside;
        self.facts = facts[..=count].iter().copied().reduce(Facts::then).unwrap_or_default();
        count
    }

    /// If the coded length of the member is known, its last four bytes are the plain length.
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
        if source.offset() == source.relay.job_start() {
            self.begins_inside = context != 0;
        }
        let (mut is_block, before) = (false, out.total());
        if context != 0 {
            self.part.stream.reset_inside(Boundary::from_byte(context));
            out.frame().go_on();
        } else {
            let member = source.offset();
            *source.relay.sum() = RunningSum::starting(member, 0);
            is_block = is_bgzf(source.gather_inside(BGZF_HEAD_LEN)?);
            let Some(header) = read_header(|bytes| Ok(source.read_exact(bytes)?), member)? else {
                return Err(truncated(source)?);
            };
            self.facts = member_facts(header.modified, None);
            self.part.stream.reset();
        }
        self.decode_blocks(source, out)?;
        if self.after == After::Outside {
            self.facts.lacks_end = Some(is_block && out.total() > before);
        }
        Ok(())
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
        self.decode_blocks(source, out)
    }
}

/// The next part of this member that the feeder has marked by now, how many bytes come before it, and whether the span
/// is at hand to its end.
fn next_part(source: &Source) -> Option<(Mark, usize, bool)> {
    let (next, is_at_hand) = source.units().next();
    let next = next.filter(|next| next.tag.context != 0)?;
    let len = usize::try_from(next.start - source.offset()).unwrap_or(usize::MAX);
    Some((next, len, is_at_hand))
}

/// The coded length that the header of the member here states, if the member is short enough to be gathered.
fn stated_coded_len(source: &mut Source) -> Result<Option<usize>> {
    let Some(len) = Header::extra_end(source.gather_inside(FIXED_LEN + 2)?) else { return Ok(None) };
    let size = Header::parse(source.gather_inside(len)?).and_then(|header| header.size);
    Ok(size.and_then(|size| usize::try_from(size).ok()).filter(|&size| size <= WHOLE_CODED_MAX))
}

/// Decodes as much as there is input and room for. Adds the CRC-32 and the length of that to `sum`.
fn step(
    stream: &mut Inflate,
    coded: &[u8],
    out: &mut Emitter,
    sum: &mut RunningSum,
) -> Result<std::result::Result<Progress, Invalid>> {
    let (piece, before) = out.room_behind(1)?;
    let mut output = Output::new(piece, before);
    let progress = stream.run(coded, &mut output);
    let written = output.filled() - before;
    sum.push(written as u64, crc32(0, &piece[before..before + written]).into(), join_crcs);
    out.commit(written)?;
    Ok(progress)
}
