//! [`run`] starts the threads of a stream, feeds them, and waits for their end.
//!
//! It takes a [`Plan`], the coders, the two [`Ends`] and a [`Feeder`], and returns the [`Outcome`]. It starts one
//! thread for each coder. It starts a writer thread if the sink is a stream, if the sink is a file and there is one
//! worker, or if the sink is a file that may take bytes only at its end. The feeder runs on the thread of the caller.
//!
//! All bytes before an error are written. No thread waits for ever: a thread that fails or panics stops the line, and
//! that ends all waiting. If the system starts fewer threads than wanted, the threads that run do the work. Without a
//! writer thread the workers write, one at a time. Without a worker, or without a thread for a tap, the thread of the
//! caller does all ([`run_alone`](super::inline::run_alone)).

use std::io::Write;
use std::time::{Duration, Instant};

use super::inline::{Alone, run_alone};
use super::line::{Delivery, Feed, Jobs, Line};
use super::queues::Queues;
use super::signal::Lock;
use super::sync::{ScopedJoinHandle, scope, spawn_scoped};
use super::tap::{TapEnd, tap_queue};
use super::worker::{InOrder, Positioned, StopOnPanic, WorkerThread, write_delivery};
use super::{Coder, CpuTimes, Ends, Feeder, Outcome, Plan, Sink, Tap, Taps, thread_cpu};
use crate::error::{Error, Result};
use crate::io::{PlacedFile, write_at};
use crate::waits::End;

/// Runs a stream from the first byte to the last. If this returns an error, all output before the error has been
/// written. `coders` has one coder for each worker.
pub fn run<'a>(
    plan: Plan,
    coders: Vec<Box<dyn Coder>>,
    ends: Ends<'a>,
    feeder: &mut dyn Feeder,
) -> Result<Outcome> {
    let started = Instant::now();
    let Ends { place, mut sink, taps: Taps { input: input_tap, output: mut output_tap }, unfinished } = ends;
    write_header(&mut sink, &plan.header)?;
    if let Some(tap) = &mut output_tap {
        tap(&plan.header);
    }
    let header_len = plan.header.len() as u64;
    let throttle = plan.throttle.clone();
    let line = Line::new(plan, coders.len());
    let (input_queue, input_end) = input_tap.is_some().then(tap_queue).unzip();
    let (output_queue, output_end) = output_tap.is_some().then(tap_queue).unzip();
    let line = line.with_taps(input_queue, output_queue);
    let (queues, deques) = Queues::new(coders.len());
    let shared;
    let (positioned, stream): (Option<Positioned>, _) = match sink {
        Sink::Stream(stream) => (None, Some(stream)),
        // With one worker, a writer thread writes the file while the worker codes. With more workers, the workers
        // write, if the file takes bytes in any order.
        Sink::File(file) if coders.len() == 1 || !file.takes_any_order() => {
            (None, Some(Box::new(FileInOrder { file, written: header_len })))
        }
        Sink::File(file) => (Some(Positioned::File(file)), None),
        Sink::Memory(memory) => {
            shared = memory;
            (Some(Positioned::Shared(&shared)), None)
        }
        Sink::At(target) => (Some(Positioned::Shared(target)), None),
        Sink::Nothing => (Some(Positioned::Nothing), None),
    };
    let (is_stream, in_order) = (stream.is_some(), InOrder::new(stream));
    let times_before = line.meter().begin(coders.len());
    // A coder whose thread does not start stays here.
    let coders: Vec<Lock<Option<Box<dyn Coder>>>> =
        coders.into_iter().map(|coder| Lock::new(Some(coder))).collect();
    // A tap too.
    let taps = [(input_end, input_tap), (output_end, output_tap)].map(|(end, tap)| Lock::new(end.zip(tap)));
    let reader_before = thread_cpu();
    let mut cpu = CpuTimes::default();
    let mut threads = 0;
    let output_tap = scope(|scope| {
        let (line, queues, in_order) = (&line, &queues, &in_order);
        // Dropped when this closure ends, also by a panic, so that the threads of the taps end.
        let ending = EndTaps(line);
        let mut workers = Vec::with_capacity(coders.len());
        let mut refusal = None;
        let tap_threads = taps.each_ref().map(|tap| {
            let is_wanted = tap.lock().is_some();
            let show = move || {
                let _watch = StopOnPanic(line, queues);
                // The lock is not held while the tap is shown anything: others look what is left.
                let taken = tap.lock().take();
                taken.map(|(end, tap)| end.show(place, tap))
            };
            let started = is_wanted.then(|| spawn_scoped(scope, "tap", show))?;
            started.map_err(|error| refusal = Some(error)).ok()
        });
        let deques = if refusal.is_some() { Vec::new() } else { deques };
        for (coder, deque) in coders.iter().zip(deques) {
            let (number, throttle) = (workers.len(), throttle.as_deref());
            let thread = WorkerThread { line, queues, deque, number, throttle, place, positioned, in_order };
            let work = move || {
                let coder = coder.lock().take();
                coder.map_or(Duration::ZERO, |coder| thread.work(coder))
            };
            match spawn_scoped(scope, "worker", work) {
                Ok(worker) => workers.push(worker),
                // The system starts no more threads. The workers that run do the work.
                Err(error) => {
                    refusal = Some(error);
                    break;
                }
            }
        }
        threads = workers.len();
        let mut writer = None;
        if is_stream {
            let spawned = match workers.is_empty() {
                true => None,
                false => spawn_scoped(scope, "writer", move || write_stream(line, queues, in_order)).ok(),
            };
            if spawned.is_none() {
                in_order.share();
            }
            writer = spawned;
        }
        let watch = StopOnPanic(line, queues);
        let lone_coder = coders.first().filter(|_| workers.is_empty()).and_then(|coder| coder.lock().take());
        match (lone_coder, refusal) {
            (Some(mut coder), Some(source)) => {
                threads = 1;
                let has_tap_threads = tap_threads.iter().any(Option::is_some);
                let alone = Alone { line, queues, place, positioned, in_order, has_tap_threads, taps: &taps };
                run_alone(alone, &mut *coder, feeder, source);
            }
            _ => line.end(feeder.feed(&Feed { line, jobs: queues })),
        }
        line.meter().add_feeder();
        if in_order.is_shared() {
            in_order.deliver(line, queues);
        }
        if let Some(positioned) = positioned {
            // A worker delivers what is ready when it finishes a job. But the feeder can finish the last job itself
            // (`Feed::open_done`), or end with an error after all workers have finished. Then no worker delivers the
            // end of the line, so this thread does.
            while let Some(delivery) = line.deliver() {
                write_delivery(line, queues, positioned, &delivery);
            }
            if line.is_over() {
                queues.close();
            }
        }
        drop(watch);
        cpu.reader = thread_cpu().saturating_sub(reader_before);
        // A worker that panicked has stopped the line with an error, so the panic is not lost here.
        cpu.workers = workers.into_iter().map(|worker| worker.join().unwrap_or_default()).sum();
        match writer.map(ScopedJoinHandle::join) {
            Some(Ok(writer_cpu)) => cpu.writer = writer_cpu,
            // What a writer that panicked would do next is not known.
            Some(Err(_)) => drop(in_order.take()),
            None => {}
        }
        drop(ending);
        // A tap that panicked has stopped the line with an error too.
        let joined = tap_threads.map(|thread| thread.and_then(|thread| thread.join().ok().flatten()));
        let shown_here = |tap: &Lock<Option<(TapEnd, Tap<'a>)>>| {
            let tap = tap.lock().take();
            tap.map(|(end, tap)| (end.show(place, tap).0, Duration::ZERO))
        };
        let [input, output] = joined;
        let (input, output) =
            (input.or_else(|| shown_here(&taps[0])), output.or_else(|| shown_here(&taps[1])));
        cpu.taps = [&input, &output].into_iter().flatten().map(|(_, cpu)| *cpu).sum();
        output.map(|(tap, _)| tap)
    });
    let waits = line.meter().end(&times_before);
    let (joiner, mut written) = line.into_result();
    let ending = joiner.map(|mut joiner| (joiner.trailer(), joiner.total(), joiner.sidecar()));
    let trailer = match &ending {
        Ok((trailer, ..)) => &trailer[..],
        // The output cannot be written any more.
        Err(Error::Write { .. }) => &[],
        // The caller asked for what is not possible, and nothing was written.
        Err(Error::Coder { is_refusal: true, .. }) if written == 0 => &[],
        Err(_) if written == 0 => unfinished.at_start,
        Err(_) => unfinished.later,
    };
    if let Some(mut tap) = output_tap {
        tap(trailer);
    }
    if let Some(mut stream) = in_order.take() {
        let wrote = write_at(&mut *stream, trailer, written);
        let flushed = stream.flush().map_err(|source| Error::Write { offset: written, source });
        if ending.is_ok() {
            wrote.and(flushed)?;
        }
    }
    if let Some(positioned) = positioned {
        positioned.write_at(trailer, written)?;
    }
    written += trailer.len() as u64;
    if let Some(Positioned::File(file)) = positioned {
        file.finish(written).map_err(|source| Error::Write { offset: written, source })?;
    }
    let (_, total, sidecar) = ending?;
    Ok(Outcome { total, written, wall: started.elapsed(), cpu, waits, threads, sidecar })
}

