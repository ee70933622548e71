//! Codes short inputs before their turn, on threads beside the one that does the work.
//!
//! `work` takes one input after another. An [`Ahead`] has the inputs that come next read and coded into memory. When
//! the turn of an input comes, [`Ahead::take`] gives `work` the open file and what was made of it. If many are done,
//! the temporary file of an output is written too ([`ReadyFile`]). Everything else happens in the turn of an input and
//! on one thread: checks, questions, the name of the output, messages, and the removal of the input. So only the time
//! that a run takes depends on this room. No thread is started or ended for an input, and a thread that has nothing
//! else to do codes.
//!
//! What was made counts only if the path still leads to the file that was read here, and the file has not changed.
//! Whatever goes wrong here is not told: the input is coded again in its turn.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use pzcomp::{Compress, DecodeBuilder, Decompressor, Output, Summary};

use super::listed;
use super::origin;
use super::pending::PendingFiles;
use super::request::{Mode, Request, Source, Sparse, Target};
use super::side;
use super::source::{Candidate, Candidates, OpenInput, short_max};
use super::target::{ReadyFile, place_in_folder};
use system::allocator::keep_freed_memory;
use system::memory::{Limited, limit_of};

/// How many inputs are coded before their turn.
const MOST: usize = 64;

/// No input is begun while what was made and waits for its turn has more bytes.
const HELD_MAX: usize = 16 << 20;

/// If so many inputs are done, the output of the next one is written into a file too.
const AHEAD: usize = 8;

/// An input of this length is coded by one thread, if there are others for the other threads.
const LONGER_MAX: usize = 2 << 20;

/// A short input that becomes longer than this is decompressed in its turn.
const PLAIN_MAX: u64 = 4 << 20;

/// The inputs that come next.
pub(super) struct Ahead<'a> {
    request: &'a Request,
    pending_files: &'a PendingFiles,
    threads: usize,
    /// How many inputs are coded before their turn: their files are open.
    most: usize,
    line: Mutex<Line>,
    /// There is something to code, or the end.
    wanted: Condvar,
    /// What [`Ahead::take`] waits for is done.
    made: Condvar,
}

#[derive(Default)]
struct Line {
    /// In the order of their turns.
    slots: VecDeque<Slot>,
    /// How many bytes were made that wait for their turn.
    held: usize,
    /// How many threads wait for something to code.
    idle: usize,
    /// The slot that [`Ahead::take`] waits for.
    awaited: Option<u64>,
    is_over: bool,
}

struct Slot {
    candidate: Candidate,
    state: State,
}

enum State {
    Waiting,
    /// A thread codes it.
    Running,
    Done(Option<Box<(OpenInput, Made)>>),
}

/// What was made of an input.
pub(super) struct Made {
    /// Empty if they are in the file.
    pub(super) bytes: Vec<u8>,
    pub(super) summary: Summary,
    pub(super) ready: Option<ReadyFile>,
}

/// What a thread keeps from input to input.
#[derive(Default)]
pub(super) struct Tools(Option<Decompressor>);

/// Ends the threads when it is dropped.
pub(super) struct Running<'a>(Option<&'a Ahead<'a>>);

/// A slot that becomes done when this is dropped, even if the thread panics.
struct Work<'a> {
    ahead: &'a Ahead<'a>,
    number: u64,
    made: Option<Box<(OpenInput, Made)>>,
}

impl<'a> Ahead<'a> {
    /// Nothing if the request has one input, or if its inputs are never short.
    pub(super) fn new(request: &'a Request, pending_files: &'a PendingFiles) -> Option<Self> {
        let has_several = request.sources.len() > 1 || request.rules.recursive;
        if !has_several || !request.takes_short() {
            return None;
        }
        let files = limit_of(Limited::Files).map_or(MOST, |files| files as usize / 8);
        let (most, threads) = (MOST.min(files), request.options.worker_count());
        let (line, wanted, made) = Default::default();
        keep_freed_memory();
        Some(Self { request, pending_files, threads, most, line, wanted, made })
    }

