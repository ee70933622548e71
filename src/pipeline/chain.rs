//! A checksum of checksums that runs through the frames of a stream, whatever jobs they are in.

/// The sum of the frames of a stream, or of part of them.
///
/// Each frame turns the sum by one bit and adds its own value. So the sum of a part can be made
/// without knowing what came before, and put behind that later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// Whether the stream begins in this part.
    has_start: bool,
    frames: u32,
    sum: u32,
}

impl Chain {
    /// The chain of a stream that begins.
    pub(crate) const START: Self = Self { has_start: true, frames: 0, sum: 0 };

    /// Adds a frame.
    pub(crate) fn push(&mut self, value: u32) {
        self.sum = self.sum.rotate_left(1) ^ value;
        self.frames = self.frames.wrapping_add(1);
    }

    /// This part behind the one `before` it.
    pub(crate) fn behind(self, before: Self) -> Self {
        if self.has_start {
            return self;
        }
        Self {
            has_start: before.has_start,
            frames: before.frames.wrapping_add(self.frames),
            sum: before.sum.rotate_left(self.frames % 32) ^ self.sum,
        }
    }

    /// Whether nothing before it matters.
    pub(crate) fn has_start(self) -> bool {
        self.has_start
    }

    /// Frames in it.
    pub(crate) fn frames(self) -> u32 {
        self.frames
    }

    pub(crate) fn sum(self) -> u32 {
        self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let values: Vec<u32> = (0..100_u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
        let sum = |mut chain: Chain, values: &[u32]| {
            values.iter().for_each(|&value| chain.push(value));
            chain
        };
        let whole = sum(Chain::START, &values);
        for cut in 0..=100 {
            let (first, second) = values.split_at(cut);
            assert_eq!(sum(Chain::default(), second).behind(sum(Chain::START, first)), whole);
            assert_eq!(sum(Chain::START, second).behind(whole), sum(Chain::START, second));
        }
    }
}
