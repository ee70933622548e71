//! The report: the ratios and the verdict of each row, on stdout and in files.
//!
//! `main.rs` gives it each [`Finding`] as soon as it is measured. It prints the line of the table, and writes
//! compare.md and compare.csv again, so that both files are complete after every row. At the end it adds the rows in
//! which a peer is ahead.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use csv::Writer;

use crate::process::Usage;
use crate::rows::{Goal, Party, Row};

/// The measured rounds of one party.
#[derive(Default)]
pub struct Side {
    pub rounds: Vec<Usage>,
    /// The length of the compressed form, which is the output or the input.
    pub coded_len: u64,
    /// The peak memory of all its processes together in the round that was watched.
    pub watched_peak_bytes: u64,
}

/// The rounds of both parties. Round n of one party runs right before round n of the other.
pub struct Outcome {
    pub plain_len: u64,
    pub ours: Side,
    pub peer: Option<Side>,
}

/// Why there is no outcome.
pub enum Failure {
    NotInstalled(String),
    /// pzcomp failed or lost data, or the machine lacks something.
    Failed(String),
    /// The peer failed or lost data, which is no failure of pzcomp.
    PeerFailed(String),
}

/// A row, its data, and its result.
pub struct Finding {
    pub row: Row,
    /// The name of the data.
    pub data: String,
    /// The length of the plain data of this row.
    pub plain_len: u64,
    pub result: Result<Outcome, Failure>,
}

/// The least, the median and the greatest of some figures, or none.
fn spread(figures: impl IntoIterator<Item = f64>) -> Option<[f64; 3]> {
    let mut sorted: Vec<f64> = figures.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let low = *sorted.get(sorted.len().saturating_sub(1) / 2)?;
    Some([*sorted.first()?, f64::midpoint(low, *sorted.get(sorted.len() / 2)?), *sorted.last()?])
}

impl Side {
    /// The median of one figure of the rounds, in seconds.
    fn seconds(&self, of: fn(&Usage) -> Duration) -> f64 {
        spread(self.rounds.iter().map(|usage| of(usage).as_secs_f64()))
            .map_or(f64::NAN, |[_, median, _]| median)
    }

    fn wall(&self) -> f64 {
        self.seconds(|usage| usage.wall)
    }

    fn cpu(&self) -> f64 {
        self.seconds(|usage| usage.cpu)
    }

    /// The highest peak of all rounds, because a limit must hold in every round.
    fn peak_bytes(&self) -> u64 {
        let peaks = self.rounds.iter().map(|usage| usage.peak_bytes);
        peaks.max().unwrap_or(0).max(self.watched_peak_bytes)
    }
}

impl Outcome {
    /// Our speed divided by the peer's, pair by pair: the least, the median and the greatest. A disturbance of the
    /// machine usually affects both rounds of a pair.
    fn speed(&self) -> Option<[f64; 3]> {
        let pairs = self.ours.rounds.iter().zip(&self.peer.as_ref()?.rounds);
        spread(pairs.map(|(ours, peer)| peer.wall.div_duration_f64(ours.wall)))
    }

    /// Our compressed size in terms of the peer's.
    fn size(&self) -> Option<f64> {
        Some(self.ours.coded_len as f64 / self.peer.as_ref()?.coded_len as f64)
    }

    /// The number of cores that the workers could use: their CPU seconds in terms of those of the slower serial thread.
    /// None if `-v` does not print the times, as `…; cpu s: reader 0.012, workers 1.234, writer 0.045`.
    fn cores(&self) -> Option<f64> {
        /// The smallest difference in that line, for a thread that did next to nothing.
        const LEAST: f64 = 0.001;
        let cores = |usage: &Usage| -> Option<f64> {
            let (_, times) = usage.stderr.lines().last()?.rsplit_once("cpu s:")?;
            let seconds = |thread: &str| -> Option<f64> {
                let mut words = times.split([' ', ',', ';']).filter(|word| !word.is_empty());
                words.find(|word| *word == thread)?;
                words.next()?.parse().ok()
            };
            Some(seconds("workers")? / seconds("reader")?.max(seconds("writer")?).max(LEAST))
        };
        let figures: Option<Vec<f64>> = self.ours.rounds.iter().map(cores).collect();
        spread(figures?).map(|[_, median, _]| median)
    }
}

