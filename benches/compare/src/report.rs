//! The report: the results on stdout and in files, row by row.
//!
//! `main.rs` gives it each [`Finding`] as soon as it is measured. It prints the line of the table, and writes
//! compare.md and compare.csv again, so that both files are complete after every row. At the end it adds the rows in
//! which a peer is ahead.

use std::fs;
use std::path::{Path, PathBuf};

use csv::Writer;

use crate::outcome::{Finding, Outcome, Side, score, where_a_peer_is_ahead};
use crate::row::{Party, Row};

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
    /// The columns are as wide as `rows` and the names of the data need. So the lines align, although each line is
    /// printed before the next is known.
    pub fn new<'a>(
        rows: impl Iterator<Item = &'a Row>,
        data: &[String],
        folder: Option<&Path>,
    ) -> Result<Self, String> {
        if let Some(folder) = folder {
            fs::create_dir_all(folder)
                .map_err(|error| format!("Cannot make the folder {}: {error}.", folder.display()))?;
        }
        let mut widths = HEADINGS.map(width);
        let mut widen = |column: usize, text: &str| {
            widths[column] = widths[column].max(width(text));
        };
        data.iter().for_each(|name| widen(0, name));
        for row in rows {
            widen(2, &row.work);
            widen(3, &row.shape.to_string());
            widen(4, &lines(&row.ours));
            widen(5, &row.peer.as_ref().map_or_else(String::new, lines));
            widen(8, &row.goal.to_string());
        }
        // The usual width of the figures.
        for (column, example) in [
            (6, "1.23 (1.11–1.45)"),
            (7, "1.000"),
            (9, "1234 / 1234"),
            (10, "12.34 / 12.34"),
            (11, "123 / 123"),
            (12, "misses (speed and size)"),
        ] {
            widen(column, example);
        }
        let (records, folder) = (Writer::from_writer(Vec::new()), folder.map(Path::to_owned));
        let mut report = Self { widths, markdown: String::new(), records, folder };
        let names: Vec<_> = FIELDS.split(',').map(str::to_owned).collect();
        report.record(&names)?;
        Ok(report)
    }

    /// Prints the lines above the table, and the head of the table.
    pub fn begin(&mut self, facts: &[String]) -> Result<(), String> {
        self.print("# pzcomp and its peers\n");
        for fact in facts {
            self.print(&format!("- {fact}"));
        }
        self.print("");
        self.print_head();
        self.save()
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
            for finding in behind {
                self.print_cells(&cells(finding));
            }
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
        let rules = self.widths.map(|width| "-".repeat(width));
        self.print_cells(&rules);
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
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        for (name, text) in
            [("compare.md", self.markdown.as_bytes()), ("compare.csv", self.records.get_ref().as_slice())]
        {
            save(&folder.join(name), text)?;
        }
        Ok(())
    }
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("Cannot write {}: {error}.", path.display()))
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
    let (row, outcome) = (&finding.row, finding.outcome());
    let both = |show: &dyn Fn(&Outcome, &Side) -> String| {
        outcome.map_or_else(String::new, |outcome| {
            let sides = [Some(&outcome.ours), outcome.peer.as_ref()];
            let shown = sides.into_iter().flatten().map(|side| show(outcome, side));
            shown.collect::<Vec<_>>().join(" / ")
        })
    };
    let speed = outcome.and_then(Outcome::speed).map(|speed| {
        let (median, min, max) = (speed.median, speed.min, speed.max);
        format!("{median:.2} ({min:.2}–{max:.2})")
    });
    let size = outcome.and_then(Outcome::size);
    let (_, verdict) = finding.verdict();
    [
        finding.data.clone(),
        mebibytes(finding.plain_len),
        row.work.clone(),
        row.shape.to_string(),
        lines(&row.ours),
        row.peer.as_ref().map_or_else(String::new, lines),
        speed.unwrap_or_default(),
        size.map_or_else(String::new, |size| format!("{size:.3}")),
        row.goal.to_string(),
        both(&|outcome, side| format!("{:.0}", outcome.megabytes_per_second(side))),
        both(&|_, side| format!("{:.2}", side.cpu_seconds())),
        both(&|_, side| mebibytes(side.peak_bytes())),
        // A message may have characters that would end the cell or the line.
        verdict.replace('|', "¦").replace('\n', " "),
    ]
}

/// The record of a row, in the order of [`FIELDS`].
fn fields(finding: &Finding) -> [String; 24] {
    let (row, outcome) = (&finding.row, finding.outcome());
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
        row.shape.to_string(),
        row.ours.to_string(),
        row.peer.as_ref().map_or_else(String::new, Party::to_string),
        row.goal.to_string(),
        number(speed.map(|speed| speed.median)),
        number(speed.map(|speed| speed.min)),
        number(speed.map(|speed| speed.max)),
        number(outcome.and_then(Outcome::size)),
        bytes(ours.map(|side| side.coded_len)),
        bytes(peer.map(|side| side.coded_len)),
        number(ours.map(Side::wall_seconds)),
        number(peer.map(Side::wall_seconds)),
        number(ours.map(Side::cpu_seconds)),
        number(peer.map(Side::cpu_seconds)),
        bytes(ours.map(Side::peak_bytes)),
        bytes(peer.map(Side::peak_bytes)),
        number(outcome.and_then(Outcome::cores)),
        finding.verdict().1,
        walls(ours),
        walls(peer),
    ]
}
