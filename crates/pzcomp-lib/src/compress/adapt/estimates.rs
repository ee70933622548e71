//! What is known of each level on this data: how fast one worker codes with it, and how short its output is.
//!
//! The data changes while a stream runs, and with it speed and output of all levels. So two things are kept apart:
//!
//! - How hard the data is now. Every chunk shows it, whatever its level.
//! - How the levels compare with each other. Only a chunk that is coded at two levels shows it
//!   ([`Estimates::compare`]). For other chunks, nobody knows whether the level or the data made the difference.
//!
//! A level that was not compared yet is estimated: its usual speed, as the format states it, is corrected as the speeds
//! of the levels near it.

/// How much a chunk counts in what is known of the data.
const WEIGHT: f64 = 0.25;

/// How much a comparison counts at least, however many there were before.
const WEIGHT_OF_COMPARISON: f64 = 0.1;

/// By which factor the output shrinks from one level that was not tried to the next.
const STEP_OF_RATIO: f64 = 0.99;

/// Data that shrinks this many times more or less than the data before is other data.
const OTHER_DATA: f64 = 4.0;

/// What a chunk showed of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    /// Bytes per second.
    pub(super) speed: f64,
    /// Coded length for each plain byte.
    pub(super) ratio: f64,
}

/// A level.
struct Level {
    number: i32,
    /// Bytes per second on ordinary data.
    usual: f64,
    tried: Option<Tried>,
    /// It is not faster than this, because a chunk that was begun is not ready yet.
    limit: f64,
}

/// How a level that was tried compares with the first one that was tried. Logarithms.
#[derive(Clone, Copy)]
struct Tried {
    /// How many times faster than usual it is.
    faster: f64,
    /// How many times longer its output is.
    longer: f64,
    comparisons: f64,
}

/// How hard the data is: what the first level that was tried would show. Logarithms.
#[derive(Clone, Copy, Default)]
struct Data {
    faster: f64,
    ratio: f64,
}

/// The estimates of all levels, the fastest first. A level is named by its place.
pub(super) struct Estimates {
    levels: Vec<Level>,
    data: Data,
}

impl Estimates {
    /// Levels with the bytes per second that are usual for each.
    pub(super) fn new(levels: impl IntoIterator<Item = (i32, f64)>) -> Self {
        let level = |(number, usual): (i32, f64)| Level {
            number,
            usual: usual.max(1.0),
            tried: None,
            limit: f64::INFINITY,
        };
        Self { levels: levels.into_iter().map(level).collect(), data: Data::default() }
    }

    pub(super) fn count(&self) -> usize {
        self.levels.len()
    }

    pub(super) fn number(&self, place: usize) -> i32 {
        self.levels[place].number
    }

    /// The place of a level, or of the nearest one.
    pub(super) fn place(&self, number: i32) -> usize {
        let distances = self.levels.iter().map(|level| level.number.abs_diff(number)).enumerate();
        distances.min_by_key(|&(_, distance)| distance).map_or(0, |(place, _)| place)
    }

    pub(super) fn is_tried(&self, place: usize) -> bool {
        self.levels[place].tried.is_some()
    }

    /// Bytes per second of the slowest level that was tried.
    pub(super) fn slowest_tried(&self) -> Option<f64> {
        let tried = (0..self.count()).filter(|&place| self.is_tried(place));
        tried.map(|place| self.speed(place)).min_by(f64::total_cmp)
    }

    /// Whether the chunk shrinks many times more than the data before.
    pub(super) fn shrinks_oddly(&self, place: usize, ratio: f64) -> bool {
        self.slowest_tried().is_some() && ratio * OTHER_DATA < self.ratio(place)
    }

