//! The tables of `xz -l`, in the form of the original, and with `--robot` in the form for programs.
//!
//! [`table`] takes what was read from the inputs and returns the text.

use std::fmt::Write;

use pzcomp::inspect::XzStream;

use super::super::{Details, Listed, sums};
use super::messages::size;
use crate::request::Request;

const HEADING: &str = "Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n";
const STREAMS: &str = "    Stream    Blocks      CompOffset    UncompOffset        CompSize      UncompSize  Ratio  Check      Padding\n";
const BLOCKS: &str =
    "    Stream     Block      CompOffset    UncompOffset       TotalSize      UncompSize  Ratio  Check\n";

/// The length of a Stream Header.
const HEADER_LEN: u64 = 12;

/// A line for each input and a line of totals. With `-v` also all Streams and Blocks.
pub(super) fn table(listed: &[Listed], request: &Request) -> String {
    let verbose = request.reporting.verbosity.verbose > 0;
    let mut table = String::new();
    if !request.reporting.robot && !verbose {
        table.push_str(HEADING);
    }
    let mut total = Total::default();
    for (at, listed) in listed.iter().enumerate() {
        let name = listed.source.name();
        let streams = match &listed.details {
            Details::Xz(streams) => &streams[..],
            _ => &[],
        };
        let sum = Total::of(streams);
        // Writing to a string does not fail.
        let _ = match (request.reporting.robot, verbose) {
            (true, _) => write!(table, "name\t{name}\nfile\t{}\n", sum.fields()),
            (false, false) => writeln!(table, "{} {name}", sum.columns()),
            (false, true) => {
                let gap = if at > 0 { "\n" } else { "" };
                write!(table, "{gap}{name} ({}/{})\n{}", at + 1, request.sources.len(), sum.lines())
            }
        };
        if verbose {
            details(streams, request.reporting.robot, &mut table);
        }
        total.add(&sum);
    }
    let files = listed.len();
    let _ = match (request.reporting.robot, verbose) {
        (true, _) => writeln!(table, "totals\t{}\t{files}", total.fields()),
        (false, _) if files < 2 => Ok(()),
        (false, false) => writeln!(table, "{}\n{} {files} files", "-".repeat(79), total.columns()),
        (false, true) => {
            write!(table, "\nTotals:\n  Number of files:   {files}\n{}", total.lines())
        }
    };
    table
}

/// Whether the inputs state so much plain data together that 64 bits do not hold the sum.
pub(super) fn totals_overflow(listed: &[Listed]) -> bool {
    let mut lens = listed.iter().map(Listed::plain_len);
    lens.try_fold(0, u64::checked_add).is_none()
}

/// Totals of Streams.
#[derive(Default)]
struct Total {
    /// Streams, Blocks, the coded and the plain length, and the padding.
    numbers: [u64; 5],
    /// The checks that occur.
    checks: Vec<&'static str>,
}

impl Total {
    fn of(streams: &[XzStream]) -> Self {
        let mut sum = Self::default();
        for stream in streams {
            let (blocks, coded_len) = (stream.blocks.len(), stream.coded_len.saturating_add(stream.padding));
            sum.add(&Self {
                numbers: [1, blocks as u64, coded_len, plain_len(stream), stream.padding],
                checks: vec![check(stream)],
            });
        }
        sum
    }

    fn add(&mut self, other: &Self) {
        self.numbers = sums([self.numbers, other.numbers]);
        self.checks.extend(&other.checks);
        // The format numbers its checks in this order.
        self.checks
            .sort_by_key(|&check| ["None", "CRC32", "CRC64", "SHA-256"].iter().position(|&it| it == check));
        self.checks.dedup();
    }

    fn checks(&self, between: &str) -> String {
        if self.checks.is_empty() { "None".into() } else { self.checks.join(between) }
    }

    fn fields(&self) -> String {
        let [streams, blocks, coded_len, plain_len, padding] = self.numbers;
        let (ratio, checks) = (ratio(coded_len, plain_len), self.checks(","));
        format!("{streams}\t{blocks}\t{coded_len}\t{plain_len}\t{ratio}\t{checks}\t{padding}")
    }

