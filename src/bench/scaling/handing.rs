//! What jobs that decode without the window do one after another.
//!
//! Each job is two parts of a gzip member. Both are decoded beside all other jobs, into symbols; the markers among
//! them are replaced when the window is there, which is when the job has become the head of the line. The next
//! job becomes the head when all of this one is done and its last piece of output has been taken, so that all
//! of this is serial:
//!
//! ```text
//! worker  ▸ wakes, takes the window ▸ replaces, CRC ▸ replaces, CRC ▸ decodes what is left ▸
//! writer                                              ▸ writes        ▸ writes …             ▸ writes ▸ next job
//! file    the same, but the worker writes all pieces but the last itself, and that one when it has handed on
//! ```
//!
//! Only the last of each part's output is needed for the next window. If that were replaced and handed on first,
//! the rest would be done beside all other jobs too.

use crate::pipeline::PIECE_LEN;

/// What a job of two parts has to do when it knows the window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handing {
    /// Bytes of plain data in each of its parts.
    pub part_len: f64,
    /// How much of that is symbols, from 0 to 1.
    pub marked: f64,
    /// CPU seconds for a symbol that is replaced, with the CRC-32 of what it becomes.
    pub replacing: f64,
    /// CPU seconds for taking the window, making the two that come of it, and handing the last on.
    pub windows: f64,
    /// CPU seconds for decoding what could not be decoded before the window was there.
    pub left: f64,
    /// Seconds until a thread runs that was woken.
    pub waking: f64,
    /// Seconds for writing a byte, in the thread that does it.
    pub writing: f64,
}

/// When a job hands its window on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandsOn {
    /// When a writer thread has taken all of its output: pipes.
    Written,
    /// When its worker has written all pieces but the last: files.
    PutOut,
    /// When the windows are made, before the rest is replaced: what no version does.
    First,
}

impl Handing {
    /// Seconds from when a job becomes the head of the line to when the next one does.
    pub fn step(&self, when: HandsOn) -> f64 {
        match when {
            HandsOn::Written => {
                // Two threads in a row: a piece is written when it is there and the one before is written.
                let (mut made, mut written) = (self.windows + self.waking, 0.0_f64);
                for (at, &piece) in self.pieces().iter().enumerate().rev() {
                    made += self.replaced(piece) + if at == 0 { self.left } else { 0.0 };
                    written = written.max(made + self.waking) + piece * self.writing;
                }
                written
            }
            HandsOn::PutOut => {
                let pieces = self.pieces();
                let inside: f64 = pieces.iter().skip(1).sum();
                let replaced: f64 = pieces.iter().map(|&piece| self.replaced(piece)).sum();
                self.waking + self.windows + replaced + self.left + inside * self.writing
            }
            HandsOn::First => self.waking + self.windows + self.left,
        }
    }

    /// The same for a byte of plain data.
    pub fn serial(&self, when: HandsOn) -> f64 {
        self.step(when) / (2.0 * self.part_len)
    }

    /// Bytes of memory traffic for a byte of plain data that there would not be without symbols of two bytes, which
    /// are written and read.
    pub fn traffic(&self) -> f64 {
        4.0 * self.marked
    }

    fn replaced(&self, piece: f64) -> f64 {
        piece * self.marked * self.replacing
    }

    /// The lengths of the pieces of output, the last one first: each part begins a new one.
    fn pieces(&self) -> Vec<f64> {
        let piece_len = PIECE_LEN as f64;
        let full = (self.part_len / piece_len).floor();
        let rest = self.part_len - full * piece_len;
        let part = (rest > 0.0).then_some(rest).into_iter().chain((0..full as usize).map(|_| piece_len));
        part.clone().chain(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: f64 = PIECE_LEN as f64;

    /// A piece and a half in each part; 1 s for a piece to be replaced.
    const JOB: Handing = Handing {
        part_len: 1.5 * PIECE,
        marked: 1.0,
        replacing: 1.0 / PIECE,
        windows: 0.25,
        left: 0.5,
        waking: 0.125,
        writing: 0.0,
    };

    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
    }

    #[test]
    fn each_part_begins_a_piece() {
        assert_eq!(JOB.pieces(), [0.5 * PIECE, PIECE, 0.5 * PIECE, PIECE]);
        assert_eq!(Handing { part_len: PIECE, ..JOB }.pieces(), [PIECE, PIECE]);
        assert_eq!(Handing { part_len: 0.25 * PIECE, ..JOB }.pieces(), [0.25 * PIECE, 0.25 * PIECE]);
    }

    #[test]
    fn without_writing_all_that_is_replaced_is_serial() {
        assert_near(JOB.step(HandsOn::Written), 0.125 + 0.25 + 3.0 + 0.5 + 0.125);
        assert_near(JOB.step(HandsOn::PutOut), 0.125 + 0.25 + 3.0 + 0.5);
        assert_near(JOB.serial(HandsOn::PutOut), 3.875 / (3.0 * PIECE));
    }

    #[test]
    fn a_fast_writer_adds_its_last_piece_and_a_slow_one_waits_for_the_first_only() {
        let fast = Handing { writing: 0.1 / PIECE, ..JOB };
        assert_near(fast.step(HandsOn::Written), JOB.step(HandsOn::Written) + 0.05);
        let slow = Handing { writing: 10.0 / PIECE, ..JOB };
        assert_near(slow.step(HandsOn::Written), 0.125 + 0.25 + 1.0 + 0.125 + 30.0);
    }

    #[test]
    fn a_worker_that_writes_hands_on_before_its_last_piece() {
        let job = Handing { writing: 1.0 / PIECE, ..JOB };
        assert_near(job.step(HandsOn::PutOut), JOB.step(HandsOn::PutOut) + 2.5);
    }

    #[test]
    fn what_is_bytes_already_is_written_and_not_replaced() {
        let job = Handing { marked: 0.5, writing: 1.0 / PIECE, ..JOB };
        assert_near(job.step(HandsOn::PutOut), 0.125 + 0.25 + 1.5 + 0.5 + 2.5);
        assert_near(job.traffic(), 2.0);
    }

    #[test]
    fn windows_alone_do_not_depend_on_what_is_replaced_or_written() {
        let job = Handing { replacing: 1.0, writing: 1.0, ..JOB };
        assert_near(job.step(HandsOn::First), 0.125 + 0.25 + 0.5);
    }
}
