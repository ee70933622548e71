//! The table of `--bench` for people.
//!
//! [`table`] takes the measured points and returns the table with its legend. [`line`] also serves as progress output
//! while points are measured.

use super::choose::front;
use super::measure::{Direction, Point};
use std::fmt::Write;

/// The names of the columns, aligned with [`line`].
const HEAD: &str = "\
format    level  size %  c MB/s d MB/s   CPU s/GB c/d  peak MiB c/d  front
";

const LEGEND: &str = "\
c is compression, d is decompression. MB/s are 10^6 bytes of plain data per
second. A point is on the front if no other point is both faster in that
direction and smaller.
";

/// The points with head and legend. The point that compresses fastest comes first.
pub(super) fn table(points: &[Point]) -> String {
    let mut rows: Vec<_> = points
        .iter()
        .zip(front(points, Direction::Compress))
        .zip(front(points, Direction::Decompress))
        .map(|((point, compress), decompress)| (point, compress, decompress))
        .collect();
    let speed = |point: &Point| point.speed(Direction::Compress);
    rows.sort_by(|(one, ..), (other, ..)| speed(other).total_cmp(&speed(one)));
    let mut table = HEAD.to_owned();
    for (point, compress, decompress) in rows {
        let mark = |on, letter| if on { letter } else { '-' };
        let (c, d) = (mark(compress, 'c'), mark(decompress, 'd'));
        // Writing to memory does not fail.
        let _ = writeln!(table, "{}   {c} {d}", line(point));
    }
    table.push('\n');
    table.push_str(LEGEND);
    let is_marked = |mark| points.iter().any(|point| self::mark(point) == mark);
    if is_marked('~') {
        table.push_str(
            "~: the sample has too few frames to occupy all threads; use a larger\n--bench-sample.\n",
        );
    }
    if is_marked('*') {
        table.push_str(
            "*: measured with a part of the sample, because more would take longer than\n\
            --bench-seconds. The size is an estimate for all of it. All of it may become\n\
            smaller, take more memory and be faster.\n",
        );
    }
    table
}

/// Why the figures of a point may be worse than those of more data, as a sign.
fn mark(point: &Point) -> char {
    match point.scale.is_some() {
        true => '*',
        false if leaves_threads_idle(point) => '~',
        false => ' ',
    }
}

/// The line of one point.
pub(super) fn line(point: &Point) -> String {
    let speed = |direction| point.speed(direction) / 1e6;
    let cpu = |direction| point.cpu_seconds_per_gb(direction);
    let peak = |direction| match point.pass(direction).peak_memory {
        Some(bytes) => format!("{:.0}", bytes as f64 / f64::from(1 << 20)),
        None => "-".into(),
    };
    let (into, out) = (Direction::Compress, Direction::Decompress);
    format!(
        "{:<7} {:>7} {:>7.2} {}{:>6} {:>6}  {:>6}/{:<6} {:>6}/{:<5}",
        point.format.name(),
        level(point),
        100.0 * point.ratio(),
        mark(point),
        figure(speed(into)),
        figure(speed(out)),
        figure(cpu(into)),
        figure(cpu(out)),
        peak(into),
        peak(out),
    )
}

/// The level, and whether the point has a long window.
pub(super) fn level(point: &Point) -> String {
    match point.window_log {
        Some(_) => format!("{} long", point.level),
        None => point.level.to_string(),
    }
}

/// A number with three significant digits.
pub(super) fn figure(number: f64) -> String {
    let decimals = match number {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// Whether the sample had too few frames to keep all workers busy for nine tenths of the time.
pub(super) fn leaves_threads_idle(point: &Point) -> bool {
    let threads = point.threads.max(1) as u64;
    let turns = point.frames.div_ceil(threads) * threads;
    point.frames * 10 < turns * 9
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::measure::Pass;
    use super::*;
    use pzcomp::Format;

    fn point(format: Format, frames: u64, ms: u64) -> Point {
        let mut pass = Pass::default();
        (pass.wall, pass.passes) = (Duration::from_millis(ms), 3);
        pass.cpu.workers = 2 * pass.wall;
        let mut point = Point::new(format, 1);
        (point.threads, point.frames) = (2, frames);
        (point.plain_len, point.coded_len) = (100_000_000, 25_000_000);
        (point.compress, point.decompress) = (pass, pass);
        point.decompress.peak_memory = Some(20 << 20);
        point
    }

    #[test]
    fn the_table_is_sorted_aligned_and_says_what_is_missing() {
        let table = table(&[point(Format::Xz, 3, 2000), point(Format::Zstd, 100, 100)]);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines[1], "zstd          1   25.00    1000   1000    2.00/2.00        -/20      c d");
        assert!(lines[2].starts_with("xz ") && lines[2].contains("~  50.0") && lines[2].ends_with("- -"));
        assert!(lines.iter().all(|line| line.len() <= 80), "{table}");
        assert_eq!(lines[0].find("front"), lines[1].find("c d"));
        assert!(table.contains("too few frames") && !table.contains("a part of the sample"));
        let table = super::table(&[Point { scale: Some(2.0), ..point(Format::Xz, 3, 2000) }]);
        assert!(table.contains("50.00 *  50.0") && table.contains("a part of the sample"), "{table}");
    }

    #[test]
    fn a_long_window_stands_beside_the_level() {
        let mut point = point(Format::Zstd, 2, 100);
        (point.window_log, point.level) = (Some(27), 19);
        assert!(line(&point).starts_with("zstd    19 long   25.00 "), "{}", line(&point));
    }

    #[test]
    fn figures_have_three_digits_that_count() {
        assert_eq!(
            [1234.5, 99.94, 9.876, 0.5].map(figure),
            ["1234", "99.9", "9.88", "0.50"].map(String::from)
        );
    }

    #[test]
    fn threads_idle_where_the_last_turn_is_short() {
        let leaves_threads_idle = |frames| leaves_threads_idle(&point(Format::Xz, frames, 1));
        assert_eq!(
            [1, 2, 3, 4, 9, 10, 11].map(leaves_threads_idle),
            [true, false, true, false, false, false, false]
        );
    }
}
