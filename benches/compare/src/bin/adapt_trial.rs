//! `adapt-trial`: `pzcomp --adapt` behind a reader that is throttled, against each fixed level on the same pipe.
//!
//! For each kind of data and each rate of coded bytes there is one run with `--adapt` and one with each level, over the
//! same bytes: as many as `-3` needs the given time for, if the pipe is the bottleneck. The best fixed level is the one
//! with the smallest output among those that are at most 1 % slower than the fastest. The table goes to stdout.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use compare::corpus::{self, Kind};

/// Compares `pzcomp --adapt` with each fixed level, with a throttled output.
#[derive(Parser)]
#[command(name = "adapt-trial")]
struct Args {
    /// The program to measure
    #[arg(long, default_value = "target/release/pzcomp")]
    pzcomp: PathBuf,
    /// About how long a run takes
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// The kinds of data
    #[arg(long, value_delimiter = ',', default_value = "nodes,pages")]
    data: Vec<Kind>,
    /// A file as data, such as a backup, instead of the kinds
    #[arg(long)]
    file: Option<PathBuf>,
    /// MB of coded bytes that the output takes each second; 10-50 changes from 10 to 50 in the middle
    #[arg(long, value_delimiter = ',', default_value = "10,50,100,10-100,100-10")]
    rates: Vec<String>,
    /// The fixed levels
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15")]
    levels: Vec<i32>,
    /// MiB of data, which a run repeats as often as it takes
    #[arg(long, default_value_t = 512)]
    block: usize,
}

/// What a run gave.
struct Run {
    name: String,
    seconds: f64,
    coded: u64,
    shares: String,
}

/// A rate in bytes per second, from a time on.
type Rates = Vec<(f64, f64)>;

fn main() -> ExitCode {
    match trial(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("adapt-trial: {error}.");
            ExitCode::FAILURE
        }
    }
}

fn trial(args: &Args) -> io::Result<()> {
    println!("| data | MB/s | run | s | coded MB | time | size |\n|---|---|---|---|---|---|---|");
    for (name, block) in sources(args) {
        let block = block?;
        let sample =
            run(&args.pzcomp, &["-3".into()], &block, block.len() as u64, &vec![(0.0, 1e12)], f64::MAX)?;
        let ratio = sample.coded as f64 / block.len() as f64;
        for text in &args.rates {
            let rates =
                rates(text, args.seconds).ok_or_else(|| io::Error::other(format!("{text}: no rate")))?;
            let coded: f64 = rates.iter().map(|(_, rate)| rate * args.seconds / rates.len() as f64).sum();
            let runs = runs(args, &block, (coded / ratio) as u64, &rates)?;
            print!("{}", table(&name, text, &runs));
            io::stdout().flush()?;
        }
    }
    Ok(())
}

/// The names of the data, and the data.
fn sources(args: &Args) -> Vec<(String, io::Result<Vec<u8>>)> {
    if let Some(path) = &args.file {
        let name = path.file_name().unwrap_or(path.as_os_str());
        return vec![(name.to_string_lossy().into_owned(), std::fs::read(path))];
    }
    let make = |&kind: &Kind| {
        let mut block = Vec::with_capacity(args.block << 20);
        let made = corpus::write(kind, (args.block << 20) as u64, 1, &mut block);
        (kind.name().to_owned(), made.map(|_| block))
    };
    args.data.iter().map(make).collect()
}

/// Reads `10` or `10-50`.
fn rates(text: &str, seconds: f64) -> Option<Rates> {
    let rates: Vec<f64> = text.split('-').map(|rate| rate.parse().ok()).collect::<Option<_>>()?;
    let part = seconds / rates.len() as f64;
    Some(rates.into_iter().enumerate().map(|(at, rate)| (at as f64 * part, rate * 1e6)).collect())
}

