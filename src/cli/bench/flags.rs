//! The flags of `--bench`, and what they ask for.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pzcomp::Format;
use pzcomp::bench::Demand;

use super::super::request::{Request, Target, Voice};
use super::super::size;

const HEADING: &str = "Measuring";

/// What `--bench` measures where nothing is asked for: what people use, from end to end.
const LEVELS: [i32; 4] = [1, 3, 6, 9];
const SECONDS: f64 = 3.0;

#[derive(Debug, Default, Args)]
pub(in super::super) struct BenchFlags {
    /// Measure formats and levels on a sample of FILE or standard input (generated text if there is
    /// neither), in memory, both ways, and say which to choose
    #[arg(
        long, help_heading = HEADING,
        conflicts_with_all = ["decompress", "test", "list", "output", "stdout", "rm", "suffix"]
    )]
    pub(in super::super) bench: bool,

    /// Formats to measure, as zstd,gzip [default: all, or that of -F]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "bench", help_heading = HEADING)]
    bench_formats: Vec<Format>,

    /// Levels to measure, as 1,3,6-9 [default: 1,3,6,9, or the one given]; a format leaves out those that
    /// it does not have
    #[arg(
        long, value_name = "LIST", allow_hyphen_values = true, value_parser = levels, requires = "bench",
        help_heading = HEADING
    )]
    bench_levels: Option<Levels>,

    /// Seconds for each format and level, half of them for each direction; at least one pass is made
    /// [default: 3]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seconds, requires = "bench", help_heading = HEADING)]
    bench_seconds: Option<f64>,

    /// Sample so much, evenly; a pipe is read to its end for that [default: 32M for each thread, from 64M to 1G]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = sample_len, requires = "bench", help_heading = HEADING)]
    bench_sample: Option<u64>,

    /// Name the smallest format and level that compresses so much plain data a second, as 300MB/s or
    /// 10Gbit/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = size::parse_rate, requires = "bench", help_heading = HEADING)]
    target: Option<f64>,

    /// Name the fastest format and level that gets below this part of the plain size, as 25%
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, value_parser = size::parse_percent, requires = "bench", help_heading = HEADING)]
    max_size: Option<f64>,

    /// Write the results to FILE as JSON (docs/bench.schema.json); - is standard output
    #[arg(long, value_name = "FILE", requires = "bench", help_heading = HEADING)]
    json: Option<PathBuf>,

    /// Write the results to FILE as comma-separated values; - is standard output
    #[arg(long, value_name = "FILE", requires = "bench", help_heading = HEADING)]
    csv: Option<PathBuf>,

    /// Draw speed against size to FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_parser = clap::value_parser!(PathBuf), requires = "bench", help_heading = HEADING)]
    plot: Option<PathBuf>,
}

/// What a picture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Picture {
    Svg,
    Png,
}

/// A list of levels that is one value of a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Levels(Vec<i32>);

/// What is to be measured, and what becomes of the results.
#[derive(Clone, Debug)]
pub(in super::super) struct BenchRequest {
    /// Inputs, options of the stream, and how much is said.
    pub(super) request: Request,
    /// Whether inputs were named; if not, standard input is one only if something is connected to it.
    pub(super) named: bool,
    pub(super) formats: Vec<Format>,
    pub(super) levels: Vec<i32>,
    pub(super) time: Duration,
    pub(super) sample_len: Option<u64>,
    pub(super) demand: Demand,
    pub(super) json: Option<PathBuf>,
    pub(super) csv: Option<PathBuf>,
    pub(super) plot: Option<(PathBuf, Picture)>,
}

impl BenchRequest {
    /// How much is said on standard error.
    pub(in super::super) fn voice(&self) -> Voice {
        self.request.voice
    }
}

