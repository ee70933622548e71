//! Random numbers for the generators: SplitMix64 (Steele, Lea, Flood 2014) and a few distributions.
//!
//! The same seed gives the same numbers on any machine and in any version, because published figures depend on them.

/// A generator of 64 random bits at a time.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `low..high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low)
    }

    /// One of `choices`. A choice that is listed twice is twice as likely.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// True `percent` times in a hundred.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A number from the bell curve around 0 with the standard deviation `deviation`.
    ///
    /// The sum of four uniform numbers is close enough to the curve for this purpose, and costs one call.
    pub fn normal(&mut self, deviation: i64) -> i64 {
        const UNIFORM_BITS: u32 = 16;
        /// √(4/12) · 2¹⁶: the standard deviation of the sum.
        const SUM_DEVIATION: i64 = 37_837;
        let bits = self.next();
        let mask = (1 << UNIFORM_BITS) - 1;
        let sum: i64 = (0..4).map(|i| (bits >> (i * UNIFORM_BITS) & mask) as i64).sum();
        (sum - 2 * mask as i64) * deviation / SUM_DEVIATION
    }
}

/// Draws an index by its weight.
pub struct Weighted {
    /// Upper bounds of each index' share of 2⁶⁴.
    bounds: Vec<u64>,
}

impl Weighted {
    pub fn new(weights: impl Iterator<Item = f64>) -> Self {
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        let mut so_far = 0.0;
        let bounds = weights
            .iter()
            .map(|weight| {
                so_far += weight;
                (so_far / total * u64::MAX as f64) as u64
            })
            .collect();
        Self { bounds }
    }

    /// Zipf's law over `len` things: number k is drawn k^-1.1 times as often as number 1. The exact exponent is 1.094,
    /// which square roots can compute; they round in the same way everywhere.
    pub fn zipf(len: usize) -> Self {
        Self::new((1..=len).map(|rank| {
            let rank = rank as f64;
            let root16 = rank.sqrt().sqrt().sqrt().sqrt();
            1.0 / (rank * root16 * root16.sqrt())
        }))
    }

    /// Lengths of runs that go on with probability `1 - 1/mean` after each step, cut at `longest`.
    /// An index of 0 stands for a run of one.
    pub fn geometric(mean: f64, longest: usize) -> Self {
        let mut weight = 1.0;
        Self::new((0..longest).map(|_| {
            let this = weight;
            weight *= 1.0 - 1.0 / mean;
            this
        }))
    }

    pub fn draw(&self, random: &mut Random) -> usize {
        let at = random.next();
        let index = self.bounds.partition_point(|bound| *bound <= at);
        index.min(self.bounds.len() - 1)
    }
}
