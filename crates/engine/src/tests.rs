//! Tests of the pipeline alone: the coders pause at random, and the feeders guess wrong.
//!
//! They check the order of output and errors, the return of all buffers, and when a baton is published. No format is
//! used.

use std::io::{Seek, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::buffers::Buffers;
use super::line::{Delivery, Jobs, Line, PassedOn};
use super::queues::{Queues, Task};
use super::signal::{Lock, Signal};
use super::*;
use crate::io::{Output, PlacedFile};

/// Copies its input, after a pause that differs from job to job. Fails or panics at a given offset.
struct Slow {
    /// Fail in the job that starts here.
    fail_at: Option<u64>,
    panic_at: Option<u64>,
}

impl Coder for Slow {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let start = source.offset();
        std::thread::sleep(Duration::from_micros(start * 7919 % 900));
        loop {
            let bytes = source.available()?;
            if bytes.is_empty() {
                break;
            }
            let len = bytes.len();
            out.write(bytes)?;
            source.consume(len);
        }
        assert_ne!(self.panic_at, Some(start), "told to");
        if self.fail_at.is_some_and(|at| start >= at) {
            return Err(Error::coder(format!("told to at {start}")));
        }
        Ok(Report { plain_len: out.total(), coded_len: out.total(), frames: 1, ..Report::default() })
    }
}

/// Reads frames that are a length byte and that many bytes, wherever the feeder cut.
struct Frames;

impl Coder for Frames {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let mut report = Report::default();
        let start = source.offset();
        while !source.available()?.is_empty() {
            std::thread::sleep(Duration::from_micros(source.offset() * 31 % 50));
            let mut len = [0];
            source.read_exact(&mut len)?;
            let mut frame = vec![0; usize::from(len[0])];
            if !source.read_exact(&mut frame)? {
                return Err(Error::coder(format!("cut off at {}", source.offset())));
            }
            out.write(&frame)?;
            report.frames += 1;
        }
        report.plain_len = out.total();
        report.coded_len = source.offset() - start;
        Ok(report)
    }
}

/// Feeds `input` cut at these offsets, some jobs piece by piece.
struct CutFeeder<'a> {
    input: &'a [u8],
    cuts: Vec<usize>,
    /// The error that the feeder ends with.
    error: Option<Error>,
}

impl Feeder for CutFeeder<'_> {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        let mut start = 0;
        for &end in self.cuts.iter().chain([&self.input.len()]) {
            let job = feed.open(start as u64)?;
            for part in self.input[start..end].chunks(100) {
                let mut slab = feed.slab(100)?;
                slab[..part.len()].copy_from_slice(part);
                feed.push(job, Segment::Slice(slab.freeze(0..part.len())));
            }
            feed.close(job, Tag::default());
            start = end;
        }
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Adds up the reports, and ends the output with a trailer.
#[derive(Default)]
struct WithTrailer(Total);

impl Joiner for WithTrailer {
    fn join(&mut self, report: &Report) {
        self.0.join(report);
    }

    fn trailer(&mut self) -> Vec<u8> {
        b"trailer".to_vec()
    }

    fn total(&self) -> Report {
        self.0.total()
    }
}

fn plan(guesses: bool) -> Plan {
    Plan {
        joiner: Box::new(WithTrailer::default()),
        header: b"header".to_vec(),
        guesses,
        slots: 7,
        piece_len: 64,
        slabs: Buffers::new(1000, 0),
        pieces: Buffers::new(640, 64),
        progress: None,
        output_max: None,
        throttle: None,
    }
}

fn run_to(coders: Vec<Box<dyn Coder>>, sink: Sink, guesses: bool, feeder: &mut dyn Feeder) -> Result<Report> {
    let ends = Ends { sink, ..Ends::to(Output::Nothing) };
    run(plan(guesses), coders, ends, feeder).map(|outcome| outcome.total)
}

fn slow(workers: usize, fail_at: Option<u64>, panic_at: Option<u64>) -> Vec<Box<dyn Coder>> {
    (0..workers).map(|_| Box::new(Slow { fail_at, panic_at }) as Box<dyn Coder>).collect()
}

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 % 251) as u8).collect()
}

/// Runs to memory and to a file. Both must hold the same.
fn run_both(
    coders: impl Fn() -> Vec<Box<dyn Coder>>,
    guesses: bool,
    mut cuts: impl FnMut() -> CutFeeder<'static>,
) -> (Vec<u8>, Result<Report>) {
    let mut memory = Vec::new();
    let result = run_to(coders(), Sink::Stream(Box::new(&mut memory)), guesses, &mut cuts());
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"before").unwrap();
    let at_file = run_to(coders(), Sink::File(PlacedFile::new(&file, 6)), guesses, &mut cuts());
    assert_eq!(format!("{result:?}"), format!("{at_file:?}"));
    assert_eq!(Seek::stream_position(&mut file).unwrap(), 6 + memory.len() as u64, "the file's own offset");
    let mut written = Vec::new();
    Seek::rewind(&mut file).unwrap();
    std::io::Read::read_to_end(&mut file, &mut written).unwrap();
    assert!(written == [b"before", &memory[..]].concat());
    (memory, result)
}

