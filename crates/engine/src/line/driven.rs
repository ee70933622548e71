//! The line of a session: its owner takes the output, and gives input when the feeder asks for it.
//!
//! A `Reader` must give out everything that can be decoded before it waits for more input, because the other end of a
//! connection may wait for an answer. So the owner reads its inner reader only when nothing else can go on: the feeder
//! asks for input, and each job that is not done waits for input too. [`Line::turn`] finds this state. The workers and
//! the feeder change the state with the lock of the line held, before they begin to wait, so the owner never takes a
//! thread that was just given input for one that waits.
//!
//! Only the last job can lack input, because the feeder gives a job all its input before it opens the next one. All
//! other jobs wait for jobs before them, or for the owner to take output, or they work.

use std::io;
use std::time::Duration;

use super::slot::Slot;
use super::{Line, LineState};
use crate::buffers::{Lease, Slice};
use crate::error::Result;
use crate::signal::Guard;
use crate::sync::seeded;
use crate::waits::End;

/// If no input comes for this time, a reader in the background gives out what can be decoded of an incomplete frame.
const PAUSE_MAX: Duration = Duration::from_millis(5);
/// The time for each byte of the last input, of which the pause is made. Short input is a message as a rule, whose
/// sender may wait for the answer. Behind long input, more of the same frame is likely to come.
const PAUSE_PER_BYTE: Duration = Duration::from_nanos(10);
/// A shorter pause would only cost the call that waits.
const PAUSE_MIN: Duration = Duration::from_micros(50);

/// What the owner of a session can do next.
pub enum Turn {
    /// It has output.
    Output(Slice),
    /// There is no output, and the feeder could not read: the inner reader has a time limit or does not block. The
    /// feeder reads again in the next turn.
    Interrupted(io::Error),
    /// What it waited for has come.
    Proceed,
    /// The stream has ended, or has failed.
    Over,
}

/// What an owner that feeds waits for if there is no output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing.
    No,
    /// Another job can be opened.
    Room,
    /// All output was taken.
    Empty,
    /// The stream is over.
    End,
}

/// Input for the feeder: a slab and how many bytes of it are filled. None means the end of the input.
pub(crate) type Supply = Result<(Lease, usize)>;

/// What the feeder and the owner want of each other.
#[derive(Default)]
pub(super) struct InputRequest {
    /// The feeder wants this slab to be filled.
    slab: Option<Lease>,
    /// The slab was taken, and is being filled.
    is_taken: bool,
    supply: Option<Supply>,
    /// The length of the last input.
    last_len: usize,
    /// The feeder waits.
    waits: bool,
    /// The feeder can go on without input, if the input pauses.
    may_pause: bool,
    /// The input pauses. A worker that waits for the end of a unit decodes what it has, and lets its output leave.
    is_last_resort: bool,
    /// The inner reader could not be read, and will be tried again when the owner comes back.
    interruption: Option<io::Error>,
    /// The thread that reads the inner reader waits for the owner to come back. This is no pause of the input, which
    /// `is_last_resort` notes.
    is_paused: bool,
}

impl InputRequest {
    pub(super) fn is_last_resort(&self) -> bool {
        self.is_last_resort
    }

    /// Notes that input has come.
    pub(super) fn input_came(&mut self) {
        self.is_last_resort = false;
    }

    /// How long more input is waited for, before the input counts as paused.
    fn pause(&self) -> Duration {
        PAUSE_PER_BYTE.saturating_mul(u32::try_from(self.last_len).unwrap_or(u32::MAX)).min(PAUSE_MAX)
    }

    /// Whether the feeder waits for input.
    pub(super) fn is_pending(&self) -> bool {
        self.waits && self.supply.is_none()
    }
}

impl LineState {
    /// Whether what the owner waits for has come.
    pub(crate) fn grants(&self, wait: Wait) -> bool {
        match wait {
            Wait::No => true,
            Wait::Room => self.has_room(),
            Wait::Empty => self.tail == self.head,
            Wait::End => false,
        }
    }

    /// Whether another job can be opened.
    fn has_room(&self) -> bool {
        self.tail - self.head < self.slots.len() as u64
    }

    /// Whether the feeder wants a slab to be filled.
    pub(crate) fn asks(&self) -> bool {
        self.request.slab.is_some()
    }