    /// Starts the threads. If the system gives none, each input is coded in its turn.
    pub(super) fn start<'s>(&'s self, scope: &'s Scope<'s, '_>) -> Running<'s> {
        let Request { sources, rules, .. } = self.request;
        let inputs = if rules.recursive { self.most } else { sources.len() };
        for _ in 1..self.threads.min(inputs).min(self.most) {
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
        if self.threads == 1 {
            return;
        }
        let mut line = self.line();
        // Inputs before it were passed over.
        if let Some(at) = line.slots.iter().position(|slot| slot.candidate.number == now.number) {
            line.drop_first(at);
            if line.slots.len() > self.most / 2 {
                return;
            }
        }
        let mut known = std::mem::take(&mut line.slots);
        for candidate in [now].into_iter().chain(candidates.upcoming().take(self.most)) {
            let is_it = |slot: &Slot| slot.candidate.number == candidate.number;
            match known.iter().position(is_it).and_then(|at| known.remove(at)) {
                Some(slot) => line.slots.push_back(slot),
                None if line.slots.len() < self.most && matches!(candidate.source, Source::Path(_)) => {
                    line.slots.push_back(Slot { candidate: candidate.clone(), state: State::Waiting });
                }
                None => {}
            }
        }
        line.held -= known.iter().map(|slot| slot.held()).sum::<usize>();
        let has_idle = line.idle > 0;
        drop(line);
        if has_idle {
            self.wanted.notify_all();
        }
    }

    /// The file of this input, whose turn has come, and what was made of it. Nothing if it is to be coded now.
    pub(super) fn take(&self, candidate: &Candidate, tools: &mut Tools) -> Option<(OpenInput, Made)> {
        let mut line = self.line();
        loop {
            let at = line.slots.iter().position(|slot| slot.candidate.number == candidate.number)?;
            if !matches!(line.slots[at].state, State::Running) {
                break;
            }
            // This thread codes another one in the meantime.
            line = match self.code_next(line, tools) {
                Ok(line) => line,
                Err(mut line) => {
                    line.awaited = Some(candidate.number);
                    self.made.wait(line).unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
        line.awaited = None;
        let at = line.slots.iter().position(|slot| slot.candidate.number == candidate.number)?;
        let slot = line.slots.remove(at)?;
        let was_full = line.held > HELD_MAX / 2;
        line.held -= slot.held();
        if was_full && line.held <= HELD_MAX / 2 && line.idle > 0 {
            self.wanted.notify_all();
        }
        match slot.state {
            State::Done(made) => made.map(|made| *made),
            State::Waiting | State::Running => None,
        }
    }

    /// Codes an input that is open, and whose turn has come, as one of those before their turn.
    pub(super) fn make(&self, opened: &OpenInput, tools: &mut Tools) -> Option<Made> {
        let is_there = opened.path.is_some() && opened.facts.is_file();
        is_there.then(|| make(opened, self.request, short_max(self.request), tools)).flatten()
    }

    /// A file with the output, if it is to be beside the input or in a folder that is there.
    fn ready(&self, opened: &OpenInput, bytes: &[u8]) -> Option<ReadyFile> {
        let Self { request, pending_files, .. } = self;
        let is_beside = request.target == Target::Beside && request.mode() != Mode::Test;
        if !is_beside || request.folder.as_ref().is_some_and(|folder| folder.mirror) {
            return None;
        }
        let path = origin::path_beside(opened.path.as_deref()?, opened, request)?;
        let path = place_in_folder(path, request).ok()?;
        side::check_output(&path, request).ok()?;
        ReadyFile::new(path, bytes, &opened.facts, request, pending_files)
    }

    /// A thread: codes one input after another.
    fn work(&self) {
        let mut tools = Tools::default();
        let mut line = self.line();
        while !line.is_over {
            line = match self.code_next(line, &mut tools) {
                Ok(line) => line,
                Err(mut line) => {
                    line.idle += 1;
                    let mut line = self.wanted.wait(line).unwrap_or_else(PoisonError::into_inner);
                    line.idle -= 1;
                    line
                }
            };
        }
    }

    /// Codes the next input that waits for that. An error if there is none.
    fn code_next<'l>(
        &'l self,
        mut line: MutexGuard<'l, Line>,
        tools: &mut Tools,
    ) -> Result<MutexGuard<'l, Line>, MutexGuard<'l, Line>> {
        let has_others = line.slots.len() >= self.threads;
        let is_full = line.held > HELD_MAX;
        // Then the thread that does the rest is what the others wait for.
        let is_ahead = line.slots.iter().filter(|slot| matches!(slot.state, State::Done(_))).count() >= AHEAD;
        let waiting = line.slots.iter_mut().find(|slot| matches!(slot.state, State::Waiting));
        let Some(slot) = waiting.filter(|_| !is_full) else { return Err(line) };
        slot.state = State::Running;
        let candidate = slot.candidate.clone();
        drop(line);
        let mut work = Work { ahead: self, number: candidate.number, made: None };
        let most = if has_others { LONGER_MAX } else { short_max(self.request) };
        work.made = candidate.look(self.request).and_then(|opened| {
            let mut made = make(&opened, self.request, most, tools)?;
            if is_ahead {
                made.ready = self.ready(&opened, &made.bytes);
            }
            Some(Box::new((opened, made)))
        });
        drop(work);
        Ok(self.line())
    }
}

impl Line {
    fn drop_first(&mut self, count: usize) {
        let held: usize = self.slots.drain(..count).map(|slot| slot.held()).sum();
        self.held -= held;
    }
}

impl Slot {
    fn held(&self) -> usize {
        match &self.state {
            State::Done(Some(made)) => made.1.bytes.capacity(),
            State::Done(None) | State::Waiting | State::Running => 0,
        }
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let mut line = self.ahead.line();
        let is_awaited = line.awaited == Some(self.number);
        if let Some(slot) = line.slots.iter_mut().find(|slot| slot.candidate.number == self.number) {
            slot.state = State::Done(self.made.take());
            let held = slot.held();
            line.held += held;
        }
        drop(line);
        if is_awaited {
            self.ahead.made.notify_all();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(ahead) = self.0.take() {
            ahead.line().is_over = true;
            ahead.wanted.notify_all();
        }
    }
}

/// Codes an input, if it has at most so many bytes and nothing is wrong with it.
fn make(opened: &OpenInput, request: &Request, most: usize, tools: &mut Tools) -> Option<Made> {
    let input = Arc::new(opened.short(most).ok()??);
    let mut bytes = Vec::new();
    let summary = match request.mode() {
        Mode::Compress => {
            let (mut options, _) = origin::compression_options(opened, request, |_| {});
            options.threads = 1;
            Compress::new(&options.encode().ok()?).run(&**input, &mut bytes).ok()?
        }
        Mode::Test => {
            if listed::has_list(&input, request) {
                return None;
            }
            tools.decompressor(request, None)?.run(&input, Output::Nothing).ok()?
        }
        Mode::Decompress => {
            let summary = tools.decompressor(request, Some(PLAIN_MAX))?.run(&input, &mut bytes).ok()?;
            let may_have_holes = request.rules.sparse != Sparse::Never;
            if may_have_holes && bytes.chunks(4 << 10).any(|block| block.iter().all(|&byte| byte == 0)) {
                return None;
            }
            summary
        }
        Mode::Recode | Mode::List => return None,
    };
    Some(Made { bytes, summary, ready: None })
}

impl Tools {
    fn decompressor(&mut self, request: &Request, max_output: Option<u64>) -> Option<&mut Decompressor> {
        if self.0.is_none() {
            let mut options = DecodeBuilder::from(request.options.decode().ok()?);
            if let Some(max_output) = max_output {
                options = options.max_output(max_output);
            }
            self.0 = Some(Decompressor::new(&options.build().ok()?).ok()?);
        }
        self.0.as_mut()
    }
}
