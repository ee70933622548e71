//! The option `--bench`: measures formats and levels on the data of the user.
//!
//! ```text
//! sample ─▶ measure, point by point ─▶ choose ─▶ table, advice, JSON, CSV, picture
//!              └─▶ memory: a process of its own for each point
//! ```
//!
//! [`bench`] takes the request of the dialect and returns the text for standard output. `main` calls it. A
//! *point* is one format at one level. A point that cannot be measured is reported, and the other points are measured.
//! Results never overwrite the data that is measured.

mod advice;
mod choose;
mod export;
mod measure;
mod memory;
mod picture;
mod sample;
mod table;
mod text;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pzcomp::{Format, Layout};
use system::facts::Facts;

use super::dialect::native::LONG;
use super::error::{CliError, Kind};
use super::pending::PendingFiles;
use super::report::{Report, print_line};
use super::request::{BenchRequest, Options, Request, Source, Task};
use super::source::is_same_file;
use super::target::Destination;
use measure::{Direction, Point};
use sample::Sample;

/// Measures, writes the files with results, and returns the text for standard output.
pub(super) fn bench(request: &BenchRequest, report: &mut Report) -> String {
    match try_bench(request, report) {
        Ok(text) => text,
        Err(failure) => {
            failure.report("bench", report);
            String::new()
        }
    }
}

/// A measurement of so many seconds is not silent.
const SILENCE_MAX: f64 = 3.0;

fn try_bench(request: &BenchRequest, report: &mut Report) -> Result<String, CliError> {
    let plan = plan(request)?;
    let exports = Exports::open(request, report)?;
    let progress = progress(request, plan.len() as u64);
    let Some(sample) = sample(request, report, &progress)? else { return Ok(String::new()) };
    let threads = request.request.options.worker_count();
    let seconds = request.time.as_secs_f64();
    let threads = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
    let head = format!("Sample: {}. {threads}, {seconds} s for each point.\n", sample.description());
    let candidates = candidates(request, &plan, &sample);
    progress.set_length(candidates.len() as u64);
    let estimate = seconds * candidates.len() as f64;
    let begun = format!("{head}{} points take about {estimate:.0} s.", candidates.len());
    progress.println(&begun);
    // Without a terminal nothing else shows that the measurement runs.
    if progress.is_hidden() && estimate >= SILENCE_MAX && !request.request.reporting.verbosity.quiet {
        print_line(format_args!("pzcomp: bench: {}", begun.replace('\n', " ")));
    }
    let points = points(request, &candidates, &sample, report, &progress);
    progress.finish_and_clear();
    if points.is_empty() {
        return Ok(String::new());
    }
    let (advice, met) = advice::advice(&request.demand, &points);
    if !met {
        report.warning("bench", "no measured format and level meets the demand");
    }
    let printed = exports.write(request, &sample, &head, &points, report);
    let drawn = match std::io::stdout().is_terminal() {
        true => format!("\n{}", picture::terminal(&points, request.demand)),
        false => String::new(),
    };
    Ok(printed.unwrap_or_else(|| format!("{head}\n{}{drawn}\n{advice}", table::table(&points))))
}

/// Every format with each of its levels, in the order of the request. Fails if there is none.
fn plan(request: &BenchRequest) -> Result<Vec<(Format, i32)>, CliError> {
    let has = |format: Format, level: i32| {
        format.levels().contains(&level)
            || format.fast_levels().is_some_and(|fast| fast.contains(&level.saturating_neg()))
    };
    let pairs =
        request.formats.iter().flat_map(|&format| request.levels.iter().map(move |&level| (format, level)));
    let plan: Vec<_> = pairs.filter(|&(format, level)| has(format, level)).collect();
    if plan.is_empty() {
        let levels: Vec<_> = request.levels.iter().map(i32::to_string).collect();
        let what = format!(
            "none of the formats has level {}; pzcomp(1) lists levels under FORMATS",
            levels.join(" or ")
        );
        return Err(Kind::Usage(what).into());
    }
    Ok(plan)
}

