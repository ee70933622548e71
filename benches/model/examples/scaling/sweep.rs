//! One sweep: a measurement of everything.
//!
//! The load of a shared machine changes from minute to minute, and a pass that other programs disturb takes more time.
//! So `scaling` makes several sweeps, and takes the better of each two measurements ([`Sweep::or_better`]).

use compare::corpus::{self, Kind};
use model::cores::memory_bandwidth;
use pzcomp::Format;

use crate::ceilings::{self, Ceilings};
use crate::gzip::{self, OneMember};
use crate::measure::{self, Case, Measured, Result};
use crate::zstd::{self, OneFrame};

/// The seed of the data, which `corpus nodes <length> 7` writes too.
pub const SEED: u64 = 7;

/// Length of a copy that measures memory. It does not fit into the caches that the cores share.
const COPY_LEN: usize = 384 << 20;

/// The measurements of a sweep.
pub struct Sweep {
    /// Memory read and written by one thread, and by two.
    pub bandwidths: [f64; 2],
    pub ceilings: Ceilings,
    pub measured: Vec<Measured>,
    /// Gzip files of one member.
    pub gzip: Vec<OneMember>,
    /// Zstd files of one frame.
    pub zstd: Vec<OneFrame>,
}

impl Sweep {
    /// Measures everything, each pass at least `rounds` times.
    pub fn measure(rounds: usize) -> Result<Self> {
        let longest = cases().iter().map(|case| case.len).max().unwrap_or(0);
        let mut data = Vec::with_capacity(longest);
        corpus::write(Kind::Nodes, longest as u64, SEED, &mut data)?;
        let bandwidths = [1, 2].map(|threads| memory_bandwidth(threads, COPY_LEN));
        let ceilings = ceilings::measure(&data, rounds)?;
        let mut measured = measure::synthetic(&data, rounds)?;
        for case in cases() {
            eprintln!("{} -{}", case.format, case.level);
            measured.extend(measure::both_ways(&data[..case.len], &case, rounds)?);
        }
        // The gzip files are longer than this data.
        drop(data);
        Ok(Self { bandwidths, ceilings, measured, gzip: measure_gzip(rounds)?, zstd: zstd::measure(rounds)? })
    }

    /// The better of two sweeps, for each measurement.
    pub fn or_better(self, other: Self) -> Self {
        let [[one, two], [other_one, other_two]] = [self.bandwidths, other.bandwidths];
        Self {
            bandwidths: [one.max(other_one), two.max(other_two)],
            ceilings: self.ceilings.with(other.ceilings),
            measured: each(self.measured, other.measured, Measured::or_better),
            gzip: each(self.gzip, other.gzip, OneMember::or_better),
            zstd: each(self.zstd, other.zstd, OneFrame::or_better),
        }
    }
}

fn each<T>(all: Vec<T>, others: Vec<T>, better: impl Fn(T, T) -> T) -> Vec<T> {
    all.into_iter().zip(others).map(|(one, other)| better(one, other)).collect()
}

/// Each format with its level and MiB of data. The last figure is MiB in a frame, if the default would leave a core
/// idle.
fn cases() -> [Case; 6] {
    let case = |format, level, mib: usize, frame_mib: Option<usize>| Case {
        format,
        level,
        len: mib << 20,
        block_size: frame_mib.map(|mib| mib << 20),
    };
    [
        case(Format::Zstd, 1, 128, None),
        case(Format::Zstd, 3, 128, None),
        case(Format::Gzip, 6, 64, None),
        case(Format::Lz4, 1, 128, None),
        case(Format::Xz, 6, 8, Some(2)),
        case(Format::Bzip2, 9, 32, None),
    ]
}

/// Measures gzip files of one member.
pub fn measure_gzip(rounds: usize) -> Result<Vec<OneMember>> {
    let kinds = [Kind::Nodes, Kind::Pages].into_iter();
    kinds
        .map(|kind| {
            eprintln!("gzip of one member, {}", kind.name());
            gzip::measure(kind, rounds)
        })
        .collect()
}
