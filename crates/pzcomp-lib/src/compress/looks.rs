//! [`Looks`]: what the splitter has read of chunks that workers read again.
//!
//! The list of a tar archive is made of the headers that the splitter reads in a file. A worker reads the chunk with
//! these headers later. If the file is rewritten between the two reads, the list would be that of other data. So the
//! splitter notes a hash of each block that it has shown to the scan, and the worker compares them with its chunk.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_64;

/// A chunk that a worker reads itself ends at a multiple of this length if it ends by members of an archive.
const BLOCK_LEN: u64 = 512;

/// A range that was read, and the hash of each block in it.
#[derive(Debug, PartialEq)]
pub(super) struct Look {
    range: Range<u64>,
    hashes: Vec<u64>,
}

/// The ranges between multiples of [`BLOCK_LEN`].
fn blocks(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let end = (at / BLOCK_LEN + 1).saturating_mul(BLOCK_LEN).min(range.end);
        let block = at..end;
        at = end;
        (!block.is_empty()).then_some(block)
    })
}

impl Look {
    /// Notes bytes that were read at this offset of the stream.
    pub(super) fn at(offset: u64, bytes: &[u8]) -> Self {
        let range = offset..offset + bytes.len() as u64;
        let part = |block: Range<u64>| &bytes[(block.start - offset) as usize..(block.end - offset) as usize];
        let hashes = blocks(range.clone()).map(|block| xxh3_64(part(block))).collect();
        Self { range, hashes }
    }

    /// Takes the part that is before `end`. What is left is behind it.
    fn split(&mut self, end: u64) -> Self {
        let end = end.clamp(self.range.start, self.range.end);
        let behind = self.hashes.split_off(blocks(self.range.start..end).count().min(self.hashes.len()));
        let before = std::mem::replace(&mut self.hashes, behind);
        Self { range: std::mem::replace(&mut self.range.start, end)..end, hashes: before }
    }

    /// Whether the chunk at this offset has the same bytes.
    fn matches(&self, at: u64, chunk: &[u8]) -> bool {
        let part = |block: Range<u64>| chunk.get((block.start - at) as usize..(block.end - at) as usize);
        let mut found = blocks(self.range.clone()).map(|block| part(block).map(xxh3_64));
        self.hashes.iter().all(|&hash| found.next() == Some(Some(hash)))
    }
}

/// The looks at chunks that were given to workers, by the offsets of the chunks.
#[derive(Debug, Default)]
pub(super) struct Looks(Mutex<BTreeMap<u64, Vec<Look>>>);

impl Looks {
    /// Notes the looks at a chunk. Those behind it stay in `looks`.
    pub(super) fn note(&self, chunk: Range<u64>, looks: &mut Vec<Look>) {
        let mut behind = Vec::new();
        let mut within = Vec::new();
        for mut look in looks.drain(..) {
            let before = look.split(chunk.end);
            within.extend(Some(before).filter(|look| !look.range.is_empty()));
            behind.extend(Some(look).filter(|look| !look.range.is_empty()));
        }
        *looks = behind;
        if !within.is_empty() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(chunk.start, within);
        }
    }

    pub(super) fn compare(&self, at: u64, chunk: &[u8]) -> engine::Result<()> {
        let looks = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&at);
        match looks.into_iter().flatten().find(|look| !look.matches(at, chunk)) {
            None => Ok(()),
            Some(look) => {
                let what = "the tar archive was changed while it was read, so the list of its members would be wrong; \
                            compress it again when nothing writes to it, or without a list (--no-tar)";
                Err(engine::Error::Read { offset: look.range.start, source: io::Error::other(what) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_divided_where_chunks_end_and_find_each_changed_byte() {
        let plain: Vec<u8> = (0..6000_u32).map(|number| (number * 7 / 3) as u8).collect();
        for end in [1024, 3000, 3072, 3584, 4096] {
            let looks = Looks::default();
            let mut seen = vec![Look::at(700, &plain[700..1100]), Look::at(2048, &plain[2048..4000])];
            looks.note(0..end, &mut seen);
            looks.note(end..6000, &mut seen);
            assert!(seen.is_empty());
            let (first, second) = plain.split_at(end as usize);
            assert!(end % BLOCK_LEN != 0 || looks.compare(0, first).is_ok(), "{end}");
            assert!(end % BLOCK_LEN != 0 || looks.compare(end, second).is_ok(), "{end}");
        }
        for at in [0, 699, 700, 1099, 1100, 2047, 2048, 3333, 3999, 4000] {
            let (looks, mut wrong) = (Looks::default(), plain.clone());
            wrong[at] ^= 1;
            let mut seen = vec![Look::at(700, &plain[700..1100]), Look::at(2048, &plain[2048..4000])];
            looks.note(0..6000, &mut seen);
            let was_seen = (700..1100).contains(&at) || (2048..4000).contains(&at);
            assert_eq!(looks.compare(0, &wrong).is_err(), was_seen, "{at}");
        }
        let (looks, mut seen) = (Looks::default(), vec![Look::at(0, &plain[..1000])]);
        looks.note(0..6000, &mut seen);
        assert!(looks.compare(0, &plain[..900]).is_err());
    }
}
