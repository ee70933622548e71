//! The relay: jobs that share a stream hand values on, leave work, and take over the work of the next jobs. Beside that
//! a checksum goes from job to job.
//!
//! The format is one stream up to its last byte, `END`. A byte of output depends on two values, as in a format with two
//! stages: the table depends on all coded bytes before, and the window on all output before.

use std::hash::Hasher;

use super::coders::{SLAB_LEN, filled};
use super::line::{plan, run_to_either};
use super::{Pools, explore, one_in, pick};
use crate::error::{Error, Result};
use crate::{
    Baton, Coder, Emitter, Feed, Feeder, HandoverStage, Mark, OPEN_ENDED, PIECE_LEN, Plan, Report,
    RunningSum, Source, Tag,
};

/// The last byte of the coded stream, which has no output.
const END: u8 = 0xff;

/// What the feeder says of a unit that continues the stream.
const INSIDE: Tag = Tag { kind: 1, context: CONTEXT };
const CONTEXT: u8 = 7;

/// A checksum that depends on the order.
#[derive(Default)]
struct Sum(u64);

impl Hasher for Sum {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, &byte| sum * 31 + u64::from(byte) + 1);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What the stream depends on behind a byte.
#[derive(Clone, Copy, Default)]
struct Values {
    table: u8,
    window: u8,
}

impl Values {
    fn scan(&mut self, coded: &[u8]) {
        self.table = coded.iter().fold(self.table, |table, &byte| table.wrapping_add(byte));
    }

    /// The output of coded bytes. `table` is the value before them.
    fn decode(&mut self, table: u8, coded: &[u8]) -> Vec<u8> {
        self.table = table;
        let bytes = coded.iter().map(|&byte| {
            self.table = self.table.wrapping_add(byte);
            self.window = self.window.wrapping_mul(5).wrapping_add(self.table ^ byte);
            self.window
        });
        bytes.collect()
    }
}

/// The work of a job that another job does.
struct Left {
    table: u8,
    coded: Vec<u8>,
}

struct Parts;

fn received<T: 'static>(baton: Option<Baton>) -> Result<Box<T>> {
    let baton = baton.and_then(|baton| baton.downcast().ok());
    baton.ok_or_else(|| Error::coder("the job before has handed on nothing"))
}

impl Parts {
    /// The part up to the end of the span. Returns the tag behind it, or nothing at the end of the stream.
    fn part(
        seen: &mut Option<u8>,
        written: &mut Option<Box<u8>>,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<Option<Tag>> {
        let coded = source.gather(64)?.to_vec();
        let next = source.span_end()?;
        let (coded, is_last) = match coded.split_last() {
            Some((&END, before)) => (before.to_vec(), true),
            _ => (coded, false),
        };
        let ends = !is_last && next == INSIDE && source.ends_behind(coded.len());
        let table = match *seen {
            Some(table) => table,
            None => {
                out.checksum().go_on();
                *received::<u8>(source.relay.take_baton(HandoverStage::Seen)?)?
            }
        };
        let mut behind = Values { table, window: 0 };
        behind.scan(&coded);
        if !is_last {
            source.relay.hand_on(HandoverStage::Seen, ends, CONTEXT, Box::new(behind.table))?;
        }
        *seen = Some(behind.table);
        let mut left = Left { table, coded };
        if written.is_none() && !is_last {
            let leaving = Box::new(left);
            match source.relay.leave(ends, CONTEXT, leaving)? {
                None => {
                    source.consume(source.bytes().len());
                    return Ok(Some(next));
                }
                Some(work) => left = *received::<Left>(Some(work))?,
            }
        }
        if written.is_none() {
            *written = Some(received(source.relay.take_baton(HandoverStage::Decoded)?)?);
        }
        out.checksum().defer();
        Self::put_out(written, &left, out)?;
        if is_last {
            source.consume(source.bytes().len());
            return Ok(None);
        }
        while let Some(window) = written.take() {
            let Some((work, window)) = source.relay.pass_on(ends, CONTEXT, window)? else { break };
            *written = Some(received(Some(window))?);
            out.flush()?;
            out.frame().go_on();
            Self::put_out(written, &*received::<Left>(Some(work))?, out)?;
        }
        source.consume(source.bytes().len());
        out.flush()?;
        out.checksum().catch_up()?;
        out.frame().go_on();
        Ok(Some(next))
    }

    fn put_out(written: &mut Option<Box<u8>>, left: &Left, out: &mut Emitter) -> Result<()> {
        if let Some(window) = written {
            let mut values = Values { table: 0, window: **window };
            out.write(&values.decode(left.table, &left.coded))?;
            **window = values.window;
        }
        Ok(())
    }
}

impl Coder for Parts {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let (mut seen, mut written) = (None, None);
        if source.offset() == 0 {
            (seen, written) = (Some(0), Some(Box::new(0)));
            *source.relay.sum() = RunningSum::starting(0, 0);
            out.frame().begin();
            out.checksum().begin(Box::<Sum>::default());
        } else {
            out.frame().go_on();
        }
        let before = source.offset();
        let report =
            |source: &Source, note| Report { coded_len: source.offset() - before, note, ..Report::default() };
        loop {
            match Self::part(&mut seen, &mut written, source, out)? {
                None => break,
                Some(INSIDE) => {
                    source.relay.sum().push(1, 1, |before, sum, _| before + sum);
                    return Ok(report(source, 0));
                }
                // The feeder was wrong: the stream goes on behind this span.
                Some(_) => {
                    if !source.more()? {
                        return Err(Error::coder("cut off"));
                    }
                    source.relay.take_back(HandoverStage::Seen);
                    if written.is_none() {
                        written = source
                            .relay
                            .take_back(HandoverStage::Decoded)
                            .and_then(|baton| baton.downcast().ok());
                    }
                }
            }
        }
        source.relay.sum().push(1, 1, |before, sum, _| before + sum);
        out.checksum().catch_up()?;
        let sum = out.checksum().end()?;
        assert!(source.relay.whole_sum()?.start() == Some(0));
        assert!(!source.relay.is_alone() || source.relay.whole_sum()?.count() >= 1);
        // The joiner keeps the sum as a fact of the frame.
        Ok(Report {
            facts: crate::Facts { last: Some(sum as u32), ..crate::Facts::default() },
            ..report(source, 0)
        })
    }
}

