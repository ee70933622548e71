//! The table of `lzip -l`.

use std::fmt::Write;

use super::super::Listed;
use super::words::{saved, shown};

/// What there is in all.
pub(super) fn table(listed: &[Listed]) -> String {
    let mut table = String::from("  uncompressed     compressed   saved  name\n");
    let (mut plain_len, mut coded_len) = (0_u64, 0_u64);
    for listed in listed {
        let listing = &listed.listing;
        // Trailers may claim what they like: it stops at the largest number.
        plain_len = plain_len.saturating_add(listing.plain_len);
        coded_len = coded_len.saturating_add(listing.coded_len);
        line(&mut table, listing.plain_len, listing.coded_len, shown(&listed.source.name()));
    }
    if listed.len() > 1 {
        line(&mut table, plain_len, coded_len, "(totals)");
    }
    table
}

fn line(table: &mut String, plain_len: u64, coded_len: u64, name: &str) {
    let saved = saved(plain_len, coded_len).map_or_else(|| "  -INF%".into(), |saved| format!("{saved:6.2}%"));
    // Writing to a string does not fail.
    let _ = writeln!(table, "{plain_len:14} {coded_len:14} {saved}  {name}");
}
