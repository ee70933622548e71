//! The fast loop over one or four Huffman streams. The file has unsafe code: it reads and writes without bounds checks.
//!
//! Each stream has a 64-bit container whose highest bit is the next bit to read. A 1 bit is set behind the last valid bit.
//! Reading shifts the container left, and zeros follow the 1 bit; so their number tells how many bits were read.

use super::streams::Stream;
use super::table::{FAST_BITS, HuffmanTable};

/// All streams of a literals section.
pub(crate) type Lanes<const N: usize> = [Stream; N];

/// How many symbols of each stream a round decodes: five codes of eleven bits fit in what a container always has.
const ROUND: usize = 5;

/// How many bytes a round of one stream takes at most: 8 + 55 bits.
const ROUND_BYTES: usize = 7;

/// Decodes as many symbols as the loop can without looking at the ends, the same number from each stream.
pub(crate) fn run<const N: usize>(
    lanes: &mut Lanes<N>,
    block: &[u8],
    table: &HuffmanTable,
    literals: &mut [u8],
) {
    // The first word of each stream must not begin before the block. It ends with the byte of the reader's position.
    if table.index_bits != FAST_BITS || lanes.iter().any(|lane| lane.at / 8 < 7 || lane.at / 8 >= block.len()) {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if crate::cpu::has_bmi2() {
        // SAFETY: the processor has the features, and the positions were checked above.
        return unsafe { rounds_bmi2(lanes, block, table, literals) };
    }
    // SAFETY: the positions were checked above.
    unsafe { rounds(lanes, block, table, literals) }
}

/// # Safety
/// As [`rounds`], and the processor has BMI1, BMI2, LZCNT and AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,avx2")]
unsafe fn rounds_bmi2<const N: usize>(
    lanes: &mut Lanes<N>,
    block: &[u8],
    table: &HuffmanTable,
    literals: &mut [u8],
) {
    // SAFETY: the caller's promise.
    unsafe { rounds(lanes, block, table, literals) }
}

/// # Safety
/// For each lane, `7 <= at / 8 < block.len()`.
#[inline(always)]
unsafe fn rounds<const N: usize>(
    lanes: &mut Lanes<N>,
    block: &[u8],
    table: &HuffmanTable,
    literals: &mut [u8],
) {
    let entries = table.entries.as_ptr();
    let source = block.as_ptr();
    let output = literals.as_mut_ptr();
    // SAFETY: `from + 8 <= block.len()` holds for each place at which a word is read: at first by the promise of the
    // caller, then because places only come down.
    let word = |from: usize| u64::from_le(unsafe { source.add(from).cast::<u64>().read_unaligned() });

    let mut from = [0; N];
    let mut bits = [0; N];
    let mut to = [0; N];
    for lane in 0..N {
        let at = lanes[lane].at;
        from[lane] = at / 8 - 7;
        bits[lane] = (word(from[lane]) | 1) << (8 - at % 8);
        to[lane] = lanes[lane].to;
        // What the output's ends promise below is checked once here.
        assert!(lanes[lane].to <= lanes[lane].end && lanes[lane].end <= literals.len());
    }
    loop {
        let mut rounds = usize::MAX;
        for lane in 0..N {
            rounds = rounds.min(from[lane] / ROUND_BYTES).min((lanes[lane].end - to[lane]) / ROUND);
        }
        if rounds == 0 {
            break;
        }
        for _ in 0..rounds {
            for symbol in 0..ROUND {
                for lane in 0..N {
                    let index = (bits[lane] >> (64 - FAST_BITS)) as usize;
                    // SAFETY: the index has eleven bits, and the table has more entries. This round and those
                    // before it write below `end`, because `rounds` was at most the share of what is left.
                    unsafe {
                        let entry = *entries.add(index);
                        bits[lane] <<= entry & 63;
                        *output.add(to[lane] + symbol) = (entry >> 8) as u8;
                    }
                }
            }
            for lane in 0..N {
                let read = bits[lane].trailing_zeros();
                // At most seven bytes a round, and `rounds` was at most a seventh of the place: no underflow.
                from[lane] -= (read / 8) as usize;
                bits[lane] = (word(from[lane]) | 1) << (read % 8);
                to[lane] += ROUND;
            }
        }
    }
    for lane in 0..N {
        lanes[lane].at = (from[lane] + 8) * 8 - bits[lane].trailing_zeros() as usize;
        lanes[lane].to = to[lane];
    }
}
