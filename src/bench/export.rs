//! Results of `--bench` for programs: JSON as docs/bench.schema.json describes it, and comma-separated values.
//!
//! Both functions take the measured points and return the bytes of the file. The columns and the names in JSON are
//! stable, because programs read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::choose::{Choice, front, picks};
use super::measure::{Direction, Pass, Point};
use super::sample::Sample;
use crate::request::Demand;

/// All results as one JSON object.
pub(super) fn json(sample: &Sample, time: Duration, demand: &Demand, points: &[Point]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let fronts = front(points, Direction::Compress).into_iter().zip(front(points, Direction::Decompress));
    let points_json: Vec<Value> =
        points.iter().zip(fronts).map(|(point, (into, out))| object(point, into, out)).collect();
    let value = json!({
        "program": "pzcomp",
        "version": env!("CARGO_PKG_VERSION"),
        "unix_time": now.as_secs(),
        "seconds_per_point": time.as_secs_f64(),
        "sample": {
            "bytes": sample.bytes.len(),
            "of_bytes": sample.of,
            "parts": sample.parts,
            "generated": sample.names.is_empty(),
            "sources": sample.names,
        },
        "points": points_json,
        "answer": answer(demand, points),
    });
    format!("{value:#}\n")
}

/// The object for one point. The flags say whether the point is on the front of compression and of decompression.
fn object(point: &Point, on_front: bool, on_front_back: bool) -> Value {
    json!({
        "format": point.format.name(),
        "level": point.level,
        "window_log": point.window_log,
        "threads": point.threads,
        "frames": point.frames,
        "plain_bytes": point.plain_len,
        "coded_bytes": point.coded_len,
        "ratio": point.ratio(),
        "compress": pass(point, Direction::Compress, on_front),
        "decompress": pass(point, Direction::Decompress, on_front_back),
    })
}

/// The object for one direction of a point.
fn pass(point: &Point, direction: Direction, on_front: bool) -> Value {
    let Pass { wall, cpu, fastest, slowest, passes, peak_memory, .. } = point.pass(direction);
    json!({
        "bytes_per_second": point.speed(direction),
        "wall_seconds": wall.as_secs_f64(),
        "fastest_seconds": fastest.as_secs_f64(),
        "slowest_seconds": slowest.as_secs_f64(),
        "passes": passes,
        "cpu_seconds": {
            "reader": cpu.reader.as_secs_f64(),
            "workers": cpu.workers.as_secs_f64(),
            "writer": cpu.writer.as_secs_f64(),
        },
        "peak_memory_bytes": peak_memory,
        "front": on_front,
    })
}

/// The recommendation: three picks, or the answer to the demand.
fn answer(demand: &Demand, points: &[Point]) -> Value {
    let name = |point: &Point| json!({ "format": point.format.name(), "level": point.level, "window_log": point.window_log });
    if *demand == Demand::default() {
        return picks(points).map_or(Value::Null, |[fast, balanced, small]| {
            json!({ "picks": { "fast": name(fast), "balanced": name(balanced), "small": name(small) } })
        });
    }
    let demand_json = json!({ "bytes_per_second": demand.speed, "ratio": demand.ratio });
    match demand.choose(points) {
        Some(Choice::Meets(point)) => json!({ "demand": demand_json, "met": true, "choice": name(point) }),
        Some(Choice::Nearest(point)) => json!({ "demand": demand_json, "met": false, "choice": name(point) }),
        None => Value::Null,
    }
}

/// A line with the names of the columns, and a line for each point.
pub(super) fn csv(points: &[Point]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fronts = front(points, Direction::Compress).into_iter().zip(front(points, Direction::Decompress));
    for (at, (point, (into, out))) in points.iter().zip(fronts).enumerate() {
        let (names, values): (Vec<String>, Vec<String>) = columns(point, into, out).into_iter().unzip();
        if at == 0 {
            writer.write_record(names)?;
        }
        writer.write_record(values)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The columns of one point: names and values.
fn columns(point: &Point, on_front: bool, on_front_back: bool) -> Vec<(String, String)> {
    let mut columns = vec![
        ("format".to_owned(), point.format.name().to_owned()),
        ("level".into(), point.level.to_string()),
        ("threads".into(), point.threads.to_string()),
        ("frames".into(), point.frames.to_string()),
        ("plain_bytes".into(), point.plain_len.to_string()),
        ("coded_bytes".into(), point.coded_len.to_string()),
        ("ratio".into(), format!("{:.6}", point.ratio())),
    ];
    for (name, direction) in [("compress", Direction::Compress), ("decompress", Direction::Decompress)] {
        let Pass { cpu, fastest, slowest, passes, peak_memory, .. } = point.pass(direction);
        let seconds = |time: Duration| format!("{:.6}", time.as_secs_f64());
        let figures = [
            ("bytes_per_second", format!("{:.0}", point.speed(direction))),
            ("fastest_seconds", seconds(*fastest)),
            ("slowest_seconds", seconds(*slowest)),
            ("passes", passes.to_string()),
            ("cpu_reader_seconds", seconds(cpu.reader)),
            ("cpu_workers_seconds", seconds(cpu.workers)),
            ("cpu_writer_seconds", seconds(cpu.writer)),
            ("peak_memory_bytes", peak_memory.map_or_else(String::new, |bytes| bytes.to_string())),
        ];
        columns.extend(figures.map(|(figure, value)| (format!("{name}_{figure}"), value)));
    }
    let marks = [(on_front, "c"), (on_front_back, "d")];
    columns.push(("front".into(), marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect()));
    let window_log = point.window_log.map_or_else(String::new, |log| log.to_string());
    columns.push(("window_log".into(), window_log));
    columns
}
