//! liblz4: blocks and frames, by the bindings of `lz4-sys`.
//!
//! The format lz4 is the only caller. [`Compressor`] and the function for decoding work on single blocks. The frame
//! coders work on frames that come in pieces.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use lz4_sys as sys;

// `lz4-sys` builds these functions, but has no bindings for them. They compress with memory that the caller owns.
unsafe extern "C" {
    safe fn LZ4_versionNumber() -> c_int;
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
pub(crate) enum Strength {
    /// The fast compressor. A greater acceleration is faster.
    Fast(i32),
    /// The high compression compressor, with levels 2 to 12.
    High(i32),
}

/// The version of the library: 11000 is 1.10.0.
pub(super) fn version_number() -> u32 {
    LZ4_versionNumber().unsigned_abs()
}

/// A compressor of independent blocks.
pub(crate) struct Compressor {
    effort: Strength,
    /// The memory of the library. It must be aligned for pointers.
    state: Box<[u64]>,
}

impl Compressor {
    pub(crate) fn new(effort: Strength) -> Self {
        // SAFETY: these functions only return a constant.
        let len = unsafe {
            match effort {
                Strength::Fast(_) => LZ4_sizeofState(),
                Strength::High(_) => LZ4_sizeofStateHC(),
            }
        };
        Self { effort, state: vec![0; (len.unsigned_abs() as usize).div_ceil(8)].into() }
    }

    /// Codes `plain` into `coded`. Returns the length, or `None` if there is no room or `plain` is 2 GiB or more.
    pub(crate) fn compress(&mut self, plain: &[u8], coded: &mut [u8]) -> Option<usize> {
        let plain_len = c_int::try_from(plain.len()).ok()?;
        let room = c_int::try_from(coded.len()).unwrap_or(c_int::MAX);
        let (source, dest) = (plain.as_ptr().cast(), coded.as_mut_ptr().cast());
        let state = self.state.as_mut_ptr().cast();
        // SAFETY: the state has the size that the library asks for this compressor, and is aligned to eight bytes.
        // Nothing else uses it, and the call initialises it. The pointers come with lengths that are not greater than
        // those of their slices. The slices do not overlap.
        let len = unsafe {
            match self.effort {
                Strength::Fast(acceleration) => {
                    LZ4_compress_fast_extState(state, source, dest, plain_len, room, acceleration)
                }
                Strength::High(level) => {
                    LZ4_compress_HC_extStateHC(state, source, dest, plain_len, room, level)
                }
            }
        };
        usize::try_from(len).ok().filter(|&len| len > 0)
    }
}

/// Decodes one independent block into the front of `plain`. Returns the plain length, or `None` if the block is not
/// valid.
pub(crate) fn decompress(coded: &[u8], plain: &mut [u8]) -> Option<usize> {
    let coded_len = c_int::try_from(coded.len()).ok()?;
    let room = c_int::try_from(plain.len()).unwrap_or(c_int::MAX);
    // SAFETY: the pointers come with lengths not greater than those of their slices, which do not overlap. The library
    // compares every access with these lengths.
    let len = unsafe {
        sys::LZ4_decompress_safe(coded.as_ptr().cast(), plain.as_mut_ptr().cast(), coded_len, room)
    };
    usize::try_from(len).ok()
}

/// The parameters of the frames of a [`FrameCompressor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameStyle {
    pub(crate) effort: Strength,
    /// The number of the greatest block length, 4 to 7, as the format defines it.
    pub(crate) block_id: u8,
    pub(crate) linked: bool,
    pub(crate) block_checksums: bool,
    pub(crate) content_checksum: bool,
}

impl FrameStyle {
    /// The greatest coded length of `plain_len` bytes, without the header and the end of a frame.
    pub(crate) fn bound(self, plain_len: usize) -> usize {
        // SAFETY: the function takes a number, and preferences that live as long as the call.
        unsafe { sys::LZ4F_compressBound(plain_len, &self.preferences(0)) }
    }

    fn preferences(self, content_len: u64) -> sys::LZ4FPreferences {
        let frame_info = sys::LZ4FFrameInfo {
            block_size_id: match self.block_id {
                ..=4 => sys::BlockSize::Max64KB,
                5 => sys::BlockSize::Max256KB,
                6 => sys::BlockSize::Max1MB,
                _ => sys::BlockSize::Max4MB,
            },
            block_mode: if self.linked { sys::BlockMode::Linked } else { sys::BlockMode::Independent },
            content_checksum_flag: match self.content_checksum {
                true => sys::ContentChecksum::ChecksumEnabled,
                false => sys::ContentChecksum::NoChecksum,
            },
            frame_type: sys::FrameType::Frame,
            content_size: content_len,
            dict_id: 0,
            block_checksum_flag: match self.block_checksums {
                true => sys::BlockChecksum::BlockChecksumEnabled,
                false => sys::BlockChecksum::NoBlockChecksum,
            },
        };
        let level = match self.effort {
            // The library negates a level below zero and adds one. The result is the acceleration.
            Strength::Fast(acceleration) => 1 - acceleration,
            Strength::High(level) => level,
        };
        sys::LZ4FPreferences {
            frame_info,
            // The library declares it as a signed number.
            compression_level: level as u32,
            auto_flush: 1,
            favor_dec_speed: 0,
            reserved: [0; 3],
        }
    }
}

