//! The picture of the points that were measured: speed against size.
//!
//! Points and a demand become two panels, compression and decompression, with a series for each format. [`svg()`] makes
//! a file of them (`--plot`), and [`terminal()`] lines of characters for standard output. `bench` is the caller.

mod svg;
mod terminal;

use super::choose::front;
use super::measure::{Direction, Point};
use crate::request::Demand;
use pzcomp::Format;

pub(super) use svg::svg;
pub(super) use terminal::terminal;

/// What both axes show.
const X_LABEL: &str = "MB/s of plain data (10⁶ bytes a second)";
const Y_LABEL: &str = "size, % of the plain data";

/// One direction.
struct Panel {
    title: &'static str,
    series: Vec<Series>,
    /// The points that no other point beats, the fastest first.
    front: Vec<(f64, f64)>,
    /// The demanded speed and the demanded size.
    rules: (Option<f64>, Option<f64>),
    x: Axis,
    y: Axis,
}

/// The points of one format.
#[derive(Debug, PartialEq)]
struct Series {
    format: Format,
    marks: Vec<Mark>,
}

#[derive(Debug, PartialEq)]
struct Mark {
    /// MB/s, and size in percent.
    at: (f64, f64),
    label: String,
    is_on_front: bool,
}

/// The panels that have a point. A pass without a duration has no speed, and no point.
fn panels(points: &[Point], demand: Demand) -> Vec<Panel> {
    [Direction::Compress, Direction::Decompress]
        .into_iter()
        .filter_map(|direction| panel(points, direction, demand))
        .collect()
}

fn panel(points: &[Point], direction: Direction, demand: Demand) -> Option<Panel> {
    let place = |point: &Point| (point.speed(direction) / 1e6, point.ratio() * 100.0);
    let timed = |point: &&Point| !point.pass(direction).wall.is_zero() && point.plain_len > 0;
    let points: Vec<Point> = points.iter().filter(timed).cloned().collect();
    let on_front = front(&points, direction);
    let mut all: Vec<_> = points.iter().zip(on_front).collect();
    all.sort_by_key(|(point, _)| (point.level, point.window_log));
    let series = Format::all().map(|format| {
        let own = all.iter().filter(|(point, _)| point.format == format);
        let mark = |&(point, is_on_front): &(&Point, bool)| {
            let long = if point.window_log.is_some() { " long" } else { "" };
            Mark { at: place(point), label: format!("{}{long}", point.level), is_on_front }
        };
        Series { format, marks: own.map(mark).collect() }
    });
    let series: Vec<_> = series.filter(|series| !series.marks.is_empty()).collect();
    let mut front: Vec<_> = all.iter().filter(|(_, on)| *on).map(|(point, _)| place(point)).collect();
    front.sort_by(|one, other| other.0.total_cmp(&one.0));
    let speed = demand.speed.map(|speed| speed / 1e6).filter(|_| direction == Direction::Compress);
    let size = demand.ratio.map(|ratio| ratio * 100.0);
    let places = || all.iter().map(|(point, _)| place(point));
    Some(Panel {
        title: match direction {
            Direction::Compress => "Compression",
            Direction::Decompress => "Decompression",
        },
        series,
        front,
        rules: (speed, size),
        x: Axis::new(places().map(|(x, _)| x).chain(speed), true)?,
        y: Axis::new(places().map(|(_, y)| y).chain(size), false)?,
    })
}

/// The range of the values of an axis, as logarithms if equal quotients are equally far apart.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    /// None if there is no value that fits.
    fn new(values: impl Iterator<Item = f64>, is_log: bool) -> Option<Self> {
        let fit = values.filter(|value| value.is_finite() && *value > 0.0);
        let straight = fit.map(|value| if is_log { value.ln() } else { value });
        let (low, high) = straight
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        // Values that are almost equal must not fill the axis.
        let least = if is_log { 2.25_f64.ln() } else { high * 0.04 };
        let grow = 0.06 * (high - low) + ((least - (high - low)) / 2.0).max(0.0);
        (low <= high).then_some(Self { low: low - grow, high: high + grow, is_log })
    }

    /// The place of a value: 0 at the low end, and 1 at the high end.
    fn place(&self, value: f64) -> f64 {
        ((if self.is_log { value.ln() } else { value }) - self.low) / (self.high - self.low)
    }

    /// The values with a label, at most `most`, and their labels.
    fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let (low, high) = (self.low, self.high);
        if self.is_log {
            let powers = || (low / 10_f64.ln()).floor() as i32..=(high / 10_f64.ln()).floor() as i32;
            let ticks = |set: &[f64]| -> Vec<f64> {
                let all = powers().flat_map(|power| set.iter().map(move |step| step * 10_f64.powi(power)));
                all.filter(|tick| (low..=high).contains(&tick.ln())).collect()
            };
            let sets = [&[1.0, 2.0, 5.0][..], &[1.0], &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]].map(ticks);
            let fits = |ticks: &&Vec<f64>| (3..=most).contains(&ticks.len());
            let chosen = sets.iter().find(fits).unwrap_or(&sets[2 - usize::from(sets[1].len() > most)]);
            let step = chosen.len().div_ceil(most).max(1);
            return chosen.iter().step_by(step).map(|&tick| (tick, short(tick))).collect();
        }
        let rough = (high - low) / most as f64;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * unit >= rough).unwrap_or(10.0) * unit;
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        ((low.max(0.0) / step).ceil() as i64..=(high / step).floor() as i64)
            .map(|count| count as f64 * step)
            .map(|tick| (tick, format!("{tick:.decimals$}")))
            .collect()
    }
}

