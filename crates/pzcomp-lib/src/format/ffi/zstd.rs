//! Contexts of libzstd, each with the dictionary that it refers to.
//!
//! `zstd-safe` wraps most of the library. It lacks a context that owns its dictionary: workers share a
//! dictionary, which libzstd has prepared, and a context holds only a pointer to it. So a context here holds a counted
//! reference beside the pointer. The format zstd is the only caller.
//!
//! To make a context takes as long as to code some KiB: libzstd asks the processor for its abilities, which a virtual
//! machine answers slowly, and clears tables. So each thread keeps the last small context that it dropped for the next
//! one. The output does not depend on what a context has coded before.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CDict, CParameter, ErrorCode, InBuffer, OutBuffer, ResetDirective};

/// A context for compression.
pub(crate) struct Compressor {
    context: ManuallyDrop<CCtx<'static>>,
    /// It is dropped after the context, which points to it.
    dictionary: Option<Arc<CDict<'static>>>,
    /// Whether the first call of a stream was the last one, with little data. libzstd starts no threads for that.
    is_short: Option<bool>,
}

/// libzstd codes a frame of up to this length without threads.
const WITHOUT_WORKERS_MAX: usize = 512 << 10;

/// A thread keeps a context of at most this much memory, beside what the encoders are said to take.
const SPARE_MAX: usize = 4 << 20;

thread_local! {
    static SPARE: Cell<Option<CCtx<'static>>> = const { Cell::new(None) };
}

impl Compressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        // A thread that ends has no place for a context any more.
        let spare = SPARE.try_with(Cell::take).ok().flatten();
        let context = ManuallyDrop::new(spare.or_else(CCtx::try_create)?);
        Some(Self { context, dictionary: None, is_short: None })
    }

    pub(crate) fn set(&mut self, parameter: CParameter) -> Result<(), ErrorCode> {
        self.context.set_parameter(parameter).map(drop)
    }

    /// The bytes of memory that the context takes.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.context.sizeof()
    }

    /// Uses a dictionary for all frames.
    pub(crate) fn refer_to(&mut self, dictionary: Arc<CDict<'static>>) -> Result<(), ErrorCode> {
        // SAFETY: only the context uses the reference, and the context is dropped before `self.dictionary`, which keeps
        // the target alive and in its place. The dictionary before stays in that field until the context refers to this
        // one. If the context refuses this one, it does not refer to it.
        let lasting: &'static CDict<'static> = unsafe { &*Arc::as_ptr(&dictionary) };
        self.context.ref_cdict(lasting)?;
        self.dictionary = Some(dictionary);
        Ok(())
    }

    /// Announces the plain length of the next frame. The frame must have exactly this length.
    pub(crate) fn pledge(&mut self, plain_len: u64) -> Result<(), ErrorCode> {
        self.context.set_pledged_src_size(Some(plain_len)).map(drop)
    }

    /// Codes a frame. Returns its length.
    pub(crate) fn frame(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, ErrorCode> {
        self.context.compress2(out, plain)
    }

    /// Continues the frame. Returns 0 if everything is flushed, and otherwise at least how many bytes are left.
    pub(crate) fn stream(
        &mut self,
        out: &mut OutBuffer<[u8]>,
        plain: &mut InBuffer,
        directive: ZSTD_EndDirective,
    ) -> Result<usize, ErrorCode> {
        let is_all = directive == ZSTD_EndDirective::ZSTD_e_end && plain.src.len() <= WITHOUT_WORKERS_MAX;
        self.is_short.get_or_insert(is_all);
        self.context.compress_stream2(out, plain, directive)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        // SAFETY: nothing uses the field after this. The dictionary is dropped later, and the context no longer refers
        // to it if it is kept.
        let mut context = unsafe { ManuallyDrop::take(&mut self.context) };
        if self.is_short != Some(false)
            && context.sizeof() <= SPARE_MAX
            && context.reset(ResetDirective::SessionAndParameters).is_ok()
        {
            let _ = SPARE.try_with(|spare| spare.set(Some(context)));
        }
    }
}