/// A coder of frames, one after another.
pub(crate) struct FrameCompressor {
    context: sys::LZ4FCompressionContext,
    style: FrameStyle,
}

impl FrameCompressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new(style: FrameStyle) -> Option<Self> {
        let mut context = sys::LZ4FCompressionContext(ptr::null_mut());
        // SAFETY: the context is written before it is used, and only if there is no error.
        let code = unsafe { sys::LZ4F_createCompressionContext(&mut context, sys::LZ4F_VERSION) };
        succeed(code).is_ok().then_some(Self { context, style })
    }

    /// Writes the header of a frame. `content_len` is its plain length, or 0 if that is not known. Returns the number
    /// of bytes written, or the name of the error.
    pub(crate) fn begin(&mut self, content_len: u64, out: &mut [u8]) -> Result<usize, String> {
        let preferences = self.style.preferences(content_len);
        // SAFETY: the context is valid, and nothing else uses it. The pointer comes with the length of its slice. The
        // library copies the preferences during the call.
        succeed(unsafe { sys::LZ4F_compressBegin(self.context, out.as_mut_ptr(), out.len(), &preferences) })
    }

    /// Codes `plain` into blocks. Returns the number of bytes written, or the name of the error.
    pub(crate) fn update(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, String> {
        // SAFETY: the context is valid, and nothing else uses it. The pointers come with the lengths of their slices,
        // which do not overlap. No options are given, so the plain bytes need not stay in place.
        succeed(unsafe {
            sys::LZ4F_compressUpdate(
                self.context,
                out.as_mut_ptr(),
                out.len(),
                plain.as_ptr(),
                plain.len(),
                ptr::null(),
            )
        })
    }

    /// Writes the bytes that wait for a full block, as a block. Returns the number of bytes written, or the name of the
    /// error.
    pub(crate) fn flush(&mut self, out: &mut [u8]) -> Result<usize, String> {
        // SAFETY: as in `end`.
        succeed(unsafe { sys::LZ4F_flush(self.context, out.as_mut_ptr(), out.len(), ptr::null()) })
    }

    /// Writes the end of the frame. Returns the number of bytes written, or the name of the error.
    pub(crate) fn end(&mut self, out: &mut [u8]) -> Result<usize, String> {
        // SAFETY: the context is valid, and nothing else uses it. The pointer comes with the length of its slice.
        succeed(unsafe { sys::LZ4F_compressEnd(self.context, out.as_mut_ptr(), out.len(), ptr::null()) })
    }
}

impl Drop for FrameCompressor {
    fn drop(&mut self) {
        // SAFETY: the library made the context, and it is freed only here.
        unsafe {
            sys::LZ4F_freeCompressionContext(self.context);
        }
    }
}

/// The result of a function for frames: its number, or the name of the error that the number stands for.
fn succeed(code: usize) -> Result<usize, String> {
    // SAFETY: the function accepts any number. The name is a constant, zero-terminated string.
    unsafe {
        if sys::LZ4F_isError(code) == 0 {
            return Ok(code);
        }
        let name = CStr::from_ptr(sys::LZ4F_getErrorName(code)).to_string_lossy();
        Err(name.trim_start_matches("ERROR_").to_owned())
    }
}

/// A decoder of frames that come in pieces.
pub(crate) struct FrameDecompressor(sys::LZ4FDecompressionContext);

impl FrameDecompressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        let mut context = sys::LZ4FDecompressionContext(ptr::null_mut());
        // SAFETY: the context is written before it is used, and only if there is no error.
        let error = unsafe {
            let code = sys::LZ4F_createDecompressionContext(&mut context, sys::LZ4F_VERSION);
            sys::LZ4F_isError(code) != 0
        };
        (!error).then_some(Self(context))
    }

    /// Forgets the frame that was begun.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the context is valid, and nothing else uses it.
        unsafe { sys::LZ4F_resetDecompressionContext(self.0) }
    }

    /// Continues the frame. Returns the bytes read, the bytes written and how many bytes the next block needs, or the
    /// error. A frame that has ended needs none.
    pub(crate) fn decompress(
        &mut self,
        coded: &[u8],
        plain: &mut [u8],
    ) -> Result<(usize, usize, usize), String> {
        let (mut read, mut written) = (coded.len(), plain.len());
        // SAFETY: the context is valid, and nothing else uses it. The lengths are those of the slices, which do not
        // overlap. The library reads and writes within them, and replaces the lengths by what it has used. No options
        // are given, so earlier output need not stay in place.
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
        succeed(code).map(|needed| (read, written, needed))
    }
}

impl Drop for FrameDecompressor {
    fn drop(&mut self) {
        // SAFETY: the library made the context, and it is freed only here.
        unsafe {
            sys::LZ4F_freeDecompressionContext(self.0);
        }
    }
}
