//! The outcome of a row: its ratios, and its verdict.
//!
//! `measure.rs` makes an [`Outcome`] from the rounds of both parties, and `main.rs` a [`Finding`] of it. Reports read
//! findings.

use std::time::Duration;

use crate::row::{Goal, Row};
use crate::run::Usage;

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

/// The least, the median and the greatest of some figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub min: f64,
    pub median: f64,
    pub max: f64,
}

impl Spread {
    /// None if there are no figures.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let median =
            f64::midpoint(*sorted.get(sorted.len().saturating_sub(1) / 2)?, *sorted.get(sorted.len() / 2)?);
        Some(Self { min: *sorted.first()?, median, max: *sorted.last()? })
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
        Some(self.ours.coded_len as f64 / self.peer.as_ref()?.coded_len as f64)
    }

    /// The same if the row writes it, and if the difference is worth a word.
    fn other_size(&self, is_coding: bool) -> Option<f64> {
        let peer = self.peer.as_ref().filter(|_| is_coding)?;
        let difference = self.ours.coded_len.abs_diff(peer.coded_len);
        let matters = difference * 100 > peer.coded_len && difference * 1000 > self.plain_len;
        self.size().filter(|_| matters)
    }

    /// The number of cores that the workers could use: their CPU seconds in terms of those of the slower serial thread.
    /// None if `-v` does not print the times, as `…; cpu s: reader 0.012, workers 1.234, writer 0.045`.
    pub fn cores(&self) -> Option<f64> {
        /// The smallest difference in that line, for a thread that did next to nothing.
        const LEAST: f64 = 0.001;
        let cores = |usage: &Usage| -> Option<f64> {
            let (_, times) = usage.stderr.lines().last()?.rsplit_once("cpu s:")?;
            let seconds = |thread: &str| -> Option<f64> {
                let mut words = times.split([' ', ',', ';']).filter(|word| !word.is_empty());
                words.find(|word| *word == thread)?;
                words.next()?.parse().ok()
            };
            Some(seconds("workers")? / seconds("reader")?.max(seconds("writer")?).max(LEAST))
        };
        let figures: Option<Vec<f64>> = self.ours.rounds.iter().map(cores).collect();
        Spread::of(figures?).map(|spread| spread.median)
    }

    /// Plain megabytes a second.
    pub fn megabytes_per_second(&self, side: &Side) -> f64 {
        self.plain_len as f64 / 1e6 / side.wall_seconds()
    }
}

/// A row, its data, and its result.
pub struct Finding {
    pub row: Row,
    /// The name of the data.
    pub data: String,
    /// The length of the plain data of this row.
    pub plain_len: u64,
    pub result: Result<Outcome, Failure>,
}

/// The kinds of verdicts, in the order of the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Misses,
    Ahead,
    Even,
    /// Not slower, but with a larger output.
    Larger,
    Behind,
    NoResult,
}

impl Finding {
    pub fn outcome(&self) -> Option<&Outcome> {
        self.result.as_ref().ok()
    }

