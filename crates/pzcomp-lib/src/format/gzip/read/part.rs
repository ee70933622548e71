//! Decodes one part of a member without the window before it, or two parts at once. Two workers use `deferred.rs`.
//!
//! # Windows and markers
//! A *part* is a stretch of a member that begins where a block begins. A match in it can refer back to the *window*:
//! the 32 KiB of output before the place of the match. At the start of a part, the window is output of the job before,
//! which may not be known yet. The job does not wait for it. Where a match copies a byte of the unknown window, the
//! decoder puts out a *marker* instead: a 16-bit symbol that says which byte of the window belongs there. Once the
//! window is known, a [`Resolver`] replaces each marker by that byte.
//!
//! The output of a part so has three stretches:
//!
//! ```text
//! bytes                      │ symbols: bytes and markers      │ bytes
//! until a match reaches back │ until the last 32 KiB have      │ held until the markers
//! before the part            │ no marker: they are a window    │ before them are replaced
//! ```
//!
//! In some data the markers soon disappear; in dumps and InnoDB pages they rarely do. If they stay, symbols go on until
//! the window is known, and bytes that are held follow. If the memory for symbols is full, the decoder of the part
//! waits for the window. `part_state.rs` has the state of a part.
//!
//! # The window for the next job
//! The job after this one needs the window at the end of this part, and the job after that one needs the next window,
//! and so on: all later jobs wait. So this job first makes the window at its end, and publishes that window. If its own
//! window comes while it decodes a single part, it first decodes the rest of that part to bytes. Only then it replaces
//! the markers in its symbols. A published window must be right: see [`window::publish`].
//!
//! # Pairs
//! One core decodes two parts at once in little more time than one part: see
//! [`decode_pair`](pzcomp_deflate::inflate::decode_pair). [`decode_two_parts`] decodes such a pair.
//!
//! The input is the coded bytes of one part or of two. The output goes to the emitter of the job, and the caller
//! ([`super::decoder`]) gets the CRC-32 and the length of the output.

use pzcomp_deflate::inflate::{Boundary, Inflate, Invalid, Marked, Resolver, WINDOW_LEN};

use super::part_state::{PartState, Stop};
use super::window;
use crate::error::Result;
use engine::{Emitter, RunningSum, Source};

/// The decoder checks whether the window is known after each step of this many symbols.
pub(super) const STEP: usize = 64 << 10;

/// The most symbols of one part: 4 MiB of memory.
pub(super) const SYMBOLS_MAX: usize = 1 << 21;

/// The decoders of one part. They keep their memory from part to part.
pub(super) struct PartDecoder {
    /// Decodes to bytes. It has the stream except while `marked` has it.
    pub(super) stream: Inflate,
    /// Decodes to symbols, where the window is not known. It is made when it is first needed.
    pub(super) marked: Option<Box<Inflate<Marked>>>,
    /// Memory for symbols. [`PartState`] says how many of them are filled.
    pub(super) symbols: Vec<Marked>,
}

impl PartDecoder {
    pub(super) fn new() -> Self {
        Self { stream: Inflate::new(), marked: None, symbols: Vec::new() }
    }
}

