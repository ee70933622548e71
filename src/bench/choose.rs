//! Chooses among points: the Pareto front, the best for a demand, and three recommendations.
//!
//! Points of [`measure`](super::measure()) come in, and some of them go out. This file only computes; it measures
//! nothing. Speeds count bytes of plain data in a second.

use super::measure::{Direction, Point};
use crate::request::Demand;

/// Whether each point is on the Pareto front of that direction. A point is on it if no other point is at least as fast
/// and at least as small, and better in one of the two.
pub(crate) fn front(points: &[Point], direction: Direction) -> Vec<bool> {
    let dominates = |one: &Point, other: &Point| {
        let (speed, ratio) = (one.speed(direction), one.ratio());
        let (other_speed, other_ratio) = (other.speed(direction), other.ratio());
        speed >= other_speed && ratio <= other_ratio && (speed > other_speed || ratio < other_ratio)
    };
    points.iter().map(|point| !points.iter().any(|other| dominates(other, point))).collect()
}

/// The answer to a [`Demand`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Choice<'a> {
    /// The best of the points that meet the demand.
    Meets(&'a Point),
    /// No point meets the demand. This one is nearest to it.
    Nearest(&'a Point),
}

impl Demand {
    /// The best point. Of the points that meet the demand this is the smallest if a speed is demanded, and the fastest
    /// otherwise. `None` if there are no points.
    pub(crate) fn choose<'a>(&self, points: &'a [Point]) -> Option<Choice<'a>> {
        let met = points.iter().filter(|point| self.shortfall(point) <= 0.0);
        let best = match self.speed {
            Some(_) => smallest(met),
            None => fastest(met),
        };
        let nearest = || points.iter().min_by(|a, b| self.shortfall(a).total_cmp(&self.shortfall(b)));
        best.map(Choice::Meets).or_else(|| nearest().map(Choice::Nearest))
    }

    /// By which factor a point misses the demand, as a logarithm. It is 0 if the point meets the demand.
    fn shortfall(&self, point: &Point) -> f64 {
        let slow = self.speed.map_or(0.0, |speed| (speed / point.speed(Direction::Compress)).ln());
        let large = self.ratio.map_or(0.0, |ratio| (point.ratio() / ratio).ln());
        slow.max(0.0) + large.max(0.0)
    }
}

/// Three points of the compression front, for callers without a demand: the fastest, the best compromise and the
/// smallest. One point may be several of them. `None` if there are no points.
pub(crate) fn picks(points: &[Point]) -> Option<[&Point; 3]> {
    let on_front = front(points, Direction::Compress);
    let front: Vec<&Point> =
        points.iter().zip(on_front).filter_map(|(point, on)| on.then_some(point)).collect();
    let (fast, small) = (fastest(front.iter().copied())?, smallest(front.iter().copied())?);
    // The scales are logarithmic, because speeds differ by hundreds of times. The way from one end of the front to the
    // other counts 1 in speed and 1 in size. The best compromise keeps most of both together.
    let share = |value: f64, from: f64, to: f64| {
        if from == to { 1.0 } else { (value / from).ln() / (to / from).ln() }
    };
    let speed = |point: &Point| point.speed(Direction::Compress);
    let merit = |point: &&Point| {
        share(speed(point), speed(small), speed(fast)) + share(point.ratio(), fast.ratio(), small.ratio())
    };
    let between = front.iter().copied().filter(|point| *point != fast && *point != small);
    let balanced = between.max_by(|a, b| merit(a).total_cmp(&merit(b))).unwrap_or(fast);
    Some([fast, balanced, small])
}

/// The point that compresses fastest. Of equally fast points it is the smallest.
fn fastest<'a>(points: impl Iterator<Item = &'a Point>) -> Option<&'a Point> {
    points.max_by(|a, b| {
        let speed = a.speed(Direction::Compress).total_cmp(&b.speed(Direction::Compress));
        speed.then(b.ratio().total_cmp(&a.ratio()))
    })
}

/// The smallest point. Of equally small points it is the one that compresses fastest.
fn smallest<'a>(points: impl Iterator<Item = &'a Point>) -> Option<&'a Point> {
    points.max_by(|a, b| {
        let ratio = b.ratio().total_cmp(&a.ratio());
        ratio.then(a.speed(Direction::Compress).total_cmp(&b.speed(Direction::Compress)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::point;
    use pzcomp::Format;

    fn points() -> Vec<Point> {
        vec![
            point(Format::Xz, 6, 5, 250, 11),
            point(Format::Zstd, 1, 800, 1300, 16),
            point(Format::Gzip, 6, 200, 1400, 17),
            point(Format::Lz4, 1, 1000, 2800, 31),
            point(Format::Zstd, 9, 100, 1300, 15),
            point(Format::Lz4, 9, 60, 2800, 26),
        ]
    }

    fn name(point: &Point) -> String {
        format!("{} -{}", point.format, point.level)
    }

    fn chosen(speed: Option<f64>, ratio: Option<f64>) -> (bool, String) {
        match (Demand { speed, ratio }).choose(&points()) {
            Some(Choice::Meets(point)) => (true, name(point)),
            Some(Choice::Nearest(point)) => (false, name(point)),
            None => unreachable!("there are points"),
        }
    }

    #[test]
    fn the_front_holds_what_nothing_beats() {
        assert_eq!(front(&points(), Direction::Compress), [true, true, false, true, true, false]);
        // A point that compresses slowly may be the best for decompression.
        assert_eq!(front(&points(), Direction::Decompress), [true, false, true, false, true, true]);
    }

    #[test]
    fn points_that_are_equal_are_both_on_the_front() {
        let twins = [point(Format::Lz4, 1, 9, 9, 9), point(Format::Lz4, 2, 9, 9, 9)];
        assert_eq!(front(&twins, Direction::Compress), [true, true]);
    }

    #[test]
    fn a_pipe_gets_the_smallest_that_keeps_up() {
        assert_eq!(chosen(Some(300e6), None), (true, "zstd -1".into()));
        assert_eq!(chosen(Some(900e6), None), (true, "lz4 -1".into()));
        assert_eq!(chosen(Some(1e6), None), (true, "xz -6".into()));
        assert_eq!(chosen(Some(5e9), None), (false, "lz4 -1".into()));
    }

    #[test]
    fn a_limit_of_size_gets_the_fastest_below() {
        assert_eq!(chosen(None, Some(0.5)), (true, "lz4 -1".into()));
        assert_eq!(chosen(None, Some(0.25)), (true, "zstd -1".into()));
        assert_eq!(chosen(None, Some(0.155)), (true, "zstd -9".into()));
        assert_eq!(chosen(None, Some(0.05)), (false, "xz -6".into()));
    }

    #[test]
    fn both_demands_are_met_together_or_the_nearest_is_named() {
        assert_eq!(chosen(Some(90e6), Some(0.25)), (true, "zstd -9".into()));
        assert_eq!(chosen(Some(150e6), Some(0.15)), (false, "zstd -1".into()));
        assert_eq!(Demand::default().choose(&[]), None);
    }

    #[test]
    fn the_picks_are_the_ends_of_the_front_and_the_best_between() {
        assert_eq!(
            picks(&points()).map(|picks| picks.map(name)),
            Some(["lz4 -1", "zstd -1", "xz -6"].map(String::from))
        );
        let alone = [point(Format::Xz, 6, 5, 5, 5)];
        assert_eq!(picks(&alone), Some([&alone[0]; 3]));
        assert_eq!(picks(&[]), None);
    }
}
