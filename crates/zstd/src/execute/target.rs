//! Where a block goes. The file has unsafe code: others may read the bytes before the block while it is put together,
//! so only the room behind them is exclusive.

use std::marker::PhantomData;

/// Room behind the first `filled` bytes of an output. `before` has the bytes that directly precede the output in the
/// order of the frame: earlier output, or the dictionary. It lies elsewhere in memory.
pub(crate) struct Target<'a> {
    base: *mut u8,
    filled: usize,
    len: usize,
    before: &'a [u8],
    output: PhantomData<&'a mut [u8]>,
}

impl<'a> Target<'a> {
    /// An output that nothing else refers to. Returns `None` if `output` is shorter than `filled`.
    pub fn new(output: &'a mut [u8], filled: usize, before: &'a [u8]) -> Option<Self> {
        let (base, len) = (output.as_mut_ptr(), output.len());
        // SAFETY: the slice is exclusive for as long as the target lives.
        (filled <= len).then(|| unsafe { Self::of_parts(base, filled, len, before) })
    }

    /// # Safety `base` points to `len` bytes of one allocation, and `filled` is at most `len`. As long as the target
    /// lives, nobody writes to the first `filled` bytes, and nobody else refers to the bytes behind them.
    pub unsafe fn of_parts(base: *mut u8, filled: usize, len: usize, before: &'a [u8]) -> Self {
        debug_assert!(filled <= len);
        Self { base, filled, len, before, output: PhantomData }
    }

    /// The same output behind other bytes.
    pub fn behind(self, before: &'a [u8]) -> Self {
        Self { before, ..self }
    }

    /// How much of the output was there before the block.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// How long the output can become.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The start of the output. All of it can be reached from this pointer. The first `filled` bytes must not be
    /// written.
    #[cfg(not(pzcomp_safe))]
    pub fn base(&mut self) -> *mut u8 {
        self.base
    }

    /// The bytes that precede the output: earlier output, or the dictionary.
    pub fn before(&self) -> &'a [u8] {
        self.before
    }

    /// The first `filled` bytes, and the room behind them.
    pub fn split(&mut self) -> (&[u8], &mut [u8]) {
        // SAFETY: the two do not overlap, and the promise of `of_parts` holds while `self` is borrowed.
        unsafe {
            let filled = std::slice::from_raw_parts(self.base, self.filled);
            let room = std::slice::from_raw_parts_mut(self.base.add(self.filled), self.len - self.filled);
            (filled, room)
        }
    }
}
