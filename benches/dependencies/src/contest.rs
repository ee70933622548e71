//! A contest: two libraries do the same work in turns.
//!
//! Each file for a kind of work makes contests, and `main.rs` runs them. The result is a row of the table.

use std::time::{Duration, Instant};

use crate::Result;

/// How often each library does the work. One more round comes first and does not count.
pub const ROUNDS: usize = 9;

/// One library at work: each call does the work once and returns its time and the size of the output.
pub type Party<'a> = Box<dyn FnMut() -> Result<(Duration, usize)> + 'a>;

/// The work of one row of the table.
pub struct Contest<'a> {
    pub work: String,
    /// The library that pzcomp uses.
    pub ours: (&'static str, Party<'a>),
    pub other: (&'static str, Party<'a>),
}

impl Contest<'_> {
    /// Does the work in turns. Returns the row of the table.
    pub fn run(mut self) -> Result<String> {
        let mut ratios = Vec::new();
        let mut sizes = (0, 0);
        for round in 0..=ROUNDS {
            let (ours, our_size) = (self.ours.1)()?;
            let (other, other_size) = (self.other.1)()?;
            sizes = (our_size, other_size);
            if round > 0 {
                ratios.push(other.as_secs_f64() / ours.as_secs_f64());
            }
        }
        ratios.sort_by(f64::total_cmp);
        let (median, low, high) = (ratios[ROUNDS / 2], ratios[0], ratios[ROUNDS - 1]);
        let size = sizes.0 as f64 / sizes.1 as f64;
        Ok(format!(
            "| {} | {} | {} | {median:.2} ({low:.2}–{high:.2}) | {size:.3} |\n",
            self.work, self.ours.0, self.other.0
        ))
    }
}

/// Does the work once. The work returns the size of its output.
pub fn timed(work: impl FnOnce() -> Result<usize>) -> Result<(Duration, usize)> {
    let start = Instant::now();
    let size = work()?;
    Ok((start.elapsed(), size))
}
