//! [`Encoders`]: all encoders of a stream, which code the slices of Blocks.
//!
//! A Block is cut into slices that do not depend on each other (`crates/lzma`). The worker that has the Block codes one
//! slice after another. While other workers have no Block, threads that are started for this Block use their encoders.
//! A thread codes one slice at least. So as many slices are coded at once as there are encoders, and a Block that is
//! the only one is coded by all of them.
//!
//! The bytes of a slice depend on the Block and the parameters only, and so does its place. With long dictionaries, one
//! step of each slice follows that of the slice before it ([`Turns`]). The other steps of other slices go on meanwhile.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

use pzcomp_lzma::{Encoder, Error, Params, Slices as Cut, Sorter};

/// The encoders of a stream.
pub(super) struct Encoders {
    params: Params,
    state: Mutex<State>,
    returned: Condvar,
}

struct State {
    idle: Vec<Encoder>,
    /// One for each Block that is coded at the same time.
    sorters: Vec<Sorter>,
    /// How many workers wait for an encoder.
    waiting: usize,
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
        let state = Mutex::new(State { idle, sorters, waiting: 0 });
        Arc::new(Self { params, state, returned: Condvar::new() })
    }

    /// Codes a Block as LZMA2 into the front of `out`, and returns the coded length.
    pub(super) fn encode(&self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let cut = self.params.slices(plain);
        let (room, count) = (cut.bound(), cut.count());
        let coded = {
            let rooms = Mutex::new(out.chunks_mut(room).take(count).enumerate());
            let taken = self.take();
            let turns = self.turns(cut);
            let slices = Slices { encoders: self, plain, rooms, count, turns, coded: Mutex::default() };
            std::thread::scope(|scope| slices.code(scope, taken));
            let sorter = slices.turns.into_sorter();
            self.state().sorters.push(sorter);
            let mut coded = slices.coded.into_inner().unwrap_or_else(PoisonError::into_inner);
            // The first slice that failed says why.
            coded.sort_by_key(|&(index, _)| index);
            coded
        };
        let mut lens = vec![0; count];
        for (index, len) in coded {
            lens[index] = len?;
        }
        let mut end = 0;
        for (index, len) in lens.into_iter().enumerate() {
            let start = index * room;
            out.copy_within(start..start + len, end);
            end += len;
        }
        *out.get_mut(end).ok_or(Error::NoRoom)? = pzcomp_lzma::LZMA2_END;
        Ok(end + 1)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turns of the slices of a Block.
    fn turns(&self, cut: Cut) -> Turns {
        // A worker that did not give one back has panicked.
        let sorter = self.state().sorters.pop().unwrap_or_default();
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
struct Slices<'a, R> {
    encoders: &'a Encoders,
    plain: &'a [u8],
    /// The slices that nobody has begun: their numbers and the room for them.
    rooms: Mutex<R>,
    count: usize,
    turns: Turns,
    coded: Mutex<Vec<(usize, Result<usize, Error>)>>,
}

impl<'a, R: Iterator<Item = (usize, &'a mut [u8])> + Send> Slices<'a, R> {
    fn next(&self) -> Option<(usize, &'a mut [u8])> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.next()
    }

    /// Codes slices until none is left, on more threads if encoders are idle.
    fn code<'s>(&'s self, scope: &'s Scope<'s, '_>, mut taken: Taken<'a>) {
        while let Some((index, room)) = self.next() {
            self.ask_for_help(scope, index);
            self.code_slice(&mut taken, index, room);
        }
    }

    /// Starts a thread for each idle encoder, as long as there are slices for them behind this one.
    fn ask_for_help<'s>(&'s self, scope: &'s Scope<'s, '_>, index: usize) {
        for _ in index + 1..self.count {
            let Some(spare) = self.encoders.spare() else { break };
            // Without a thread the encoder is given back.
            if Builder::new().spawn_scoped(scope, || self.help(spare)).is_err() {
                break;
            }
        }
    }

    /// Codes slices until none is left or a worker needs the encoder.
    fn help(&self, mut taken: Taken<'a>) {
        while let Some((index, room)) = self.next() {
            self.code_slice(&mut taken, index, room);
            if self.encoders.is_wanted() {
                break;
            }
        }
    }

    fn code_slice(&self, taken: &mut Taken<'a>, index: usize, room: &mut [u8]) {
        let coded = taken.encode(self.plain, index, room, &self.turns);
        self.coded.lock().unwrap_or_else(PoisonError::into_inner).push((index, coded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: Params = Params { dict_len: 64 << 10, nice_len: 64 };

    fn text() -> Vec<u8> {
        (0..60_000_u32)
            .flat_map(|index| format!("{}\n", index.wrapping_mul(index) >> 9).into_bytes())
            .collect()
    }

    fn coded(encoders: &Encoders, plain: &[u8]) -> Vec<u8> {
        let mut out = vec![0; pzcomp_lzma::lzma2_bound(plain.len())];
        let len = encoders.encode(plain, &mut out).unwrap();
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
        let cut = PARAMS.slices(&plain);
        let mut out = vec![0; cut.bound() * 2];
        let rooms = Mutex::new(out.chunks_mut(cut.bound()).enumerate());
        let turns = encoders.turns(cut);
        let slices =
            Slices { encoders: &encoders, plain: &plain, rooms, count: 2, turns, coded: Mutex::default() };
        let taken = encoders.take();
        std::thread::scope(|scope| {
            slices.ask_for_help(scope, 0);
            assert!(encoders.spare().is_none());
            drop(taken);
        });
        assert_eq!(slices.coded.lock().unwrap().len(), 2);
    }
}
