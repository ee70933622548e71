//! `scaling`: the speed on 1 to 128 cores by the model, and a check of the model on this machine.
//!
//! The program measures every format in this process, in both directions, on one core and on two. The model
//! (`model::load::Load`) predicts the second figure from the first, and the speed on many cores from the CPU seconds of
//! each thread. A codec that only copies shows the limit of the pipeline itself. The results are a report, a CSV file
//! and two pictures. `make scaling` runs the program.

mod ceilings;
mod gzip;
mod measure;
mod others;
mod picture;
mod report;
mod zstd;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use compare::corpus::{self, Kind};
use model::cores::memory_bandwidth;
use model::load::Machine;
use pzcomp::Format;

use measure::Case;
use others::Others;
use report::Report;

/// Measures all formats on one core and two, and computes what more cores would do.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Measure everything at least this many times; short passes are repeated for a second
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Memory bandwidth of the whole machine to compute for, in GB/s [default: no limit]
    #[arg(long, value_name = "GB/s")]
    memory_bandwidth: Option<f64>,
    /// Measure gzip files of one member only, and print the result instead of writing files
    #[arg(long)]
    only_gzip: bool,
    /// Measure zstd files of one frame only, and print the result instead of writing files
    #[arg(long, conflicts_with = "only_gzip")]
    only_zstd: bool,
    /// The folder for scaling.md, scaling.csv and the pictures
    #[arg(long, value_name = "DIR", default_value = "benches/results")]
    out: PathBuf,
}

/// The seed of the data, which `corpus nodes <length> 7` writes too.
const SEED: u64 = 7;

/// Length of a copy that measures memory. It does not fit into the caches that the cores share.
const COPY_LEN: usize = 384 << 20;

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

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scaling: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_gzip(rounds: usize) -> Result<Vec<gzip::OneMember>, Box<dyn Error>> {
    let kinds = [Kind::Nodes, Kind::Pages].into_iter();
    kinds
        .map(|kind| {
            eprintln!("gzip of one member, {}", kind.name());
            gzip::measure(kind, rounds)
        })
        .collect()
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    if args.only_gzip {
        let machine = Machine { bandwidth: f64::INFINITY, jobs: f64::INFINITY };
        let others = Others::watch();
        print!("{}", gzip::markdown(&measure_gzip(args.rounds)?, &machine));
        eprintln!("other programs used {:.1} of the cores", others.cores().unwrap_or(f64::NAN));
        return Ok(());
    }
    if args.only_zstd {
        let others = Others::watch();
        print!("{}", zstd::markdown(&zstd::measure(args.rounds)?));
        eprintln!("other programs used {:.1} of the cores", others.cores().unwrap_or(f64::NAN));
        return Ok(());
    }
    let longest = cases().iter().map(|case| case.len).max().unwrap_or(0);
    let mut data = Vec::with_capacity(longest);
    corpus::write(Kind::Nodes, longest as u64, SEED, &mut data)?;
    let others = Others::watch();
    let bandwidths = [1, 2].map(|threads| memory_bandwidth(threads, COPY_LEN));
    let ceilings = ceilings::measure(&data, args.rounds)?;
    let machine = Machine {
        bandwidth: args.memory_bandwidth.map_or(f64::INFINITY, |gb| gb * 1e9),
        jobs: ceilings.jobs,
    };
    let mut report = Report::new(machine, bandwidths, ceilings);
    for measured in measure::synthetic(&data, args.rounds)? {
        report.add(measured);
    }
    for case in cases() {
        eprintln!("{} -{}", case.format, case.level);
        for measured in measure::both_ways(&data[..case.len], &case, args.rounds)? {
            report.add(measured);
        }
    }
    // The gzip files are longer than this data.
    drop(data);
    report.gzip = measure_gzip(args.rounds)?;
    report.zstd = zstd::measure(args.rounds)?;
    report.others_cores = others.cores();
    let markdown = report.markdown();
    fs::create_dir_all(&args.out)?;
    fs::write(args.out.join("scaling.md"), &markdown)?;
    fs::write(args.out.join("scaling.csv"), report.csv())?;
    for (name, chart) in report.pictures() {
        fs::write(args.out.join(name), chart.svg()?)?;
    }
    print!("{markdown}");
    Ok(())
}
