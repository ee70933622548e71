//! The tree of all strings that occur more than once in a text.
//!
//! A node stands for a string and all its occurrences: its depth is the length of the string, its parent is the longest
//! prefix that occurs elsewhere too. Strings shorter than two bytes are left out, and longer ones are cut to a depth of
//! [`Depths`]. Each place of the text has the deepest node of the strings that begin there, which is its leaf.
//!
//! The tree is made in one pass over the sorted suffixes: the strings that a suffix shares with its neighbours are the
//! nodes above it, and a stack holds those that are still open.
//!
//! All takes [`MEMORY`] bytes for each byte of the text. So nodes take the places of suffixes that have been read, and
//! a tree of more nodes than half of the text's bytes is thinned: the depths with the most nodes are left out.

use super::depths::{CODE_BITS, CODES, Depths};
use super::prefetch::prefetch;
use super::sais::{EXTRA, sort};

/// The longest text: before a tree is thinned, it can have as many nodes as the text has bytes.
pub(crate) const TEXT_MAX: usize = 1 << (u32::BITS - CODE_BITS);
/// The memory for each byte of a text, beside what [`Tree::memory`] adds.
pub(crate) const MEMORY: usize = 2 * size_of::<u32>();
/// How many suffixes before its turn the leaf of a suffix is asked for.
const AHEAD: usize = 24;
const CODE_MASK: u32 = CODES as u32 - 1;

/// A string: the index of its parent and the code of its depth, and the place behind the first byte of its last
/// occurrence so far, or zero.
pub(crate) type Node = [u32; 2];

fn word(parent: u32, code: u8) -> u32 {
    parent << CODE_BITS | u32::from(code)
}

#[inline]
pub(crate) fn parent(word: u32) -> usize {
    (word >> CODE_BITS) as usize
}

#[inline]
pub(crate) fn code(word: u32) -> usize {
    (word & CODE_MASK) as usize
}

#[derive(Default)]
pub(crate) struct Tree {
    /// The node of each place, or zero.
    pub(crate) leaves: Vec<u32>,
    /// The suffixes, and then the nodes. The first node is the root, which stands for no string.
    cells: Vec<u32>,
}

impl Tree {
    /// The memory that does not depend on the text, and that of [`Kept`] in the worst case.
    pub(crate) const fn memory(text_len: usize) -> usize {
        text_len * MEMORY + EXTRA * size_of::<u32>() + text_len / 64 * 12
    }

    /// Takes the memory for texts of this length. Returns nothing if there is none.
    pub(crate) fn reserve(&mut self, text_len: usize) -> Option<()> {
        if text_len > TEXT_MAX {
            return None;
        }
        for (numbers, len) in [(&mut self.cells, text_len + EXTRA), (&mut self.leaves, text_len)] {
            if numbers.capacity() < len {
                // What was in the smaller memory is not copied.
                *numbers = Vec::new();
                numbers.try_reserve_exact(len).ok()?;
            }
        }
        Some(())
    }

