//! [`Planner`]: which groups a stream of frames has, and how long their records are, before their content is known.
//!
//! The lengths of the frames decide everything. So two planners that see the same lengths say the same: one makes the
//! seek table, which lists the records, and the other one writes them.

use crate::copy::{Copied, PART_MAX};
use crate::geometry::{GROUP_MAX, Geometry, SPAN_MIN, Settled, Share};
use crate::group::Descriptor;
use pzcomp_records::Envelope;

/// How records are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How much parity there is.
    pub share: Share,
    /// The most bytes of a group: 64 KiB to 64 MiB.
    pub span: usize,
    /// What is around a record.
    pub envelope: Envelope,
}

impl Settings {
    /// 5 % of parity, in groups of 64 MiB.
    pub fn new(envelope: Envelope) -> Self {
        Self { share: Share::DEFAULT, span: GROUP_MAX, envelope }
    }

    /// About how much memory making the records takes on so many threads, besides the frames.
    pub fn memory(&self, threads: usize) -> u64 {
        let (span, threads) = (self.span(), threads.min(8));
        let records = 3 * span * usize::from(self.share.get()) / 1000;
        let work = match self.settled() {
            Some(settled) => settled.len + settled.chunk_len() + (threads << 19),
            None => span + 9 * (threads << 20),
        };
        (records + work) as u64
    }

    pub(crate) fn settled(&self) -> Option<Settled> {
        Settled::of(self.span(), self.share)
    }

    pub(crate) fn span(&self) -> usize {
        self.span.clamp(SPAN_MIN, GROUP_MAX)
    }
}

/// Groups whose data follows each other, with all their records behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub(crate) groups: Vec<Descriptor>,
}

impl Run {
    /// The length of each record with its envelope, in their order.
    pub fn record_lens(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flat_map(Descriptor::record_lens)
    }
}

/// The end of a stream: the copies of its table around the records of the last groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    pub(crate) copied: Option<Copied>,
    pub(crate) run: Run,
}

impl End {
    /// The length of each record with its envelope, in their order.
    pub fn record_lens(&self) -> impl Iterator<Item = usize> {
        let set = || self.copied.iter().flat_map(Copied::record_lens);
        set().chain(self.run.record_lens()).chain(set())
    }
}

/// Divides a stream into groups.
#[derive(Clone, Debug)]
pub struct Planner {
    settings: Settings,
    /// The offset behind everything that is planned.
    at: u64,
    /// Bytes at the end that are in no group yet.
    pending: u64,
    /// Whether they are complete if more frames follow.
    is_due: bool,
}

impl Planner {
    /// At the start of a stream.
    pub fn new(settings: Settings) -> Self {
        Self { settings, at: 0, pending: 0, is_due: false }
    }

    /// Another frame begins. Returns the groups whose records stand before it.
    pub fn begin(&mut self) -> Option<Run> {
        self.is_due.then(|| self.close(0, false))
    }

    /// The frame ends, and is so long.
    pub fn frame(&mut self, len: u64) {
        self.at += len;
        self.pending += len;
        // The next frame is expected to be as long as this one.
        self.is_due = self.pending + len > self.settings.span() as u64;
    }

    /// Ends the stream. `table_len` says how long the table is if it has so many more entries; `None` is for streams
    /// without a table.
    pub fn finish(&mut self, table_len: Option<impl Fn(usize) -> usize>) -> End {
        let start = self.at;
        let Some(table_len) = table_len else {
            return End { copied: None, run: self.close(0, true) };
        };
        let entries = self.clone().close(0, false).record_lens().count();
        // With a tenth more records than needed, there is room for the entries of these records themselves.
        let count = table_len(entries).div_ceil(PART_MAX / 10 * 9).max(1);
        let len = table_len(entries + 2 * count);
        let mut copied = Copied {
            stream: 0,
            offset: 0,
            len: len as u32,
            before: 0,
            count: count as u16,
            envelope: self.settings.envelope,
        };
        let copies = copied.set_len();
        let run = self.close(copies, false);
        let before = 2 * copies + run.record_lens().sum::<usize>();
        copied.before = before as u32;
        copied.offset = start + before as u64;
        End { copied: Some(copied), run }
    }

    /// The groups of what is pending. Between it and the records of the groups are `gap` bytes.
    fn close(&mut self, gap: usize, is_last: bool) -> Run {
        let Settings { share, envelope, .. } = self.settings;
        let (lens, settled) = (self.group_lens(self.pending as usize), self.settings.settled());
        let mut groups: Vec<Descriptor> = Vec::with_capacity(lens.len());
        let (mut offset, mut records_at) = (self.at - self.pending, self.at + gap as u64);
        for (number, &len) in lens.iter().enumerate() {
            let end = offset + len as u64;
            let group = Descriptor {
                stream: 0,
                offset,
                gap: (records_at - end) as u32,
                geometry: Geometry::streamed(len, share, settled),
                envelope,
                is_last: is_last && number + 1 == lens.len(),
            };
            records_at += group.record_lens().iter().sum::<usize>() as u64;
            offset = end;
            groups.push(group);
        }
        self.at = records_at;
        self.pending = 0;
        self.is_due = false;
        Run { groups }
    }

    /// The lengths of the groups of a run.
    fn group_lens(&self, len: usize) -> Vec<usize> {
        let (span, mut rest) = (self.settings.span(), len);
        let Some(settled) = self.settings.settled() else {
            let count = len.div_ceil(span).max(1);
            let each = len.div_ceil(count).max(1);
            return (0..count)
                .map(|number| ((number + 1) * each).min(len) - (number * each).min(len))
                .collect();
        };
        let mut lens = Vec::new();
        while rest > span {
            lens.push(settled.cut);
            rest -= settled.cut;
        }
        lens.push(rest);
        lens
    }
}
