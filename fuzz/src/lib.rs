//! What the targets share: streams decoded by pzcomp on any number of threads, and damage.

use std::io::{Error, ErrorKind, Read, Result, Write};

use arbitrary::Arbitrary;
use pzcomp::{Format, Input, Options, Output, decompress_io};

/// So much output is compared at the most: a few bytes may stand for any number.
pub const LIMIT: usize = 16 << 20;

/// How decoding ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    /// There is more than [`LIMIT`].
    Full,
    Failed(String),
}

/// The bytes, and how it ended.
pub type Outcome = (Vec<u8>, End);

/// How the input comes.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Feed {
    /// All of it in memory, where workers read it themselves.
    Memory,
    /// Read in steps.
    Steps(u16),
}

/// What pzcomp makes of a stream of one format.
pub fn by_us(coded: &[u8], accept: &'static [Format], threads: usize, feed: Feed) -> Outcome {
    let options = Options { threads, accept: Some(accept), ..Options::default() };
    let mut sink = Sink::default();
    let input = match feed {
        Feed::Memory => Input::Memory(coded),
        // Not so short that only reading is tried.
        Feed::Steps(step) => {
            Input::Reader(Box::new(Steps { coded, step: 1 + usize::from(step).max(coded.len() / 500) }))
        }
    };
    let result = decompress_io(input, Output::Writer(Box::new(&mut sink)), &options);
    let end = match result {
        _ if sink.is_full => End::Full,
        Ok(_) => End::Whole,
        Err(error) => End::Failed(error.to_string()),
    };
    (sink.bytes, end)
}

/// Asserts that two and three threads come to what one came to. Before an error there may be more or fewer bytes, as
/// gzip has it where parts refer to what is before them.
pub fn compare_threads(coded: &[u8], accept: &'static [Format], feed: Feed, alone: &Outcome) {
    for threads in [2, 3] {
        let several = by_us(coded, accept, threads, feed);
        assert_eq!(several.1, alone.1, "{threads} threads");
        let lens = (several.0.len(), alone.0.len());
        let is_same = several.0.starts_with(&alone.0) || alone.0.starts_with(&several.0);
        let is_failure = matches!(alone.1, End::Failed(_));
        assert!(
            is_same && (is_failure || lens.0 == lens.1),
            "other bytes on {threads} threads, lengths {lens:?}"
        );
    }
}

/// Takes bytes up to the limit.
#[derive(Default)]
struct Sink {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let len = bytes.len().min(LIMIT - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..len]);
        if len == 0 && !bytes.is_empty() {
            self.is_full = true;
            return Err(Error::new(ErrorKind::StorageFull, "full"));
        }
        Ok(len)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

struct Steps<'a> {
    coded: &'a [u8],
    step: usize,
}

impl Read for Steps<'_> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize> {
        let len = self.step.min(room.len());
        self.coded.read(&mut room[..len])
    }
}

/// Something that happens to a stream. Places are shares of its length, so that they are in it.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Damage {
    Flip {
        at: u32,
        bit: u8,
    },
    Set {
        at: u32,
        byte: u8,
    },
    Remove {
        at: u32,
        len: u8,
    },
    /// What is somewhere is also somewhere else.
    Copy {
        from: u32,
        to: u32,
        len: u16,
    },
    /// What flushes leave, where nothing was flushed.
    Marker {
        at: u32,
    },
    Cut {
        at: u32,
    },
}

impl Damage {
    pub fn apply(self, coded: &mut Vec<u8>) {
        let len = coded.len();
        if len == 0 {
            return;
        }
        let place = |share: u32| ((u64::from(share) * len as u64) >> 32) as usize;
        let end = |at: usize, count: usize| len.min(at + count);
        match self {
            Self::Flip { at, bit } => coded[place(at)] ^= 1 << (bit % 8),
            Self::Set { at, byte } => coded[place(at)] = byte,
            Self::Remove { at, len } => drop(coded.drain(place(at)..end(place(at), len.into()))),
            Self::Copy { from, to, len } => {
                let (from, to) = (place(from), place(to));
                let count = usize::from(len).min(coded.len() - from.max(to));
                coded.copy_within(from..from + count, to);
            }
            Self::Marker { at } => drop(coded.splice(place(at)..place(at), [0, 0, 0, 0xff, 0xff])),
            Self::Cut { at } => coded.truncate(place(at)),
        }
    }
}

/// Plain data of one kind.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Part<'a> {
    kind: Kind<'a>,
    len: u16,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Kind<'a> {
    Rows {
        seed: u8,
    },
    /// So many bits of each byte are noise.
    Noise {
        seed: u8,
        bits: u8,
    },
    Cycle {
        word: &'a [u8],
    },
    /// What was so far before the end, again.
    Again {
        distance: u16,
    },
}

impl Part<'_> {
    /// Appends the data: half of the parts are short, and others up to this length.
    pub fn append(self, plain: &mut Vec<u8>, longest: usize) {
        let len = match self.len {
            short @ ..0x8000 => usize::from(short >> 4),
            long => (longest * usize::from(long - 0x8000)) >> 15,
        };
        let end = plain.len() + len;
        match self.kind {
            Kind::Rows { seed } => {
                let mut random = Random(seed.into());
                while plain.len() < end {
                    let (number, other) = (random.next() % 100_000, random.next() % 50);
                    plain.extend_from_slice(
                        format!("{}\t40.{number:05}\tuser_{other}\n", plain.len()).as_bytes(),
                    );
                }
            }
            Kind::Noise { seed, bits } => {
                let mut random = Random(seed.into());
                plain.extend((0..len).map(|_| random.next() as u8 >> (bits % 8)));
            }
            Kind::Cycle { word } if !word.is_empty() => plain.extend(word.iter().cycle().take(len)),
            Kind::Again { distance } if !plain.is_empty() => {
                let start = plain.len().saturating_sub(1 + usize::from(distance));
                (start..start + len).for_each(|at| plain.push(plain[at]));
            }
            Kind::Cycle { .. } | Kind::Again { .. } => {}
        }
        plain.truncate(end);
    }
}

/// Splitmix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
