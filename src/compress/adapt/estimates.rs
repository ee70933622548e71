//! What is known of each level on this data: how fast one worker codes with it, and how short its output is.
//!
//! The controller records the chunks here. A level that was not tried yet is estimated: its usual speed, as the format
//! states it, is corrected as the speeds of the levels that were tried. If the data changes, then all levels get faster or
//! slower together. So a chunk of one level changes the estimates of the others too, though less.

/// How much a chunk counts in the estimate of its level.
const WEIGHT: f64 = 0.3;

/// How much of a change of one level is taken over by other levels that were tried.
const SHARED: f64 = 0.7;

/// By which factor the output shrinks from one level that was not tried to the next.
const STEP_OF_RATIO: f64 = 0.99;

/// A level.
struct Level {
    number: i32,
    /// Bytes per second on ordinary data.
    usual: f64,
    tried: Option<Tried>,
    /// It is not faster than this, because a chunk that was begun is not ready yet.
    limit: f64,
}

/// The estimates of a level that was tried.
#[derive(Clone, Copy)]
struct Tried {
    /// The logarithm of how much faster than usual it is.
    faster: f64,
    /// Coded length for each plain byte.
    ratio: f64,
}

/// The estimates of all levels, the fastest first. A level is named by its place.
pub(super) struct Estimates(Vec<Level>);

impl Estimates {
    /// Levels with the bytes per second that are usual for each.
    pub(super) fn new(levels: impl IntoIterator<Item = (i32, f64)>) -> Self {
        let level = |(number, usual): (i32, f64)| Level {
            number,
            usual: usual.max(1.0),
            tried: None,
            limit: f64::INFINITY,
        };
        Self(levels.into_iter().map(level).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn number(&self, place: usize) -> i32 {
        self.0[place].number
    }

    /// The place of a level, or of the nearest one.
    pub(super) fn place(&self, number: i32) -> usize {
        let distances = self.0.iter().map(|level| level.number.abs_diff(number)).enumerate();
        distances.min_by_key(|&(_, distance)| distance).map_or(0, |(place, _)| place)
    }

    pub(super) fn is_tried(&self, place: usize) -> bool {
        self.0[place].tried.is_some()
    }

    /// Records a chunk: the bytes per second, and the coded length for each plain byte.
    pub(super) fn record(&mut self, place: usize, speed: f64, ratio: f64) {
        let faster = (speed / self.0[place].usual).ln();
        self.0[place].limit = f64::INFINITY;
        let Some(tried) = &mut self.0[place].tried else {
            self.0[place].tried = Some(Tried { faster, ratio });
            return;
        };
        let change = WEIGHT * (faster - tried.faster);
        let shrinks = 1.0 + WEIGHT * (ratio / tried.ratio - 1.0);
        *tried = Tried { faster: tried.faster + change, ratio: tried.ratio * shrinks };
        let others = self.0.iter_mut().enumerate().filter(|&(other, _)| other != place);
        for tried in others.filter_map(|(_, level)| level.tried.as_mut()) {
            tried.faster += SHARED * change;
            tried.ratio *= 1.0 + SHARED * (shrinks - 1.0);
        }
    }

    /// Notes that the level is not faster than this, because a chunk that was begun is not ready yet. This counts until
    /// the next chunk of the level is ready.
    pub(super) fn limit(&mut self, place: usize, speed: f64) {
        self.0[place].limit = self.0[place].limit.min(speed);
    }

    /// Bytes per second of one worker.
    pub(super) fn speed(&self, place: usize) -> f64 {
        let faster = match (self.below(place), self.above(place)) {
            (Some((below, low)), Some((above, high))) if above > below => {
                let part = (place - below) as f64 / (above - below) as f64;
                low.faster + part * (high.faster - low.faster)
            }
            (Some((_, near)), _) | (None, Some((_, near))) => near.faster,
            (None, None) => 0.0,
        };
        (self.0[place].usual * faster.exp()).min(self.0[place].limit)
    }

    /// Coded length for each plain byte.
    pub(super) fn ratio(&self, place: usize) -> f64 {
        let scaled = |(near, tried): (usize, Tried)| {
            let steps = place as i32 - near as i32;
            tried.ratio * STEP_OF_RATIO.powi(steps)
        };
        match (self.below(place), self.above(place)) {
            (Some(below), _) => scaled(below),
            (None, Some(above)) => scaled(above),
            (None, None) => 1.0,
        }
    }

    /// The nearest level that was tried: this one or one below.
    fn below(&self, place: usize) -> Option<(usize, Tried)> {
        (0..=place).rev().find_map(|place| self.0[place].tried.map(|tried| (place, tried)))
    }

    /// The nearest level that was tried: this one or one above.
    fn above(&self, place: usize) -> Option<(usize, Tried)> {
        (place..self.0.len()).find_map(|place| self.0[place].tried.map(|tried| (place, tried)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimates() -> Estimates {
        Estimates::new([(1, 400.0), (2, 200.0), (3, 100.0), (4, 50.0)])
    }

    #[test]
    fn levels_that_were_not_tried_follow_those_that_were() {
        let mut estimates = estimates();
        assert_eq!(estimates.speed(2), 100.0);
        estimates.record(1, 100.0, 0.5);
        // All are half as fast as usual.
        assert_eq!([0, 1, 2, 3].map(|place| estimates.speed(place).round()), [200.0, 100.0, 50.0, 25.0]);
        assert!(estimates.ratio(0) > 0.5 && estimates.ratio(1) == 0.5 && estimates.ratio(3) < 0.5);
        estimates.record(3, 50.0, 0.4);
        assert_eq!([1, 3].map(|place| estimates.speed(place).round()), [100.0, 50.0]);
        assert!((60.0..80.0).contains(&estimates.speed(2)), "{}", estimates.speed(2));
    }

    #[test]
    fn other_data_changes_all_levels() {
        let mut estimates = estimates();
        estimates.record(0, 400.0, 0.5);
        estimates.record(2, 100.0, 0.4);
        for _ in 0..20 {
            estimates.record(2, 50.0, 0.2);
        }
        assert!((estimates.speed(2) - 50.0).abs() < 1.0 && (estimates.ratio(2) - 0.2).abs() < 0.01);
        assert!((200.0..300.0).contains(&estimates.speed(0)), "{}", estimates.speed(0));
        assert!(estimates.ratio(0) < 0.4, "{}", estimates.ratio(0));
    }

    #[test]
    fn a_chunk_that_is_not_ready_makes_a_level_slower_and_never_faster() {
        let mut estimates = estimates();
        estimates.limit(3, 500.0);
        assert_eq!(estimates.speed(3).round(), 50.0);
        estimates.limit(3, 10.0);
        assert_eq!((estimates.speed(3).round(), estimates.speed(2).round()), (10.0, 100.0));
        estimates.record(3, 40.0, 0.5);
        assert_eq!(estimates.speed(3).round(), 40.0);
    }

    #[test]
    fn the_nearest_level_stands_for_one_that_is_not_there() {
        let estimates = estimates();
        assert_eq!([-5, 1, 3, 9].map(|number| estimates.place(number)), [0, 0, 2, 3]);
    }
}
