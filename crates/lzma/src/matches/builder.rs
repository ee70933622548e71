//! Makes the nodes of a tree from suffixes that come in their order.
//!
//! The strings that a suffix shares with its neighbours are the nodes above it. A stack holds those nodes to which
//! later suffixes may belong.

use super::depths::CODES;
use super::tree::{Leaf, word};

/// Nodes of greater depths leave some room to the others, which are few and belong to many places.
const SHALLOW: u8 = 8;
const RESERVED: usize = 4 << 10;

/// A node to which later suffixes may belong.
#[derive(Clone, Copy, Default)]
struct Open {
    code: u8,
    /// The index of the node, or zero as long as it has no new place.
    index: u32,
    /// The place behind the first byte of the last occurrence before the new places.
    last: u32,
}

/// What a suffix is.
#[derive(Clone, Copy)]
pub(crate) enum Suffix {
    /// One before the new places: the place behind its first byte.
    Old(u32),
    /// The index of a new place.
    New(u32),
    /// One behind the new places, or none.
    Other,
}

pub(crate) struct Builder {
    /// The code of the greatest depth that nodes may have, for each code.
    codes: [u8; CODES],
    open: [Open; CODES],
    top: usize,
    /// How many nodes have an index.
    count: u32,
    /// The suffix that came last. The nodes above it are not all known yet.
    before: Suffix,
}

impl Builder {
    /// Nodes have depths of some codes only.
    pub(crate) fn new(codes: [u8; CODES]) -> Self {
        Self { codes, open: [Open::default(); _], top: 0, count: 1, before: Suffix::Other }
    }

    #[inline]
    fn top(&mut self) -> &mut Open {
        &mut self.open[self.top % CODES]
    }

    #[inline]
    fn push(&mut self, code: u8) {
        self.top += 1;
        *self.top() = Open { code, ..Open::default() };
    }

    /// The index of the deepest node that has one or gets one, from the top on. `room` is the number of cells for
    /// nodes, which take two each.
    #[inline]
    fn index(&mut self, room: usize) -> u32 {
        let mut at = self.top;
        while at > 0 {
            let node = &mut self.open[at % CODES];
            let reserved = if node.code > SHALLOW { RESERVED } else { 0 };
            if node.index == 0 && (self.count as usize + 1) * 2 + reserved <= room {
                node.index = self.count;
                self.count += 1;
            }
            if node.index > 0 {
                return node.index;
            }
            at -= 1;
        }
        0
    }

    /// Goes on to the next suffix. `shared` is the code of what it shares with the suffix before it. The first `room`
    /// cells are free for nodes.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        suffix: Suffix,
        shared: u8,
        cells: &mut [u32],
        room: usize,
        leaves: &mut [Leaf],
    ) {
        let shared = self.codes[usize::from(shared) % CODES];
        if shared > self.top().code {
            self.push(shared);
        }
        match std::mem::replace(&mut self.before, suffix) {
            Suffix::Old(place) => {
                let top = self.top();
                top.last = top.last.max(place);
            }
            Suffix::New(place) => {
                let index = self.index(room);
                if let Some(leaf) = leaves.get_mut(place as usize) {
                    *leaf = Leaf::new(index);
                }
            }
            Suffix::Other => {}
        }
        while self.top().code > shared {
            let Open { code, index, last } = *self.top();
            self.top -= 1;
            if self.top().code < shared {
                self.push(shared);
            }
            let above = self.top();
            above.last = above.last.max(last);
            if index > 0 {
                let up = self.index(room);
                let at = 2 * index as usize;
                (cells[at], cells[at + 1]) = (word(up, code), last);
            }
        }
    }

    /// Says what the suffix is that came last.
    #[inline]
    pub(crate) fn set(&mut self, suffix: Suffix) {
        self.before = suffix;
    }

    /// Closes all nodes, and returns the number of cells that they take.
    pub(crate) fn finish(mut self, cells: &mut [u32], room: usize, leaves: &mut [Leaf]) -> usize {
        self.arrive(Suffix::Other, 0, cells, room, leaves);
        if let [word, last, ..] = cells {
            (*word, *last) = (0, 0);
        }
        2 * self.count as usize
    }
}

/// The codes of depths that nodes may have. They are all, or those that leave out the most nodes, so that there are
/// about `most` nodes. `codes` are what neighbours share, in stretches of the sorted suffixes.
pub(crate) fn thinned(
    stretches: impl Iterator<Item = impl Iterator<Item = u8>>,
    part: usize,
    most: usize,
) -> [u8; CODES] {
    let mut counts = [0_usize; CODES];
    for codes in stretches {
        // The nodes that are open. What lies below the first one is not known, and not counted.
        let mut open = Vec::with_capacity(CODES);
        for code in codes {
            while open.last().is_some_and(|&top| top > code) {
                open.pop();
            }
            if open.last() != Some(&code) {
                counts[usize::from(code) % CODES] += usize::from(!open.is_empty());
                open.push(code);
            }
        }
    }
    let mut order: [usize; CODES] = std::array::from_fn(|code| code);
    order[1..].sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
    let mut count = part * counts.iter().skip(1).sum::<usize>();
    let mut stays = [true; CODES];
    for &code in &order[1..] {
        if count <= most {
            break;
        }
        stays[code] = false;
        count -= part * counts[code];
    }
    let mut last = 0;
    std::array::from_fn(|code| {
        last = if stays[code] { code as u8 } else { last };
        last
    })
}
