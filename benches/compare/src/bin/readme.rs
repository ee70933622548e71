//! `readme`: writes the table of figures in README.md from the results of the last `make bench`.
//!
//! It reads compare.csv and compare.md in the folder of results, and replaces the lines between the two markers in the
//! README. Of the promises that have a peer it takes the first row of each kind of work between pipes. It fails if a
//! marker or a column is missing.

use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const BEGIN: &str = "<!-- figures: written by `make readme` -->";
const END: &str = "<!-- end of figures -->";

/// The shape whose rows are shown.
const BETWEEN_PIPES: &str = "pipe→pipe";

fn main() -> ExitCode {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("benches/results"), PathBuf::from);
    match write(&folder, Path::new("README.md")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("readme: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, readme: &Path) -> Result<(), String> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let (csv, report, text) =
        (read(&folder.join("compare.csv"))?, read(&folder.join("compare.md"))?, read(readme)?);
    let (before, rest) = text.split_once(BEGIN).ok_or("the README has no marker where figures begin")?;
    let (_, after) = rest.split_once(END).ok_or("the README has no marker where figures end")?;
    let (facts, table) = (facts(&report), table(&csv)?);
    let text = format!("{before}{BEGIN}\n{facts}\n\n{table}{END}{after}");
    fs::write(readme, text).map_err(|error| format!("{}: {error}", readme.display()))
}

/// The command, the machine and the versions of the peers, from the list above the report's table.
fn facts(report: &str) -> String {
    let facts: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    let command = facts.first().unwrap_or(&"");
    let machine = facts.get(1).unwrap_or(&"");
    format!(
        "{machine}. Command: {command}. Versions and all columns: [compare.md](benches/results/compare.md)."
    )
}

/// A line for the first promise of each kind of work that is measured between pipes against a peer.
fn table(csv: &str) -> Result<String, String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headings = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| {
        headings.iter().position(|heading| heading == name).ok_or_else(|| format!("no column {name}"))
    };
    let [data, work, shape, peer, needed, speed, size] =
        ["data", "work", "shape", "peer", "needed", "speed_median", "size_ratio"].map(column);
    let [data, work, shape, peer, needed, speed, size] =
        [data?, work?, shape?, peer?, needed?, speed?, size?];
    let mut table = String::from("| data | work | against | speed | size |\n|---|---|---|---|---|\n");
    let mut shown = HashSet::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let is_peer = !cell(peer).is_empty() && !cell(peer).starts_with("pzcomp");
        let is_promise = is_peer && cell(needed).contains('≥') && cell(shape) == BETWEEN_PIPES;
        if !is_promise || !shown.insert((cell(data).to_owned(), cell(work).to_owned())) {
            continue;
        }
        let number = |column: usize, digits: usize| {
            cell(column).parse::<f64>().map_or_else(|_| "-".into(), |value| format!("{value:.digits$}"))
        };
        let (speed, size) = (number(speed, 2), number(size, 3));
        // compare.md has the command that made the file. A pipeline must not end its cell.
        let peer = cell(peer).split(" (file:").next().unwrap_or_default().replace('|', "\\|");
        table.push_str(&format!("| {} | {} | `{peer}` | {speed} × | {size} |\n", cell(data), cell(work)));
    }
    Ok(table)
}
