//! [`Recording`]: an output into which recovery records are written between the frames.
//!
//! The joiner of the stream counts the frames in order, and the line calls it before it hands out the first byte behind
//! a frame. [`Marking`] stands around the joiner and notes the length of each frame in [`Marks`]. So the recording
//! knows at each write where frames end, and puts the records there. Which records there are follows from the lengths
//! of the frames alone: the joiner has planned the same records for the seek table (`format/framed.rs`).

use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::format::WritingCodec;
use crate::format::records::{Recorder, Settings as RecoverySettings};
use crate::options::{Encode, Settings};
use crate::tar_list::Listing;
use engine::io::{Output, OutputStream};
use engine::{Joiner, Outcome, Report, Tap};

/// The frames that have left the line, and were not yet seen by the recording.
#[derive(Default)]
struct Seen {
    frames: Vec<u64>,
    /// Whether all frames have left. Only the trailer follows.
    has_ended: bool,
    /// The lengths of records of a list of members. The trailer begins with them, and they count as frames.
    listed: Vec<usize>,
}

/// What the joiner tells the recording.
#[derive(Clone, Default)]
pub(crate) struct Marks(Arc<Mutex<Seen>>);

impl Marks {
    fn note(&self, note: impl FnOnce(&mut Seen)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn take(&self) -> Seen {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Seen {
            frames: std::mem::take(&mut seen.frames),
            has_ended: seen.has_ended,
            listed: std::mem::take(&mut seen.listed),
        }
    }
}

/// A joiner, and the marks that it makes.
struct Marking {
    joiner: Box<dyn Joiner>,
    marks: Marks,
    listing: Option<Listing>,
}

impl Joiner for Marking {
    fn join(&mut self, report: &Report) {
        self.marks.note(|seen| seen.frames.push(report.coded_len));
        self.joiner.join(report);
    }

    fn trailer(&mut self) -> Vec<u8> {
        let trailer = self.joiner.trailer();
        let listed = self.listing.as_ref().map_or_else(Vec::new, Listing::lens);
        self.marks.note(|seen| (seen.has_ended, seen.listed) = (true, listed));
        trailer
    }

    fn total(&self) -> Report {
        self.joiner.total()
    }

    fn sidecar(&self) -> Option<Vec<u8>> {
        self.joiner.sidecar()
    }
}

/// How a stream gets its records. Nothing happens if none are wanted.
pub(crate) struct Records {
    settings: Option<RecoverySettings>,
    threads: NonZeroUsize,
    marks: Marks,
    listing: Option<Listing>,
}

impl Records {
    pub(crate) fn new(codec: &dyn WritingCodec, settings: &Settings, options: &Encode) -> Self {
        let threads = NonZeroUsize::new(options.worker_count()).unwrap_or(NonZeroUsize::MIN);
        let listing = settings.listing.clone();
        Self { settings: codec.recovery(settings), threads, marks: Marks::default(), listing }
    }

    pub(crate) fn are_wanted(&self) -> bool {
        self.settings.is_some()
    }

    /// The joiner that tells this recording of the frames.
    pub(crate) fn watch(&self, joiner: Box<dyn Joiner>) -> Box<dyn Joiner> {
        match self.settings {
            Some(_) => Box::new(Marking { joiner, marks: self.marks.clone(), listing: self.listing.clone() }),
            None => joiner,
        }
    }

    /// Runs a stream into an output that gets the records too. `tap` sees all of it.
    pub(super) fn record<'a>(
        &self,
        output: Output<'a>,
        tap: Option<Tap<'a>>,
        run: impl FnOnce(Output) -> Result<Outcome>,
    ) -> Result<Outcome> {
        let mut recording = self.recording(output, tap);
        let done = run(Output::writer(&mut recording));
        let completed = if done.is_ok() { recording.complete() } else { Ok(()) };
        let finished = recording.finish();
        let outcome = done?;
        completed.and(finished)?;
        Ok(Outcome { written: recording.written(), ..outcome })
    }

    /// The output with the records. `tap` sees all of it.
    pub(crate) fn recording<'a>(&self, output: Output<'a>, tap: Option<Tap<'a>>) -> Recording<'a> {
        Recording {
            output: OutputStream::new(output, false),
            tap,
            records: self.settings.map(|settings| Recorder::new(settings, self.threads)),
            marks: self.marks.clone(),
            trailer: Vec::new(),
            listed: Vec::new(),
        }
    }
}

/// An output with recovery records.
pub(crate) struct Recording<'a> {
    output: OutputStream<'a>,
    tap: Option<Tap<'a>>,
    /// Absent if no records are wanted.
    records: Option<Recorder>,
    marks: Marks,
    /// The end of the stream, before which the last records stand.
    trailer: Vec<u8>,
    /// The lengths of the frames with which it begins.
    listed: Vec<usize>,
}

impl Recording<'_> {
    /// Bytes that were written.
    pub(crate) fn written(&self) -> u64 {
        self.output.written()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(tap) = &mut self.tap {
            tap(bytes);
        }
        Ok(self.output.write_all(bytes)?)
    }

    /// Has the recorder put out what it makes. Its own error is that of a thread.
    fn record(
        &mut self,
        work: impl FnOnce(&mut Recorder, &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<()> {
        let Some(mut recorder) = self.records.take() else { return Ok(()) };
        let mut failed = None;
        let done = work(&mut recorder, &mut |bytes| {
            self.put(bytes).map_err(|error| {
                failed = Some(error);
                io::ErrorKind::Other.into()
            })
        });
        self.records = Some(recorder);
        match (done, failed) {
            (Ok(()), _) => Ok(()),
            (Err(_), Some(error)) => Err(error),
            (Err(source), None) => Err(Error::Write { offset: self.output.written(), source }),
        }
    }

    /// Takes the next bytes of the stream. A frame ends where the bytes end, or they are all in one frame.
    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(recorder) = &mut self.records else { return self.put(bytes) };
        let Seen { frames, has_ended, listed } = self.marks.take();
        self.listed.extend(listed);
        frames.iter().for_each(|&len| recorder.frame(len));
        if has_ended {
            self.trailer.extend_from_slice(bytes);
            return Ok(());
        }
        self.record(|recorder, put| recorder.write(bytes, put))
    }

    /// Ends the stream, which is whole: writes the last records and the trailer.
    pub(crate) fn complete(&mut self) -> Result<()> {
        let Some(recorder) = &mut self.records else { return Ok(()) };
        let trailer = std::mem::take(&mut self.trailer);
        self.marks.take().frames.iter().for_each(|&len| recorder.frame(len));
        let mut table = &trailer[..];
        for len in std::mem::take(&mut self.listed) {
            let cut = || Error::Internal("a list of members is shorter than its records".into());
            let (record, behind) = table.split_at_checked(len).ok_or_else(cut)?;
            self.record(|recorder, put| {
                recorder.write(record, put)?;
                recorder.frame(len as u64);
                Ok(())
            })?;
            table = behind;
        }
        self.record(|recorder, put| recorder.finish(table, put))?;
        self.put(table)
    }

    /// Ends the output, whole or not.
    pub(crate) fn finish(&mut self) -> Result<()> {
        Ok(self.output.finish()?)
    }
}

impl io::Write for Recording<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len()).map_err(|error| match error {
            Error::Write { source, .. } => source,
            error => io::Error::other(error),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
