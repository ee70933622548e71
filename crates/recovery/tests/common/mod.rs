//! Makes streams with records, and mends them in memory.

#![allow(dead_code)] // Each test program uses a part of it.

#[path = "../../../deflate/tests/common/random.rs"]
mod random;

use std::num::NonZeroUsize;
use std::ops::Range;

use pzcomp_recovery::{
    Envelope, GROUP_MAX, Geometry, Mend, Planner, Recorder, Report, SPAN_MIN, Settings, Share, Sink, mend,
    protect,
};
pub use random::Random;

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// A group of a stream.
#[derive(Clone, Debug)]
pub struct Group {
    pub data: Range<usize>,
    pub shard_len: usize,
    pub shards: usize,
    pub parity: usize,
}

/// A stream with records.
pub struct Made {
    pub bytes: Vec<u8>,
    pub envelope: Envelope,
    pub groups: Vec<Group>,
    /// How many bytes at the end can be cut off.
    pub cut_max: usize,
    pub table_len: usize,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            formatter,
            "{} bytes, {:?}, {:?}, cut {}",
            self.bytes.len(),
            self.envelope,
            self.groups,
            self.cut_max
        )
    }
}

impl Made {
    /// The shard length and the number of shards of parity that allow the least damage.
    pub fn least(&self) -> (usize, usize) {
        let each = self.groups.iter().map(|group| (group.shard_len, group.parity));
        each.min_by_key(|(len, parity)| (parity - parity.div_ceil(6)).saturating_sub(1) * len).unwrap()
    }
}

fn two() -> NonZeroUsize {
    NonZeroUsize::new(2).unwrap()
}

fn settings(random: &mut Random, envelope: Envelope) -> Settings {
    let share = *random.pick(&[5, 50, 100, 300, 1000]);
    let span = *random.pick(&[SPAN_MIN, SPAN_MIN, 200_000, GROUP_MAX]);
    Settings { share: Share::per_mille(share).unwrap(), span, envelope }
}

fn group(data: Range<usize>, share: Share) -> Group {
    let geometry = Geometry::of(data.len(), share);
    Group { data, shard_len: geometry.shard_len(), shards: geometry.shards(), parity: geometry.parity() }
}

/// A stream of random data.
pub fn made(random: &mut Random) -> Made {
    let len = match random.below(4) {
        0 => 1 + random.below(300),
        1 => 1 + random.below(20_000),
        _ => 1 + random.below(700_000),
    };
    let mut data: Vec<u8> = (0..len).map(|_| random.byte()).collect();
    if random.below(4) == 0 {
        // Many equal shards.
        data[len / 3..len / 3 * 2].fill(0);
    }
    made_of(random, data)
}

/// A stream of this data, cut into frames at random.
pub fn made_of(random: &mut Random, data: Vec<u8>) -> Made {
    let envelope = *random.pick(&[Envelope::Skippable, Envelope::GzipMember]);
    let settings = settings(random, envelope);
    let frame_max = *random.pick(&[5000, 60_000, 300_000]);
    let (mut planner, mut recorder) = (Planner::new(settings), Recorder::new(settings, two()));
    let (mut bytes, mut groups, mut entries) = (Vec::new(), Vec::new(), 0);
    let mut start = 0;
    let mut close = |bytes: &mut Vec<u8>, start: &mut usize, records: Vec<Vec<u8>>| {
        let len = bytes.len() - *start;
        let count = len.div_ceil(settings.span).max(1);
        let each = len.div_ceil(count);
        for part in 0..count {
            let range = *start + part * each..(*start + (part + 1) * each).min(bytes.len());
            groups.push(group(range, settings.share));
        }
        records.iter().for_each(|record| bytes.extend(record));
        *start = bytes.len();
    };
    let mut rest = &data[..];
    while !rest.is_empty() {
        let (frame, more) = rest.split_at((1 + random.below(frame_max)).min(rest.len()));
        let (planned, mut records) = (planner.begin(), Vec::new());
        let mut put = |bytes: &[u8]| {
            records.push(bytes.to_vec());
            Ok(())
        };
        recorder.write(frame, &mut put).unwrap();
        assert!(records.pop().is_some_and(|last| last == frame));
        let lens: Vec<usize> = planned.iter().flat_map(|run| run.record_lens().collect::<Vec<_>>()).collect();
        assert_eq!(lens, records.iter().map(Vec::len).collect::<Vec<_>>());
        entries += lens.len() + 1;
        if !records.is_empty() {
            close(&mut bytes, &mut start, records);
        }
        bytes.extend(frame);
        planner.frame(frame.len() as u64);
        recorder.frame(frame.len() as u64);
        rest = more;
    }
    let table_len = |more: usize| 17 + 8 * (entries + more);
    let has_table = random.below(4) > 0;
    let lens: Vec<usize> = planner.finish(has_table.then_some(table_len)).record_lens().collect();
    let table: Vec<u8> =
        (0..if has_table { table_len(lens.len()) } else { 0 }).map(|_| random.byte()).collect();
    let mut records = Vec::new();
    let mut put = |bytes: &[u8]| {
        records.push(bytes.to_vec());
        Ok(())
    };
    recorder.finish(&table, &mut put).unwrap();
    assert_eq!(lens, records.iter().map(Vec::len).collect::<Vec<_>>());
    // The copy of the table and the first list must be left; of several groups, all lists.
    let before = if has_table { 2 } else { 1 };
    let last = records[before..].iter().map(Vec::len).sum::<usize>();
    close(&mut bytes, &mut start, records);
    let is_run = groups.len() > 1 && groups[groups.len() - 2].data.end == groups[groups.len() - 1].data.start;
    let cut_max = table.len() + if is_run { 0 } else { last };
    let table_len = table.len();
    bytes.extend(table);
    Made { bytes, envelope, groups, cut_max, table_len }
}

