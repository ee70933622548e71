//! Reads and writes of eight bytes at a time.
//!
//! The parser hashes and compares words of the chunk from any place, and the bit writer puts words at any place.
//! [`Words::at`] and [`WordsMut::set`] check the place with one comparison, on which their `unsafe` access relies. With
//! `pzcomp_safe` they check it twice.

/// The chunk as words of eight bytes, lowest byte first, from any place.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    plain: &'a [u8],
    /// One more than where the last word begins.
    end: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(plain: &'a [u8]) -> Self {
        Self { plain, end: plain.len().saturating_sub(7) }
    }

    /// The word that begins at `at`, or zero if fewer than eight bytes are left.
    #[inline(always)]
    pub(super) fn at(self, at: usize) -> u64 {
        if at >= self.end {
            return 0;
        }
        #[cfg(pzcomp_safe)]
        return self.plain[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // SAFETY: `at` is less than `len - 7`, so that eight bytes are in the slice. Any bytes make a word, and the
        // read needs no alignment.
        #[cfg(not(pzcomp_safe))]
        u64::from_le(unsafe { self.plain.as_ptr().add(at).cast::<u64>().read_unaligned() })
    }
}

/// Memory for words of eight bytes, lowest byte first, at any place.
pub(super) struct WordsMut<'a> {
    out: &'a mut [u8],
    /// One more than where the last word begins.
    end: usize,
}

impl<'a> WordsMut<'a> {
    pub(super) fn new(out: &'a mut [u8]) -> Self {
        let end = out.len().saturating_sub(7);
        Self { out, end }
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        self.out
    }

    /// Puts a word at `at`, or nothing if fewer than eight bytes are left.
    #[inline(always)]
    pub(super) fn set(&mut self, at: usize, word: u64) {
        if at >= self.end {
            return;
        }
        #[cfg(pzcomp_safe)]
        self.out[at..at + 8].copy_from_slice(&word.to_le_bytes());
        // SAFETY: `at` is less than `len - 7`, so that eight bytes are in the slice. The write needs no alignment.
        #[cfg(not(pzcomp_safe))]
        unsafe {
            self.out.as_mut_ptr().add(at).cast::<u64>().write_unaligned(word.to_le())
        };
    }
}
