//! libdeflate: whole buffers of DEFLATE, the fastest portable code both ways.
//!
//! The crate `libdeflater` wraps it too, but does not say where the coded stream ended, and a member
//! must end exactly where its size says it does.

use std::ptr::NonNull;

use libdeflate_sys as sys;

/// The CRC-32 of gzip, going on from `crc`, which is 0 at first.
pub(crate) fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the pointer and the length are those of one slice.
    unsafe { sys::libdeflate_crc32(crc, bytes.as_ptr().cast(), bytes.len()) }
}

/// The Adler-32 of zlib, going on from `sum`, which is 1 at first.
pub(crate) fn adler32(sum: u32, bytes: &[u8]) -> u32 {
    // SAFETY: the pointer and the length are those of one slice.
    unsafe { sys::libdeflate_adler32(sum, bytes.as_ptr().cast(), bytes.len()) }
}

/// A compressor of one level.
pub(crate) struct Compressor(NonNull<sys::libdeflate_compressor>);

// SAFETY: a compressor is plain memory without ties to a thread.
unsafe impl Send for Compressor {}

impl Compressor {
    /// Nothing without memory, or for a level that is not 0 to 12.
    pub(crate) fn new(level: i32) -> Option<Self> {
        // SAFETY: any level may be asked for; a null pointer says that it cannot be had.
        NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level) }).map(Self)
    }

    /// Codes `plain` as one complete DEFLATE stream into `coded`; its length, unless there is no room.
    pub(crate) fn compress(&mut self, plain: &[u8], coded: &mut [u8]) -> Option<usize> {
        // SAFETY: the compressor is valid and used by us alone; both pointers come with the lengths
        // of their slices, which do not overlap as one of them is exclusive.
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
        // SAFETY: it was allocated by the library and is freed once.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// A decompressor.
pub(crate) struct Decompressor(NonNull<sys::libdeflate_decompressor>);

// SAFETY: a decompressor is plain memory without ties to a thread.
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// Nothing without memory.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: there is nothing to violate; a null pointer says that there is no memory.
        NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Whether `coded` is exactly one DEFLATE stream that decodes to exactly the length of `plain`.
    pub(crate) fn decompress_exactly(&mut self, coded: &[u8], plain: &mut [u8]) -> bool {
        let (mut read, mut written) = (0, 0);
        // SAFETY: the decompressor is valid and used by us alone; both pointers come with the lengths
        // of their slices, which do not overlap as one of them is exclusive; the two counts are
        // written to before the call returns.
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
        // SAFETY: it was allocated by the library and is freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}