impl Finding {
    /// The median of the speed, and the size of our output beside the peer's, if the row writes it and the difference
    /// is worth a word.
    fn ratios(&self) -> Option<(f64, Option<f64>)> {
        let outcome = self.result.as_ref().ok()?;
        let peer = outcome.peer.as_ref()?.coded_len;
        let difference = outcome.ours.coded_len.abs_diff(peer);
        let matters = difference * 100 > peer && difference * 1000 > outcome.plain_len;
        Some((outcome.speed()?[1], outcome.size().filter(|_| matters && self.row.is_coding())))
    }

    /// How far the peer is ahead, as a ratio below 1: in speed, or in the size of the output if that is worse. A
    /// promise may hold although the peer is ahead.
    fn lag(&self) -> Option<f64> {
        let (speed, size) = self.ratios()?;
        let larger = size.filter(|size| *size > 1.0).map(f64::recip);
        [(speed < 1.0).then_some(speed), larger].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// The last column of the table. Its first word is the verdict, by which rows are counted.
    fn verdict(&self) -> String {
        /// From this ratio on pzcomp counts as faster.
        const AHEAD: f64 = 1.02;
        let outcome = match &self.result {
            Ok(outcome) => outcome,
            Err(Failure::NotInstalled(program)) => return format!("{program} not installed"),
            Err(Failure::Failed(message)) => return format!("failed: {message}"),
            Err(Failure::PeerFailed(message)) => return format!("the peer failed: {message}"),
        };
        let promise = |holds: bool, words: &str| {
            let verdict = if holds { "holds" } else { "misses" };
            if words.is_empty() { verdict.into() } else { format!("{verdict} ({words})") }
        };
        match (self.row.goal(), self.ratios()) {
            (Some(Goal::Speed(at_least, most)), _) => {
                let slow = outcome.speed().is_none_or(|[_, median, _]| median < at_least);
                let large = most.is_some_and(|most| outcome.size().is_none_or(|size| size > most));
                promise(
                    !slow && !large,
                    match (slow, large) {
                        (true, true) => "speed and size",
                        (true, false) => "speed",
                        (false, true) => "size",
                        (false, false) => "",
                    },
                )
            }
            (Some(Goal::Memory(most)), _) => match outcome.ours.peak_bytes() <= most << 20 {
                true => promise(true, ""),
                false => promise(false, "memory"),
            },
            (Some(Goal::Cores(at_least)), _) => match outcome.cores() {
                None => "failed: pzcomp -v names no CPU seconds".into(),
                Some(cores) => promise(cores >= at_least, &format!("{cores:.1} cores")),
            },
            // A faster program with a larger output is not ahead.
            (_, Some((speed, size))) => {
                let word = match (speed, size) {
                    (..1.0, _) => "behind",
                    (_, Some(size)) if size > 1.0 => "larger",
                    (AHEAD.., _) => "ahead",
                    // Between the limits, or not a number.
                    _ => "even",
                };
                let size = size.map_or_else(String::new, |size| format!(", size {size:.3}"));
                format!("{word} ({speed:.2}{size})")
            }
            _ => "failed: there is no peer to compare with".into(),
        }
    }
}

/// The findings in which the peer is ahead, the worst first.
fn where_a_peer_is_ahead(findings: &[Finding]) -> Vec<&Finding> {
    let mut behind: Vec<_> = findings.iter().filter_map(|finding| Some((finding.lag()?, finding))).collect();
    behind.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    behind.into_iter().map(|(_, finding)| finding).collect()
}

/// The number of rows with each verdict, in a sentence.
fn score(findings: &[Finding]) -> String {
    let verdicts: Vec<String> = findings.iter().map(Finding::verdict).collect();
    let words = ["holds", "misses", "ahead", "even", "larger", "behind"];
    let [holds, misses, ahead, even, larger, behind] =
        words.map(|word| verdicts.iter().filter(|verdict| verdict.split(" (").next() == Some(word)).count());
    let none = findings.len() - holds - misses - ahead - even - larger - behind;
    format!(
        "Promises: {holds} hold, {misses} miss. Comparisons: pzcomp is ahead in {ahead}, even in {even}, faster but \
         larger in {larger}, behind in {behind}. Without a result: {none}."
    )
}

/// Prints the table, and keeps it in files.
pub struct Report {
    widths: [usize; COLUMNS],
    markdown: String,
    /// The bytes of compare.csv.
    records: Writer<Vec<u8>>,
    folder: Option<PathBuf>,
}

const COLUMNS: usize = 13;
const HEADINGS: [&str; COLUMNS] = [
    "data", "MiB", "work", "shape", "ours", "peer", "speed ×", "size ×", "needed", "MB/s", "CPU s",
    "peak MiB", "verdict",
];

/// The fields of compare.csv. A field without a measurement is empty.
const FIELDS: &str = "data,plain_bytes,work,direction,shape,ours,peer,needed,speed_median,speed_min,speed_max,size_ratio,\
    ours_coded_bytes,peer_coded_bytes,ours_wall_s,peer_wall_s,ours_cpu_s,peer_cpu_s,ours_peak_bytes,peer_peak_bytes,\
    cores_at_saturation,verdict,ours_walls_s,peer_walls_s";

impl Report {
    /// Prints the facts and the head of the table. The columns are as wide as `rows` and the names of the data need. So
    /// the lines align, although each line is printed before the next is known.
    pub fn begin<'a>(
        rows: impl Iterator<Item = &'a Row>,
        data: &[String],
        facts: &[String],
        folder: Option<&Path>,
    ) -> Result<Self, String> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder)
                .map_err(|error| format!("Cannot make the folder {}: {error}.", folder.display()))?;
        }
        // The usual width of the figures.
        let mut widths = [
            "",
            "",
            "",
            "",
            "",
            "",
            "1.23 (1.11–1.45)",
            "1.000",
            "",
            "1234 / 1234",
            "12.34 / 12.34",
            "123 / 123",
            "misses (speed and size)",
        ]
        .map(width);
        let mut widen = |column: usize, text: &str| widths[column] = widths[column].max(width(text));
        HEADINGS.iter().enumerate().for_each(|(column, heading)| widen(column, heading));
        data.iter().for_each(|name| widen(0, name));
        for row in rows {
            widen(2, &row.work);
            widen(3, &row.shape);
            widen(4, &lines(&row.ours));
            widen(5, &row.peer.as_ref().map_or_else(String::new, lines));
            widen(8, &row.needed);
        }
        let (records, folder) = (Writer::from_writer(Vec::new()), folder.map(Path::to_owned));
        let mut report = Self { widths, markdown: String::new(), records, folder };
        report.record(&FIELDS.split(',').map(str::to_owned).collect::<Vec<_>>())?;
        report.print("# pzcomp and its peers\n");
        facts.iter().for_each(|fact| report.print(&format!("- {fact}")));
        report.print("");
        report.print_head();
        report.save()?;
        Ok(report)
    }

    /// Prints one line of the table.
    pub fn add(&mut self, finding: &Finding) -> Result<(), String> {
        self.print_cells(&cells(finding));
        self.record(&fields(finding))?;
        self.save()
    }

    /// Prints the lines below the table, and repeats the rows in which a peer is ahead.
    pub fn end(&mut self, findings: &[Finding], remark: &str) -> Result<(), String> {
        self.print(&format!("\n{remark}\n\n{}", score(findings)));
        self.print("\n## Where a peer is ahead\n");
        let behind = where_a_peer_is_ahead(findings);
        if behind.is_empty() {
            self.print("Nowhere.");
        } else {
            self.print("In speed, or in the size of the output, the worst first.\n");
            self.print_head();
            behind.into_iter().for_each(|finding| self.print_cells(&cells(finding)));
        }
        self.save()
    }

    /// Adds a record to compare.csv. The writer refuses another number of fields than that of the names.
    fn record(&mut self, fields: &[String]) -> Result<(), String> {
        let written = self.records.write_record(fields).and_then(|()| Ok(self.records.flush()?));
        written.map_err(|error| format!("Cannot write a record: {error}."))
    }

    fn print_head(&mut self) {
        self.print_cells(&HEADINGS.map(str::to_owned));
        self.print_cells(&self.widths.map(|width| "-".repeat(width)));
    }

    fn print_cells(&mut self, cells: &[String; COLUMNS]) {
        let padded = cells.iter().zip(self.widths).map(|(cell, wide)| {
            let padding = " ".repeat(wide.saturating_sub(width(cell)));
            format!("{cell}{padding}")
        });
        let line = format!("| {} |", padded.collect::<Vec<_>>().join(" | "));
        self.print(&line);
    }

    fn print(&mut self, line: &str) {
        println!("{line}");
        self.markdown.push_str(line);
        self.markdown.push('\n');
    }

    fn save(&self) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let texts =
            [("compare.md", self.markdown.as_bytes()), ("compare.csv", self.records.get_ref().as_slice())];
        texts.into_iter().try_for_each(|(name, text)| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| format!("Cannot write {}: {error}.", path.display()))
        })
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn mebibytes(bytes: u64) -> String {
    bytes.div_ceil(1 << 20).to_string()
}

