//! Where bytes occurred before.
//!
//! [`MatchFinder`] goes through a text. At each place it gives the nearest earlier place for every length of match, as a
//! list of pairs. Its steps are a walk through a tree of all repeated strings, from the longest to the shortest. A long
//! text has several trees, one after the other, for windows of it.
//!
//! A place takes fewer steps than there are depths of nodes, so the time is bounded for all texts. Almost every step
//! would wait for memory. So the finder works on a batch of places: it first asks for all nodes that the walks of the
//! batch will need, and then walks.

mod depths;
mod prefetch;
mod sais;
mod tree;
mod windows;

use std::ops::Range;

use depths::Depths;
pub(crate) use prefetch::prefetch;
use tree::{Tree, code, parent};
use windows::{BATCH, Windows};

use crate::work;

/// The longest text, so that places have 32 bits.
pub(crate) const TEXT_MAX: usize = u32::MAX as usize >> 1;

/// The memory of a finder for texts of this length.
pub(crate) fn memory(text_len: usize, dict_len: usize) -> u64 {
    Tree::memory(Windows::new(text_len, dict_len).sorted_len()) as u64
}

/// A match: its length, and its distance less one.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) len: u32,
    pub(crate) distance: u32,
}

/// Goes through one text after another and finds matches.
pub(crate) struct MatchFinder {
    tree: Tree,
    depths: Depths,
    dict_len: usize,
    windows: Windows,
    /// The new places of the window, and what of the text is sorted.
    places: Range<usize>,
    sorted: Range<usize>,
    has_failed: bool,
    /// The first place of the batch.
    first: usize,
    /// Where in `items` the matches of each place of the batch begin and end.
    bounds: [u32; BATCH + 1],
    items: Vec<Match>,
}

impl MatchFinder {
    /// For matches with a length of `len_max` bytes at most, and distances up to `dict_len`.
    pub(crate) fn new(len_max: usize, dict_len: usize) -> Self {
        Self {
            tree: Tree::default(),
            depths: Depths::new(len_max),
            dict_len,
            windows: Windows::default(),
            places: 0..0,
            sorted: 0..0,
            has_failed: false,
            first: 0,
            bounds: [0; _],
            items: Vec::new(),
        }
    }

    /// Begins with another text. Returns nothing if it is too long, or if there is no memory.
    pub(crate) fn begin(&mut self, text: &[u8]) -> Option<()> {
        self.windows = Windows::new(text.len(), self.dict_len);
        self.tree.reserve(self.windows.sorted_len())?;
        (self.first, self.has_failed) = (0, false);
        self.enter(text, 0);
        self.fill();
        (!self.has_failed).then_some(())
    }

    /// Whether there was too little memory since the text began. Then matches are missing.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Goes on to a place of the text. Places come in their order, and may be left out.
    #[inline]
    pub(crate) fn advance(&mut self, text: &[u8], place: usize) {
        if place >= self.first + BATCH {
            let behind = self.first + BATCH;
            self.first = place / BATCH * BATCH;
            self.pass(behind);
            if self.first >= self.places.end {
                self.enter(text, self.first);
            }
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

    /// Makes the tree for the window with this place.
    #[inline(never)]
    fn enter(&mut self, text: &[u8], place: usize) {
        self.places = self.windows.places(place);
        self.sorted = self.windows.sorted(&self.places);
        match self.tree.build(&text[self.sorted.clone()], &self.depths) {
            Some(()) => self.tree.see(self.places.start - self.sorted.start, self.sorted.start),
            None => (self.has_failed, self.sorted) = (true, 0..0),
        }
    }

    /// Notes the places from `from` to the batch in their leaves only.
    #[inline]
    fn pass(&mut self, from: usize) {
        let end = self.first.min(self.places.end);
        if from < end && !self.sorted.is_empty() {
            let start = self.sorted.start;
            let (leaves, nodes) = self.tree.parts();
            for place in from..end {
                let leaf = leaves[place - start] as usize;
                nodes[leaf][1] = (place + 1) as u32;
            }
        }
    }

    #[inline(never)]
    fn fill(&mut self) {
        self.items.clear();
        let (leaves, nodes) = self.tree.parts();
        // No places are known if the tree could not be made.
        let begin = self.first - self.sorted.start;
        let len = self.sorted.end.min(self.places.end).saturating_sub(self.first).min(BATCH);
        if let Some(next) = leaves.get(begin + BATCH..) {
            for &leaf in &next[..next.len().min(BATCH)] {
                prefetch(nodes, leaf as usize);
            }
        }
        let leaves = leaves.get(begin..begin + len).unwrap_or_default();
        // The paths go on in parallel, one step each, until all have reached the root.
        let mut paths = [0u32; BATCH];
        paths[..leaves.len()].copy_from_slice(leaves);
        let mut open = leaves.len();
        while open > 0 {
            let mut still = 0;
            for index in 0..open {
                let up = parent(nodes[paths[index] as usize][0]);
                prefetch(nodes, up);
                paths[still] = up as u32;
                still += usize::from(up > 0);
            }
            open = still;
        }
        for (index, &leaf) in leaves.iter().enumerate() {
            let here = (self.first + index + 1) as u32;
            let (mut next, mut nearest) = (leaf as usize, 0);
            while next != 0 {
                work::count(1);
                let [word, last] = &mut nodes[next];
                // Places that were passed are noted in leaves only.
                if *last > nearest {
                    nearest = *last;
                    let distance = here - nearest;
                    if distance as usize <= self.dict_len {
                        self.items.push(Match { len: self.depths.len(code(*word)), distance: distance - 1 });
                    }
                }
                *last = here;
                next = parent(*word);
            }
            self.bounds[index + 1] = self.items.len() as u32;
        }
        self.bounds[leaves.len() + 1..].fill(self.items.len() as u32);
    }
}
