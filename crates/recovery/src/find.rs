//! Finds the shards of a group in a damaged source, also where missing or inserted bytes have moved them.
//!
//! First each shard is looked for where the records say that it is: each distinct base of the records nearby is tried.
//! Only if too few shards are found, the rolling sum is computed at every place around the group ([`Search::roll`]). A
//! shard counts as found only if its hash is right, so a wrong guess costs time and no more.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use crate::geometry::{Geometry, SHARD_MIN};
use crate::group::Fingerprint;
use crate::hashes::{Rolling, hash};
use crate::write::{Source, each_shards};

/// How many bytes the rolling search reads at a time.
const BLOCK_LEN: usize = 1 << 20;
/// How often a byte is hashed in vain on average, before the search gives up.
const EFFORT: u64 = 64;

/// The search for the shards of one group.
pub(crate) struct Search<'a, S: Source + ?Sized> {
    source: &'a S,
    /// The offset of the group in its stream.
    offset: u64,
    geometry: Geometry,
    list: &'a [Fingerprint],
    /// The data of the group. Only shards that are there are right.
    pub(crate) data: Vec<u8>,
    pub(crate) is_there: Vec<bool>,
    /// The base of an undamaged stream.
    home: i64,
    /// How many shards were found by another base.
    pub(crate) moved: u64,
    /// The first place at which a shard was found, and the base by which it was found.
    pub(crate) first: Option<(i64, i64)>,
    /// The bases by which shards were found, the newest last.
    pub(crate) bases: Vec<i64>,
    /// The base by which each shard was found, or one that was tried.
    found_by: Vec<i64>,
}

impl<'a, S: Source + ?Sized> Search<'a, S> {
    /// Looks for all shards where they are by the second of these bases. The first is that of an undamaged stream.
    /// `data` is memory that is reused.
    pub(crate) fn new(
        source: &'a S,
        offset: u64,
        geometry: Geometry,
        list: &'a [Fingerprint],
        [home, base]: [i64; 2],
        mut data: Vec<u8>,
        threads: NonZeroUsize,
    ) -> io::Result<Self> {
        data.resize(geometry.len(), 0);
        let shard_len = geometry.shard_len();
        let is_there = each_shards(&geometry, &mut data, threads, |first, bytes| {
            let at = base + offset as i64 + (first * shard_len) as i64;
            read_clipped(source, bytes, at)?;
            let mut end = at;
            let fits = |(shard, expected): (&[u8], &Fingerprint)| {
                let start = end;
                end += shard.len() as i64;
                start >= 0 && end as u64 <= source.len() && expected.fits(shard)
            };
            Ok(bytes.chunks(shard_len).zip(&list[first..]).map(fits).collect())
        })?;
        let first = is_there.iter().position(|&there| there);
        let first = first.map(|first| (base + offset as i64 + (first * shard_len) as i64, base));
        let bases = first.iter().map(|&(_, base)| base).collect();
        let found_by = vec![base; is_there.len()];
        let mut search =
            Self { source, offset, geometry, list, data, is_there, home, moved: 0, first, bases, found_by };
        if base != home {
            for shard in
                (0..search.is_there.len()).filter(|&shard| search.is_there[shard]).collect::<Vec<_>>()
            {
                search.moved += u64::from(!search.is_at_home(shard)?);
            }
        }
        Ok(search)
    }

    /// Whether a shard that was found is also where it was written. Equal shards are found by several bases.
    fn is_at_home(&self, shard: usize) -> io::Result<bool> {
        let range = self.geometry.range(shard);
        let at = self.home + self.offset as i64 + range.start as i64;
        if at < 0 || at as u64 + range.len() as u64 > self.source.len() {
            return Ok(false);
        }
        // The first bytes are different as a rule.
        let mut here = vec![0; range.len().min(SHARD_MIN)];
        self.source.read_at(&mut here, at as u64)?;
        if !self.data[range.clone()].starts_with(&here) {
            return Ok(false);
        }
        here.resize(range.len(), 0);
        self.source.read_at(&mut here, at as u64)?;
        Ok(here == self.data[range])
    }

    /// How many shards are missing.
    pub(crate) fn missing(&self) -> usize {
        self.is_there.iter().filter(|&&there| !there).count()
    }

    /// Looks for the missing shards where they are by another base.
    pub(crate) fn try_base(&mut self, base: i64) -> io::Result<()> {
        for shard in 0..self.is_there.len() {
            self.try_shard(shard, base)?;
        }
        Ok(())
    }

    /// Looks for one shard by a base. Returns whether it is there.
    fn try_shard(&mut self, shard: usize, base: i64) -> io::Result<bool> {
        if self.is_there[shard] {
            return Ok(true);
        }
        let range = self.geometry.range(shard);
        let at = base + self.offset as i64 + range.start as i64;
        if at < 0 || at as u64 + range.len() as u64 > self.source.len() {
            return Ok(false);
        }
        self.source.read_at(&mut self.data[range.clone()], at as u64)?;
        let fits = self.list[shard].fits(&self.data[range]);
        self.is_there[shard] = fits;
        if fits {
            self.found_by[shard] = base;
            self.moved += u64::from(base != self.home && !self.is_at_home(shard)?);
            self.first = self.first.into_iter().chain([(at, base)]).min();
            if !self.bases.contains(&base) {
                self.bases.push(base);
            }
        }
        Ok(fits)
    }