    /// How far the peer is ahead, as a ratio below 1: in speed, or in the size of the output if that is worse.
    pub fn lag(&self) -> Option<f64> {
        let outcome = self.outcome()?;
        let speed = outcome.speed()?.median;
        let larger = outcome.other_size(self.row.is_coding()).filter(|size| *size > 1.0).map(f64::recip);
        [(speed < 1.0).then_some(speed), larger].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// The verdict, and the last column of the table.
    pub fn verdict(&self) -> (Verdict, String) {
        let none = |why: String| (Verdict::NoResult, why);
        let outcome = match &self.result {
            Ok(outcome) => outcome,
            Err(Failure::NotInstalled(program)) => return none(format!("{program} not installed")),
            Err(Failure::Failed(message)) => return none(format!("failed: {message}")),
            Err(Failure::PeerFailed(message)) => return none(format!("the peer failed: {message}")),
        };
        let promise = |holds: bool, words: &str| {
            let (verdict, text) = if holds { (Verdict::Holds, "holds") } else { (Verdict::Misses, "misses") };
            (verdict, if words.is_empty() { text.to_owned() } else { format!("{text} ({words})") })
        };
        match self.row.goal {
            Goal::Speed { at_least, size_at_most } => {
                let slow = outcome.speed().is_none_or(|speed| speed.median < at_least);
                let large = size_at_most.is_some_and(|most| outcome.size().is_none_or(|size| size > most));
                let words: Vec<_> =
                    [(slow, "speed"), (large, "size")].into_iter().filter(|word| word.0).collect();
                let words: Vec<_> = words.into_iter().map(|(_, word)| word).collect();
                promise(words.is_empty(), &words.join(" and "))
            }
            Goal::Memory { at_most_mib } => {
                let holds = outcome.ours.peak_bytes() <= at_most_mib << 20;
                promise(holds, if holds { "" } else { "memory" })
            }
            Goal::Cores { at_least } => match outcome.cores() {
                None => none("failed: pzcomp -v names no CPU seconds".to_owned()),
                Some(cores) => promise(cores >= at_least, &format!("{cores:.1} cores")),
            },
            Goal::Ahead => self.compare(outcome),
        }
    }

    /// The verdict of a comparison. A faster program with a larger output is not ahead.
    fn compare(&self, outcome: &Outcome) -> (Verdict, String) {
        /// From this ratio on pzcomp counts as faster.
        const AHEAD: f64 = 1.02;
        let Some(speed) = outcome.speed().map(|speed| speed.median) else {
            return (Verdict::NoResult, "failed: there is no peer to compare with".to_owned());
        };
        let size = outcome.other_size(self.row.is_coding());
        let figures =
            size.map_or_else(|| format!("{speed:.2}"), |size| format!("{speed:.2}, size {size:.3}"));
        let (verdict, word) = match (speed, size) {
            (..1.0, _) => (Verdict::Behind, "behind"),
            (_, Some(size)) if size > 1.0 => (Verdict::Larger, "larger"),
            (AHEAD.., _) => (Verdict::Ahead, "ahead"),
            // Between the limits, or not a number.
            _ => (Verdict::Even, "even"),
        };
        (verdict, format!("{word} ({figures})"))
    }
}

/// The findings in which the peer is ahead, the worst first. A promise may hold although the peer is ahead.
pub fn where_a_peer_is_ahead(findings: &[Finding]) -> Vec<&Finding> {
    let mut behind: Vec<_> = findings.iter().filter_map(|finding| Some((finding.lag()?, finding))).collect();
    behind.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    behind.into_iter().map(|(_, finding)| finding).collect()
}

/// The number of rows with each verdict, in a sentence.
pub fn score(findings: &[Finding]) -> String {
    let count = |of| findings.iter().filter(|finding| finding.verdict().0 == of).count();
    format!(
        "Promises: {} hold, {} miss. Comparisons: pzcomp is ahead in {}, even in {}, faster but larger in {}, \
         behind in {}. Without a result: {}.",
        count(Verdict::Holds),
        count(Verdict::Misses),
        count(Verdict::Ahead),
        count(Verdict::Even),
        count(Verdict::Larger),
        count(Verdict::Behind),
        count(Verdict::NoResult),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{PIPE_TO_PIPE, Pace, Party, Tier};

    fn side(walls_ms: &[u64], coded_len: u64) -> Side {
        let stderr = "a; cpu s: reader 0.012, workers 1.350, writer 0.045";
        let usage = |ms: &u64| Usage {
            wall: Duration::from_millis(*ms),
            peak_bytes: ms << 20,
            stderr: stderr.into(),
            ..Usage::default()
        };
        Side { rounds: walls_ms.iter().map(usage).collect(), coded_len, watched_peak_bytes: 0 }
    }

    fn finding(goal: Goal, ours: &str, walls_ms: &[u64], our_len: u64, peer: Side) -> Finding {
        let row = Row {
            work: "test".into(),
            shape: PIPE_TO_PIPE,
            pace: Pace::Fast,
            ours: Party::parse(ours),
            peer: None,
            goal,
            tier: Tier::Promise,
        };
        let result = Ok(Outcome { plain_len: 4000, ours: side(walls_ms, our_len), peer: Some(peer) });
        Finding { row, data: format!("{ours} {our_len}"), plain_len: 4000, result }
    }

    #[test]
    fn the_median_is_the_middle_one_or_between_two() {
        let median = |figures: &[f64]| Spread::of(figures.iter().copied()).map(|spread| spread.median);
        assert_eq!(
            [median(&[]), median(&[3.0]), median(&[9.0, 1.0, 2.0]), median(&[9.0, 1.0, 2.0, 4.0])],
            [None, Some(3.0), Some(2.0), Some(3.0)]
        );
    }

    /// The pairs of rounds have the ratios 3, 2.5 and 1.
    #[test]
    fn a_promise_holds_or_says_what_it_misses() {
        for (goal, verdict) in [
            ("speed ≥ 2.5", "holds"),
            ("speed ≥ 2.6", "misses (speed)"),
            ("speed ≥ 2.5, size ≤ 1.01", "holds"),
            ("speed ≥ 3, size ≤ 1", "misses (speed and size)"),
            ("speed ≥ 1, size ≤ 1", "misses (size)"),
            ("peak ≤ 40 MiB", "holds"),
            ("peak ≤ 39 MiB", "misses (memory)"),
            ("cores ≥ 30", "holds (30.0 cores)"),
            ("cores ≥ 31", "misses (30.0 cores)"),
        ] {
            let parsed = Goal::parse(goal).expect("a goal");
            let finding = finding(parsed, "a < b", &[10, 20, 40], 101, side(&[30, 50, 40], 100));
            assert_eq!(finding.verdict().1, verdict, "{goal}");
        }
    }

    #[test]
    fn a_comparison_counts_speed_and_size_and_the_worst_comes_first() {
        let rows = [
            ("a < b", 500, 1000, "ahead (2.00)", None),
            ("a < b", 1500, 1000, "behind (0.67)", Some(0.67)),
            ("a < b", 990, 1000, "even (1.01)", None),
            ("a < b", 500, 1250, "larger (2.00, size 1.250)", Some(0.8)),
            ("a < b", 500, 800, "ahead (2.00, size 0.800)", None),
            ("a > b", 2000, 1000, "behind (0.50)", Some(0.5)),
            // The file that is read is not the work of the row.
            ("a > b", 500, 1250, "ahead (2.00)", None),
        ];
        let mut findings = Vec::new();
        for (ours, ms, len, verdict, lag) in rows {
            let finding = finding(Goal::Ahead, ours, &[ms], len, side(&[1000], 1000));
            assert_eq!(finding.verdict().1, verdict);
            assert_eq!(finding.lag().map(|lag| (lag * 100.0).round() / 100.0), lag, "{verdict}");
            findings.push(finding);
        }
        findings[0].result = Err(Failure::NotInstalled("b".to_owned()));
        let lags: Vec<_> =
            where_a_peer_is_ahead(&findings).iter().filter_map(|finding| finding.lag()).collect();
        assert!(lags.len() == 3 && lags.is_sorted());
        assert_eq!(
            score(&findings),
            "Promises: 0 hold, 0 miss. Comparisons: pzcomp is ahead in 2, even in 1, faster but larger in 1, \
             behind in 2. Without a result: 1."
        );
    }
}