/// The run with `--adapt`, and behind it those at fixed levels. A level that is far too slow is stopped and ends the
/// series.
fn runs(args: &Args, block: &[u8], plain_len: u64, rates: &Rates) -> io::Result<Vec<Run>> {
    let mut runs = vec![run(&args.pzcomp, &["--adapt".into()], block, plain_len, rates, f64::MAX)?];
    for level in &args.levels {
        let fastest = runs[1..].iter().map(|run| run.seconds).fold(f64::MAX, f64::min);
        let most = 1.15 * fastest;
        let run = run(&args.pzcomp, &[format!("-{level}")], block, plain_len, rates, most)?;
        if run.seconds > most {
            break;
        }
        runs.push(run);
    }
    Ok(runs)
}

/// Runs pzcomp over so many bytes, and takes its output at these rates. A run that takes longer than `most` seconds is
/// stopped.
fn run(
    pzcomp: &Path,
    options: &[String],
    block: &[u8],
    plain_len: u64,
    rates: &Rates,
    most: f64,
) -> io::Result<Run> {
    let mut command = Command::new(pzcomp);
    command.args(options).args(["-v", "-c"]).env_remove("PZCOMP");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let missing = || io::Error::other("a pipe of pzcomp is missing");
    let mut stdin = child.stdin.take().ok_or_else(missing)?;
    let mut stdout = child.stdout.take().ok_or_else(missing)?;
    let started = Instant::now();
    let coded = std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut left = plain_len;
            while left > 0 {
                let part = &block[..block.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
                if stdin.write_all(part).is_err() {
                    return;
                }
                left -= part.len() as u64;
            }
        });
        let coded = throttle(&mut stdout, rates, started, most)?;
        if started.elapsed().as_secs_f64() > most {
            child.kill()?;
        }
        Ok::<_, io::Error>(coded)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let output = child.wait_with_output()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && seconds <= most {
        return Err(io::Error::other(format!("pzcomp failed: {messages}")));
    }
    let shares = messages.lines().find_map(|line| line.split_once("share of each level: "));
    let shares = shares.map_or_else(String::new, |(_, shares)| format!(" ({shares})"));
    Ok(Run { name: options.join(" "), seconds, coded, shares })
}

/// Reads to the end or for `most` seconds, at these rates. Returns the number of bytes.
fn throttle(reader: &mut impl Read, rates: &Rates, started: Instant, most: f64) -> io::Result<u64> {
    let (mut buffer, mut read) = (vec![0; 64 << 10], 0);
    // How many bytes may be read by now. What was not used is lost, except for a few milliseconds of it.
    let (mut credit, mut last) = (0.0, started);
    loop {
        let now = Instant::now();
        let passed = now.duration_since(started).as_secs_f64();
        let rate = rates.iter().rev().find(|&&(from, _)| from <= passed).map_or(0.0, |&(_, rate)| rate);
        credit = f64::min(credit + rate * now.duration_since(last).as_secs_f64(), rate * 0.02 + 65_536.0);
        last = now;
        if passed > most {
            return Ok(read);
        }
        if credit < 4096.0 {
            std::thread::sleep(Duration::from_micros(500));
            continue;
        }
        let most = buffer.len().min(credit as usize);
        match reader.read(&mut buffer[..most])? {
            0 => return Ok(read),
            len => {
                read += len as u64;
                credit -= len as f64;
            }
        }
    }
}

/// Rows for the run with `--adapt` and for each level. `time` and `size` compare with the best fixed level.
fn table(data: &str, rate: &str, runs: &[Run]) -> String {
    let fastest = runs[1..].iter().map(|run| run.seconds).fold(f64::MAX, f64::min);
    let good = runs[1..].iter().filter(|run| run.seconds <= 1.01 * fastest);
    let Some(best) = good.min_by_key(|run| run.coded) else { return String::new() };
    let mut rows = String::new();
    for run in runs {
        let (time, size) = (run.seconds / best.seconds, run.coded as f64 / best.coded as f64);
        let mark = if run.name == best.name { " (best)" } else { "" };
        let (name, shares, coded) = (&run.name, &run.shares, run.coded as f64 / 1e6);
        let _ = writeln!(
            rows,
            "| {data} | {rate} | `{name}`{mark}{shares} | {:.1} | {coded:.1} | {time:.3} | {size:.3} |",
            run.seconds
        );
    }
    rows
}
