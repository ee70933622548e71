//! Old places in the order of their suffixes.
//!
//! To sort all old places of every window again would take most of the time. So a long dictionary has short windows,
//! and only new places are sorted. [`Sorter`] keeps the old ones, joins the new ones to them, and makes the tree of the
//! window at the same time. Places that the next window does not refer to are left out.
//!
//! An old place takes four bytes: the low bits of the place, and the code of the depth that its suffix shares with the
//! suffix before it. So most old suffixes are passed over without a look at their text.

use std::ops::Range;

use super::builder::{Builder, Suffix};
use super::depths::{CODE_BITS, CODES, Depths};
use super::far::Far;
use super::prefetch::prefetch;
use super::sais::EXTRA;
use super::tree::{AHEAD, Tree, ask, common};

const PLACE_MASK: u32 = u32::MAX >> CODE_BITS;
const CODE_MAX: u8 = CODES as u8 - 1;
/// Of old suffixes that share so many bytes, only the last place is kept. `far_matches.rs` finds long matches.
const SAME: u32 = 64;
/// How many old suffixes before its turn the text of one is asked for.
const OLD_AHEAD: usize = 40;
/// Room is taken for one new place in so many at once. About as many old places leave as new ones come, so there is
/// seldom much need of room.
const PART: usize = 32;
/// How many old suffixes leave is estimated. Of as many old suffixes as the window has new places, so many are looked
/// at.
const SAMPLES: usize = 16 << 10;

/// The old places that the windows of a long dictionary share. Windows are joined to it in their order.
#[derive(Default)]
pub struct Sorter {
    /// The old suffixes, and what has been room before them.
    cells: Vec<u32>,
    len: usize,
    /// Where the next window starts.
    pub(crate) next: usize,
    /// Places before the window that was joined last.
    pub(crate) far: Far,
}

/// A window and what is kept of it.
pub(crate) struct Window<'a> {
    pub(crate) text: &'a [u8],
    /// The new places.
    pub(crate) new: Range<usize>,
    /// The first old place, and the first one of the next window.
    pub(crate) from: usize,
    pub(crate) next_from: usize,
    /// The most suffixes that are kept and joined to those of a window.
    pub(crate) most: usize,
    /// There is no next window.
    pub(crate) is_last: bool,
}

#[inline]
fn place(cell: u32, from: usize) -> usize {
    from + ((cell >> CODE_BITS).wrapping_sub(from as u32) & PLACE_MASK) as usize
}

#[inline]
fn code(cell: u32) -> u8 {
    cell as u8 & CODE_MAX
}

/// Puts the suffixes that stay at the front of the cells.
struct Kept {
    from: usize,
    len: usize,
    /// The last place that stays.
    last: usize,
    /// The code of what the next suffix shares with the last one that stays.
    code: u8,
    /// Of suffixes that share so much, only the last place stays.
    same: u8,
}

impl Kept {
    fn new(from: usize, depths: &Depths) -> Self {
        Self { from, len: 0, last: 0, code: 0, same: depths.code(SAME) }
    }

    #[inline]
    fn put(&mut self, cells: &mut [u32], place: usize, code: u8) {
        let code = self.code.min(code);
        if place < self.from {
            self.code = code;
        } else if code >= self.same && self.len > 0 {
            if place > self.last {
                // The new last place shares with the suffixes before it as much as the old last place did.
                self.last = place;
                self.code = CODE_MAX;
                if let Some(cell) = cells.get_mut(self.len - 1) {
                    *cell = (place as u32) << CODE_BITS | *cell & u32::from(CODE_MAX);
                }
            } else {
                self.code = code;
            }
        } else {
            if let Some(cell) = cells.get_mut(self.len) {
                *cell = (place as u32) << CODE_BITS | u32::from(code);
            }
            (self.len, self.last, self.code) = (self.len + 1, place, CODE_MAX);
        }
    }
}

