//! libsais: the suffixes of a text in their order, and how long a prefix each of them shares with the one before.
//!
//! `tree.rs` calls [`sort`]. The lengths that the library relies on are checked here.

use libsais_sys::libsais as sys;

/// Room behind the suffixes, so that the library allocates none. Its manual recommends six words for each letter of the
/// text after the first reduction, and finds 6,000 enough for most texts.
pub(crate) const EXTRA: usize = 6 << 10;

/// Fills `suffixes` with the places of a text in the order of their suffixes, and with [`EXTRA`] numbers behind them.
/// Fills `shared` with how many bytes the suffix at each place shares with the suffix before it in that order.
///
/// Returns nothing if the text is longer than the library can sort, or if there is no memory.
pub(crate) fn sort(text: &[u8], suffixes: &mut Vec<u32>, shared: &mut Vec<u32>) -> Option<()> {
    let len = i32::try_from(text.len()).ok()?;
    resize(suffixes, text.len() + EXTRA)?;
    resize(shared, text.len())?;
    // The library writes no negative numbers in the end, so that a number without a sign is the same.
    let sorted = suffixes.as_mut_ptr().cast();
    // SAFETY: `text` has `len` bytes, and `sorted` has room for `len` numbers and the extra ones. The counts of letters
    // may be null.
    let status = unsafe { sys::libsais(text.as_ptr(), sorted, len, EXTRA as i32, std::ptr::null_mut()) };
    if status != 0 {
        return None;
    }
    // SAFETY: `sorted` begins with the `len` suffixes of `text`, and `shared` has room for `len` numbers.
    let status = unsafe { sys::libsais_plcp(text.as_ptr(), sorted, shared.as_mut_ptr().cast(), len) };
    (status == 0).then_some(())
}

/// The library overwrites the numbers, so they need no value.
fn resize(numbers: &mut Vec<u32>, len: usize) -> Option<()> {
    numbers.try_reserve_exact(len.saturating_sub(numbers.len())).ok()?;
    numbers.resize(len, 0);
    Some(())
}
