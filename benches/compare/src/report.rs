//! The results on stdout and in files, line by line as they come.

use std::fs;
use std::path::{Path, PathBuf};

use crate::csv;
use crate::outcome::{Failure, Outcome, Side, Verdict};
use crate::row::{Party, Row};

/// A row with what came of it.
pub struct Line<'a> {
    pub row: &'a Row,
    pub data: &'a str,
    /// How much plain data the row got.
    pub plain_len: u64,
    pub result: &'a Result<Outcome, Failure>,
}

/// Prints the table and keeps it in files, which are whole after every row.
pub struct Report {
    widths: [usize; COLUMNS],
    markdown: String,
    csv: String,
    folder: Option<PathBuf>,
}

const COLUMNS: usize = 13;
const HEADINGS: [&str; COLUMNS] = [
    "data", "MiB", "work", "shape", "ours", "peer", "speed ×", "size ×", "needed", "MB/s", "CPU s",
    "peak MiB", "verdict",
];

impl Report {
    /// Columns are as wide as `rows` and the names of the data need, so that the lines align
    /// although each is printed before the next is known.
    pub fn new(rows: &[Row], data: &[String], folder: Option<&Path>) -> Result<Self, String> {
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
            widen(2, row.work);
            widen(3, &row.shape.to_string());
            widen(4, &command_of(row.ours));
            widen(5, &row.peer.map_or_else(String::new, command_of));
            widen(8, &row.goal.to_string());
        }
        // What the figures need as a rule.
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
        Ok(Self { widths, markdown: String::new(), csv: csv::heading(), folder: folder.map(Path::to_owned) })
    }

    /// Prints what stands above the table, and the table's head.
    pub fn begin(&mut self, facts: &[String]) -> Result<(), String> {
        self.print("# pzcomp and its peers\n");
        for fact in facts {
            self.print(&format!("- {fact}"));
        }
        self.print("");
        self.print_cells(&HEADINGS.map(str::to_owned));
        let rules = self.widths.map(|width| "-".repeat(width));
        self.print_cells(&rules);
        self.save()
    }

    /// Prints one line of the table.
    pub fn add(&mut self, line: &Line) -> Result<(), String> {
        self.print_cells(&cells(line));
        self.csv.push_str(&csv::line(line));
        self.save()
    }

    /// Prints what stands below the table.
    pub fn end(&mut self, remarks: &[String]) -> Result<(), String> {
        for remark in remarks {
            self.print(&format!("\n{remark}"));
        }
        self.save()
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
        for (name, text) in [("compare.md", &self.markdown), ("compare.csv", &self.csv)] {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| format!("Cannot write {}: {error}.", path.display()))?;
        }
        Ok(())
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A party's command line, with the one that made its input.
pub fn command_of(party: Party) -> String {
    match party.source {
        Some(source) => format!("{} (file: {source})", party.run),
        None => party.run.to_owned(),
    }
}

fn mebibytes(bytes: u64) -> String {
    bytes.div_ceil(1 << 20).to_string()
}

fn cells(line: &Line) -> [String; COLUMNS] {
    let Line { row, result, .. } = line;
    let outcome = result.as_ref().ok();
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
    let verdict = Verdict::of(row.goal, result).to_string();
    [
        line.data.to_owned(),
        mebibytes(line.plain_len),
        row.work.to_owned(),
        row.shape.to_string(),
        command_of(row.ours),
        row.peer.map_or_else(String::new, command_of),
        speed.unwrap_or_default(),
        size.map_or_else(String::new, |size| format!("{size:.3}")),
        row.goal.to_string(),
        both(&|outcome, side| format!("{:.0}", outcome.megabytes_per_second(side))),
        both(&|_, side| format!("{:.2}", side.cpu_seconds())),
        both(&|_, side| mebibytes(side.peak_bytes())),
        // A message may hold what would end the cell or the line.
        verdict.replace('|', "¦").replace('\n', " "),
    ]
}
