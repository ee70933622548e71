//! `readme`: writes the figures in README.md from the results of the last `make bench`: a picture and a table.
//!
//! It reads compare.csv and compare.md in the folder of results, replaces the lines between the two markers in the
//! README, and writes the picture. Of the works in [`SHOWN`] it takes the first promise between pipes against a peer.
//! It fails if a marker, a column or a work is missing.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    // The command and the machine are in the list above the report's table.
    let facts: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    let [command, machine, ..] = facts[..] else { return Err("compare.md names no machine".into()) };
    let figures = figures(&csv)?;
    let table = table(&figures);
    let text = format!(
        "{before}{BEGIN}\n![Speed beside the usual tools]({PICTURE})\n\n{machine}. Command: {command}. Versions and all \
         columns: [compare.md](benches/results/compare.md).\n\n{table}{END}{after}"
    );
    let save = |path: &Path, text: &str| {
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    save(Path::new(PICTURE), &svg(&figures))?;
    save(readme, &text)
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

/// The first promise of each work in [`SHOWN`] that is measured between pipes against a peer.
fn figures(csv: &str) -> Result<Vec<Figure>, String> {
    let mut found = Vec::new();
    for record in csv::Reader::from_reader(csv.as_bytes()).deserialize::<HashMap<String, String>>() {
        let record = record.map_err(|error| error.to_string())?;
        let cell =
            |name: &str| record.get(name).map(String::as_str).ok_or_else(|| format!("no column {name}"));
        // compare.md has the command that made the file.
        let peer = cell("peer")?.split(" (file:").next().unwrap_or_default();
        let is_peer = !peer.is_empty() && !peer.starts_with("pzcomp");
        if !is_peer || !cell("needed")?.contains('≥') || cell("shape")? != "pipe→pipe" {
            continue;
        }
        let (Ok(speed), Ok(len)) = (cell("speed_median")?.parse(), cell("plain_bytes")?.parse::<u64>())
        else {
            continue;
        };
        found.push(Figure {
            data: cell("data")?.into(),
            mib: len >> 20,
            rounds: cell("ours_walls_s")?.split_whitespace().count(),
            work: cell("work")?.into(),
            peer: peer.into(),
            speed,
            size: cell("size_ratio")?.parse().ok(),
        });
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
        table += &format!("| {data} | {mib} | {rounds} | {work} | `{peer}` | {speed:.2} × | {size} |\n");
    }
    table
}

const WIDTH: f64 = 840.0;
/// Where bars begin, and the room that the words behind the longest bar need.
const LEFT: f64 = 180.0;
const WORDS: f64 = 130.0;
/// From one bar to the next, and the height of a bar.
const STEP: f64 = 26.0;
const HEIGHT: f64 = 16.0;
/// The room above the first bar.
const TOP: f64 = 34.0;

const STYLE: &str = "text{font:13px sans-serif;fill:#1f2328}.bar{fill:#2f6fb5}.slower{fill:#b5562f}.rule{stroke:#59636e}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#5b9bdd}.slower{fill:#dd7a5b}.rule{stroke:#9198a1}}";

/// The picture: a bar for each work, as long as the speed beside the peer. A line stands where both are equal. The
/// picture has no background, and its colours follow the page, so it can be read on light and on dark pages. It is as
/// wide as the text of a README.
fn svg(figures: &[Figure]) -> String {
    let longest = figures.iter().map(|figure| figure.speed).fold(1.0, f64::max);
    let unit = (WIDTH - LEFT - WORDS) / longest;
    let height = TOP + STEP * figures.len() as f64 + 6.0;
    let rule = LEFT + unit;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>The speed of pzcomp beside other programs</title>\n<style>{STYLE}</style>\n\
         <text x=\"{rule:.1}\" y=\"18\" text-anchor=\"middle\">1 × = the other program</text>\n"
    );
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    for (place, Figure { work, speed, peer, .. }) in figures.iter().enumerate() {
        let y = TOP + STEP * place as f64;
        let (base, length) = (y + 13.0, unit * speed);
        let class = if *speed < 1.0 { "slower" } else { "bar" };
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{length:.1}\" height=\"{HEIGHT}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{base}\">{speed:.2} × {}</text>\n",
            LEFT - 10.0,
            escaped(work),
            LEFT + length + 8.0,
            escaped(peer.split_whitespace().next().unwrap_or_default()),
        );
    }
    let end = height - 6.0;
    svg + &format!(
        "<line class=\"rule\" x1=\"{rule:.1}\" y1=\"{:.1}\" x2=\"{rule:.1}\" y2=\"{end}\"/>\n</svg>\n",
        TOP - 8.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_ratios() {
        let figure = |work: &str, speed| Figure {
            data: String::new(),
            mib: 1,
            rounds: 1,
            work: work.into(),
            peer: "a<b -d".into(),
            speed,
            size: None,
        };
        let svg = svg(&[figure("fast", 2.0), figure("slow", 0.5)]);
        let widths = svg.split("width=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok());
        let widths: Vec<f64> = widths.collect();
        assert_eq!(widths[0], 4.0 * widths[1]);
        assert!(svg.contains("2.00 × a&lt;b<") && svg.contains("class=\"slower\"") && !svg.contains("a<b"));
    }
}
