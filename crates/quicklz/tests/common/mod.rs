//! A small writer of QuickLZ packets, for tests.
//!
//! The tests of `pzcomp-quicklz`, those of pzcomp and a fuzz target include this file by its path. The writer is slow,
//! and uses every form of a match that the format has. It keeps the tables of the decoder as the format describes them,
//! from the side of the encoder.

#![allow(dead_code)] // Each of them uses a part.

#[allow(clippy::duplicate_mod)] // Tests of pzcomp load it by another way too.
#[path = "../../../deflate/tests/common/random.rs"]
mod random;

pub use random::Random;

/// How a packet is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Stored,
    Compressed,
}

/// A packet of `plain` at this level. Lengths have four bytes if one byte is too short for one of them, or from 216
/// plain bytes on.
pub fn packet(plain: &[u8], level: u8, mode: Mode) -> Vec<u8> {
    packet_of(plain, level, mode, &mut Random(u64::from(level)), plain.len() >= 216)
}

/// A packet whose matches are chosen by `random`, with long or short lengths in the header.
pub fn packet_of(plain: &[u8], level: u8, mode: Mode, random: &mut Random, is_long: bool) -> Vec<u8> {
    assert!((1..=3).contains(&level) && !plain.is_empty());
    let data = match mode {
        Mode::Stored => plain.to_vec(),
        Mode::Compressed => Writer::new(plain, level).write(random),
    };
    let is_long = is_long || data.len() + 3 > 255 || plain.len() > 255;
    let flags = 0x40 | level << 2 | u8::from(is_long) << 1 | u8::from(mode == Mode::Compressed);
    let mut packet = vec![flags];
    if is_long {
        packet.extend((data.len() as u32 + 9).to_le_bytes());
        packet.extend((plain.len() as u32).to_le_bytes());
    } else {
        packet.extend([data.len() as u8 + 3, plain.len() as u8]);
    }
    packet.extend(data);
    packet
}

/// Plain data of `len` bytes with matches of all lengths and distances.
pub fn sample(len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut plain = Vec::new();
    while plain.len() < len {
        let count = 1 + (random.next() % [4, 30, 300][random.next() as usize % 3]) as usize;
        match random.next() % 4 {
            0 => plain.extend((0..count.min(40)).map(|_| random.next() as u8)),
            1 => plain.extend(format!("{}\tuser_{}\n", random.next() % 100_000, random.next() % 50).bytes()),
            _ if plain.len() < 4 => plain.extend(b"abc"),
            _ => {
                let most = plain.len().min(if random.next().is_multiple_of(2) { 50 } else { 150_000 });
                let from = plain.len() - 1 - (random.next() as usize % most);
                (from..from + count).for_each(|at| plain.push(plain[at]));
            }
        }
    }
    plain.truncate(len);
    plain
}

struct Writer<'a> {
    plain: &'a [u8],
    level: u8,
    /// The places of each hash, from the first one on: all of them, of which a level remembers the last ones.
    places: Vec<Vec<usize>>,
    noted: usize,
    coded: Vec<u8>,
    /// Where the control word is, and how many of its bits are used.
    control: (usize, u32),
}

impl<'a> Writer<'a> {
    fn new(plain: &'a [u8], level: u8) -> Self {
        let mut writer = Self {
            plain,
            level,
            places: vec![Vec::new(); if level == 2 { 2048 } else { 4096 }],
            noted: 0,
            coded: Vec::new(),
            control: (0, 31),
        };
        writer.begin_control();
        writer
    }

    fn begin_control(&mut self) {
        self.control = (self.coded.len(), 0);
        self.coded.extend((1_u32 << 31).to_le_bytes());
    }

    /// Announces a literal or a match.
    fn announce(&mut self, is_match: bool) {
        if self.control.1 == 31 {
            self.begin_control();
        }
        let (at, bit) = self.control;
        let word: &mut [u8] = &mut self.coded[at..at + 4];
        word[bit as usize / 8] |= u8::from(is_match) << (bit % 8);
        self.control.1 += 1;
    }

