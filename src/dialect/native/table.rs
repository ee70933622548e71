//! The table of `pzcomp -l`.
//!
//! [`table`] takes what was read from the inputs and returns the table as text. Dialects without a table of their own
//! print it too.

use std::fmt::Write;

use pzcomp::ArchiveEntry;
use pzcomp::recovery::Brief;

use super::super::{Listed, sums};
use crate::size::human;
use crate::tool::{Ratio, formats};

const HEADER: [&str; 9] =
    ["format", "frames", "compressed", "uncompressed", "ratio", "check", "index", "recovery", "name"];

/// The column that is there only if a file has recovery records.
const RECOVERY: usize = 7;

/// The columns that are aligned to the right.
const NUMBERS: std::ops::RangeInclusive<usize> = 1..=4;

/// A line for each input, and a total if there are several. Sizes are in bytes if `exact` is set.
pub(in super::super) fn table(listed: &[Listed], exact: bool) -> String {
    let mut rows = vec![HEADER.map(String::from)];
    for listed in listed {
        rows.push(row(listed, exact));
        rows.extend(listed.listing.entries.iter().map(|entry| entry_row(entry, exact)));
    }
    if listed.len() > 1 {
        let lens = |listed: &Listed| [listed.frames(), listed.listing.coded_len, listed.plain_len()];
        let [frames, coded_len, plain_len] = sums(listed.iter().map(lens));
        let [coded, plain, ratio] = sizes(coded_len, plain_len, exact);
        let none = || "-".to_owned();
        let name = format!("({} files)", listed.len());
        rows.push([none(), frames.to_string(), coded, plain, ratio, none(), none(), none(), name]);
    }
    let shows_records = listed.iter().any(|listed| listed.records.groups > 0);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut table = String::new();
    for row in &rows {
        let last = row.len() - 1;
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().take(last) {
            if column == RECOVERY && !shows_records {
                continue;
            }
            // Writing to a string does not fail.
            let _ = match NUMBERS.contains(&column) {
                true => write!(table, "{cell:>width$}  "),
                false => write!(table, "{cell:width$}  "),
            };
        }
        table.push_str(&row[last]);
        table.push('\n');
    }
    table
}

fn row(listed: &Listed, exact: bool) -> [String; 9] {
    let listing = &listed.listing;
    let [coded, plain, ratio] = sizes(listing.coded_len, listed.plain_len(), exact);
    let index = if listing.is_indexed { "yes" } else { "no" };
    [
        formats(listing).join("+"),
        listed.frames().to_string(),
        coded,
        plain,
        ratio,
        listing.check.into(),
        index.into(),
        recovery(&listed.records),
        listed.source.name(),
    ]
}

/// The share of parity, and the groups for each of which it counts.
fn recovery(records: &Brief) -> String {
    let percent = |records: &Brief| records.parity as f64 * 100.0 / records.shards.max(1) as f64;
    match records.groups {
        0 => "-".into(),
        groups => format!("{:.1}% in {groups}", percent(records)),
    }
}

/// A file in an archive. Its name is indented.
fn entry_row(entry: &ArchiveEntry, exact: bool) -> [String; 9] {
    let [coded, plain, ratio] = sizes(entry.coded_len, entry.plain_len, exact);
    let none = || "-".to_owned();
    [none(), none(), coded, plain, ratio, none(), none(), none(), format!("  {}", entry.name)]
}

/// The columns for compressed size, uncompressed size and ratio.
fn sizes(coded_len: u64, plain_len: u64, exact: bool) -> [String; 3] {
    let size = |len: u64| if exact { len.to_string() } else { human(len) };
    let ratio = match plain_len {
        0 => "-".into(),
        _ => Ratio { coded_len, plain_len }.percent() + "%",
    };
    [size(coded_len), size(plain_len), ratio]
}
