//! libsais: suffixes sorted in linear time, and from them the Burrows-Wheeler transform of a text.

use std::ffi::c_void;
use std::ptr::NonNull;

use libsais_sys::libsais as sys;

/// The rank of every so many-th suffix is noted.
pub(crate) const SPACING: usize = 8;
/// Room behind the suffixes, which spares the library memory of its own: its manual recommends six words
/// for each letter of what is left after the first reduction, and finds 6,000 enough for most.
const EXTRA: usize = 6 << 10;

/// Sorts texts up to a length; its memory serves one after another.
pub(crate) struct Sorter {
    context: NonNull<c_void>,
    suffixes: Vec<i32>,
    ranks: Vec<i32>,
}

// SAFETY: the context is plain memory without ties to a thread, and its own.
unsafe impl Send for Sorter {}

impl Sorter {
    /// For texts of at most `longest` bytes; nothing without memory.
    pub(crate) fn new(longest: usize) -> Option<Self> {
        // SAFETY: there is nothing to hold to; a null pointer says that there is no memory.
        let context = NonNull::new(unsafe { sys::libsais_create_ctx() })?;
        let ranks = vec![0; longest.div_ceil(SPACING)];
        Some(Self { context, suffixes: vec![0; longest + EXTRA], ranks })
    }

    /// For each suffix of `text` in order the byte before it, the last byte for the whole text, where that
    /// is the least of its suffixes, as a Lyndon word is. Counts the bytes. The result says the rank of
    /// every [`SPACING`]-th suffix, counted from one; nothing if the library fails or the text is too long.
    ///
    /// The text has two bytes at least, and `last` is as long.
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
        // SAFETY: the context is valid and used by us alone. `text` and `last` have `len` bytes each, the
        // suffixes have room for `len` and `extra` numbers, `counts` has the 256 that are demanded, and
        // `ranks` one for each place that is a multiple of the spacing, a power of two. None overlap.
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
        // SAFETY: it was made by the library and is freed once.
        unsafe { sys::libsais_free_ctx(self.context.as_ptr()) }
    }
}
