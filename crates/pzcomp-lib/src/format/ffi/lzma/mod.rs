//! liblzma without its pointers: coders for Blocks and Streams of xz, for `.lzma`, and for LZMA with nothing around it.
//!
//! The formats xz, lzip and `.lzma` call it. A coder takes and gives slices, and keeps its memory from one frame to the
//! next. A failure of the library becomes a [`Failure`], which does not know the file; the format makes an error of it.

mod decode;
mod encode;
mod filters;

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use liblzma_sys as sys;

pub(crate) use decode::LzmaDecoder;
pub(crate) use encode::{
    BlockEncoder, EXTREME, StreamEncoder, block_bound, decoder_memory, encoder_memory, frame_block,
};
pub(crate) use filters::preset;

/// The version of the library.
pub(super) fn version() -> String {
    // SAFETY: the function only returns a constant. 5.8.4 is 50080042: the last digit says that it is a release.
    let number = unsafe { sys::lzma_version_number() };
    format!("{}.{}.{}", number / 10_000_000, number / 10_000 % 1000, number / 10 % 1000)
}

/// A failure of liblzma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The data is not valid.
    Data,
    /// The data does not match its Check.
    Check,
    /// The data needs a filter or an option that this liblzma does not have.
    Options,
    /// The data needs this many bytes of memory, which is more than the limit.
    Limit(u64),
    /// The system has no memory.
    NoMemory,
    /// The library was called wrongly, or returned a code that its documentation does not name.
    Program(u32),
}

impl Failure {
    fn of(ret: sys::lzma_ret) -> Self {
        match ret {
            sys::LZMA_DATA_ERROR | sys::LZMA_FORMAT_ERROR => Self::Data,
            sys::LZMA_OPTIONS_ERROR => Self::Options,
            sys::LZMA_MEM_ERROR => Self::NoMemory,
            other => Self::Program(other),
        }
    }
}

fn succeed(ret: sys::lzma_ret) -> Result<(), Failure> {
    if ret == sys::LZMA_OK { Ok(()) } else { Err(Failure::of(ret)) }
}

/// The result of one step of coding or decoding.
pub(crate) struct Coded {
    /// Bytes of input that were used.
    pub(crate) read: usize,
    /// Bytes of output that were written.
    pub(crate) written: usize,
    /// Whether the end is reached.
    pub(crate) state: Result<bool, Failure>,
}

fn lzma_options(preset: u32, dict_len: Option<u32>) -> sys::lzma_options_lzma {
    // SAFETY: numbers and pointers, all of which may be zero.
    let mut options: sys::lzma_options_lzma = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: `options` is valid for writes. An unknown preset leaves zeros, which no encoder accepts.
    unsafe { sys::lzma_lzma_preset(&mut options, preset) };
    options.dict_size = dict_len.unwrap_or(options.dict_size);
    options
}

/// A chain of LZMA or LZMA2 alone. It points to `options`, so it is valid until `options` are moved or changed.
fn chain(id: sys::lzma_vli, options: &mut sys::lzma_options_lzma) -> [sys::lzma_filter; 2] {
    let options = ptr::from_mut(options).cast::<c_void>();
    [
        sys::lzma_filter { id, options },
        sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: ptr::null_mut() },
    ]
}

