//! Where chunks end: at even distances, where a block of bzip2 is full, or where the content says so.
//!
//! A place that depends on the bytes before it alone moves with them: after an insertion the chunks
//! behind it are soon the same as they were, and so are their frames. A place is chosen where the
//! highest bits of a rolling hash of the last [`SPAN`] bytes are zero. The hash is Gear (Xia et al.,
//! "Ddelta", 2014): shift, and add a random number for the new byte, so that a byte is shifted out
//! after as many steps as a word has bits.

use std::ops::Range;

use super::BlockFill;
use crate::options::Settings;

/// Bytes on which the hash depends.
const SPAN: usize = u64::BITS as usize;

/// Where chunks may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Only the last chunk can be shorter.
    pub(crate) shortest: usize,
    /// No chunk is longer.
    pub(crate) longest: usize,
    /// Whether the last chunk is always shorter, if only an empty one.
    pub(crate) ends_short: bool,
    rule: Rule,
}

/// What says where a chunk ends that is neither the shortest nor the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The bits of the hash that are zero there.
    Hash { mask: u64 },
    /// There is no more room for what it takes with its runs shortened.
    Runs { room: usize },
}

impl Cut {
    /// As the settings of a stream say.
    pub(crate) fn of(settings: &Settings) -> Self {
        let len = settings.chunk_len;
        match (settings.rsyncable, settings.chunk_room) {
            _ if settings.is_serial => Self::with_short_end(len),
            (true, _) => Self::by_content(len),
            (false, Some(room)) => Self::by_runs(room, len),
            (false, None) => Self::evenly(len),
        }
    }

    /// Chunks of this length.
    pub(crate) fn evenly(len: usize) -> Self {
        Self { shortest: len, longest: len, ends_short: false, rule: Rule::Hash { mask: 0 } }
    }

    /// The same, for who must know which chunk is the last: the one that is shorter.
    pub(crate) fn with_short_end(len: usize) -> Self {
        Self { ends_short: true, ..Self::evenly(len) }
    }

    /// Chunks that end where their content says so, and are no longer than this.
    ///
    /// Looking for an end begins in the middle, so that only a fifth of all bytes is hashed, and one is
    /// found after an eighth on average: one chunk in fifty or so gets its end by its length.
    pub(crate) fn by_content(longest: usize) -> Self {
        let bits = (longest / 8).max(2).ilog2();
        let shortest = (longest / 2).max(SPAN);
        Self { shortest, longest, ends_short: false, rule: Rule::Hash { mask: !(u64::MAX >> bits) } }
    }

    /// Chunks that fill a block of bzip2, and are no longer than this.
    pub(crate) fn by_runs(room: usize, longest: usize) -> Self {
        // Four bytes that are the same take five.
        Self { shortest: room / 5 * 4, longest, ends_short: false, rule: Rule::Runs { room } }
    }

    /// What of the `have` bytes from the start of a chunk to the end of the input must be looked at to
    /// find where the chunk ends; nothing where the length says it.
    pub(crate) fn seen(&self, have: usize) -> Range<usize> {
        if have <= self.shortest || self.shortest == self.longest {
            return 0..0;
        }
        let before = match self.rule {
            Rule::Hash { .. } => self.shortest - SPAN,
            Rule::Runs { .. } => 0,
        };
        before..have.min(self.longest)
    }

    /// The length of the chunk that begins like `bytes`, which go on to the longest length or to the
    /// end of the input.
    pub(crate) fn len(&self, bytes: &[u8]) -> usize {
        let seen = self.seen(bytes.len());
        let end = self.search().find(&bytes[seen.clone()]);
        end.map_or(bytes.len().min(self.longest), |end| seen.start + end)
    }

    /// A search for the end of a chunk.
    pub(crate) fn search(&self) -> Search {
        match self.rule {
            Rule::Hash { mask } => Search::Hash(HashSearch { hash: 0, mask, hashed: 0 }),
            Rule::Runs { room } => Search::Runs(BlockFill::new(room)),
        }
    }
}

