//! Generated data: the same kind, length and seed give the same bytes on any machine.
//!
//! [`write()`] writes a kind of data. `corpus` and `compare` call it. The kind `toolchain` gives the same
//! bytes on machines with the same Rust toolchain. The generators use only integers and the basic operations of IEEE
//! 754, because the last bit of `ln`, `sin` and `powf` differs between systems. The random numbers are in `random.rs`.

mod nodes;
mod pages;
mod random;
mod sql;
mod text;
pub mod toolchain;

use std::io::{self, Write};
use std::str::FromStr;

use random::Random;

/// The kinds of data. Their names are those of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// OpenStreetMap nodes as TSV, like the data of published backup benchmarks.
    Nodes,
    /// The output of `mysqldump`: long `INSERT` statements.
    Sql,
    /// InnoDB pages of 16 KiB: the inside of a physical backup.
    Pages,
    /// An archive of the Rust toolchain: programs, libraries and texts.
    Toolchain,
    /// Bytes that no compressor can shorten.
    Random,
    /// Bytes that every compressor can shorten.
    Zeros,
}

impl Kind {
    /// All kinds with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("nodes", Self::Nodes),
        ("sql", Self::Sql),
        ("pages", Self::Pages),
        ("toolchain", Self::Toolchain),
        ("random", Self::Random),
        ("zeros", Self::Zeros),
    ];

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let entry = Self::ALL.into_iter().find(|(_, kind)| *kind == self);
        entry.map_or("unnamed", |(name, _)| name)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let entry = Self::ALL.into_iter().find(|(known, _)| *known == name);
        entry.map(|(_, kind)| kind).ok_or_else(|| {
            let names = Self::ALL.map(|(name, _)| name).join(", ");
            format!("there are {names}")
        })
    }
}

/// A generator of an endless text or table. It makes one natural unit (changeset, statement, page) at a time.
trait Source {
    /// Appends the next unit to `out`. A unit is never empty.
    fn append(&mut self, out: &mut Vec<u8>);
}

/// Units are collected up to this length, so that a pipe gets few large writes.
const BATCH_LEN: usize = 256 << 10;

/// Writes `bytes` bytes of `kind`; the last unit may be cut. Returns the number of bytes, which is smaller only if a
/// toolchain has fewer.
pub fn write(kind: Kind, bytes: u64, seed: u64, out: &mut impl Write) -> io::Result<u64> {
    let random = Random::new(seed);
    let mut source: Box<dyn Source> = match kind {
        Kind::Nodes => Box::new(nodes::Nodes::new(random)),
        Kind::Sql => Box::new(sql::Dump::new(random)),
        Kind::Pages => Box::new(pages::Tablespace::new(random)),
        Kind::Toolchain => {
            let folder = toolchain::folder().map_err(io::Error::other)?;
            let len = toolchain::write(&folder, bytes, seed, out)?;
            out.flush()?;
            return Ok(len);
        }
        Kind::Random => Box::new(Noise(random)),
        Kind::Zeros => Box::new(Zeros),
    };
    let mut batch = Vec::new();
    let mut left = bytes;
    while left > 0 {
        batch.clear();
        while batch.len() < BATCH_LEN {
            source.append(&mut batch);
        }
        let len = usize::try_from(left).map_or(batch.len(), |left| left.min(batch.len()));
        out.write_all(&batch[..len])?;
        left -= len as u64;
    }
    out.flush()?;
    Ok(bytes)
}

struct Noise(Random);

impl Source for Noise {
    fn append(&mut self, out: &mut Vec<u8>) {
        for _ in 0..1024 {
            out.extend_from_slice(&self.0.next().to_le_bytes());
        }
    }
}

struct Zeros;

impl Source for Zeros {
    fn append(&mut self, out: &mut Vec<u8>) {
        out.resize(out.len() + BATCH_LEN, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(kind: Kind, bytes: u64, seed: u64) -> Vec<u8> {
        let mut out = Vec::new();
        write(kind, bytes, seed, &mut out).expect("a Vec takes everything");
        out
    }

    /// All kinds except the toolchain, which depends on the installation and has its own tests.
    fn generated() -> impl Iterator<Item = (&'static str, Kind)> {
        Kind::ALL.into_iter().filter(|(_, kind)| *kind != Kind::Toolchain)
    }

    /// FNV-1a, which is enough to notice that a generator has changed.
    fn fingerprint(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    #[test]
    fn kinds_are_known_by_their_names() {
        for (name, kind) in Kind::ALL {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(kind.name(), name);
        }
        assert!("node".parse::<Kind>().is_err());
    }

    #[test]
    fn every_kind_writes_exactly_what_was_asked_for() {
        for (name, kind) in generated() {
            for bytes in [0, 1, 16_383, 16_384, 300_001, 2_500_000] {
                assert_eq!(bytes_of(kind, bytes, 7).len() as u64, bytes, "{name}");
            }
        }
    }

    #[test]
    fn a_shorter_corpus_is_the_beginning_of_a_longer_one() {
        for (name, kind) in generated() {
            let long = bytes_of(kind, 1_000_000, 7);
            assert!(long.starts_with(&bytes_of(kind, 333_333, 7)), "{name}");
        }
    }

    #[test]
    fn the_seed_decides_the_bytes() {
        for (name, kind) in generated() {
            let same = bytes_of(kind, 100_000, 1) == bytes_of(kind, 100_000, 2);
            assert_eq!(same, kind == Kind::Zeros, "{name}");
        }
    }

    /// Published figures name a kind, a length and a seed. They stay comparable only while these bytes stay the same.
    /// If you change a generator on purpose, change these numbers and say so.
    #[test]
    fn the_bytes_are_the_published_ones() {
        let found: Vec<_> =
            generated().map(|(name, kind)| (name, fingerprint(&bytes_of(kind, 3_000_000, 7)))).collect();
        let expected = [
            ("nodes", 17_744_312_560_470_135_739),
            ("sql", 15_147_064_833_634_749_684),
            ("pages", 10_000_220_014_385_235_114),
            ("random", 15_849_707_738_824_122_561),
            ("zeros", 7_469_633_718_133_869_093),
        ];
        assert_eq!(found, expected);
    }
}
