//! Repeated offsets (RFC 8878, section 3.1.1.5).

use std::hint::select_unpredictable;

/// All new offsets of packed sequences are less.
const KNOWN_END: u32 = 1 << 30;

/// The three offsets that can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offsets {
    first: u32,
    second: u32,
    third: u32,
}

impl Offsets {
    pub const fn new([first, second, third]: [u32; 3]) -> Self {
        Self { first, second, third }
    }

    /// The three before a block of which nothing else is known. They stay longer than [`KNOWN_END`], and so does what
    /// is one less, as often as a block can have that.
    pub const fn unknown() -> Self {
        Self::new([1 << 31; 3])
    }

    /// Whether none of the three depends on [`Self::unknown`].
    pub const fn are_known(self) -> bool {
        self.first < KNOWN_END && self.second < KNOWN_END && self.third < KNOWN_END
    }

    /// Finds the offset of a sequence, and moves it to the front.
    ///
    /// The values 1 to 3 stand for one of the three, or, if the sequence has no literals, for the next one; the last of
    /// these is one less than the first. All other values are a new offset plus three. There are no branches: which of
    /// these a sequence has can rarely be predicted. A result of zero, or one that wrapped, is not valid.
    #[inline(always)]
    pub fn resolve(&mut self, value: u32, has_literals: bool) -> u32 {
        let Self { first, second, third } = *self;
        // The numbers 0, 1 and 2 are the three offsets. All others are new.
        let number = value.wrapping_sub(u32::from(has_literals));
        let new = select_unpredictable(value > 3, value.wrapping_sub(3), first.wrapping_sub(1));
        let offset = select_unpredictable(number == 2, third, new);
        let offset = select_unpredictable(number == 1, second, offset);
        self.first = select_unpredictable(number == 0, first, offset);
        self.second = select_unpredictable(number == 0, second, first);
        self.third = select_unpredictable(number > 1, second, third);
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::Offsets;

    #[test]
    fn all_codes_move_the_offsets_as_the_format_says() {
        let cases = [
            (1, true, 10, [10, 20, 30]),
            (2, true, 20, [20, 10, 30]),
            (3, true, 30, [30, 10, 20]),
            (1, false, 20, [20, 10, 30]),
            (2, false, 30, [30, 10, 20]),
            (3, false, 9, [9, 10, 20]),
            (4, true, 1, [1, 10, 20]),
            (4, false, 1, [1, 10, 20]),
            (u32::MAX, true, u32::MAX - 3, [u32::MAX - 3, 10, 20]),
        ];
        for (value, has_literals, offset, after) in cases {
            let mut offsets = Offsets::new([10, 20, 30]);
            assert_eq!(offsets.resolve(value, has_literals), offset, "{value} {has_literals}");
            assert_eq!(offsets, Offsets::new(after), "{value} {has_literals}");
        }
    }
}
