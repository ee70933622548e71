//! [`Encoders`]: all encoders of a stream, which code the slices of Blocks.
//!
//! A Block is cut into slices that several threads can code side by side (`crates/lzma`). The worker that has the Block
//! codes one slice after another. While other workers have no Block, threads that are started for this Block use their
//! encoders. So at most as many slices are coded at once as there are encoders, and a Block that is the only one is
//! coded by all of them. A thread codes at least one slice before it gives its encoder back.
//!
//! The bytes of a slice depend on the Block and the parameters only, and so does its place. With long dictionaries, one
//! step of each slice follows that of the slice before it ([`Turns`]). The other steps of other slices go on meanwhile.

mod joined;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};
use std::time::Duration;

use engine::thread_cpu;
use pzcomp_lzma::{Encoder, Error, Params, Slices as Cut, Sorter};

use joined::Joined;

/// The encoders of a stream.
pub(super) struct Encoders {
    params: Params,
    /// How many there are, idle or not.
    count: usize,
    state: Mutex<State>,
    returned: Condvar,
}

struct State {
    idle: Vec<Encoder>,
    /// One for each Block that is coded at the same time.
    sorters: Vec<Sorter>,
    /// How many workers wait for an encoder.
    waiting: usize,
    /// How many slices of all Blocks have been begun behind others that are not in their places.
    early: usize,
}

/// An encoder in use. It is given back when this value is dropped, after a panic too.
struct Taken<'a> {
    encoder: Option<Encoder>,
    encoders: &'a Encoders,
}

impl Taken<'_> {
    fn encode(&mut self, plain: &[u8], index: usize, out: &mut [u8], turns: &Turns) -> Result<usize, Error> {
        // However this ends, the next slice has its turn then.
        let turn = Turn { turns, index };
        let encoder = self.encoder.as_mut().ok_or(Error::NoMemory)?;
        encoder.sort_slice(plain, &turns.cut, index)?;
        turn.take(|sorter| encoder.join_slice(plain, sorter))?;
        encoder.encode_slice(plain, out)
    }
}

/// Whose turn it is to join a slice to those before it.
struct Turns {
    /// The slices, which may have an order.
    cut: Cut,
    state: Mutex<(usize, Sorter)>,
    passed: Condvar,
}

impl Turns {
    fn state(&self) -> MutexGuard<'_, (usize, Sorter)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn into_sorter(self) -> Sorter {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Waits until the slices before this one have had their turns.
    fn wait(&self, index: usize) -> MutexGuard<'_, (usize, Sorter)> {
        let mut state = self.state();
        while self.cut.are_joined() && state.0 < index {
            state = self.passed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

/// The turn of a slice. It is over when this value is dropped, after a panic too.
struct Turn<'a> {
    turns: &'a Turns,
    index: usize,
}

impl Turn<'_> {
    fn take<T>(self, join: impl FnOnce(&mut Sorter) -> T) -> T {
        if self.turns.cut.are_joined() {
            join(&mut self.turns.wait(self.index).1)
        } else {
            join(&mut Sorter::new())
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.wait(self.index);
        state.0 = state.0.max(self.index + 1);
        self.turns.passed.notify_all();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.encoders.state().idle.extend(self.encoder.take());
        self.encoders.returned.notify_one();
    }
}

impl Encoders {
    pub(super) fn new(params: Params, count: usize) -> Arc<Self> {
        let idle = (0..count).map(|_| Encoder::new(params)).collect();
        let sorters = (0..count).map(|_| Sorter::new()).collect();
        let state = Mutex::new(State { idle, sorters, waiting: 0, early: 0 });
        Arc::new(Self { params, count, state, returned: Condvar::new() })
    }

    /// Codes a Block as LZMA2 into the front of `out`. Returns the coded length, and the CPU time of the threads that
    /// helped.
    pub(super) fn encode(&self, plain: &[u8], out: &mut [u8]) -> Result<(usize, Duration), Error> {
        let slices = Slices::new(self, plain, out);
        let taken = self.take();
        std::thread::scope(|scope| slices.code(scope, taken));
        let Slices { turns, joined, .. } = slices;
        let all = turns.cut.count();
        self.state().sorters.push(turns.into_sorter());
        let Joined { rest, count, len, failed, helpers_cpu, .. } =
            joined.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = failed {
            return Err(error);
        }
        if count < all {
            return Err(Error::NoRoom);
        }
        *rest.and_then(|rest| rest.first_mut()).ok_or(Error::NoRoom)? = pzcomp_lzma::LZMA2_END;
        Ok((len + 1, helpers_cpu))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turns of the slices of a Block.
    fn turns(&self, cut: Cut) -> Turns {
        // If a sorter is missing, its worker has panicked. Slices that are not joined need no sorter.
        let sorter = self.state().sorters.pop().filter(|_| cut.are_joined()).unwrap_or_default();
        Turns { cut, state: Mutex::new((0, sorter)), passed: Condvar::new() }
    }

    /// An encoder for a worker that has a Block. Threads that help give theirs back for it.
    fn take(&self) -> Taken<'_> {
        let mut state = self.state();
        state.waiting += 1;
        while state.idle.is_empty() {
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        Taken { encoder: state.idle.pop(), encoders: self }
    }

    /// An encoder that nobody needs.
    fn spare(&self) -> Option<Taken<'_>> {
        let mut state = self.state();
        let encoder = if state.waiting == 0 { state.idle.pop() } else { None };
        encoder.map(|encoder| Taken { encoder: Some(encoder), encoders: self })
    }

