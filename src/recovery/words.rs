//! What `--protect --check` and `--repair` say of a file: the damage of each group, and the sums.

use pzcomp::recovery::{DamagedGroup, Report as Found};

use super::Work;

/// Without `-v`, only so many groups are listed.
const LISTED_MAX: usize = 20;

impl Work<'_> {
    /// What is damaged, in words.
    pub(super) fn lines(&self, found: &Found) -> Vec<String> {
        let most = if self.request.reporting.verbosity.verbose > 0 { usize::MAX } else { LISTED_MAX };
        let mut lines: Vec<String> = found.damaged.iter().take(most).map(group_line).collect();
        if found.damaged.len() > most {
            lines.push(format!("{} more groups are damaged; -v lists them", found.damaged.len() - most));
        }
        lines.extend(found.gaps.iter().take(most).cloned());
        lines.push(sums(found));
        lines
    }
}

fn group_line(group: &DamagedGroup) -> String {
    let place = format!("bytes {}-{}", group.offset, group.offset + group.len);
    let damage = format!("{} of {} shards are damaged", group.damaged, group.shards);
    let parity = format!("{} of {} shards of parity are intact", group.intact_parity, group.parity);
    match group.lacking {
        0 => format!("{place}: {damage}, {parity}"),
        lacking => format!("{place}: {damage}, {parity}: {lacking} more would be needed"),
    }
}

/// All of it in one line.
pub(super) fn sums(found: &Found) -> String {
    let mut parts = vec![format!("{} of {} shards damaged", found.damaged_shards, found.shards)];
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    add(found.moved_shards, "shards at another place");
    add(found.damaged_records, "recovery records damaged");
    add(found.damaged_table_len, "bytes of the seek table wrong");
    add(found.dropped_len, "bytes too many");
    add(found.lost_groups, "groups beyond repair");
    parts.join(", ")
}
