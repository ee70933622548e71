//! The block decoder: from the bits of a block, behind its magic number, to its data.
//!
//! ```text
//! selectors and codes (huffman) ─▶ symbols ─▶ move to front (mtf) ─▶ inverse transform (inverse) ─▶ runs undone (runs)
//! ```
//!
//! A caller gives [`BlockDecoder::decode`] the bits of a block and gets the CRC that the block claims. Then
//! [`BlockDecoder::runs`] gives the data, whose CRC the caller compares. The decoder refuses the damaged blocks that
//! libbz2 refuses, and accepts what it accepts, such as codes with gaps and selectors that are not used.

mod bits;
mod huffman;
mod inverse;
mod mtf;
mod runs;

pub use bits::BitReader;
pub use runs::{MissingCount, Runs};

use huffman::Code;
use inverse::{Inverse, LEN_MAX};
use mtf::Recency;

use crate::{CODES_MAX, Error, GROUP_LEN, LEVEL_LEN, RUN_B, SYMBOLS_MAX, valid};

/// The greatest number of groups of a block. More selectors are read and not used.
const SELECTORS_MAX: usize = 2 + LEVEL_LEN * 9 / GROUP_LEN;

/// The fields before the codes of a block.
struct Header {
    is_randomised: bool,
    /// The row of the text among its sorted rotations.
    origin: u32,
}

/// The fields before the selectors.
struct Fields {
    is_randomised: bool,
    origin: u32,
    recency: Recency,
    /// How many bytes are in use.
    used: usize,
    code_count: usize,
    selector_count: usize,
}

impl Fields {
    fn read(bits: &mut BitReader, len_max: usize) -> Result<Self, Error> {
        let is_randomised = bits.take(1) == 1;
        let origin = bits.take(24);
        if origin as usize > len_max + 10 {
            return Err(Error::Invalid("it says that its data starts beyond its end"));
        }
        let (recency, used) = read_bytes_in_use(bits)?;
        let code_count = bits.take(3) as usize;
        if !(2..=CODES_MAX).contains(&code_count) {
            return Err(Error::Invalid("it says that it has fewer than two codes or more than six"));
        }
        let selector_count = bits.take(15) as usize;
        if selector_count == 0 {
            return Err(Error::Invalid("it says that it has no selectors"));
        }
        Ok(Self { is_randomised, origin, recency, used, code_count, selector_count })
    }
}

/// The most bytes that the fields of a block fill which [`check_fields`] reads, with a byte in which they begin.
pub const FIELDS_LEN: usize = 4 + 4 + 2 + 32 + 3 + 1;

/// Reads the fields before the selectors of the block whose bits, behind its magic number, come next. An error means
/// that [`BlockDecoder::decode`] fails too. This takes no memory and next to no time.
pub fn check_fields(bits: &mut BitReader, level: u8) -> Result<(), Error> {
    bits.take(32);
    let fields = Fields::read(bits, LEVEL_LEN * valid(level));
    match bits.is_overrun() {
        true => Err(Error::Truncated),
        false => fields.map(drop),
    }
}

/// A decoder of one block after another. It takes about 12 MiB of memory.
pub struct BlockDecoder {
    codes: Box<[Code; CODES_MAX]>,
    selectors: Vec<u8>,
    /// First the last bytes of the sorted rotations, then the text.
    text: Vec<u8>,
    len: usize,
    counts: [u32; 256],
    inverse: Inverse,
}

impl BlockDecoder {
    /// A decoder for blocks of any level, or an error if there is no memory.
    pub fn new() -> Result<Self, Error> {
        Ok(Self {
            codes: Box::new([const { Code::new() }; CODES_MAX]),
            selectors: Vec::with_capacity(SELECTORS_MAX),
            text: vec![0; LEN_MAX],
            len: 0,
            counts: [0; 256],
            inverse: Inverse::new().ok_or(Error::OutOfMemory)?,
        })
    }

    /// Decodes the block whose bits, behind its magic number, come next. Returns the CRC that the block claims.
    ///
    /// `level` is that of the stream, 1 to 9: a block that holds more is not valid. After [`Error::Truncated`] the
    /// caller decodes the block again from its start, when it has more of the input.
    pub fn decode(&mut self, bits: &mut BitReader, level: u8) -> Result<u32, Error> {
        let claimed = bits.take(32);
        let header = self.read(bits, LEVEL_LEN * valid(level));
        // Bits behind the end of the input are zeros, which allow no verdict.
        if bits.is_overrun() {
            return Err(Error::Truncated);
        }
        let Header { is_randomised, origin } = header?;
        let text = &mut self.text[..self.len];
        self.inverse.run(text, origin, &self.counts);
        if is_randomised {
            restore(text);
        }
        Ok(claimed)
    }

