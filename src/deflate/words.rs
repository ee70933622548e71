//! Eight bytes at a time.

/// Plain data as it is compared: in words of eight bytes, lowest byte first, from any place.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    plain: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn new(plain: &'a [u8]) -> Self {
        Self { plain }
    }

    /// The word that begins at `at`; nothing in particular where less than a word is left.
    #[inline(always)]
    pub(super) fn at(self, at: usize) -> u64 {
        self.plain.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
    }
}
