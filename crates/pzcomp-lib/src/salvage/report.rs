//! [`SalvageReport`]: what was kept of a damaged input, and what was lost.
//!
//! The files `salvager.rs`, `parts.rs` and `blocks.rs` fill the report while they work through the input. All
//! fields are public, so that a program can print them or write them to a file.

use std::ops::Range;

use crate::error::Size;
use crate::format::Format;
use crate::summary::Summary;

/// What was kept of an input, and what was lost.
///
/// Offsets are in bytes. Coded offsets count from the start of the input, and output offsets from the first byte that
/// was written. The ranges in each list are in order and do not touch each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SalvageReport {
    /// The formats of the frames, in the order of the first frame of each.
    pub formats: Vec<Format>,
    /// Length of the input.
    pub coded_len: u64,
    /// Length of the output, with all that was filled in.
    pub written: u64,
    /// How many frames were kept: frames, members, Blocks of xz or blocks of bzip2. Frames without data, and parts of
    /// gzip members, are not counted.
    pub frames: u64,
    /// How many of them carry no check, so that only their form was verified.
    pub unchecked_frames: u64,
    /// How many frames there were before the damage, if an index that is intact lists them.
    pub indexed_frames: Option<u64>,
    /// The coded bytes that are verified, and where their plain data is in the output.
    pub kept: Vec<SalvagedRange>,
    /// Plain data that was written although no check could verify it.
    pub unverified: Vec<SalvagedRange>,
    /// What was lost.
    pub lost: Vec<LostRange>,
    /// Coded bytes of losses in which not every place was tried. So much looked like frames there and was decoded in
    /// vain that the search was cut short. Intact frames may be left in these bytes.
    pub untried: Vec<Range<u64>>,
    /// The summary of the decompression. Of a damaged input it has the format, the lengths and the number of frames
    /// only.
    pub summary: Summary,
}

/// Coded bytes, and the plain data that was made of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SalvagedRange {
    /// The bytes of the input.
    pub coded: Range<u64>,
    /// The bytes of the output.
    pub output: Range<u64>,
    /// Why the data could not be verified. Empty if it was.
    pub why: String,
}

/// Coded bytes whose plain data was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostRange {
    /// The bytes of the input. Empty if the input ends too early: what is lost then is behind its end.
    pub coded: Range<u64>,
    /// How many plain bytes are missing. `None` if nothing tells. 0 if only an index or other bytes without data are
    /// damaged.
    pub plain_len: Option<u64>,
    /// Where in the original data the missing bytes begin. `None` if an earlier loss has an unknown length.
    pub plain_offset: Option<u64>,
    /// Where in the output the missing bytes would be.
    pub output_offset: u64,
    /// How many zeros were written in their place.
    pub filled: u64,
    /// What is wrong there, in words.
    pub why: String,
    /// If the data was not decoded because that needs more memory than is allowed: how many bytes must be allowed. The
    /// data may be intact.
    pub memory_needed: Option<Size>,
}

impl SalvageReport {
    /// Whether nothing was lost, and everything is verified.
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty() && self.unverified.is_empty()
    }

    /// How many plain bytes were lost. `None` if that is not known of some range.
    pub fn lost_len(&self) -> Option<u64> {
        self.lost.iter().try_fold(0_u64, |sum, lost| sum.checked_add(lost.plain_len?))
    }

    /// How many bytes of the output are verified.
    pub fn kept_len(&self) -> u64 {
        self.kept.iter().map(|kept| kept.output.end - kept.output.start).sum()
    }

    /// How many bytes of the output no check has verified.
    pub fn unverified_len(&self) -> u64 {
        self.unverified.iter().map(|range| range.output.end - range.output.start).sum()
    }

    /// How many zeros were written in place of lost data.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, salvage::{Fill, Salvage}};
    /// let mut coded = pzcomp::compress(&[7; 12_000], &Encode::zstd(3).block_size(4096).build()?)?;
    /// coded[14] ^= 1;
    /// let report = Salvage::new(&Decode::default()).fill(Fill::Zero).run(&coded, &mut Vec::new())?;
    /// assert_eq!((report.filled_len(), report.written), (4096, 12_000));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn filled_len(&self) -> u64 {
        self.lost.iter().map(|lost| lost.filled).sum()
    }

    /// Whether nothing was written, and nothing is known to be damaged: the memory that is allowed is too little.
    pub(super) fn is_for_memory(&self) -> bool {
        self.kept.is_empty()
            && self.unverified.is_empty()
            && self.lost.iter().all(|lost| lost.memory_needed.is_some())
    }

    pub(super) fn note_format(&mut self, format: Format) {
        if !self.formats.contains(&format) {
            self.formats.push(format);
        }
    }

    /// Notes verified data, which was just written.
    pub(super) fn keep(&mut self, coded: Range<u64>, output: Range<u64>) {
        push(&mut self.kept, SalvagedRange { coded, output, why: String::new() });
    }

    /// Notes bytes without plain data. If they follow verified data, they belong to its range.
    pub(super) fn pass(&mut self, coded: Range<u64>) {
        if let Some(last) = self.kept.last_mut().filter(|last| last.coded.end == coded.start) {
            last.coded.end = coded.end;
        }
    }

    /// Notes data that was just written and is not verified.
    pub(super) fn doubt(&mut self, coded: Range<u64>, output: Range<u64>, why: String) {
        push(&mut self.unverified, SalvagedRange { coded, output, why });
    }

    /// Notes bytes in which not every place was tried.
    pub(super) fn leave(&mut self, coded: Range<u64>) {
        match self.untried.last_mut() {
            Some(last) if last.end >= coded.start => last.end = last.end.max(coded.end),
            _ => self.untried.push(coded),
        }
    }

    /// Notes a loss. A loss that follows another one directly becomes part of it.
    pub(super) fn lose(&mut self, lost: LostRange) {
        match self.lost.last_mut() {
            Some(last)
                if last.coded.end == lost.coded.start
                    && last.memory_needed.is_some() == lost.memory_needed.is_some()
                    && last.output_offset + last.filled == lost.output_offset =>
            {
                last.coded.end = lost.coded.end;
                last.plain_len =
                    last.plain_len.zip(lost.plain_len).and_then(|(one, next)| one.checked_add(next));
                last.filled += lost.filled;
                last.memory_needed = last.memory_needed.max(lost.memory_needed);
            }
            _ => self.lost.push(lost),
        }
    }
}

/// Adds a range, or makes the last range longer if it follows directly and says the same.
fn push(ranges: &mut Vec<SalvagedRange>, next: SalvagedRange) {
    match ranges.last_mut() {
        Some(last)
            if last.coded.end == next.coded.start
                && last.output.end == next.output.start
                && last.why == next.why =>
        {
            (last.coded.end, last.output.end) = (next.coded.end, next.output.end);
        }
        _ => ranges.push(next),
    }
}
