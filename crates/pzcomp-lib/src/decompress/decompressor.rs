//! [`Decompressor`]: decompresses one payload after another on the thread of the caller.
//!
//! Slices come in, and vectors or slices go out. The decoders stay from call to call. Nothing here starts a thread.
//!
//! Short frames that state their lengths are decoded in one call, from the input into the output of the caller.
//! Whatever else a payload holds, and whatever is wrong with it, is left to [`Decompressor::inline`]: it decodes the
//! payload from its start as `decompress` does, with the same errors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::coder::FrameCoder;
use super::resources::{Resources, WHOLE_PLAIN_MAX};
use super::walk::Walk;
use super::{INLINE_PIECE_LEN, plan};
use crate::error::Result;
use crate::format::{Accepted, SNIFF_LEN, skippable};
use crate::options::Decode;
use crate::payload::Room;
use crate::summary::Summary;
use engine::io::{Input, Output, OutputStream};
use engine::waits::Waits;
use engine::{Buffers, CpuTimes, INLINE_SLOTS, Outcome, PIECE_LEN, Plan, Report, thread_cpu};

/// Decompresses payloads one after another, without threads. It keeps its memory from call to call, so that a short
/// payload takes little more time than the codec itself. A program that decompresses on several threads makes one for
/// each.
///
/// Each call takes whole streams of any format, and gives the output and the errors of
/// [`decompress`](crate::decompress) with the same options.
/// [`DecodeBuilder::max_output`](crate::DecodeBuilder::max_output) limits the output of each call. A frame that claims
/// a great length gets memory as its data comes: at most 4 MiB are taken for what is only a claim. For payloads of
/// strangers, that limit and [`DecodeBuilder::window_limit`](crate::DecodeBuilder::window_limit) are enough:
/// [`DecodeBuilder::memory`](crate::DecodeBuilder::memory) counts what a run with one thread may need, which is much
/// more than short payloads take. The options of threads and progress do not matter here.
///
/// ```
/// use pzcomp::{Decode, Decompressor, Encode};
///
/// let options = Decode::builder().max_output(1 << 20).build()?;
/// let mut decompressor = Decompressor::new(&options)?;
/// for message in ["three in the morning", "four in the morning"] {
///     let coded = pzcomp::compress(message.as_bytes(), &Encode::default())?;
///     assert_eq!(decompressor.decompress(&coded)?, message.as_bytes());
/// }
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub struct Decompressor {
    coder: FrameCoder,
    resources: Resources,
    accepted: Accepted,
    options: Decode,
    /// Whether frames may be decoded in one call: no option asks for something that only the pipeline does.
    is_plain: bool,
    slabs: Arc<Buffers>,
    pieces: Arc<Buffers>,
}

impl Decompressor {
    /// Checks the options. Decoders are made when their formats come.
    pub fn new(options: &Decode) -> Result<Self> {
        Self::advising(&Decode { threads: 1, ..options.clone() })
    }

    /// The same. What its errors advise is enough for all threads of the options.
    pub(super) fn advising(options: &Decode) -> Result<Self> {
        let resources = Resources::within(&Decode { threads: 1, ..options.clone() })?;
        let options = Decode { progress: None, ..options.clone() };
        let reading = resources.reading(&options);
        let is_plain = !options.expect_end
            && !reading.one_format
            && !reading.single_stream
            && !reading.entry.is_demanded();
        let coder = FrameCoder::new(&resources, &reading, &options);
        let accepted = Accepted::new(options.accept.as_deref());
        let (slabs, pieces) = (resources.slab_pool(), resources.piece_pool());
        Ok(Self { coder, resources, accepted, options, is_plain, slabs, pieces })
    }

    /// Decompresses everything in `coded`.
    pub fn decompress(&mut self, coded: &[u8]) -> Result<Vec<u8>> {
        let mut plain = Vec::new();
        self.decompress_into(coded, &mut plain)?;
        Ok(plain)
    }

    /// Decompresses everything in `coded` behind what is in `plain`, and returns how many bytes that added. If there is
    /// an error, `plain` stays as it was.
    pub fn decompress_into(&mut self, coded: &[u8], plain: &mut Vec<u8>) -> Result<usize> {
        let before = plain.len();
        let mut room = Room::Grows(plain);
        let done = match self.wholes(coded, &mut room) {
            Some(()) => Ok(()),
            None => self.again(coded, room.emptied(before)),
        };
        let filled = room.filled();
        if done.is_err() {
            plain.truncate(before);
        }
        done.map(|()| filled - before)
    }

    /// Decompresses everything in `coded` into the front of `plain`, and returns the plain length. It is an error if
    /// there is too little room; `plain` is then filled. Behind the plain data, `plain` may be overwritten too.
    pub fn decompress_to_slice(&mut self, coded: &[u8], plain: &mut [u8]) -> Result<usize> {
        let mut room = Room::Fixed { bytes: plain, filled: 0, advice: "the plain data" };
        if self.wholes(coded, &mut room).is_none() {
            self.again(coded, room.emptied(0))?;
        }
        Ok(room.filled())
    }