/// Continues a part whose next match needs the window, which is not known yet. The part is decoded to symbols until the
/// window is known, and then to bytes, until the span ends, the input pauses, or the part stops. Then this function
/// waits for the window and puts all output of the part out. Returns the sum of that output, and the defect of the
/// stream if there is one.
pub(super) fn decode_without_window(
    decoder: &mut PartDecoder,
    resolver: &mut Resolver,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<(RunningSum, Option<Invalid>)> {
    let mut part = PartState::new(decoder, None);
    part.continue_with_symbols();
    while part.is_running() || part.is_full_of_symbols() {
        if (part.is_full_of_symbols() || window::is_known(source))
            && !part.continue_behind_symbols(window::before(source)?, resolver, out)
        {
            break;
        }
        let coded = source.gather_until_pause(1, true)?;
        if coded.is_empty() {
            // The input pauses, and what is decoded must leave. Or the part goes on behind the span. Only a job whose
            // start is certain may read there, and this job may not be certain yet.
            part.stop = Some(Stop::Input);
            break;
        }
        let before = part.read;
        part.step(coded, out)?;
        source.consume(part.read - before);
        if matches!(part.stop, Some(Stop::Input)) {
            part.stop = None;
        }
    }
    publish_window(&[&part], 0, resolver, source)?;
    part.wait_for_window(source, resolver, out)?;
    let invalid = part.invalid().map(|Invalid { read, defect }| Invalid { read: read - part.read, defect });
    Ok((part.sum, invalid))
}

/// The result of decoding two parts at once.
pub(super) struct Pair {
    /// The sum of the output of both parts. If the output of the second part does not count, it is that of the first.
    pub(super) sum: RunningSum,
    /// Bytes of input that were used.
    pub(super) read: usize,
    /// The defect of the first part, if it has one.
    pub(super) invalid: Option<Invalid>,
    /// Whether the first part ended where the second one begins.
    pub(super) is_adjacent: bool,
}

/// Decodes two parts at once. The first part is the next `len` bytes of the source: the first decoder has begun it, and
/// continues. The second part is what follows. The feeder believes that a block begins there, at `boundary`, and the
/// second decoder starts there without a window. Afterwards the first decoder has the stream, so that decoding goes on
/// with it behind both parts, or behind the first.
///
/// The output of the second part counts only if the first part ends at `boundary`, and if all matches of the second
/// part are valid behind the window of the first. Otherwise the caller decodes the second part again, now with the
/// window known. So the errors, and the bytes before an error, are the same as if the parts were decoded one after the
/// other.
pub(super) fn decode_two_parts(
    [first, second]: [&mut PartDecoder; 2],
    resolver: &mut Resolver,
    source: &mut Source,
    (len, boundary): (usize, Boundary),
    out: &mut Emitter,
) -> Result<Pair> {
    let (coded, other_coded) = source.bytes().split_at(len);
    second.stream.reset_inside(boundary);
    let mut one = PartState::new(first, None);
    let mut other = PartState::new(second, Some(out.early_output()));
    while one.is_running() && other.is_running() {
        let inputs = (&coded[one.read..], &other_coded[other.read..]);
        one.step_both(&mut other, inputs, out)?;
        one.use_window_if_known(source, resolver, out)?;
        other.continue_without_window();
    }
    while one.end() != Some(boundary) && (one.is_running() || one.needs_window()) {
        if one.is_running() {
            one.step(&coded[one.read..], out)?;
            one.use_window_if_known(source, resolver, out)?;
        } else if other.is_running() && !window::is_known(source) {
            other.step(&other_coded[other.read..], out)?;
            other.continue_without_window();
        } else {
            one.wait_for_window(source, resolver, out)?;
        }
    }
    let is_adjacent = one.end() == Some(boundary);
    while is_adjacent && one.needs_window() && other.is_running() && !window::is_known(source) {
        other.step(&other_coded[other.read..], out)?;
        other.continue_without_window();
    }
    if is_adjacent && (one.needs_window() || window::is_known(source)) {
        publish_window(&[&one, &other], len + other.read, resolver, source)?;
    }
    one.wait_for_window(source, resolver, out)?;
    if !is_adjacent {
        return Ok(Pair { sum: one.sum, read: one.read, invalid: one.invalid(), is_adjacent });
    }
    // Output leaves at the start of each job. It also leaves here, where the second part begins, which could as well be
    // the start of a job. So the output before an error does not depend on which parts share a job.
    out.flush()?;
    let stream = &mut one.decoder.stream;
    if stream.window_is_missing() && stream.window().len() < WINDOW_LEN {
        stream.set_window(window::before(source)?);
    }
    if other.is_invalid_behind(stream.window(), resolver) {
        // The caller decodes the second part again, with the window known. That finds the defect, and puts out the
        // bytes before it.
        return Ok(Pair { sum: one.sum, read: len, invalid: None, is_adjacent });
    }
    other.put_out(stream.window(), resolver, out)?;
    let (sum, read) = (other.sum.behind(one.sum), len + other.read);
    std::mem::swap(&mut first.stream, &mut second.stream);
    Ok(Pair { sum, read, invalid: None, is_adjacent })
}

/// Publishes the window at the end of these parts, which follow each other. This comes before the markers in their
/// other symbols are replaced, because all later jobs wait for that window. The parts have used up `read` bytes of
/// those at hand. Nothing is published if the last part has not ended, or if its window cannot be made.
fn publish_window(
    parts: &[&PartState],
    read: usize,
    resolver: &mut Resolver,
    source: &mut Source,
) -> Result<()> {
    let Some(boundary) = parts.last().and_then(|last| last.end()) else { return Ok(()) };
    let mut window = [0; WINDOW_LEN];
    if let Some(first) = parts.first().filter(|first| first.needs_window()) {
        match window::before(source)?.try_into() {
            Ok(before) => window = before,
            // The stream has less than 32 KiB of output before these parts. A marker may then refer to a byte before
            // the start of the stream, which does not exist.
            Err(_) if first.is_in_symbols() => return Ok(()),
            Err(_) => {}
        }
    }
    if parts.iter().all(|part| part.move_window_behind(&mut window, resolver)) {
        window::publish(&window, read, boundary, source);
    }
    Ok(())
}