    /// The leaves and the nodes.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&[u32], &mut [Node]) {
        (&self.leaves, self.cells.as_chunks_mut().0)
    }

    /// Makes the tree of another text, for which there is memory. Returns nothing if the library has too little.
    pub(crate) fn build(&mut self, text: &[u8], depths: &Depths) -> Option<()> {
        let Self { leaves, cells } = self;
        // The lengths of shared prefixes become leaves, one after the other.
        sort(text, cells, leaves)?;
        let mut count = 1;
        // Codes of depths and nodes, from the root to the string that the suffix before shares with this one.
        let mut open = Vec::with_capacity(CODES);
        open.push((0, 0));
        let mut top = (0u8, 0u32);
        let mut before = None;
        for rank in 0..=text.len() {
            if let Some(&ahead) = cells.get(rank + AHEAD) {
                prefetch(leaves, ahead as usize);
            }
            let suffix = (rank < text.len()).then(|| cells[rank] as usize);
            let shared = suffix.map_or(0, |suffix| depths.code(leaves[suffix]));
            if shared > top.0 {
                top = (shared, count);
                count += 1;
                open.push(top);
            }
            if let Some(before) = before {
                leaves[before] = top.1;
            }
            while top.0 > shared {
                open.pop();
                let mut above = *open.last()?;
                if above.0 < shared {
                    above = (shared, count);
                    count += 1;
                    open.push(above);
                }
                // Each suffix brings one node at most. So this cell is that of a suffix that has been read.
                cells[top.1 as usize] = word(above.1, top.0);
                top = above;
            }
            before = suffix;
        }
        cells[0] = word(0, 0);
        let mut count = count as usize;
        if count > cells.len() / 2 {
            count = Kept::new(&cells[..count], cells.len() / 2).thin(&mut cells[..count], leaves);
        }
        for index in (0..count).rev() {
            (cells[2 * index], cells[2 * index + 1]) = (cells[index], 0);
        }
        cells.truncate(2 * count);
        Some(())
    }

    /// Notes the last occurrences in the first `len` bytes of the text, as if each place had been seen. `start` is the
    /// place of the first of them.
    pub(crate) fn see(&mut self, len: usize, start: usize) {
        let (leaves, nodes) = self.parts();
        for index in (0..len).rev() {
            if let Some(&ahead) = index.checked_sub(AHEAD).and_then(|ahead| leaves.get(ahead)) {
                prefetch(nodes, ahead as usize);
            }
            let mut next = leaves[index] as usize;
            // Where a later place was noted, it was noted in all nodes above too.
            while next != 0 {
                let [word, last] = &mut nodes[next];
                if *last != 0 {
                    break;
                }
                *last = (start + index + 1) as u32;
                next = parent(*word);
            }
        }
    }
}

/// Which nodes are kept.
struct Kept {
    is_kept: Vec<u64>,
    /// How many are kept before each word of the above.
    before: Vec<u32>,
    count: usize,
}

impl Kept {
    /// Leaves out depths, those with the most nodes first, until there are at most `most` nodes.
    fn new(words: &[u32], most: usize) -> Self {
        let mut counts = [0_usize; CODES];
        for &word in words {
            counts[code(word)] += 1;
        }
        let mut order: [usize; CODES] = std::array::from_fn(|code| code);
        order[1..].sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
        let mut stays = [true; CODES];
        let mut count = words.len();
        for &code in &order[1..] {
            if count <= most {
                break;
            }
            stays[code] = false;
            count -= counts[code];
        }
        let (mut is_kept, mut before) = (Vec::new(), Vec::new());
        let mut sum = 0;
        for words in words.chunks(64) {
            let bits = words.iter().rev().fold(0, |bits, &word| bits << 1 | u64::from(stays[code(word)]));
            is_kept.push(bits);
            before.push(sum);
            sum += bits.count_ones();
        }
        Self { is_kept, before, count }
    }

    #[inline]
    fn has(&self, index: usize) -> bool {
        self.is_kept[index / 64] >> (index % 64) & 1 == 1
    }

    /// The new index of a node that is kept.
    #[inline]
    fn rank(&self, index: usize) -> u32 {
        let below = self.is_kept[index / 64] & ((1 << (index % 64)) - 1);
        self.before[index / 64] + below.count_ones()
    }

    /// The new index of a node or of the nearest node above it that is kept. Only the words of nodes that are not kept
    /// are read.
    #[inline]
    fn resolve(&self, words: &[u32], mut index: usize) -> u32 {
        while !self.has(index) {
            index = parent(words[index]);
        }
        self.rank(index)
    }

