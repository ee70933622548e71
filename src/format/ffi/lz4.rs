//! liblz4: blocks and frames, by the bindings of `lz4-sys`.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use lz4_sys as sys;

// In the library that `lz4-sys` builds, but not among its bindings: compression with memory of ours.
unsafe extern "C" {
    fn LZ4_sizeofState() -> c_int;
    fn LZ4_sizeofStateHC() -> c_int;
    fn LZ4_compress_fast_extState(
        state: *mut c_void,
        source: *const c_char,
        dest: *mut c_char,
        source_len: c_int,
        dest_len: c_int,
        acceleration: c_int,
    ) -> c_int;
    fn LZ4_compress_HC_extStateHC(
        state: *mut c_void,
        source: *const c_char,
        dest: *mut c_char,
        source_len: c_int,
        dest_len: c_int,
        level: c_int,
    ) -> c_int;
}

/// How a block is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The fast compressor; greater accelerations are faster still.
    Fast(i32),
    /// The high compression one, levels 2 to 12.
    High(i32),
}

/// A compressor of independent blocks.
pub(crate) struct Compressor {
    effort: Effort,
    /// The library wants it aligned for pointers.
    state: Box<[u64]>,
}

impl Compressor {
    pub(crate) fn new(effort: Effort) -> Self {
        // SAFETY: these functions only return a constant.
        let len = unsafe {
            match effort {
                Effort::Fast(_) => LZ4_sizeofState(),
                Effort::High(_) => LZ4_sizeofStateHC(),
            }
        };
        Self { effort, state: vec![0; (len.unsigned_abs() as usize).div_ceil(8)].into() }
    }

    /// Codes `plain` into `coded`; its length, unless there is no room or `plain` is 2 GiB or more.
    pub(crate) fn compress(&mut self, plain: &[u8], coded: &mut [u8]) -> Option<usize> {
        let plain_len = c_int::try_from(plain.len()).ok()?;
        let room = c_int::try_from(coded.len()).unwrap_or(c_int::MAX);
        let (source, dest) = (plain.as_ptr().cast(), coded.as_mut_ptr().cast());
        let state = self.state.as_mut_ptr().cast();
        // SAFETY: the state has the size that the library asks for this compressor, is aligned to
        // eight bytes, is ours alone, and is initialised by the call itself; the pointers come with
        // lengths that are not greater than those of their slices, which do not overlap.
        let len = unsafe {
            match self.effort {
                Effort::Fast(acceleration) => {
                    LZ4_compress_fast_extState(state, source, dest, plain_len, room, acceleration)
                }
                Effort::High(level) => {
                    LZ4_compress_HC_extStateHC(state, source, dest, plain_len, room, level)
                }
            }
        };
        usize::try_from(len).ok().filter(|&len| len > 0)
    }
}

/// Decodes one independent block into the front of `plain`; the length decoded, unless it is invalid.
pub(crate) fn decompress(coded: &[u8], plain: &mut [u8]) -> Option<usize> {
    let coded_len = c_int::try_from(coded.len()).ok()?;
    let room = c_int::try_from(plain.len()).unwrap_or(c_int::MAX);
    // SAFETY: the pointers come with lengths not greater than those of their slices, which do not
    // overlap; the library checks every access against them ("safe").
    let len = unsafe {
        sys::LZ4_decompress_safe(coded.as_ptr().cast(), plain.as_mut_ptr().cast(), coded_len, room)
    };
    usize::try_from(len).ok()
}

/// A decoder of frames that come in pieces.
pub(crate) struct FrameDecompressor(sys::LZ4FDecompressionContext);

impl FrameDecompressor {
    /// Nothing without memory.
    pub(crate) fn new() -> Option<Self> {
        let mut context = sys::LZ4FDecompressionContext(ptr::null_mut());
        // SAFETY: the context is written before it is used, and only if there is no error.
        let error = unsafe {
            let code = sys::LZ4F_createDecompressionContext(&mut context, sys::LZ4F_VERSION);
            sys::LZ4F_isError(code) != 0
        };
        (!error).then_some(Self(context))
    }

    /// Forgets the frame begun.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the context is valid and used by us alone.
        unsafe { sys::LZ4F_resetDecompressionContext(self.0) }
    }

    /// Decodes on: bytes read, bytes written, and whether the frame has ended. Otherwise what is wrong.
    pub(crate) fn decompress(
        &mut self,
        coded: &[u8],
        plain: &mut [u8],
    ) -> Result<(usize, usize, bool), String> {
        let (mut read, mut written) = (coded.len(), plain.len());
        // SAFETY: the context is valid and used by us alone; the lengths passed in are those of the
        // slices, which do not overlap; the library reads and writes within them, and replaces them
        // by what it has used. No options are given, so earlier output need not stay in place.
        let code = unsafe {
            sys::LZ4F_decompress(
                self.0,
                plain.as_mut_ptr(),
                &mut written,
                coded.as_ptr(),
                &mut read,
                ptr::null(),
            )
        };
        // SAFETY: any number may be asked about; the name is a constant, zero-terminated string.
        unsafe {
            if sys::LZ4F_isError(code) != 0 {
                let name = CStr::from_ptr(sys::LZ4F_getErrorName(code)).to_string_lossy();
                return Err(name.trim_start_matches("ERROR_").to_owned());
            }
        }
        Ok((read, written, code == 0))
    }
}

impl Drop for FrameDecompressor {
    fn drop(&mut self) {
        // SAFETY: it was made by the library and is freed once.
        unsafe {
            sys::LZ4F_freeDecompressionContext(self.0);
        }
    }
}
