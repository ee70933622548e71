//! The recommendation of `--bench`: which format and level to choose.
//!
//! [`advice`] takes the measured points and the demand of the user, and returns sentences. The choice itself is made
//! by `choose`.

use super::super::dialect::native::LONG;
use super::choose::{Choice, picks};
use super::measure::{Direction, Point};
use super::table::{figure, leaves_threads_idle};
use crate::request::Demand;

/// The recommendation in sentences, and whether the demand is met.
pub(super) fn advice(demand: &Demand, points: &[Point]) -> (String, bool) {
    if *demand == Demand::default() {
        return (three_picks(points), true);
    }
    let demand_text = demand_text(demand);
    match demand.choose(points) {
        Some(Choice::Meets(point)) => {
            let best = if demand.speed.is_some() { "smallest" } else { "fastest" };
            (format!("The {best} that {demand_text}: {}\n", recommendation(point)), true)
        }
        Some(Choice::Nearest(point)) => {
            (format!("Nothing measured {demand_text}. The nearest: {}\n", recommendation(point)), false)
        }
        None => (String::new(), false),
    }
}

/// If even the smallest output has more than this part of the plain size, the fastest point is recommended alone.
const HARDLY_COMPRESSED: f64 = 0.97;

/// Recommends three points if there is no demand.
fn three_picks(points: &[Point]) -> String {
    let Some(picks) = picks(points) else { return String::new() };
    if picks[2].ratio() > HARDLY_COMPRESSED {
        return format!("This data hardly compresses. The fastest: {}\n", recommendation(picks[0]));
    }
    let mut sentences: Vec<(String, &Point)> = Vec::new();
    for (name, point) in ["Fast", "Balanced", "Small"].into_iter().zip(picks) {
        match sentences.last_mut() {
            // If the front has fewer than three points, one of them has several names.
            Some((names, last)) if *last == point => *names = format!("{names} and {}", name.to_lowercase()),
            _ => sentences.push((name.into(), point)),
        }
    }
    let picked = sentences.iter().map(|(name, point)| format!("{name}: {}\n", recommendation(point)));
    picked.chain(long_gain(points)).collect()
}

/// Long windows are worth a sentence if they make the output shorter by this part.
const WORTH_SAYING: f64 = 0.02;

/// What a long window gains over the same format and level without it, if both were measured and it gains much.
fn long_gain(points: &[Point]) -> Option<String> {
    let long = points.iter().find(|point| point.window_log.is_some())?;
    let is_usual = |point: &&Point| {
        point.window_log.is_none() && (point.format, point.level) == (long.format, long.level)
    };
    let usual = points.iter().find(is_usual)?;
    let gain = 1.0 - long.ratio() / usual.ratio();
    let speed = |point: &Point| figure(point.speed(Direction::Compress) / 1e6);
    (gain >= WORTH_SAYING).then(|| {
        let (percent, into, instead) = (100.0 * gain, speed(long), speed(usual));
        let idle = if leaves_threads_idle(long) { ", with idle threads" } else { "" };
        format!(
            "Long matches pay: with --long, the output of {} is {percent:.1} % smaller, at {into} instead of {instead} MB/s{idle}.\n",
            command(usual)
        )
    })
}

/// The demand as part of a sentence.
fn demand_text(demand: &Demand) -> String {
    let speed = demand.speed.map(|speed| format!("keeps up with {} MB/s", figure(speed / 1e6)));
    let ratio = demand.ratio.map(|ratio| format!("gets down to {:.1} %", 100.0 * ratio));
    speed.into_iter().chain(ratio).collect::<Vec<_>>().join(" and ")
}

/// The command for a point.
fn command(point: &Point) -> String {
    let (format, level) = (point.format, point.level);
    let level = if level < 0 { format!("--fast={}", -level) } else { format!("-{level}") };
    let long = match point.window_log {
        Some(LONG) => " --long".into(),
        Some(log) => format!(" --long={log}"),
        None => String::new(),
    };
    format!("pzcomp -F {format} {level}{long}")
}

