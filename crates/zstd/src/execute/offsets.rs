//! Repeated offsets (RFC 8878, section 3.1.1.5).

/// Finds the offset of a sequence, and moves it to the front of the three that can be repeated.
///
/// The values 1 to 3 stand for one of the three, or, if the sequence has no literals, for the next one; the last of
/// these is one less than the first. All other values are a new offset plus three. There are no branches: which of
/// these a sequence has can rarely be predicted. A result of zero, or one that wrapped, is not valid.
#[inline(always)]
pub(crate) fn resolve(offsets: &mut [u32; 3], value: u32, has_literals: bool) -> u32 {
    use std::hint::select_unpredictable;
    let [first, second, third] = *offsets;
    let number = value.wrapping_sub(u32::from(has_literals));
    let new = select_unpredictable(value > 3, value.wrapping_sub(3), first.wrapping_sub(1));
    // The numbers 0, 1 and 2 are the three offsets. All others are new.
    let is_new = (value > 3) | (number > 2);
    let mut offset = select_unpredictable(number == 0, first, second);
    offset = select_unpredictable(number == 2, third, offset);
    offset = select_unpredictable(is_new, new, offset);
    let keeps_first = number == 0;
    let keeps_third = (number == 1) | keeps_first;
    offsets[2] = select_unpredictable(keeps_third & !is_new, third, second);
    offsets[1] = select_unpredictable(keeps_first, second, first);
    offsets[0] = offset;
    offset
}

#[cfg(test)]
mod tests {
    use super::resolve;

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
            let mut offsets = [10, 20, 30];
            assert_eq!(resolve(&mut offsets, value, has_literals), offset, "{value} {has_literals}");
            assert_eq!(offsets, after, "{value} {has_literals}");
        }
    }
}