/// Asks for the text of a suffix that comes later, if it shares so little that it may be compared.
#[inline]
fn ask_old(text: &[u8], old: &[u32], at: usize, from: usize, most: u8) {
    if let Some(&ahead) = old.get(at + OLD_AHEAD)
        && code(ahead) <= most
    {
        prefetch(text, place(ahead, from));
    }
}

/// Moves the old suffixes that have not been read to the end of more cells. There is memory for them. Returns the cells
/// and the place of the suffixes.
#[cold]
#[inline(never)]
fn more_room(cells: &mut Vec<u32>, unread: Range<usize>, len: usize) -> (&mut [u32], usize) {
    if cells.len() < len {
        cells.resize(len, 0);
    }
    let to = len - unread.len();
    cells.copy_within(unread, to);
    (&mut cells[..len], to)
}

impl Sorter {
    /// Takes little memory before the first window.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most memory of the kept suffixes. All of it is needed if every new suffix comes before the old ones that
    /// leave.
    pub(crate) fn memory(room: usize) -> usize {
        room * size_of::<u32>()
    }

    /// Begins with another text.
    pub(crate) fn begin(&mut self) {
        self.len = 0;
    }

    /// Leaves room before the suffixes, which is usually enough, and returns its length. Returns nothing if there is no
    /// memory for all that [`more_room`] may need.
    fn make_room(&mut self, window: &Window<'_>) -> Option<usize> {
        let new_len = window.new.len();
        // Without a next window nothing is put before the suffixes.
        let most = self.len + if window.is_last { 0 } else { new_len };
        // Places of windows that were passed over are not kept, so they cannot leave.
        let step = new_len / SAMPLES + 1;
        let sample = self.cells[..self.len].iter().step_by(step);
        let leave = step * sample.filter(|&&cell| place(cell, window.from) < window.next_from).count();
        // Room that is allocated already costs nothing.
        let room = self.len + new_len.saturating_sub(leave) + new_len / PART;
        let room = room.max(self.cells.len()).min(most);
        if self.cells.capacity() < most {
            // The system provides these pages only when they are written.
            self.cells.try_reserve_exact(window.most.max(most) - self.cells.len()).ok()?;
        }
        if self.cells.len() < room {
            self.cells.resize(room, 0);
        }
        let gap = room - self.len;
        self.cells.copy_within(..self.len, gap);
        Some(gap)
    }

    /// Passes over a window whose places are not kept.
    pub(crate) fn pass(&mut self, window: &Window<'_>, depths: &Depths) {
        let mut kept = Kept::new(window.next_from, depths);
        for index in 0..self.len {
            let cell = self.cells[index];
            kept.put(&mut self.cells, place(cell, window.from), code(cell));
        }
        (self.len, self.next) = (kept.len, window.new.end);
    }

