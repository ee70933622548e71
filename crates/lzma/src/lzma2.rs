//! LZMA2: chunks of LZMA, and stored chunks where data does not compress.

use crate::Error;
use crate::encode::{Coding, Encoder};
use crate::model::{MATCH_MAX, PROPERTIES};
use crate::range::RangeEncoder;

/// The greatest plain and coded lengths of a chunk, and of a stored one.
const PLAIN_MAX: usize = 2 << 20;
const CODED_MAX: usize = 64 << 10;
const STORED_MAX: usize = 64 << 10;
/// No symbol is coded in more bytes.
const SYMBOL_MAX: usize = 32;
/// The first bytes of a chunk, without the properties, and of a stored one.
const HEADER_LEN: usize = 5;
const STORED_HEADER_LEN: usize = 3;

/// What a chunk resets. The kinds are in the order of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reset {
    Nothing,
    State,
    Properties,
    Dictionary,
}

/// The control bytes.
const END: u8 = 0;
const STORED_RESET: u8 = 1;
const STORED: u8 = 2;
const LZMA: u8 = 0x80;

impl Encoder {
    /// Codes `plain` as LZMA2 into the front of `out`, and returns the coded length. [`lzma2_bound`] is room enough.
    pub fn encode_lzma2(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut coding = self.begin(plain)?;
        let coded = write_chunks(&mut coding, plain, out);
        coding.check()?;
        // Chunks of LZMA can be a few bytes longer than what they hold. Stored, the text has room.
        coded.or_else(|| store(plain, out)).ok_or(Error::NoRoom)
    }
}

/// The greatest coded length of a text.
pub fn lzma2_bound(plain_len: usize) -> usize {
    plain_len + plain_len.div_ceil(STORED_MAX) * STORED_HEADER_LEN + 1
}

fn write_chunks(coding: &mut Coding<'_>, plain: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut reset = Reset::Dictionary;
    let mut len = 0;
    while coding.at() < plain.len() {
        let start = coding.at();
        let has_properties = reset >= Reset::Properties;
        let (header, data) =
            out.get_mut(len..)?.split_at_mut_checked(HEADER_LEN + usize::from(has_properties))?;
        let coded_len = write_lzma(coding, data);
        let plain_len = coding.at() - start;
        if let Some(coded_len) = coded_len.filter(|&coded_len| coded_len < plain_len) {
            let (plain_last, coded_last) = (plain_len - 1, coded_len - 1);
            header[0] = LZMA | (reset as u8) << 5 | (plain_last >> 16) as u8;
            header[1..3].copy_from_slice(&(plain_last as u16).to_be_bytes());
            header[3..5].copy_from_slice(&(coded_last as u16).to_be_bytes());
            if let Some(properties) = header.get_mut(HEADER_LEN) {
                *properties = PROPERTIES;
            }
            len += header.len() + coded_len;
            reset = Reset::Nothing;
        } else {
            coding.reset();
            let resets_dictionary = reset == Reset::Dictionary;
            len += write_stored(&plain[start..coding.at()], resets_dictionary, &mut out[len..])?;
            reset = if has_properties { Reset::Properties } else { Reset::State };
        }
    }
    *out.get_mut(len)? = END;
    Some(len + 1)
}

/// Codes as many symbols as a chunk can hold. Returns nothing if there is too little room.
fn write_lzma(coding: &mut Coding<'_>, out: &mut [u8]) -> Option<usize> {
    let start = coding.at();
    let mut range = RangeEncoder::new(out);
    while let Some(symbol) = coding.next() {
        let is_full = range.finished_len() > CODED_MAX - SYMBOL_MAX;
        if is_full || coding.at() - start > PLAIN_MAX - MATCH_MAX as usize {
            break;
        }
        coding.code(&mut range, symbol);
    }
    range.finish()
}

fn write_stored(plain: &[u8], mut resets_dictionary: bool, out: &mut [u8]) -> Option<usize> {
    let mut len = 0;
    for stored in plain.chunks(STORED_MAX) {
        let end = len + STORED_HEADER_LEN + stored.len();
        let (header, data) = out.get_mut(len..end)?.split_first_chunk_mut::<STORED_HEADER_LEN>()?;
        let [high, low] = ((stored.len() - 1) as u16).to_be_bytes();
        *header = [if resets_dictionary { STORED_RESET } else { STORED }, high, low];
        data.copy_from_slice(stored);
        resets_dictionary = false;
        len = end;
    }
    Some(len)
}

fn store(plain: &[u8], out: &mut [u8]) -> Option<usize> {
    let len = write_stored(plain, true, out)?;
    *out.get_mut(len)? = END;
    Some(len + 1)
}
