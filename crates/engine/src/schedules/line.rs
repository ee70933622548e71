//! The line: guesses that are wrong, jobs that are cancelled, errors, and outputs that the workers or a thread write.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use super::coders::{CutFeeder, Frames, SLAB_LEN, Stream, WithTrailer};
use super::{Pools, explore, one_in, pick};
use crate::error::{Error, Result};
use crate::io::{Output, WriteAt};
use crate::line::Line;
use crate::sync::set_threads_left;
use crate::{Coder, Ends, Feeder, PIECE_LEN, Plan, Progress, Report, Sink, run};

pub(super) fn plan(pools: &Pools, slots: usize) -> Plan {
    Plan {
        joiner: Box::new(WithTrailer::default()),
        header: b"<".to_vec(),
        guesses: true,
        slots,
        piece_len: PIECE_LEN,
        slabs: pools.slabs.clone(),
        pieces: pools.pieces.clone(),
        progress: None,
        output_max: None,
        throttle: None,
    }
}

/// An output that the workers write. No byte is written twice. It can fail.
#[derive(Default)]
pub(super) struct Placed {
    bytes: Mutex<Vec<Option<u8>>>,
    pub(super) room: Option<usize>,
}

impl WriteAt for Placed {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
        // A switch of threads before the write.
        shuttle::thread::yield_now();
        let (at, mut written) = (offset as usize, self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        if self.room.is_some_and(|room| at + bytes.len() > room) {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        let end = written.len().max(at + bytes.len());
        written.resize(end, None);
        for (place, &byte) in written[at..].iter_mut().zip(bytes) {
            assert_eq!(place.replace(byte), None, "a byte is written twice");
        }
        Ok(())
    }
}

impl Placed {
    pub(super) fn contents(self) -> Vec<u8> {
        let bytes = self.bytes.into_inner().unwrap_or_else(PoisonError::into_inner);
        bytes.into_iter().map(|byte| byte.expect("no gap")).collect()
    }
}

/// A writer that is slower than the workers, or not.
pub(super) struct Slow<'a>(pub(super) &'a mut Vec<u8>);

impl Write for Slow<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        shuttle::thread::yield_now();
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Runs a stream, and returns its output.
pub(super) fn run_to_either(
    plan: Plan,
    coders: Vec<Box<dyn Coder>>,
    feeder: &mut dyn Feeder,
) -> (Vec<u8>, Result<Report>) {
    let (mut written, placed) = (Vec::new(), Placed::default());
    let is_stream = one_in(2);
    let sink = if is_stream { Sink::Stream(Box::new(Slow(&mut written))) } else { Sink::At(&placed) };
    let result = run(plan, coders, Ends { sink, ..Ends::to(Output::Nothing) }, feeder);
    let result = result.map(|outcome| outcome.total);
    (if is_stream { written } else { placed.contents() }, result)
}

pub(super) fn wrong_guesses() {
    let stream = Stream::of(&[[1, 0, 3, 1], [0, 5, 0, 0], [2, 1, 1, 2]][pick(3)]);
    let pools = Pools::new(SLAB_LEN * (2 + pick(4)), PIECE_LEN * (2 + pick(3)), PIECE_LEN);
    let fail_at = one_in(3).then(|| stream.starts[pick(4)] as u64);
    let len = if one_in(4) { pick(stream.coded.len()) } else { stream.coded.len() };
    let coders = (0..1 + pick(3)).map(|_| Box::new(Frames { fail_at }) as Box<dyn Coder>).collect();
    let cuts = stream.cuts().into_iter().filter(|&cut| cut < len).collect();
    let mut feeder = CutFeeder { input: &stream.coded[..len], cuts, is_certain: false, error: None };
    if one_in(5) {
        feeder.error = Some(Error::coder("the feeder"));
    }
    let feeder_fails = feeder.error.is_some();
    let (output, result) = run_to_either(plan(&pools, 2 + pick(2)), coders, &mut feeder);
    pools.assert_whole();
    // The first error in the order of the stream: that of a frame, of the end, or of the feeder.
    let end = fail_at.map_or(len, |at| len.min(at as usize));
    let expected = if fail_at.is_some_and(|at| at < len as u64) {
        Err(format!("told to at {end}"))
    } else if feeder_fails {
        Err("the feeder".into())
    } else if !stream.starts.contains(&len) {
        Err("cut off".into())
    } else {
        Ok(stream.starts.iter().filter(|&&start| start < len).count() as u64)
    };
    let trailer: &[u8] = if expected.is_ok() { b">" } else { b"" };
    assert_eq!(result.map(|total| total.frames).map_err(|error| error.to_string()), expected);
    assert_eq!(output, [b"<", stream.whole_before(end), trailer].concat());
}

#[test]
fn wrong_guesses_cost_no_byte_and_the_first_error_wins() {
    explore(wrong_guesses);
}

/// Another thread cancels the stream at some moment, the output fails, or the system refuses threads.
pub(super) fn stopped() {
    let stream = Stream::of(&[1, 3, 0, 2]);
    let pools = Pools::new(SLAB_LEN * 3, PIECE_LEN * 2, PIECE_LEN);
    let progress = Progress::default();
    let plan = Plan { progress: Some(progress.clone()), ..plan(&pools, 3) };
    let coders = (0..2).map(|_| Box::new(Frames { fail_at: None }) as Box<dyn Coder>).collect();
    let mut feeder = CutFeeder { input: &stream.coded, cuts: stream.cuts(), is_certain: false, error: None };
    let full = Placed { room: Some(1 + pick(9)), ..Placed::default() };
    set_threads_left(if one_in(3) { pick(2) } else { usize::MAX });
    let canceller = shuttle::thread::spawn(move || {
        if one_in(2) {
            progress.cancel();
        }
    });
    let ends = Ends { sink: Sink::At(&full), ..Ends::to(Output::Nothing) };
    match run(plan, coders, ends, &mut feeder) {
        Ok(_) => {}
        Err(Error::Cancelled | Error::Write { .. } | Error::Threads { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    canceller.join().expect("it does not panic");
    pools.assert_whole();
}

#[test]
fn a_stream_that_is_stopped_at_any_moment_ends() {
    explore(stopped);
}

/// A line that is stopped while threads wait on it, each in its own way. It has nothing else, so that each step of the
/// stop meets each step of a wait.
pub(super) fn waiting() {
    let pools = Pools::new(SLAB_LEN, PIECE_LEN, 0);
    let lent = pools.pieces.lend(PIECE_LEN, || true).expect("it is free");
    let line = Line::new(plan(&pools, 1), 1);
    line.open(0, None).expect("there is room");
    let way = pick(6);
    shuttle::thread::scope(|scope| {
        let line = &line;
        scope.spawn(move || {
            let is_over = match way {
                0 => line.open(1, None).is_err(),
                1 => line.deliver_or_wait().is_none(),
                2 => line.input(0, 0).is_err(),
                3 => line.pieces.lend(PIECE_LEN, || true).is_err(),
                4 => line.wait_for_request().is_err(),
                _ => line.ask(|| line.slabs.lend(SLAB_LEN, || true), false).is_err(),
            };
            assert!(is_over, "nothing came");
        });
        line.stop(Error::GivenUp);
    });
    drop((lent, line));
    pools.assert_whole();
}

#[test]
fn each_wait_ends_when_the_line_is_stopped() {
    explore(waiting);
}