/// The options of each point. Behind the default level of zstd, or the only level, comes the same level with a long
/// window, if the sample shows what that gains and if the options leave the frames to it.
fn candidates(request: &BenchRequest, plan: &[(Format, i32)], sample: &Sample) -> Vec<Options> {
    let given = &request.request.options;
    let mut candidates = Vec::new();
    for &(format, level) in plan {
        let usual = Options { format, level: Some(level), ..given.clone() };
        let long = Options { window_log: Some(LONG), ..usual.clone() };
        let is_wanted = format == Format::Zstd
            && (level == format.default_level() || request.levels.len() == 1)
            && (usual.block_size.is_none() && usual.layout == Layout::Frames);
        let is_shown = || {
            // An error of the usual options is reported when they are measured. With a long window, -M may be too
            // little.
            let (usual, long) = (
                usual.encode().ok()?.compression_needs().ok()?,
                long.encode().ok()?.compression_needs().ok()?,
            );
            Some(sample.shows_window(long.frame_len as usize, usual.frame_len as usize))
        };
        let is_measured = is_wanted && is_shown().unwrap_or(false);
        candidates.push(usual);
        candidates.extend(is_measured.then_some(long));
    }
    candidates
}

/// A progress line, if standard error is a terminal.
fn progress(request: &BenchRequest, points: u64) -> ProgressBar {
    let target = if request.request.reporting.verbosity.quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let progress = ProgressBar::with_draw_target(Some(points), target);
    // The template is constant. If it were wrong, the line would only look different.
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len}  {elapsed}  {msg}") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(250));
    progress
}

/// Takes the sample. Without input it is generated.
fn sample(
    request: &BenchRequest,
    report: &mut Report,
    progress: &ProgressBar,
) -> Result<Option<Sample>, CliError> {
    let threads = request.request.options.worker_count() as u64;
    let limit = request.sample_len.unwrap_or((threads * (32 << 20)).clamp(64 << 20, 1 << 30));
    if !request.named && !sample::stdin_has_data(&request.request) {
        return Ok(Some(Sample::generated(limit)));
    }
    Sample::take(&request.request, limit, report, progress)
}

/// Measures point by point. A point that fails is reported and left out.
fn points(
    request: &BenchRequest,
    candidates: &[Options],
    sample: &Sample,
    report: &mut Report,
    progress: &ProgressBar,
) -> Vec<Point> {
    let threads = request.request.options.threads;
    let (mut points, mut whole) = (Vec::new(), None);
    for options in candidates {
        let level = options.level.unwrap_or(options.format.default_level());
        let long = if options.window_log.is_some() { " long" } else { "" };
        let name = format!("{} {level}{long}", options.format);
        let mut watch = |direction| {
            let what = match direction {
                Direction::Compress => "compressing",
                Direction::Decompress => "decompressing",
            };
            progress.set_message(format!("{name}: {what}"));
            Ok(())
        };
        // A pass in each direction, and one of each for the memory, end within the time.
        let time = request.time / 3;
        let mut part = Cow::Borrowed(&sample.bytes[..]);
        let measured = fitting(sample, options, time, &mut watch).and_then(|fitting| {
            part = fitting;
            let mut point = measure::measure(&part, options, time, &mut watch)?;
            if part.len() < sample.bytes.len() {
                let of_whole = match whole {
                    Some(ratio) => ratio,
                    None => *whole.insert(measure::fast_ratio(&sample.bytes, threads)?),
                };
                point.scale = Some(of_whole / measure::fast_ratio(&part, threads)?);
            }
            Ok(point)
        });
        match measured {
            Ok(mut point) => {
                progress.set_message(format!("{name}: memory"));
                memory::measure(&mut point, &part, options);
                progress.println(table::line(&point));
                points.push(point);
            }
            Err(error) => progress.suspend(|| report.error(&name, error)),
        }
        progress.inc(1);
    }
    points
}

