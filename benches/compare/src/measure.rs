//! Measures one row: prepares the inputs, proves that nothing is lost, then lets the parties take
//! turns.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::data::Data;
use crate::outcome::{Failure, Outcome, Side};
use crate::peers::Programs;
use crate::row::{End, Goal, Pace, Party, Row};
use crate::rows::suffix_of;
use crate::run::{Input, Output, Usage, Watch, run};
use crate::verify::Comparison;
use crate::workdir::WorkDir;

/// What all rows have in common.
pub struct Bench<'a> {
    pub programs: &'a Programs,
    pub dir: &'a WorkDir,
    /// How often each party runs, not counting the first time, which only warms and verifies.
    pub rounds: usize,
    pub quick: bool,
}

/// A party ready to run.
struct Contestant<'a> {
    party: &'a Party,
    input: PathBuf,
    output: PathBuf,
    side: Side,
}

/// Whose failure it is: ours come first in a row.
const BLAME: [fn(String) -> Failure; 2] = [Failure::Failed, Failure::PeerFailed];

impl Bench<'_> {
    /// Runs a row on `data`, or on as much of it as its pace allows.
    pub fn measure(&self, row: &Row, data: &Data) -> Result<Outcome, Failure> {
        if let Some(program) = self.programs.missing(row) {
            return Err(Failure::NotInstalled(program.to_owned()));
        }
        let data = data.head(self.plain_len(row.pace), self.dir)?;
        let mut contestants = Vec::new();
        for (party, blame) in row.parties().zip(BLAME) {
            contestants.push(self.admit(row, party, &data).map_err(blame)?);
        }
        let rounds = self.rounds(row);
        while contestants.iter().any(|one| one.side.rounds.len() < rounds) {
            for (one, blame) in contestants.iter_mut().zip(BLAME) {
                let (round, line) = (one.side.rounds.len() + 1, &one.party.run);
                announce(&format!("{} {}: {round}/{rounds} {line}", data.name, row.work));
                let usage = self.run_once(row, one, &mut io::sink(), Watch::Nothing).map_err(blame)?;
                one.side.rounds.push(usage);
            }
        }
        announce("");
        let mut sides = contestants.into_iter().map(|one| one.side);
        let ours = sides.next().ok_or_else(|| "the row has nobody to run".to_owned())?;
        Ok(Outcome { plain_len: data.len, ours, peer: sides.next() })
    }

    /// How much of the data a row of that pace gets at most.
    pub fn plain_len(&self, pace: Pace) -> u64 {
        match pace {
            Pace::Fast => u64::MAX,
            Pace::Slow if self.quick => 32 << 20,
            Pace::Slow => 64 << 20,
            Pace::VerySlow { quick_mib, .. } if self.quick => quick_mib << 20,
            Pace::VerySlow { mib, .. } => mib << 20,
        }
    }

    fn rounds(&self, row: &Row) -> usize {
        let slowest = matches!(row.pace, Pace::VerySlow { .. });
        // Memory hardly varies, and minutes are dear.
        match slowest || matches!(row.goal, Goal::Memory { .. }) {
            true if self.quick => 1,
            true => self.rounds.min(3),
            false => self.rounds,
        }
    }

    /// Prepares a party's input, runs it once with its memory watched, keeps its output and compares
    /// what that stands for with the plain data. Whoever loses data does not compete.
    fn admit<'a>(&self, row: &Row, party: &'a Party, data: &Data) -> Result<Contestant<'a>, String> {
        let mut one = Contestant {
            party,
            input: data.path.clone(),
            output: self.dir.file("output"),
            side: Side { rounds: Vec::new(), coded_len: 0, watched_peak_bytes: 0 },
        };
        if let Some(source) = &party.source {
            one.input = self.coded(source, data)?;
        }
        announce(&format!("{} {}: verifying {}", data.name, row.work, party.run));
        let mut kept = File::create(&one.output)
            .map_err(|error| format!("`{}`: cannot keep its output: {error}", party.run))?;
        let usage = self.run_once(row, &one, &mut kept, Watch::Memory)?;
        one.side.watched_peak_bytes = usage.peak_bytes;
        self.compare(party, &one.output, &data.path).map_err(|what| format!("`{}`: {what}", party.run))?;
        let coded = if party.source.is_some() { &one.input } else { &one.output };
        one.side.coded_len = fs::metadata(coded)
            .map_err(|error| format!("`{}`: its compressed form: {error}", party.run))?
            .len();
        if matches!(row.pace, Pace::VerySlow { .. }) {
            // As good as any other run: keeping the output and watching cost nothing beside its
            // minutes.
            one.side.rounds.push(usage);
        }
        Ok(one)
    }

    /// What `line` makes of the data, in a file that later rows find again.
    fn coded(&self, line: &str, data: &Data) -> Result<PathBuf, String> {
        let words = line.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
        let name = format!("coded.{}.{words}{}", data.len, suffix_of(line));
        let path = self.dir.file(&name);
        if !path.exists() {
            announce(&format!("{}: preparing {line}", data.name));
            let command = self.programs.command(line, &data.path, &path)?;
            let (input, output) = (Input::File(&data.path), Output::File(&path));
            run(command, input, output, &self.dir.file("stderr"), Watch::Nothing).inspect_err(|_| {
                // Half a file would be taken for a whole one by the next row.
                let _ = fs::remove_file(&path);
            })?;
        }
        Ok(path)
    }

    fn compare(&self, party: &Party, output: &Path, plain: &Path) -> Result<(), String> {
        let mut comparison = Comparison::with(plain)?;
        if let Some(check) = &party.check {
            // Where the standard tool is not at hand, ours reads the format too.
            let check = if self.programs.has(check) { check } else { "pzcomp -d" };
            let command = self.programs.command(check, output, output)?;
            let (input, output) = (Input::File(output), Output::Pipe(&mut comparison));
            run(command, input, output, &self.dir.file("stderr"), Watch::Nothing)
                .map_err(|error| format!("its output cannot be read again: {error}"))?;
        } else {
            File::open(output)
                .and_then(|mut output| io::copy(&mut output, &mut comparison))
                .map_err(|error| format!("it left no output: {error}"))?;
        }
        comparison.finish()
    }

    /// One run. What goes into a pipe ends in `sink`, what goes into a file in the contestant's.
    fn run_once(
        &self,
        row: &Row,
        one: &Contestant,
        sink: &mut dyn Write,
        watch: Watch,
    ) -> Result<Usage, String> {
        let (line, file) = (&one.party.run, &one.output);
        let command = self.programs.command(line, &one.input, file)?;
        let input = match row.shape.input {
            End::Pipe => Input::Pipe(&one.input),
            End::File => Input::File(&one.input),
        };
        let output = match row.shape.output {
            End::Pipe => Output::Pipe(sink),
            End::File => {
                // Giving back the last round's pages is nobody's work to be measured, and tools
                // do not overwrite what they find.
                let _ = fs::remove_file(file);
                if line.contains("{out}") { Output::Named } else { Output::File(file) }
            }
        };
        run(command, input, output, &self.dir.file("stderr"), watch)
    }
}