    fn is_wanted(&self) -> bool {
        self.state().waiting > 0
    }
}

/// The slices of a Block that is being coded.
struct Slices<'a> {
    encoders: &'a Encoders,
    plain: &'a [u8],
    turns: Turns,
    joined: Mutex<Joined<'a>>,
    /// A slice was coded, or failed.
    ended: Condvar,
}

impl<'a> Slices<'a> {
    fn new(encoders: &'a Encoders, plain: &'a [u8], out: &'a mut [u8]) -> Self {
        let turns = encoders.turns(encoders.params.slices(plain));
        let joined = Mutex::new(Joined::new(encoders, out));
        Self { encoders, plain, turns, joined, ended: Condvar::new() }
    }

    fn joined(&self) -> MutexGuard<'_, Joined<'a>> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next slice to code. After a failure there is none. Of all Blocks no more slices are early than there are
    /// encoders, so that their memory is bounded. A slice that has to wait is not the first slice that is not in its
    /// place. That first slice has been begun, so the wait ends.
    fn next(&self) -> Option<usize> {
        let mut joined = self.joined();
        loop {
            let index = joined.next;
            if index == self.turns.cut.count() || joined.failed.is_some() {
                return None;
            }
            if joined.may_begin(index) {
                joined.next += 1;
                return Some(index);
            }
            joined = self.ended.wait(joined).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Codes slices until none is left, on more threads if encoders are idle.
    fn code<'s>(&'s self, scope: &'s Scope<'s, '_>, mut taken: Taken<'a>) {
        while let Some(index) = self.next() {
            self.ask_for_help(scope, index);
            self.code_slice(&mut taken, index);
        }
    }

    /// Starts a thread for each idle encoder, as long as there are slices for them behind this one.
    fn ask_for_help<'s>(&'s self, scope: &'s Scope<'s, '_>, index: usize) {
        for _ in index + 1..self.turns.cut.count() {
            let Some(spare) = self.encoders.spare() else { break };
            // Without a thread the encoder is given back.
            if Builder::new().spawn_scoped(scope, || self.help(spare)).is_err() {
                break;
            }
        }
    }

    /// Codes slices until none is left or a worker needs the encoder.
    fn help(&self, mut taken: Taken<'a>) {
        while let Some(index) = self.next() {
            self.code_slice(&mut taken, index);
            if self.encoders.is_wanted() {
                break;
            }
        }
        self.joined().helpers_cpu += thread_cpu();
    }

    fn code_slice(&self, taken: &mut Taken<'a>, index: usize) {
        let _begun = Begun { slices: self, index };
        let rest = self.joined().take_rest(index);
        let coded = match rest {
            Some(rest) => {
                let coded = taken.encode(self.plain, index, rest, &self.turns);
                coded.map(|len| self.joined().put_back(rest, len))
            }
            None => self.code_early(taken, index).map(|early| self.joined().put_early(index, early)),
        };
        if let Err(error) = coded {
            self.joined().fail(index, error);
        }
    }

    /// Codes a slice into memory of its own.
    fn code_early(&self, taken: &mut Taken<'a>, index: usize) -> Result<Vec<u8>, Error> {
        // The system provides pages only when they are written.
        let mut early = vec![0; self.turns.cut.bound()];
        let len = taken.encode(self.plain, index, &mut early, &self.turns)?;
        early.truncate(len);
        early.shrink_to_fit();
        Ok(early)
    }
}

/// A slice that is being coded. When this value is dropped, those that wait for the slice go on, after a panic too.
struct Begun<'s, 'a> {
    slices: &'s Slices<'a>,
    index: usize,
}

impl Drop for Begun<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The scope of the threads panics too, so nobody sees which error it is.
            self.slices.joined().fail(self.index, Error::NoMemory);
        }
        self.slices.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: Params = Params { dict_len: 64 << 10, nice_len: 64, search: pzcomp_lzma::Search::All };

    fn text() -> Vec<u8> {
        (0..60_000_u32)
            .flat_map(|index| format!("{}\n", index.wrapping_mul(index) >> 9).into_bytes())
            .collect()
    }

    fn coded(encoders: &Encoders, plain: &[u8]) -> Vec<u8> {
        let mut out = vec![0; pzcomp_lzma::lzma2_bound(plain.len())];
        let (len, cpu) = encoders.encode(plain, &mut out).unwrap();
        assert!(encoders.count > 1 || cpu.is_zero(), "nobody helps");
        out.truncate(len);
        out
    }

    #[test]
    fn blocks_have_the_same_bytes_for_any_number_of_encoders_and_workers() {
        let plain = text();
        assert!(PARAMS.slices(&plain).count() > 4);
        let mut expected = vec![0; pzcomp_lzma::lzma2_bound(plain.len())];
        let len = Encoder::new(PARAMS).encode_lzma2(&plain, &mut expected).unwrap();
        for count in [1, 2, 3, 16] {
            let encoders = Encoders::new(PARAMS, count);
            std::thread::scope(|scope| {
                for _ in 0..count.min(3) {
                    scope.spawn(|| assert!(coded(&encoders, &plain) == expected[..len]));
                }
            });
            assert_eq!(encoders.state().idle.len(), count);
        }
    }

    #[test]
    fn idle_encoders_help() {
        let plain = text();
        let encoders = Encoders::new(PARAMS, 2);
        let mut out = vec![0; pzcomp_lzma::lzma2_bound(plain.len())];
        let slices = Slices::new(&encoders, &plain, &mut out);
        let taken = encoders.take();
        std::thread::scope(|scope| {
            slices.ask_for_help(scope, 0);
            assert!(encoders.spare().is_none());
            drop(taken);
        });
        let joined = slices.joined();
        assert_eq!((joined.count, joined.early.len()), (slices.turns.cut.count(), 0));
        assert!(joined.helpers_cpu > Duration::ZERO);
    }
}
