//! Where bytes occurred before.
//!
//! [`MatchFinder`] goes through a text. At each place it gives the nearest earlier place for every length of match, as
//! a list of pairs. Its steps are a walk through a tree of all repeated strings, from the longest to the shortest. A
//! long text has several trees, one after the other, for windows of it.
//!
//! `far_matches.rs` finds long matches with the text before the window. A window that consists almost only of long
//! repeats has no tree (`recent.rs`).
//!
//! A place takes fewer steps than there are depths of nodes, so the time is bounded for all texts. Almost every step
//! would wait for memory. So the finder works on a batch of places: it first asks for all nodes that the walks of the
//! batch will need, and then walks.

mod builder;
mod depths;
mod far;
mod far_matches;
mod prefetch;
mod recent;
mod sais;
mod sample;
mod sorter;
pub(crate) mod tables;
mod tree;
mod windows;

use std::ops::Range;

pub(crate) use depths::exact_len;
use depths::{CODES, Depths};
use far::Far;
use far_matches::FarMatches;
pub(crate) use prefetch::prefetch;
use recent::Recent;
pub use sorter::Sorter;
use sorter::Window;
use tables::TableFinder;
use tree::{Tree, code, parent};
use windows::BATCH;
pub(crate) use windows::Windows;

use crate::work;

/// The longest text, so that places have 32 bits.
pub(crate) const TEXT_MAX: usize = u32::MAX as usize >> 1;

/// The memory of a finder for texts of this length, of a [`Sorter`], and of the sample by which a text is cut.
pub(crate) fn memory(text_len: usize, dict_len: usize) -> u64 {
    let memory = |windows: Windows| {
        let (len, new_len) = windows.tree_len();
        let far =
            Far::memory(dict_len.min(windows.last_start()), windows.stride()) + FarMatches::memory(new_len);
        Tree::memory(len, new_len) + far + Sorter::memory(windows.kept_len())
    };
    let tables = Windows::kinds(text_len, dict_len).map(memory).max().unwrap_or(0);
    (tables + Windows::cutting_memory(text_len, dict_len)) as u64
}

/// The most matches of a batch: a far one, and one for each depth, for each place.
const ITEMS: usize = (BATCH * (CODES + 1)).next_power_of_two();

/// A match: its length, and its distance less one.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) len: u32,
    pub(crate) distance: u32,
}

/// What finds matches.
pub(crate) enum Finder {
    Tree(Box<MatchFinder>),
    Table(TableFinder),
}

impl Finder {
    /// Goes on to a place of the text. Places come in their order, and may be left out.
    #[inline]
    pub(crate) fn advance(&mut self, text: &[u8], place: usize) {
        match self {
            Self::Tree(finder) => finder.advance(text, place),
            Self::Table(finder) => finder.advance(text, place),
        }
    }

    /// The matches at a place, from the longest to the shortest. Each is nearer than the one before. Of places behind
    /// the last one of [`Self::advance`] not all matches may be known.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &[Match] {
        match self {
            Self::Tree(finder) => finder.at(place),
            Self::Table(finder) => finder.at(place),
        }
    }

    /// Begins at the start of a window of another text. [`Self::join`] follows. Returns nothing if the text is too
    /// long, or if there is no memory.
    pub(crate) fn begin(&mut self, text: &[u8], windows: Windows, start: usize) -> Option<()> {
        match self {
            Self::Tree(finder) => finder.begin(text, windows, start),
            Self::Table(finder) => finder.begin(text),
        }
    }

    /// Joins the window to those before it.
    pub(crate) fn join(&mut self, text: &[u8], sorter: Option<&mut Sorter>) -> Option<()> {
        match self {
            Self::Tree(finder) => finder.join(text, sorter),
            Self::Table(_) => Some(()),
        }
    }

    /// Whether the window is joined to those before it.
    pub(crate) fn is_joined(&self) -> bool {
        matches!(self, Self::Tree(finder) if finder.windows.is_joined)
    }

    /// Whether there was too little memory since the text began. Then matches are missing.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self, Self::Tree(finder) if finder.has_failed)
    }
}

/// Goes through one text after another and finds matches.
pub(crate) struct MatchFinder {
    tree: Tree,
    /// Joins windows that are not joined elsewhere.
    sorter: Sorter,
    /// Places before a window that is not joined.
    far: Far,
    far_matches: FarMatches,
    recent: Recent,
    /// The window consists almost only of long repeats, and has no tree.
    is_repetitive: bool,
    len_max: usize,
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
    bounds: [[u32; 2]; BATCH],
    items: Box<[Match; ITEMS]>,
}

