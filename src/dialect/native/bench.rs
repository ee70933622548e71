//! The flags of `--bench`, and the request that they make.
//!
//! The doc comments of the flags are texts for users: clap makes the help and the man page from them. The native
//! dialect holds these flags among its own and calls [`BenchFlags::request`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pzcomp::Format;

use crate::request::{BenchRequest, Demand, Request, Target};
use crate::size;

const HEADING: &str = "Measuring";

/// The default levels: common levels over the whole range.
const LEVELS: [i32; 4] = [1, 3, 6, 9];
const SECONDS: f64 = 3.0;

#[derive(Debug, Default, Args)]
pub(super) struct BenchFlags {
    /// Measure formats and levels on a sample of FILE or standard input, in memory and in both directions, and
    /// recommend a format and a level. Without input, measure generated text
    #[arg(
        long, help_heading = HEADING,
        conflicts_with_all = [
            "decompress", "test", "list", "frames", "range", "index", "output", "stdout", "rm", "suffix", "long", "to", "verify", "idle"
        ]
    )]
    pub(super) bench: bool,

    /// Formats to measure, as zstd,gzip [default: the format of -F, or all formats]
    #[arg(
        long, value_name = "LIST", value_delimiter = ',', value_parser = format, requires = "bench",
        help_heading = HEADING
    )]
    bench_formats: Vec<Format>,

    /// Levels to measure, as 1,3,6-9 [default: the given level, or 1,3,6,9]. A level that a format does not have is
    /// left out for that format. Level 3 of zstd, or the only level, is measured with --long too, if the sample is all
    /// of the input and at least 16 frames long, or if its parts are as long as the window
    #[arg(
        long, value_name = "LIST", allow_hyphen_values = true, value_parser = levels, requires = "bench",
        help_heading = HEADING
    )]
    bench_levels: Option<Levels>,

    /// Seconds for each format and level: a third for each direction, and a third for the memory. What is slow is
    /// measured with a part of the sample. With 0, one pass over all of the sample is made [default: 3]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = seconds, requires = "bench", help_heading = HEADING)]
    bench_seconds: Option<f64>,

    /// Size of the sample, taken in even parts of the input. A pipe is read to its end [default: 32M for each thread,
    /// from 64M to 1G]. From 1G the parts have 128M, so that --long is measured
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = sample_len, requires = "bench", help_heading = HEADING)]
    bench_sample: Option<u64>,

    /// Recommend the format and level with the smallest output that compresses this much input per second, as 300MB/s
    /// or 10Gbit/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true, value_parser = size::parse_rate, requires = "bench", help_heading = HEADING)]
    target: Option<f64>,

    /// Recommend the fastest format and level with an output smaller than this part of the input, as 25%
    #[arg(long, value_name = "PERCENT", allow_hyphen_values = true, value_parser = size::parse_percent, requires = "bench", help_heading = HEADING)]
    max_size: Option<f64>,

    /// The value of `--json`, which is a flag of other work too.
    #[arg(skip)]
    pub(super) json: Option<PathBuf>,

    /// Write the results to FILE as comma-separated values; - is standard output
    #[arg(long, value_name = "FILE", requires = "bench", help_heading = HEADING)]
    csv: Option<PathBuf>,

    /// Draw a chart of speed and size to FILE; its name ends in .svg
    #[arg(long, value_name = "FILE", value_parser = clap::value_parser!(PathBuf), requires = "bench", help_heading = HEADING)]
    plot: Option<PathBuf>,
}

/// A list of levels, which clap treats as one value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Levels(Vec<i32>);

impl BenchFlags {
    /// Makes the request. `format` and `level` are the values of `-F` and of the level flags, if they were given.
    /// Fails if two results have the same file, or if the name of the picture has another suffix than `.svg`.
    pub(super) fn request(
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
        self.plot.as_deref().map_or(Ok(()), is_svg)?;
        let seconds = self.bench_seconds.unwrap_or(SECONDS);
        Ok(BenchRequest {
            // The results do not go beside the inputs, so files there do not matter.
            request: Request { target: Target::Stdout, ..request },
            named,
            formats,
            levels,
            time: Duration::from_secs_f64(seconds),
            sample_len: self.bench_sample,
            demand: Demand { speed: self.target, ratio: self.max_size },
            json: self.json,
            csv: self.csv,
            plot: self.plot,
        })
    }
}

impl BenchFlags {
    /// Fails if two results would have the same file.
    fn exports_differ(&self) -> Result<(), String> {
        let mut paths = [&self.json, &self.csv, &self.plot].into_iter().flatten();
        while let Some(path) = paths.next() {
            if paths.clone().any(|other| other == path) {
                return Err(format!(
                    "--json, --csv and --plot need different files, but two of them name {}",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

/// Fails if the name of the picture does not end in `.svg`.
fn is_svg(path: &Path) -> Result<(), String> {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        Some(svg) if svg == "svg" => Ok(()),
        _ => Err(format!("--plot {}: expected a name that ends in .svg", path.display())),
    }
}

fn sample_len(text: &str) -> Result<u64, String> {
    /// The whole sample is in memory, and so is its compressed form.
    const MOST: u64 = 64 << 30;
    match size::parse(text)? {
        len @ 1..=MOST => Ok(len),
        _ => Err("expected a size from 1B to 64G".into()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    /// A day. A larger number is a typing error.
    const MOST: f64 = 86_400.0;
    match text.parse() {
        Ok(seconds) if (0.0..=MOST).contains(&seconds) => Ok(seconds),
        _ => Err(format!("expected a number of seconds from 0 to {MOST}")),
    }
}

/// A format that is written and read as a stream.
fn format(name: &str) -> Result<Format, String> {
    let format = name.parse().ok().filter(|format| Format::all().any(|known| known == *format));
    let names = || Format::all().map(Format::name).collect::<Vec<_>>().join(", ");
    format.ok_or_else(|| format!("the formats are {}", names()))
}

/// Reads levels and ranges of levels, in the given order. A level that occurs again is left out.
fn levels(text: &str) -> Result<Levels, String> {
    let wrong = || format!("'{text}' is not a list of levels; expected one such as 1,3,6-9");
    let mut levels = Vec::new();
    for item in text.split(',') {
        // A minus sign at the start belongs to the number.
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
    fn plot_takes_names_in_svg_only() {
        assert_eq!(is_svg(Path::new("a/b.SVG")), Ok(()));
        assert!(is_svg(Path::new("svg")).is_err() && is_svg(Path::new("b.png")).is_err());
    }
}
