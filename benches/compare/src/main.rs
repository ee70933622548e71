//! `compare`: runs pzcomp and its peers as whole processes, as users run them, and prints a table of the results.
//!
//! The two parties of a row run in turns, because the load of a shared machine changes from minute to minute. A first
//! round, which does not count, compares the output of each party with the plain data. A missed promise is only
//! printed. The exit status is 1 if pzcomp fails or loses data. `make bench` and `make bench-full` run the program.

mod data;
mod measure;
mod memory;
mod outcome;
mod peers;
mod plan;
mod report;
mod row;
mod rows;
mod run;
mod verify;
mod workdir;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use compare::corpus::Kind;
use compare::machine;

use data::Origin;
use measure::Bench;
use outcome::{Failure, Finding};
use peers::Programs;
use plan::{Chapter, Choice, Set};
use report::Report;
use workdir::WorkDir;

/// Measures pzcomp against its peers, and prints a table of promises and comparisons.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The binary to measure
    #[arg(long, value_name = "PATH", default_value = "target/release/pzcomp")]
    pzcomp: PathBuf,
    /// Measure against this older binary of pzcomp, and not against the peers
    #[arg(long, value_name = "PATH")]
    before: Option<PathBuf>,
    /// Measure this file (repeatable) instead of generated data
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Generate this kind of data (repeatable) [default: nodes and pages; with --set all the main comparisons on the
    /// other kinds too]
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
    /// Less data, fewer rounds and the set quick: under ten minutes on two cores
    #[arg(long)]
    quick: bool,
    /// The rows: promises; quick, which has also the first peer of each comparison; or all [default: all, or quick with
    /// --quick]
    #[arg(long)]
    set: Option<Set>,
    /// Only rows against these programs
    #[arg(long, value_name = "NAME,NAME…", value_delimiter = ',')]
    peers: Vec<String>,
    /// The folder of programs that were built for the measurement. It is searched before PATH
    #[arg(long, value_name = "DIR", default_value = "target/peers/bin")]
    peers_dir: PathBuf,
    /// Only rows whose data, work, shape and commands contain this
    #[arg(long, value_name = "SUBSTRING")]
    rows: Option<String>,
    /// List the rows and measure nothing
    #[arg(long)]
    list: bool,
    /// Also write compare.md and compare.csv into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder for temporary files [default: /dev/shm if it has room, else $TMPDIR]
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

    fn chapters(&self) -> Vec<Chapter> {
        let set = self.set.unwrap_or(if self.quick { Set::Quick } else { Set::All });
        let (quick, part, peers) = (self.quick, self.rows.clone(), self.peers.clone());
        let choice = Choice { set, quick, part, peers, against_before: self.before.is_some() };
        let made = self.kind.iter().map(|kind| Origin::Made(*kind, self.seed));
        let given = self.file.iter().cloned().map(Origin::Given);
        let origins: Vec<_> = made.chain(given).collect();
        let mut chapters = if origins.is_empty() {
            plan::default_chapters(&choice, self.seed, |why| eprintln!("compare: {why} It is left out."))
        } else {
            plan::chapters(origins, &choice)
        };
        chapters.retain(|chapter| !chapter.rows.is_empty());
        chapters
    }
}

fn list(args: &Args) {
    for chapter in args.chapters() {
        for row in &chapter.rows {
            println!("{} {}", chapter.origin.name(), row.summary());
        }
    }
}

/// Measures all rows. Returns whether pzcomp succeeded in every row.
fn measure(args: &Args) -> Result<bool, String> {
    let chapters = args.chapters();
    if chapters.is_empty() {
        return Err("No row matches; --list shows them all.".to_owned());
    }
    chapters.iter().try_for_each(|chapter| chapter.origin.check())?;
    let all_rows = || chapters.iter().flat_map(|chapter| &chapter.rows);
    let programs =
        Programs::look_up(all_rows(), &args.pzcomp, args.before.as_deref(), Some(&args.peers_dir))?;
    // The plain data, its first parts and all coded forms stay until the next data comes.
    let dir = WorkDir::new(args.temp.as_deref(), 10 * args.bytes())?;
    dir.remove_when_interrupted()?;
    let rounds = args.rounds.unwrap_or(if args.quick { 3 } else { 5 });
    let bench = Bench { programs: &programs, dir: &dir, rounds: rounds.max(1), quick: args.quick };
    let names: Vec<_> = chapters.iter().map(|chapter| chapter.origin.name()).collect();
    let mut report = Report::new(all_rows(), &names, args.out.as_deref())?;
    report.begin(&facts(args, &chapters, &bench))?;
    let mut findings = Vec::new();
    let mut all_succeeded = true;
    for Chapter { origin, rows } in &chapters {
        dir.clear()?;
        let data = origin.prepare(args.bytes(), &dir)?;
        for row in rows {
            let result = bench.measure(row, &data);
            if matches!(result, Err(Failure::Failed(_) | Failure::PeerFailed(_))) {
                workdir::stop_if_interrupted();
            }
            all_succeeded &= !matches!(result, Err(Failure::Failed(_)));
            let plain_len = data.len.min(bench.plain_len(row.pace));
            let finding = Finding { row: row.clone(), data: data.name.clone(), plain_len, result };
            report.add(&finding)?;
            findings.push(finding);
        }
    }
    report.end(&findings, REMARK)?;
    Ok(all_succeeded)
}

fn facts(args: &Args, chapters: &[Chapter], bench: &Bench) -> Vec<String> {
    let command: Vec<_> = env::args().collect();
    let mut facts = vec![format!("`{}`", command.join(" "))];
    facts.extend(machine::description());
    for Chapter { origin, .. } in chapters {
        let recipe = origin.recipe(args.bytes());
        facts.push(format!("data {}: {recipe}", origin.name()));
    }
    facts.push(format!(
        "{} rounds of both in turns, after a round that verifies; pipes of 1 MiB",
        bench.rounds
    ));
    for (name, version) in bench.programs.versions() {
        facts.push(format!("{name}: {version}"));
    }
    facts
}

const REMARK: &str = "Speed is the median of the pairs of rounds (lowest–highest). Of two figures with a \
    slash the first is pzcomp's. MB/s are millions of plain bytes a second of wall time. CPU s is user and \
    system time of the process and its children. Both are medians. The peak is the highest of all rounds; in \
    the first round the memory of all processes of a side is added. Memory and the slowest rows are measured \
    in three rounds at most (one with --quick); for the slowest rows the first of them also verifies. A \
    comparison is even from 1.00 to 1.02 × the speed. Two sizes count as equal if they differ by at most 1 %, \
    or by less than a thousandth of the plain data.";
