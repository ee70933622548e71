//! Contexts of libzstd, each with the dictionary that it refers to.
//!
//! They are those of `zstd-safe` with two differences. Their memory comes from the allocator of the program, which asks
//! for huge pages for large tables. And a context owns a share of its dictionary: workers share a dictionary, which
//! libzstd has prepared, and libzstd's context holds only a pointer to it. The format zstd is the only caller.
//!
//! To make a context takes as long as to code some KiB: libzstd asks the processor for its abilities, which a virtual
//! machine answers slowly, and clears tables. So each thread keeps the last small context that it dropped for the next
//! one. The output does not depend on what a context has coded before.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

use zstd_safe::ErrorCode;
use zstd_safe::zstd_sys::{self as sys, ZSTD_EndDirective, ZSTD_ResetDirective, ZSTD_cParameter};

/// What stands before memory of libzstd: its length. As long as the greatest alignment that `malloc` promises.
const HEAD: usize = 16;

extern "C" fn allocate(_: *mut c_void, len: usize) -> *mut c_void {
    let layout = len.checked_add(HEAD).and_then(|len| Layout::from_size_align(len, HEAD).ok());
    let Some(layout) = layout else { return null_mut() };
    // SAFETY: the layout has a length. The memory, if there is any, begins with room for a `usize`, and is longer than
    // `HEAD` or as long.
    unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            return null_mut();
        }
        memory.cast::<usize>().write(layout.size());
        memory.add(HEAD).cast()
    }
}

unsafe extern "C" fn free(_: *mut c_void, memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: libzstd gives back what `allocate` gave it, with the length before it.
    unsafe {
        let memory = memory.cast::<u8>().sub(HEAD);
        dealloc(memory, Layout::from_size_align_unchecked(memory.cast::<usize>().read(), HEAD));
    }
}

/// A context of libzstd.
struct Context(NonNull<sys::ZSTD_CCtx>);

// SAFETY: a context is memory that its owner alone uses, from one thread at a time.
unsafe impl Send for Context {}

impl Context {
    fn new() -> Option<Self> {
        let memory =
            sys::ZSTD_customMem { customAlloc: Some(allocate), customFree: Some(free), opaque: null_mut() };
        // SAFETY: both functions do what libzstd asks of them, from any thread.
        NonNull::new(unsafe { sys::ZSTD_createCCtx_advanced(memory) }).map(Self)
    }