/// Random data, and the records beside it.
pub fn protected(random: &mut Random) -> (Made, Vec<u8>) {
    let data = made(random).bytes;
    let settings = settings(random, Envelope::Bare);
    let mut beside = Vec::new();
    let done = protect(&data[..], settings, two(), |record| {
        beside.extend_from_slice(record);
        Ok(())
    });
    assert_eq!(done.unwrap().records_len, beside.len() as u64);
    let starts = (0..data.len()).step_by(settings.span);
    let groups: Vec<_> =
        starts.map(|start| group(start..(start + settings.span).min(data.len()), settings.share)).collect();
    let (shard, parity) = groups
        .iter()
        .map(|group| (group.shard_len, group.parity))
        .min_by_key(|(len, parity)| (parity - 1) * len)
        .unwrap();
    let cut_max = ((parity - 1) * shard).min(data.len() - 1);
    (Made { bytes: data, envelope: Envelope::Bare, groups, cut_max, table_len: 0 }, beside)
}

#[derive(Default)]
struct Whole {
    data: Vec<u8>,
    beside: Vec<u8>,
}

fn put(into: &mut Vec<u8>, bytes: &[u8], at: u64) {
    let end = at as usize + bytes.len();
    if into.len() < end {
        into.resize(end, 0x77);
    }
    into[at as usize..end].copy_from_slice(bytes);
}

impl Sink for Whole {
    fn data(&mut self, bytes: &[u8], at: u64) -> std::io::Result<()> {
        put(&mut self.data, bytes, at);
        Ok(())
    }

    fn beside(&mut self, bytes: &[u8], at: u64) -> std::io::Result<()> {
        put(&mut self.beside, bytes, at);
        Ok(())
    }
}

fn run(
    source: &[u8],
    beside: Option<&[u8]>,
    is_whole: &dyn Fn(Range<u64>) -> bool,
) -> (Report, Vec<u8>, Vec<u8>) {
    let beside = beside.map(Box::<[u8]>::from);
    let source: Box<[u8]> = source.into();
    let memory = Memory(&source);
    let other = beside.as_ref().map(|bytes| Memory(bytes));
    let settings = Mend {
        source: &memory,
        beside: other.as_ref().map(|other| other as _),
        is_whole,
        threads: two(),
        only_damaged: false,
    };
    let mut whole = Whole::default();
    let report = mend(&settings, Some(&mut whole)).unwrap();
    let examined = mend(&settings, None).unwrap();
    assert_eq!(examined, report, "an examination says the same");
    (report, whole.data, whole.beside)
}

struct Memory<'a>(&'a [u8]);

impl pzcomp_recovery::Source for Memory<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
        pzcomp_recovery::Source::read_at(self.0, bytes, at)
    }
}

pub fn mended(source: &[u8]) -> (Report, Vec<u8>) {
    mended_if(source, &|_| false)
}

/// The same, if these ranges of the source are whole by themselves.
pub fn mended_if(source: &[u8], is_whole: &dyn Fn(Range<u64>) -> bool) -> (Report, Vec<u8>) {
    let (report, data, _) = run(source, None, is_whole);
    (report, data)
}

pub fn mended_beside(source: &[u8], beside: &[u8]) -> (Report, Vec<u8>, Vec<u8>) {
    run(source, Some(beside), &|_| false)
}