/// Feeds the stream in parts. Some of the tags are wrong.
struct PartFeeder<'a> {
    coded: &'a [u8],
    cuts: Vec<(usize, Tag)>,
}

impl Feeder for PartFeeder<'_> {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        let (mut start, mut tag) = (0, INSIDE);
        for &(end, next) in self.cuts.iter().chain([&(self.coded.len(), Tag::default())]) {
            let job = feed.open(start as u64)?;
            let unit = Mark { start: start as u64, coded_len: Some(OPEN_ENDED), tag: Tag { kind: 1, ..tag } };
            feed.mark(job, unit);
            for part in self.coded[start..end].chunks(SLAB_LEN) {
                feed.push(job, filled(feed.slab(SLAB_LEN)?, part));
            }
            feed.close(job, next);
            (start, tag) = (end, next);
        }
        Ok(())
    }
}

pub(super) fn handing_on() {
    let mut coded: Vec<u8> = (0..4 + pick(5)).map(|at| (at * 3 + 1) as u8).collect();
    let plain = Values::default().decode(0, &coded);
    coded.push(END);
    let all_are_right = one_in(2);
    let cuts: Vec<(usize, Tag)> = (1..coded.len())
        .filter(|_| one_in(2))
        .map(|cut| (cut, if all_are_right || pick(3) > 0 { INSIDE } else { Tag::default() }))
        .collect();
    // The head needs room for the pieces that wait for their checksum.
    let pools = Pools::new(SLAB_LEN * (5 + pick(3)), PIECE_LEN * (4 + pick(3)), PIECE_LEN * 4);
    let coders = (0..1 + pick(3)).map(|_| Box::new(Parts) as Box<dyn Coder>).collect();
    let plan = Plan { slots: 2 + pick(5), ..plan(&pools, 0) };
    let mut feeder = PartFeeder { coded: &coded, cuts };
    let (output, result) = run_to_either(plan, coders, &mut feeder);
    pools.assert_whole();
    let total = result.expect("the stream is right");
    assert_eq!(output, [b"<", &plain[..], b">"].concat());
    let mut sum = Sum::default();
    sum.write(&plain);
    assert_eq!(total.facts.last, Some(sum.finish() as u32), "the checksum of all output in order");
}

#[test]
fn values_are_handed_on_and_work_is_left_and_taken_over() {
    explore(handing_on);
}