/// The command for a point, and its speeds and size.
fn recommendation(point: &Point) -> String {
    let speed = |direction| figure(point.speed(direction) / 1e6);
    let (into, out) = (speed(Direction::Compress), speed(Direction::Decompress));
    let (command, percent) = (command(point), 100.0 * point.ratio());
    let about = if point.scale.is_some() { "about " } else { "" };
    format!("{command} compresses {into} MB/s to {about}{percent:.1} % and decompresses {out} MB/s.")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use pzcomp::Format;

    fn point(format: Format, level: i32, speed: u64, percent: u64) -> Point {
        let wall = Duration::from_micros(1_000_000_000 / speed);
        let mut point = Point::new(format, level);
        (point.threads, point.frames) = (2, 64);
        (point.plain_len, point.coded_len) = (1_000_000_000, percent * 10_000_000);
        (point.compress.wall, point.decompress.wall) = (wall, wall / 2);
        point
    }

    fn points() -> [Point; 3] {
        [point(Format::Xz, 6, 5, 11), point(Format::Zstd, 1, 800, 16), point(Format::Zstd, -5, 1000, 31)]
    }

    #[test]
    fn three_picks_are_made_where_nothing_is_demanded() {
        let (text, met) = advice(&Demand::default(), &points());
        assert!(met);
        assert_eq!(
            text,
            "Fast: pzcomp -F zstd --fast=5 compresses 1000 MB/s to 31.0 % and decompresses 2000 MB/s.\n\
             Balanced: pzcomp -F zstd -1 compresses 800 MB/s to 16.0 % and decompresses 1600 MB/s.\n\
             Small: pzcomp -F xz -6 compresses 5.00 MB/s to 11.0 % and decompresses 10.0 MB/s.\n"
        );
    }

    #[test]
    fn data_that_does_not_compress_gets_the_fastest() {
        let points = [point(Format::Xz, 6, 5, 100), point(Format::Lz4, 1, 800, 101)];
        let (text, met) = advice(&Demand::default(), &points);
        assert!(
            met && text.starts_with("This data hardly compresses. The fastest: pzcomp -F lz4 -1 "),
            "{text}"
        );
    }

    #[test]
    fn one_point_is_all_three() {
        let (text, _) = advice(&Demand::default(), &points()[..1]);
        assert!(text.starts_with("Fast and balanced and small: pzcomp -F xz -6 "), "{text}");
    }

    #[test]
    fn a_long_window_is_named_where_it_pays() {
        let with_long = |percent| {
            let usual = point(Format::Zstd, 3, 500, 20);
            let mut long = point(Format::Zstd, 3, 250, percent);
            long.window_log = Some(LONG);
            advice(&Demand::default(), &[point(Format::Lz4, 1, 900, 30), usual, long]).0
        };
        let text = with_long(16);
        assert!(text.contains("Small: pzcomp -F zstd -3 --long compresses 250 MB/s to 16.0 %"), "{text}");
        let gain =
            "with --long, the output of pzcomp -F zstd -3 is 20.0 % smaller, at 250 instead of 500 MB/s.\n";
        assert!(text.ends_with(gain), "{text}");
        assert!(!with_long(20).contains("--long"));
    }

    #[test]
    fn a_demand_gets_one_sentence() {
        let (text, met) = advice(&Demand { speed: Some(300e6), ratio: None }, &points());
        assert!(
            met && text.starts_with("The smallest that keeps up with 300 MB/s: pzcomp -F zstd -1 "),
            "{text}"
        );
        let (text, met) = advice(&Demand { speed: None, ratio: Some(0.5) }, &points());
        assert!(
            met && text.starts_with("The fastest that gets down to 50.0 %: pzcomp -F zstd --fast=5 "),
            "{text}"
        );
        let (text, met) = advice(&Demand { speed: Some(9e8), ratio: Some(0.05) }, &points());
        let expected =
            "Nothing measured keeps up with 900 MB/s and gets down to 5.0 %. The nearest: pzcomp -F ";
        assert!(!met && text.starts_with(expected), "{text}");
    }
}
