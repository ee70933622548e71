//! The scale of an axis: places of values, and ticks.
//!
//! A panel makes a scale from its values. The scale then turns each value into a place in pixels, and chooses the
//! values that get a tick. Only values that have a place on the axis are drawn.

use super::Scale;

/// An axis with its ends fixed. `low` and `high` are the least and the greatest value that is drawn. Their places are
/// `from` and `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Whether a value has a place. Its multiples and differences must be finite numbers.
    pub(super) fn takes(self, value: f64) -> bool {
        const MOST: f64 = 1e18;
        value.abs() <= MOST && (self == Self::Linear || value >= 1.0 / MOST)
    }

    fn straighten(self, value: f64) -> f64 {
        if self == Self::Linear { value } else { value.ln() }
    }
}

impl Ruler {
    /// An axis for these values. At least one of them must have a place on it.
    pub(super) fn new(
        scale: Scale,
        values: impl Iterator<Item = f64>,
        (from, to): (f64, f64),
    ) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| scale.takes(*value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return None;
        }
        // The noise of values that are almost equal must not fill the axis.
        if scale == Scale::Linear {
            let least = (low.abs().max(high.abs()) * 0.02).max(f64::MIN_POSITIVE.sqrt());
            if high - low < least {
                (low, high) = (low - least, high + least);
            }
        } else if high < low * 1.5 {
            (low, high) = (low / 1.5, high * 1.5);
        }
        Some(Self { scale, low, high, from, to })
    }

    /// The place of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let [low, high, value] = [self.low, self.high, value].map(|value| self.scale.straighten(value));
        self.from + (value - low) / (high - low) * (self.to - self.from)
    }

    /// The value at a place.
    fn value(&self, place: f64) -> f64 {
        let [low, high] = [self.low, self.high].map(|value| self.scale.straighten(value));
        let value = low + (place - self.from) / (self.to - self.from) * (high - low);
        if self.scale == Scale::Linear { value } else { value.exp() }
    }

    /// The values that get a tick and a label, between two places and at most about `most`.
    pub(super) fn ticks(&self, (first, last): (f64, f64), most: usize) -> Vec<(f64, String)> {
        let (mut low, high) = (self.value(first), self.value(last));
        if self.low >= 0.0 {
            low = low.max(0.0);
        }
        // Rounding must not remove a tick at the very end.
        let (low, high) = (low - low.abs() * 1e-9, high + high.abs() * 1e-9);
        match self.scale {
            Scale::Linear => linear(low, high, most),
            Scale::Log => {
                let sets: [&[f64]; 3] = [&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0]];
                let all = sets.map(|set| decades(low, high, set));
                // The usual steps, unless they would be too few or too many.
                let fits = |ticks: &Vec<f64>| (3..=most).contains(&ticks.len());
                match [&all[1], &all[2], &all[0]].into_iter().find(|ticks| fits(ticks)) {
                    Some(ticks) => ticks.iter().map(|&tick| (tick, plain(tick))).collect(),
                    None if all[2].len() > most => thinned(&all[2], most),
                    None => linear(low, high, most),
                }
            }
            Scale::Log2 => {
                let powers: Vec<f64> = (low.log2().ceil() as i32..=high.log2().floor() as i32)
                    .map(|power| 2f64.powi(power))
                    .collect();
                if powers.len() < 2 { linear(low, high, most) } else { thinned(&powers, most) }
            }
        }
    }
}

/// Multiples by powers of ten of each of `set`.
fn decades(low: f64, high: f64, set: &[f64]) -> Vec<f64> {
    (low.log10().floor() as i32..=high.log10().floor() as i32)
        .flat_map(|power| set.iter().map(move |step| step * 10f64.powi(power)))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}

fn thinned(ticks: &[f64], most: usize) -> Vec<(f64, String)> {
    let step = ticks.len().div_ceil(most.max(1));
    ticks.iter().step_by(step).map(|&tick| (tick, plain(tick))).collect()
}

/// Steps of 1, 2 or 5.
fn linear(low: f64, high: f64, most: usize) -> Vec<(f64, String)> {
    let rough = (high - low) / most.max(1) as f64;
    let power = rough.log10().floor();
    let unit = 10f64.powf(power);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * unit >= rough).unwrap_or(10.0) * unit;
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    ((low / step).ceil() as i64..=(high / step).floor() as i64)
        .map(|count| count as f64 * step)
        .map(|tick| (tick, format!("{tick:.decimals$}")))
        .collect()
}

/// The shortest way to write a tick.
fn plain(tick: f64) -> String {
    let decimals = (1.0 - tick.log10().floor()).max(0.0) as usize;
    let text = format!("{tick:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, low: f64, high: f64, most: usize) -> Vec<String> {
        let ruler = Ruler::new(scale, [low, high].into_iter(), (0.0, 100.0));
        let ticks = ruler.map(|ruler| ruler.ticks((0.0, 100.0), most)).unwrap_or_default();
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn logarithmic_ticks_are_at_1_2_5() {
        assert_eq!(texts(Scale::Log, 4.0, 1200.0, 10), ["5", "10", "20", "50", "100", "200", "500", "1000"]);
        assert_eq!(texts(Scale::Log, 0.04, 0.6, 10), ["0.05", "0.1", "0.2", "0.5"]);
        assert_eq!(texts(Scale::Log, 1.0, 1e6, 8), ["1", "10", "100", "1000", "10000", "100000", "1000000"]);
        assert_eq!(texts(Scale::Log, 11.0, 32.0, 10), ["15", "20", "30"]);
        assert_eq!(texts(Scale::Log, 1000.0, 1060.0, 6), ["700", "1000", "1500"]);
    }

    #[test]
    fn cores_are_powers_of_two() {
        assert_eq!(texts(Scale::Log2, 1.0, 128.0, 10), ["1", "2", "4", "8", "16", "32", "64", "128"]);
        assert_eq!(texts(Scale::Log2, 1.0, 128.0, 4), ["1", "4", "16", "64"]);
    }

    #[test]
    fn linear_ticks_have_as_many_decimals_as_they_need() {
        assert_eq!(texts(Scale::Linear, 9.0, 32.0, 6), ["10", "15", "20", "25", "30"]);
        assert_eq!(texts(Scale::Linear, 10.0, 11.0, 6), ["10.0", "10.2", "10.4", "10.6", "10.8", "11.0"]);
    }

    #[test]
    fn one_value_makes_an_axis_and_none_makes_none() {
        for scale in [Scale::Linear, Scale::Log, Scale::Log2] {
            for value in [3.0, 1e-6, 1e9] {
                assert!(!texts(scale, value, value, 8).is_empty(), "{scale:?} {value}");
            }
            assert_eq!(Ruler::new(scale, [f64::NAN, f64::INFINITY].into_iter(), (0.0, 1.0)), None);
        }
        assert_eq!(Ruler::new(Scale::Log, [0.0, -1.0].into_iter(), (0.0, 1.0)), None);
        assert!(!texts(Scale::Linear, 0.0, 0.0, 8).is_empty());
    }
}
