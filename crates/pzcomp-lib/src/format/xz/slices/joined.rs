//! [`Joined`]: the coded slices of a Block, which are put behind each other as they come.

use std::collections::BTreeMap;
use std::time::Duration;

use pzcomp_lzma::Error;

use super::Encoders;

/// The coded slices. A slice behind others that are not coded yet has memory of its own, until they are.
pub(super) struct Joined<'a> {
    /// What is left of the room for the Block. While a slice is coded into it, it is not here.
    pub(super) rest: Option<&'a mut [u8]>,
    /// The first slice that nobody has begun.
    pub(super) next: usize,
    /// How many slices are in their place, and how many bytes these have.
    pub(super) count: usize,
    pub(super) len: usize,
    pub(super) early: BTreeMap<usize, Vec<u8>>,
    counted: Early<'a>,
    /// CPU time of the threads that helped.
    pub(super) helpers_cpu: Duration,
    /// The first slice that failed, and why.
    pub(super) failed: Option<(usize, Error)>,
}

/// How many slices of a Block count as early. They count no longer when this value is dropped.
struct Early<'a> {
    count: usize,
    encoders: &'a Encoders,
}

impl Early<'_> {
    /// Counts so many slices from now on. Returns false, and changes nothing, if too many would be early then.
    fn set(&mut self, count: usize) -> bool {
        let mut state = self.encoders.state();
        let all = state.early - self.count + count;
        if count > self.count && all > self.encoders.count {
            return false;
        }
        (state.early, self.count) = (all, count);
        true
    }
}

impl Drop for Early<'_> {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl<'a> Joined<'a> {
    pub(super) fn new(encoders: &'a Encoders, out: &'a mut [u8]) -> Self {
        let counted = Early { count: 0, encoders };
        let early = BTreeMap::new();
        let (next, count, len, helpers_cpu) = (0, 0, 0, Duration::ZERO);
        Self { rest: Some(out), next, count, len, early, counted, helpers_cpu, failed: None }
    }

    /// Whether a slice may be begun. Counts it if it is early.
    pub(super) fn may_begin(&mut self, index: usize) -> bool {
        // The slices behind the first slice that is not in its place are early, up to this slice.
        self.counted.set(index - self.count)
    }

    /// The room behind all slices before this one, if these are coded.
    pub(super) fn take_rest(&mut self, index: usize) -> Option<&'a mut [u8]> {
        self.rest.take_if(|_| self.count == index)
    }

    /// The next slice is coded, into the front of the room.
    pub(super) fn put_back(&mut self, rest: &'a mut [u8], len: usize) {
        (self.count, self.len) = (self.count + 1, self.len + len);
        self.rest = rest.get_mut(len..);
        self.join_early();
    }

    pub(super) fn put_early(&mut self, index: usize, coded: Vec<u8>) {
        self.early.insert(index, coded);
        self.join_early();
    }

    /// Puts slices in their places that only waited for those before them.
    fn join_early(&mut self) {
        while let Some(early) = self.early.get(&self.count)
            && let Some(rest) = self.rest.take_if(|rest| rest.len() >= early.len())
        {
            let (place, rest) = rest.split_at_mut(early.len());
            place.copy_from_slice(early);
            self.rest = Some(rest);
            self.len += place.len();
            self.early.remove(&self.count);
            self.count += 1;
        }
    }

    pub(super) fn fail(&mut self, index: usize, error: Error) {
        if self.failed.as_ref().is_none_or(|&(first, _)| index < first) {
            self.failed = Some((index, error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: pzcomp_lzma::Params =
        pzcomp_lzma::Params { dict_len: 64 << 10, nice_len: 64, search: pzcomp_lzma::Search::All };

    /// Slices are joined in their order, whatever the order in which they were coded.
    #[test]
    fn early_slices_wait_for_those_before_them() {
        let mut out = [0; 7];
        let encoders = Encoders::new(PARAMS, 1);
        let mut joined = Joined::new(&encoders, &mut out);
        joined.put_early(2, vec![3, 3]);
        assert!(joined.take_rest(2).is_none());
        let rest = joined.take_rest(0).unwrap();
        joined.put_early(1, vec![2, 2, 2]);
        assert!(joined.take_rest(1).is_none());
        rest[0] = 1;
        joined.put_back(rest, 1);
        assert_eq!((joined.count, joined.len, joined.early.len()), (3, 6, 0));
        assert!(joined.take_rest(3).is_some_and(|rest| rest.len() == 1));
        drop(joined);
        assert_eq!(out, [1, 2, 2, 2, 3, 3, 0]);
    }

    #[test]
    fn no_more_slices_of_all_blocks_are_early_than_there_are_encoders() {
        let encoders = Encoders::new(PARAMS, 2);
        let [mut one, mut other] = [(); 2].map(|()| Joined::new(&encoders, &mut []));
        assert!((0..=2).all(|index| one.may_begin(index)) && !one.may_begin(3));
        assert!(other.may_begin(0) && !other.may_begin(1));
        // The first slice is in its place.
        one.count = 1;
        assert!(one.may_begin(3) && !other.may_begin(1));
        drop(one);
        assert!(other.may_begin(1) && other.may_begin(2) && !other.may_begin(3));
    }
}
