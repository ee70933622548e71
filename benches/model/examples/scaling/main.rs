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
mod sweep;
mod zstd;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use compare::machine;
use model::load::Machine;

use others::Others;
use report::Report;
use sweep::{Sweep, measure_gzip};

/// Measures all formats on one core and two, and computes what more cores would do.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Measure everything so many times, one sweep after the other; the better of each two measurements counts
    #[arg(long, default_value_t = 3)]
    sweeps: usize,
    /// Measure each pass of a sweep at least this many times; short passes are repeated for a second
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Memory bandwidth of the whole machine to compute for, in GB/s [default: no limit]
    #[arg(long, value_name = "GB/s")]
    memory_bandwidth: Option<f64>,
    /// Measure gzip files of one member only, and print the result instead of writing files
    #[arg(long, conflicts_with = "sweeps")]
    only_gzip: bool,
    /// Measure zstd files of one frame only, and print the result instead of writing files
    #[arg(long, conflicts_with_all = ["only_gzip", "sweeps"])]
    only_zstd: bool,
    /// The folder for scaling.md, scaling.csv and the pictures
    #[arg(long, value_name = "DIR", default_value = "benches/results")]
    out: PathBuf,
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
    let (description, others) = (machine::description(), Others::watch());
    let mut best = Sweep::measure(args.rounds)?;
    for sweep in 1..args.sweeps {
        eprintln!("sweep {} of {}", sweep + 1, args.sweeps);
        best = best.or_better(Sweep::measure(args.rounds)?);
    }
    let machine = Machine {
        bandwidth: args.memory_bandwidth.map_or(f64::INFINITY, |gb| gb * 1e9),
        jobs: best.ceilings.jobs,
    };
    let report =
        Report { machine, description, best, sweeps: args.sweeps.max(1), others_cores: others.cores() };
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
