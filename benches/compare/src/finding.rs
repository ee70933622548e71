//! The result of each row, from which all tables and pictures are made.
//!
//! `main.rs` makes a [`Finding`] for every row that was measured or could not be measured.

use crate::outcome::{Failure, Outcome, Verdict};
use crate::row::Row;

/// A row, its data, and its result.
pub struct Finding {
    pub row: Row,
    /// The name of the data.
    pub data: String,
    /// The length of the plain data of this row.
    pub plain_len: u64,
    pub result: Result<Outcome, Failure>,
}

impl Finding {
    pub fn outcome(&self) -> Option<&Outcome> {
        self.result.as_ref().ok()
    }

    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.row, &self.result)
    }

    /// How far the peer is ahead, as a ratio below 1. None if it is not ahead.
    pub fn lag(&self) -> Option<f64> {
        self.outcome()?.lag(self.row.direction())
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
    let count = |of: fn(&Verdict) -> bool| findings.iter().filter(|finding| of(&finding.verdict())).count();
    format!(
        "Promises: {} hold, {} miss. Comparisons: pzcomp is ahead in {}, even in {}, faster but larger in {}, \
         behind in {}. Without a result: {}.",
        count(|verdict| matches!(verdict, Verdict::Holds | Verdict::HoldsWith(_))),
        count(|verdict| matches!(verdict, Verdict::Misses(_) | Verdict::MissesWith(_))),
        count(|verdict| matches!(verdict, Verdict::Ahead(_))),
        count(|verdict| matches!(verdict, Verdict::Even(_))),
        count(|verdict| matches!(verdict, Verdict::Larger(_))),
        count(|verdict| matches!(verdict, Verdict::Behind(_))),
        count(|verdict| matches!(verdict, Verdict::NoResult(_))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Side;
    use crate::row::{Goal, PIPE_TO_PIPE, Party, coding, decoding};
    use crate::run::Usage;
    use std::time::Duration;

    fn side(seconds: u64, coded_len: u64) -> Side {
        let usage = Usage { wall: Duration::from_secs(seconds), ..Usage::default() };
        Side { rounds: vec![usage], coded_len, watched_peak_bytes: 0 }
    }

    fn finding(data: &str, ours: Party, our_seconds: u64, our_len: u64) -> Finding {
        let row = Row::alone("test", PIPE_TO_PIPE, Goal::Ahead, ours);
        let (ours, peer) = (side(our_seconds, our_len), Some(side(10, 1000)));
        let result = Ok(Outcome { plain_len: 4000, ours, peer });
        Finding { row, data: data.to_owned(), plain_len: 4000, result }
    }

    #[test]
    fn the_worst_row_comes_first() {
        let mut findings = vec![
            finding("faster", coding("a", "b"), 5, 1000),
            finding("a third slower", coding("a", "b"), 15, 1000),
            finding("faster, a quarter larger", coding("a", "b"), 5, 1250),
            finding("half as fast", decoding("a", "b"), 20, 1000),
            finding("faster with a larger file", decoding("a", "b"), 5, 1250),
        ];
        findings.push(Finding {
            result: Err(Failure::NotInstalled("b".to_owned())),
            ..finding("none", coding("a", "b"), 1, 1)
        });
        let behind: Vec<_> = where_a_peer_is_ahead(&findings).iter().map(|one| one.data.as_str()).collect();
        assert_eq!(behind, ["half as fast", "a third slower", "faster, a quarter larger"]);
        assert_eq!(
            score(&findings),
            "Promises: 0 hold, 0 miss. Comparisons: pzcomp is ahead in 2, even in 0, faster but larger in 1, \
             behind in 2. Without a result: 1."
        );
    }
}