/// The command lines of a party. A pipeline must not end its cell.
fn lines(party: &Party) -> String {
    party.to_string().replace('|', "\\|")
}

fn cells(finding: &Finding) -> [String; COLUMNS] {
    let (row, outcome) = (&finding.row, finding.result.as_ref().ok());
    let both = |show: &dyn Fn(&Side) -> String| {
        let sides = outcome.map(|outcome| [Some(&outcome.ours), outcome.peer.as_ref()]);
        let shown = sides.into_iter().flatten().flatten().map(show);
        shown.collect::<Vec<_>>().join(" / ")
    };
    let speed = outcome.and_then(Outcome::speed);
    let plain_len = outcome.map_or(0, |outcome| outcome.plain_len) as f64;
    [
        finding.data.clone(),
        mebibytes(finding.plain_len),
        row.work.clone(),
        row.shape.clone(),
        lines(&row.ours),
        row.peer.as_ref().map_or_else(String::new, lines),
        speed.map_or_else(String::new, |[min, median, max]| format!("{median:.2} ({min:.2}–{max:.2})")),
        outcome.and_then(Outcome::size).map_or_else(String::new, |size| format!("{size:.3}")),
        row.needed.clone(),
        both(&|side| format!("{:.0}", plain_len / 1e6 / side.wall())),
        both(&|side| format!("{:.2}", side.cpu())),
        both(&|side| mebibytes(side.peak_bytes())),
        // A message may have characters that would end the cell or the line.
        finding.verdict().replace('|', "¦").replace('\n', " "),
    ]
}

