//! Measures the encoder beside liblzma, on one core and in memory, with data of one's own.
//!
//! `cargo bench -p pzcomp-lzma --bench versus -- [-LEVEL[e]] [-r ROUNDS] [-b MiB] [-d KiB] [-n LENGTH] FILE...` prints
//! a line for each file: CPU seconds of both, which take turns, and the lengths of their outputs. Each output is
//! decoded by liblzma. `-b` cuts the files into Blocks. `-d` and `-n` take the place of the dictionary and of the
//! length of matches that are taken at once, as for the levels of lzip. `-o` leaves liblzma's encoder out.

#[path = "../tests/common/mod.rs"]
mod common;

use std::error::Error;
use std::time::Duration;

use common::{decode, len_by_liblzma, options};
use liblzma_sys as sys;
use pzcomp_lzma::{Encoder, Params};

type Failable<T> = Result<T, Box<dyn Error>>;

fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Failable<()> {
    let (mut level, mut extreme, mut rounds, mut block, mut ours_only) = (6, false, 1, 24 << 20, false);
    let (mut dict_len, mut nice_len) = (None, None);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-r" => rounds = arguments.next().ok_or("-r needs a number")?.parse()?,
            "-b" => block = arguments.next().ok_or("-b needs MiB")?.parse::<usize>()? << 20,
            "-d" => dict_len = Some(arguments.next().ok_or("-d needs KiB")?.parse::<usize>()? << 10),
            "-n" => nice_len = Some(arguments.next().ok_or("-n needs a length")?.parse()?),
            "-o" => ours_only = true,
            _ => match argument.strip_prefix('-') {
                Some(preset) => {
                    extreme = preset.ends_with('e');
                    level = preset.trim_end_matches('e').parse()?;
                }
                None => files.push(argument),
            },
        }
    }
    let preset = u32::from(level) | if extreme { sys::LZMA_PRESET_EXTREME } else { 0 };
    let usual = Params::preset(level, extreme);
    let params = Params {
        dict_len: dict_len.unwrap_or(usual.dict_len),
        nice_len: nice_len.unwrap_or(usual.nice_len),
        ..usual
    };
    let mut theirs_options = options(preset, params.dict_len);
    if let Some(nice_len) = nice_len {
        theirs_options.nice_len = nice_len as u32;
    }
    println!(
        "{:16} {:>9} {:>9} {:>6} {:>10} {:>10} {:>7}",
        "file", "liblzma s", "ours s", "ratio", "liblzma", "ours", "size"
    );
    let mut encoder = Encoder::new(params);
    for path in files {
        let file = std::fs::read(&path)?;
        let (mut theirs, mut ours) = (vec![], vec![]);
        let (mut their_len, mut our_len) = (0, 0);
        let mut out = vec![0; block + block / 8 + 65536];
        for _ in 0..rounds {
            (their_len, our_len) = (0, 0);
            if !ours_only {
                let start = cpu();
                for plain in file.chunks(block) {
                    their_len += len_by_liblzma(plain, &mut theirs_options, &mut out);
                }
                theirs.push((cpu() - start).as_secs_f64());
            }
            let mut time = Duration::ZERO;
            for plain in file.chunks(block) {
                let start = cpu();
                let len = encoder.encode_lzma2(plain, &mut out)?;
                let coded = &out[..len];
                time += cpu() - start;
                our_len += coded.len();
                if decode(coded, sys::LZMA_FILTER_LZMA2, &params, plain.len()) != plain {
                    return Err(format!("{path} does not come back").into());
                }
            }
            ours.push(time.as_secs_f64());
        }
        let (theirs, ours) = (median(&mut theirs), median(&mut ours));
        let name = path.rsplit('/').next().unwrap_or(&path);
        println!(
            "{name:16} {theirs:9.2} {ours:9.2} {:6.2} {their_len:10} {our_len:10} {:+6.2}%",
            theirs / ours,
            (our_len as f64 / their_len as f64 - 1.0) * 100.0
        );
    }
    Ok(())
}
