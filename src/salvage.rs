//! `--salvage`: decompresses what is intact of a damaged input, and says what is lost.
//!
//! `work` calls [`run`] in place of the usual decompression. The library does the work and returns a report; [`lines`]
//! puts it into words. If anything is lost or not verified, the exit status is that of a warning.

use std::io::{Seek, SeekFrom};
use std::ops::Range;

use pzcomp::salvage::{LostRange, Salvage, SalvageReport, SalvagedRange};
use pzcomp::{Format, Input, Output, Size};

use super::error::{CliError, Kind};
use super::report::Report;
use super::request::{Request, SalvageWork};
use super::size::count;
use super::source::OpenInput;

/// Without `-v`, only so many ranges of each kind are listed.
const LISTED_MAX: usize = 20;

/// Fails if the input cannot be read more than once.
pub(super) fn check(opened: &OpenInput) -> Result<(), CliError> {
    if opened.facts.is_file() {
        return Ok(());
    }
    let what = "is not a regular file, and a damaged input is read more than once; save it to a file first, and \
                salvage that";
    Err(Kind::Failed(what.into()).into())
}

/// Salvages one input, and reports what is lost.
pub(super) fn run(
    (input, output): (Input, Output),
    SalvageWork { fill, keep_unverified, .. }: SalvageWork,
    request: &Request,
    report: &mut Report,
    opened: &OpenInput,
    name: &str,
) -> Result<SalvageReport, pzcomp::Error> {
    let salvage = Salvage::new(&request.options.decode()?).fill(fill).keep_unverified(keep_unverified);
    let salvaged = salvage.run(input, output)?;
    if !salvaged.is_whole() {
        let most = if request.reporting.verbosity.verbose > 0 { usize::MAX } else { LISTED_MAX };
        let mut lines = lines(&salvaged, most);
        if salvaged.kept_len() == 0 && !keep_unverified {
            lines.extend(unkept(&salvage.keep_unverified(true), opened, salvaged.unverified_len()));
        }
        report.damage(name, &lines);
    }
    Ok(salvaged)
}

/// What `--keep-unverified` would give of an input of which nothing was kept, if it gives more than the bytes that were
/// written anyway. The input is decoded again for that.
fn unkept(salvage: &Salvage, opened: &OpenInput, written: u64) -> Option<String> {
    let place = (&opened.file).stream_position().ok()?;
    (&opened.file).rewind().ok()?;
    let salvaged = salvage.run(Input::from_file(&opened.file).ok()?, Output::Nothing);
    // The position matters only to programs that read behind this one.
    let _ = (&opened.file).seek(SeekFrom::Start(place));
    let len = salvaged.ok()?.unverified_len().saturating_sub(written);
    (len > 0).then(|| format!("--keep-unverified would also write {} that no checksum verifies", Size(len)))
}

/// The report in words: a line for each range, and the sums.
fn lines(report: &SalvageReport, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(report.lost.iter().take(most).map(lost_line));
    lines.extend(more(report.lost.len(), most, "lost"));
    lines.extend(report.unverified.iter().take(most).map(unverified_line));
    lines.extend(more(report.unverified.len(), most, "not verified"));
    lines.extend(report.untried.iter().take(most).map(|coded| untried_line(coded, report)));
    lines.extend(more(report.untried.len(), most, "not tried"));
    lines.push(sums(report));
    if report.lost.iter().any(|lost| lost.plain_len.is_none()) && report.filled_len() > 0 {
        lines.push(
            "some lost ranges have an unknown length and could not be filled, so the data behind the first of them does \
             not keep its offset"
                .into(),
        );
    }
    lines
}

fn more(count: usize, most: usize, what: &str) -> Option<String> {
    (count > most).then(|| format!("{} more ranges are {what}; -v lists all", count - most))
}

