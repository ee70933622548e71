//! LZMA2: chunks of LZMA, and stored chunks where data does not compress.
//!
//! A text is cut into slices. The model begins anew with each slice, so that several threads can code one text.

use crate::encode::{Coding, Encoder};
use crate::matches::Sorter;
use crate::model::{MATCH_MAX, PROPERTIES};
use crate::quick::Limits;
use crate::range::RangeEncoder;
use crate::{Error, Slices};

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

/// The byte behind the last slice of a text.
pub const LZMA2_END: u8 = 0;

/// The control bytes.
const STORED_RESET: u8 = 1;
const STORED: u8 = 2;
const LZMA: u8 = 0x80;

impl Encoder {
    /// Codes `plain` as LZMA2 into the front of `out`, and returns the coded length. [`lzma2_bound`] is room enough.
    pub fn encode_lzma2(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let mut len = 0;
        let slices = self.params().slices(plain);
        for index in 0..slices.count() {
            self.sort_slice(plain, &slices, index)?;
            self.join_window(plain, None)?;
            len += self.encode_slice(plain, out.get_mut(len..).ok_or(Error::NoRoom)?)?;
        }
        *out.get_mut(len).ok_or(Error::NoRoom)? = LZMA2_END;
        Ok(len + 1)
    }

    /// The first of three steps that code a slice of `plain`. It needs nothing of other slices.
    ///
    /// The slices and [`LZMA2_END`] behind each other are `plain` as LZMA2, as [`Self::encode_lzma2`] codes it. A slice
    /// refers to all of `plain` before it, and its bytes do not depend on which encoders code the slices.
    ///
    /// ```
    /// use pzcomp_lzma::{Encoder, LZMA2_END, Params, Search, Sorter, lzma2_bound};
    ///
    /// let plain = b"by the sea shore".repeat(10_000);
    /// let params = Params { dict_len: 1 << 16, nice_len: 64, search: Search::All };
    /// let slices = params.slices(&plain);
    /// assert_eq!(slices.count(), 3);
    /// let mut sorter = Sorter::new();
    /// let mut slice = |index| {
    ///     let mut out = vec![0; slices.bound()];
    ///     let mut encoder = Encoder::new(params);
    ///     encoder.sort_slice(&plain, &slices, index)?;
    ///     encoder.join_slice(&plain, &mut sorter)?;
    ///     let len = encoder.encode_slice(&plain, &mut out)?;
    ///     Ok::<_, pzcomp_lzma::Error>(out[..len].to_vec())
    /// };
    /// let [first, second, third] = [slice(0)?, slice(1)?, slice(2)?];
    ///
    /// let mut whole = vec![0; lzma2_bound(plain.len())];
    /// let len = Encoder::new(params).encode_lzma2(&plain, &mut whole)?;
    /// assert_eq!([&first[..], &second, &third, &[LZMA2_END]].concat(), whole[..len]);
    /// # Ok::<(), pzcomp_lzma::Error>(())
    /// ```
    pub fn sort_slice(&mut self, plain: &[u8], slices: &Slices, index: usize) -> Result<(), Error> {
        let Slices(windows) = *slices;
        if windows.text_len != plain.len() {
            return Err(Error::Order);
        }
        self.sort_window(plain, windows, windows.start(index))
    }

    /// The second step. If [`Slices::are_joined`], slices take it in their order, from the first one on, with the same
    /// sorter.
    pub fn join_slice(&mut self, plain: &[u8], sorter: &mut Sorter) -> Result<(), Error> {
        let start = self.window().start;
        if self.is_joined() && start > 0 && sorter.next != start {
            return Err(Error::Order);
        }
        self.join_window(plain, Some(sorter))
    }

    /// The last step. Codes the slice into the front of `out`, and returns the coded length. [`Slices::bound`] is
    /// room enough.
    pub fn encode_slice(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let part = self.window();
        let slice = plain.get(part.clone()).ok_or(Error::Order)?;
        // A slice that is longer than this would take the room of others.
        let most = out.len().min(stored_len(slice.len()));
        let out = &mut out[..most];
        let mut coding = self.begin(plain, part.clone());
        let coded = write_chunks(&mut coding, plain, out);
        coding.check()?;
        // Chunks of LZMA can be a few bytes longer than what they hold. Stored, the slice has room.
        coded.or_else(|| write_stored(slice, part.start == 0, out)).ok_or(Error::NoRoom)
    }
}

/// The greatest coded length of a text.
pub fn lzma2_bound(plain_len: usize) -> usize {
    stored_len(plain_len) + 1
}

/// The length of stored chunks.
pub(crate) fn stored_len(plain_len: usize) -> usize {
    plain_len + plain_len.div_ceil(STORED_MAX) * STORED_HEADER_LEN
}

/// Codes the slice to its end. The first chunk of a slice resets all but the dictionary, and that of the text the
/// dictionary too. Returns nothing if there is too little room.
fn write_chunks(coding: &mut Coding<'_>, plain: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut reset = if coding.at() == 0 { Reset::Dictionary } else { Reset::Properties };
    let mut len = 0;
    while coding.at() < coding.end() {
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
    Some(len)
}

/// Codes as many symbols as a chunk can hold. Returns nothing if there is too little room.
fn write_lzma(coding: &mut Coding<'_>, out: &mut [u8]) -> Option<usize> {
    let mut range = RangeEncoder::new(out);
    let limits =
        Limits { plain_end: coding.at() + PLAIN_MAX - MATCH_MAX as usize, coded_max: CODED_MAX - SYMBOL_MAX };
    coding.run(&mut range, limits);
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