    /// The data of the block that was decoded last. After an error it has no meaning.
    pub fn runs(&self) -> Runs<'_> {
        Runs::new(&self.text[..self.len])
    }

    fn read(&mut self, bits: &mut BitReader, len_max: usize) -> Result<Header, Error> {
        let Fields { is_randomised, origin, mut recency, used, code_count, selector_count } =
            Fields::read(bits, len_max)?;
        self.read_selectors(bits, code_count, selector_count)?;
        for code in &mut self.codes[..code_count] {
            let mut lens = [0; SYMBOLS_MAX];
            read_lengths(bits, &mut lens[..used + 2])?;
            code.set(&lens[..used + 2]);
        }
        self.read_symbols(bits, &mut recency, used as u32 + 1, len_max)?;
        if origin as usize >= self.len {
            return Err(Error::Invalid("it says that its data starts beyond its end"));
        }
        Ok(Header { is_randomised, origin })
    }

    /// Reads which code each group of symbols is in.
    fn read_selectors(&mut self, bits: &mut BitReader, code_count: usize, count: usize) -> Result<(), Error> {
        let mut recency = [0, 1, 2, 3, 4, 5];
        self.selectors.clear();
        for _ in 0..count {
            bits.refill();
            let place = (!bits.peek(CODES_MAX as u32 + 1) << (31 - CODES_MAX)).leading_zeros() as usize;
            if place >= code_count {
                // The bits that were examined may be behind the end of the input.
                bits.pass(code_count as u32);
                return Err(Error::Invalid("a selector names a code that it does not have"));
            }
            bits.pass(place as u32 + 1);
            recency[..=place].rotate_right(1);
            if self.selectors.len() < SELECTORS_MAX {
                self.selectors.push(recency[0]);
            }
        }
        Ok(())
    }

    /// Decodes the symbols of the block up to its end, which is symbol `end`.
    ///
    /// It is not inlined, so that its loop has all registers whatever calls the decoder.
    #[inline(never)]
    fn read_symbols(
        &mut self,
        bits: &mut BitReader,
        recency: &mut Recency,
        end: u32,
        len_max: usize,
    ) -> Result<(), Error> {
        const TOO_LONG: Error = Error::Invalid("it holds more than its level allows");
        let text = self.text.get_mut(..len_max).ok_or(TOO_LONG)?;
        self.counts.fill(0);
        let mut len = 0;
        // The run whose digits are being read, and the weight of its next digit.
        let (mut run, mut weight) = (0_usize, 1_usize);
        for &selector in &self.selectors {
            let Some(code) = self.codes.get(usize::from(selector)) else { break };
            for _ in 0..GROUP_LEN {
                bits.refill();
                let symbol = code.decode(bits);
                if symbol <= RUN_B {
                    run += weight << symbol;
                    weight *= 2;
                    if run > len_max {
                        return Err(TOO_LONG);
                    }
                    continue;
                }
                if run > 0 {
                    let byte = recency.front();
                    text.get_mut(len..len + run).ok_or(TOO_LONG)?.fill(byte);
                    self.counts[usize::from(byte)] += run as u32;
                    len += run;
                    (run, weight) = (0, 1);
                }
                if symbol >= end {
                    if symbol == end {
                        self.len = len;
                        return Ok(());
                    }
                    return Err(Error::Invalid("there are bits that are no code"));
                }
                let byte = recency.take((symbol - 1) as u8);
                *text.get_mut(len).ok_or(TOO_LONG)? = byte;
                self.counts[usize::from(byte)] += 1;
                len += 1;
            }
        }
        Err(Error::Invalid("it goes on behind its last selector"))
    }
}

/// The bytes that occur in the block, and how many they are.
fn read_bytes_in_use(bits: &mut BitReader) -> Result<(Recency, usize), Error> {
    let rows = bits.take(16) as u16;
    let mut used = [0_u16; 16];
    for (row, used) in used.iter_mut().enumerate() {
        if rows << row & 0x8000 != 0 {
            *used = bits.take(16) as u16;
        }
    }
    let is_used = |byte: &u8| used[usize::from(byte >> 4)] << (byte & 15) & 0x8000 != 0;
    match Recency::new((0..=u8::MAX).filter(is_used)) {
        (_, 0) => Err(Error::Invalid("it says that no byte occurs in it")),
        list => Ok(list),
    }
}

/// The lengths of the codes of all symbols, each as a difference to the one before.
fn read_lengths(bits: &mut BitReader, lens: &mut [u8]) -> Result<(), Error> {
    let mut current = bits.take(5);
    for len in lens {
        loop {
            if !(1..=huffman::LEN_MAX).contains(&current) {
                return Err(Error::Invalid("it has a code of no bits or of more than 20"));
            }
            if bits.take(1) == 0 {
                break;
            }
            // Wraps no lower than to zero, which is refused.
            current = if bits.take(1) == 0 { current + 1 } else { current - 1 };
            if bits.is_overrun() {
                return Err(Error::Truncated);
            }
        }
        *len = current as u8;
    }
    Ok(())
}