    fn columns(&self) -> String {
        let [streams, blocks, coded_len, plain_len, _] = self.numbers;
        let (coded, plain) = (size(coded_len), size(plain_len));
        let (ratio, checks) = (ratio(coded_len, plain_len), self.checks(","));
        format!("{streams:>5} {blocks:>7}  {coded:>11}  {plain:>11}  {ratio:>5}  {checks:<7}")
    }

    fn lines(&self) -> String {
        let [streams, blocks, coded_len, plain_len, padding] = self.numbers;
        let (coded, plain, padding) = (exact(coded_len), exact(plain_len), exact(padding));
        let (ratio, checks) = (ratio(coded_len, plain_len), self.checks(", "));
        format!(
            "  Streams:           {streams}\n  Blocks:            {blocks}\n  Compressed size:   {coded}\n  \
             Uncompressed size: {plain}\n  Ratio:             {ratio}\n  Check:             {checks}\n  \
             Stream Padding:    {padding}\n"
        )
    }
}

fn plain_len(stream: &XzStream) -> u64 {
    stream.blocks.iter().fold(0, |sum, block| block.plain_len.saturating_add(sum))
}

fn check(stream: &XzStream) -> &'static str {
    if stream.check == "-" { "None" } else { stream.check }
}

fn ratio(coded_len: u64, plain_len: u64) -> String {
    let ratio = coded_len as f64 / plain_len as f64;
    if ratio > 9.999 || plain_len == 0 { "---".into() } else { format!("{ratio:.3}") }
}

/// A number of bytes with a unit, and also without a unit if that is more exact.
fn exact(bytes: u64) -> String {
    if bytes < 10_000 { size(bytes) } else { format!("{} ({bytes} B)", size(bytes)) }
}

/// Appends a row for each Stream and each Block.
fn details(streams: &[XzStream], robot: bool, table: &mut String) {
    let mut rows = String::new();
    let (mut plain_start, mut number) = (0_u64, 0);
    table.push_str(if robot { "" } else { "  Streams:\n" });
    table.push_str(if robot { "" } else { STREAMS });
    for (at, stream) in streams.iter().enumerate() {
        let (at, check, count) = (at + 1, check(stream), stream.blocks.len());
        let XzStream { offset, coded_len, padding, .. } = *stream;
        let len = plain_len(stream);
        let ratio_of = ratio(coded_len, len);
        // Writing to a string does not fail.
        let _ = match robot {
            true => writeln!(
                table,
                "stream\t{at}\t{count}\t{offset}\t{plain_start}\t{coded_len}\t{len}\t{ratio_of}\t{check}\t{padding}"
            ),
            false => writeln!(
                table,
                "{at:>10} {count:>9} {offset:>15} {plain_start:>15} {coded_len:>15} {len:>15}  {ratio_of:>5}  \
                 {check:<10} {padding:>7}"
            ),
        };
        let (mut coded_at, mut plain_at) = (offset.saturating_add(HEADER_LEN), plain_start);
        for (inside, block) in stream.blocks.iter().enumerate() {
            let (inside, coded_len, len) = (inside + 1, block.coded_len, block.plain_len);
            number += 1;
            let ratio = ratio(coded_len, len);
            let _ = match robot {
                true => writeln!(
                    rows,
                    "block\t{at}\t{inside}\t{number}\t{coded_at}\t{plain_at}\t{coded_len}\t{len}\t{ratio}\t{check}"
                ),
                false => writeln!(
                    rows,
                    "{at:>10} {inside:>9} {coded_at:>15} {plain_at:>15} {coded_len:>15} {len:>15}  {ratio:>5}  \
                     {check}"
                ),
            };
            coded_at = coded_at.saturating_add(coded_len);
            plain_at = plain_at.saturating_add(len);
        }
        plain_start = plain_at;
    }
    if !rows.is_empty() && !robot {
        table.push_str("  Blocks:\n");
        table.push_str(BLOCKS);
    }
    table.push_str(&rows);
}