/// Says on a terminal what is going on, in a line that the next message replaces.
fn announce(what: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K{what}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_that_loses_data_is_found_out() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let path = dir.file("plain");
        fs::write(&path, b"plain data").expect("room for it");
        let rows = [
            Row::alone(
                "cat",
                crate::row::PIPE_TO_PIPE,
                Goal::Memory { at_most_mib: 100 },
                crate::row::coding("cat", "cat"),
            ),
            Row::alone(
                "tr",
                crate::row::PIPE_TO_FILE,
                Goal::Memory { at_most_mib: 100 },
                crate::row::coding("tr a b", "cat"),
            ),
        ];
        let programs = Programs::look_up(&rows, Path::new("/bin/sh"), None).expect("there is a shell");
        let bench = Bench { programs: &programs, dir: &dir, rounds: 2, quick: false };
        let data = Data { name: "plain".to_owned(), path, len: 10 };
        let honest = bench.measure(&rows[0], &data);
        assert!(honest.is_ok_and(|outcome| outcome.ours.rounds.len() == 2 && outcome.ours.coded_len == 10));
        let failure = bench.measure(&rows[1], &data).err();
        assert!(matches!(
            failure,
            Some(Failure::Failed(message)) if message == "`tr a b`: its data is wrong from byte 2 on"
        ));
    }
}
