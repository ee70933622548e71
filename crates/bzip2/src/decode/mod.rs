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
mod random;
mod runs;

pub use bits::BitReader;
use huffman::Code;
use inverse::{Inverse, LEN_MAX};
use mtf::Recency;
pub use runs::{MissingCount, Runs};

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
            random::restore(text);
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
