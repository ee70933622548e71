//! Decoding one part of a member without the window before it, and two parts at once.
//!
//! ```text
//! bytes, until a match reaches back before the part │ symbols with markers │ bytes, once the last 32 KiB are
//! ```
//!
//! The input is the coded bytes of one part or of two. The output goes to the emitter of the job, and the caller
//! ([`super::decoder`]) gets the CRC-32 and the length of it. Bytes decoded behind the first marker are held until the
//! markers are replaced. The markers of most data soon disappear from the last 32 KiB. If they never do, or if the
//! memory for symbols is full, the decoder of the part stops until the window is known.
//!
//! All later jobs wait for the window behind this job. So it is made first, from the last symbols, and published before
//! the other symbols are replaced. A published window must be right: see [`Source::publish_window`].
//!
//! One core decodes two parts at once in little more time than one part: see
//! [`decode_pair`](pzcomp_deflate::inflate::decode_pair).

use pzcomp_deflate::inflate::{Boundary, Inflate, Invalid, Marked, Resolver, WINDOW_LEN};

use super::part_state::{PartState, Stop};
use crate::error::Result;
use crate::pipeline::{Emitter, RunningSum, Source};

/// This many symbols are decoded between two checks whether the window is there.
pub(crate) const STEP: usize = 128 << 10;

/// The most symbols of one part: 4 MiB of memory.
pub(crate) const SYMBOLS_MAX: usize = 1 << 21;

/// The decoders of one part. They keep their memory from part to part.
pub(super) struct PartDecoder {
    /// Decodes to bytes.
    pub(super) stream: Inflate,
    /// Decodes to symbols, where the window is not known.
    pub(super) marked: Option<Box<Inflate<Marked>>>,
    pub(super) symbols: Vec<Marked>,
}

impl PartDecoder {
    pub(super) fn new() -> Self {
        Self { stream: Inflate::new(), marked: None, symbols: Vec::new() }
    }
}

/// Continues without the window until the window is there or the span ends. Then it waits for the window, and puts
/// everything out. Returns the sum of the output, and the defect of the stream if there is one.
pub(super) fn decode_without_window(
    decoder: &mut PartDecoder,
    resolver: &mut Resolver,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<(RunningSum, Option<Invalid>)> {
    let mut part = PartState::new(decoder, None);
    part.continue_with_symbols();
    while part.is_running() && !source.has_window() {
        let coded = source.available()?;
        if coded.is_empty() {
            // Only a job that is certain may continue behind its span.
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
    /// Of the output of both parts, or of the first part if the output of the second one does not count.
    pub(super) sum: RunningSum,
    /// Bytes of input that were used.
    pub(super) read: usize,
    pub(super) invalid: Option<Invalid>,
    /// Whether the first part ended where the second one begins.
    pub(super) is_adjacent: bool,
}

/// Continues with the stream of the first decoder. At the same time the second decoder decodes the part that is
/// believed to begin behind the first `len` bytes at hand. Afterwards the first decoder has the stream, whichever
/// part that is in.
///
/// The output of the second part counts only if the first part ends at `boundary`, where the second begins, and if
/// the second part is valid behind the window of the first. Otherwise the caller decodes the second part again, with
/// the window known: so the errors, and the bytes before them, are those of decoding one part after the other.
pub(super) fn decode_two_parts(
    [first, second]: [&mut PartDecoder; 2],
    resolver: &mut Resolver,
    source: &Source,
    (len, boundary): (usize, Boundary),
    out: &mut Emitter,
) -> Result<Pair> {
    let (coded, other_coded) = source.bytes().split_at(len);
    second.stream.reset_inside(boundary);
    let mut one = PartState::new(first, None);
    let mut other = PartState::new(second, Some(out.held_output()));
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
        } else if other.is_running() && !source.has_window() {
            other.step(&other_coded[other.read..], out)?;
            other.continue_without_window();
        } else {
            one.wait_for_window(source, resolver, out)?;
        }
    }
    let is_adjacent = one.end() == Some(boundary);
    while is_adjacent && one.needs_window() && other.is_running() && !source.has_window() {
        other.step(&other_coded[other.read..], out)?;
        other.continue_without_window();
    }
    if is_adjacent && (one.needs_window() || source.has_window()) {
        publish_window(&[&one, &other], len + other.read, resolver, source)?;
    }
    one.wait_for_window(source, resolver, out)?;
    if !is_adjacent {
        return Ok(Pair { sum: one.sum, read: one.read, invalid: one.invalid(), is_adjacent });
    }
    // The place where the two parts meet is like the start of a job: the output before it leaves. So the output
    // before an error does not depend on which parts share a job.
    out.flush()?;
    let stream = &mut one.decoder.stream;
    if stream.window_is_missing() && stream.window().len() < WINDOW_LEN {
        stream.set_window(source.window()?);
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

/// Publishes the window behind these parts, which follow each other, before their other symbols are replaced: all later
/// jobs wait for the window. `read` bytes of those at hand are used up.
fn publish_window(parts: &[&PartState], read: usize, resolver: &mut Resolver, source: &Source) -> Result<()> {
    let Some(boundary) = parts.last().and_then(|last| last.end()) else { return Ok(()) };
    let mut window = [0; WINDOW_LEN];
    if let Some(first) = parts.first().filter(|first| first.needs_window()) {
        match source.window()?.try_into() {
            Ok(before) => window = before,
            // The window before is shorter than a full one, so a marker may stand for no byte of it.
            Err(_) if first.is_in_symbols() => return Ok(()),
            Err(_) => {}
        }
    }
    if parts.iter().all(|part| part.move_window_behind(&mut window, resolver)) {
        source.publish_window(read, boundary.to_byte(), &window);
    }
    Ok(())
}