    /// Leaves only the nodes that are kept, and returns their number.
    fn thin(&self, words: &mut [u32], leaves: &mut [u32]) -> usize {
        for index in (0..words.len()).filter(|&index| self.has(index)) {
            let up = self.resolve(words, parent(words[index]));
            words[index] = up << CODE_BITS | words[index] & CODE_MASK;
        }
        for leaf in leaves {
            *leaf = self.resolve(words, *leaf as usize);
        }
        for index in (0..words.len()).filter(|&index| self.has(index)) {
            words[self.rank(index) as usize] = words[index];
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &[u8], depth_max: usize) -> Tree {
        let mut tree = Tree::default();
        tree.reserve(text.len()).unwrap();
        tree.build(text, &Depths::new(depth_max)).unwrap();
        tree
    }

    /// The depths of the nodes of a place, from the leaf on.
    fn depths(tree: &mut Tree, depths: &Depths, place: usize) -> Vec<u32> {
        let (leaves, nodes) = tree.parts();
        let node = |index: usize| (index > 0).then(|| nodes[index][0]);
        std::iter::successors(node(leaves[place] as usize), |&word| node(parent(word)))
            .map(|word| depths.len(code(word)))
            .collect()
    }

    #[test]
    fn a_place_has_the_strings_that_occur_elsewhere() {
        let mut tree = tree(b"abcdxabcyabz", 64);
        let mut at = |place| depths(&mut tree, &Depths::new(64), place);
        assert_eq!([at(0), at(5)], [[3, 2], [3, 2]]);
        assert_eq!([at(1), at(9)], [[2], [2]]);
        assert!([2, 3, 4, 8, 10, 11].into_iter().all(|place| at(place).is_empty()));
    }

    #[test]
    fn strings_are_no_longer_than_the_limit() {
        let text = [b'a'; 1000];
        let at = |depth_max, place| depths(&mut tree(&text, depth_max), &Depths::new(depth_max), place);
        assert_eq!(at(5, 0), [5, 4, 3, 2]);
        assert_eq!(at(5, 997), [3, 2]);
        assert_eq!(at(273, 0).len(), CODES - 1);
    }

    /// Nodes that are left out are left out of all paths, and the others stay.
    #[test]
    fn a_tree_is_thinned_to_half_of_the_text() {
        let mut state = 1_u64;
        let text: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 63) as u8
        })
        .take(100_000)
        .collect();
        let mut tree = tree(&text, 64);
        let count = tree.parts().1.len();
        assert!(count <= (text.len() + EXTRA) / 2 && count > text.len() / 4, "{count}");
        let mut present = [false; 65];
        let known = Depths::new(64);
        for place in 0..text.len() {
            let depths = depths(&mut tree, &known, place);
            assert!(depths.is_sorted_by(|a, b| a > b));
            // Two letters: all short strings occur again.
            assert!(place + 5 > text.len() || depths.ends_with(&[4, 3, 2]));
            depths.iter().for_each(|&depth| present[depth as usize] = true);
        }
        assert!(!present.iter().skip(2).take(24).all(|&present| present));
    }

    #[test]
    fn places_are_seen_all_at_once_as_one_by_one() {
        let text = b"she sells sea shells by the sea shore".repeat(3);
        let mut tree = tree(&text, 64);
        let half = text.len() / 2;
        tree.see(half, 1000);
        let (leaves, nodes) = tree.parts();
        let mut expected = vec![0; nodes.len()];
        for (place, &leaf) in leaves.iter().enumerate().take(half) {
            let mut next = leaf as usize;
            while next != 0 {
                expected[next] = (1000 + place + 1) as u32;
                next = parent(nodes[next][0]);
            }
        }
        assert!(nodes.iter().map(|node| node[1]).eq(expected));
    }

    /// The walk of a place and the texts' sum of nodes bound the time, also for the worst texts.
    #[test]
    fn paths_and_trees_are_bounded_for_the_worst_texts() {
        let (mut one, mut fibonacci) = (b"a".to_vec(), b"ab".to_vec());
        while fibonacci.len() < 1 << 16 {
            let next = [&fibonacci[..], &one].concat();
            one = std::mem::replace(&mut fibonacci, next);
        }
        let half = vec![b'a'; 1 << 15];
        let around = [&half[..], b"b", &half].concat();
        let long_period = fibonacci[..9000].iter().map(|byte| byte ^ 7).cycle().take(1 << 16).collect();
        for text in [fibonacci, around, long_period, vec![0; 1 << 16]] {
            for depth_max in [16, 64, 273] {
                let (mut tree, known) = (tree(&text, depth_max), Depths::new(depth_max));
                assert!(tree.parts().1.len() <= (text.len() + EXTRA) / 2);
                for place in 0..text.len() {
                    assert!(depths(&mut tree, &known, place).len() < CODES.min(depth_max));
                }
            }
        }
    }
}