fn empty_block() -> sys::lzma_block {
    // SAFETY: numbers and pointers, all of which may be zero.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// A coder of liblzma with its memory. It points to no buffer while it is not running.
struct LzmaStream(sys::lzma_stream);

// SAFETY: it owns what it points to, and liblzma ties none of it to a thread.
unsafe impl Send for LzmaStream {}

struct Step {
    read: usize,
    written: usize,
    ret: sys::lzma_ret,
}

impl LzmaStream {
    fn new() -> Self {
        // SAFETY: this is `LZMA_STREAM_INIT`: null pointers and zeros.
        Self(unsafe { MaybeUninit::zeroed().assume_init() })
    }

    fn code(&mut self, input: &[u8], output: &mut [u8], action: sys::lzma_action) -> Step {
        self.0.next_in = input.as_ptr();
        self.0.avail_in = input.len();
        self.0.next_out = output.as_mut_ptr();
        self.0.avail_out = output.len();
        // SAFETY: the pointers are good for the lengths given, for the time of this call.
        let ret = unsafe { sys::lzma_code(&mut self.0, action) };
        let (read, written) = (input.len() - self.0.avail_in, output.len() - self.0.avail_out);
        self.0.next_in = ptr::null();
        self.0.avail_in = 0;
        self.0.next_out = ptr::null_mut();
        self.0.avail_out = 0;
        Step { read, written, ret }
    }
}

impl Drop for LzmaStream {
    fn drop(&mut self) {
        // SAFETY: the stream is initialised, as `LZMA_STREAM_INIT` at the least.
        unsafe { sys::lzma_end(&mut self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::XzFilter;

    fn level(level: u32) -> Vec<XzFilter> {
        vec![XzFilter::Lzma(preset(level))]
    }

    fn encode(encoder: &mut BlockEncoder, plain: &[u8]) -> Vec<u8> {
        let mut out = vec![0; block_bound(plain.len())];
        let coded = encoder.encode(plain, 1 << 16, &mut out).unwrap();
        assert_eq!(coded.len, coded.unpadded_len.next_multiple_of(4));
        out.truncate(coded.len);
        out
    }

    fn decode(decoder: &mut LzmaDecoder, coded: &[u8], memory_limit: u64) -> Result<Vec<u8>, Failure> {
        let (header, mut rest) = coded.split_at((usize::from(coded[0]) + 1) * 4);
        decoder.begin_block(header, sys::LZMA_CHECK_CRC64, true, memory_limit)?;
        let mut plain = vec![0; 1 << 17];
        let mut filled = 0;
        loop {
            let Coded { read, written, state } = decoder.code(rest, &mut plain[filled..]);
            rest = &rest[read..];
            filled += written;
            if state? {
                break;
            }
            assert!(read + written > 0, "neither an end nor an error");
        }
        assert!(rest.is_empty());
        plain.truncate(filled);
        Ok(plain)
    }

    #[test]
    fn coders_serve_block_after_block_even_after_failures() {
        let text = b"three in the morning ".repeat(3000);
        let mut seed = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .take(1 << 17)
        .collect();
        let (mut encoder, mut decoder) =
            (BlockEncoder::new(level(1), sys::LZMA_CHECK_CRC64), LzmaDecoder::new());
        for plain in [&text[..], &noise, b"", b"x", &text] {
            let coded = encode(&mut encoder, plain);
            assert_eq!(decode(&mut decoder, &coded, u64::MAX).unwrap(), plain);
            let mut wrong = coded.clone();
            *wrong.last_mut().unwrap() ^= 1;
            assert_eq!(decode(&mut decoder, &wrong, u64::MAX), Err(Failure::Check));
            assert!(matches!(decode(&mut decoder, &coded, 1000), Err(Failure::Limit(1001..))));
            wrong[9] ^= 1;
            assert_eq!(
                decode(&mut decoder, &wrong, u64::MAX),
                Err(Failure::Data),
                "the header has its own CRC32"
            );
        }
    }

    #[test]
    fn room_below_the_bound_is_refused() {
        let mut out = vec![0; block_bound(100) - 1];
        assert_eq!(
            BlockEncoder::new(level(6), sys::LZMA_CHECK_CRC64).encode(&[0; 100], 4096, &mut out),
            Err(Failure::Program(sys::LZMA_BUF_ERROR))
        );
    }

    #[test]
    fn raw_lzma_ends_at_its_end_marker() {
        let text = b"three in the morning ".repeat(3000);
        let (dict_len, mut decoder) = (1 << 18, LzmaDecoder::new());
        let mut encoder = pzcomp_lzma::Encoder::new(pzcomp_lzma::Params::preset(0, false));
        for plain in [&text[..], b"", b"x", &text] {
            let mut coded = vec![0; plain.len() + 100];
            let len = encoder.encode_lzma1(plain, &mut coded).unwrap();
            let mut back = vec![0; plain.len()];
            // The bytes behind the end marker are not read.
            decoder.begin_raw(dict_len, u64::MAX).unwrap();
            let Coded { read, written, state } = decoder.code(&coded, &mut back);
            assert_eq!((read, written, state), (len, plain.len(), Ok(true)));
            assert!(back == plain);
        }
        assert!(matches!(decoder.begin_raw(dict_len, 1000), Err(Failure::Limit(1001..))));
    }
}
