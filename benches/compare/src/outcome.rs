//! The outcome of a row: its ratios, and its verdict.
//!
//! `measure.rs` makes an [`Outcome`] from the rounds of both parties. Reports, records and pictures read it, and
//! [`Verdict::of`] says whether a promise holds.

use std::fmt;
use std::time::Duration;

use crate::row::{Direction, Goal, Row};
use crate::run::Usage;
use crate::serial::ThreadTimes;
use crate::stats::Spread;

/// The measured rounds of one party.
pub struct Side {
    pub rounds: Vec<Usage>,
    /// The length of the compressed form, which is the output or the input.
    pub coded_len: u64,
    /// The peak memory of all its processes together in the round that was watched.
    pub watched_peak_bytes: u64,
}

/// The rounds of both parties. Round n of one party runs right before round n of the other.
pub struct Outcome {
    pub plain_len: u64,
    pub ours: Side,
    pub peer: Option<Side>,
}

/// Why there is no outcome.
pub enum Failure {
    NotInstalled(String),
    /// pzcomp failed or lost data, or the machine lacks something.
    Failed(String),
    /// The peer failed or lost data, which is no failure of pzcomp.
    PeerFailed(String),
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

    /// The highest peak of all rounds, because a limit must hold in every round.
    pub fn peak_bytes(&self) -> u64 {
        let peaks = self.rounds.iter().map(|usage| usage.peak_bytes);
        peaks.max().unwrap_or(0).max(self.watched_peak_bytes)
    }
}

impl Outcome {
    /// Our speed divided by the peer's, pair by pair. A disturbance of the machine usually affects both rounds of a
    /// pair.
    pub fn speed(&self) -> Option<Spread> {
        let pairs = self.ours.rounds.iter().zip(&self.peer.as_ref()?.rounds);
        Spread::of(pairs.map(|(ours, peer)| peer.wall.div_duration_f64(ours.wall)))
    }

    /// Our compressed size in terms of the peer's.
    pub fn size(&self) -> Option<f64> {
        let peer = self.peer.as_ref()?;
        Some(self.ours.coded_len as f64 / peer.coded_len as f64)
    }

    /// The same if it is a matter of the row, which writes it, and if the difference is worth a word.
    fn other_size(&self, direction: Direction) -> Option<f64> {
        let peer = self.peer.as_ref().filter(|_| direction == Direction::Coding)?;
        let difference = self.ours.coded_len.abs_diff(peer.coded_len);
        let matters = difference * 100 > peer.coded_len && difference * 1000 > self.plain_len;
        self.size().filter(|_| matters)
    }

