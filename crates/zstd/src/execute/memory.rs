//! The memory of a ring, and the parts of it that are lent. The file has unsafe code: a ring writes to its memory while
//! other threads read bytes that it has lent.
//!
//! Two rules keep writes and reads apart. Every write needs `&mut Memory`. No write touches bytes that are lent.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::AtomicBool;
use super::target::Target;

/// The memory of a ring. Its length does not change.
pub(crate) struct Memory {
    bytes: Arc<Bytes>,
    /// The ranges that are lent, and some that have come back. The oldest are in front.
    lent: VecDeque<(Range<usize>, Arc<AtomicBool>)>,
}

/// Bytes that the owner of a [`Memory`] may write to while others read other bytes.
struct Bytes(Box<[UnsafeCell<u8>]>);

// SAFETY: the rules above keep writers and readers of a byte apart. The flag `is_back` orders them: `Lent` sets it with
// Release after the last read, and `is_free` loads it with Acquire before the next write.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn base(&self) -> *mut u8 {
        UnsafeCell::raw_get(self.0.as_ptr())
    }

    /// # Safety
    /// Nobody writes to these bytes as long as the slice lives. The range is in the memory.
    unsafe fn slice(&self, range: Range<usize>) -> &[u8] {
        debug_assert!(range.start <= range.end && range.end <= self.0.len());
        // SAFETY: the caller's promise. All bytes of the memory are set from the start.
        unsafe { std::slice::from_raw_parts(self.base().add(range.start), range.len()) }
    }
}

impl Memory {
    /// Memory full of zeros. Pages that are never written to cost nothing.
    pub fn new(len: usize) -> Self {
        let zeros = Box::into_raw(vec![0_u8; len].into_boxed_slice());
        // SAFETY: an `UnsafeCell<u8>` is laid out as the `u8` in it, and the box has one owner.
        let bytes = unsafe { Box::from_raw(zeros as *mut [UnsafeCell<u8>]) };
        Self { bytes: Arc::new(Bytes(bytes)), lent: VecDeque::new() }
    }

    /// Other memory of this length, with a copy of the first `used` bytes. What is lent of the old memory stays there.
    pub fn renewed(&self, len: usize, used: usize) -> Self {
        assert!(used <= len && used <= self.len());
        let new = Self::new(len);
        // SAFETY: both have `used` bytes. Nobody has a part of the new memory yet, and nobody writes to the old memory
        // while it is borrowed.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes.base(), new.bytes.base(), used) };
        new
    }

    pub fn len(&self) -> usize {
        self.bytes.0.len()
    }

    /// Bytes of the memory.
    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.len());
        // SAFETY: all that write need `&mut self`.
        unsafe { self.bytes.slice(range) }
    }

    /// Lends bytes. They do not change before they have come back.
    pub fn lend(&mut self, range: Range<usize>) -> Lent {
        assert!(range.start <= range.end && range.end <= self.len());
        while self.lent.front().is_some_and(|(_, is_back)| is_back.load(Ordering::Acquire)) {
            self.lent.pop_front();
        }
        let is_back = Arc::new(AtomicBool::new(false));
        self.lent.push_back((range.clone(), Arc::clone(&is_back)));
        Lent { bytes: Arc::clone(&self.bytes), range, is_back }
    }

    /// Whether none of these bytes is lent.
    pub fn is_free(&self, range: &Range<usize>) -> bool {
        let overlaps = |lent: &Range<usize>| lent.start < range.end && range.start < lent.end;
        // Acquire: all reads through the `Lent` happened before this load, and so before the next write.
        self.lent.iter().all(|(lent, is_back)| !overlaps(lent) || is_back.load(Ordering::Acquire))
    }

    /// The room `filled..end` for a block. In the order of the frame, the bytes at `before` come directly before the
    /// first byte of the memory, although they are behind `end` in the memory. An empty `before` means that there are
    /// no such bytes. Returns `None` if a byte of the room is lent.
    pub fn target(&mut self, filled: usize, end: usize, before: Range<usize>) -> Option<Target<'_>> {
        assert!(filled <= end && end <= self.len() && before.end <= self.len());
        assert!(before.is_empty() || end <= before.start);
        if !self.is_free(&(filled..end)) {
            return None;
        }
        // SAFETY: `self` is borrowed exclusively, so nobody else writes, and no slice of the memory is in use but those
        // of what is lent, which is not in `filled..end`. Neither is `before`.
        Some(unsafe { Target::of_parts(self.bytes.base(), filled, end, self.bytes.slice(before)) })
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("len", &self.len()).field("lent", &self.lent).finish()
    }
}

/// Bytes of a ring that can be read while the ring goes on. They come back when the value is dropped.
pub struct Lent {
    bytes: Arc<Bytes>,
    range: Range<usize>,
    is_back: Arc<AtomicBool>,
}

impl Deref for Lent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the ring does not write to these bytes before `is_back` is set, and that is not before this value is
        // dropped.
        unsafe { self.bytes.slice(self.range.clone()) }
    }
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lent").field(&self.range).finish()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.is_back.store(true, Ordering::Release);
    }
}
