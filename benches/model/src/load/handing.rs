//! What jobs that decode without the window do one after another.
//!
//! Each job is two parts of a gzip member. Both are decoded beside all other jobs, into symbols. When its window is
//! there, a job makes of it the one behind its parts, for which only the last 32 KiB of each are needed, and hands that
//! on. The rest is replaced and put out beside all other jobs too, so that this is serial:
//!
//! ```text
//! job      ▸ wakes, takes the window ▸ replaces the end of each part ▸ hands on
//! next job                                                                      ▸ wakes …
//! ```
//!
//! A job that has something left to decode, as there is no more memory for symbols, first replaces all it has, and
//! decodes that.

/// What a job of two parts does between getting the window and handing the next one on, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Handing {
    /// Bytes of plain data in the job.
    pub job_len: f64,
    /// Seconds until a thread runs that was woken.
    pub waking: f64,
    /// CPU seconds for taking the window, making the two that come of it, and handing the last on.
    pub windows: f64,
    /// CPU seconds for replacing what a job has that is not done, with the CRC-32.
    pub replacing: f64,
    /// CPU seconds for decoding what such a job has left.
    pub decoding: f64,
}

impl Handing {
    /// Seconds from when a job gets the window to when the next one does.
    pub fn step(&self) -> f64 {
        self.waking + self.windows + self.replacing + self.decoding
    }

    /// The same for a byte of plain data.
    pub fn serial(&self) -> f64 {
        self.step() / self.job_len
    }

    /// Bytes of memory traffic for a byte of plain data, so much of which is symbols first, that there would not be
    /// without: symbols are of two bytes, which are written and read.
    pub fn traffic(marked: f64) -> f64 {
        4.0 * marked
    }
}
