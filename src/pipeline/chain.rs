//! What runs through a stream whatever jobs its parts are in: a checksum, and the last output.

/// Makes the sum of two parts from theirs, and the count of the second.
pub(crate) type Join = fn(before: u32, sum: u32, count: u64) -> u32;

/// The sum of a stream, or of part of it.
///
/// The sum of a part can be made without knowing what came before, and put behind that later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    /// Where in the coded input the stream begins, if it does in this part.
    start: Option<u64>,
    /// How many frames or bytes there are in it.
    count: u64,
    sum: u32,
    join: Join,
}

impl Chain {
    /// A part that holds nothing.
    pub(crate) const NOTHING: Self = Self { start: None, count: 0, sum: 0, join: |before, _, _| before };

    /// The chain of a stream that begins at this offset.
    pub(crate) const fn starting(offset: u64) -> Self {
        Self { start: Some(offset), ..Self::NOTHING }
    }

    /// Adds a part that counts so much, with its sum.
    pub(crate) fn push(&mut self, count: u64, sum: u32, join: Join) {
        *self = Self { start: None, count, sum, join }.behind(*self);
    }

    /// This part behind the one `before` it.
    pub(crate) fn behind(self, before: Self) -> Self {
        if self.start.is_some() {
            return self;
        }
        if self.count == 0 {
            return before;
        }
        Self {
            start: before.start,
            count: before.count.wrapping_add(self.count),
            sum: (self.join)(before.sum, self.sum, self.count),
            join: self.join,
        }
    }

    /// Where the stream begins; if that is in this part, nothing before it matters.
    pub(crate) fn start(self) -> Option<u64> {
        self.start
    }

    /// Frames or bytes in it.
    pub(crate) fn count(self) -> u64 {
        self.count
    }

    pub(crate) fn sum(self) -> u32 {
        self.sum
    }
}

/// So much output is handed on at the most: the longest window of the formats that ask for it.
pub(crate) const HANDED_ON_LEN: usize = 32 << 10;

/// The last output of a stream, for who goes on with it in the next job.
#[derive(Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// Whether nothing before it matters.
    is_all: bool,
}

impl Window {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Becomes the last of this output, which `is_all` the stream has if it is shorter than a window.
    pub(crate) fn set(&mut self, output: &[u8], is_all: bool) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&output[output.len().saturating_sub(HANDED_ON_LEN)..]);
        self.is_all = is_all || self.bytes.len() == HANDED_ON_LEN;
    }

    /// Puts the `next` window behind this one, and leaves it arbitrary.
    pub(crate) fn go_on(&mut self, next: &mut Self) {
        if next.is_all {
            std::mem::swap(self, next);
        } else {
            let excess = (self.bytes.len() + next.bytes.len()).saturating_sub(HANDED_ON_LEN);
            self.bytes.drain(..excess);
            self.bytes.extend_from_slice(&next.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let values: Vec<u32> = (0..100_u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
        let join: Join = |before, sum, count| before.rotate_left((count % 32) as u32) ^ sum;
        let sum = |chain: Chain, values: &[u32]| {
            let links = values.iter().map(|&sum| Chain { count: 1, sum, join, ..Chain::NOTHING });
            links.fold(chain, |before, link| link.behind(before))
        };
        let parts = |chain: Chain| (chain.start, chain.count, chain.sum);
        let start = Chain::starting(7);
        let whole = sum(start, &values);
        for cut in 0..=100 {
            let (first, second) = values.split_at(cut);
            assert_eq!(parts(sum(Chain::NOTHING, second).behind(sum(start, first))), parts(whole));
            assert_eq!(parts(sum(start, second).behind(whole)), parts(sum(start, second)));
        }
    }

    #[test]
    fn a_window_is_the_last_of_all_output() {
        let output: Vec<u8> =
            (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for step in [1, 1000, 20_000, HANDED_ON_LEN - 1, HANDED_ON_LEN, HANDED_ON_LEN + 1, 90_000] {
            let (mut window, mut next) = (Window::default(), Window::default());
            let end = output.len().min(100 * step);
            for part in output[..end].chunks(step) {
                next.set(part, false);
                window.go_on(&mut next);
            }
            assert!(window.bytes() == &output[end.saturating_sub(HANDED_ON_LEN)..end], "steps of {step}");
            next.set(b"new", true);
            window.go_on(&mut next);
            assert_eq!(window.bytes(), b"new");
        }
    }
}