/// Ends the queues for taps when it is dropped.
struct EndTaps<'a>(&'a Line);

impl Drop for EndTaps<'_> {
    fn drop(&mut self) {
        self.0.end_taps();
    }
}

fn write_header(sink: &mut Sink, header: &[u8]) -> Result<()> {
    match sink {
        Sink::Stream(stream) => write_at(&mut **stream, header, 0),
        Sink::File(file) => Positioned::File(*file).write_at(header, 0),
        Sink::Memory(memory) => Positioned::Shared(memory).write_at(header, 0),
        Sink::At(target) => Positioned::Shared(*target).write_at(header, 0),
        Sink::Nothing => Ok(()),
    }
}

/// A file that the writer thread writes. To flush it ends it.
struct FileInOrder<'a> {
    file: PlacedFile<'a>,
    written: u64,
}

impl Write for FileInOrder<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write_all_at(bytes, self.written)?;
        self.written += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.finish(self.written)
    }
}

/// Writes the pieces in order: the work of the writer thread. Apart from the system call for each piece it does nothing
/// that takes time.
fn write_stream(line: &Line, queues: &Queues, in_order: &InOrder) -> Duration {
    let _watch = StopOnPanic(line, queues);
    let mut stream = in_order.stream();
    while let Some(Delivery { at, slice }) = line.deliver_or_wait() {
        let Some(stream) = &mut *stream else { break };
        if let Err(error) = line.meter().during(End::Sink, || write_at(&mut **stream, &slice, at)) {
            line.stop(error);
        }
    }
    queues.close();
    thread_cpu()
}