/// The shortest way to write a tick with at most two digits that count.
fn short(tick: f64) -> String {
    let decimals = (1.0 - tick.log10().floor()).max(0.0) as usize;
    let text = format!("{tick:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A point with speeds in MB/s and a size in percent.
    pub(super) fn point(format: Format, level: i32, compress: u64, decompress: u64, size: u64) -> Point {
        let mut point = Point::new(format, level);
        (point.plain_len, point.coded_len) = (100_000_000, size * 1_000_000);
        point.compress.wall = Duration::from_secs_f64(100.0 / compress as f64);
        point.decompress.wall = Duration::from_secs_f64(100.0 / decompress as f64);
        point
    }

    /// Points as measured on a dump.
    pub(super) fn points() -> Vec<Point> {
        [
            (Format::Zstd, [(1, 813, 1342, 16), (3, 507, 1032, 19), (9, 95, 1074, 16)]),
            (Format::Gzip, [(1, 624, 1412, 20), (6, 204, 1417, 17), (9, 52, 1420, 16)]),
            (Format::Lz4, [(1, 994, 1678, 31), (3, 150, 1700, 26), (9, 60, 1710, 26)]),
            (Format::Bzip2, [(1, 40, 120, 17), (6, 38, 118, 17), (9, 38, 116, 17)]),
        ]
        .into_iter()
        .flat_map(|(format, levels)| levels.map(|(level, c, d, size)| point(format, level, c, d, size)))
        .collect()
    }

    #[test]
    fn a_series_has_the_levels_of_a_format_in_order_and_a_long_window_is_named() {
        let mut long = point(Format::Zstd, 1, 700, 1000, 15);
        long.window_log = Some(27);
        let points = [point(Format::Zstd, 9, 100, 1000, 15), long, point(Format::Zstd, 1, 800, 1250, 16)];
        let panels = panels(&points, Demand::default());
        let labels: Vec<_> = panels[0].series[0].marks.iter().map(|mark| &mark.label[..]).collect();
        assert_eq!(labels, ["1", "1 long", "9"]);
        assert_eq!(panels[0].front.len(), 2);
    }

    #[test]
    fn a_demand_is_a_rule_where_it_applies() {
        let panels = panels(&points(), Demand { speed: Some(300e6), ratio: Some(0.25) });
        assert_eq!(panels[0].rules, (Some(300.0), Some(25.0)));
        assert_eq!(panels[1].rules, (None, Some(25.0)));
    }

    #[test]
    fn a_pass_without_a_duration_is_left_out() {
        let mut timeless = point(Format::Lz4, 1, 1000, 2000, 31);
        timeless.compress.wall = Duration::ZERO;
        let both = panels(&[timeless.clone(), point(Format::Zstd, 1, 1, 1, 1)], Demand::default());
        assert_eq!(both.iter().map(|panel| panel.series.len()).collect::<Vec<_>>(), [1, 2]);
        timeless.decompress.wall = Duration::ZERO;
        assert!(panels(&[timeless], Demand::default()).is_empty());
    }

    #[test]
    fn ticks_are_round_and_few() {
        let texts = |low: f64, high: f64, is_log| -> Vec<String> {
            let axis = Axis::new([low, high].into_iter(), is_log).expect("there are values");
            let ticks = axis.ticks(8);
            assert!(ticks.iter().all(|(tick, _)| (0.0..=1.0).contains(&axis.place(*tick))), "{ticks:?}");
            ticks.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(texts(4.0, 900.0, true), ["5", "10", "20", "50", "100", "200", "500", "1000"]);
        assert_eq!(texts(1.0, 1e6, true).len(), 7);
        assert_eq!(texts(11.0, 32.0, true), ["15", "20", "30"]);
        assert_eq!(texts(9.0, 32.0, false), ["10", "15", "20", "25", "30"]);
        for value in [3.0, 1e-6, 1e9] {
            assert!(texts(value, value, true).len() > 1 && texts(value, value, false).len() > 1, "{value}");
        }
        assert!(Axis::new([0.0, f64::NAN, f64::INFINITY].into_iter(), true).is_none());
    }
}
