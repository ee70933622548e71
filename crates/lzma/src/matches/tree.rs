//! The tree of all strings that occur more than once in a text.
//!
//! A node stands for a string and all its occurrences: its depth is the length of the string, its parent is the longest
//! prefix that occurs elsewhere too. Strings longer than a limit are cut to it, and strings shorter than two bytes are left
//! out. Each place of the text has the deepest node of the strings that begin there, which is its leaf.
//!
//! The tree is made in one pass over the sorted suffixes: the strings that a suffix shares with its neighbours are the
//! nodes above it, and a stack holds those that are still open.

use super::prefetch::prefetch;
use super::sais::sort;
use crate::model::MATCH_MIN;

/// The greatest depth.
const DEPTH_MAX: usize = u8::MAX as usize;
/// Texts may have one byte less than this many bits can count.
const PLACE_BITS: u32 = 28;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;
/// The longest text.
pub(crate) const TEXT_MAX: usize = PLACE_MASK as usize;
/// The memory of a tree for each byte of the text: a suffix, a leaf, and at most one node.
pub(crate) const MEMORY: usize = size_of::<i32>() + size_of::<i32>() + size_of::<Node>();

/// How many suffixes before its turn the leaf of a suffix is asked for.
const AHEAD: usize = 24;

/// A string: its parent, its depth, and the place behind the first byte of its last occurrence so far, or zero.
#[derive(Clone, Copy)]
pub(crate) struct Node(u64);

impl Node {
    fn new(parent: u32, depth: u32) -> Self {
        Self(u64::from(parent) << (PLACE_BITS + 8) | u64::from(depth) << PLACE_BITS)
    }

    #[inline]
    pub(crate) fn last(self) -> u32 {
        (self.0 & PLACE_MASK) as u32
    }

    #[inline]
    pub(crate) fn depth(self) -> u32 {
        u32::from((self.0 >> PLACE_BITS) as u8)
    }

    #[inline]
    pub(crate) fn parent(self) -> usize {
        (self.0 >> (PLACE_BITS + 8)) as usize
    }

    #[inline]
    pub(crate) fn seen_at(self, place: u32) -> Self {
        Self(self.0 & !PLACE_MASK | u64::from(place))
    }
}

#[derive(Default)]
pub(crate) struct Tree {
    /// The node of each place, or zero.
    pub(crate) leaves: Vec<i32>,
    /// The first node is the root, which stands for no string.
    pub(crate) nodes: Vec<Node>,
    /// Kept for the next text.
    suffixes: Vec<i32>,
}

impl Tree {
    /// Makes the tree of another text. Returns nothing if the text is too long, or if there is no memory.
    pub(crate) fn build(&mut self, text: &[u8], depth_max: usize) -> Option<()> {
        let Self { leaves, nodes, suffixes } = self;
        if text.len() > TEXT_MAX {
            return None;
        }
        let depth_max = depth_max.min(DEPTH_MAX) as i32;
        // The lengths of shared prefixes become leaves, one after the other.
        sort(text, suffixes, leaves)?;
        nodes.clear();
        // Memory that is not written to costs nothing, and most texts have half as many nodes.
        nodes.try_reserve_exact(text.len() + 1).ok()?;
        nodes.push(Node::new(0, 0));
        // Depths and nodes, from the root to the string that the suffix before shares with this one.
        let mut open = Vec::with_capacity(depth_max as usize + 1);
        open.push((0u32, 0u32));
        let mut top = (0u32, 0u32);
        let mut before = None;
        let ranks = suffixes.iter().map(|&suffix| Some(suffix as usize)).chain([None]);
        for (rank, suffix) in ranks.enumerate() {
            if let Some(&ahead) = suffixes.get(rank + AHEAD) {
                prefetch(leaves, ahead as usize);
            }
            let shared = suffix.map_or(0, |suffix| leaves[suffix].min(depth_max) as u32);
            let shared = if shared < MATCH_MIN { 0 } else { shared };
            if shared > top.0 {
                top = (shared, nodes.len() as u32);
                nodes.push(Node::new(0, shared));
                open.push(top);
            }
            if let Some(before) = before {
                leaves[before] = top.1 as i32;
            }
            while top.0 > shared {
                open.pop();
                let mut above = *open.last()?;
                if above.0 < shared {
                    above = (shared, nodes.len() as u32);
                    nodes.push(Node::new(0, shared));
                    open.push(above);
                }
                nodes[top.1 as usize] = Node::new(above.1, top.0);
                top = above;
            }
            before = suffix;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &[u8], depth_max: usize) -> Tree {
        let mut tree = Tree::default();
        tree.build(text, depth_max).unwrap();
        tree
    }

    /// The depths of the nodes of a place, from the leaf on.
    fn depths(tree: &Tree, place: usize) -> Vec<u32> {
        let node = |index: usize| (index > 0).then(|| tree.nodes[index]);
        std::iter::successors(node(tree.leaves[place] as usize), |up| node(up.parent()))
            .map(Node::depth)
            .collect()
    }

    #[test]
    fn a_place_has_the_strings_that_occur_elsewhere() {
        let tree = tree(b"abcdxabcyabz", 64);
        assert_eq!(depths(&tree, 0), [3, 2]);
        assert_eq!(depths(&tree, 1), [2]);
        assert_eq!(depths(&tree, 5), [3, 2]);
        assert_eq!(depths(&tree, 9), [2]);
        assert!([2, 3, 4, 8, 10, 11].iter().all(|&place| depths(&tree, place).is_empty()));
    }

    #[test]
    fn strings_are_no_longer_than_the_limit() {
        let text = [b'a'; 1000];
        assert_eq!(depths(&tree(&text, 5), 0), [5, 4, 3, 2]);
        assert_eq!(depths(&tree(&text, 5), 997), [3, 2]);
        assert_eq!(depths(&tree(&text, 1 << 20), 0).len(), DEPTH_MAX - 1);
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
            for depth_max in [16, 64] {
                let tree = tree(&text, depth_max);
                assert!(tree.nodes.len() <= text.len());
                assert!((0..text.len()).all(|place| depths(&tree, place).len() < depth_max));
            }
        }
    }
}