    /// Makes the tree of a window, for which `tree` has sorted the new places. Returns nothing if there is no memory.
    pub(crate) fn join(&mut self, window: &Window<'_>, tree: &mut Tree, depths: &Depths) -> Option<()> {
        let gap = self.make_room(window)?;
        let &Window { text, ref new, from, next_from, .. } = window;
        let mut old = &mut self.cells[..gap + self.len];
        let most = depths.most();
        let (leaves, cells, room) = tree.parts_to_build();
        let sorted_end = cells.len() - EXTRA;
        // The suffixes stand behind the first cells, and some of them are behind the new places.
        let next_new = |cells: &[u32], mut at: usize| {
            while let Some(&suffix) = cells[..sorted_end].get(at) {
                at += 1;
                if (suffix as usize) < new.len() {
                    return (Some(new.start + suffix as usize), at);
                }
            }
            (None, at)
        };
        let mut builder = Builder::new(std::array::from_fn(|code| code as u8));
        let mut kept = Kept::new(next_from, depths);
        let keeps = !window.is_last;
        // No more suffixes are kept than there are cells before this one.
        let mut at = gap;
        let (mut b, mut read) = next_new(cells, room);
        // The codes of what the next suffixes share with the last one.
        let (mut a_code, mut b_code) = (0, 0);
        loop {
            let a = old.get(at).map(|&cell| place(cell, from));
            let takes_old = match (a, b) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(_), Some(_)) if a_code != b_code => a_code > b_code,
                (Some(a), Some(b)) => {
                    let len = common(text, a, b, depths.len(usize::from(a_code)) as usize, most);
                    let code = depths.code(len as u32);
                    // Suffixes that share `most` bytes may stand in any order. A suffix that ends with the text comes
                    // first.
                    let is_less = len >= most || text.get(b + len).is_some_and(|&b| text[a + len] < b);
                    *(if is_less { &mut b_code } else { &mut a_code }) = code;
                    is_less
                }
            };
            // In both cases, the other code stays: it is no greater.
            if takes_old {
                let shared = a_code;
                let mut last = a.unwrap_or(0);
                builder.arrive(Suffix::Other, shared, cells, read, leaves);
                if keeps {
                    kept.put(old, last, shared);
                }
                at += 1;
                ask_old(text, old, at, from, shared);
                // Suffixes that share more with each other than with any new one count as one.
                let alone = shared.max(b_code);
                while let Some(&cell) = old.get(at)
                    && code(cell) > alone
                {
                    let place = place(cell, from);
                    ask_old(text, old, at, from, alone);
                    last = last.max(place);
                    if keeps {
                        kept.put(old, place, code(cell));
                    }
                    at += 1;
                }
                builder.set(Suffix::Old((last + 1) as u32));
                a_code = old.get(at).map_or(0, |&cell| code(cell));
            } else if let Some(place) = b {
                let shared = b_code;
                builder.arrive(Suffix::New((place - new.start) as u32), shared, cells, read, leaves);
                if keeps {
                    if kept.len == at {
                        let unread = at..old.len();
                        let len = (unread.end + new.len() / PART + 1).min(self.len + new.len());
                        (old, at) = more_room(&mut self.cells, unread, len);
                    }
                    kept.put(old, place, shared);
                }
                if let Some(&ahead) = cells[..sorted_end].get(read + AHEAD) {
                    ask(text, leaves, new.start + ahead as usize, new.start);
                }
                (b, read) = next_new(cells, read);
                b_code = b.map_or(0, |next| depths.code(common(text, place, next, 0, most) as u32));
            }
        }
        let len = builder.finish(cells, read, leaves);
        tree.finish(len);
        (self.len, self.next) = (kept.len, new.end);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{code as depth_code, parent};
    use super::*;

    const NEW: usize = 700;
    const OLD: usize = 2100;
    /// What is sorted behind the new places.
    const BEHIND: usize = 300;

    /// Stretches of few letters, of which some repeat earlier ones.
    fn text(letters: u8) -> Vec<u8> {
        let mut state = 5_u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % most
        };
        let mut text = Vec::new();
        while text.len() < 9 * NEW {
            let len = next(90);
            let from = next(text.len() + 1);
            if from + len < text.len() && next(2) == 0 {
                text.extend_from_within(from..from + len);
            } else {
                text.extend((0..len).map(|_| next(usize::from(letters)) as u8));
            }
        }
        text
    }

    fn window(text: &[u8], start: usize) -> Window<'_> {
        let end = (start + NEW).min(text.len());
        let [from, next_from] = [start, end].map(|start| start.saturating_sub(OLD));
        Window { text, new: start..end, from, next_from, most: NEW + OLD, is_last: end == text.len() }
    }

    fn sort(tree: &mut Tree, window: &Window<'_>) {
        let &Window { text, ref new, .. } = window;
        let room = 20_000;
        tree.reserve(room + NEW + BEHIND, NEW).unwrap();
        tree.sort(&text[new.start..(new.end + BEHIND).min(text.len())], room, new.len()).unwrap();
    }

    /// Asserts that the nodes of every new place are right, and that there is one for the longest string that occurs
    /// elsewhere, up to a length.
    fn assert_nodes(tree: &mut Tree, window: &Window<'_>, missing: Range<usize>, depths: &Depths) {
        let &Window { text, ref new, from, .. } = window;
        let others = || (from..new.end).filter(|other| !missing.contains(other));
        let (leaves, nodes) = tree.parts();
        let same = |a: usize, b: usize| common(text, a, b, 0, depths.most());
        for (place, &leaf) in new.clone().zip(leaves) {
            let longest =
                others().filter(|&other| other != place).map(|other| same(place, other)).max().unwrap();
            let mut next = leaf.index() as usize;
            let mut expected = depths.len(usize::from(depths.code(longest as u32)));
            while next != 0 {
                let [word, last] = nodes[next];
                let len = depths.len(depth_code(word));
                assert!(
                    len == expected || expected.min(len) >= SAME || expected == 0,
                    "{place}: {len}, {expected}"
                );
                let begins = |&other: &usize| same(place, other) >= len as usize;
                let known = others().take_while(|&other| other < new.start).filter(begins).last();
                // Of old places that share much, only the last one is known.
                let is_right = last as usize == known.map_or(0, |known| known + 1);
                assert!(is_right || len > SAME, "{place}, {len} bytes: {last} {known:?}");
                (next, expected) = (parent(word), 0);
            }
            assert_eq!(expected, 0, "{place} has no nodes");
        }
    }

    /// Joins all windows of a text, asserts that their nodes are right, and returns the most cells that were taken.
    fn join_all(sorter: &mut Sorter, text: &[u8], depth_max: usize) -> usize {
        let (mut tree, depths) = (Tree::default(), Depths::new(depth_max));
        sorter.begin();
        for start in (0..text.len()).step_by(NEW) {
            let window = window(text, start);
            sort(&mut tree, &window);
            sorter.join(&window, &mut tree, &depths).unwrap();
            assert_nodes(&mut tree, &window, 0..0, &depths);
            assert_eq!(sorter.next, window.new.end);
            assert!(sorter.len <= OLD);
        }
        assert!(sorter.cells.capacity() <= OLD + NEW);
        sorter.cells.len()
    }

    #[test]
    fn joined_windows_have_the_nodes_of_what_they_reach() {
        for (letters, depth_max) in [(2, 64), (3, 64), (20, 16), (3, 273), (1, 64)] {
            let (text, mut sorter) = (text(letters), Sorter::new());
            join_all(&mut sorter, &text, depth_max);
            // A second text shows that nothing of the first is left, so its beginning is enough.
            join_all(&mut sorter, &text[..4 * NEW], depth_max);
        }
    }

    /// The suffixes of each window stand behind all those of the windows before it, or else before them. In the last
    /// text this holds for half of them, and others stand between.
    #[test]
    fn there_is_more_room_if_new_suffixes_stand_before_those_that_leave() {
        let like = text(20);
        let with = |first: fn(usize) -> usize| -> Vec<u8> {
            like.iter().enumerate().map(|(at, &letter)| first(at) as u8 + letter).collect()
        };
        let rising = with(|at| at / NEW * 20);
        let falling = with(|at| 220 - at / NEW * 20);
        let half = with(|at| if at % 128 < 64 { 110 } else { 220 - at / NEW * 20 });
        let most = |text| join_all(&mut Sorter::new(), text, 64);
        assert!(most(&rising) <= OLD + NEW / PART && most(&like) <= OLD + NEW / 8);
        assert_eq!(most(&falling), OLD + NEW);
        let len = most(&half);
        assert!((OLD + NEW / 4..OLD + NEW / 4 * 3).contains(&len), "{len}");
    }

    /// The places of a window that is passed are missing, and those before it are kept as long as others.
    #[test]
    fn windows_can_be_passed() {
        let (text, depths) = (text(4), Depths::new(64));
        let (mut sorter, mut tree) = (Sorter::new(), Tree::default());
        sorter.begin();
        for start in (0..text.len()).step_by(NEW) {
            let window = window(&text, start);
            if start == 4 * NEW {
                sorter.pass(&window, &depths);
                continue;
            }
            sort(&mut tree, &window);
            sorter.join(&window, &mut tree, &depths).unwrap();
            assert_nodes(&mut tree, &window, 4 * NEW..5 * NEW, &depths);
        }
    }
}