/// A search through the bytes of [`Cut::seen`], which may come in parts.
pub(crate) enum Search {
    Hash(HashSearch),
    Runs(BlockFill),
}

impl Search {
    /// Where in these bytes, the next ones, the chunk ends, if it does.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Hash(search) => search.find(bytes),
            Self::Runs(fitting) => fitting.find(bytes),
        }
    }
}

/// A search for a place that the bytes before it say.
pub(crate) struct HashSearch {
    hash: u64,
    mask: u64,
    /// Bytes before those to come, up to [`SPAN`].
    hashed: usize,
}

impl HashSearch {
    fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let (first, rest) = bytes.split_at(bytes.len().min(SPAN - self.hashed));
        first.iter().for_each(|&byte| self.add(byte));
        self.hashed += first.len();
        for (at, &byte) in rest.iter().enumerate() {
            if self.hash & self.mask == 0 {
                return Some(first.len() + at);
            }
            self.add(byte);
        }
        None
    }

    fn add(&mut self, byte: u8) {
        self.hash = (self.hash << 1).wrapping_add(GEAR[usize::from(byte)]);
    }
}

/// A random number for each byte. Files that were cut with other numbers would move as a whole.
static GEAR: [u64; 256] = gear();

/// The first numbers of SplitMix64 (Steele, Lea and Flood, 2014).
const fn gear() -> [u64; 256] {
    let mut numbers = [0; 256];
    let mut state = 0_u64;
    let mut at = 0;
    while at < numbers.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers[at] = mixed ^ (mixed >> 31);
        at += 1;
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        std::iter::repeat_with(next).take(len).collect()
    }

    #[test]
    fn an_end_depends_on_the_bytes_before_it_alone() {
        let (cut, data) = (Cut::by_content(8192), noise(1 << 16));
        let mut at = 0;
        let mut lens = Vec::new();
        while at < data.len() {
            let len = cut.len(&data[at..data.len().min(at + cut.longest)]);
            assert!(len <= cut.longest && (len >= cut.shortest || at + len == data.len()));
            // From any other start that leaves the same end to be found.
            let later = at + 100;
            if len < cut.longest && len - 100 >= cut.shortest && at + cut.longest + 100 < data.len() {
                assert_eq!(cut.len(&data[later..later + cut.longest]), len - 100);
            }
            lens.push(len);
            at += len;
        }
        let by_content = lens.iter().filter(|&&len| len < cut.longest).count();
        assert!(by_content * 10 > lens.len() * 8, "{by_content} of {}", lens.len());
    }

    #[test]
    fn parts_of_any_length_make_the_same_search() {
        // Runs here and there.
        let data: Vec<u8> = noise(1 << 16).into_iter().map(|byte| byte.min(99)).collect();
        for cut in [Cut::by_content(8192), Cut::by_runs(6000, 8192)] {
            let seen = cut.seen(cut.longest);
            for chunk in data.chunks(cut.longest) {
                for step in [1, 7, 63, 64, 65, 1000] {
                    let mut search = cut.search();
                    let mut parts = chunk[seen.clone()].chunks(step).enumerate();
                    let found = parts.find_map(|(part, bytes)| Some(part * step + search.find(bytes)?));
                    let len = found.map_or(cut.longest, |found| seen.start + found);
                    assert_eq!(len, cut.len(chunk), "in steps of {step}");
                }
            }
        }
    }

    #[test]
    fn chunks_of_runs_are_as_long_as_a_block_has_room() {
        let cut = Cut::by_runs(1000, 1500);
        assert_eq!(cut.len(&noise(1500)), 1000);
        assert_eq!(cut.len(&[7; 1500]), 1500, "no longer than the longest");
        assert_eq!(cut.len(&[7; 900]), 900);
        let fours: Vec<u8> = (0..1500).map(|at| (at / 4) as u8).collect();
        assert_eq!(cut.len(&fours), 800);
    }
}