    /// Whether the workers and the feeder know that the input pauses.
    pub(crate) fn has_paused(&self) -> bool {
        self.request.is_last_resort
    }

    /// Whether no output can come before more input comes.
    pub(crate) fn is_starved(&mut self) -> bool {
        if !self.request.is_pending() {
            return false;
        }
        let (head, tail) = (self.head, self.tail);
        if head < tail && !seeded!(CancelledHeadPassed) {
            let slot = self.slot(head);
            if slot.cancelled && slot.done.is_none() {
                // Its worker is about to give it up. Output of the jobs behind it can leave then.
                return false;
            }
        }
        let unfinished = (head..tail).filter(|&job| {
            let slot = self.slot(job);
            slot.done.is_none() && !slot.cancelled
        });
        match unfinished.count() {
            0 => true,
            1 => self.waits_behind == Some(tail - 1) || self.slot(tail - 1).starves,
            _ => false,
        }
    }
}

impl Line {
    /// The next output if there is some. Otherwise waits until `may_proceed`, or until the stream is over. `owner` is
    /// the end of the stream that the owner is.
    pub(crate) fn turn(&self, owner: End, may_proceed: impl Fn(&mut LineState) -> bool) -> Turn {
        let found = self.deliver_or(Some(owner), |state| match state.request.interruption.take() {
            Some(error) => Some(Turn::Interrupted(error)),
            None => may_proceed(state).then_some(Turn::Proceed),
        });
        found.map_or_else(|turn| turn, |delivery| Turn::Output(delivery.slice))
    }

    /// The turn of an owner that takes output and gives input
    /// ([`Session::turn_to_take`](crate::Session::turn_to_take)).
    pub(crate) fn turn_to_take(&self, read_ahead: bool, reads_itself: bool) -> Turn {
        self.resume();
        loop {
            if read_ahead && self.asks() {
                return Turn::Proceed;
            }
            let turn = self.turn(End::Sink, |state| {
                read_ahead && state.asks() || state.is_starved() && !(reads_itself && state.has_paused())
            });
            match turn {
                Turn::Proceed if read_ahead && self.asks() => return Turn::Proceed,
                // The input may come at any moment.
                Turn::Proceed if reads_itself => {
                    if self.is_starved_for_a_pause() {
                        self.make_last_effort();
                    }
                }
                Turn::Proceed => {
                    if !self.make_last_effort() {
                        return Turn::Proceed;
                    }
                }
                turn => return turn,
            }
        }
    }

    /// Whether another job can be opened without waiting.
    pub(crate) fn has_room(&self) -> bool {
        self.lock().has_room()
    }

    /// Whether what the owner waits for has come.
    pub(crate) fn grants(&self, wait: Wait) -> bool {
        self.lock().grants(wait)
    }

    /// Makes room for twice as many jobs. There must be no other thread.
    pub(crate) fn grow(&self) {
        let mut state = self.lock();
        let (head, tail, count) = (state.head, state.tail, state.slots.len() as u64);
        let mut slots: Vec<Slot> = (0..2 * count).map(|_| Slot::new(0)).collect();
        for job in head..tail {
            std::mem::swap(&mut slots[(job % (2 * count)) as usize], state.slot(job));
        }
        state.slots = slots;
    }

    /// Waits for a pause, if nothing can go on without more input. Returns whether it is still so.
    fn is_starved_for_a_pause(&self) -> bool {
        let mut state = self.lock();
        let patience = state.request.pause();
        if patience >= PAUSE_MIN && state.is_starved() && state.request.interruption.is_none() {
            state =
                self.meter().without_owner(End::Sink, || self.ready.wait_for(&self.state, state, patience));
        }
        state.is_starved() && state.request.interruption.is_none()
    }

    /// Before the owner or the feeder waits for input: the workers and the feeder do what they can without more input.
    /// A worker decodes what it has of a unit, and lets its output leave. Returns false if they can do nothing.
    pub(crate) fn make_last_effort(&self) -> bool {
        let mut state = self.lock();
        if std::mem::replace(&mut state.request.is_last_resort, true) {
            return false;
        }
        let feeder_goes_on = state.request.waits && state.request.may_pause;
        if feeder_goes_on {
            state.request.waits = false;
        }
        let last = state.tail.saturating_sub(1);
        let worker_goes_on = state.tail > state.head && std::mem::take(&mut state.slot(last).starves);
        drop(state);
        self.supplied.notify_all();
        self.changed(last).notify_all();
        feeder_goes_on || worker_goes_on
    }

