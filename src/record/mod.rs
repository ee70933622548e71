//! The record of a run, for programs: `--json FILE`. docs/json.md describes it.
//!
//! The report opens a [`Record`] before the work, so that a name that cannot be written is an error before anything is
//! read. It adds each stream, listing, warning and error, and writes the record when the exit status is known. The
//! names in JSON are stable, because programs read them.

mod streams;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pzcomp::inspect::{List, Listing};
use pzcomp::recovery::{Brief, Protected};
use pzcomp::salvage::SalvageReport;
use pzcomp::tar::Member;
use pzcomp::{ArchiveEntry, CpuTimes, Progress, Stage, Summary, Trailing, Waits};
use serde_json::{Map, Value, json};

use super::error::{CliError, Kind};
use super::hash::HashKind;
use super::request::{Mode, Options, Request, Target as Named};
use super::tool::{Done, Name, Ratio, Status, formats};
use streams::Streams;
use system::cpu;
use system::streams::settle;

/// How a record begins. A file that begins like this may be replaced by another record.
const BEGINNING: &str = "{\"schema\":\"pzcomp-record-1\",";

/// What is known of a run so far.
pub(super) struct Record {
    target: Target,
    program: &'static str,
    mode: Mode,
    /// The name of the work. `None` if the command line was refused.
    work: Option<&'static str>,
    begun: Instant,
    begun_at: SystemTime,
    streams: Streams,
    sums: Sums,
    warnings: Vec<String>,
    errors: Vec<String>,
}

/// Where the record goes.
enum Target {
    /// An open file, and its name in messages.
    File(File, PathBuf),
    Stderr,
}

/// What all streams have together.
#[derive(Default)]
struct Sums {
    plain_len: u64,
    coded_len: u64,
    frames: u64,
    threads: usize,
    cpu: CpuTimes,
    waits: Waits,
}

impl Record {
    /// Opens the file of the record, if the request asks for one. A file that is there is emptied; it must be an
    /// earlier record, or empty, unless `force` is set.
    pub(super) fn open(called: &'static Name, request: &Request) -> Result<Option<Self>, CliError> {
        let Some(path) = &request.reporting.record else { return Ok(None) };
        let target = match path.as_os_str() == "-" {
            true => Target::Stderr,
            false => Target::File(open(path, request.rules.force)?, path.clone()),
        };
        let work = Some(request.task.name());
        Ok(Some(Self { mode: request.mode(), work, ..Self::new(called, target) }))
    }

