//! Where chunks end: at even distances, where a block of bzip2 is full, or where the content says so.
//!
//! The settings of a stream make a [`Cut`]. The splitter (`compress/splitter.rs`) asks it which bytes of a chunk must
//! be looked at, and where the chunk ends.
//!
//! An end by content depends only on the bytes before it. So after an insertion, the ends move with the bytes, and the
//! later chunks and frames are soon the same as before. A chunk ends where the highest bits of a rolling hash of the
//! last [`SPAN`] bytes are zero. The hash is Gear (Xia et al., "Ddelta", 2014): it shifts the hash by one bit and adds
//! a random number for the new byte. So a byte is shifted out after as many steps as a word has bits.

use std::ops::Range;

use memchr::memrchr;

use super::BlockFill;
use crate::options::Settings;

/// The number of bytes on which the hash depends.
const SPAN: usize = u64::BITS as usize;

/// Where chunks may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The shortest chunk, except for the last.
    pub(crate) shortest: usize,
    /// The longest chunk.
    pub(crate) longest: usize,
    /// Whether the last chunk is always shorter than `longest`. It is empty if need be.
    pub(crate) ends_short: bool,
    rule: Rule,
}

/// The rule for an end between the shortest and the longest chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The chunk ends where these bits of the hash are zero.
    Hash { mask: u64 },
    /// The chunk ends where it has `room` bytes after its runs are shortened.
    Runs { room: usize },
    /// The chunk ends behind the last line.
    Lines,
}

impl Cut {
    /// The cut that the settings of a stream ask for.
    pub(crate) fn of(settings: &Settings) -> Self {
        let len = settings.chunk_len;
        match (settings.rsyncable, settings.chunk_room) {
            _ if settings.align_lines => Self::by_lines(len),
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

    /// Chunks of this length, and a last chunk that is shorter. A serial encoder recognises the last chunk by that.
    pub(crate) fn with_short_end(len: usize) -> Self {
        Self { ends_short: true, ..Self::evenly(len) }
    }

    /// Chunks that end by their content, and are at most this long.
    ///
    /// The search for an end begins in the middle of the longest chunk. So only a fifth of all bytes is hashed. The
    /// search takes an eighth of the longest chunk on average. About one chunk in fifty has no end before `longest`.
    pub(crate) fn by_content(longest: usize) -> Self {
        let bits = (longest / 8).max(2).ilog2();
        let shortest = (longest / 2).max(SPAN);
        Self { shortest, longest, ends_short: false, rule: Rule::Hash { mask: !(u64::MAX >> bits) } }
    }

    /// Chunks that fill a block of bzip2, and are at most this long.
    pub(crate) fn by_runs(room: usize, longest: usize) -> Self {
        // Four equal bytes take five.
        Self { shortest: room / 5 * 4, longest, ends_short: false, rule: Rule::Runs { room } }
    }

    /// Chunks that end behind a line, and are at most this long.
    fn by_lines(longest: usize) -> Self {
        Self { shortest: 1, longest, ends_short: false, rule: Rule::Lines }
    }

    /// The least length of a chunk that may end elsewhere, because a member of a tar archive ends there. Nothing if
    /// another rule says where chunks end.
    ///
    /// Frames that are shorter by an eighth are some thousandths longer together.
    pub(crate) fn shortest_aligned(&self) -> Option<usize> {
        let is_even =
            self.rule == Rule::Hash { mask: 0 } && self.shortest == self.longest && !self.ends_short;
        is_even.then_some(self.longest - self.longest / 8)
    }

    /// Whether the search for an end begins at the end of the longest chunk, and looks for the last line.
    pub(crate) fn is_by_lines(&self) -> bool {
        self.rule == Rule::Lines
    }

    /// The bytes of a chunk that decide where it ends. `have` is the number of bytes from its start to the end of the
    /// input. The range is empty if the length alone decides.
    pub(crate) fn searched(&self, have: usize) -> Range<usize> {
        if have <= self.shortest || self.shortest == self.longest {
            return 0..0;
        }
        let before = match self.rule {
            Rule::Hash { .. } => self.shortest - SPAN,
            Rule::Runs { .. } | Rule::Lines => 0,
        };
        before..have.min(self.longest)
    }

    /// The length of the chunk at the start of `bytes`. These must reach to the longest length or to the end of the
    /// input.
    pub(crate) fn len(&self, bytes: &[u8]) -> usize {
        if self.is_by_lines() {
            // The last chunk is whole, whatever it ends with.
            let last = if bytes.len() < self.longest { None } else { last_line(bytes) };
            return last.unwrap_or(bytes.len().min(self.longest));
        }
        let searched = self.searched(bytes.len());
        let end = self.search().find(&bytes[searched.clone()]);
        end.map_or(bytes.len().min(self.longest), |end| searched.start + end)
    }

    /// A search for the end of a chunk.
    pub(crate) fn search(&self) -> Search {
        match self.rule {
            Rule::Hash { mask } => Search::Hash(HashSearch { hash: 0, mask, hashed: 0 }),
            Rule::Runs { room } => Search::Runs(BlockFill::new(room)),
            Rule::Lines => Search::Hash(HashSearch { hash: 0, mask: 0, hashed: 0 }),
        }
    }
}

/// The end of the last line in these bytes.
pub(crate) fn last_line(bytes: &[u8]) -> Option<usize> {
    memrchr(b'\n', bytes).map(|at| at + 1)
}

/// A search through the bytes of [`Cut::searched`], which may come in several parts.
pub(crate) enum Search {
    Hash(HashSearch),
    Runs(BlockFill),
}

impl Search {
    /// Where the chunk ends, if it ends in these bytes. They are the next ones.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Hash(search) => search.find(bytes),
            Self::Runs(fill) => fill.find(bytes),
        }
    }
}

/// A search for an end by content.
pub(crate) struct HashSearch {
    hash: u64,
    mask: u64,
    /// The number of bytes that were hashed, up to [`SPAN`].
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

/// A random number for each byte. If these numbers changed, chunks of later versions would end elsewhere.
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
            // A chunk that begins later has the same end, if that end is still a possible one.
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
        // With runs in some places.
        let data: Vec<u8> = noise(1 << 16).into_iter().map(|byte| byte.min(99)).collect();
        for cut in [Cut::by_content(8192), Cut::by_runs(6000, 8192)] {
            let searched = cut.searched(cut.longest);
            for chunk in data.chunks(cut.longest) {
                for step in [1, 7, 63, 64, 65, 1000] {
                    let mut search = cut.search();
                    let mut parts = chunk[searched.clone()].chunks(step).enumerate();
                    let found = parts.find_map(|(part, bytes)| Some(part * step + search.find(bytes)?));
                    let len = found.map_or(cut.longest, |found| searched.start + found);
                    assert_eq!(len, cut.len(chunk), "in steps of {step}");
                }
            }
        }
    }

    #[test]
    fn chunks_of_lines_end_behind_the_last_one() {
        let cut = Cut::by_lines(10);
        assert_eq!(cut.len(b"one\ntwo\nthree"), 8);
        assert_eq!(cut.len(b"one and tw"), 10, "a longer line is divided");
        assert_eq!(cut.len(b"one\ntwo"), 7, "the end of the input");
        assert_eq!(cut.len(b"123456789\n"), 10);
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
