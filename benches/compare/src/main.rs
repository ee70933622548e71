//! `compare`: runs pzcomp and its peers as whole processes, as users run them, and prints a table of the results.
//!
//! The two parties of a row run in turns, because the load of a shared machine changes from minute to minute. A first
//! round, which does not count, compares the output of each party with the plain data. A missed promise is only
//! printed. The exit status is 1 if pzcomp fails or loses data. `make bench` and `make bench-full` run the program.
//!
//! `rows.rs` has the rows, `measure.rs` runs one of them, `process.rs` runs one process, and `report.rs` prints.

mod measure;
mod process;
mod report;
mod rows;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use compare::corpus::Kind;
use compare::machine;

use measure::{Bench, Origin, WorkDir};
use process::Programs;
use report::{Failure, Finding, Report};
use rows::{Pace, Row, Tier, program_of};

/// Measures pzcomp against its peers, and prints a table of promises and comparisons.
#[derive(Clone, Parser)]
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

/// A set of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Set {
    /// The promises of the project.
    Promises,
    /// The promises, and the first peer of every comparison.
    Quick,
    /// All rows.
    All,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let chapters = args.chapters();
    if args.list {
        for (origin, rows) in &chapters {
            rows.iter().for_each(|row| println!("{} {}", origin.name(), row.summary()));
        }
        return ExitCode::SUCCESS;
    }
    match measure(&args, &chapters) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("compare: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Data, and the rows that are measured on it.
type Chapter = (Origin, Vec<Row>);

impl Args {
    fn bytes(&self) -> u64 {
        self.mib.unwrap_or(if self.quick { 64 } else { 256 }) << 20
    }

    fn set(&self) -> Set {
        self.set.unwrap_or(if self.quick { Set::Quick } else { Set::All })
    }

    fn chapters(&self) -> Vec<Chapter> {
        /// The data on which a full run measures everything, if the user names no data.
        const FIRST_RANK: [Kind; 2] = [Kind::Nodes, Kind::Pages];
        /// The data on which a full run only compares, with every peer at its main level.
        const SECOND_RANK: [Kind; 4] = [Kind::Sql, Kind::Toolchain, Kind::Random, Kind::Zeros];
        let is_default = self.kind.is_empty() && self.file.is_empty();
        let kinds = if is_default { &FIRST_RANK[..] } else { &self.kind };
        let made = |kind: &Kind| Origin::Made(*kind, self.seed);
        let origins = kinds.iter().map(made).chain(self.file.iter().cloned().map(Origin::Given));
        let numbered = origins.enumerate().map(|(number, origin)| (self.rows(number, &origin), origin));
        let mut chapters: Vec<Chapter> = numbered.map(|(rows, origin)| (origin, rows)).collect();
        for origin in SECOND_RANK.iter().map(made).filter(|_| is_default && self.set() == Set::All) {
            if let Err(why) = origin.check() {
                eprintln!("compare: {why} It is left out.");
                continue;
            }
            let mut rows = self.rows(0, &origin);
            rows.retain(|row| matches!(row.tier, Tier::First | Tier::Main));
            chapters.push((origin, rows));
        }
        chapters.retain(|(_, rows)| !rows.is_empty());
        chapters
    }

    /// The rows for the data with this number. With `--quick`, only the first data has the slowest rows and the
    /// comparisons.
    fn rows(&self, number: usize, origin: &Origin) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for row in rows::all() {
            let row = if self.before.is_some() { row.against_before() } else { row };
            if !rows.iter().any(|known| known.measures_the_same(&row)) {
                rows.push(row);
            }
        }
        let highest = match self.set() {
            Set::Promises => Tier::Promise,
            Set::Quick => Tier::First,
            Set::All => Tier::Full,
        };
        rows.retain(|row| {
            let takes_long = row.tier > Tier::Promise || matches!(row.pace, Pace::VerySlow(..));
            let peer = row.peer.as_ref().map(|peer| program_of(&peer.run));
            let is_met = self.peers.is_empty() || self.peers.iter().any(|name| Some(name.as_str()) == peer);
            let text = format!("{} {}", origin.name(), row.summary());
            (number == 0 || !self.quick || !takes_long)
                && row.tier <= highest
                && is_met
                && text.contains(self.rows.as_deref().unwrap_or(""))
        });
        rows
    }
}

