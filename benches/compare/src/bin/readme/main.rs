//! `readme`: writes the figures in README.md from the results of the last `make bench`: a picture and a table.
//!
//! It reads compare.csv and compare.md in the folder of results, replaces the lines between the two markers in the
//! README, and writes the picture. Of the works in [`SHOWN`] it takes the first promise between pipes against a peer.
//! It fails if a marker, a column or a work is missing.

mod bars;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bars::Bar;

/// The works that the README shows. compare.md has all.
const SHOWN: [&str; 10] = [
    "zstd -3",
    "gzip -1",
    "gzip -6",
    "lz4 -1",
    "xz -6",
    "lzip -6",
    "bzip2 -9",
    "zstd -d",
    "gzip -d",
    "gzip -d, foreign files",
];

/// Where the picture is, from the root of the repository.
const PICTURE: &str = "docs/speed.svg";

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
    let (facts, figures) = (facts(&report), figures(&csv)?);
    let picture = format!("![Speed beside the usual tools]({PICTURE})");
    let table = table(&figures);
    let text = format!("{before}{BEGIN}\n{picture}\n\n{facts}\n\n{table}{END}{after}");
    let save = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let bars: Vec<Bar> = figures.iter().map(Figure::bar).collect();
    save(Path::new(PICTURE), &bars::svg(&bars))?;
    save(readme, &text)
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

/// A row of the results.
struct Figure {
    data: String,
    mib: u64,
    rounds: usize,
    work: String,
    peer: String,
    speed: f64,
    size: Option<f64>,
}

impl Figure {
    fn bar(&self) -> Bar {
        let program = self.peer.split_whitespace().next().unwrap_or_default();
        Bar { name: self.work.clone(), ratio: self.speed, peer: program.to_owned() }
    }
}

/// The first promise of each work in [`SHOWN`] that is measured between pipes against a peer.
fn figures(csv: &str) -> Result<Vec<Figure>, String> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headings = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| {
        headings.iter().position(|heading| heading == name).ok_or_else(|| format!("no column {name}"))
    };
    let [data, len, work, shape, peer, needed, speed, size, walls] = [
        "data",
        "plain_bytes",
        "work",
        "shape",
        "peer",
        "needed",
        "speed_median",
        "size_ratio",
        "ours_walls_s",
    ]
    .map(column);
    let [data, len, work, shape, peer, needed, speed, size, walls] =
        [data?, len?, work?, shape?, peer?, needed?, speed?, size?, walls?];
    let mut found = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let is_peer = !cell(peer).is_empty() && !cell(peer).starts_with("pzcomp");
        if !is_peer || !cell(needed).contains('≥') || cell(shape) != BETWEEN_PIPES {
            continue;
        }
        let (Ok(speed), Ok(len)) = (cell(speed).parse(), cell(len).parse::<u64>()) else { continue };
        // compare.md has the command that made the file.
        let peer = cell(peer).split(" (file:").next().unwrap_or_default().to_owned();
        let (data, work) = (cell(data).to_owned(), cell(work).to_owned());
        let rounds = cell(walls).split_whitespace().count();
        found.push(Figure { data, mib: len >> 20, rounds, work, peer, speed, size: cell(size).parse().ok() });
    }
    let mut first = |work: &str| {
        let at = found.iter().position(|figure| figure.work == work);
        at.map(|at| found.remove(at)).ok_or_else(|| format!("the results have no row of {work}"))
    };
    SHOWN.into_iter().map(&mut first).collect()
}

fn table(figures: &[Figure]) -> String {
    let mut table = String::from(
        "| data | MiB | rounds | work | against | speed | size |\n|---|---|---|---|---|---|---|\n",
    );
    for Figure { data, mib, rounds, work, peer, speed, size } in figures {
        let size = size.map_or_else(|| "-".into(), |size| format!("{size:.3}"));
        // A pipeline must not end its cell.
        let peer = peer.replace('|', "\\|");
        table.push_str(&format!(
            "| {data} | {mib} | {rounds} | {work} | `{peer}` | {speed:.2} × | {size} |\n"
        ));
    }
    table
}