#[test]
fn output_is_in_the_order_of_the_input_and_all_buffers_come_back() {
    // `Line::into_result` asserts that all buffers have come back.
    let data = input(20_000).leak();
    for workers in [1, 2, 5] {
        let cuts = || CutFeeder { input: data, cuts: (1..100).map(|cut| cut * 199).collect(), error: None };
        let (output, result) = run_both(|| slow(workers, None, None), false, cuts);
        assert_eq!(result.unwrap().frames, 100);
        assert!(output == [b"header", &data[..], b"trailer"].concat());
    }
}

#[test]
fn workers_that_leave_the_machine_to_others_hold_nothing_up() {
    /// Worker 0 always works. The others never do, or every other time.
    struct Polite(bool, AtomicUsize, AtomicUsize);
    impl Throttle for Polite {
        fn begin(&self) {
            self.1.fetch_add(1, Ordering::Relaxed);
        }
        fn may_work(&self, worker: usize) -> bool {
            worker == 0 || self.0 && self.2.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
        }
    }
    let data = input(20_000);
    for works in [false, true] {
        let polite = Arc::new(Polite(works, AtomicUsize::new(0), AtomicUsize::new(0)));
        let plan = Plan { throttle: Some(Arc::clone(&polite) as Arc<dyn Throttle>), ..plan(false) };
        let mut cuts = CutFeeder { input: &data, cuts: (1..100).map(|cut| cut * 199).collect(), error: None };
        let mut output = Vec::new();
        let ends = Ends { sink: Sink::Stream(Box::new(&mut output)), ..Ends::to(Output::Nothing) };
        run(plan, slow(3, None, None), ends, &mut cuts).unwrap();
        assert!(output == [b"header", &data[..], b"trailer"].concat());
        assert_eq!(polite.1.load(Ordering::Relaxed), 3, "each thread was told");
    }
}

#[test]
fn the_first_error_in_the_order_of_the_stream_wins_and_all_before_it_is_written() {
    let data = input(20_000).leak();
    for at in [0, 199, 10 * 199, 99 * 199] {
        let cuts = || CutFeeder { input: data, cuts: (1..100).map(|cut| cut * 199).collect(), error: None };
        // Later jobs fail too, and earlier in time.
        let (output, result) = run_both(|| slow(4, Some(at), None), false, cuts);
        assert_eq!(result.unwrap_err().to_string(), format!("told to at {at}"));
        let end = at as usize + if at == 99 * 199 { 20_000 - 99 * 199 } else { 199 };
        assert!(output == [b"header", &data[..end]].concat(), "{at}: {}", output.len());
    }
}

#[test]
fn an_error_of_the_feeder_comes_after_all_that_was_fed() {
    let data = input(5_000).leak();
    let error = || Error::Read { offset: 5_000, source: std::io::Error::other("told to") };
    let cuts = || CutFeeder { input: data, cuts: vec![1000, 2000], error: Some(error()) };
    let (output, result) = run_both(|| slow(3, None, None), false, cuts);
    assert!(matches!(result, Err(Error::Read { offset: 5_000, .. })));
    assert!(output == [b"header", &data[..]].concat());
}

#[test]
fn a_panic_of_a_worker_is_an_error_and_no_hang() {
    let data = input(20_000);
    let mut cuts = CutFeeder { input: &data, cuts: (1..100).map(|cut| cut * 199).collect(), error: None };
    let result = run_to(slow(3, None, Some(20 * 199)), Sink::Nothing, false, &mut cuts);
    assert!(matches!(result, Err(Error::Internal(_))));
}

#[test]
fn an_output_that_fails_stops_everything() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let data = input(20_000);
    let mut cuts = CutFeeder { input: &data, cuts: (1..100).map(|cut| cut * 199).collect(), error: None };
    let result = run_to(slow(3, None, None), Sink::Stream(Box::new(Full(5_000))), false, &mut cuts);
    assert!(matches!(result, Err(Error::Write { offset, .. }) if offset <= 5_000));
}

