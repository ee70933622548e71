//! libsais: suffixes sorted in linear time, and from them the Burrows-Wheeler transform of a text.
//!
//! All `unsafe` of the crate is here: the calls of the C library. `encode/sort.rs` calls [`Sorter::transform`] with a
//! text of up to a block. Every length that the library relies on is checked before the call.

use std::ffi::c_void;
use std::ptr::NonNull;

use libsais_sys::libsais as sys;

/// The library notes the rank of every eighth suffix.
pub(crate) const SPACING: usize = 8;
/// Room behind the suffixes, so that the library allocates none. Its manual recommends six words for each letter of the
/// text after the first reduction, and finds 6,000 enough for most texts.
const EXTRA: usize = 6 << 10;

/// Sorts one text after another, up to a length.
pub(crate) struct Sorter {
    context: NonNull<c_void>,
    suffixes: Vec<i32>,
    ranks: Vec<i32>,
}

// SAFETY: the context is plain memory that belongs to the sorter and has no ties to a thread.
unsafe impl Send for Sorter {}

impl Sorter {
    /// For texts of at most `longest` bytes. Returns nothing if there is no memory.
    pub(crate) fn new(longest: usize) -> Option<Self> {
        // SAFETY: the call has no preconditions. A null pointer says that there is no memory.
        let context = NonNull::new(unsafe { sys::libsais_create_ctx() })?;
        let ranks = vec![0; longest.div_ceil(SPACING)];
        Some(Self { context, suffixes: vec![0; longest + EXTRA], ranks })
    }

    /// Fills `last` with the byte before each suffix of `text`, in the order of the suffixes, and `counts` with how
    /// often each byte occurs. The text is the least of its suffixes, and the byte before it is its last.
    ///
    /// Returns the rank, counted from one, of every [`SPACING`]-th suffix, or nothing if the library fails. The text
    /// has two bytes at least and is no longer than the sorter's texts; `last` is as long as the text.
    pub(crate) fn transform(
        &mut self,
        text: &[u8],
        last: &mut [u8],
        counts: &mut [i32; 256],
    ) -> Option<&[i32]> {
        let samples = text.len().div_ceil(SPACING);
        if text.len() < 2 || last.len() != text.len() || samples > self.ranks.len() {
            return None;
        }
        let len = i32::try_from(text.len()).ok()?;
        let extra = i32::try_from(self.suffixes.len().checked_sub(text.len())?).ok()?;
        // SAFETY: the context is valid and only this sorter uses it. `text` and `last` have `len` bytes each, the
        // suffixes have room for `len + extra` numbers, `counts` has the 256 that the library demands, and `ranks` has
        // one for each place that is a multiple of the spacing, which is a power of two. No two of them overlap.
        let status = unsafe {
            sys::libsais_bwt_aux_ctx(
                self.context.as_ptr(),
                text.as_ptr(),
                last.as_mut_ptr(),
                self.suffixes.as_mut_ptr(),
                len,
                extra,
                counts.as_mut_ptr(),
                SPACING as i32,
                self.ranks.as_mut_ptr(),
            )
        };
        (status >= 0).then(|| &self.ranks[..samples])
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        // SAFETY: the library made the context, and it is freed once.
        unsafe { sys::libsais_free_ctx(self.context.as_ptr()) }
    }
}
