//! Sectors that cannot be read: `Repair` mends them, and `Salvage` goes on behind them.
//!
//! The medium is a source of the caller that fails with EIO, as a disk does. What it refuses must never count as data.

use std::io;
use std::ops::Range;

use pzcomp::recovery::{Protect, Repair};
use pzcomp::salvage::Salvage;
use pzcomp::{Decode, Encode, Input, ReadAt, Recovery};

use crate::common::plain::Random;

/// A file with bad sectors.
struct Disk {
    bytes: Vec<u8>,
    bad: Vec<Range<u64>>,
}

impl Disk {
    /// So many sectors at random places cannot be read.
    fn new(bytes: Vec<u8>, count: usize, random: &mut Random) -> Self {
        let sector = |_| {
            let at = random.below(bytes.len() as u64) / 512 * 512;
            at..at + 512
        };
        let bad = (0..count).map(sector).collect();
        Self { bytes, bad }
    }

    fn input(&self) -> Input<'_> {
        Input::At { source: self, start: 0, end: self.bytes.len() as u64 }
    }
}

impl ReadAt for Disk {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = buffer.len().min(self.bytes.len().saturating_sub(offset as usize));
        let here = offset..offset + len as u64;
        if self.bad.iter().any(|bad| bad.start < here.end && here.start < bad.end) {
            return Err(system::place::refusal_of_sector());
        }
        buffer[..len].copy_from_slice(&self.bytes[offset as usize..][..len]);
        Ok(len)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
}

/// Data of which every third stretch is zeros, because zeros take the place of what cannot be read.
fn plain(random: &mut Random) -> Vec<u8> {
    let stretch = |at: usize| {
        (0..5000).map(|_| if at.is_multiple_of(3) { 0 } else { random.below(200) as u8 }).collect()
    };
    let stretches: Vec<Vec<u8>> = (0..80).map(stretch).collect();
    stretches.concat()
}

fn formats() -> [Encode; 3] {
    let mut recovery = Recovery::default();
    recovery.per_mille = 100;
    let build =
        |builder: pzcomp::EncodeBuilder| builder.block_size(20_000).recovery(recovery).build().unwrap();
    [build(Encode::zstd(1)), build(Encode::gzip(1)), build(Encode::lz4(1))]
}

#[test]
fn sectors_that_cannot_be_read_are_mended() {
    let mut random = Random(5);
    for options in formats() {
        let whole = pzcomp::compress(&plain(&mut random), &options).unwrap();
        for count in [1, 3, 5] {
            let (disk, mut mended) = (Disk::new(whole.clone(), count, &mut random), Vec::new());
            let report = Repair::new(&Decode::default()).run(disk.input(), &mut mended).unwrap();
            assert!(report.is_mendable(), "{:?}: {report:?}", disk.bad);
            assert!(mended == whole, "{:?}: {report:?}", disk.bad);
            assert!(Protect::new().run(disk.input(), io::sink()).is_err(), "records of what cannot be read");
        }
    }
}

#[test]
fn a_salvage_goes_on_behind_sectors_that_cannot_be_read_and_takes_none_for_zeros() {
    let mut random = Random(6);
    let unchecked = Encode::zstd(1).block_size(20_000).check(pzcomp::Check::None).build().unwrap();
    for options in formats().into_iter().chain([unchecked]) {
        let plain = plain(&mut random);
        let whole = pzcomp::compress(&plain, &options).unwrap();
        for count in [1, 2, 5] {
            let (disk, mut kept) = (Disk::new(whole.clone(), count, &mut random), Vec::new());
            let report = Salvage::new(&Decode::default()).run(disk.input(), &mut kept).unwrap();
            assert!(report.kept_len() > plain.len() as u64 / 5, "{:?}: {report:?}", disk.bad);
            // Frames are as long as chunks, and each is kept or lost.
            let mut rest = plain.chunks(20_000);
            for frame in kept.chunks(20_000) {
                assert!(rest.any(|chunk| chunk == frame), "{:?}: wrong data; {report:?}", disk.bad);
            }
        }
    }
}