    /// Whether the feeder wants a slab to be filled.
    pub(crate) fn asks(&self) -> bool {
        self.lock().asks()
    }

    /// The slab that the feeder wants to be filled.
    pub(crate) fn take_request(&self) -> Option<Lease> {
        let mut state = self.lock();
        let slab = state.request.slab.take();
        state.request.is_taken |= slab.is_some();
        slab
    }

    /// Like [`Self::take_request`], but waits for it.
    pub(crate) fn wait_for_request(&self) -> Result<Lease> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if !state.request.is_paused
                && let Some(slab) = state.request.slab.take()
            {
                state.request.is_taken = true;
                return Ok(slab);
            }
            state = self.wait(&self.asked, state)?;
        }
    }

    /// Gives the feeder input.
    pub(crate) fn supply(&self, supply: Supply) {
        let mut state = self.lock();
        state.request.last_len = supply.as_ref().map_or(0, |(_, len)| *len);
        state.request.supply = Some(supply);
        state.request.is_taken = false;
        drop(state);
        self.supplied.notify_all();
    }

    /// Puts the slab of a request back, because there is no input yet.
    pub(crate) fn return_request(&self, slab: Lease) {
        let mut state = self.lock();
        state.request.slab = Some(slab);
        state.request.is_taken = false;
    }

    /// Asks for a slab with input, and waits for it. Nothing if the input pauses, and it `may_pause`. The slab that was
    /// asked for then still belongs to the next call. `lend` makes a slab.
    pub(crate) fn ask(
        &self,
        lend: impl FnOnce() -> Result<Lease>,
        may_pause: bool,
    ) -> Result<Option<(Lease, usize)>> {
        let mut state = self.lock();
        if state.request.slab.is_none() && !state.request.is_taken && state.request.supply.is_none() {
            drop(state);
            let slab = lend()?;
            state = self.lock();
            state.request.slab = Some(slab);
            drop(state);
            self.asked.notify_all();
            state = self.lock();
        }
        loop {
            self.check()?;
            if let Some(supply) = state.request.supply.take() {
                state.request.waits = false;
                state.request.is_last_resort = false;
                return supply.map(Some);
            }
            if may_pause && state.request.is_last_resort {
                state.request.waits = false;
                return Ok(None);
            }
            if !std::mem::replace(&mut state.request.waits, true) {
                state.request.may_pause = may_pause;
                drop(state);
                self.ready.notify_all();
                state = self.lock();
                continue;
            }
            // The feeder waits for input here, and not for room.
            state = self.supplied.rest(state);
        }
    }

    /// Tells the owner that the inner reader could not be read now, and puts the slab back. It will be given out again
    /// when the owner comes back.
    pub(crate) fn interrupt(&self, error: io::Error, slab: Lease) {
        let mut state = self.lock();
        state.request.slab = Some(slab);
        state.request.is_taken = false;
        state.request.interruption = Some(error);
        state.request.is_paused = true;
        drop(state);
        self.ready.notify_all();
    }

    /// Lets the inner reader be read again.
    pub(crate) fn resume(&self) {
        let mut state = self.lock();
        let is_paused = state.request.interruption.is_some();
        let was_paused = std::mem::replace(&mut state.request.is_paused, is_paused);
        drop(state);
        if was_paused {
            self.asked.notify_all();
        }
    }

    /// Waits for more input of the span of job `at`, and tells the owner of a session.
    pub(super) fn starve<'a>(
        &'a self,
        at: u64,
        mut state: Guard<'a, LineState>,
    ) -> Result<Guard<'a, LineState>> {
        let slot = state.slot(at);
        if !slot.starves {
            slot.starves = true;
            if self.ready.is_awaited() && state.request.is_pending() && !seeded!(OwnerNotTold) {
                // The owner may have waited for this. The state is looked at again, because the lock was released.
                drop(state);
                self.ready.notify_all();
                return Ok(self.lock());
            }
        }
        self.wait(self.changed(at), state)
    }
}
