//! Where bytes occurred before.
//!
//! [`MatchFinder`] goes through a text. At each place it gives the nearest earlier place for every length of match, as a
//! list of pairs. Its steps are a walk through a tree of all repeated strings, from the longest to the shortest.
//!
//! A place takes at most as many steps as the longest string in the tree has bytes, so the time is bounded for all
//! texts.

mod prefetch;
mod sais;
mod tree;

use prefetch::prefetch;
pub(crate) use tree::DEPTH_MAX;
use tree::Tree;

/// How far ahead the nodes of a place are asked for.
const AHEAD: usize = 12;

/// A match: its length, and its distance less one.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) len: u32,
    pub(crate) distance: u32,
}

/// The matches of one place, from the longest to the shortest. Each is nearer than the one before.
pub(crate) struct Found {
    items: [Match; DEPTH_MAX],
    count: usize,
}

impl Found {
    pub(crate) fn new() -> Self {
        Self { items: [Match::default(); _], count: 0 }
    }

    pub(crate) fn all(&self) -> &[Match] {
        &self.items[..self.count]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Match] {
        &mut self.items[..self.count]
    }

    #[inline]
    fn push(&mut self, found: Match) {
        if let Some(item) = self.items.get_mut(self.count) {
            *item = found;
            self.count += 1;
        }
    }
}

/// Goes through a text and finds matches.
pub(crate) struct MatchFinder {
    tree: Tree,
    /// The next place.
    at: usize,
    distance_max: usize,
}

impl MatchFinder {
    /// For `text`, matches with a length of `len_max` bytes at most, and distances up to `distance_max`.
    pub(crate) fn new(text: &[u8], len_max: usize, distance_max: usize) -> Option<Self> {
        Some(Self { tree: Tree::new(text, len_max)?, at: 0, distance_max })
    }

    /// The place whose matches come next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Finds the matches of the next place.
    #[inline]
    pub(crate) fn find(&mut self, found: &mut Found) {
        found.count = 0;
        let limit = self.distance_max as u32;
        self.walk(|depth, distance| {
            if distance <= limit {
                found.push(Match { len: depth, distance: distance - 1 });
            }
        });
    }

    /// Passes over places.
    pub(crate) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.walk(|_, _| {});
        }
    }

    #[inline]
    fn walk(&mut self, mut see: impl FnMut(u32, u32)) {
        let Tree { leaves, nodes } = &mut self.tree;
        if let Some(&ahead) = leaves.get(self.at + AHEAD) {
            prefetch(nodes, ahead as usize);
        }
        let Some(&leaf) = leaves.get(self.at) else { return };
        self.at += 1;
        let here = self.at as u32;
        let (mut next, mut nearest) = (leaf as usize, 0);
        while next != 0 {
            let node = &mut nodes[next];
            let last = node.last();
            next = node.parent();
            if last != nearest {
                nearest = last;
                see(node.depth(), here - last);
            }
            *node = node.seen_at(here);
        }
    }
}

