//! The last output of a stream, kept from one piece of memory to the next.
//!
//! A run ends by appending its output here, and the next run copies matches from here that begin before its
//! memory. [`History`] holds all output of a stream up to a window, and at least a window of a longer one.

use super::{Symbol, WINDOW_LEN};

/// At least the last [`WINDOW_LEN`] symbols of a stream, or all of a shorter one.
pub(super) struct History<S> {
    /// The length is two windows, so that the symbols are moved only once for each window of output.
    symbols: Box<[S]>,
    len: usize,
}

impl<S: Symbol> History<S> {
    pub(super) fn new() -> Self {
        Self { symbols: vec![S::literal(0); 2 * WINDOW_LEN].into_boxed_slice(), len: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Replaces the history by `len` symbols, at most a window, which `write` fills in.
    pub(super) fn replace(&mut self, len: usize, write: impl FnOnce(&mut [S])) {
        write(&mut self.symbols[..len]);
        self.len = len;
    }

    pub(super) fn symbols(&self) -> &[S] {
        &self.symbols[..self.len]
    }

    /// Puts earlier output in front of the history, which has at most a window.
    pub(super) fn set_window(&mut self, earlier: &[S]) {
        let earlier = &earlier[earlier.len().saturating_sub(WINDOW_LEN)..];
        debug_assert!(self.len <= WINDOW_LEN);
        self.symbols.copy_within(..self.len, earlier.len());
        self.symbols[..earlier.len()].copy_from_slice(earlier);
        self.len += earlier.len();
    }

    /// Adds the output of a run.
    pub(super) fn append(&mut self, output: &[S]) {
        let new = &output[output.len().saturating_sub(WINDOW_LEN)..];
        if self.len + new.len() > self.symbols.len() {
            let keep = WINDOW_LEN - new.len();
            self.symbols.copy_within(self.len - keep..self.len, 0);
            self.len = keep;
        }
        self.symbols[self.len..self.len + new.len()].copy_from_slice(new);
        self.len += new.len();
    }
}
