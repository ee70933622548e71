//! The table of `-l`.

use std::fmt::Write;

use pzcomp::{Input, Listing};

use super::report::{Ratio, Report};
use super::request::Request;
use super::size::human;
use super::source::Candidates;
use super::trouble::{Kind, Trouble};

const HEADER: [&str; 8] =
    ["format", "frames", "compressed", "uncompressed", "ratio", "check", "index", "name"];

/// The columns of numbers.
const NUMBERS: std::ops::RangeInclusive<usize> = 1..=4;

/// Lists all inputs; what is wrong with one does not stop the others.
pub(super) fn list(request: &Request, report: &mut Report) -> String {
    let (mut candidates, mut listed) = (Candidates::new(request), Vec::new());
    while let Some(candidate) = candidates.next(report) {
        let name = candidate.source.name();
        let listing = candidate.open(request).and_then(|opened| {
            let input = Input::from_file(&opened.file).map_err(Trouble::cannot("open"))?;
            pzcomp::list(input).map_err(|error| Kind::Coding(error).into())
        });
        match listing {
            Ok(listing) => listed.push((name, listing)),
            Err(trouble) => trouble.tell(&name, report),
        }
    }
    if listed.is_empty() {
        return String::new();
    }
    table(&listed, request.voice.verbose > 0)
}

fn table(listed: &[(String, Listing)], exact: bool) -> String {
    let mut rows = vec![HEADER.map(String::from)];
    rows.extend(listed.iter().map(|(name, listing)| row(name, listing, exact)));
    if listed.len() > 1 {
        let total = listed.iter().map(|(_, listing)| listing).fold(Total::default(), Total::add);
        rows.push(total.row(listed.len(), exact));
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut table = String::new();
    for row in &rows {
        let last = row.len() - 1;
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().take(last) {
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

fn row(name: &str, listing: &Listing, exact: bool) -> [String; 8] {
    let formats: Vec<&str> = listing.formats.iter().map(|format| format.name()).collect();
    let [coded, plain, ratio] = sizes(listing.coded_len, listing.plain_len, exact);
    let index = if listing.is_indexed { "yes" } else { "no" };
    [
        formats.join("+"),
        listing.frames.to_string(),
        coded,
        plain,
        ratio,
        listing.check.into(),
        index.into(),
        name.into(),
    ]
}

/// Compressed and uncompressed size, and ratio.
fn sizes(coded_len: u64, plain_len: u64, exact: bool) -> [String; 3] {
    let size = |len: u64| if exact { len.to_string() } else { human(len) };
    let ratio = match plain_len {
        0 => "-".into(),
        _ => Ratio { coded_len, plain_len }.percent() + "%",
    };
    [size(coded_len), size(plain_len), ratio]
}

/// The sum of several inputs. Headers may claim what they like: it stops at the largest number.
#[derive(Default)]
struct Total {
    frames: u64,
    coded_len: u64,
    plain_len: u64,
}

impl Total {
    fn add(self, listing: &Listing) -> Self {
        Self {
            frames: self.frames.saturating_add(listing.frames),
            coded_len: self.coded_len.saturating_add(listing.coded_len),
            plain_len: self.plain_len.saturating_add(listing.plain_len),
        }
    }

    fn row(&self, files: usize, exact: bool) -> [String; 8] {
        let [coded, plain, ratio] = sizes(self.coded_len, self.plain_len, exact);
        let none = || "-".to_owned();
        [none(), self.frames.to_string(), coded, plain, ratio, none(), none(), format!("({files} files)")]
    }
}
