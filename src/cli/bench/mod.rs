//! `--bench`: formats and levels measured on the user's own data.
//!
//! ```text
//! sample ─▶ the library's measure, point by point ─▶ table, advice, JSON, CSV, picture
//!                      └─▶ memory: a process of its own for each point
//! ```

mod advice;
mod export;
mod flags;
mod memory;
mod sample;
mod table;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pzcomp::bench::{Direction, Point, chart};
use pzcomp::{Format, Options};

pub(super) use flags::{BenchFlags, BenchRequest};

use super::report::Report;
use super::trouble::{Kind, Trouble};
use flags::Picture;
use sample::Sample;

/// Measures what is asked for. What is to be printed on standard output.
pub(super) fn bench(request: &BenchRequest, report: &mut Report) -> String {
    match try_bench(request, report) {
        Ok(text) => text,
        Err(trouble) => {
            trouble.tell("bench", report);
            String::new()
        }
    }
}

fn try_bench(request: &BenchRequest, report: &mut Report) -> Result<String, Trouble> {
    let plan = plan(request)?;
    let exports = Exports::open(request)?;
    let progress = progress(request, plan.len() as u64);
    let sample = sample(request, report, &progress)?;
    let threads = request.request.options.worker_count();
    let seconds = request.time.as_secs_f64();
    let head = format!("Sample: {}. {threads} threads, {seconds} s for each point.\n", sample.description());
    progress.println(head.trim_end());
    let points = points(request, &plan, &sample, report, &progress);
    progress.finish_and_clear();
    if points.is_empty() {
        return Ok(String::new());
    }
    let (advice, met) = advice::advice(&request.demand, &points);
    if !met {
        report.warning("bench", "nothing measured meets the demand");
    }
    let printed = exports.write(request, &sample, &head, &points)?;
    Ok(printed.unwrap_or_else(|| format!("{head}\n{}\n{advice}", table::table(&points))))
}

/// Every format at every level that it has, in the order asked for.
fn plan(request: &BenchRequest) -> Result<Vec<(Format, i32)>, Trouble> {
    let has = |format: Format, level: i32| {
        format.levels().contains(&level)
            || format.fast_levels().is_some_and(|fast| fast.contains(&level.saturating_neg()))
    };
    let pairs =
        request.formats.iter().flat_map(|&format| request.levels.iter().map(move |&level| (format, level)));
    let plan: Vec<_> = pairs.filter(|&(format, level)| has(format, level)).collect();
    if plan.is_empty() {
        let levels: Vec<_> = request.levels.iter().map(i32::to_string).collect();
        let what = format!("none of the formats has level {}; see FORMATS in pzcomp(1)", levels.join(" or "));
        return Err(Kind::Usage(what).into());
    }
    Ok(plan)
}

/// A line on a terminal, and nothing anywhere else.
fn progress(request: &BenchRequest, points: u64) -> ProgressBar {
    let target =
        if request.request.voice.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let progress = ProgressBar::with_draw_target(Some(points), target);
    // The template is ours; were it wrong, the bar would only look different.
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len}  {elapsed}  {msg}") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(250));
    progress
}

fn sample(request: &BenchRequest, report: &mut Report, progress: &ProgressBar) -> Result<Sample, Trouble> {
    let threads = request.request.options.worker_count() as u64;
    let limit = request.sample_len.unwrap_or((threads * (32 << 20)).clamp(64 << 20, 1 << 30));
    if !request.named && !sample::stdin_has_data(&request.request) {
        return Ok(Sample::generated(limit));
    }
    Sample::take(&request.request, limit, report, progress)
}

/// Measures point by point. What cannot be measured is reported and left out.
fn points(
    request: &BenchRequest,
    plan: &[(Format, i32)],
    sample: &Sample,
    report: &mut Report,
    progress: &ProgressBar,
) -> Vec<Point> {
    let mut points = Vec::new();
    for &(format, level) in plan {
        let options = Options { format, level: Some(level), ..request.request.options.clone() };
        let mut watch = |direction| {
            let what = match direction {
                Direction::Compress => "compressing",
                Direction::Decompress => "decompressing",
            };
            progress.set_message(format!("{format} {level}: {what}"));
            Ok(())
        };
        match pzcomp::bench::measure(&sample.bytes, &options, request.time / 2, &mut watch) {
            Ok(mut point) => {
                progress.set_message(format!("{format} {level}: memory"));
                memory::measure(&mut point, &sample.bytes, &options);
                progress.println(table::line(&point));
                points.push(point);
            }
            Err(error) => progress.suspend(|| report.error(format_args!("{format} {level}"), error)),
        }
        progress.inc(1);
    }
    points
}

/// The files that results go to, opened before minutes are spent on making them.
struct Exports {
    json: Option<Export>,
    csv: Option<Export>,
    plot: Option<Export>,
}

enum Export {
    Stdout,
    File(File, PathBuf),
}

impl Exports {
    fn open(request: &BenchRequest) -> Result<Self, Trouble> {
        let open = |path: Option<&PathBuf>| path.map(|path| Export::open(path)).transpose();
        let plot = request.plot.as_ref().map(|(path, _)| path);
        Ok(Self { json: open(request.json.as_ref())?, csv: open(request.csv.as_ref())?, plot: open(plot)? })
    }

    /// Writes the files; what goes to standard output in place of the table is returned.
    fn write(
        self,
        request: &BenchRequest,
        sample: &Sample,
        head: &str,
        points: &[Point],
    ) -> Result<Option<String>, Trouble> {
        let mut printed = None;
        if let Some(export) = self.json {
            let json = export::json(sample, request.time, &request.demand, points);
            export.write(json.as_bytes(), &mut printed)?;
        }
        if let Some(export) = self.csv {
            let csv = export::csv(points).map_err(|error| cannot("make comma-separated values", error))?;
            export.write(&csv, &mut printed)?;
        }
        if let (Some(export), Some((_, picture))) = (self.plot, &request.plot) {
            let mut chart = chart::Chart::of_points(points, request.demand);
            chart.footer = head.trim_end().to_owned();
            let drawn = match picture {
                Picture::Svg => chart.svg().map(String::into_bytes),
                Picture::Png => chart.png(),
            };
            export.write(&drawn.map_err(|error| cannot("draw the picture", error))?, &mut printed)?;
        }
        Ok(printed)
    }
}

impl Export {
    fn open(path: &Path) -> Result<Self, Trouble> {
        if path.as_os_str() == "-" {
            return Ok(Self::Stdout);
        }
        // What is there stays until there is something better.
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| cannot("open", error).about(path.display()))?;
        Ok(Self::File(file, path.to_owned()))
    }

    fn write(self, bytes: &[u8], printed: &mut Option<String>) -> Result<(), Trouble> {
        match self {
            Self::Stdout => {
                printed.get_or_insert_default().push_str(&String::from_utf8_lossy(bytes));
                Ok(())
            }
            Self::File(mut file, path) => {
                // A pipe or device has no length to set.
                let _ = file.set_len(0);
                file.write_all(bytes).map_err(|error| cannot("write", error).about(path.display()))
            }
        }
    }
}

fn cannot(what: &str, error: impl std::fmt::Display) -> Trouble {
    Kind::Failed(format!("cannot {what}: {error}")).into()
}
