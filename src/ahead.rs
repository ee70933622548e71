//! Codes short inputs before their turn, on threads beside the one that does the work.
//!
//! `work` takes one input after another. An [`Ahead`] has the inputs that come next read and coded into memory. When
//! the turn of an input comes, [`Ahead::take`] gives `work` what was made of it. Everything else happens in the turn of
//! an input and on one thread: checks, questions, the output, messages, and the removal of the input. So only the time
//! that a run takes depends on this room.
//!
//! What was made counts only if the file that `work` has opened is the one that was read here, and has not changed.
//! Whatever goes wrong here is not told: the input is coded again in its turn.

use std::collections::VecDeque;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use pzcomp::{Compress, DecodeBuilder, Decompress, Output, Summary};

use super::listed;
use super::origin;
use super::request::{Mode, Request, Source, Sparse};
use super::source::{Candidate, Candidates, OpenInput};

/// How many inputs are coded before their turn. Each takes up to 256 KiB, and what is made of it.
const MOST: usize = 16;

/// A short input that becomes longer than this is decompressed in its turn.
const PLAIN_MAX: u64 = 1 << 20;

/// The inputs that come next.
pub(super) struct Ahead<'a> {
    request: &'a Request,
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Default)]
struct Line {
    /// In the order of their turns.
    slots: VecDeque<Slot>,
    /// How many slots there have been.
    count: u64,
    is_over: bool,
}

struct Slot {
    number: u64,
    candidate: Candidate,
    state: State,
}

enum State {
    Waiting,
    /// A thread codes it.
    Running,
    Done(Option<Box<Made>>),
}

/// What was made of an input.
pub(super) struct Made {
    pub(super) bytes: Vec<u8>,
    pub(super) summary: Summary,
    /// The metadata of the file that was read.
    of: Metadata,
}

/// Ends the threads when it is dropped.
pub(super) struct Running<'a>(Option<&'a Ahead<'a>>);

/// A slot that becomes done when this is dropped, even if the thread panics.
struct Work<'a> {
    ahead: &'a Ahead<'a>,
    number: u64,
    made: Option<Made>,
}

impl<'a> Ahead<'a> {
    /// Nothing if the request has one input, or if its inputs are never short.
    pub(super) fn new(request: &'a Request) -> Option<Self> {
        let has_several = request.sources.len() > 1 || request.rules.recursive;
        let is_wanted = has_several && request.takes_short() && request.options.worker_count() > 1;
        is_wanted.then(|| Self { request, line: Mutex::default(), changed: Condvar::new() })
    }

    /// Starts the threads. If the system gives none, each input is coded in its turn.
    pub(super) fn start<'s>(&'s self, scope: &'s Scope<'s, '_>) -> Running<'s> {
        let Request { sources, rules, options, .. } = self.request;
        let inputs = if rules.recursive { MOST } else { sources.len() };
        for _ in 1..options.worker_count().min(inputs).min(MOST) {
            if Builder::new().name("ahead".into()).spawn_scoped(scope, || self.work()).is_err() {
                break;
            }
        }
        Running(Some(self))
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the input whose turn it is, and those that come next.
    pub(super) fn offer(&self, now: &Candidate, candidates: &Candidates) {
        let mut line = self.line();
        let next = || candidates.upcoming().take(MOST);
        line.slots.retain(|slot| {
            let is_slot = |candidate: &Candidate| candidate.source == slot.candidate.source;
            is_slot(now) || next().any(is_slot)
        });
        for candidate in next() {
            let is_known = |slot: &Slot| slot.candidate.source == candidate.source;
            if matches!(candidate.source, Source::Path(_))
                && line.slots.len() < MOST
                && !line.slots.iter().any(is_known)
            {
                let (number, candidate) = (line.count, candidate.clone());
                line.count += 1;
                line.slots.push_back(Slot { number, candidate, state: State::Waiting });
            }
        }
        drop(line);
        self.changed.notify_all();
    }

    /// What was made of this input, whose turn has come.
    pub(super) fn take(&self, source: &Source, opened: &OpenInput) -> Option<Made> {
        let mut line = self.line();
        let at = line.slots.iter().position(|slot| slot.candidate.source == *source)?;
        // Only this thread adds and removes slots.
        while matches!(line.slots.get(at)?.state, State::Running) {
            line = self.changed.wait(line).unwrap_or_else(PoisonError::into_inner);
        }
        match line.slots.remove(at)?.state {
            State::Done(Some(made)) => Some(*made).filter(|made| is_unchanged(&made.of, &opened.metadata)),
            _ => None,
        }
    }

    /// A thread: codes one input after another.
    fn work(&self) {
        let mut line = self.line();
        while !line.is_over {
            let Some(slot) = line.slots.iter_mut().find(|slot| matches!(slot.state, State::Waiting)) else {
                line = self.changed.wait(line).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            slot.state = State::Running;
            let candidate = slot.candidate.clone();
            let mut work = Work { ahead: self, number: slot.number, made: None };
            drop(line);
            work.made = make(&candidate, self.request);
            drop(work);
            line = self.line();
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let mut line = self.ahead.line();
        if let Some(slot) = line.slots.iter_mut().find(|slot| slot.number == self.number) {
            slot.state = State::Done(self.made.take().map(Box::new));
        }
        drop(line);
        self.ahead.changed.notify_all();
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(ahead) = self.0.take() {
            ahead.line().is_over = true;
            ahead.changed.notify_all();
        }
    }
}

/// Codes an input, if it is short and nothing is wrong with it.
fn make(candidate: &Candidate, request: &Request) -> Option<Made> {
    let opened = candidate.look(request)?;
    let input = opened.short(request).ok()??;
    let mut bytes = Vec::new();
    let summary = match request.mode() {
        Mode::Compress => {
            let (options, _) = origin::compression_options(&opened, request, |_| {});
            Compress::new(&options.encode().ok()?).run(&input, &mut bytes).ok()?
        }
        Mode::Test => {
            if listed::to_compare(&opened, request).is_some() {
                return None;
            }
            Decompress::new(&request.options.decode().ok()?).run(&input, Output::Nothing).ok()?
        }
        Mode::Decompress => {
            let options = DecodeBuilder::from(request.options.decode().ok()?).max_output(PLAIN_MAX);
            let summary = Decompress::new(&options.build().ok()?).run(&input, &mut bytes).ok()?;
            let may_have_holes = request.rules.sparse != Sparse::Never;
            if may_have_holes && bytes.chunks(4 << 10).any(|block| block.iter().all(|&byte| byte == 0)) {
                return None;
            }
            summary
        }
        Mode::Recode | Mode::List => return None,
    };
    Some(Made { bytes, summary, of: opened.metadata })
}

/// Whether both are of one file, which was not written to in between.
fn is_unchanged(then: &Metadata, now: &Metadata) -> bool {
    let facts = |about: &Metadata| {
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        (about.dev(), about.ino(), about.len(), times)
    };
    facts(then) == facts(now)
}