/// As much of the sample as is compressed and decompressed in this time. Short parts show how much that is. All of it
/// if there is no time at all.
fn fitting<'s>(
    sample: &'s Sample,
    options: &Options,
    time: Duration,
    watch: &mut dyn FnMut(Direction) -> pzcomp::Result<()>,
) -> pzcomp::Result<Cow<'s, [u8]>> {
    const FIRST: usize = 256 << 10;
    /// A part shows the speed of one that is at most so many times as long.
    const GROWTH: usize = 4;
    let (mut len, all) = (FIRST, sample.bytes.len());
    while len < all && !time.is_zero() {
        let part = sample.part(len);
        let point = measure::measure(&part, options, Duration::ZERO, watch)?;
        let taken = point.compress.wall.max(point.decompress.wall);
        let longest = (len as f64 * time.as_secs_f64() / taken.as_secs_f64().max(1e-9)) as usize;
        match longest {
            _ if longest >= all => break,
            _ if longest <= len * GROWTH => return Ok(sample.part(longest.max(FIRST))),
            _ => len *= GROWTH,
        }
    }
    Ok(Cow::Borrowed(&sample.bytes))
}

/// The files for results. They are opened before the measurement, so that a wrong name is reported at once and not
/// after minutes. As all output files, they get their names when they are complete.
struct Exports {
    json: Option<Export>,
    csv: Option<Export>,
    plot: Option<Export>,
    _pending_files: PendingFiles,
}

enum Export {
    Stdout,
    File(Destination),
}

impl Exports {
    fn open(bench: &BenchRequest, report: &Report) -> Result<Self, CliError> {
        let pending_files = PendingFiles::default();
        // Results are no compressed data, so they can go to a terminal.
        let request = Request { task: Task::Test, ..bench.request.clone() };
        let open = |path: Option<&PathBuf>| {
            path.map(|path| match path.as_os_str() == "-" {
                true => Ok(Export::Stdout),
                false => {
                    refuse_input(path, &request)?;
                    Destination::named(path, None, &request, report, &pending_files).map(Export::File)
                }
            })
            .transpose()
        };
        let (json, csv, plot) =
            (open(bench.json.as_ref())?, open(bench.csv.as_ref())?, open(bench.plot.as_ref())?);
        Ok(Self { json, csv, plot, _pending_files: pending_files })
    }

    /// Writes the files. Returns the result that goes to standard output in place of the table, if there is one. If
    /// one file cannot be written, that is reported and the others are written.
    fn write(
        self,
        request: &BenchRequest,
        sample: &Sample,
        head: &str,
        points: &[Point],
        report: &mut Report,
    ) -> Option<String> {
        let mut printed = None;
        let mut write = |export: Option<Export>, made: &dyn Fn() -> Result<Vec<u8>, CliError>| {
            let Some(export) = export else { return };
            let written = made().and_then(|bytes| export.write(bytes, &mut printed));
            if let Err(failure) = written {
                failure.report("bench", report);
            }
        };
        write(self.json, &|| Ok(export::json(sample, request.time, &request.demand, points).into_bytes()));
        write(self.csv, &|| {
            export::csv(points).map_err(|error| failed("make comma-separated values", &error))
        });
        write(self.plot, &|| {
            let drawn = picture::svg(points, request.demand, head.trim_end());
            drawn.map(String::into_bytes).ok_or_else(|| failed("draw the picture", &"no point took any time"))
        });
        printed
    }
}

/// Fails if a result would overwrite an input.
fn refuse_input(path: &Path, request: &Request) -> Result<(), CliError> {
    let Ok(there) = Facts::at(path) else { return Ok(()) };
    let is_it = |source: &Source| match source {
        Source::Path(input) => Facts::at(input).is_ok_and(|input| is_same_file(&input, &there)),
        Source::Stdin | Source::Command(_) => false,
    };
    match request.sources.iter().any(is_it) {
        true => Err(CliError::from(Kind::SameFile).about(path.display())),
        false => Ok(()),
    }
}

impl Export {
    fn write(self, bytes: Vec<u8>, printed: &mut Option<String>) -> Result<(), CliError> {
        match self {
            Self::Stdout => *printed = Some(String::from_utf8_lossy(&bytes).into_owned()),
            Self::File(destination) => {
                destination.hold("write", &bytes, false)?;
            }
        }
        Ok(())
    }
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> CliError {
    Kind::Failed(format!("cannot {what}: {error}")).into()
}