/// Frames of all lengths, their data, and their starts.
fn frames() -> (&'static [u8], Vec<u8>, Vec<usize>) {
    let (mut coded, mut plain, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for len in (0..=255_u8).chain((0..=255).rev()) {
        starts.push(coded.len());
        let frame = input(usize::from(len));
        coded.push(len);
        coded.extend(&frame);
        plain.extend(&frame);
    }
    (coded.leak(), plain, starts)
}

#[test]
fn wrong_guesses_of_where_frames_begin_cost_no_byte() {
    let (coded, plain, starts) = frames();
    let right: Vec<usize> = starts.iter().copied().skip(1).step_by(5).collect();
    let every_so = |step: usize| (step..coded.len()).step_by(step).collect::<Vec<_>>();
    let mut mixed: Vec<usize> = right.iter().copied().chain(every_so(997)).collect();
    mixed.sort_unstable();
    mixed.dedup();
    for guess in [right, every_so(150), every_so(1000), mixed] {
        for workers in [1, 3] {
            let coders = || (0..workers).map(|_| Box::new(Frames) as Box<dyn Coder>).collect();
            let cuts = || CutFeeder { input: coded, cuts: guess.clone(), error: None };
            let (output, result) = run_both(coders, true, cuts);
            assert_eq!(
                result.unwrap(),
                Report {
                    plain_len: plain.len() as u64,
                    coded_len: coded.len() as u64,
                    frames: 512,
                    ..Report::default()
                }
            );
            assert!(output == [b"header", &plain[..], b"trailer"].concat());
        }
    }
}

#[test]
fn an_input_that_ends_inside_a_frame_is_cut_off_there_whatever_was_guessed() {
    let (coded, plain, _) = frames();
    let cut_off: &'static [u8] = &coded[..coded.len() / 2 + 3];
    for step in [70, 1000, 100_000] {
        let coders = || (0..3).map(|_| Box::new(Frames) as Box<dyn Coder>).collect();
        let cuts =
            || CutFeeder { input: cut_off, cuts: (step..cut_off.len()).step_by(step).collect(), error: None };
        let (output, result) = run_both(coders, true, cuts);
        assert_eq!(result.unwrap_err().to_string(), format!("cut off at {}", cut_off.len()));
        assert!([b"header", &plain[..]].concat().starts_with(&output));
        assert!(output.len() + 600 > cut_off.len() - 256, "whole frames are there");
    }
}

#[test]
fn stealing_takes_tasks_from_others_oldest_first() {
    let (queues, deques) = Queues::new(2);
    let pieces = Buffers::new(100, 0);
    let order = Mutex::new(Vec::new());
    for at in 0..3 {
        let slice = pieces.lend(10, || true).unwrap().freeze(0..1);
        deques[0].push(Task::Write(Delivery { at, slice }));
    }
    queues.submit(9);
    queues.close();
    while let Some(task) = queues.next(&deques[1]) {
        order.lock().unwrap().push(match task {
            Task::Write(delivery) => delivery.at,
            Task::Job(job) => job,
            Task::Digest(_) => unreachable!("none was offered"),
        });
    }
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 9]);
}

fn tag((kind, context): (u8, u8)) -> Tag {
    Tag { kind, context }
}

/// Publishes a baton of [`HandoverStage::Decoded`]. Returns whether that was possible.
fn publish(line: &Line, job: u64, context: u8, value: &'static str) -> bool {
    line.publish_baton(job, HandoverStage::Decoded, context, Box::new(value)).is_none()
}

/// Takes a baton of [`HandoverStage::Decoded`].
fn taken(line: &Line, job: u64) -> Option<&'static str> {
    let baton = line.baton_before(job, HandoverStage::Decoded).unwrap()?;
    baton.downcast_ref().copied()
}

/// The feeder's access to a line without workers.
fn feed(line: &Line) -> Feed<'_> {
    struct NoWorkers;
    impl Jobs for NoWorkers {
        fn submit(&self, _: u64) {}
    }
    Feed { line, jobs: &NoWorkers }
}

/// A line of two jobs. The first has a unit of kind 3. It is closed with the tag `next`, unless that is missing.
fn two_jobs(next: Option<(u8, u8)>) -> Line {
    let buffers = || Buffers::new(1 << 20, 0);
    let plan = Plan { slots: 4, slabs: buffers(), pieces: buffers(), piece_len: 1 << 10, ..plan(true) };
    let line = Line::new(plan, 2);
    line.open(0, None).unwrap();
    feed(&line).mark(0, Mark { start: 0, coded_len: Some(OPEN_ENDED), tag: tag((3, 0)) });
    if let Some(next) = next {
        feed(&line).close(0, tag(next));
    }
    line.open(10, None).unwrap();
    line
}

