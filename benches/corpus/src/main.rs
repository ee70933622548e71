//! `corpus KIND BYTES [SEED]`: writes data for measurements to stdout.
//!
//! The same kind, length and seed (default 1) give the same bytes on any machine. The kind `toolchain` gives the same
//! bytes on machines with the same Rust toolchain. The generators use only integers and the basic operations of IEEE
//! 754, because the last bit of `ln`, `sin` and `powf` differs between systems. The random numbers are in `random.rs`.
//! If the reader closes the pipe, the program ends as if SIGPIPE had killed it.

mod nodes;
mod pages;
mod random;
mod sql;
mod text;
mod toolchain;

use std::env;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::str::FromStr;

use random::Random;
use rustix::pipe::fcntl_setpipe_size;

/// The status that a shell reports for a filter that SIGPIPE has killed.
const DIED_OF_SIGPIPE: u8 = 128 + 13;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let Some((kind, bytes, seed)) = parse(&args) else {
        let names = Kind::ALL.map(|(name, _)| name).join(", ");
        eprintln!("corpus: KIND BYTES [SEED] is expected. There are the kinds {names}.");
        return ExitCode::FAILURE;
    };
    match print(kind, bytes, seed) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::from(DIED_OF_SIGPIPE),
        Err(error) => {
            eprintln!("corpus: the data cannot be written: {}.", error.to_string().trim_end_matches('.'));
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Option<(Kind, u64, u64)> {
    let [kind, bytes, seed @ ..] = args else { return None };
    let seed = match seed {
        [] => 1,
        [seed] => seed.parse().ok()?,
        _ => return None,
    };
    Some((kind.parse().ok()?, bytes.parse().ok()?, seed))
}

fn print(kind: Kind, bytes: u64, seed: u64) -> io::Result<u64> {
    // Stdout of std looks for the last newline in every write, and copies the bytes behind it.
    let mut stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // A larger pipe is faster. stdout may also be a file.
    let _ = fcntl_setpipe_size(&stdout, 1 << 20);
    write(kind, bytes, seed, &mut stdout)
}

/// The kinds of data. Their names are those of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
    const ALL: [(&'static str, Self); 6] = [
        ("nodes", Self::Nodes),
        ("sql", Self::Sql),
        ("pages", Self::Pages),
        ("toolchain", Self::Toolchain),
        ("random", Self::Random),
        ("zeros", Self::Zeros),
    ];
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, kind)| kind).ok_or(())
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
fn write(kind: Kind, bytes: u64, seed: u64, out: &mut impl Write) -> io::Result<u64> {
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
    fn a_command_line_has_a_kind_a_length_and_perhaps_a_seed() {
        let parsed = |line: &str| parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
        for (name, kind) in Kind::ALL {
            assert_eq!(parsed(&format!("{name} 5")), Some((kind, 5, 1)));
        }
        assert_eq!(parsed("sql 5 7"), Some((Kind::Sql, 5, 7)));
        for line in ["sql", "node 5", "sql five", "sql 5 7 9"] {
            assert_eq!(parsed(line), None, "{line}");
        }
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
