//! All rows: the promises of `promises.txt`, and the comparisons with every peer.
//!
//! `plan.rs` calls [`all`] and chooses from the rows. No measurement is in two rows. The tests check the command lines.

mod comparisons;
mod tools;

pub use tools::suffix_of;

use crate::row::{Goal, Pace, Party, Row, Shape, Tier};

/// All rows. If a promise and a comparison measure the same, only the promise is a row.
pub fn all() -> Vec<Row> {
    let lines = include_str!("promises.txt").lines().filter(|line| !line.starts_with('#'));
    let mut rows: Vec<Row> = lines.filter_map(promise).collect();
    for row in comparisons::comparisons() {
        if !rows.iter().any(|known| known.measures_the_same(&row)) {
            rows.push(row);
        }
    }
    rows
}

/// The promise in a line of the table. The tests refuse a line that is none.
pub fn promise(line: &str) -> Option<Row> {
    let [work, shape, goal, pace, ours, peer] = line.split("; ").collect::<Vec<_>>().try_into().ok()?;
    let pace = match pace {
        "" => Pace::Fast,
        "slow" => Pace::Slow,
        _ => {
            let (mib, quick_mib) = pace.strip_suffix(" MiB")?.split_once('/')?;
            Pace::VerySlow { mib: mib.parse().ok()?, quick_mib: quick_mib.parse().ok()? }
        }
    };
    Some(Row {
        work: work.to_owned(),
        shape: Shape::parse(shape)?,
        pace,
        ours: Party::parse(ours),
        peer: (!peer.is_empty()).then(|| Party::parse(peer)),
        goal: Goal::parse(goal)?,
        tier: Tier::Promise,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{End, commands_of, program_of};

    #[test]
    fn every_line_of_the_table_is_a_promise() {
        let lines: Vec<_> =
            include_str!("promises.txt").lines().filter(|line| !line.starts_with('#')).collect();
        for line in &lines {
            let row = promise(line).unwrap_or_else(|| panic!("{line}"));
            assert!(line.contains(&format!("; {}; {}; ", row.shape, row.goal)), "{line}");
        }
        assert!(lines.len() > 80);
    }

    /// A row may leave out the name of a file: then the file is stdin or stdout. A row must not name a file that its
    /// shape does not have. Decoders refuse files without the suffix that they know.
    #[test]
    fn every_row_can_be_run_and_none_is_measured_twice() {
        let rows = all();
        for (number, row) in rows.iter().enumerate() {
            let against_a_peer = matches!(row.goal, Goal::Speed { .. } | Goal::Ahead);
            assert_eq!(row.peer.is_some(), against_a_peer, "{}", row.ours);
            assert!(
                !rows[..number].iter().any(|earlier| earlier.measures_the_same(row)),
                "{}",
                row.summary()
            );
            for party in row.parties() {
                assert!(!party.run.contains("{in}") || row.shape.input == End::File, "{party}");
                assert!(!party.run.contains("{out}") || row.shape.output == End::File, "{party}");
                assert!(!party.check.as_ref().is_some_and(|check| check.contains('{')), "{party}");
                assert_ne!(party.source.as_deref().map(suffix_of), Some(""), "{party}");
                for line in party.lines().flat_map(commands_of) {
                    let bare = line.replace("{in}", "").replace("{out}", "");
                    assert!(!bare.contains(['{', '}', '[', ']', '|', '<', '>']), "{line}");
                    assert!(!line.contains("  ") && line.trim() == line, "{line}");
                }
            }
        }
    }

    /// The peers that the project has set out to be measured against, in the directions they have.
    #[test]
    fn every_peer_is_compared_with_in_every_shape() {
        let both =
            "gzip pigz igzip bgzip crabz gzippy zstd pzstd lz4 xz pixz lzip plzip bzip2 pbzip2 lbzip2 lzop";
        let rows = all();
        for (peers, ways) in [(both, 2), ("rapidgzip rapidgzip-rust libdeflate-gzip", 1)] {
            for peer in peers.split(' ') {
                let is_against =
                    |row: &&Row| row.peer.as_ref().is_some_and(|party| program_of(&party.run) == peer);
                let against: Vec<_> = rows.iter().filter(is_against).collect();
                let promised = against.iter().filter(|row| row.tier == Tier::Promise).count();
                let mut kinds: Vec<_> = against.iter().filter(|row| row.tier > Tier::Promise).collect();
                kinds.sort_by_key(|row| (row.shape.to_string(), row.is_coding()));
                kinds.dedup_by_key(|row| (row.shape.to_string(), row.is_coding()));
                // The promises have taken some, so that fewer are left to the comparisons.
                assert!(kinds.len() + promised >= 3 * ways, "{peer}");
            }
        }
    }

    #[test]
    fn one_thread_meets_one_thread_and_two_meet_two() {
        for row in all().iter().filter(|row| row.tier > Tier::Promise) {
            let peer = row.peer.as_ref().map(|party| party.run.clone()).unwrap_or_default();
            let threads = if row.ours.run.contains("-p 1") { "1" } else { "2" };
            for word in peer.split(' ') {
                let number =
                    ["-T", "-n", "-@", "-P", "-p"].iter().find_map(|option| word.strip_prefix(option));
                assert!(number.is_none_or(|number| number == threads), "{peer}");
            }
        }
    }
}