impl MatchFinder {
    /// For matches with a length of `len_max` bytes at most, and distances up to `dict_len`.
    pub(crate) fn new(len_max: usize, dict_len: usize) -> Self {
        Self {
            tree: Tree::default(),
            sorter: Sorter::default(),
            far: Far::default(),
            far_matches: FarMatches::default(),
            recent: Recent::default(),
            is_repetitive: false,
            len_max,
            depths: Depths::new(len_max),
            dict_len,
            windows: Windows::default(),
            places: 0..0,
            sorted: 0..0,
            has_failed: false,
            first: 0,
            bounds: [[0; _]; _],
            items: Box::new([Match::default(); _]),
        }
    }

    /// Begins at the start of a window of another text. [`Self::join`] follows. Returns nothing if the text is too
    /// long, or if there is no memory.
    pub(crate) fn begin(&mut self, text: &[u8], windows: Windows, start: usize) -> Option<()> {
        if self.windows.is_joined != windows.is_joined {
            // `memory` counts one kind of windows, so the tables of the other kind are freed.
            (self.tree, self.sorter) = (Tree::default(), Sorter::default());
            (self.far, self.far_matches) = (Far::default(), FarMatches::default());
        }
        self.windows = windows;
        let (len, new_len) = self.windows.tree_len();
        self.tree.reserve(len, new_len)?;
        (self.first, self.has_failed) = (start / BATCH * BATCH, false);
        self.enter(text, start);
        (!self.has_failed).then_some(())
    }

    /// Joins the window to those before it. After that there are matches. `sorter` has joined the window before this
    /// one. Without a sorter, the windows of the text have been joined by this finder. Returns nothing if there is no
    /// memory.
    pub(crate) fn join(&mut self, text: &[u8], sorter: Option<&mut Sorter>) -> Option<()> {
        if self.windows.is_joined {
            // Taken out of `self` for the call, so that `self` can be changed.
            let mut own = std::mem::take(&mut self.sorter);
            self.join_to(text, sorter.unwrap_or(&mut own));
            self.sorter = own;
        }
        self.fill(text);
        (!self.has_failed).then_some(())
    }

