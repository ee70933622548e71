//! [`PlainLens`]: the plain lengths of the frames of a stream, in little memory.
//!
//! The seek table, the Index of xz and the `.gzi` use it. Lengths are added in the order of the frames, and come out in
//! the same order.

/// Plain lengths in the order of the frames, stored as runs of equal lengths. If chunks end at even distances, there
/// are at most two runs, however long the stream is.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainLens(Vec<(u32, u32)>);

impl PlainLens {
    pub(crate) fn push(&mut self, len: u32) {
        match self.0.last_mut() {
            Some((last, count)) if *last == len && *count < u32::MAX => *count += 1,
            _ => self.0.push((len, 1)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|&(len, count)| (0..count).map(move |_| len))
    }
}
