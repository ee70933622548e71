//! The block finder: where in a stream a dynamic block begins.
//!
//! A block may begin at any bit, and the stream does not say where. But few bit strings look like the header of a
//! dynamic block: about 200 of 10^12 random ones (Knespel and Brunst, "Rapidgzip", 2023). [`BlockFinder::find`]
//! takes coded bytes from inside a stream and returns the first bit at which a valid header begins. It does not
//! look for stored and fixed blocks, nor for the last block. A decoder that begins at a found place must still
//! verify that the block before ends exactly there.

use super::bits::{Bits, Kept};
use super::code::{Codes, Precode};
use super::dynamic::{HeaderState, Lens};

/// The greatest length of a block header, in bytes: 17 bits, 19 lengths of three bits, and 316 codes of seven
/// bits with seven extra bits.
pub const HEADER_MAX: usize = (17 + 19 * 3 + 316 * 14_usize).div_ceil(8);

/// How many places the finder examines together: those whose first 13 bits are in a word.
const STEP: usize = 48;

/// The first 17 bits of a header: what block it is, HLIT, HDIST and HCLEN.
const COUNTS_BITS: usize = 17;

/// The sum of 2^(7 - length) over all lengths of a complete code of at most seven bits.
const COMPLETE: u32 = 1 << 7;

/// The same sum for four code lengths of three bits.
static FOUR_LENS: [u16; 1 << 12] = {
    let mut sums = [0; 1 << 12];
    let mut lens = 0;
    while lens < sums.len() {
        let mut shift = 0;
        while shift < 12 {
            let len = lens >> shift & 7;
            sums[lens] += if len == 0 { 0 } else { (COMPLETE >> len) as u16 };
            shift += 3;
        }
        lens += 1;
    }
    sums
};

/// Finds the places where dynamic blocks begin.
///
/// ```
/// use pzcomp_deflate::inflate::{BlockFinder, Boundary, Inflate};
///
/// # use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
/// # let plain: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
/// # let mut coded = vec![0; coded_bound(plain.len())];
/// # let len = Encoder::new(Search::Matches).encode(&plain, &mut coded, End::Final).unwrap();
/// # let coded = &coded[..len];
/// // `coded` is a stream of several blocks.
/// let bit = BlockFinder::default().find(&coded[1000..]).ok_or("no block begins behind that place")?;
/// let (boundary, next) = Boundary::at(&coded[1000..], bit);
/// // A decoder can begin there, with the bytes that follow.
/// let mut inflate = Inflate::<u8>::new();
/// inflate.reset_inside(boundary);
/// let input = &coded[1000 + next..];
/// # assert!(!input.is_empty());
/// # Ok::<(), &str>(())
/// ```
pub struct BlockFinder {
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
}

impl Default for BlockFinder {
    fn default() -> Self {
        Self { lens: Lens::default(), precode: Precode::new(), codes: Box::new(Codes::new()) }
    }
}

impl BlockFinder {
    /// The number of the first bit at which a block begins, of those more than [`HEADER_MAX`] bytes before the end.
    pub fn find(&mut self, coded: &[u8]) -> Option<usize> {
        let end = 8 * coded.len().checked_sub(HEADER_MAX)?;
        let words = coded.windows(size_of::<u64>()).step_by(STEP / 8);
        for (word, start) in words.zip((0..end).step_by(STEP)) {
            let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            let mut places = candidates(word);
            while places != 0 {
                let place = start + places.trailing_zeros() as usize;
                places &= places - 1;
                if place < end && has_precode(coded, place) && self.is_header(coded, place) {
                    return Some(place);
                }
            }
        }
        None
    }

    /// Whether there is a whole header of a dynamic block.
    fn is_header(&mut self, coded: &[u8], place: usize) -> bool {
        let mut bits = Bits::new(Kept::default(), &coded[place / 8..]);
        if bits.take((place % 8) as u32 + 3).is_none() {
            return false;
        }
        let read = self.lens.read(HeaderState::Counts, &mut bits, &mut self.precode);
        let (litlen, distance) = self.lens.both();
        read == Ok(None) && self.codes.set(litlen, distance).is_ok()
    }
}

/// Which of the lowest [`STEP`] bits may begin a dynamic block that is not the last. Its type decides, and that
/// HLIT and HDIST are below 30.
fn candidates(word: u64) -> u64 {
    let block = !word & !(word >> 1) & (word >> 2);
    let all = |first: u32| word >> first & word >> (first + 1) & word >> (first + 2) & word >> (first + 3);
    block & !all(4) & !all(9) & ((1 << STEP) - 1)
}

/// Whether the header at this bit has a complete code of code lengths.
fn has_precode(coded: &[u8], place: usize) -> bool {
    let word = |bit: usize| {
        let bytes = coded.get(bit / 8..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) >> (bit % 8)
    };
    let count = (word(place) >> 13 & 15) as usize + 4;
    // At most 57 bits, which a word has from any bit on. All of them are looked up, whatever the first ones add up
    // to: that costs less than a branch that cannot be predicted.
    let lens = word(place + COUNTS_BITS) & ((1 << (3 * count)) - 1);
    let sum = (0..5).map(|four| u32::from(FOUR_LENS[(lens >> (12 * four)) as usize & 0xfff])).sum::<u32>();
    sum == COMPLETE
}