    /// Looks for the missing shards at every place of `range`.
    pub(crate) fn roll(&mut self, range: Range<i64>) -> io::Result<()> {
        let shard_len = self.geometry.shard_len();
        let start = range.start.max(0) as u64;
        let end = (range.end.max(0) as u64).min(self.source.len());
        let mut wanted: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let whole = |shard: &usize| self.geometry.range(*shard).len() == shard_len;
        for shard in (0..self.is_there.len()).filter(|&shard| !self.is_there[shard]).filter(whole) {
            wanted.entry(self.list[shard].sum).or_default().push(shard);
        }
        if wanted.is_empty() || end.saturating_sub(start) < shard_len as u64 {
            return Ok(());
        }
        // Most sums are not wanted. A table of bits says so faster than the map.
        let mut maybe = vec![0_u16; 1 << 16];
        wanted.keys().for_each(|sum| maybe[folded(*sum)] += 1);
        let mut effort = EFFORT * (end - start);
        let (mut at, mut block) = (start, Vec::new());
        while at + shard_len as u64 <= end {
            block.resize((end - at).min((BLOCK_LEN + shard_len) as u64) as usize, 0);
            self.source.read_at(&mut block, at)?;
            let mut place = 0;
            let mut rolling = Rolling::new(&block[..shard_len]);
            loop {
                if maybe[folded(rolling.sum())] > 0
                    && let Some(shards) = wanted.get_mut(&rolling.sum())
                {
                    // Equal shards are all found at once. Without this, each place among zeros would be hashed.
                    shards.retain(|&shard| !self.is_there[shard]);
                    if shards.is_empty() {
                        wanted.remove(&rolling.sum());
                        maybe[folded(rolling.sum())] -= 1;
                    } else if effort < shard_len as u64 {
                        return Ok(());
                    } else {
                        effort -= shard_len as u64;
                        let here = hash(&block[place..place + shard_len]);
                        if let Some(&shard) = shards.iter().find(|&&shard| self.list[shard].hash == here) {
                            let start = self.offset as i64 + self.geometry.range(shard).start as i64;
                            self.follow(shard, at as i64 + place as i64 - start)?;
                        }
                    }
                }
                if place + shard_len >= block.len() {
                    break;
                }
                rolling.roll(block[place], block[place + shard_len]);
                place += 1;
            }
            at += (place + 1) as u64;
        }
        Ok(())
    }

    /// Takes the bytes that are where missing shards should be, behind or before those that were found. Some may be
    /// right.
    pub(crate) fn take_damaged(&mut self) -> io::Result<()> {
        let first = self.is_there.iter().position(|&there| there).unwrap_or(0);
        let mut base = self.found_by.get(first).copied().unwrap_or(self.home);
        for shard in 0..self.is_there.len() {
            if self.is_there[shard] {
                base = self.found_by[shard];
                continue;
            }
            let range = self.geometry.range(shard);
            let at = base + self.offset as i64 + range.start as i64;
            read_clipped(self.source, &mut self.data[range], at)?;
        }
        Ok(())
    }

    /// Takes a shard that was found, all that follow it without a break, and all equal ones.
    fn follow(&mut self, shard: usize, base: i64) -> io::Result<()> {
        let mut next = shard;
        while next < self.is_there.len() && self.try_shard(next, base)? {
            next += 1;
        }
        if next == shard {
            return Ok(());
        }
        let print = self.list[shard];
        for equal in 0..self.is_there.len() {
            let range = self.geometry.range(equal);
            if !self.is_there[equal] && self.list[equal] == print && range.len() == self.geometry.shard_len()
            {
                self.data.copy_within(self.geometry.range(shard), range.start);
                self.is_there[equal] = true;
                self.moved += 1;
            }
        }
        Ok(())
    }
}

fn folded(sum: u32) -> usize {
    ((sum ^ (sum >> 16)) & 0xffff) as usize
}

/// Fills `bytes` from a place that may be partly outside of the source. There, zeros are read.
pub(crate) fn read_clipped(source: &(impl Source + ?Sized), bytes: &mut [u8], at: i64) -> io::Result<()> {
    let (len, wanted) = (source.len().min(i64::MAX as u64) as i64, bytes.len() as i64);
    let from = (-at).clamp(0, wanted);
    let to = (len - at).clamp(from, wanted);
    bytes[..from as usize].fill(0);
    bytes[to as usize..].fill(0);
    match from == to {
        true => Ok(()),
        false => source.read_at(&mut bytes[from as usize..to as usize], (at + from) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Share;
    use std::sync::Mutex;

    /// More bytes than 32 bits count. It notes the last place that was read, and lets nobody read it.
    struct Huge(Mutex<(u64, usize)>);

    impl Source for Huge {
        fn len(&self) -> u64 {
            (1 << 32) + 10
        }

        fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
            *self.0.lock().unwrap() = (at, bytes.len());
            Err(io::ErrorKind::Other.into())
        }
    }

    #[test]
    fn a_search_reads_whole_blocks_of_sources_that_are_longer_than_the_memory_can_be() {
        let geometry = Geometry::of(4096, Share::per_mille(50).unwrap());
        let list: Vec<_> = (0..geometry.shards()).map(|_| Fingerprint::of(b"missing")).collect();
        let huge = Huge(Mutex::default());
        let is_there = vec![false; geometry.shards()];
        let (data, bases) = (vec![0; geometry.len()], Vec::new());
        let mut search = Search {
            source: &huge,
            offset: 0,
            geometry,
            list: &list,
            data,
            is_there,
            home: 0,
            moved: 0,
            first: None,
            bases,
            found_by: vec![0; geometry.shards()],
        };
        assert!(search.roll(0..huge.len() as i64).is_err());
        assert_eq!(*huge.0.lock().unwrap(), (0, BLOCK_LEN + geometry.shard_len()));
    }
}