#[test]
fn a_baton_is_published_where_the_next_job_continues_the_stream() {
    let line = two_jobs(Some((3, 1)));
    assert!(!line.has_baton(1, HandoverStage::Decoded));
    assert!(publish(&line, 0, 1, "before"));
    assert!(line.has_baton(1, HandoverStage::Decoded));
    assert_eq!(taken(&line, 1), Some("before"));
    // It is known now where the second job begins.
    feed(&line).mark(1, Mark { start: 10, coded_len: Some(OPEN_ENDED), tag: tag((3, 1)) });
    feed(&line).close(1, tag((3, 2)));
    line.open(20, None).unwrap();
    assert!(publish(&line, 1, 2, "behind"));
    assert_eq!(taken(&line, 2), Some("behind"));
}

#[test]
fn a_baton_that_is_not_certain_is_not_published() {
    for next in [None, Some((3, 2)), Some((2, 1))] {
        let line = two_jobs(next);
        assert!(!publish(&line, 0, 1, "before"));
        assert!(!line.has_baton(1, HandoverStage::Decoded), "{next:?}");
    }
    let line = two_jobs(Some((3, 1)));
    feed(&line).mark(1, Mark { start: 10, coded_len: Some(OPEN_ENDED), tag: tag((3, 1)) });
    feed(&line).close(1, tag((3, 1)));
    line.open(20, None).unwrap();
    assert!(!publish(&line, 1, 1, "a guess"), "the second job may begin where nothing does");
    line.continue_into_next(0, 0).unwrap();
    assert!(!publish(&line, 1, 1, "cancelled"));
}

/// A line of three jobs of one stream, of which the second has taken and published a baton of [`HandoverStage::Seen`].
fn three_jobs() -> Line {
    let line = two_jobs(Some((3, 1)));
    feed(&line).mark(1, Mark { start: 10, coded_len: Some(OPEN_ENDED), tag: tag((3, 1)) });
    feed(&line).close(1, tag((3, 1)));
    line.open(20, None).unwrap();
    assert!(line.leave(1, 1, Box::new(())).unwrap().is_some(), "nobody knows yet where the job begins");
    assert!(line.publish_baton(0, HandoverStage::Seen, 1, Box::new(())).is_none());
    assert!(line.baton_before(1, HandoverStage::Seen).unwrap().is_some());
    assert!(line.leave(1, 1, Box::new(())).unwrap().is_some(), "nobody knows yet where the job ends");
    assert!(line.publish_baton(1, HandoverStage::Seen, 1, Box::new(())).is_none());
    line
}

#[test]
fn work_that_is_left_is_done_by_the_job_with_the_baton() {
    let line = three_jobs();
    assert!(line.leave(1, 2, Box::new(())).unwrap().is_some(), "another context follows");
    assert!(line.leave(1, 1, Box::new("work")).unwrap().is_none());
    line.finish(1, None, Ok(Report::default()));
    let PassedOn::Work(work, baton) = line.pass_on(0, 1, Box::new("baton")) else { panic!() };
    assert_eq!(work.downcast_ref(), Some(&"work"));
    assert!(matches!(line.pass_on(1, 1, baton), PassedOn::Published));
    let baton = line.baton_before(2, HandoverStage::Decoded).unwrap().unwrap();
    assert_eq!(baton.downcast_ref(), Some(&"baton"));
}

#[test]
fn no_work_is_left_to_a_job_that_has_handed_on_the_baton() {
    let line = three_jobs();
    assert!(matches!(line.pass_on(0, 1, Box::new("baton")), PassedOn::Published));
    assert!(line.leave(1, 1, Box::new(())).unwrap().is_some());
    let line = three_jobs();
    line.finish(0, None, Ok(Report::default()));
    assert!(line.leave(1, 1, Box::new(())).unwrap().is_some(), "the job before is done");
}

#[test]
fn work_that_nobody_does_is_an_error() {
    let line = three_jobs();
    assert!(line.leave(1, 1, Box::new(())).unwrap().is_none());
    line.finish(1, None, Ok(Report::default()));
    line.finish(0, None, Ok(Report::default()));
    assert!(line.deliver().is_none());
    assert!(matches!(line.take_joiner(), Err(Error::Internal(_))));
}

#[test]
fn no_notice_is_missed_though_the_lock_is_dropped_before_it() {
    const TURNS: u32 = 20_000;
    let (turn, changed) = (Lock::new(0), Signal::default());
    let take_turns = |parity: u32| {
        loop {
            let mut turn = turn.lock();
            while *turn < TURNS && *turn % 2 != parity {
                turn = changed.wait(turn);
            }
            if *turn >= TURNS {
                return;
            }
            *turn += 1;
            drop(turn);
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| take_turns(0));
        take_turns(1);
    });
    assert_eq!((*turn.lock(), changed.is_awaited()), (TURNS, false));
}