/// Distances of the bytes that are changed in randomised blocks, which versions of bzip2 before 0.9.5 wrote where
/// sorting would have taken long: a table that is part of the format.
#[rustfmt::skip]
static DISTANCES: [u16; 512] = [
    619, 720, 127, 481, 931, 816, 813, 233, 566, 247, 985, 724, 205, 454, 863, 491, 741, 242, 949,
    214, 733, 859, 335, 708, 621, 574, 73, 654, 730, 472, 419, 436, 278, 496, 867, 210, 399, 680,
    480, 51, 878, 465, 811, 169, 869, 675, 611, 697, 867, 561, 862, 687, 507, 283, 482, 129, 807,
    591, 733, 623, 150, 238, 59, 379, 684, 877, 625, 169, 643, 105, 170, 607, 520, 932, 727, 476,
    693, 425, 174, 647, 73, 122, 335, 530, 442, 853, 695, 249, 445, 515, 909, 545, 703, 919, 874,
    474, 882, 500, 594, 612, 641, 801, 220, 162, 819, 984, 589, 513, 495, 799, 161, 604, 958, 533,
    221, 400, 386, 867, 600, 782, 382, 596, 414, 171, 516, 375, 682, 485, 911, 276, 98, 553, 163,
    354, 666, 933, 424, 341, 533, 870, 227, 730, 475, 186, 263, 647, 537, 686, 600, 224, 469, 68,
    770, 919, 190, 373, 294, 822, 808, 206, 184, 943, 795, 384, 383, 461, 404, 758, 839, 887, 715,
    67, 618, 276, 204, 918, 873, 777, 604, 560, 951, 160, 578, 722, 79, 804, 96, 409, 713, 940,
    652, 934, 970, 447, 318, 353, 859, 672, 112, 785, 645, 863, 803, 350, 139, 93, 354, 99, 820,
    908, 609, 772, 154, 274, 580, 184, 79, 626, 630, 742, 653, 282, 762, 623, 680, 81, 927, 626,
    789, 125, 411, 521, 938, 300, 821, 78, 343, 175, 128, 250, 170, 774, 972, 275, 999, 639, 495,
    78, 352, 126, 857, 956, 358, 619, 580, 124, 737, 594, 701, 612, 669, 112, 134, 694, 363, 992,
    809, 743, 168, 974, 944, 375, 748, 52, 600, 747, 642, 182, 862, 81, 344, 805, 988, 739, 511,
    655, 814, 334, 249, 515, 897, 955, 664, 981, 649, 113, 974, 459, 893, 228, 433, 837, 553, 268,
    926, 240, 102, 654, 459, 51, 686, 754, 806, 760, 493, 403, 415, 394, 687, 700, 946, 670, 656,
    610, 738, 392, 760, 799, 887, 653, 978, 321, 576, 617, 626, 502, 894, 679, 243, 440, 680, 879,
    194, 572, 640, 724, 926, 56, 204, 700, 707, 151, 457, 449, 797, 195, 791, 558, 945, 679, 297,
    59, 87, 824, 713, 663, 412, 693, 342, 606, 134, 108, 571, 364, 631, 212, 174, 643, 304, 329,
    343, 97, 430, 751, 497, 314, 983, 374, 822, 928, 140, 206, 73, 263, 980, 736, 876, 478, 430,
    305, 170, 514, 364, 692, 829, 82, 855, 953, 676, 246, 369, 970, 294, 750, 807, 827, 150, 790,
    288, 923, 804, 378, 215, 828, 592, 281, 565, 555, 710, 82, 896, 831, 547, 261, 524, 462, 293,
    465, 502, 56, 661, 821, 976, 991, 658, 869, 905, 758, 745, 193, 768, 550, 608, 933, 378, 286,
    215, 979, 792, 961, 61, 688, 793, 644, 986, 403, 106, 366, 905, 644, 372, 567, 466, 434, 645,
    210, 389, 550, 919, 135, 780, 773, 635, 389, 707, 100, 626, 958, 165, 504, 920, 176, 193, 713,
    857, 265, 203, 50, 668, 108, 645, 990, 626, 197, 510, 357, 358, 850, 858, 364, 936, 638,
];

/// Flips the lowest bit of the bytes that the encoder changed.
fn restore(text: &mut [u8]) {
    // Two before the end of each distance.
    let mut end = 0;
    for &distance in DISTANCES.iter().cycle() {
        end += usize::from(distance);
        match text.get_mut(end - 2) {
            Some(byte) => *byte ^= 1,
            None => return,
        }
    }
}