fn lost_line(lost: &LostRange) -> String {
    let LostRange { coded, plain_len, plain_offset, output_offset, filled, why, memory_needed, .. } = lost;
    let place = match coded.is_empty() {
        true => format!("what was behind the end of the input at {}", coded.end),
        false => format!("coded bytes {}-{}", coded.start, coded.end),
    };
    let plain = match (plain_offset, plain_len) {
        (_, Some(0)) => "no plain data".into(),
        (Some(start), Some(len)) => format!("plain bytes {start}-{} ({})", start + len, Size(*len)),
        (None, Some(len)) => format!("{len} plain bytes ({}) at an unknown offset", Size(*len)),
        (Some(start), None) => format!("plain bytes from {start} on, number unknown"),
        (None, None) => "an unknown number of plain bytes".into(),
    };
    let output = match filled {
        0 => format!("at output offset {output_offset}"),
        _ => format!("zeros in output bytes {output_offset}-{}", output_offset + filled),
    };
    match memory_needed {
        None => format!("lost: {place}, {plain}, {output}: {why}"),
        Some(needed) => {
            format!("not decoded: {place}, {plain}, {output}: {why}; allow more with -M {needed}")
        }
    }
}

fn unverified_line(SalvagedRange { coded, output, why, .. }: &SalvagedRange) -> String {
    format!(
        "not verified: coded bytes {}-{}, output bytes {}-{}: {why}",
        coded.start, coded.end, output.start, output.end
    )
}

fn untried_line(coded: &Range<u64>, report: &SalvageReport) -> String {
    format!(
        "not tried: some places in coded bytes {}-{}: so much there looks like frames and does not decode that the search \
         was cut short; intact frames may be left there. To try more: {} > part; pzcomp -d --salvage -o plain part",
        coded.start,
        coded.end,
        part_command(coded.start, report)
    )
}

/// The command that prints the part of the file from this offset on, so that its format is recognised. The blocks of
/// lzop have no magic number, and the header of the file says which checksums they carry. The blocks of a gzip member
/// have none either. A file of LZF begins with a block, and an empty one does no harm.
fn part_command(offset: u64, report: &SalvageReport) -> String {
    let tail = format!("tail -c +{} FILE", offset + 1);
    let ranges =
        || report.kept.iter().map(|kept| &kept.coded).chain(report.lost.iter().map(|lost| &lost.coded));
    let header_len = ranges().map(|coded| coded.start).min().unwrap_or(0);
    match report.formats.first() {
        Some(Format::Gzip) => {
            format!("{{ printf '\\037\\213\\010\\0\\0\\0\\0\\0\\0\\003'; {tail}; }}")
        }
        Some(Format::Lzop) if header_len > 0 => format!("{{ head -c {header_len} FILE; {tail}; }}"),
        Some(Format::Lzf) => format!("{{ printf 'ZV\\0\\0\\0'; {tail}; }}"),
        _ => tail,
    }
}

fn sums(report: &SalvageReport) -> String {
    let SalvageReport { frames, unchecked_frames, lost, .. } = report;
    let kept = match report.indexed_frames.filter(|all| all >= frames) {
        Some(all) => format!("{frames} of {}", count(all, "frame")),
        None => count(*frames, "frame"),
    };
    let mut parts = vec![format!("kept {kept} with {}", Size(report.kept_len()))];
    if *unchecked_frames > 0 {
        parts.push(format!("{unchecked_frames} of them carry no checksum"));
    }
    if !report.unverified.is_empty() {
        parts.push(format!("wrote {} that no checksum verifies", Size(report.unverified_len())));
    }
    let undecoded = lost.iter().filter(|lost| lost.memory_needed.is_some()).count();
    let is_damaged = undecoded < lost.len() || !report.unverified.is_empty();
    if undecoded > 0 {
        parts.push(format!("{} not decoded for want of memory", count(undecoded as u64, "range")));
    }
    parts.extend((undecoded == 0 || is_damaged).then(|| match (lost.len() - undecoded, report.lost_len()) {
        (0, _) => "no range is known to be lost".into(),
        (ranges, Some(len)) => format!("lost {} with {}", count(ranges as u64, "range"), Size(len)),
        (ranges, None) => format!("lost {} of unknown length", count(ranges as u64, "range")),
    }));
    if report.filled_len() > 0 {
        parts.push(format!("filled {} with zeros", Size(report.filled_len())));
    }
    format!("{}: {}", if is_damaged { "damaged" } else { "not whole" }, parts.join(", "))
}
