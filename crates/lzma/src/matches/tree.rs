//! The tree of all strings that occur more than once in a text.
//!
//! A node stands for a string and all its occurrences: its depth is the length of the string, its parent is the longest
//! prefix that occurs elsewhere too. Strings longer than a limit are cut to it, and strings shorter than two bytes are left
//! out. Each place of the text has the deepest node of the strings that begin there, which is its leaf.
//!
//! The tree is made in one pass over the sorted suffixes: the strings that a suffix shares with its neighbours are the
//! nodes above it, and a stack holds those that are still open.

use super::prefetch;
use super::sais::{Sorted, sort};
use crate::model::MATCH_MIN;

/// The greatest depth.
const DEPTH_MAX: usize = u8::MAX as usize;
/// Texts may have one byte less than this many bits can count.
const PLACE_BITS: u32 = 28;
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

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

pub(crate) struct Tree {
    /// The node of each place, or zero.
    pub(crate) leaves: Vec<u32>,
    /// The first node is the root, which stands for no string.
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    /// Returns nothing if the text is too long, or if there is no memory.
    pub(crate) fn new(text: &[u8], depth_max: usize) -> Option<Self> {
        if text.len() as u64 > PLACE_MASK {
            return None;
        }
        let depth_max = depth_max.min(DEPTH_MAX) as u32;
        let Sorted { suffixes, shared } = sort(text)?;
        // The numbers are not negative. The same allocation serves.
        let mut leaves: Vec<u32> = shared.into_iter().map(|shared| shared as u32).collect();
        let mut nodes = vec![Node::new(0, 0)];
        let mut open = vec![(0u32, 0u32)];
        let mut before: Option<usize> = None;
        for (rank, suffix) in suffixes.iter().map(|&suffix| Some(suffix as usize)).chain([None]).enumerate() {
            if let Some(&ahead) = suffixes.get(rank + AHEAD) {
                prefetch(&leaves, ahead as usize);
            }
            let shared = match suffix {
                Some(suffix) => leaves[suffix].min(depth_max),
                None => 0,
            };
            let shared = if shared < MATCH_MIN { 0 } else { shared };
            let mut top = *open.last()?;
            if shared > top.0 {
                top = (shared, nodes.len() as u32);
                nodes.push(Node::new(0, shared));
                open.push(top);
            }
            if let Some(before) = before {
                leaves[before] = top.1;
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
        Some(Self { leaves, nodes })
    }
}