    fn new(called: &'static Name, target: Target) -> Self {
        Self {
            target,
            program: called.name,
            mode: Mode::Compress,
            work: None,
            begun: Instant::now(),
            begun_at: SystemTime::now(),
            streams: Streams::default(),
            sums: Sums::default(),
            warnings: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Replaces the earlier record of a command line that is refused with this message, so that nobody takes it for one
    /// of this run.
    pub(super) fn refused(
        called: &'static Name,
        path: PathBuf,
        code: u8,
        message: &str,
    ) -> Result<(), CliError> {
        if !path.metadata().is_ok_and(|there| there.is_file()) {
            return Ok(());
        }
        let mut record = Self::new(called, Target::File(open(&path, false)?, path));
        record.message(Status::Error, message.to_owned());
        record.write(code, None)
    }

    /// Adds a message to the warnings or errors.
    pub(super) fn message(&mut self, status: Status, text: String) {
        match status {
            Status::Fine => {}
            Status::Warning => self.warnings.push(text),
            Status::Error => self.errors.push(text),
        }
    }

    /// Adds a stream that is finished.
    pub(super) fn done(&mut self, done: &Done) {
        let Done { name, request, summary, made, digests, salvaged, read_len, .. } = *done;
        let sums = &mut self.sums;
        sums.plain_len += summary.plain_len;
        sums.coded_len += summary.coded_len;
        sums.frames += summary.frames;
        sums.threads = sums.threads.max(summary.threads);
        add_cpu(&mut sums.cpu, &summary.cpu);
        add_waits(&mut sums.waits, &summary.waits);
        let is_compression = self.mode.writes_coded();
        let levels = is_compression.then(|| levels(request, summary));
        let is_whole = salvaged.is_none_or(SalvageReport::is_whole);
        let check = if is_compression { written_check(request) } else { summary.check };
        let is_verified = match is_compression {
            true => request.verify,
            false => is_whole && check.is_some() && !summary.unverified,
        };
        self.streams.push(&json!({
            "name": name,
            "output": output_of(request, made),
            "ok": true,
            "format": format_of(summary),
            "levels": levels,
            "plain_bytes": summary.plain_len,
            "coded_bytes": summary.coded_len,
            "ratio": ratio(summary.plain_len, summary.coded_len),
            "recoded_bytes": read_len,
            "frames": summary.frames,
            "threads": summary.threads,
            "wall_seconds": summary.wall.as_secs_f64(),
            "cpu_seconds": cpu(&summary.cpu),
            "waits": waits(&summary.waits),
            "bottleneck": bottleneck(&summary.waits),
            "check": { "name": check, "verified": is_verified },
            "hashes": digests.map(|digests| json!({ "plain": hashes(&digests.plain), "coded": hashes(&digests.coded) })),
            "salvage": salvaged.map(salvage),
            "trailing": trailing(summary.trailing),
            "remarks": summary.remarks,
        }));
    }

    /// Adds a stream that failed, and how far it came.
    pub(super) fn failed(&mut self, name: &str, progress: &Progress) {
        let is_compression = self.mode.writes_coded();
        let (read, written) = (progress.bytes_done(), progress.bytes_out());
        let (plain_len, coded_len) = if is_compression { (read, written) } else { (written, read) };
        let times = progress.waits();
        self.sums.plain_len += plain_len;
        self.sums.coded_len += coded_len;
        add_waits(&mut self.sums.waits, &times);
        self.streams.push(&json!({
            "name": name,
            "ok": false,
            "plain_bytes": plain_len,
            "coded_bytes": coded_len,
            "waits": waits(&times),
            "bottleneck": bottleneck(&times),
        }));
    }

    /// Adds an input that was listed.
    pub(super) fn listed(&mut self, name: &str, listing: &Listing, records: &Brief) {
        let (plain_len, frames) = (listing.plain_len, listing.frames);
        self.sums.plain_len += plain_len.unwrap_or_default();
        self.sums.coded_len += listing.coded_len;
        self.sums.frames += frames.unwrap_or_default();
        let names = formats(listing);
        let mut stream = json!({
            "name": name,
            "ok": true,
            "format": names.first(),
            "formats": names,
            "plain_bytes": plain_len,
            "coded_bytes": listing.coded_len,
            "ratio": plain_len.and_then(|plain_len| ratio(plain_len, listing.coded_len)),
            "frames": frames,
            "check": { "name": Some(listing.check).filter(|&check| check != "-"), "verified": false },
            "indexed": listing.is_indexed,
            "modified_unix": listing.modified,
            "trailing": trailing(listing.trailing),
        });
        if records.groups > 0 {
            stream["recovery"] = json!({
                "groups": records.groups,
                "shards": records.shards,
                "parity": records.parity,
                "covered_bytes": records.covered_len,
                "record_bytes": records.records_len,
            });
        }
        if !listing.entries.is_empty() {
            let file = |entry: &ArchiveEntry| json!({ "name": entry.name, "coded_bytes": entry.coded_len, "plain_bytes": entry.plain_len });
            stream["files"] = listing.entries.iter().map(file).collect();
        }
        self.streams.push(&stream);
    }

    /// Adds an input for which recovery records were written to this file.
    pub(super) fn protected(&mut self, name: &str, done: &Protected, output: &str) {
        self.sums.coded_len += done.len;
        self.streams.push(&json!({
            "name": name,
            "output": output,
            "ok": true,
            "coded_bytes": done.len,
            "recovery": {
                "groups": done.groups,
                "shards": done.shards,
                "parity": done.parity,
                "record_bytes": done.records_len,
            },
        }));
    }

    /// Adds an input with recovery records, and the new file if one was made.
    pub(super) fn mended(&mut self, name: &str, found: &pzcomp::recovery::Report, made: Option<&str>) {
        self.sums.coded_len += found.source_len;
        let mended = made.is_some();
        let groups = found.damaged.iter().map(|group| {
            json!({
                "offset": group.offset,
                "bytes": group.len,
                "shards": group.shards,
                "damaged": group.damaged,
                "parity": group.parity,
                "intact_parity": group.intact_parity,
                "lacking": group.lacking,
            })
        });
        self.streams.push(&json!({
            "name": name,
            "output": made,
            "ok": found.is_intact() || mended,
            "coded_bytes": found.source_len,
            "recovery": {
                "mendable": found.is_mendable(),
                "mended": mended,
                "shards": found.shards,
                "parity": found.parity,
                "damaged_shards": found.damaged_shards,
                "moved_shards": found.moved_shards,
                "damaged_records": found.damaged_records,
                "lost_groups": found.lost_groups,
                "groups": groups.collect::<Vec<_>>(),
                "gaps": found.gaps,
            },
        }));
    }

    /// Adds an input whose members are listed from now on. `is_listed` says whether a list in the file has them.
    pub(super) fn begin_members(&mut self, name: &str, is_listed: bool) {
        self.streams.begin_members(name, is_listed);
    }

    /// Adds the next member of this input.
    pub(super) fn member(&mut self, member: &Member) {
        self.streams.member(member);
    }

    /// The members of this input are complete, or an error ended them.
    pub(super) fn end_members(&mut self, ok: bool) {
        self.streams.end_members(ok);
    }

    /// Writes the record of a run that ends with this exit status.
    /// `peak_memory` is that of this process.
    pub(super) fn write(mut self, code: u8, peak_memory: Option<u64>) -> Result<(), CliError> {
        let (text, streams) = (self.text(code, peak_memory), std::mem::take(&mut self.streams));
        let write = |out: &mut dyn Write| {
            out.write_all(BEGINNING.as_bytes())?;
            streams.write_to(out)?;
            out.write_all(text.as_bytes())
        };
        let (wrote, name) = match self.target {
            Target::Stderr => {
                let mut stderr = io::stderr();
                (write(&mut stderr).and_then(|()| settle(&stderr)), "stderr".into())
            }
            Target::File(mut file, path) => {
                (write(&mut file).and_then(|()| settle(&file)), path.display().to_string())
            }
        };
        wrote.map_err(|error| CliError::cannot("write the record")(error).about(name))
    }

    /// What follows the streams in the record, which is one line.
    fn text(&self, code: u8, peak_memory: Option<u64>) -> String {
        let Sums { plain_len, coded_len, frames, threads, cpu: cpu_times, waits: times } = &self.sums;
        let begun = self.begun_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let value = json!({
            "program": self.program,
            "version": env!("CARGO_PKG_VERSION"),
            "mode": self.work,
            "status": code,
            "started_unix": begun.as_secs_f64(),
            "wall_seconds": self.begun.elapsed().as_secs_f64(),
            "plain_bytes": plain_len,
            "coded_bytes": coded_len,
            "ratio": ratio(*plain_len, *coded_len),
            "frames": frames,
            "threads": threads,
            "cpu_seconds": cpu(cpu_times),
            "process_cpu_seconds": cpu::of_process().as_secs_f64(),
            "waits": waits(times),
            "bottleneck": bottleneck(times),
            "peak_memory_bytes": peak_memory,
            "warnings": self.warnings,
            "errors": self.errors,
        });
        let rest = value.to_string();
        format!(",{}\n", &rest[1..])
    }
}

/// The file of the record that these arguments of pzcomp name, which may be wrong.
pub(super) fn named(args: &[OsString]) -> Option<PathBuf> {
    let options = args.split(|arg| arg == "--").next().unwrap_or_default();
    let value = |(at, option): (usize, &OsString)| match option.to_str()?.strip_prefix("--json")? {
        "" => options.get(at + 1).map(PathBuf::from),
        value => value.strip_prefix('=').map(PathBuf::from),
    };
    options.iter().enumerate().filter_map(value).next_back().filter(|path| path.as_os_str() != "-")
}

/// Opens and empties the file of a record.
fn open(path: &Path, force: bool) -> Result<File, CliError> {
    let cannot = |error| CliError::cannot("open")(error).about(path.display());
    let is_file = path.metadata().is_ok_and(|there| there.is_file());
    if !is_file {
        return File::options().write(true).create(true).truncate(false).open(path).map_err(cannot);
    }
    let mut file = File::options().read(true).write(true).open(path).map_err(cannot)?;
    let mut beginning = Vec::new();
    (&file).take(BEGINNING.len() as u64).read_to_end(&mut beginning).map_err(cannot)?;
    if !force && !beginning.is_empty() && beginning != BEGINNING.as_bytes() {
        let what =
            "exists and is not a record of pzcomp; name another file with --json, or use -f to overwrite it";
        return Err(CliError::from(Kind::Failed(what.into())).about(path.display()));
    }
    file.rewind().and_then(|()| file.set_len(0)).map_err(cannot)?;
    Ok(file)
}

/// The file that has the output of a stream.
fn output_of(request: &Request, made: Option<&Path>) -> Option<String> {
    let named = match &request.target {
        Named::File(path) if request.mode() != Mode::Test => Some(path.as_path()),
        _ => None,
    };
    made.or(named).map(|made| made.display().to_string())
}

/// The levels that were used, each once.
fn levels(request: &Request, summary: &Summary) -> Vec<i32> {
    if summary.levels.is_empty() {
        return vec![request.options.level.unwrap_or(request.options.format.default_level())];
    }
    summary.levels.iter().map(|share| share.level).collect()
}

/// What was kept and lost of a damaged input. Ranges of bytes have their start and their end.
fn salvage(report: &SalvageReport) -> Value {
    let lost = report.lost.iter().map(|lost| {
        json!({
            "coded": [lost.coded.start, lost.coded.end],
            "plain_bytes": lost.plain_len,
            "plain_offset": lost.plain_offset,
            "output_offset": lost.output_offset,
            "filled_bytes": lost.filled,
            "why": lost.why,
            "memory_needed": lost.memory_needed.map(|needed| needed.0),
        })
    });
    let unverified = report.unverified.iter().map(|range| {
        json!({
            "coded": [range.coded.start, range.coded.end],
            "output": [range.output.start, range.output.end],
            "why": range.why,
        })
    });
    let untried = report.untried.iter().map(|coded| [coded.start, coded.end]);
    json!({
        "kept_bytes": report.kept_len(),
        "lost_bytes": report.lost_len(),
        "unverified_bytes": report.unverified_len(),
        "filled_bytes": report.filled_len(),
        "lost": lost.collect::<Vec<_>>(),
        "unverified": unverified.collect::<Vec<_>>(),
        "untried": untried.collect::<Vec<_>>(),
    })
}

/// The name of the check in the output of this request.
fn written_check(request: &Request) -> Option<&'static str> {
    // What is written for no data has the same check as what is written for any data.
    let options = Options { plain_len: None, ..request.options.clone() };
    let coded = pzcomp::compress(b"", &options.encode().ok()?).ok()?;
    let listing = List::default().decode(true).run(pzcomp::Input::Memory(&coded)).ok()?;
    Some(listing.check).filter(|&check| check != "-")
}

/// The name of the format. The library has none for 7z archives, which have an index, and for xbstreams.
fn format_of(summary: &Summary) -> Option<&'static str> {
    let of_files =
        (!summary.entries.is_empty()).then_some(if summary.ends_indexed { "7z" } else { "xbstream" });
    summary.format.map(|format| format.name()).or(of_files)
}

