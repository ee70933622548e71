//! The last output of a stream, kept from one piece of memory to the next.
//!
//! A run ends by appending its output here, and the next run copies matches from here that begin before its
//! memory. [`History`] holds all output of a stream up to a window, and at least a window of a longer one.

use super::{Symbol, WINDOW_LEN};

/// At least the last [`WINDOW_LEN`] symbols of a stream, or all of a shorter one.
///
/// There is room for two windows, so that the symbols are moved only once for each window of output.
pub(super) struct History<S>(Vec<S>);

impl<S: Symbol> History<S> {
    const ROOM: usize = 2 * WINDOW_LEN;

    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(Self::ROOM))
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces the history by `len` symbols, at most a window, which `write` fills in.
    pub(super) fn replace(&mut self, len: usize, write: impl FnOnce(&mut [S])) {
        self.0.resize(len, S::literal(0));
        write(&mut self.0);
    }

    pub(super) fn symbols(&self) -> &[S] {
        &self.0
    }

    /// Puts earlier output in front of the history, which has at most a window.
    pub(super) fn set_window(&mut self, earlier: &[S]) {
        let earlier = &earlier[earlier.len().saturating_sub(WINDOW_LEN)..];
        let own = self.0.len();
        debug_assert!(own <= WINDOW_LEN);
        self.0.extend_from_slice(earlier);
        self.0.rotate_left(own);
    }

    /// Adds the output of a run.
    pub(super) fn append(&mut self, output: &[S]) {
        let new = &output[output.len().saturating_sub(WINDOW_LEN)..];
        if self.0.len() + new.len() > Self::ROOM {
            self.0.drain(..self.0.len() - (WINDOW_LEN - new.len()));
        }
        self.0.extend_from_slice(new);
    }
}