    /// Decompresses everything in `coded` into an output, and returns the figures. The output is that of
    /// [`Decompress`](crate::Decompress), also before an error.
    pub fn run<'o>(&mut self, coded: &[u8], output: impl Into<Output<'o>>) -> Result<Summary> {
        self.run_seen(coded, output.into(), &mut |_| {})
    }

    /// The same. `see` gets the length of each piece of output that was written.
    pub(super) fn run_seen(
        &mut self,
        coded: &[u8],
        output: Output,
        see: &mut (dyn FnMut(usize) + Send),
    ) -> Result<Summary> {
        let mut output = OutputStream::new(output, self.options.sparse);
        // The output before an error is cut at the ends of pieces, so these are as long as those of other inputs.
        let done = self.inline(coded, PIECE_LEN, &mut |bytes| {
            output.write_all(bytes)?;
            see(bytes.len());
            Ok(())
        });
        // All output before an error counts.
        let finished = output.finish();
        let summary = done?;
        finished?;
        Ok(summary)
    }

    /// Decodes a payload of nothing but short whole frames. Nothing if the payload is not such a one, or if anything is
    /// wrong with it.
    fn wholes(&mut self, coded: &[u8], room: &mut Room) -> Option<()> {
        if !self.is_plain || coded.is_empty() {
            return None;
        }
        let mut allowed = self.options.max_output.unwrap_or(u64::MAX);
        let mut at = 0;
        while at < coded.len() {
            let rest = &coded[at..];
            let head = &rest[..rest.len().min(SNIFF_LEN)];
            if let Some(len) = self.accepted.skippable(head) {
                if skippable::is_record(head) {
                    // It says whether more follows, which the walk notes.
                    return None;
                }
                at = at.checked_add(skippable::HEADER_LEN + len as usize).filter(|&at| at <= coded.len())?;
                continue;
            }
            let decoder = self.coder.decoder(self.accepted.sniff(head, at as u64)?).ok()?;
            let frame = rest.get(..decoder.whole_len(rest)?).filter(|frame| !frame.is_empty())?;
            let plain_len = decoder.plain_len(frame, 0).filter(|&len| len <= WHOLE_PLAIN_MAX)?;
            allowed = allowed.checked_sub(plain_len as u64)?;
            if !decoder.whole(frame, room.next(plain_len)?, 0) {
                return None;
            }
            at += frame.len();
        }
        Some(())
    }

    /// Decodes a payload from its start, frame by frame.
    fn again(&mut self, coded: &[u8], room: &mut Room) -> Result<()> {
        self.inline(coded, INLINE_PIECE_LEN, &mut |bytes| room.put(bytes)).map(drop)
    }

    /// Decodes a payload as `decompress` does, on this thread. `take` gets the output, also all output before an error.
    pub(super) fn inline(&mut self, coded: &[u8], piece_len: usize, take: Take) -> Result<Summary> {
        let done = self.inline_stream(coded, piece_len, take);
        // One piece stays for the next payload.
        if done.as_ref().is_ok_and(|summary| summary.plain_len > PIECE_LEN as u64) {
            self.pieces.trim();
        }
        if done.is_err() {
            // The decoders stopped inside a frame, and the pools may be closed. The next payload gets new ones.
            let reading = self.resources.reading(&self.options);
            self.coder = FrameCoder::new(&self.resources, &reading, &self.options);
            (self.slabs, self.pieces) = (self.resources.slab_pool(), self.resources.piece_pool());
        }
        done
    }

    fn inline_stream(&mut self, coded: &[u8], piece_len: usize, take: Take) -> Result<Summary> {
        let (started, cpu) = (Instant::now(), thread_cpu());
        in_slots(|slots| {
            let input = Input::Memory(coded);
            let place = input.random_access().map(|(place, _)| place);
            let (slabs, pieces) = (Arc::clone(&self.slabs), Arc::clone(&self.pieces));
            let plan = Plan { piece_len, slots, slabs, pieces, ..plan(&self.resources, &self.options) };
            let mut walk = Walk::new(input, &self.options, 1);
            let mut take = |bytes: &[u8]| Ok(take(bytes)?);
            let done = engine::run_inline(plan, &mut self.coder, place, &mut walk, &mut take)?;
            let outcome = done.map(|total| alone(total, started, cpu));
            let (mut survey, coded_len) = walk.into_survey();
            Some(outcome.map(|outcome| survey.summary(coded_len, outcome)).map_err(Into::into))
        })
    }
}

/// Runs a payload with so many slots that it has a slot for each job. `run` returns nothing if there were too few, and
/// takes no output then. Most payloads have few jobs, and a line for many takes time to make.
pub(super) fn in_slots<T>(mut run: impl FnMut(usize) -> Option<T>) -> T {
    let mut slots = INLINE_SLOTS;
    loop {
        match run(slots) {
            Some(done) => return done,
            None => slots *= 16,
        }
    }
}

/// The outcome of a stream that was decoded on this thread. It began at this time, with this CPU time.
pub(super) fn alone(total: Report, started: Instant, cpu: Duration) -> Outcome {
    let mut times = CpuTimes::default();
    times.workers = thread_cpu().saturating_sub(cpu);
    Outcome {
        total,
        written: total.plain_len,
        cpu: times,
        waits: Waits::default(),
        wall: started.elapsed(),
        threads: 1,
        sidecar: None,
    }
}

/// Takes the output in order.
pub(super) type Take<'a> = &'a mut (dyn FnMut(&[u8]) -> Result<()> + Send);