fn add_cpu(sum: &mut CpuTimes, times: &CpuTimes) {
    sum.reader += times.reader;
    sum.workers += times.workers;
    sum.writer += times.writer;
    sum.taps += times.taps;
}

fn add_waits(sum: &mut Waits, times: &Waits) {
    sum.for_source += times.for_source;
    sum.for_workers += times.for_workers;
    sum.for_sink += times.for_sink;
    sum.source_idle += times.source_idle;
    sum.workers_idle += times.workers_idle;
    sum.sink_idle += times.sink_idle;
}

fn seconds(named: &[(&str, Duration)]) -> Value {
    let fields = named.iter().map(|(name, time)| ((*name).to_owned(), json!(time.as_secs_f64())));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn cpu(times: &CpuTimes) -> Value {
    seconds(&[
        ("reader", times.reader),
        ("workers", times.workers),
        ("writer", times.writer),
        ("hashes", times.taps),
    ])
}

fn waits(times: &Waits) -> Value {
    seconds(&[
        ("for_source_seconds", times.for_source),
        ("for_workers_seconds", times.for_workers),
        ("for_sink_seconds", times.for_sink),
        ("source_idle_seconds", times.source_idle),
        ("workers_idle_seconds", times.workers_idle),
        ("sink_idle_seconds", times.sink_idle),
    ])
}

fn bottleneck(times: &Waits) -> Option<&'static str> {
    times.bottleneck().map(|stage| match stage {
        Stage::Source => "source",
        Stage::Workers => "workers",
        Stage::Sink => "sink",
    })
}

fn hashes(hashes: &[(HashKind, String)]) -> Value {
    let fields = hashes.iter().map(|(kind, digits)| (kind.name().to_owned(), json!(digits)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn ratio(plain_len: u64, coded_len: u64) -> Option<f64> {
    Ratio { coded_len, plain_len }.value()
}

fn trailing(trailing: Trailing) -> Value {
    json!({ "zero_bytes": trailing.zeros, "garbage_offset": trailing.garbage })
}
