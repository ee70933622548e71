//! When the bytes of a chunk arrived, so that none of them waits longer than the flush interval of the options.
//!
//! [`Chunks`](super::chunks::Chunks) notes every read here, and asks when the chunk must be flushed. A chunk may be cut
//! before its last byte. The bytes behind the cut keep their times.
//!
//! The times are coarse: they may be early by a sixteenth of the interval, and never late. So a few notes are enough
//! for a chunk, however many reads fill it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Notes for a chunk: at most about this many.
const NOTES: u32 = 16;

/// The times of the bytes that wait.
pub(super) struct Arrivals {
    interval: Duration,
    /// Where in the chunk bytes begin, and when the first of them arrived.
    notes: VecDeque<(usize, Instant)>,
}

impl Arrivals {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, notes: VecDeque::new() }
    }

    /// Notes that bytes arrived, from `start` in the chunk on.
    pub(super) fn note(&mut self, start: usize, now: Instant) {
        let is_recent =
            |&(_, time): &(usize, Instant)| now.saturating_duration_since(time) < self.interval / NOTES;
        if !self.notes.back().is_some_and(is_recent) {
            self.notes.push_back((start, now));
        }
    }

    /// Notes that the first `len` bytes of the chunk have left, and that `left` bytes are left.
    pub(super) fn cut(&mut self, len: usize, left: usize) {
        if left == 0 {
            self.notes.clear();
            return;
        }
        // The last note at or before the cut is that of the first byte that is left.
        while self.notes.get(1).is_some_and(|&(start, _)| start <= len) {
            self.notes.pop_front();
        }
        for (start, _) in &mut self.notes {
            *start = start.saturating_sub(len);
        }
    }

    /// When the oldest byte has waited long enough. Nothing if no byte waits, or if that is later than the clock can
    /// tell.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.notes.front().and_then(|&(_, time)| time.checked_add(self.interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_oldest_byte_decides() {
        let (mut arrivals, start) = (Arrivals::new(SECOND), Instant::now());
        assert_eq!(arrivals.deadline(), None);
        arrivals.note(0, start);
        arrivals.note(10, start + SECOND / 2);
        assert_eq!(arrivals.deadline(), Some(start + SECOND));
        arrivals.cut(10, 5);
        assert_eq!(arrivals.deadline(), Some(start + SECOND * 3 / 2));
        arrivals.cut(5, 0);
        assert_eq!(arrivals.deadline(), None);
    }

    #[test]
    fn bytes_behind_a_cut_keep_the_time_of_the_read_that_brought_them() {
        let (mut arrivals, start) = (Arrivals::new(SECOND), Instant::now());
        arrivals.note(0, start);
        arrivals.note(100, start + SECOND / 4);
        arrivals.note(200, start + SECOND / 2);
        // Bytes 100 to 199 came together.
        arrivals.cut(150, 100);
        assert_eq!(arrivals.deadline(), Some(start + SECOND * 5 / 4));
        arrivals.cut(50, 50);
        assert_eq!(arrivals.deadline(), Some(start + SECOND * 3 / 2));
    }

    #[test]
    fn an_interval_without_end_has_no_deadline() {
        let mut arrivals = Arrivals::new(Duration::MAX);
        arrivals.note(0, Instant::now());
        assert_eq!(arrivals.deadline(), None);
    }

    #[test]
    fn many_reads_make_few_notes() {
        let (mut arrivals, start) = (Arrivals::new(SECOND), Instant::now());
        for read in 0..10_000 {
            arrivals.note(read as usize, start + read * SECOND / 10_000);
        }
        assert!(arrivals.notes.len() <= 17, "{}", arrivals.notes.len());
        // A time is never late, so a byte at a note's end is flushed early and not late.
        arrivals.cut(9_999, 1);
        let deadline = arrivals.deadline().unwrap();
        assert!(deadline <= start + SECOND * 2 && deadline > start + SECOND * 15 / 8);
    }
}
