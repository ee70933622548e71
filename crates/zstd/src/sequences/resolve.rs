//! Resolves the repeated offsets of a block without the block before, and adds up its lengths.
//!
//! The first sequences may repeat offsets of the block before. As soon as all three offsets are of this block, nothing
//! of the block before is left. From there on each sequence gets its offset in place of the offset value.

use super::Offsets;
use super::codes::MATCH_LEN_MIN;
use super::decode::{LENGTH_BITS, unpack};

/// What the sequences of a block add up to. The lengths of a block that is not valid need more than 32 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolved {
    /// How many literals they use.
    pub literals: u64,
    /// The length of all matches.
    pub matches: u64,
    /// From this sequence on, each has its offset.
    pub from: usize,
    /// The three offsets behind the last sequence, if any has its offset.
    pub offsets: Offsets,
}

/// Resolves the packed sequences, and adds them up. Without `is_packed` some offset values are elsewhere, so the
/// sequences are only added up.
pub(crate) fn resolve(sequences: &mut [u64], is_packed: bool) -> Resolved {
    let mut sum = Resolved { literals: 0, matches: 0, from: 0, offsets: Offsets::unknown() };
    for &sequence in &*sequences {
        if is_packed && sum.offsets.are_known() {
            break;
        }
        let (literal_length, match_extra, value) = unpack(sequence);
        sum.offsets.resolve(value as u32, literal_length > 0);
        sum.literals += literal_length as u64;
        sum.matches += (match_extra + MATCH_LEN_MIN) as u64;
        sum.from += 1;
    }
    let rest = &mut sequences[sum.from..];
    resolve_rest(rest, &mut sum);
    sum
}

/// Resolves sequences behind three that are known.
#[inline(always)]
fn resolve_rest(rest: &mut [u64], sum: &mut Resolved) {
    let mut offsets = sum.offsets;
    let (mut literals, mut lengths) = (0, 0);
    for sequence in &mut *rest {
        let low = *sequence & ((1 << (2 * LENGTH_BITS)) - 1);
        let literal_length = *sequence & ((1 << LENGTH_BITS) - 1);
        let value = (*sequence >> (2 * LENGTH_BITS)) as u32;
        let offset = offsets.resolve(value, literal_length > 0);
        // Behind an offset of zero, which is an error, it may be longer than 30 bits.
        *sequence = low | u64::from(offset) << (2 * LENGTH_BITS);
        literals += literal_length;
        // Both lengths at once. The literals are subtracted below.
        lengths += low;
    }
    sum.offsets = offsets;
    sum.literals += literals;
    sum.matches += ((lengths - literals) >> LENGTH_BITS) + (MATCH_LEN_MIN * rest.len()) as u64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::pack;

    fn next(random: &mut u64) -> u64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *random >> 33
    }

    #[test]
    fn offsets_are_those_of_a_decoder_that_knows_the_block_before() {
        let mut random = 1;
        for round in 0..if cfg!(miri) { 30 } else { 3000 } {
            let count = next(&mut random) % 40;
            // Some blocks have few new offsets, or none.
            let new = next(&mut random) % 5;
            let packed: Vec<u64> = (0..count)
                .map(|_| {
                    let value = match next(&mut random) % 4 {
                        at if at < new => 4 + next(&mut random) % 1_000_000,
                        _ => 1 + next(&mut random) % 3,
                    };
                    pack([next(&mut random) % 3, next(&mut random) % 200, value])
                })
                .collect();
            let before = [5, 70_000, (1 << 30) - 4 - round];
            let (mut resolved, mut expected) = (packed.clone(), Offsets::new(before));
            let sum = resolve(&mut resolved, true);
            let mut lengths = [0, 0];
            for (number, (&sequence, &resolved)) in packed.iter().zip(&resolved).enumerate() {
                let (literal_length, match_extra, value) = unpack(sequence);
                let offset = expected.resolve(value as u32, literal_length > 0);
                let value = if number < sum.from { value } else { offset as usize };
                assert_eq!(unpack(resolved), (literal_length, match_extra, value), "{round}, {number}");
                lengths = [lengths[0] + literal_length as u64, lengths[1] + match_extra as u64 + 3];
            }
            assert_eq!([sum.literals, sum.matches], lengths, "{round}");
            assert!(sum.from as u64 == count || sum.offsets == expected, "{round}");
        }
    }

    #[test]
    fn three_new_offsets_are_enough() {
        let sequence = |value| pack([1, 0, value]);
        let mut block = [5, 1, 6, 2, 7, 3, 1].map(sequence);
        let sum = resolve(&mut block, true);
        assert_eq!((sum.from, sum.offsets), (5, Offsets::new([3, 4, 2])));
        assert_eq!(block, [5, 1, 6, 2, 7, 3, 3].map(sequence));
        let mut block = [5, 1, 6, 2, 7, 3, 1].map(sequence);
        assert_eq!(resolve(&mut block, false).from, 7);
    }

    #[test]
    fn lengths_of_more_than_32_bits_are_added_up() {
        let longest = (1 << LENGTH_BITS) - 1;
        let mut block = vec![pack([longest, longest, 4]); 43_690];
        let sum = resolve(&mut block, true);
        assert_eq!((sum.literals, sum.matches), (43_690 * longest, 43_690 * (longest + 3)));
    }
}