/// The record of a row, in the order of [`FIELDS`].
fn fields(finding: &Finding) -> [String; 24] {
    let (row, outcome) = (&finding.row, finding.result.as_ref().ok());
    let (ours, peer) =
        (outcome.map(|outcome| &outcome.ours), outcome.and_then(|outcome| outcome.peer.as_ref()));
    let speed = outcome.and_then(Outcome::speed);
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.4}"));
    let bytes = |bytes: Option<u64>| bytes.map_or_else(String::new, |bytes| bytes.to_string());
    let walls = |side: Option<&Side>| {
        let rounds = side.into_iter().flat_map(|side| &side.rounds);
        rounds.map(|usage| format!("{:.4}", usage.wall.as_secs_f64())).collect::<Vec<_>>().join(" ")
    };
    [
        finding.data.clone(),
        finding.plain_len.to_string(),
        row.work.clone(),
        if row.is_coding() { "compress" } else { "decompress" }.to_owned(),
        row.shape.clone(),
        row.ours.to_string(),
        row.peer.as_ref().map_or_else(String::new, Party::to_string),
        row.needed.clone(),
        number(speed.map(|speed| speed[1])),
        number(speed.map(|speed| speed[0])),
        number(speed.map(|speed| speed[2])),
        number(outcome.and_then(Outcome::size)),
        bytes(ours.map(|side| side.coded_len)),
        bytes(peer.map(|side| side.coded_len)),
        number(ours.map(Side::wall)),
        number(peer.map(Side::wall)),
        number(ours.map(Side::cpu)),
        number(peer.map(Side::cpu)),
        bytes(ours.map(Side::peak_bytes)),
        bytes(peer.map(Side::peak_bytes)),
        number(outcome.and_then(Outcome::cores)),
        finding.verdict(),
        walls(ours),
        walls(peer),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn side(walls_ms: &[u64], coded_len: u64) -> Side {
        let stderr = "a; cpu s: reader 0.012, workers 1.350, writer 0.045";
        let usage = |ms: &u64| Usage {
            wall: Duration::from_millis(*ms),
            peak_bytes: ms << 20,
            stderr: stderr.into(),
            ..Usage::default()
        };
        Side { rounds: walls_ms.iter().map(usage).collect(), coded_len, watched_peak_bytes: 0 }
    }

    fn finding(needed: &str, ours: &str, walls_ms: &[u64], our_len: u64, peer: Side) -> Finding {
        let row = rows::promise(&format!("test; pipe→pipe; {needed}; ; {ours}; ")).expect("a row");
        let result = Ok(Outcome { plain_len: 4000, ours: side(walls_ms, our_len), peer: Some(peer) });
        Finding { row, data: format!("{ours} {our_len}"), plain_len: 4000, result }
    }

    /// The pairs of rounds have the ratios 3, 2.5 and 1.
    #[test]
    fn a_promise_holds_or_says_what_it_misses() {
        for (needed, verdict) in [
            ("speed ≥ 2.5", "holds"),
            ("speed ≥ 2.6", "misses (speed)"),
            ("speed ≥ 2.5, size ≤ 1.01", "holds"),
            ("speed ≥ 3, size ≤ 1", "misses (speed and size)"),
            ("speed ≥ 1, size ≤ 1", "misses (size)"),
            ("peak ≤ 40 MiB", "holds"),
            ("peak ≤ 39 MiB", "misses (memory)"),
            ("cores ≥ 30", "holds (30.0 cores)"),
            ("cores ≥ 31", "misses (30.0 cores)"),
        ] {
            let finding = finding(needed, "a < b", &[10, 20, 40], 101, side(&[30, 50, 40], 100));
            assert_eq!(finding.verdict(), verdict, "{needed}");
        }
        assert_eq!([spread([]), spread([9.0, 1.0, 2.0, 4.0])], [None, Some([1.0, 3.0, 9.0])]);
    }

    #[test]
    fn a_comparison_counts_speed_and_size_and_the_worst_comes_first() {
        let rows = [
            ("a < b", 500, 1000, "ahead (2.00)", None),
            ("a < b", 1500, 1000, "behind (0.67)", Some(0.67)),
            ("a < b", 990, 1000, "even (1.01)", None),
            ("a < b", 500, 1250, "larger (2.00, size 1.250)", Some(0.8)),
            ("a < b", 500, 800, "ahead (2.00, size 0.800)", None),
            ("a > b", 2000, 1000, "behind (0.50)", Some(0.5)),
            // The file that is read is not the work of the row.
            ("a > b", 500, 1250, "ahead (2.00)", None),
        ];
        let mut findings = Vec::new();
        for (ours, ms, len, verdict, lag) in rows {
            let finding = finding("ahead", ours, &[ms], len, side(&[1000], 1000));
            assert_eq!(finding.verdict(), verdict);
            assert_eq!(finding.lag().map(|lag| (lag * 100.0).round() / 100.0), lag, "{verdict}");
            findings.push(finding);
        }
        findings[0].result = Err(Failure::NotInstalled("ahead".to_owned()));
        let lags: Vec<_> =
            where_a_peer_is_ahead(&findings).iter().filter_map(|finding| finding.lag()).collect();
        assert!(lags.len() == 3 && lags.is_sorted());
        assert_eq!(
            score(&findings),
            "Promises: 0 hold, 0 miss. Comparisons: pzcomp is ahead in 2, even in 1, faster but larger in 1, \
             behind in 2. Without a result: 1."
        );
    }
}
