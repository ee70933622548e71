//! Helpers of the fuzz targets: decoding with pzcomp on any number of threads, plain data, and damage.
//!
//! A target makes a stream from the bytes of libFuzzer, or from [`Part`]s and [`Damage`]. [`by_us`] decodes it, and
//! [`compare_threads`] asserts that the number of threads makes no difference. `make fuzz-targets` runs the targets.

#[path = "../../crates/deflate/tests/common/random.rs"]
mod random;

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::sync::{LazyLock, Mutex, PoisonError};

use arbitrary::Arbitrary;
use pzcomp::{Decode, Decompress, Format, Input, Output, Pool, Reader, WriteAt};
use random::Random;

/// At most this much output is compared, because a few coded bytes may stand for any number of plain bytes.
pub const LIMIT: usize = 16 << 20;

/// How decoding ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Whole,
    /// The output is longer than [`LIMIT`].
    Full,
    Failed(String),
}

/// The decoded bytes, and how decoding ended.
pub type Outcome = (Vec<u8>, End);

impl End {
    fn failed(error: &dyn std::error::Error) -> Self {
        Self::Failed(message(error))
    }
}

/// The message of an error without what may differ: how much memory is needed and allowed, whether something of a
/// damaged frame is written, and how much of a DEFLATE stream was read when a defect was seen.
pub fn message(error: &dyn std::error::Error) -> String {
    let message = error.to_string().replace(", and nothing of that frame is written", "");
    let message = match message.split_once("is not valid at offset ") {
        Some((before, behind)) => {
            format!("{before}is not valid{}", behind.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => message,
    };
    let end = message.find(" of memory, but only ").and_then(|at| message[..at].rfind(" needs "));
    message[..end.unwrap_or(message.len())].to_owned()
}

/// The way of the input.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Feed {
    /// All bytes are in memory, and the workers read them themselves.
    Memory,
    /// A reader gives at most this many bytes at a time, and one more.
    Steps(u16),
}

/// The outcome of decoding a stream of one format with pzcomp.
pub fn by_us(coded: &[u8], accept: &'static [Format], threads: usize, feed: Feed) -> Outcome {
    let options = Decode::builder().threads(threads).accept(accept).build().unwrap();
    let mut sink = Sink::default();
    let input = match feed {
        Feed::Memory => Input::Memory(coded),
        // Shorter steps would only test reading.
        Feed::Steps(step) => {
            Input::Reader(Box::new(Steps { coded, step: 1 + usize::from(step).max(coded.len() / 500) }))
        }
    };
    let result = Decompress::new(&options).run(input, Output::writer(&mut sink));
    let end = match result {
        _ if sink.is_full => End::Full,
        Ok(_) => End::Whole,
        Err(error) => End::failed(&error),
    };
    (sink.bytes, end)
}

/// Asserts that two and three threads have the outcome of one thread. Before an error there may be more or fewer bytes,
/// because parts of a gzip member refer to the output before them.
pub fn compare_threads(coded: &[u8], accept: &'static [Format], feed: Feed, alone: &Outcome) {
    for threads in [2, 3] {
        assert_same(&by_us(coded, accept, threads, feed), alone, threads);
    }
}

fn assert_same(several: &Outcome, alone: &Outcome, threads: usize) {
    assert_eq!(several.1, alone.1, "{threads} threads");
    let lens = (several.0.len(), alone.0.len());
    let is_same = several.0.starts_with(&alone.0) || alone.0.starts_with(&several.0);
    let is_failure = matches!(alone.1, End::Failed(_));
    assert!(
        is_same && (is_failure || lens.0 == lens.1),
        "other bytes on {threads} threads, lengths {lens:?}"
    );
}

/// At most this much output of short input is compared.
const SHORT_LIMIT: u64 = 1 << 20;

/// The outcome of decoding short input on this thread. No thread is started, unless the input has many parts.
pub fn short_alone(coded: &[u8], accept: &'static [Format]) -> Outcome {
    let options = Decode::builder().threads(1).accept(accept).build().unwrap();
    let target = Target::default();
    let result = Decompress::new(&options).run(coded, Output::At(&target));
    let (bytes, is_full) = target.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let end = match result {
        _ if is_full => End::Full,
        Ok(_) => End::Whole,
        Err(error) => End::failed(&error),
    };
    (bytes, end)
}

/// Asserts that decoding on three threads has the outcome `alone`, as [`compare_threads`] does. The threads serve one
/// input after another, because to start them takes longer than to decode short input.
pub fn compare_short(coded: &[u8], accept: &'static [Format], step: usize, alone: &Outcome) {
    static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(3).unwrap());
    let options = Decode::builder().accept(accept).build().unwrap();
    let mut reader = Reader::with_pool(Steps { coded, step }, options, &POOL).unwrap();
    let mut bytes = Vec::new();
    let result = reader.by_ref().take(SHORT_LIMIT + 1).read_to_end(&mut bytes);
    let end = match result {
        _ if bytes.len() as u64 > SHORT_LIMIT => End::Full,
        Ok(_) => End::Whole,
        Err(error) => End::failed(&error),
    };
    bytes.truncate(SHORT_LIMIT as usize);
    if matches!((&end, &alone.1), (End::Full, End::Failed(_)) | (End::Failed(_), End::Full)) {
        // Pauses of the input have let more or fewer bytes leave before the error.
        assert!(bytes.starts_with(&alone.0) || alone.0.starts_with(&bytes), "other bytes on three threads");
        return;
    }
    assert_same(&(bytes, end), alone, 3);
}

/// Takes bytes up to the limit for short input, and says whether there were more.
#[derive(Default)]
struct Target(Mutex<(Vec<u8>, bool)>);

impl WriteAt for Target {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        assert_eq!(taken.0.len() as u64, offset, "one thread writes in order");
        let len = bytes.len().min((SHORT_LIMIT - offset) as usize);
        taken.0.extend_from_slice(&bytes[..len]);
        if len == bytes.len() {
            return Ok(());
        }
        taken.1 = true;
        Err(Error::new(ErrorKind::StorageFull, "full"))
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

/// A change of a stream. Places are shares of its length, so that they are always inside it.
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
    /// Bytes are copied to another place.
    Copy {
        from: u32,
        to: u32,
        len: u16,
    },
    /// An empty stored block, as a flush leaves it, where nothing was flushed.
    FlushPoint {
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
            Self::FlushPoint { at } => drop(coded.splice(place(at)..place(at), [0, 0, 0, 0xff, 0xff])),
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
    /// All bits of each byte are noise, except the highest `bits`.
    Noise {
        seed: u8,
        bits: u8,
    },
    Cycle {
        word: &'a [u8],
    },
    /// The bytes at this distance before the end are repeated.
    Again {
        distance: u16,
    },
}

impl Part<'_> {
    /// Appends the data. Half of all parts are short, and the others have up to `longest` bytes.
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
