//! The tree of strings that occur more than once in a text.
//!
//! A node stands for a string and all its occurrences. Its depth is the length of the string. Its parent is the longest
//! prefix that also occurs elsewhere. Strings shorter than two bytes are left out, and longer ones are cut to a depth
//! of [`Depths`]. Each new place has the deepest node of the strings that begin there, which is its leaf. Strings that
//! begin at no new place have no nodes.
//!
//! The tree is made in one pass over the sorted suffixes (`builder.rs`). They are those of the text that is sorted, or
//! those and older ones that are kept in their order (`sorter.rs`).
//!
//! Nodes take the places of suffixes that have been read. If there are more nodes than these have room for, some are
//! left out.

use std::ops::Range;

use super::builder::{Builder, Suffix, thinned};
use super::depths::{CODE_BITS, CODES, Depths};
use super::prefetch::prefetch;
use super::sais::{EXTRA, sort};
use super::shared;

/// The longest text, so that the index of a node and a code have 32 bits.
pub(crate) const TEXT_MAX: usize = 1 << (u32::BITS - CODE_BITS);
/// How many suffixes before its turn the text of a suffix is asked for, and its leaf.
pub(crate) const AHEAD: usize = 24;
/// The first suffixes can have more nodes than there are cells of suffixes that have been read.
pub(crate) const ROOM: usize = 8 << 10;
/// Nodes are counted in stretches of so many suffixes, and in one of so many stretches.
const STRETCH: usize = 256;
const STRETCHES: usize = 32;
/// The text this far behind is asked for too.
const BEYOND: usize = 24;
const CODE_MASK: u32 = CODES as u32 - 1;

/// A string: the index of its parent and the code of its depth, and the place behind the first byte of its last
/// occurrence so far, or zero.
pub(crate) type Node = [u32; 2];

