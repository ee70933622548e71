//! Where bytes occurred before.
//!
//! [`MatchFinder`] goes through a text. At each place it gives the nearest earlier place for every length of match, as a
//! list of pairs. Its steps are a walk through a tree of all repeated strings, from the longest to the shortest.
//!
//! A place takes at most as many steps as the longest string in the tree has bytes, so the time is bounded for all
//! texts. Almost every step would wait for memory. So the finder works on a batch of places: it first asks for all nodes
//! that the walks of the batch will need, and then walks.

mod prefetch;
mod sais;
mod tree;

pub(crate) use prefetch::prefetch;
use tree::Tree;
pub(crate) use tree::{MEMORY, TEXT_MAX};

/// The places of a batch.
const BATCH: usize = 32;

/// A match: its length, and its distance less one.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) len: u32,
    pub(crate) distance: u32,
}

/// Goes through one text after another and finds matches.
pub(crate) struct MatchFinder {
    tree: Tree,
    len_max: usize,
    distance_max: u32,
    /// The first place of the batch.
    first: usize,
    /// Where in `items` the matches of each place of the batch begin and end.
    bounds: [u32; BATCH + 1],
    items: Vec<Match>,
}

impl MatchFinder {
    /// For matches with a length of `len_max` bytes at most, and distances up to `distance_max`.
    pub(crate) fn new(len_max: usize, distance_max: usize) -> Self {
        let distance_max = u32::try_from(distance_max).unwrap_or(u32::MAX);
        Self { tree: Tree::default(), len_max, distance_max, first: 0, bounds: [0; _], items: Vec::new() }
    }

    /// Begins with another text. Returns nothing if it is too long, or if there is no memory.
    pub(crate) fn begin(&mut self, text: &[u8]) -> Option<()> {
        self.tree.build(text, self.len_max)?;
        self.first = 0;
        self.fill();
        Some(())
    }

    /// Goes on to a place. Places come in their order, and may be left out.
    #[inline]
    pub(crate) fn advance(&mut self, place: usize) {
        if place >= self.first + BATCH {
            self.first = place / BATCH * BATCH;
            self.fill();
        }
    }

    /// The matches at a place, from the longest to the shortest. Each is nearer than the one before. Nothing is known of
    /// places outside of the batch of the last call of [`Self::advance`].
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &[Match] {
        let index = place.wrapping_sub(self.first);
        match self.bounds.get(index..).and_then(|bounds| bounds.first_chunk()) {
            Some(&[from, to]) => self.items.get(from as usize..to as usize).unwrap_or_default(),
            None => &[],
        }
    }

    #[inline(never)]
    fn fill(&mut self) {
        self.items.clear();
        let Tree { leaves, nodes, .. } = &mut self.tree;
        if let Some(next) = leaves.get(self.first + BATCH..) {
            for &leaf in &next[..next.len().min(BATCH)] {
                prefetch(nodes, leaf as usize);
            }
        }
        let leaves = leaves.get(self.first..).unwrap_or_default();
        let leaves = &leaves[..leaves.len().min(BATCH)];
        // The paths go on in parallel, one step each, until all have reached the root.
        let mut paths = [0u32; BATCH];
        for (path, &leaf) in paths.iter_mut().zip(leaves) {
            *path = leaf as u32;
        }
        let mut open = leaves.len();
        while open > 0 {
            let mut still = 0;
            for index in 0..open {
                let node = paths[index] as usize;
                let parent = nodes[node].parent();
                prefetch(nodes, parent);
                paths[still] = parent as u32;
                still += usize::from(parent > 0);
            }
            open = still;
        }
        for (index, &leaf) in leaves.iter().enumerate() {
            let here = (self.first + index + 1) as u32;
            let (mut next, mut nearest) = (leaf as usize, 0);
            while next != 0 {
                let node = &mut nodes[next];
                let last = node.last();
                next = node.parent();
                if last != nearest {
                    nearest = last;
                    let distance = here - last;
                    if distance <= self.distance_max {
                        self.items.push(Match { len: node.depth(), distance: distance - 1 });
                    }
                }
                *node = node.seen_at(here);
            }
            self.bounds[index + 1] = self.items.len() as u32;
        }
        self.bounds[leaves.len() + 1..].fill(self.items.len() as u32);
    }
}