/// Measures all rows. Returns whether pzcomp succeeded in every row.
fn measure(args: &Args, chapters: &[Chapter]) -> Result<bool, String> {
    if chapters.is_empty() {
        return Err("No row matches; --list shows them all.".to_owned());
    }
    chapters.iter().try_for_each(|(origin, _)| origin.check())?;
    let all_rows = || chapters.iter().flat_map(|(_, rows)| rows);
    let programs = Programs::look_up(all_rows(), &args.pzcomp, args.before.as_deref(), &args.peers_dir)?;
    // The plain data, its first parts and all coded forms stay until the next data comes.
    let dir = WorkDir::new(args.temp.as_deref(), 10 * args.bytes())?;
    dir.remove_when_interrupted()?;
    let rounds = args.rounds.unwrap_or(if args.quick { 3 } else { 5 });
    let bench = Bench { programs: &programs, dir: &dir, rounds: rounds.max(1), quick: args.quick };
    let names: Vec<_> = chapters.iter().map(|(origin, _)| origin.name()).collect();
    let facts = facts(args, chapters, &bench);
    let mut report = Report::begin(all_rows(), &names, &facts, args.out.as_deref())?;
    let mut findings = Vec::new();
    let mut all_succeeded = true;
    for (origin, rows) in chapters {
        dir.clear()?;
        let data = origin.prepare(args.bytes(), &dir)?;
        for row in rows {
            let result = bench.measure(row, &data);
            if matches!(result, Err(Failure::Failed(_) | Failure::PeerFailed(_))) {
                measure::stop_if_interrupted();
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

/// The lines above the table.
fn facts(args: &Args, chapters: &[Chapter], bench: &Bench) -> Vec<String> {
    let command: Vec<_> = env::args().collect();
    let mut facts = vec![format!("`{}`", command.join(" "))];
    facts.extend(machine::description());
    for (origin, _) in chapters {
        facts.push(format!("data {}: {}", origin.name(), origin.recipe(args.bytes())));
    }
    let rounds = bench.rounds;
    facts.push(format!("{rounds} rounds of both in turns, after a round that verifies; pipes of 1 MiB"));
    facts.extend(bench.programs.0.iter().map(|(name, (_, version))| format!("{name}: {version}")));
    facts
}

const REMARK: &str = "Speed is the median of the pairs of rounds (lowest–highest). Of two figures with a \
    slash the first is pzcomp's. MB/s are millions of plain bytes a second of wall time. CPU s is user and \
    system time of the process and its children. Both are medians. The peak is the highest of all rounds; in \
    the first round the memory of all processes of a side is added. Memory and the slowest rows are measured \
    in three rounds at most (one with --quick); for the slowest rows the first of them also verifies. A \
    comparison is even from 1.00 to 1.02 × the speed. Two sizes count as equal if they differ by at most 1 %, \
    or by less than a thousandth of the plain data.";

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args::parse_from(["compare"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn sets_grow_and_a_full_run_meets_all_kinds_of_data() {
        let len = |line| args(line).chapters().iter().map(|(_, rows)| rows.len()).sum::<usize>();
        assert!(0 < len("--set promises") && len("--set promises") < len("--set quick"));
        assert!(len("--set quick") < len("--set all"));
        let left_out = usize::from(Origin::Made(Kind::Toolchain, 7).check().is_err());
        assert_eq!(args("").chapters().len() + left_out, Kind::ALL.len());
    }

    #[test]
    fn a_quick_run_compares_on_the_first_data_only() {
        let compares = |(_, rows): &Chapter| rows.iter().any(|row| row.tier > Tier::Promise);
        assert_eq!(args("--quick").chapters().iter().map(compares).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn rows_are_chosen_by_their_peer_and_by_what_they_say() {
        let rows = |line| args(line).chapters().into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>();
        let of_peers = rows("--peers crabz,lzop");
        assert!(!of_peers.is_empty());
        for row in of_peers {
            let program = row.peer.map(|peer| program_of(&peer.run).to_owned());
            assert!(matches!(program.as_deref(), Some("crabz" | "lzop")), "{program:?}");
        }
        let foreign = rows("--rows foreign");
        assert!(!foreign.is_empty() && foreign.iter().all(|row| row.work.contains("foreign")));
    }
}
