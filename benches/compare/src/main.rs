//! `compare`: runs pzcomp against its peers as whole processes, the way users run them.
//!
//! Figures are taken pair by pair, the two parties in turn, because a shared machine's mood
//! changes from minute to minute; each party's output is compared with the plain data once, in a
//! first round that does not count. Nothing here decides whether a build passes: a miss is
//! printed, and only a process that fails or loses data makes the exit status 1.

mod csv;
mod data;
mod machine;
mod measure;
mod outcome;
mod peers;
mod report;
mod row;
mod rows;
mod run;
mod serial;
mod stats;
mod verify;
mod workdir;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use compare::corpus::Kind;

use data::Origin;
use measure::Bench;
use outcome::Failure;
use peers::Programs;
use report::{Line, Report};
use row::{Pace, Row};
use workdir::WorkDir;

/// Measures pzcomp against its peers and prints the table of what the project promises.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The binary to measure
    #[arg(long, value_name = "PATH", default_value = "target/release/pzcomp")]
    pzcomp: PathBuf,
    /// Measure this file (repeatable) instead of generated data
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Generate this kind of data (repeatable) [default: nodes and pages]
    #[arg(long)]
    kind: Vec<Kind>,
    /// The seed of generated data
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// How much of each data to use, in MiB [default: 256, or 64 with --quick]
    #[arg(long)]
    mib: Option<u64>,
    /// Measured rounds [default: 5, or 3 with --quick]
    #[arg(long)]
    rounds: Option<usize>,
    /// Less data and fewer rounds: under ten minutes on two cores
    #[arg(long)]
    quick: bool,
    /// Only rows whose data, work, shape and commands contain this
    #[arg(long, value_name = "SUBSTRING")]
    rows: Option<String>,
    /// List the rows and measure nothing
    #[arg(long)]
    list: bool,
    /// Also write compare.md and compare.csv into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where temporary files go [default: /dev/shm if it has room, else $TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.list {
        list(&args);
        return ExitCode::SUCCESS;
    }
    match measure(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("compare: {message}");
            ExitCode::FAILURE
        }
    }
}

impl Args {
    fn bytes(&self) -> u64 {
        self.mib.unwrap_or(if self.quick { 64 } else { 256 }) << 20
    }

    fn origins(&self) -> Vec<Origin> {
        let kinds: &[Kind] = if self.file.is_empty() && self.kind.is_empty() {
            &[Kind::Nodes, Kind::Pages]
        } else {
            &self.kind
        };
        let made = kinds.iter().map(|kind| Origin::Made(*kind, self.seed));
        let given = self.file.iter().cloned().map(Origin::Given);
        made.chain(given).collect()
    }

    /// The rows to measure on the `number`-th data, of that name. In a hurry, only the first
    /// data sees the slowest rows.
    fn rows(&self, number: usize, data: &str) -> Vec<Row> {
        let in_time = |row: &Row| !self.quick || number == 0 || !matches!(row.pace, Pace::VerySlow { .. });
        let asked_for = |row: &Row| {
            let wanted = self.rows.as_deref().unwrap_or("");
            format!("{data} {}", summary(row)).contains(wanted)
        };
        let mut rows = rows::all();
        rows.retain(|row| in_time(row) && asked_for(row));
        rows
    }
}

/// A row in one line, as `--list` prints it and `--rows` searches it.
fn summary(row: &Row) -> String {
    let parties: Vec<_> = row.parties().map(report::command_of).collect();
    let (work, shape, goal) = (row.work, row.shape, row.goal);
    format!("{work}, {shape}: {}; {goal}", parties.join(" against "))
}

fn list(args: &Args) {
    for (number, origin) in args.origins().iter().enumerate() {
        let data = origin.name();
        for row in args.rows(number, &data) {
            println!("{data} {}", summary(&row));
        }
    }
}

/// True if every process ran and lost nothing.
fn measure(args: &Args) -> Result<bool, String> {
    let origins = args.origins();
    let names: Vec<_> = origins.iter().map(Origin::name).collect();
    let numbered = names.iter().enumerate();
    let plan: Vec<_> = numbered.map(|(number, data)| args.rows(number, data)).collect();
    let all_rows = plan.concat();
    if all_rows.is_empty() {
        return Err("No row matches; --list shows them all.".to_owned());
    }
    origins.iter().try_for_each(Origin::check)?;
    let programs = Programs::look_up(&all_rows, &args.pzcomp)?;
    // The plain data, its heads and every coded form of it stay until the next data comes.
    let dir = WorkDir::new(args.temp.as_deref(), 8 * args.bytes())?;
    dir.remove_when_interrupted()?;
    let rounds = args.rounds.unwrap_or(if args.quick { 3 } else { 5 });
    let bench = Bench { programs: &programs, dir: &dir, rounds: rounds.max(1), quick: args.quick };
    let mut report = Report::new(&all_rows, &names, args.out.as_deref())?;
    report.begin(&facts(args, &origins, &bench))?;
    let mut sound = true;
    for (origin, rows) in origins.iter().zip(&plan) {
        if rows.is_empty() {
            continue;
        }
        dir.clear()?;
        let data = origin.prepare(args.bytes(), &dir)?;
        for row in rows {
            let result = bench.measure(row, &data);
            if matches!(result, Err(Failure::Failed(_))) {
                workdir::stop_if_interrupted();
                sound = false;
            }
            report.add(&Line {
                row,
                data: &data.name,
                plain_len: data.len.min(bench.plain_len(row.pace)),
                result: &result,
            })?;
        }
    }
    report.end(&remarks())?;
    Ok(sound)
}

fn facts(args: &Args, origins: &[Origin], bench: &Bench) -> Vec<String> {
    let command: Vec<_> = env::args().collect();
    let mut facts = vec![format!("`{}`", command.join(" "))];
    facts.extend(machine::description());
    for origin in origins {
        let recipe = origin.recipe(args.bytes());
        facts.push(format!("data {}: {recipe}", origin.name()));
    }
    facts.push(format!("{} rounds of both in turn, after one that verifies; pipes of 1 MiB", bench.rounds));
    for (name, version) in bench.programs.versions() {
        facts.push(format!("{name}: {version}"));
    }
    facts
}

fn remarks() -> Vec<String> {
    let mut remarks = vec![
        "Speed is the median of the pairs of rounds (lowest–highest). Of two figures with a \
         slash the first is ours. MB/s are millions of plain bytes a second of wall time, CPU s \
         user and system time of the process and its children, medians both; the peak is the \
         highest of all rounds. Memory is measured in three rounds at most (one with --quick), \
         and so are the slowest rows, in the first of them while verifying."
            .to_owned(),
    ];
    if let Some(mib) = machine::own_peak_mib() {
        remarks
            .push(format!("Peaks up to {mib} MiB cannot be told apart: a process starts with its parent's."));
    }
    remarks
}
