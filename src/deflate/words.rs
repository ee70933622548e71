//! Eight bytes at a time.

/// Plain data as it is compared: in words of eight bytes, lowest byte first, from any place.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    plain: &'a [u8],
    /// Where the last word begins, and one more.
    end: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(plain: &'a [u8]) -> Self {
        Self { plain, end: plain.len().saturating_sub(7) }
    }

    /// The word that begins at `at`; zero where less than a word is left.
    #[inline(always)]
    pub(super) fn at(self, at: usize) -> u64 {
        if at >= self.end {
            return 0;
        }
        // SAFETY: `at` is less than the length less 7, so there are eight bytes; any bytes are a word,
        // and the read asks for no alignment.
        let word = unsafe { self.plain.as_ptr().add(at).cast::<u64>().read_unaligned() };
        u64::from_le(word)
    }
}