impl BenchFlags {
    /// Understands the flags; `format` and `level` are those of the other modes, if they were given.
    pub(in super::super) fn request(
        self,
        request: Request,
        named: bool,
        format: Option<Format>,
        level: Option<i32>,
    ) -> Result<BenchRequest, String> {
        self.exports_differ()?;
        let mut asked: Vec<Format> = Vec::new();
        self.bench_formats.into_iter().for_each(|format| {
            if !asked.contains(&format) {
                asked.push(format);
            }
        });
        let formats = match (asked.is_empty(), format) {
            (false, _) => asked,
            (true, Some(format)) => vec![format],
            (true, None) => Format::all().collect(),
        };
        let levels = match (self.bench_levels, level) {
            (Some(Levels(levels)), _) => levels,
            (None, Some(level)) => vec![level],
            (None, None) => LEVELS.to_vec(),
        };
        let plot = self.plot.map(|path| picture(&path).map(|picture| (path, picture))).transpose()?;
        let seconds = self.bench_seconds.unwrap_or(SECONDS);
        Ok(BenchRequest {
            // What is beside the inputs does not matter.
            request: Request { target: Target::Stdout, ..request },
            named,
            formats,
            levels,
            time: Duration::from_secs_f64(seconds),
            sample_len: self.bench_sample,
            demand: Demand { speed: self.target, ratio: self.max_size },
            json: self.json,
            csv: self.csv,
            plot,
        })
    }
}

impl BenchFlags {
    /// Two results cannot have one file.
    fn exports_differ(&self) -> Result<(), String> {
        let mut paths = [&self.json, &self.csv, &self.plot].into_iter().flatten();
        while let Some(path) = paths.next() {
            if paths.clone().any(|other| other == path) {
                return Err(format!("{} would hold two of --json, --csv and --plot", path.display()));
            }
        }
        Ok(())
    }
}

/// The kind of picture that a file of this name holds.
fn picture(path: &Path) -> Result<Picture, String> {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        Some(svg) if svg == "svg" => Ok(Picture::Svg),
        Some(png) if png == "png" => Ok(Picture::Png),
        _ => Err(format!("--plot {}: expected a name that ends in .svg or .png", path.display())),
    }
}

fn sample_len(text: &str) -> Result<u64, String> {
    /// It is in memory as a whole, with what it is compressed to.
    const MOST: u64 = 64 << 30;
    match size::parse(text)? {
        len @ 1..=MOST => Ok(len),
        _ => Err("expected a size from 1B to 64G".into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    /// A day: more would be a slip of the finger.
    const MOST: f64 = 86_400.0;
    match text.parse() {
        Ok(seconds) if (0.0..=MOST).contains(&seconds) => Ok(seconds),
        _ => Err(format!("expected a number of seconds from 0 to {MOST}")),
    }
}

/// Levels and ranges of levels, in the order given, each once.
fn levels(text: &str) -> Result<Levels, String> {
    let wrong = || format!("'{text}' is no list of levels such as 1,3,6-9");
    let mut levels = Vec::new();
    for item in text.split(',') {
        // A minus at the start is a sign, not a range.
        let range = match item.get(1..).and_then(|rest| rest.find('-')) {
            Some(dash) => (&item[..dash + 1], &item[dash + 2..]),
            None => (item, item),
        };
        let (from, to): (i16, i16) =
            (range.0.parse().map_err(|_| wrong())?, range.1.parse().map_err(|_| wrong())?);
        if from > to {
            return Err(wrong());
        }
        for level in i32::from(from)..=i32::from(to) {
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
    }
    Ok(Levels(levels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_and_ranges() {
        let parsed = |text| levels(text).map(|Levels(levels)| levels).ok();
        assert_eq!(parsed("1,3,6-9"), Some(vec![1, 3, 6, 7, 8, 9]));
        assert_eq!(parsed("-5,-2--1,3,3"), Some(vec![-5, -2, -1, 3]));
        for text in ["", "1,", "a", "9-6", "1-2-3", "-", "99999", "é"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn a_picture_is_known_by_the_name_of_its_file() {
        assert_eq!(picture(Path::new("a/b.SVG")), Ok(Picture::Svg));
        assert_eq!(picture(Path::new("b.png")), Ok(Picture::Png));
        assert!(picture(Path::new("svg")).is_err() && picture(Path::new("b.pdf")).is_err());
    }
}
