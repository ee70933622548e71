//! The work that jobs of a gzip member can only do one after another.
//!
//! Each job is two parts of a member. It is decoded into symbols in parallel with all other jobs. When its window
//! comes, the job makes the window behind its parts from it, and publishes that. Only the last 32 KiB of each part are
//! needed for this. The job replaces the other symbols and puts them out in parallel again. So this is serial:
//!
//! ```text
//! job      ▸ wakes up, takes the window ▸ replaces the end of each part ▸ publishes the window
//! next job                                                                                    ▸ wakes up …
//! ```
//!
//! A job with a rest has no more memory for symbols. It first replaces all of its symbols, and decodes the rest.
//!
//! `scaling` makes a [`SerialStep`] from measured stages. [`Load`](super::Load) has the result as a limit.

/// What a job of two parts does between getting its window and publishing the next window, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SerialStep {
    /// Bytes of plain data in the job.
    pub job_len: f64,
    /// Seconds from the signal for a thread until it runs.
    pub waking: f64,
    /// CPU seconds for taking the window, making the two windows behind the parts, and publishing the last.
    pub windows: f64,
    /// CPU seconds for replacing the symbols of jobs with a rest, with the CRC-32.
    pub replacing: f64,
    /// CPU seconds for decoding the rest.
    pub decoding: f64,
}

impl SerialStep {
    /// Seconds from the window of a job to the window of the next job.
    pub fn seconds(&self) -> f64 {
        self.waking + self.windows + self.replacing + self.decoding
    }

    /// The same for a byte of plain data.
    pub fn seconds_per_byte(&self) -> f64 {
        self.seconds() / self.job_len
    }

    /// Extra bytes of memory traffic for a byte of plain data. The share `marked` of the data becomes symbols first.
    /// Symbols have two bytes, which are written and read.
    pub fn traffic(marked: f64) -> f64 {
        4.0 * marked
    }
}