    /// How far the peer is ahead, as a ratio below 1: in speed, or in the size of the output if that is worse. None if
    /// the peer is ahead in neither.
    pub fn lag(&self, direction: Direction) -> Option<f64> {
        let speed = self.speed()?.median;
        let larger = self.other_size(direction).filter(|size| *size > 1.0).map(f64::recip);
        [(speed < 1.0).then_some(speed), larger].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// The number of cores that the workers could use. None if `-v` does not print the times.
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

/// From this ratio on pzcomp counts as faster.
const AHEAD: f64 = 1.02;

/// The last column of the table.
pub enum Verdict {
    Holds,
    Misses(&'static str),
    /// A promise with its figure, if the table has no column for that figure.
    HoldsWith(String),
    MissesWith(String),
    Ahead(String),
    Even(String),
    Behind(String),
    /// Not slower, but with a larger output.
    Larger(String),
    NoResult(String),
}

impl Verdict {
    pub fn of(row: &Row, result: &Result<Outcome, Failure>) -> Self {
        match result {
            Ok(outcome) => Self::judge(row, outcome),
            Err(Failure::NotInstalled(program)) => Self::NoResult(format!("{program} not installed")),
            Err(Failure::Failed(message)) => Self::NoResult(format!("failed: {message}")),
            Err(Failure::PeerFailed(message)) => Self::NoResult(format!("the peer failed: {message}")),
        }
    }

    fn judge(row: &Row, outcome: &Outcome) -> Self {
        match row.goal {
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
            Goal::Ahead => Self::compare(row.direction(), outcome),
        }
    }

    /// The verdict of a comparison. A faster program with a larger output is not ahead.
    fn compare(direction: Direction, outcome: &Outcome) -> Self {
        let Some(speed) = outcome.speed().map(|speed| speed.median) else {
            return Self::NoResult("failed: there is no peer to compare with".to_owned());
        };
        let size = outcome.other_size(direction);
        let figures = match size {
            Some(size) => format!("{speed:.2}, size {size:.3}"),
            None => format!("{speed:.2}"),
        };
        match (speed, size) {
            (..1.0, _) => Self::Behind(figures),
            (_, Some(size)) if size > 1.0 => Self::Larger(figures),
            (AHEAD.., _) => Self::Ahead(figures),
            // Between the limits, or not a number.
            _ => Self::Even(figures),
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
            Self::Ahead(figures) => write!(f, "ahead ({figures})"),
            Self::Even(figures) => write!(f, "even ({figures})"),
            Self::Behind(figures) => write!(f, "behind ({figures})"),
            Self::Larger(figures) => write!(f, "larger ({figures})"),
            Self::NoResult(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{PIPE_TO_PIPE, Party, coding, decoding};

    fn side(walls_ms: &[u64], coded_len: u64) -> Side {
        let usage =
            |ms: &u64| Usage { wall: Duration::from_millis(*ms), peak_bytes: ms << 20, ..Usage::default() };
        Side { rounds: walls_ms.iter().map(usage).collect(), coded_len, watched_peak_bytes: 0 }
    }

    fn outcome() -> Outcome {
        Outcome { plain_len: 1_000_000, ours: side(&[10, 20, 40], 101), peer: Some(side(&[30, 50, 40], 100)) }
    }

    fn row(goal: Goal, ours: Party) -> Row {
        Row::alone("test", PIPE_TO_PIPE, goal, ours)
    }

    fn verdict(goal: Goal) -> String {
        Verdict::of(&row(goal, coding("a", "b")), &Ok(outcome())).to_string()
    }

    /// The verdict of a comparison, and by how much the peer is ahead in it.
    fn compared(ours: Party, peer_ms: u64, our_len: u64) -> (String, Option<f64>) {
        let row = row(Goal::Ahead, ours);
        let (ours, peer) = (side(&[1000], our_len), Some(side(&[peer_ms], 1000)));
        let outcome = Outcome { plain_len: 2000, ours, peer };
        let lag = outcome.lag(row.direction()).map(|lag| (lag * 100.0).round() / 100.0);
        (Verdict::of(&row, &Ok(outcome)).to_string(), lag)
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
    #[test]
    fn who_is_ahead_is_a_matter_of_speed_and_of_size() {
        let found = |peer_ms, our_len| compared(coding("a", "b"), peer_ms, our_len);
        let expected = |verdict: &str, lag| (verdict.to_owned(), lag);
        assert_eq!(found(1310, 1000), expected("ahead (1.31)", None));
        assert_eq!(found(1310, 900), expected("ahead (1.31, size 0.900)", None));
        assert_eq!(found(1310, 1100), expected("larger (1.31, size 1.100)", Some(0.91)));
        assert_eq!(found(1010, 1005), expected("even (1.01)", None));
        assert_eq!(found(999, 1000), expected("behind (1.00)", Some(1.0)));
        assert_eq!(found(700, 800), expected("behind (0.70, size 0.800)", Some(0.7)));
        assert_eq!(found(950, 1250), expected("behind (0.95, size 1.250)", Some(0.8)));
    }

    /// Two hundred bytes of headers or three hundred, for a gigabyte of zeros.
    #[test]
    fn sizes_that_are_next_to_nothing_are_the_same() {
        let (ours, peer) = (side(&[1000], 300), Some(side(&[2000], 200)));
        let outcome = Outcome { plain_len: 1 << 30, ours, peer };
        assert_eq!(outcome.lag(Direction::Coding), None);
        let verdict = Verdict::of(&row(Goal::Ahead, coding("a", "b")), &Ok(outcome));
        assert_eq!(verdict.to_string(), "ahead (2.00)");
    }

    /// What one's own file took to write is another row's matter.
    #[test]
    fn decompression_is_not_judged_by_size() {
        let found = |peer_ms| compared(decoding("a", "b"), peer_ms, 2000);
        assert_eq!(found(1310), ("ahead (1.31)".to_owned(), None));
        assert_eq!(found(500), ("behind (0.50)".to_owned(), Some(0.5)));
    }

    #[test]
    fn a_failing_peer_is_not_our_failure() {
        let failed = Err(Failure::PeerFailed("no luck".to_owned()));
        let verdict = Verdict::of(&row(Goal::Ahead, coding("a", "b")), &failed);
        assert_eq!(verdict.to_string(), "the peer failed: no luck");
    }
}
