//! What a row's measurement came to, and whether the promise holds.

use std::fmt;
use std::time::Duration;

use crate::row::Goal;
use crate::run::Usage;
use crate::serial::ThreadTimes;
use crate::stats::Spread;

/// The measured rounds of one party.
pub struct Side {
    pub rounds: Vec<Usage>,
    /// The length of the compressed form, be it its output or its input.
    pub coded_len: u64,
}

/// The rounds of both parties, the n-th of one taken right before the n-th of the other.
pub struct Outcome {
    pub plain_len: u64,
    pub ours: Side,
    pub peer: Option<Side>,
}

/// Why there is no outcome.
pub enum Failure {
    NotInstalled(&'static str),
    Failed(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl Side {
    fn median(&self, of: impl Fn(&Usage) -> Duration) -> f64 {
        let seconds = self.rounds.iter().map(|usage| of(usage).as_secs_f64());
        Spread::of(seconds).map_or(f64::NAN, |spread| spread.median)
    }

    pub fn wall_seconds(&self) -> f64 {
        self.median(|usage| usage.wall)
    }

    pub fn cpu_seconds(&self) -> f64 {
        self.median(|usage| usage.cpu)
    }

    /// The highest of all rounds: a ceiling is broken by one that breaks it.
    pub fn peak_bytes(&self) -> u64 {
        let peaks = self.rounds.iter().map(|usage| usage.peak_bytes);
        peaks.max().unwrap_or(0)
    }
}

impl Outcome {
    /// How many times the peer's speed, pair by pair: what disturbs the machine disturbs both
    /// halves of a pair.
    pub fn speed(&self) -> Option<Spread> {
        let pairs = self.ours.rounds.iter().zip(&self.peer.as_ref()?.rounds);
        Spread::of(pairs.map(|(ours, peer)| peer.wall.div_duration_f64(ours.wall)))
    }

    /// Our compressed size in terms of the peer's.
    pub fn size(&self) -> Option<f64> {
        let peer = self.peer.as_ref()?;
        Some(self.ours.coded_len as f64 / peer.coded_len as f64)
    }

    /// How many cores the workers could use; None if `-v` does not say.
    pub fn cores(&self) -> Option<Spread> {
        let rounds = self.ours.rounds.iter();
        let times: Option<Vec<_>> = rounds.map(|usage| ThreadTimes::parse(&usage.stderr)).collect();
        Spread::of(times?.into_iter().map(ThreadTimes::cores_at_saturation))
    }

    /// Plain megabytes a second.
    pub fn megabytes_per_second(&self, side: &Side) -> f64 {
        self.plain_len as f64 / 1e6 / side.wall_seconds()
    }
}

/// The last column.
pub enum Verdict {
    Holds,
    Misses(&'static str),
    /// The same with the figure, where the table has no other column for it.
    HoldsWith(String),
    MissesWith(String),
    NoResult(String),
}

impl Verdict {
    pub fn of(goal: Goal, result: &Result<Outcome, Failure>) -> Self {
        match result {
            Ok(outcome) => Self::judge(goal, outcome),
            Err(Failure::NotInstalled(program)) => Self::NoResult(format!("{program} not installed")),
            Err(Failure::Failed(message)) => Self::NoResult(format!("failed: {message}")),
        }
    }

    fn judge(goal: Goal, outcome: &Outcome) -> Self {
        match goal {
            Goal::Speed { at_least, size_at_most } => {
                let slow = outcome.speed().is_none_or(|speed| speed.median < at_least);
                let large = size_at_most.is_some_and(|most| outcome.size().is_none_or(|size| size > most));
                match (slow, large) {
                    (false, false) => Self::Holds,
                    (true, false) => Self::Misses("speed"),
                    (false, true) => Self::Misses("size"),
                    (true, true) => Self::Misses("speed and size"),
                }
            }
            Goal::Memory { at_most_mib } => {
                if outcome.ours.peak_bytes() <= at_most_mib << 20 {
                    Self::Holds
                } else {
                    Self::Misses("memory")
                }
            }
            Goal::Cores { at_least } => match outcome.cores() {
                None => Self::NoResult("failed: pzcomp -v names no CPU seconds".to_owned()),
                Some(cores) => {
                    let figure = format!("{:.1} cores", cores.median);
                    if cores.median >= at_least { Self::HoldsWith(figure) } else { Self::MissesWith(figure) }
                }
            },
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Misses(what) => write!(f, "misses ({what})"),
            Self::HoldsWith(figure) => write!(f, "holds ({figure})"),
            Self::MissesWith(figure) => write!(f, "misses ({figure})"),
            Self::NoResult(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(walls_ms: &[u64], coded_len: u64) -> Side {
        let usage =
            |ms: &u64| Usage { wall: Duration::from_millis(*ms), peak_bytes: ms << 20, ..Usage::default() };
        Side { rounds: walls_ms.iter().map(usage).collect(), coded_len }
    }

    fn outcome() -> Outcome {
        Outcome { plain_len: 1_000_000, ours: side(&[10, 20, 40], 101), peer: Some(side(&[30, 50, 40], 100)) }
    }

    fn verdict(goal: Goal) -> String {
        Verdict::of(goal, &Ok(outcome())).to_string()
    }

    #[test]
    fn speed_is_the_median_of_the_pairs() {
        let (median, min, max) = (2.5, 1.0, 3.0);
        assert_eq!(outcome().speed(), Some(Spread { median, min, max }));
    }

    #[test]
    fn a_verdict_names_what_is_missed() {
        let speed = |at_least, size_at_most| Goal::Speed { at_least, size_at_most };
        assert_eq!(verdict(speed(2.5, Some(1.01))), "holds");
        assert_eq!(verdict(speed(2.6, None)), "misses (speed)");
        assert_eq!(verdict(speed(2.6, Some(1.0))), "misses (speed and size)");
        assert_eq!(verdict(Goal::Memory { at_most_mib: 40 }), "holds");
        assert_eq!(verdict(Goal::Memory { at_most_mib: 39 }), "misses (memory)");
        let cores = verdict(Goal::Cores { at_least: 8.0 });
        assert!(cores.starts_with("failed"), "{cores}");
    }
}