    fn hash(&self, at: usize) -> usize {
        let &[a, b, c] = self.plain[at..].first_chunk().unwrap();
        let three = u32::from_le_bytes([a, b, c, 0]);
        let hash = if self.level == 2 { three >> 9 ^ three >> 13 ^ three } else { three >> 12 ^ three };
        hash as usize % self.places.len()
    }

    fn note_to(&mut self, end: usize) {
        while self.noted < end {
            let hash = self.hash(self.noted);
            self.places[hash].push(self.noted);
            self.noted += 1;
        }
    }

    /// A place with at least three bytes in common, how many there are, and its number among the places of the hash.
    fn find(&self, at: usize, random: &mut Random) -> Option<(usize, usize, usize)> {
        let places = &self.places[self.hash(at)];
        let kept = match self.level {
            1 => 1,
            2 => 4,
            _ => 100,
        };
        let first = places.len().saturating_sub(kept);
        let most = (self.plain.len() - 4 - at).min(255);
        let same =
            |from: usize| (0..most).take_while(|&i| self.plain[from + i] == self.plain[at + i]).count();
        let mut found: Vec<_> = (first..places.len())
            .map(|number| (places[number], same(places[number]), number))
            .filter(|&(from, len, _)| len >= 3 && from + 3 <= at && at - from < 1 << 17)
            .collect();
        found.sort_by_key(|&(_, len, _)| std::cmp::Reverse(len));
        let (from, len, number) = *found.get(random.next() as usize % found.len().clamp(1, 2))?;
        // Sometimes a part of the match is left for the next one.
        let len = if random.next().is_multiple_of(4) { 3 + random.next() as usize % (len - 2) } else { len };
        Some((from, len, number))
    }

    fn write(mut self, random: &mut Random) -> Vec<u8> {
        let last_start = self.plain.len().checked_sub(11);
        let mut at = 0;
        while at < self.plain.len() {
            let can_match = last_start.is_some_and(|last| at <= last);
            let found = if can_match { self.find(at, random) } else { None };
            if let Some((from, len, number)) = found {
                self.announce(true);
                self.put_match(at, from, len, number, random);
                self.note_to(at + 1);
                at += len;
                if self.level < 3 {
                    self.noted = at;
                } else {
                    self.note_to(at);
                }
            } else {
                self.announce(false);
                self.coded.push(self.plain[at]);
                at += 1;
                self.note_to(at.saturating_sub(2));
            }
        }
        // The header takes three bytes at least, and a packet has at least nine behind it.
        self.coded.resize(self.coded.len().max(9), 0);
        self.coded
    }

    fn put_match(&mut self, at: usize, from: usize, len: usize, number: usize, random: &mut Random) {
        let (hash, len, distance) = (self.hash(at) as u32, len as u32, (at - from) as u32);
        let prefers_long = random.next().is_multiple_of(8);
        let (bytes, count) = match self.level {
            1 if len <= 17 && !prefers_long => ((len - 2) | (hash << 4), 2),
            1 => ((hash << 4) | (len << 16), 3),
            2 if len <= 9 && !prefers_long => ((number as u32 % 4) | ((len - 2) << 2) | (hash << 5), 2),
            2 => ((number as u32 % 4) | (hash << 5) | (len << 16), 3),
            _ if len == 3 && distance < 1 << 6 && !prefers_long => (distance << 2, 1),
            _ if len == 3 && distance < 1 << 14 && !prefers_long => ((distance << 2) | 1, 2),
            _ if len <= 18 && distance < 1 << 10 && !prefers_long => {
                ((distance << 6) | ((len - 3) << 2) | 2, 2)
            }
            _ if len <= 33 && !prefers_long => ((distance << 7) | ((len - 2) << 2) | 3, 3),
            _ => ((distance << 15) | ((len - 3) << 7) | 3, 4),
        };
        self.coded.extend(&bytes.to_le_bytes()[..count]);
    }
}
