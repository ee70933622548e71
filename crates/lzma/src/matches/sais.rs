//! libsais: the suffixes of a text in their order.
//!
//! `tree.rs` calls [`sort`]. The lengths that the library relies on are checked here.

use libsais_sys::libsais as sys;

/// Room behind the suffixes, so that the library allocates none. Its manual recommends six words for each letter of the
/// text after the first reduction, and finds 6,000 enough for most texts.
pub(crate) const EXTRA: usize = 6 << 10;

/// Fills the front of `suffixes` with the places of a text in the order of their suffixes, and the rest with other
/// numbers.
///
/// Returns nothing if the text is longer than the library can sort, or if there is no memory.
pub(crate) fn sort(text: &[u8], suffixes: &mut [u32]) -> Option<()> {
    let len = i32::try_from(text.len()).ok()?;
    let extra = i32::try_from(suffixes.len().checked_sub(text.len())?).ok()?;
    // The library writes no negative numbers in the end, so that a number without a sign is the same.
    let sorted = suffixes.as_mut_ptr().cast();
    // SAFETY: `text` has `len` bytes, and `sorted` has room for `len` numbers and the extra ones. The counts of letters
    // may be null.
    let status = unsafe { sys::libsais(text.as_ptr(), sorted, len, extra, std::ptr::null_mut()) };
    (status == 0).then_some(())
}
