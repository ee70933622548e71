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

/// What the frames of a [`FrameCompressor`] are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameStyle {
    pub(crate) effort: Effort,
    /// The number of the greatest block length, 4 to 7.
    pub(crate) block_id: u8,
    pub(crate) linked: bool,
    pub(crate) block_checksums: bool,
    pub(crate) content_checksum: bool,
}

impl FrameStyle {
    /// The greatest length of what becomes of `plain_len` bytes, without the header and the end of a frame.
    pub(crate) fn bound(self, plain_len: usize) -> usize {
        // SAFETY: takes numbers, and preferences that live as long as the call.
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
            // The library adds one to the levels below zero, and makes them positive.
            Effort::Fast(acceleration) => 1 - acceleration,
            Effort::High(level) => level,
        };
        sys::LZ4FPreferences {
            frame_info,
            // The library has it as a signed number.
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
    /// Nothing without memory.
    pub(crate) fn new(style: FrameStyle) -> Option<Self> {
        let mut context = sys::LZ4FCompressionContext(ptr::null_mut());
        // SAFETY: the context is written before it is used, and only if there is no error.
        let code = unsafe { sys::LZ4F_createCompressionContext(&mut context, sys::LZ4F_VERSION) };
        succeed(code).is_ok().then_some(Self { context, style })
    }

    /// Writes the header of a frame that will hold `content_len` bytes, or any number of them if that
    /// is 0; the number of bytes written. Here and below, an error is its name.
    pub(crate) fn begin(&mut self, content_len: u64, out: &mut [u8]) -> Result<usize, String> {
        let preferences = self.style.preferences(content_len);
        // SAFETY: the context is valid and used by us alone; the pointer comes with the length of its
        // slice; the preferences are copied during the call.
        succeed(unsafe { sys::LZ4F_compressBegin(self.context, out.as_mut_ptr(), out.len(), &preferences) })
    }

    /// Codes `plain` into blocks; the number of bytes written.
    pub(crate) fn update(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, String> {
        // SAFETY: the context is valid and used by us alone; the pointers come with the lengths of their
        // slices, which do not overlap. No options are given, so the plain bytes need not stay in place.
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

    /// Writes the end of the frame; the number of bytes written.
    pub(crate) fn end(&mut self, out: &mut [u8]) -> Result<usize, String> {
        // SAFETY: the context is valid and used by us alone; the pointer comes with the length of its slice.
        succeed(unsafe { sys::LZ4F_compressEnd(self.context, out.as_mut_ptr(), out.len(), ptr::null()) })
    }
}

impl Drop for FrameCompressor {
    fn drop(&mut self) {
        // SAFETY: it was made by the library and is freed once.
        unsafe {
            sys::LZ4F_freeCompressionContext(self.context);
        }
    }
}

/// The number that a function of frames has returned, or the name of the error that it stands for.
fn succeed(code: usize) -> Result<usize, String> {
    // SAFETY: any number may be asked about; the name is a constant, zero-terminated string.
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
        succeed(code).map(|hint| (read, written, hint == 0))
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