#[inline]
pub(crate) fn word(parent: u32, code: u8) -> u32 {
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

/// The index of a node in three bytes, because there is one for each new place.
#[derive(Clone, Copy, Default)]
pub(crate) struct Leaf([u8; 3]);

impl Leaf {
    /// So many cells are 2^24 nodes, which is as many as three bytes tell apart.
    const CELLS_MAX: usize = 2 << 24;

    #[inline]
    pub(crate) fn new(index: u32) -> Self {
        let [low, middle, high, _] = index.to_le_bytes();
        Self([low, middle, high])
    }

    #[inline]
    pub(crate) fn index(self) -> u32 {
        let [low, middle, high] = self.0;
        u32::from_le_bytes([low, middle, high, 0])
    }
}

#[derive(Default)]
pub(crate) struct Tree {
    /// The node of each new place, or zero.
    leaves: Vec<Leaf>,
    /// The suffixes, and then the nodes. The first node is the root, which stands for no string.
    cells: Vec<u32>,
    /// How many cells are those of nodes, when the tree is made.
    nodes_len: usize,
    /// How many cells stand before the suffixes.
    room: usize,
}

impl Tree {
    /// The memory for so many suffixes and cells of nodes before them, and for the leaves of so many new places.
    pub(crate) const fn memory(len: usize, new_len: usize) -> usize {
        (len + EXTRA) * size_of::<u32>() + new_len * size_of::<Leaf>()
    }

    /// Takes this memory. Returns nothing if there is none.
    pub(crate) fn reserve(&mut self, text_len: usize, new_len: usize) -> Option<()> {
        if text_len > TEXT_MAX.min(Leaf::CELLS_MAX) {
            return None;
        }
        reserve(&mut self.cells, text_len + EXTRA)?;
        reserve(&mut self.leaves, new_len)
    }

    /// The leaves and the nodes.
    #[inline]
    pub(crate) fn parts(&mut self) -> (&[Leaf], &mut [Node]) {
        (&self.leaves, self.cells[..self.nodes_len].as_chunks_mut().0)
    }

    /// The leaves and the cells, while the tree is made, and how many cells stand before the suffixes.
    pub(crate) fn parts_to_build(&mut self) -> (&mut [Leaf], &mut [u32], usize) {
        (&mut self.leaves, &mut self.cells, self.room)
    }

    /// Says how many cells are those of nodes.
    pub(crate) fn finish(&mut self, len: usize) {
        self.nodes_len = len.min(self.cells.len());
    }

    /// Makes the tree of another text, for which there is memory. `new` are its new places, and `start` is the place of
    /// its first byte. Occurrences before the new places are noted. Returns nothing if the library has too little
    /// memory.
    pub(crate) fn build(
        &mut self,
        text: &[u8],
        new: Range<usize>,
        start: usize,
        depths: &Depths,
    ) -> Option<()> {
        self.sort(text, ROOM, new.len())?;
        let Self { leaves, cells, .. } = self;
        let mut builder = Builder::new(thin(text, &cells[ROOM..][..text.len()], depths));
        let mut before = None;
        for rank in 0..text.len() {
            if let Some(&ahead) = cells[..ROOM + text.len()].get(ROOM + rank + AHEAD) {
                ask(text, leaves, ahead as usize, new.start);
            }
            let suffix = cells[ROOM + rank] as usize;
            let shared = before.map_or(0, |before| common(text, before, suffix, 0, depths.most()));
            before = Some(suffix);
            let kind = if suffix < new.start {
                Suffix::Old((start + suffix + 1) as u32)
            } else {
                Suffix::New((suffix - new.start) as u32)
            };
            builder.arrive(kind, depths.code(shared as u32), cells, ROOM + rank, leaves);
        }
        let len = builder.finish(cells, ROOM + text.len(), leaves);
        self.finish(len);
        Some(())
    }

    /// Sorts the suffixes of a text, for which there is memory, and leaves room for so many nodes before them. There
    /// are no leaves yet.
    pub(crate) fn sort(&mut self, text: &[u8], room: usize, new_len: usize) -> Option<()> {
        let Self { leaves, cells, .. } = self;
        self.room = room;
        self.nodes_len = 0;
        // The library writes all cells, so those that stay need no zeros.
        cells.resize(room + text.len() + EXTRA, 0);
        sort(text, &mut cells[room..])?;
        leaves.clear();
        leaves.resize(new_len, Leaf::default());
        Some(())
    }
}

fn reserve<T>(list: &mut Vec<T>, len: usize) -> Option<()> {
    if list.capacity() < len {
        // What was in the smaller memory is not copied.
        *list = Vec::new();
        list.try_reserve_exact(len).ok()?;
    }
    Some(())
}

/// The codes of depths that the nodes of a text may have, so that there is room for nearly all.
fn thin(text: &[u8], suffixes: &[u32], depths: &Depths) -> [u8; CODES] {
    let stretches = suffixes.chunks(STRETCH * STRETCHES).map(|chunk| {
        chunk[..chunk.len().min(STRETCH)]
            .windows(2)
            .filter_map(|pair| pair.first_chunk())
            .map(|&[one, two]| depths.code(common(text, one as usize, two as usize, 0, depths.most()) as u32))
    });
    let counted: usize = suffixes.chunks(STRETCH * STRETCHES).map(|chunk| chunk.len().min(STRETCH)).sum();
    thinned(stretches, suffixes.len() / counted.max(1), (ROOM + suffixes.len()) / 2)
}

/// Asks for the text of a suffix, and for its leaf.
#[inline]
pub(crate) fn ask(text: &[u8], leaves: &[Leaf], suffix: usize, new: usize) {
    prefetch(text, suffix);
    prefetch(text, suffix + BEYOND);
    prefetch(leaves, suffix.wrapping_sub(new));
}

/// How many bytes two suffixes share, up to `most`. They share `known` bytes.
#[inline]
pub(crate) fn common(text: &[u8], one: usize, two: usize, known: usize, most: usize) -> usize {
    let (from, at) = (one.min(two), one.max(two));
    shared(text, at, (at - from - 1) as u32, known, most.min(text.len() - at))
}

#[cfg(test)]
mod tests {
    use super::super::far_matches::tests::noise;
    use super::*;

    fn tree(text: &[u8], depth_max: usize) -> Tree {
        let mut tree = Tree::default();
        tree.reserve(ROOM + text.len(), text.len()).unwrap();
        tree.build(text, 0..text.len(), 0, &Depths::new(depth_max)).unwrap();
        tree
    }

    /// The depths of the nodes of a place, from the leaf on.
    fn depths(tree: &mut Tree, depths: &Depths, place: usize) -> Vec<u32> {
        let (leaves, nodes) = tree.parts();
        let node = |index: usize| (index > 0).then(|| nodes[index][0]);
        std::iter::successors(node(leaves[place].index() as usize), |&word| node(parent(word)))
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

    /// There is room for half as many nodes as the text has bytes.
    #[test]
    fn nodes_without_room_are_left_out() {
        let text: Vec<u8> = noise(100_000).iter().map(|byte| byte >> 7).collect();
        let mut tree = tree(&text, 64);
        let count = tree.parts().1.len();
        assert!(count <= (ROOM + text.len()) / 2 && count > text.len() / 4, "{count}");
        let known = Depths::new(64);
        for place in 0..text.len() {
            let depths = depths(&mut tree, &known, place);
            assert!(depths.is_sorted_by(|a, b| a > b));
            // Two letters: all short strings occur again.
            assert!(place + 5 > text.len() || !depths.is_empty(), "{place}");
        }
    }

    /// A node knows the last place before the new ones, and every string of a new place has a node.
    #[test]
    fn new_places_have_nodes_that_know_the_old_places() {
        let text = b"she sells sea shells by the sea shore".repeat(3);
        let (new, start) = (30..100, 1000);
        let mut tree = Tree::default();
        tree.reserve(ROOM + text.len(), new.len()).unwrap();
        let known = Depths::new(64);
        tree.build(&text, new.clone(), start, &known).unwrap();
        let (leaves, nodes) = tree.parts();
        assert_eq!(leaves.len(), new.len());
        let mut seen = vec![false; nodes.len()];
        for (place, &leaf) in new.clone().zip(leaves.iter()) {
            let mut next = leaf.index() as usize;
            while next != 0 {
                seen[next] = true;
                let [word, last] = nodes[next];
                let len = known.len(code(word)) as usize;
                let begins = |&at: &usize| text[at..].starts_with(&text[place..place + len]);
                let expected = (0..new.start).rev().find(begins).map_or(0, |at| start + at + 1);
                assert_eq!(last as usize, expected, "{place}, {len} bytes");
                next = parent(word);
            }
        }
        assert!(seen.into_iter().skip(1).all(|seen| seen));
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
                assert!(tree.parts().1.len() <= (ROOM + text.len()) / 2);
                for place in 0..text.len() {
                    assert!(depths(&mut tree, &known, place).len() < CODES.min(depth_max));
                }
            }
        }
    }
}
