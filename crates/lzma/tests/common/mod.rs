//! Helpers for tests of the encoder: liblzma decodes what it writes.
//!
//! The fuzz target `lzma_encoder` and `benches/versus.rs` include this file by its path. So it uses only the public
//! API.

#![allow(dead_code)] // Each user needs some of it.
#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

use liblzma_sys as sys;
use pzcomp_lzma::{Encoder, Error, LZMA2_END, Params, Sorter, lzma2_bound};

pub fn options(preset: u32, dict_len: usize) -> sys::lzma_options_lzma {
    // SAFETY: a struct of numbers and pointers, which the call fills.
    let mut options = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid.
    unsafe { sys::lzma_lzma_preset(&mut options, preset) };
    options.dict_size = dict_len as u32;
    options
}

fn filters(filter: sys::lzma_vli, options: &mut sys::lzma_options_lzma) -> [sys::lzma_filter; 2] {
    let end = sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: std::ptr::null_mut() };
    [sys::lzma_filter { id: filter, options: std::ptr::from_mut(options).cast() }, end]
}

/// The length of what liblzma makes of `plain`, as LZMA2.
pub fn len_by_liblzma(plain: &[u8], options: &mut sys::lzma_options_lzma, out: &mut [u8]) -> usize {
    let filters = filters(sys::LZMA_FILTER_LZMA2, options);
    let mut len = 0;
    // SAFETY: filters, input and output are valid for their lengths.
    let ret = unsafe {
        sys::lzma_raw_buffer_encode(
            filters.as_ptr(),
            std::ptr::null(),
            plain.as_ptr(),
            plain.len(),
            out.as_mut_ptr(),
            &mut len,
            out.len(),
        )
    };
    assert_eq!(ret, sys::LZMA_OK);
    len
}

/// What liblzma makes of `coded`, which must be a whole stream of this filter. Fewer bytes than `len` come back as
/// such.
pub fn decode(coded: &[u8], filter: sys::lzma_vli, params: &Params, len: usize) -> Vec<u8> {
    let mut options = options(6, params.dict_len);
    let filters = filters(filter, &mut options);
    let mut plain = vec![0; len + 1];
    let (mut read, mut written) = (0, 0);
    // SAFETY: filters, input and output are valid for their lengths.
    let ret = unsafe {
        sys::lzma_raw_buffer_decode(
            filters.as_ptr(),
            std::ptr::null(),
            coded.as_ptr(),
            &mut read,
            coded.len(),
            plain.as_mut_ptr(),
            &mut written,
            plain.len(),
        )
    };
    assert_eq!((ret, read), (sys::LZMA_OK, coded.len()));
    plain.truncate(written);
    plain
}

/// Codes `plain` in both formats. Asserts that liblzma decodes the same bytes, and that exactly as much room is needed
/// as is written to.
pub fn round_trip(encoder: &mut Encoder, params: &Params, plain: &[u8]) {
    for filter in [sys::LZMA_FILTER_LZMA1, sys::LZMA_FILTER_LZMA2] {
        let is_two = filter == sys::LZMA_FILTER_LZMA2;
        let mut encode = |out: &mut [u8]| {
            if is_two { encoder.encode_lzma2(plain, out) } else { encoder.encode_lzma1(plain, out) }
        };
        let room = if is_two { lzma2_bound(plain.len()) } else { plain.len() + plain.len() / 8 + 64 };
        let mut coded = vec![0xEE; room];
        let len = encode(&mut coded).unwrap();
        let back = decode(&coded[..len], filter, params, plain.len());
        assert!(back == plain, "{} bytes, {params:?}", plain.len());
        let mut exact = vec![0; len];
        assert_eq!(encode(&mut exact), Ok(len));
        assert!(exact == coded[..len]);
        if is_two {
            assert_slices(params, plain, &exact);
        }
        let short = encode(&mut exact[..len - 1]);
        // What does not fit as LZMA may fit when it is stored.
        assert!(short == Err(Error::NoRoom) || is_two && short.is_ok_and(|short| short < len), "{short:?}");
    }
}

/// Asserts that slices that other encoders code are `coded`. The last one is sorted first, and coded first if it can
/// be.
pub fn assert_slices(params: &Params, plain: &[u8], coded: &[u8]) {
    let mut encoders = [Encoder::new(*params), Encoder::new(*params)];
    let mut sorter = Sorter::new();
    let (end, rest) = coded.split_last().unwrap();
    assert_eq!(*end, LZMA2_END);
    let cut = params.slices(plain);
    let count = cut.count();
    let mut slices = vec![Vec::new(); count];
    let order: Vec<usize> = if cut.are_joined() { (0..count).collect() } else { (0..count).rev().collect() };
    for pair in order.chunks(2) {
        for (encoder, &index) in encoders.iter_mut().zip(pair).rev() {
            encoder.sort_slice(plain, &cut, index).unwrap();
        }
        for encoder in encoders.iter_mut().take(pair.len()) {
            encoder.join_slice(plain, &mut sorter).unwrap();
        }
        for (encoder, &index) in encoders.iter_mut().zip(pair).rev() {
            let mut out = vec![0; cut.bound()];
            let len = encoder.encode_slice(plain, &mut out).unwrap();
            slices[index] = out[..len].to_vec();
        }
    }
    assert!(slices.concat() == *rest);
}
