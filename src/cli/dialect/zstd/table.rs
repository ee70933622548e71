//! The tables of `zstd -l`.

use std::fmt::Write;

use pzcomp::Listing;

use super::super::Listed;
use super::words::{scaled, size};

/// A line for each input, and one for all if there are several; or, if `long`, a paragraph for each.
pub(super) fn table(listed: &[Listed], long: bool) -> String {
    let mut table = String::new();
    if long {
        for Listed { source, listing, .. } in listed {
            table.push_str(&paragraph(&source.name(), listing));
        }
        return table;
    }
    table.push_str("Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
    let mut sum = Sum::default();
    for Listed { source, listing, .. } in listed {
        let one = Sum::of(listing);
        table.push_str(&one.line(&source.name()));
        sum = sum.and(one);
    }
    if listed.len() > 1 {
        table.push_str("----------------------------------------------------------------- \n");
        table.push_str(&sum.line(&format!("{} files", listed.len())));
    }
    table
}

fn paragraph(name: &str, listing: &Listing) -> String {
    let Sum { frames, skips, coded_len, plain_len, check, .. } = Sum::of(listing);
    let mut text = format!("{name} \n# Zstandard Frames: {frames}\n");
    if skips > 0 {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# Skippable Frames: {skips}");
    }
    let (coded, plain) = (size(coded_len), size(plain_len));
    let ratio = ratio(coded_len, plain_len);
    let _ = write!(
        text,
        "Compressed Size: {coded} ({coded_len} B)\nDecompressed Size: {plain} ({plain_len} B)\n\
         Ratio: {ratio:.4}\nCheck: {check}\n\n"
    );
    text
}

/// How many times the coded data would fit into the plain.
fn ratio(coded_len: u64, plain_len: u64) -> f64 {
    if coded_len == 0 { 0.0 } else { plain_len as f64 / coded_len as f64 }
}

/// What inputs hold. Headers may claim what they like: it stops at the largest number.
#[derive(Clone, Copy, Default)]
struct Sum {
    frames: u64,
    skips: u64,
    coded_len: u64,
    plain_len: u64,
    check: &'static str,
}

impl Sum {
    fn of(listing: &Listing) -> Self {
        Self {
            frames: listing.frames,
            // The only frames to skip that are accounted for.
            skips: u64::from(listing.is_indexed),
            coded_len: listing.coded_len,
            plain_len: listing.plain_len,
            check: if listing.check == "-" { "None" } else { listing.check },
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            frames: self.frames.saturating_add(other.frames),
            skips: self.skips.saturating_add(other.skips),
            coded_len: self.coded_len.saturating_add(other.coded_len),
            plain_len: self.plain_len.saturating_add(other.plain_len),
            check: if self.frames == 0 || self.check == other.check { other.check } else { "" },
        }
    }

    fn line(&self, name: &str) -> String {
        let Self { frames, skips, coded_len, plain_len, check } = *self;
        let ((coded, coded_unit), (plain, plain_unit)) = (scaled(coded_len), scaled(plain_len));
        let ratio = ratio(coded_len, plain_len);
        format!(
            "{frames:6}  {skips:5}  {coded:>6} {coded_unit:>3}  {plain:>8} {plain_unit:>3}  {ratio:5.3}  {check:>5}  {name}\n"
        )
    }
}