    fn memory(&self) -> usize {
        // SAFETY: the context is valid.
        unsafe { sys::ZSTD_sizeof_CCtx(self.0.as_ptr()) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is valid, and nothing uses it after this.
        unsafe { sys::ZSTD_freeCCtx(self.0.as_ptr()) };
    }
}

/// A dictionary that is prepared for a level.
pub(crate) struct Prepared(NonNull<sys::ZSTD_CDict>);

// SAFETY: nothing changes a prepared dictionary, and libzstd lets any number of threads read it.
unsafe impl Send for Prepared {}
// SAFETY: as above.
unsafe impl Sync for Prepared {}

impl Prepared {
    /// Returns `None` if there is no memory, or if libzstd refuses the dictionary.
    pub(crate) fn new(bytes: &[u8], level: i32) -> Option<Self> {
        // SAFETY: the pointer and the length are those of the slice, which libzstd copies.
        NonNull::new(unsafe { sys::ZSTD_createCDict(bytes.as_ptr().cast(), bytes.len(), level) }).map(Self)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: the dictionary is valid, and nothing uses it after this: each context that does owns a share of it.
        unsafe { sys::ZSTD_freeCDict(self.0.as_ptr()) };
    }
}

/// The value of a call of libzstd, or its error.
fn checked(code: usize) -> Result<usize, ErrorCode> {
    // SAFETY: the call looks at the number only.
    if unsafe { sys::ZSTD_isError(code) } == 0 { Ok(code) } else { Err(code) }
}

/// A context for compression.
pub(crate) struct Compressor {
    context: ManuallyDrop<Context>,
    /// It is dropped after the context, which points to it.
    dictionary: Option<Arc<Prepared>>,
    /// Whether the first call of a stream was the last one, with little data. libzstd starts no threads for that.
    is_short: Option<bool>,
    /// The error of a stream. libzstd does not say what it would do next.
    failed: Option<ErrorCode>,
}

/// How far a call of [`Compressor::stream`] came.
pub(crate) struct Step {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// 0 if everything is flushed, and otherwise at least how many bytes are left.
    pub(crate) left: usize,
}

/// libzstd codes a frame of up to this length without threads.
const WITHOUT_WORKERS_MAX: usize = 512 << 10;

/// A thread keeps a context of at most this much memory, beside what the encoders are said to take.
const SPARE_MAX: usize = 4 << 20;

thread_local! {
    static SPARE: Cell<Option<Context>> = const { Cell::new(None) };
}

impl Compressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        // A thread that ends has no place for a context any more.
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        let context = ManuallyDrop::new(spare.or_else(Context::new)?);
        Some(Self { context, dictionary: None, is_short: None, failed: None })
    }

    fn at(&mut self) -> *mut sys::ZSTD_CCtx {
        self.context.0.as_ptr()
    }

    pub(crate) fn set(&mut self, parameter: ZSTD_cParameter, value: u32) -> Result<(), ErrorCode> {
        self.set_signed(parameter, value as c_int)
    }

    pub(crate) fn set_signed(&mut self, parameter: ZSTD_cParameter, value: i32) -> Result<(), ErrorCode> {
        // SAFETY: the context is valid. libzstd checks the value.
        checked(unsafe { sys::ZSTD_CCtx_setParameter(self.at(), parameter, value) }).map(drop)
    }

    /// The bytes of memory that the context takes.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.context.memory()
    }

    /// Uses a dictionary for all frames.
    pub(crate) fn refer_to(&mut self, dictionary: Arc<Prepared>) -> Result<(), ErrorCode> {
        // SAFETY: only the context uses the pointer, and the context is dropped before `self.dictionary`, which keeps
        // the target alive and in its place. The dictionary before stays in that field until the context refers to this
        // one. If the context refuses this one, it does not refer to it.
        checked(unsafe { sys::ZSTD_CCtx_refCDict(self.at(), dictionary.0.as_ptr()) })?;
        self.dictionary = Some(dictionary);
        Ok(())
    }

    /// Announces the plain length of the next frame. The frame must have exactly this length.
    pub(crate) fn pledge(&mut self, plain_len: u64) -> Result<(), ErrorCode> {
        // SAFETY: the context is valid.
        checked(unsafe { sys::ZSTD_CCtx_setPledgedSrcSize(self.at(), plain_len) }).map(drop)
    }

    /// Codes a frame. Returns its length.
    pub(crate) fn frame(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, ErrorCode> {
        let (to, from) = (out.as_mut_ptr().cast(), plain.as_ptr().cast());
        // SAFETY: the context is valid, and the pointers and lengths are those of the slices.
        checked(unsafe { sys::ZSTD_compress2(self.at(), to, out.len(), from, plain.len()) })
    }

    /// Continues the frame.
    pub(crate) fn stream(
        &mut self,
        out: &mut [u8],
        plain: &[u8],
        directive: ZSTD_EndDirective,
    ) -> Result<Step, ErrorCode> {
        if let Some(code) = self.failed {
            return Err(code);
        }
        let is_all = directive == ZSTD_EndDirective::ZSTD_e_end && plain.len() <= WITHOUT_WORKERS_MAX;
        self.is_short.get_or_insert(is_all);
        let mut input = sys::ZSTD_inBuffer { src: plain.as_ptr().cast(), size: plain.len(), pos: 0 };
        let mut output = sys::ZSTD_outBuffer { dst: out.as_mut_ptr().cast(), size: out.len(), pos: 0 };
        // SAFETY: the context is valid, and the pointers and lengths are those of the slices. libzstd keeps neither
        // pointer: its workers read copies.
        let left =
            checked(unsafe { sys::ZSTD_compressStream2(self.at(), &mut output, &mut input, directive) });
        self.failed = left.err();
        Ok(Step { read: input.pos, written: output.pos, left: left? })
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: nothing uses the field after this. The dictionary is dropped later, and the context no longer refers
        // to it if it is kept.
        let context = unsafe { ManuallyDrop::take(&mut self.context) };
        if self.is_short == Some(false) || context.memory() > SPARE_MAX {
            return;
        }
        let everything = ZSTD_ResetDirective::ZSTD_reset_session_and_parameters;
        // SAFETY: the context is valid.
        if checked(unsafe { sys::ZSTD_CCtx_reset(context.0.as_ptr(), everything) }).is_ok() {
            let _ = SPARE.try_with(|spare| spare.set(Some(context)));
        }
    }
}
