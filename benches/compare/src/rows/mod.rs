//! All rows: the promises of the project, and the comparisons with every peer.
//!
//! `plan.rs` calls [`all`] and chooses from the rows. No measurement is in two rows. The tests check the command lines.

mod comparisons;
mod old_formats;
mod promises;
mod tools;

pub use tools::suffix_of;

use crate::row::Row;

/// All rows. If a promise and a comparison measure the same, only the promise is a row.
pub fn all() -> Vec<Row> {
    let mut rows = promises::promises();
    for row in comparisons::comparisons() {
        if !rows.iter().any(|known| known.measures_the_same(&row)) {
            rows.push(row);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::row::{End, Goal, Tier, commands_of};

    /// A row may leave out the name of a file: then the file is stdin or stdout. A row must not name a file that its
    /// shape does not have.
    #[test]
    fn rows_name_only_the_files_that_they_have() {
        for row in all() {
            for party in row.parties() {
                if party.run.contains("{in}") {
                    assert_eq!(row.shape.input, End::File, "{party}");
                }
                if party.run.contains("{out}") {
                    assert_eq!(row.shape.output, End::File, "{party}");
                }
                assert!(!party.check.as_ref().is_some_and(|check| check.contains('{')), "{party}");
            }
        }
    }

    #[test]
    fn no_template_is_left_unfilled() {
        for row in all() {
            for line in row.parties().flat_map(|party| party.lines()).flat_map(commands_of) {
                let bare = line.replace("{in}", "").replace("{out}", "");
                assert!(!bare.contains(['{', '}', '[', ']', '|']), "{line}");
                assert!(!line.contains("  ") && line.trim() == line, "{line}");
            }
        }
    }

    #[test]
    fn only_speed_is_measured_against_a_peer() {
        for row in all() {
            let against_a_peer = matches!(row.goal, Goal::Speed { .. } | Goal::Ahead);
            assert_eq!(row.peer.is_some(), against_a_peer, "{}", row.ours);
        }
    }

    #[test]
    fn nothing_is_measured_twice() {
        let rows = all();
        for (number, row) in rows.iter().enumerate() {
            let twin = rows[..number].iter().find(|earlier| earlier.measures_the_same(row));
            assert!(twin.is_none(), "{} {}: {} against {:?}", row.work, row.shape, row.ours, row.peer);
        }
    }

    /// Decoders refuse files without the suffix they know.
    #[test]
    fn every_source_has_the_suffix_of_its_format() {
        for row in all() {
            for source in row.parties().filter_map(|party| party.source.as_deref()) {
                assert_ne!(suffix_of(source), "", "{source}");
            }
        }
    }

    /// The peers that the project has set out to be measured against, in the directions they have.
    #[test]
    fn every_peer_is_compared_with_in_every_shape() {
        let rows: Vec<_> = all().into_iter().filter(|row| row.tier > Tier::Promise).collect();
        let both = [
            "gzip", "pigz", "igzip", "bgzip", "crabz", "gzippy", "zstd", "pzstd", "lz4", "xz", "pixz",
            "lzip", "plzip", "bzip2", "pbzip2", "lbzip2", "lzop",
        ];
        let decoders = ["rapidgzip", "rapidgzip-rust", "libdeflate-gzip"];
        for (peers, ways) in [(&both[..], 2), (&decoders[..], 1)] {
            for peer in peers {
                let against = |row: &&Row| row.peer.as_ref().is_some_and(|party| party.program() == *peer);
                let kinds: BTreeSet<_> = rows
                    .iter()
                    .filter(against)
                    .map(|row| (row.shape.to_string(), row.ours.source.is_some()))
                    .collect();
                // The promises have taken some, so that fewer are left to the comparisons.
                let promised = all().iter().filter(|row| row.tier == Tier::Promise).filter(against).count();
                assert!(kinds.len() + promised >= 3 * ways, "{peer}: {kinds:?}");
            }
        }
    }

    #[test]
    fn one_thread_meets_one_thread_and_two_meet_two() {
        for row in all().iter().filter(|row| row.tier > Tier::Promise) {
            let peer = row.peer.as_ref().map(|party| party.run.clone()).unwrap_or_default();
            let threads = if row.ours.run.contains("-p 1") { "1" } else { "2" };
            for option in ["-T", "-n", "-@", "-P", "-p"] {
                for word in peer.split(' ') {
                    if let Some(number) = word.strip_prefix(option) {
                        assert_eq!(number, threads, "{peer}");
                    }
                }
            }
        }
    }
}
