//! The pipeline with a synthetic codec: it passes all bytes in order, from and to every kind of end.
//!
//! No test measures a speed, because other work on the machine would decide it.

use std::io::Read;
use std::time::Duration;

use model::ceiling::{Cost, Synthetic, synthetic};
use pzcomp::bench::text;
use pzcomp::{Input, Output, Result};

const NOTHING: Synthetic = Synthetic { cost: Cost::Nothing, threads: 2, chunk_len: 10_000 };

#[test]
fn all_bytes_pass_in_order_from_memory_to_memory() -> Result<()> {
    // That all credits come back is asserted at the end of the line.
    let data = text(1_000_001, 1);
    for threads in [1, 2, 5] {
        for cost in [Cost::Nothing, Cost::PerByte(1.0)] {
            let mut out = Vec::new();
            let what = Synthetic { cost, threads, ..NOTHING };
            let summary =
                synthetic(Input::Reader(Box::new(&data[..])), Output::Writer(Box::new(&mut out)), &what)?;
            assert!(out == data);
            assert_eq!((summary.plain_len, summary.coded_len), (1_000_001, 1_000_001));
            assert_eq!((summary.frames, summary.threads), (101, threads));
        }
    }
    Ok(())
}

#[test]
fn all_bytes_pass_in_order_from_file_to_file() -> std::io::Result<()> {
    let data = text(1_000_001, 2);
    let (from, mut to) = (tempfile::tempfile()?, tempfile::tempfile()?);
    std::os::unix::fs::FileExt::write_all_at(&from, &data, 0)?;
    let input = Input::File { file: &from, start: 0, len: data.len() as u64 };
    synthetic(input, Output::File { file: &to, start: 0 }, &NOTHING).map_err(std::io::Error::other)?;
    let mut out = Vec::new();
    std::io::Seek::rewind(&mut to)?;
    to.read_to_end(&mut out)?;
    assert!(out == data);
    Ok(())
}

#[test]
fn the_cost_is_charged_to_the_workers() -> Result<()> {
    let data = vec![0; 1 << 20];
    let what = Synthetic { cost: Cost::PerByte(20.0), ..NOTHING };
    let summary = synthetic(Input::Reader(Box::new(&data[..])), Output::Nothing, &what)?;
    assert!(summary.cpu.workers >= Duration::from_nanos(20 << 20), "{:?}", summary.cpu);
    Ok(())
}

#[test]
fn nothing_is_one_empty_chunk() -> Result<()> {
    let mut out = Vec::new();
    let summary = synthetic(Input::Reader(Box::new(&[][..])), Output::Writer(Box::new(&mut out)), &NOTHING)?;
    assert_eq!((summary.plain_len, summary.frames, out.len()), (0, 1, 0));
    Ok(())
}
