//! Contexts of libzstd, each with the dictionary that it refers to.
//!
//! `zstd-safe` wraps most of the library. It lacks a context that owns its dictionary: workers share a
//! dictionary, which libzstd has prepared, and a context holds only a pointer to it. So a context here holds a counted
//! reference beside the pointer. The format zstd is the only caller.

use std::sync::Arc;

use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CDict, CParameter, ErrorCode, InBuffer, OutBuffer};

/// A context for compression.
pub(crate) struct Compressor {
    // Fields are dropped in this order: the context is dropped before the dictionary that it points to.
    context: CCtx<'static>,
    dictionary: Option<Arc<CDict<'static>>>,
}

impl Compressor {
    /// Returns `None` if there is no memory.
    pub(crate) fn new() -> Option<Self> {
        Some(Self { context: CCtx::try_create()?, dictionary: None })
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
        self.context.compress_stream2(out, plain, directive)
    }
}
