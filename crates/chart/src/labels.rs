//! The places of labels: no label covers another label or a marker.
//!
//! A panel gives [`place`] its labels, with the areas of markers and lines. Each label gets a place near its point, or
//! further away with a line to the point. [`spread`] moves texts apart that are below each other.

use super::canvas::Spot;

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn around((x, y): Spot, reach: f64) -> Self {
        Self { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }
    }

    /// The area that both have in common.
    pub(super) fn overlap(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }

    /// Whether a part of the line is inside. The parts beyond each side are cut off.
    fn crosses(&self, (from, to): (Spot, Spot)) -> bool {
        let (mut first, mut last) = (0.0_f64, 1.0_f64);
        let (run, rise) = (to.0 - from.0, to.1 - from.1);
        let sides = [
            (-run, from.0 - self.left),
            (run, self.right - from.0),
            (-rise, from.1 - self.top),
            (rise, self.bottom - from.1),
        ];
        for (speed, distance) in sides {
            if speed == 0.0 && distance < 0.0 {
                return false;
            }
            if speed < 0.0 {
                first = first.max(distance / speed);
            } else if speed > 0.0 {
                last = last.min(distance / speed);
            }
        }
        first <= last
    }
}

/// A label, and the point near which it must be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) at: Spot,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The directions: right, left, above, below, then the corners. They are signs in x and y; y grows downwards.
const WAYS: [Spot; 8] =
    [(1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0)];

/// The distances of labels from their points. From the second distance on, a line leads to the label.
const DISTANCES: [f64; 6] = [8.0, 17.0, 26.0, 36.0, 48.0, 62.0];

/// The place of a label, and whether a line must lead to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) area: Area,
    pub(super) far: bool,
}

/// Places labels one after the other, at the place of least cost. Labels in the densest crowd come first. `taken` has
/// the markers and texts that must not be covered. `lines` should not be crossed.
pub(super) fn place(wanted: &[Wanted], field: &Area, taken: &[Area], lines: &[(Spot, Spot)]) -> Vec<Placed> {
    let crowd = |one: &Wanted| {
        let near = Area::around(one.at, 30.0);
        taken.iter().filter(|area| near.overlap(area) > 0.0).count()
    };
    let mut order: Vec<(usize, &Wanted)> = wanted.iter().enumerate().collect();
    order.sort_by_key(|(_, one)| std::cmp::Reverse(crowd(one)));

    let mut taken = taken.to_vec();
    let mut placed = vec![None; wanted.len()];
    for (index, one) in order {
        let mut best: Option<(f64, Placed)> = None;
        for (step, distance) in DISTANCES.into_iter().enumerate() {
            for (rank, way) in WAYS.into_iter().enumerate() {
                let area = beside(one, way, distance);
                let cost = cost(&area, field, &taken, lines) + rank as f64 + 14.0 * step as f64;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Placed { area, far: step > 0 }));
                }
            }
        }
        if let Some((_, place)) = best {
            taken.push(place.area);
            placed[index] = Some(place);
        }
    }
    placed.into_iter().flatten().collect()
}

fn beside(one: &Wanted, (across, down): Spot, distance: f64) -> Area {
    // In a corner the nearest point of the label is as far away as on a side.
    let distance = if across != 0.0 && down != 0.0 { distance * 0.75 } else { distance };
    let x = one.at.0 + across * (distance + one.width / 2.0);
    let y = one.at.1 + down * (distance + one.height / 2.0);
    Area {
        left: x - one.width / 2.0,
        top: y - one.height / 2.0,
        right: x + one.width / 2.0,
        bottom: y + one.height / 2.0,
    }
}

/// The cost of a place. Outside of the field costs most, then covering something, then being on a line.
pub(super) fn cost(area: &Area, field: &Area, taken: &[Area], lines: &[(Spot, Spot)]) -> f64 {
    let hidden: f64 = taken.iter().map(|other| area.overlap(other)).sum();
    let crossed = lines.iter().filter(|line| area.crosses(**line)).count();
    let outside = if field.holds(area) { 0.0 } else { 1e6 };
    let touched = if hidden > 0.0 { 200.0 } else { 0.0 };
    outside + touched + 10.0 * hidden + 5.0 * crossed as f64
}

/// Moves texts apart that are below each other. Their middles are then at least `height` apart, and between `top` and
/// `bottom` if there is room.
pub(super) fn spread(middles: &[f64], height: f64, (top, bottom): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..middles.len()).collect();
    order.sort_by(|a, b| middles[*a].total_cmp(&middles[*b]));
    let mut spread = middles.to_vec();
    let mut least = top;
    for &index in &order {
        spread[index] = spread[index].max(least);
        least = spread[index] + height;
    }
    let mut most = bottom;
    for &index in order.iter().rev() {
        spread[index] = spread[index].min(most);
        most = spread[index] - height;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: Area = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };

    fn places(spots: &[Spot]) -> Vec<Placed> {
        let wanted: Vec<_> = spots.iter().map(|&at| Wanted { at, width: 14.0, height: 12.0 }).collect();
        let markers: Vec<_> = spots.iter().map(|&at| Area::around(at, 6.0)).collect();
        let placed = place(&wanted, &FIELD, &markers, &[]);
        assert_eq!(placed.len(), spots.len());
        for (index, one) in placed.iter().enumerate() {
            assert!(FIELD.holds(&one.area), "{one:?}");
            assert!(markers.iter().all(|marker| marker.overlap(&one.area) == 0.0), "{one:?}");
            assert!(placed[..index].iter().all(|other| other.area.overlap(&one.area) == 0.0), "{one:?}");
        }
        placed
    }

    #[test]
    fn labels_do_not_sit_on_each_other() {
        let crowd: Vec<Spot> =
            (0..20).map(|n| (150.0 + n as f64 * 7.0, 120.0 + (n % 3) as f64 * 9.0)).collect();
        assert!(places(&crowd).iter().any(|one| one.far));
        places(&[(200.0, 150.0); 6]);
    }

    #[test]
    fn labels_stay_in_the_field() {
        let corners = [(8.0, 8.0), (392.0, 8.0), (8.0, 292.0), (392.0, 292.0)];
        assert!(places(&corners).iter().all(|one| !one.far));
    }

    #[test]
    fn a_label_alone_is_right_of_its_point() {
        let placed = places(&[(200.0, 150.0)]);
        assert!(placed[0].area.left > 200.0 && !placed[0].far);
    }

    #[test]
    fn names_at_ends_keep_their_distance() {
        let spread = spread(&[50.0, 52.0, 51.0, 95.0, 96.0], 12.0, (0.0, 100.0));
        assert!(spread.iter().all(|y| (0.0..=100.0).contains(y)));
        let mut sorted = spread.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= 12.0 - 1e-9), "{spread:?}");
        assert!(spread[0] < spread[2] && spread[2] < spread[1]);
    }
}