    /// Records a chunk: it shows how hard the data is now.
    pub(super) fn record(&mut self, place: usize, shown: Shown) {
        let level = &mut self.levels[place];
        level.limit = f64::INFINITY;
        let (faster, ratio) = ((shown.speed / level.usual).ln(), shown.ratio.max(1e-9).ln());
        let is_first = self.slowest_tried().is_none();
        let tried = match self.levels[place].tried {
            Some(tried) => tried,
            // Nothing was compared with this level, so the difference is taken for the data's. The first comparison
            // corrects it.
            None => {
                let tried = match is_first {
                    true => Tried { faster: 0.0, longer: 0.0, comparisons: 0.0 },
                    false => Tried {
                        faster: self.faster(place),
                        longer: self.ratio(place).ln() - self.data.ratio,
                        comparisons: 0.0,
                    },
                };
                *self.levels[place].tried.insert(tried)
            }
        };
        let (faster, ratio) = (faster - tried.faster, ratio - tried.longer);
        let is_other = is_first || ratio - self.data.ratio > OTHER_DATA.ln();
        let weight = if is_other { 1.0 } else { WEIGHT };
        self.data.faster += weight * (faster - self.data.faster);
        self.data.ratio += weight * (ratio - self.data.ratio);
    }

    /// Records what one chunk showed of the level that is used and of another one.
    pub(super) fn compare(&mut self, (place, shown): (usize, Shown), (other, of_other): (usize, Shown)) {
        let Some(tried) = self.levels[place].tried.filter(|_| place != other) else { return };
        let faster =
            (of_other.speed / self.levels[other].usual).ln() - (shown.speed / self.levels[place].usual).ln();
        let longer = (of_other.ratio.max(1e-9) / shown.ratio.max(1e-9)).ln();
        let (faster, longer) = (tried.faster + faster, tried.longer + longer);
        self.levels[other].limit = f64::INFINITY;
        let known = self.levels[other].tried.get_or_insert(Tried { faster, longer, comparisons: 0.0 });
        let weight = f64::max(1.0 / (known.comparisons + 1.0), WEIGHT_OF_COMPARISON);
        known.faster += weight * (faster - known.faster);
        known.longer += weight * (longer - known.longer);
        known.comparisons += 1.0;
    }

    /// Notes that the level is not faster than this, because a chunk that was begun is not ready yet. This counts until
    /// the next chunk of the level is ready.
    pub(super) fn limit(&mut self, place: usize, speed: f64) {
        self.levels[place].limit = self.levels[place].limit.min(speed);
    }

    /// Bytes per second of one worker.
    pub(super) fn speed(&self, place: usize) -> f64 {
        let Level { usual, limit, .. } = self.levels[place];
        (usual * (self.data.faster + self.faster(place)).exp()).min(limit)
    }

    /// Coded length for each plain byte.
    pub(super) fn ratio(&self, place: usize) -> f64 {
        let scaled = |(near, tried): (usize, Tried)| {
            let steps = place as i32 - near as i32;
            (self.data.ratio + tried.longer).exp() * STEP_OF_RATIO.powi(steps)
        };
        self.below(place).or_else(|| self.above(place)).map_or(1.0, scaled)
    }

    /// How many times faster than usual a level is beside the first one that was tried. A logarithm.
    fn faster(&self, place: usize) -> f64 {
        match (self.below(place), self.above(place)) {
            (Some((below, low)), Some((above, high))) if above > below => {
                let share = (place - below) as f64 / (above - below) as f64;
                low.faster + share * (high.faster - low.faster)
            }
            (Some((_, near)), _) | (None, Some((_, near))) => near.faster,
            (None, None) => 0.0,
        }
    }

    /// The nearest level that was tried: this one or one below.
    fn below(&self, place: usize) -> Option<(usize, Tried)> {
        (0..=place).rev().find_map(|place| self.levels[place].tried.map(|tried| (place, tried)))
    }

