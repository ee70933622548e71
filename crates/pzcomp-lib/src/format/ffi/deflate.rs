//! libdeflate: compresses and decompresses whole buffers of DEFLATE. It is the fastest portable code for both.
//!
//! gzip, zlib and zip call it. A stream that is not at hand completely cannot be decoded here. The crate `libdeflater`
//! wraps the library too, but it does not say where the coded stream ended. A gzip member must end exactly where its
//! size says, so this wrapper checks the end.

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// The CRC-32 of gzip. `crc` is that of the bytes before, and 0 at first.
pub(crate) fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the pointer and the length are those of one slice.
    unsafe { sys::libdeflate_crc32(crc, bytes.as_ptr().cast(), bytes.len()) }
}

/// The Adler-32 of zlib. `sum` is that of the bytes before, and 1 at first.
pub(crate) fn adler32(sum: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the pointer and the length are those of one slice.
    unsafe { sys::libdeflate_adler32(sum, bytes.as_ptr().cast(), bytes.len()) }
}

/// A compressor of one level.
pub(crate) struct Compressor(NonNull<sys::libdeflate_compressor>);

// SAFETY: a compressor is plain memory without ties to a thread.
unsafe impl Send for Compressor {}

impl Compressor {
    /// Returns `None` if there is no memory, or if the level is not 0 to 12.
    pub(crate) fn new(level: i32) -> Option<Self> {
        // SAFETY: the function accepts any level, and returns a null pointer if it cannot make the compressor.
        NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level) }).map(Self)
    }

    /// Codes `plain` as one complete DEFLATE stream into `coded`. Returns its length, or `None` if there is no room.
    pub(crate) fn compress(&mut self, plain: &[u8], coded: &mut [u8]) -> Option<usize> {
        // SAFETY: the compressor is valid, and nothing else uses it. Both pointers come with the lengths of their
        // slices. The slices do not overlap, because one of them is exclusive.
        let len = unsafe {
            sys::libdeflate_deflate_compress(
                self.0.as_ptr(),
                plain.as_ptr().cast(),
                plain.len(),
                coded.as_mut_ptr().cast(),
                coded.len(),
            )
        };
        (len > 0).then_some(len)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: the library allocated the compressor, and it is freed only here.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

pub(crate) struct Decompressor(NonNull<sys::libdeflate_decompressor>);

// SAFETY: a decompressor is plain memory without ties to a thread.
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: the function has no conditions. It returns a null pointer if there is no memory.
        NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Whether `coded` is exactly one DEFLATE stream that decodes to exactly the length of `plain`.
    pub(crate) fn decompress_exactly(&mut self, coded: &[u8], plain: &mut [u8]) -> bool {
        let (mut read, mut written) = (0, 0);
        // SAFETY: the decompressor is valid, and nothing else uses it. Both pointers come with the lengths of their
        // slices. The slices do not overlap, because one of them is exclusive. The two counts are written only during
        // the call.
        let result = unsafe {
            sys::libdeflate_deflate_decompress_ex(
                self.0.as_ptr(),
                coded.as_ptr().cast(),
                coded.len(),
                plain.as_mut_ptr().cast(),
                plain.len(),
                &mut read,
                &mut written,
            )
        };
        result == sys::libdeflate_result_LIBDEFLATE_SUCCESS && read == coded.len() && written == plain.len()
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the library allocated the decompressor, and it is freed only here.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
