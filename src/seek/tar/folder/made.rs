//! [`Made`]: the folders that a run has made, and what their members say of them.

use std::collections::BTreeMap;

use pzcomp::tar::Member;

/// The most memory for them.
const MADE_LEN_MAX: usize = 64 << 20;

/// About so much does a folder take besides its place.
const ENTRY_LEN: usize = 128;

/// Folders that were made. They get their modes and times at the end, because files in them change their times.
#[derive(Default)]
pub(super) struct Made {
    /// By their places, with slashes between the names.
    folders: BTreeMap<Vec<u8>, Stated>,
    len: usize,
}

/// What the last version of a folder says.
pub(super) struct Stated {
    pub(super) mode: u32,
    pub(super) mtime: i64,
    pub(super) mtime_nanos: u32,
}

impl Made {
    /// Notes a folder. False if there is no memory for it.
    pub(super) fn add(&mut self, place: &[Vec<u8>], member: &Member) -> bool {
        let key = place.join(&b'/');
        let len = if self.folders.contains_key(&key) { 0 } else { key.len() + ENTRY_LEN };
        if self.len + len > MADE_LEN_MAX {
            return false;
        }
        self.len += len;
        let Member { mode, mtime, mtime_nanos, .. } = *member;
        self.folders.insert(key, Stated { mode, mtime, mtime_nanos });
        true
    }

    /// The folder is no more.
    pub(super) fn remove(&mut self, place: &[Vec<u8>]) {
        let key = place.join(&b'/');
        if self.folders.remove(&key).is_some() {
            self.len -= key.len() + ENTRY_LEN;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// All folders. What is in a folder comes before the folder.
    pub(super) fn into_innermost_first(self) -> impl Iterator<Item = (Vec<Vec<u8>>, Stated)> {
        let split = |key: Vec<u8>| key.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        self.folders.into_iter().rev().map(move |(key, stated)| (split(key), stated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Vec<Vec<u8>> {
        name.split('/').map(|part| part.as_bytes().to_vec()).collect()
    }

    #[test]
    fn versions_of_a_folder_take_no_more_memory_and_the_last_one_counts() {
        let mut made = Made::default();
        for mode in 0..1000 {
            assert!(made.add(&place("a/b"), &Member { mode, ..Member::default() }));
        }
        assert!(made.add(&place("a"), &Member::default()) && made.add(&place("a/b-c"), &Member::default()));
        made.remove(&place("a/b-c"));
        let len = made.len;
        assert_eq!(len, "a/b".len() + "a".len() + 2 * ENTRY_LEN);
        let long = vec![vec![b'x'; MADE_LEN_MAX]];
        assert!(!made.add(&long, &Member::default()) && made.len == len);
        let all: Vec<_> = made.into_innermost_first().map(|(place, stated)| (place, stated.mode)).collect();
        assert_eq!(all, [(place("a/b"), 999), (place("a"), 0)]);
    }
}