    fn join_to(&mut self, text: &[u8], sorter: &mut Sorter) {
        let Range { start, end } = self.places;
        if start == 0 {
            sorter.begin();
        }
        let is_sorted = !self.is_repetitive;
        self.look_before(text, &mut sorter.far, start > 0);
        let (from, next_from) = (self.windows.old_start(start), self.windows.old_start(end));
        let (most, is_last) = (self.windows.kept_len(), end == text.len());
        let window = Window { text, new: start..end, from, next_from, most, is_last };
        if !is_sorted {
            self.is_repetitive = true;
            self.recent.begin(start);
        }
        if self.is_repetitive {
            sorter.pass(&window, &self.depths);
        } else if sorter.join(&window, &mut self.tree, &self.depths).is_none() {
            (self.has_failed, self.sorted) = (true, 0..0);
        }
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
                self.join(text, None);
            } else {
                self.fill(text);
            }
        }
    }

    /// The matches at a place, from the longest to the shortest. Each is nearer than the one before. Nothing is known
    /// of places outside of the batch of the last call of [`Self::advance`].
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &[Match] {
        let index = place.wrapping_sub(self.first);
        match self.bounds.get(index) {
            Some(&[from, to]) => self.items.get(from as usize..to as usize).unwrap_or_default(),
            None => &[],
        }
    }

    /// Enters the window with this place, and makes its tables, as far as it can without those before it.
    #[inline(never)]
    fn enter(&mut self, text: &[u8], place: usize) {
        self.places = self.windows.places(place);
        self.sorted = self.windows.sorted(&self.places);
        let (first, start) = (self.places.start, self.sorted.start);
        let new = first - start..self.places.end - start;
        let sorted = &text[self.sorted.clone()];
        let made = if self.windows.is_joined {
            // Repeats of the text before the window are not known yet. `join_to` asks again.
            self.is_repetitive =
                self.recent.is_repetitive(text, &self.places, &Far::default(), self.dict_len);
            self.is_repetitive || self.tree.sort(sorted, self.windows.room(), new.len()).is_some()
        } else {
            // Taken out of `self` for the call, so that `self` can be changed.
            let mut far = std::mem::take(&mut self.far);
            self.look_before(text, &mut far, false);
            self.far = far;
            self.is_repetitive || self.tree.build(sorted, new, start, &self.depths).is_some()
        };
        if !made {
            (self.has_failed, self.sorted) = (true, 0..0);
        }
    }

    /// Finds the matches with the text before the window, and whether the window consists almost only of repeats. If
    /// `is_same`, `far` has places before another window of this text.
    fn look_before(&mut self, text: &[u8], far: &mut Far, is_same: bool) {
        let first = self.places.start;
        let noted = first.saturating_sub(self.dict_len)..first;
        let most = self.dict_len.min(self.windows.last_start());
        let lens = (self.len_max, self.dict_len);
        self.far_matches.begin(&self.places);
        let found = far.begin(text, noted, (most, self.windows.stride()), is_same);
        if found.and_then(|()| self.far_matches.find(text, far, &self.places, lens)).is_none() {
            self.has_failed = true;
        }
        self.is_repetitive = self.recent.is_repetitive(text, &self.places, far, self.dict_len);
        if self.is_repetitive {
            self.recent.begin(first);
        }
    }

    /// Notes the places from `from` to the batch in their leaves only.
    #[inline]
    fn pass(&mut self, from: usize) {
        let end = self.first.min(self.places.end);
        if from < end && !self.sorted.is_empty() && !self.is_repetitive {
            let start = self.places.start;
            let (leaves, nodes) = self.tree.parts();
            for place in from..end {
                let leaf = leaves[place - start].index() as usize;
                nodes[leaf][1] = (place + 1) as u32;
            }
        }
    }

    /// Finds the matches of the batch in a window without a tree.
    fn fill_recent(&mut self, text: &[u8]) {
        let Self { far_matches, recent, items, bounds, len_max, dict_len, places, first, .. } = self;
        let batch = *first..(*first + BATCH).min(places.end).max(*first);
        let known = |place| far_matches.at(place);
        recent.fill(text, batch, known, (*len_max, *dict_len), &mut items[..], bounds);
    }

    #[inline(never)]
    fn fill(&mut self, text: &[u8]) {
        if self.is_repetitive {
            return self.fill_recent(text);
        }
        let (leaves, nodes) = self.tree.parts();
        // No places are known if the tree could not be made.
        let begin = self.first - self.places.start;
        let len = self.sorted.end.min(self.places.end).saturating_sub(self.first).min(BATCH);
        if let Some(next) = leaves.get(begin + BATCH..) {
            for &leaf in &next[..next.len().min(BATCH)] {
                prefetch(nodes, leaf.index() as usize);
            }
        }
        let leaves = leaves.get(begin..begin + len).unwrap_or_default();
        // The paths go on in parallel, one step each, until all have reached the root.
        let mut paths = [0u32; BATCH];
        for (path, leaf) in paths.iter_mut().zip(leaves) {
            *path = leaf.index();
        }
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
        self.bounds.fill([0; 2]);
        let items = &mut *self.items;
        let dict_len = u32::try_from(self.dict_len).unwrap_or(u32::MAX);
        let mut end = 0;
        for (index, &leaf) in leaves.iter().enumerate() {
            let here = (self.first + index + 1) as u32;
            let far = self.far_matches.at(self.first + index);
            items[end] = far;
            let first = end + 1;
            end = first;
            // Nodes whose strings were last seen too far away are as good as those that were not seen.
            let mut nearest = here.saturating_sub(dict_len).saturating_sub(1);
            let mut next = leaf.index() as usize;
            while next != 0 {
                work::count(1);
                let [word, last] = &mut nodes[next];
                let len = self.depths.len(code(*word));
                items[end % ITEMS] = Match { len, distance: here.wrapping_sub(*last).wrapping_sub(1) };
                // Passed places are noted in leaves only, so `last` may be older than `nearest`. There is no branch,
                // because the CPU would often predict it wrongly.
                end += usize::from(*last > nearest);
                nearest = nearest.max(*last);
                *last = here;
                next = parent(*word);
            }
            // The far match counts if it is longer than the near ones.
            let is_longest = far.len > 0 && (end == first || items[first].len < far.len);
            let from = first - usize::from(is_longest);
            self.bounds[index] = [from as u32, end as u32];
        }
    }
}

/// How many bytes at `at` are the same at a distance, less one, up to `most`. `known` of them are known to be.
#[inline]
pub(crate) fn shared(plain: &[u8], at: usize, distance: u32, known: usize, most: usize) -> usize {
    let distance = distance as usize + 1;
    if distance > at {
        return 0;
    }
    let Some(here) = plain.get(at..at + most) else { return 0 };
    let Some(there) = plain.get(at - distance..at - distance + most) else { return 0 };
    let mut len = known;
    work::count(1);
    while let (Some(a), Some(b)) = (
        here.get(len..).and_then(|here| here.first_chunk::<8>()),
        there.get(len..).and_then(|there| there.first_chunk::<8>()),
    ) {
        let different = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if different != 0 {
            return len + (different.trailing_zeros() / 8) as usize;
        }
        work::count(1);
        len += 8;
    }
    while len < most && here[len] == there[len] {
        len += 1;
    }
    len
}
