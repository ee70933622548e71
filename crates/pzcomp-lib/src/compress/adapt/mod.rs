//! `EncodeBuilder::adapt`: the level of each chunk follows what the source and the sink take.
//!
//! Each worker has an [`AdaptingEncoder`]. It asks the [`Adaptation`] of the stream for a level before each chunk, and
//! tells it afterwards how long the chunk took. The [`Controller`] decides, from these times and from the times for
//! which the stream waited for both ends. [`MeasuredWriter`] measures the sink. The pipeline knows nothing of levels.
//!
//! The output depends on timing. Every chunk is a frame like those of a fixed level, so readers need to know nothing.

mod controller;
mod estimates;
#[cfg(test)]
mod simulation;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::format::{Encoder, WritingCodec};
use crate::options::{AdaptSettings, Settings};
use crate::summary::LevelShare;
use controller::{Choice, Coded, Controller, Done, Flow};
use engine::waits::End;
use engine::{Progress, thread_cpu};
use estimates::Estimates;

/// What all workers of a stream share.
pub(crate) struct Adaptation {
    state: Mutex<State>,
    started: Instant,
    /// Measures the source, and the sink if `sink` does not.
    progress: Progress,
    /// The bytes that were read, if they are counted before their chunk is complete.
    read: OnceLock<Arc<AtomicU64>>,
    /// Measures the sink behind everything that stores bytes.
    sink: OnceLock<Progress>,
}

struct State {
    controller: Controller,
    shares: Vec<LevelShare>,
}

impl Adaptation {
    /// For a stream with these settings. `progress` is that of the pipeline.
    pub(super) fn new(
        settings: &Settings,
        adapt: &AdaptSettings,
        workers: usize,
        progress: Progress,
    ) -> Self {
        let usual = adapt.levels.iter().map(|&(level, speed)| (level, f64::from(speed)));
        let controller = Controller::new(Estimates::new(usual), adapt.start, workers, settings.chunk_len);
        let state = Mutex::new(State { controller, shares: Vec::new() });
        let (read, sink) = (OnceLock::new(), OnceLock::new());
        Self { state, started: Instant::now(), progress, read, sink }
    }

    /// A count of the bytes of the source, for a feeder that counts them as they are read.
    pub(super) fn count_of_read(&self) -> Arc<AtomicU64> {
        Arc::clone(self.read.get_or_init(Arc::default))
    }

    /// Measures this writer as the sink. Returns the writer to use in its place.
    pub(super) fn measure<'a>(&self, writer: Box<dyn Write + Send + 'a>) -> Box<dyn Write + Send + 'a> {
        let progress = self.sink.get_or_init(Progress::default).clone();
        Box::new(MeasuredWriter { writer, progress })
    }

    /// How much was coded at each level, the lowest first.
    pub(super) fn shares(&self) -> Vec<LevelShare> {
        let mut shares = self.state().shares.clone();
        shares.sort_by_key(|share| share.level);
        shares
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flow(&self) -> Flow {
        let sink = self.sink.get().unwrap_or(&self.progress);
        Flow {
            plain: match self.read.get() {
                Some(read) => read.load(Ordering::Relaxed),
                None => self.progress.bytes_in(),
            },
            source_busy: self.progress.waits().for_source,
            coded: sink.bytes_out(),
            sink_busy: sink.waits().for_sink,
        }
    }

    /// The level for a chunk of this length that is coded now.
    fn begin(&self, len: usize) -> Choice {
        let flow = self.flow();
        self.state().controller.begin(len, self.started.elapsed(), flow)
    }

    /// Records a chunk of which `used` is the output.
    fn record(&self, coded: Coded, used: Done) {
        let mut state = self.state();
        state.controller.record(coded);
        let at_first = state.controller.at_first(&coded);
        let at = state.shares.iter().position(|share| share.level == used.level);
        let at = at.unwrap_or_else(|| {
            state.shares.push(LevelShare { level: used.level, ..LevelShare::default() });
            state.shares.len() - 1
        });
        let share = &mut state.shares[at];
        share.chunks += 1;
        share.plain_len += coded.plain_len as u64;
        share.coded_len += used.coded_len as u64;
        share.cpu += coded.done.cpu + coded.first.map_or(Duration::ZERO, |first| first.cpu);
        share.coded_len_at_first += at_first.coded_len as u64;
        share.cpu_at_first += at_first.cpu;
    }
}

/// An encoder that changes its level between chunks.
pub(super) struct AdaptingEncoder {
    codec: &'static dyn WritingCodec,
    settings: Settings,
    adaptation: Arc<Adaptation>,
    encoder: Box<dyn Encoder>,
}

impl AdaptingEncoder {
    pub(super) fn new(
        codec: &'static dyn WritingCodec,
        settings: Settings,
        adaptation: Arc<Adaptation>,
    ) -> Result<Self> {
        let encoder = codec.encoder(&settings)?;
        Ok(Self { codec, settings, adaptation, encoder })
    }

    fn code(
        &mut self,
        chunk: &[u8],
        out: &mut [u8],
        encode: impl Fn(&mut dyn Encoder, &[u8], &mut [u8]) -> Result<usize>,
    ) -> Result<usize> {
        let choice = self.adaptation.begin(chunk.len());
        // This output is overwritten.
        let first = choice.first.map(|level| self.code_at(level, chunk, out, &encode)).transpose()?;
        let done = self.code_at(choice.level, chunk, out, &encode)?;
        let used = match first.filter(|first| first.coded_len < done.coded_len) {
            Some(first) => self.code_at(first.level, chunk, out, &encode)?,
            None => done,
        };
        self.adaptation.record(Coded { plain_len: chunk.len(), done, first }, used);
        Ok(used.coded_len)
    }

    fn code_at(
        &mut self,
        level: i32,
        chunk: &[u8],
        out: &mut [u8],
        encode: &impl Fn(&mut dyn Encoder, &[u8], &mut [u8]) -> Result<usize>,
    ) -> Result<Done> {
        let (started, cpu) = (Instant::now(), thread_cpu());
        if level != self.settings.level {
            self.settings.level = level;
            if !self.encoder.change_level(&self.settings)? {
                self.encoder = self.codec.encoder(&self.settings)?;
            }
        }
        let coded_len = encode(&mut *self.encoder, chunk, out)?;
        Ok(Done { level, coded_len, time: started.elapsed(), cpu: thread_cpu().saturating_sub(cpu) })
    }
}

impl Encoder for AdaptingEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.code(chunk, out, |encoder, chunk, out| encoder.encode(chunk, out))
    }

    fn encode_flushed(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.code(chunk, out, |encoder, chunk, out| encoder.encode_flushed(chunk, out))
    }

    fn note(&self) -> u64 {
        self.encoder.note()
    }
}

/// The most bytes that are written at a time, so that the count of written bytes is up to date while a slow sink takes
/// a long frame.
const WRITE_LEN: usize = 64 << 10;

/// Counts the bytes that a writer takes, and the time for which it is waited for.
struct MeasuredWriter<'a> {
    writer: Box<dyn Write + Send + 'a>,
    progress: Progress,
}

impl Write for MeasuredWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = &bytes[..bytes.len().min(WRITE_LEN)];
        let written = self.progress.meter().during(End::Sink, || self.writer.write(now))?;
        self.progress.add_out(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
