//! The fast loop over one or four Huffman streams. The file has unsafe code: it reads and writes without bounds checks.
//!
//! Each stream has a 64-bit container whose highest bit is the next bit to read. A 1 bit is set behind the last valid
//! bit. Reading shifts the container left, and zeros follow the 1 bit; so their number tells how many bits were read.

use super::streams::Lanes;
use super::weights::CODE_BITS_MAX;
use super::{FAST_BITS, HuffmanTable};

/// How many symbols of each stream a round decodes.
const ROUND: usize = 5;

/// How many bytes a round of one stream takes at most.
const ROUND_BYTES: usize = 7;

/// A container is shifted by at most eight bits when it is filled, and the 1 bit takes one more.
const CONTAINER_BITS: usize = 64 - 8 - 1;
const _: () = assert!(FAST_BITS <= CODE_BITS_MAX);
const _: () = assert!(ROUND * FAST_BITS as usize <= CONTAINER_BITS);
const _: () = assert!((8 + ROUND * FAST_BITS as usize) / 8 <= ROUND_BYTES);

/// Decodes as many symbols as the loop can without looking at the ends, the same number from each stream.
pub(crate) fn run<const N: usize>(
    lanes: &mut Lanes<N>,
    block: &[u8],
    table: &HuffmanTable,
    literals: &mut [u8],
) {
    // All streams are as far in their part of the literals.
    let stride = if N > 1 { lanes[1].to - lanes[0].to } else { 0 };
    let in_step = (0..N).all(|lane| lanes[lane].to == lanes[0].to + lane * stride);
    let fits = lanes.iter().all(|lane| lane.to <= lane.end && lane.end <= literals.len());
    if !in_step || !fits {
        return;
    }
    // The first word of each stream must not begin before the block. It ends with the byte of the reader's position.
    if table.index_bits != FAST_BITS || lanes.iter().any(|lane| lane.at / 8 < 7 || lane.at / 8 >= block.len())
    {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if crate::has_bmi2() {
        // SAFETY: the processor has the features, and the rest was checked above.
        return unsafe { rounds_bmi2(lanes, block, table, literals, stride) };
    }
    // SAFETY: all was checked above.
    unsafe { rounds(lanes, block, table, literals, stride) }
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
    stride: usize,
) {
    // SAFETY: the caller's promise.
    unsafe { rounds(lanes, block, table, literals, stride) }
}

// The arrays are indexed in step, and the compiler keeps them in registers.
#[allow(clippy::needless_range_loop)]
/// # Safety
/// For each lane, `7 <= at / 8 < block.len()` and `to <= end <= literals.len()`. The lanes' `to` are `stride` apart.
#[inline(always)]
unsafe fn rounds<const N: usize>(
    lanes: &mut Lanes<N>,
    block: &[u8],
    table: &HuffmanTable,
    literals: &mut [u8],
    stride: usize,
) {
    debug_assert!(lanes.iter().all(|lane| (7..block.len()).contains(&(lane.at / 8))), "a word to read");
    debug_assert!(
        lanes.iter().all(|lane| lane.to <= lane.end && lane.end <= literals.len()),
        "room to write"
    );
    let entries = table.entries.as_ptr();
    let source = block.as_ptr();
    // SAFETY: the caller's promise.
    let mut output = unsafe { literals.as_mut_ptr().add(lanes[0].to) };
    let word = |from: usize| {
        debug_assert!(from + 8 <= block.len(), "a word to read");
        // SAFETY: `from + 8 <= block.len()` holds for each place at which a word is read: at first by the promise of
        // the caller, then because places only come down.
        u64::from_le(unsafe { source.add(from).cast::<u64>().read_unaligned() })
    };

    let mut from = [0; N];
    let mut bits = [0; N];
    let mut left = usize::MAX;
    for lane in 0..N {
        let at = lanes[lane].at;
        from[lane] = at / 8 - 7;
        bits[lane] = (word(from[lane]) | 1) << (8 - at % 8);
        left = left.min(lanes[lane].end - lanes[lane].to);
    }
    loop {
        let mut rounds = left / ROUND;
        for place in from {
            rounds = rounds.min(place / ROUND_BYTES);
        }
        if rounds == 0 {
            break;
        }
        for _ in 0..rounds {
            for symbol in 0..ROUND {
                for lane in 0..N {
                    let index = (bits[lane] >> (64 - FAST_BITS)) as usize;
                    // SAFETY: the index has eleven bits, and the table has more entries. This round and those
                    // before it write below each `end`, because `rounds` was at most the share of what is left.
                    unsafe {
                        let entry = *entries.add(index);
                        bits[lane] <<= entry & 63;
                        *output.add(lane * stride + symbol) = (entry >> 8) as u8;
                    }
                }
            }
            for lane in 0..N {
                let read = bits[lane].trailing_zeros();
                // At most seven bytes a round, and `rounds` was at most a seventh of the place: no underflow.
                from[lane] -= (read / 8) as usize;
                bits[lane] = (word(from[lane]) | 1) << (read % 8);
            }
            // SAFETY: as for the writes above: at most `end` of the first lane.
            output = unsafe { output.add(ROUND) };
        }
        left -= rounds * ROUND;
    }
    // SAFETY: both are in the literals.
    let done = unsafe { output.offset_from_unsigned(literals.as_ptr()) } - lanes[0].to;
    for lane in 0..N {
        lanes[lane].at = (from[lane] + 8) * 8 - bits[lane].trailing_zeros() as usize;
        lanes[lane].to += done;
    }
}
