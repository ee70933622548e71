//! The plan of a run: which rows are measured on which data.
//!
//! `main.rs` makes a [`Choice`] from the command line and gets [`Chapter`]s: data with its rows.

use compare::corpus::Kind;

use crate::data::Origin;
use crate::row::{Pace, Row, Tier, program_of};

/// A set of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    /// The promises of the project.
    Promises,
    /// The promises, and the first peer of every comparison.
    Quick,
    /// All rows.
    All,
}

/// The options that choose rows.
#[derive(Clone, Debug)]
pub struct Choice {
    pub set: Set,
    /// Less data, fewer rounds.
    pub quick: bool,
    /// Text that a row must contain.
    pub part: Option<String>,
    /// The peers of the rows. An empty list means all peers.
    pub peers: Vec<String>,
    /// The peer of each row is an older pzcomp with the same command line.
    pub against_before: bool,
}

/// Data, and the rows that are measured on it.
pub struct Chapter {
    pub origin: Origin,
    pub rows: Vec<Row>,
}

/// The data on which a full run measures everything, if the user names no data.
const FIRST_RANK: [Kind; 2] = [Kind::Nodes, Kind::Pages];
/// The data on which a full run only compares, with every peer at its main level.
const SECOND_RANK: [Kind; 4] = [Kind::Sql, Kind::Toolchain, Kind::Random, Kind::Zeros];

/// The chapters if the user names no data. Data of the second rank that cannot be made is left out, and `leave_out`
/// gets the reason.
pub fn default_chapters(choice: &Choice, seed: u64, mut leave_out: impl FnMut(&str)) -> Vec<Chapter> {
    let mut chapters = chapters(FIRST_RANK.map(|kind| Origin::Made(kind, seed)).into(), choice);
    if choice.set != Set::All {
        return chapters;
    }
    for origin in SECOND_RANK.map(|kind| Origin::Made(kind, seed)) {
        match origin.check() {
            Ok(()) => {
                let mut rows = choice.rows(0, &origin.name());
                rows.retain(|row| matches!(row.tier, Tier::First | Tier::Main));
                chapters.push(Chapter { origin, rows });
            }
            Err(message) => leave_out(&message),
        }
    }
    chapters
}

/// The chapters for the data that the user names.
pub fn chapters(origins: Vec<Origin>, choice: &Choice) -> Vec<Chapter> {
    let numbered = origins.into_iter().enumerate();
    numbered.map(|(number, origin)| Chapter { rows: choice.rows(number, &origin.name()), origin }).collect()
}

impl Choice {
    /// The rows for the data with this number and name. With `--quick`, only the first data has the slowest rows and
    /// the comparisons.
    fn rows(&self, number: usize, data: &str) -> Vec<Row> {
        let mut rows = crate::rows::all();
        if self.against_before {
            rows = rows.into_iter().map(Row::against_before).collect();
            let mut seen: Vec<Row> = Vec::new();
            rows.retain(|row| {
                let is_new = !seen.iter().any(|other| other.measures_the_same(row));
                seen.extend(is_new.then(|| row.clone()));
                is_new
            });
        }
        rows.retain(|row| {
            let takes_long = row.tier > Tier::Promise || matches!(row.pace, Pace::VerySlow { .. });
            (number == 0 || !self.quick || !takes_long) && self.set_has(row) && self.matches(row, data)
        });
        rows
    }

    fn set_has(&self, row: &Row) -> bool {
        match self.set {
            Set::Promises => row.tier == Tier::Promise,
            Set::Quick => row.tier <= Tier::First,
            Set::All => true,
        }
    }

    fn matches(&self, row: &Row, data: &str) -> bool {
        let part = self.part.as_deref().unwrap_or("");
        let peer = row.peer.as_ref().map(|peer| program_of(&peer.run));
        let met = self.peers.is_empty() || peer.is_some_and(|peer| self.peers.iter().any(|one| one == peer));
        met && format!("{data} {}", row.summary()).contains(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(set: Set) -> Choice {
        Choice { set, quick: false, part: None, peers: Vec::new(), against_before: false }
    }

    #[test]
    fn sets_grow() {
        let len = |set| choice(set).rows(0, "nodes").len();
        assert!(
            0 < len(Set::Promises) && len(Set::Promises) < len(Set::Quick) && len(Set::Quick) < len(Set::All)
        );
    }

    #[test]
    fn rows_are_chosen_by_their_peer_and_by_what_they_say() {
        let peers = vec!["crabz".to_owned(), "lzop".to_owned()];
        let rows = Choice { peers, ..choice(Set::All) }.rows(0, "nodes");
        assert!(!rows.is_empty());
        for row in rows {
            let program = row.peer.map(|peer| program_of(&peer.run).to_owned());
            assert!(matches!(program.as_deref(), Some("crabz" | "lzop")), "{program:?}");
        }
        let part = Some("foreign".to_owned());
        let rows = Choice { part, ..choice(Set::All) }.rows(0, "nodes");
        assert!(!rows.is_empty() && rows.iter().all(|row| row.work.contains("foreign")));
    }

    #[test]
    fn a_quick_run_compares_on_the_first_data_only() {
        let quick = Choice { quick: true, ..choice(Set::Quick) };
        let chapters = default_chapters(&quick, 7, |_| ());
        let compares = |chapter: &Chapter| chapter.rows.iter().any(|row| row.tier > Tier::Promise);
        assert_eq!(chapters.iter().map(compares).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn a_full_run_meets_all_kinds_of_data() {
        let mut left_out = 0;
        let chapters = default_chapters(&choice(Set::All), 7, |_| left_out += 1);
        assert_eq!(chapters.len() + left_out, Kind::ALL.len());
        assert!(chapters.iter().all(|chapter| !chapter.rows.is_empty()));
    }

    #[test]
    fn an_older_binary_takes_the_place_of_every_peer() {
        let rows = Choice { against_before: true, ..choice(Set::All) }.rows(0, "nodes");
        assert!(rows.iter().all(|row| row.goal == crate::row::Goal::Ahead && row.peer.is_some()));
        let summaries: Vec<_> = rows.iter().map(Row::summary).collect();
        assert!(
            summaries
                .iter()
                .any(|row| row.contains("pzcomp -F zstd -1 -p 2 against pzcomp-before -F zstd -1 -p 2;")),
            "{summaries:#?}"
        );
        let sorted: std::collections::BTreeSet<_> = summaries.iter().collect();
        assert_eq!(sorted.len(), summaries.len(), "no row is measured twice");
    }
}