    /// The nearest level that was tried: this one or one above.
    fn above(&self, place: usize) -> Option<(usize, Tried)> {
        (place..self.count()).find_map(|place| self.levels[place].tried.map(|tried| (place, tried)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn shown(speed: f64, ratio: f64) -> Shown {
        Shown { speed, ratio }
    }

    fn estimates() -> Estimates {
        Estimates::new([(1, 400.0), (2, 200.0), (3, 100.0), (4, 50.0)])
    }

    #[test]
    fn levels_that_were_not_tried_follow_those_that_were() {
        let mut estimates = estimates();
        assert_eq!(estimates.speed(2), 100.0);
        estimates.record(1, shown(100.0, 0.5));
        // All are half as fast as usual.
        assert_eq!([0, 1, 2, 3].map(|place| estimates.speed(place).round()), [200.0, 100.0, 50.0, 25.0]);
        assert!(estimates.ratio(0) > 0.5 && estimates.ratio(3) < 0.5);
        assert!((estimates.ratio(1) - 0.5).abs() < 1e-9);
        estimates.compare((1, shown(100.0, 0.5)), (3, shown(50.0, 0.4)));
        assert_eq!([1, 3].map(|place| estimates.speed(place).round()), [100.0, 50.0]);
        assert!((60.0..80.0).contains(&estimates.speed(2)), "{}", estimates.speed(2));
        assert!((estimates.ratio(3) - 0.4).abs() < 1e-9);
    }

    #[test]
    fn other_data_changes_all_levels() {
        let mut estimates = estimates();
        estimates.record(0, shown(400.0, 0.5));
        estimates.compare((0, shown(400.0, 0.5)), (2, shown(100.0, 0.4)));
        for _ in 0..20 {
            estimates.record(2, shown(50.0, 0.2));
        }
        assert!((estimates.speed(2) - 50.0).abs() < 1.0 && (estimates.ratio(2) - 0.2).abs() < 0.01);
        assert!((estimates.speed(0) - 200.0).abs() < 4.0 && (estimates.ratio(0) - 0.25).abs() < 0.01);
    }

    #[test]
    fn data_that_hardly_fills_the_output_does_not_change_how_levels_compare() {
        let mut estimates = estimates();
        estimates.record(0, shown(400.0, 0.5));
        estimates.compare((0, shown(400.0, 0.5)), (1, shown(200.0, 0.4)));
        for _ in 0..10 {
            estimates.record(1, shown(4000.0, 0.0001));
        }
        assert!((estimates.ratio(1) / estimates.ratio(0) - 0.8).abs() < 1e-6);
        // The first chunk of the old data brings the estimates back.
        estimates.record(1, shown(200.0, 0.4));
        assert!((estimates.ratio(0) - 0.5).abs() < 0.01 && (estimates.speed(0) - 400.0).abs() < 1.0);
    }

    #[test]
    fn comparisons_are_averaged() {
        let mut estimates = estimates();
        estimates.record(0, shown(400.0, 0.5));
        for ratio in [0.50, 0.46, 0.47, 0.45, 0.47, 0.47, 0.46, 0.48] {
            estimates.compare((0, shown(400.0, 0.5)), (1, shown(200.0, ratio)));
        }
        assert!((estimates.ratio(1) - 0.47).abs() < 0.01, "{}", estimates.ratio(1));
    }

    #[test]
    fn a_chunk_that_is_not_ready_makes_a_level_slower_and_never_faster() {
        let mut estimates = estimates();
        estimates.limit(3, 500.0);
        assert_eq!(estimates.speed(3).round(), 50.0);
        estimates.limit(3, 10.0);
        assert_eq!((estimates.speed(3).round(), estimates.speed(2).round()), (10.0, 100.0));
        estimates.record(3, shown(40.0, 0.5));
        assert_eq!(estimates.speed(3).round(), 40.0);
    }

    #[test]
    fn the_nearest_level_stands_for_one_that_is_not_there() {
        let estimates = estimates();
        assert_eq!([-5, 1, 3, 9].map(|number| estimates.place(number)), [0, 0, 2, 3]);
    }
}
