//! Measures the searches of the encoder beside the levels of libdeflate, on one core and in memory, with data of one's
//! own.
//!
//! `cargo bench -p pzcomp-deflate --bench versus -- [-r ROUNDS] [-b KiB] [-e NAME] FILE...` prints for each file and
//! each encoder the CPU milliseconds and the length of the output. The encoders take turns, and the median of the
//! rounds counts. `-b` cuts the files into chunks, and `-e` leaves out encoders whose name does not begin with NAME.
//! libdeflate decodes each output.

use std::error::Error;
use std::time::Duration;

use libdeflater::{CompressionLvl, Compressor, Decompressor};
use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};

type Failable<T> = Result<T, Box<dyn Error>>;

/// Codes a chunk, and returns the coded length.
type Code = Box<dyn FnMut(&[u8], &mut [u8]) -> Option<usize>>;

/// An encoder, and what was measured of it.
struct Entry {
    name: String,
    code: Code,
    times: Vec<f64>,
    len: usize,
}

impl Entry {
    fn new(name: String, code: Code) -> Self {
        Self { name, code, times: Vec::new(), len: 0 }
    }
}

fn ours(search: Search) -> Entry {
    let mut encoder = Encoder::new(search);
    Entry::new(format!("{search:?}"), Box::new(move |plain, out| encoder.encode(plain, out, End::Final)))
}

fn libdeflate(level: i32) -> Failable<Entry> {
    let level_of = CompressionLvl::new(level).map_err(|error| format!("{error:?}"))?;
    let mut compressor = Compressor::new(level_of);
    let code = move |plain: &[u8], out: &mut [u8]| compressor.deflate_compress(plain, out).ok();
    Ok(Entry::new(format!("libdeflate -{level}"), Box::new(code)))
}

fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Failable<()> {
    let (mut rounds, mut chunk) = (5, 1 << 20);
    let (mut files, mut begins) = (Vec::new(), String::new());
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-r" => rounds = arguments.next().ok_or("-r needs a number")?.parse()?,
            "-b" => chunk = arguments.next().ok_or("-b needs KiB")?.parse::<usize>()? << 10,
            "-e" => begins = arguments.next().ok_or("-e needs a name")?,
            _ => files.push(argument),
        }
    }
    let mut out = vec![0; coded_bound(chunk) + chunk / 16];
    let mut back = vec![0; chunk];
    let mut decompressor = Decompressor::new();
    for path in files {
        let file = std::fs::read(&path)?;
        let mut entries = vec![ours(Search::Quick), ours(Search::Matches), ours(Search::Thorough)];
        for level in 1..=4 {
            entries.push(libdeflate(level)?);
        }
        entries.retain(|entry| entry.name.starts_with(&begins));
        for _ in 0..rounds {
            for entry in &mut entries {
                let mut time = Duration::ZERO;
                entry.len = 0;
                for plain in file.chunks(chunk) {
                    let start = cpu();
                    let len = (entry.code)(plain, &mut out).ok_or("an output has no room")?;
                    time += cpu() - start;
                    entry.len += len;
                    let decoded = decompressor.deflate_decompress(&out[..len], &mut back);
                    if decoded != Ok(plain.len()) || back[..plain.len()] != *plain {
                        return Err(format!("{path} does not come back from {}", entry.name).into());
                    }
                }
                entry.times.push(time.as_secs_f64() * 1e3);
            }
        }
        let name = path.rsplit('/').next().unwrap_or(&path);
        for entry in &mut entries {
            println!("{name:16} {:16} {:8.1} ms {:10}", entry.name, median(&mut entry.times), entry.len);
        }
    }
    Ok(())
}
