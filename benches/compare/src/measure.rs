//! Measures one row: prepares the inputs, verifies the outputs, and then runs the parties in turns.
//!
//! [`Bench::measure`] takes a row and its data, and returns an [`Outcome`]. `main.rs` calls it for every row. A party
//! that loses data is not measured.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::data::Data;
use crate::outcome::{Failure, Outcome, Side};
use crate::peers::Programs;
use crate::row::{End, Goal, Pace, Party, Row};
use crate::rows::suffix_of;
use crate::run::{COPIED, Input, LARGE, Output, Usage, Watch, run};
use crate::verify::Comparison;
use crate::workdir::WorkDir;

/// The settings of all rows.
pub struct Bench<'a> {
    pub programs: &'a Programs,
    pub dir: &'a WorkDir,
    /// How often each party runs. The first run, which verifies, does not count.
    pub rounds: usize,
    pub quick: bool,
}

/// A party ready to run.
struct PreparedParty<'a> {
    party: &'a Party,
    input: PathBuf,
    output: PathBuf,
    side: Side,
}

/// The kinds of failure of the two parties of a row, pzcomp first.
const FAILURES: [fn(String) -> Failure; 2] = [Failure::Failed, Failure::PeerFailed];

impl Bench<'_> {
    /// Runs a row on `data`, or on as much of it as its pace allows.
    pub fn measure(&self, row: &Row, data: &Data) -> Result<Outcome, Failure> {
        if let Some(program) = self.programs.missing(row) {
            return Err(Failure::NotInstalled(program.to_owned()));
        }
        let data = data.head(self.plain_len(row.pace), self.dir)?;
        let mut parties = Vec::new();
        for (party, failure) in row.parties().zip(FAILURES) {
            parties.push(self.prepare(row, party, &data).map_err(failure)?);
        }
        let rounds = self.rounds(row);
        while parties.iter().any(|prepared| prepared.side.rounds.len() < rounds) {
            for (prepared, failure) in parties.iter_mut().zip(FAILURES) {
                let (round, line) = (prepared.side.rounds.len() + 1, &prepared.party.run);
                announce(&format!("{} {}: {round}/{rounds} {line}", data.name, row.work));
                let usage = self.run_once(row, prepared, None, Watch::Nothing).map_err(failure)?;
                prepared.side.rounds.push(usage);
            }
        }
        announce("");
        let mut sides = parties.into_iter().map(|prepared| prepared.side);
        let ours = sides.next().ok_or_else(|| "the row has no party".to_owned())?;
        Ok(Outcome { plain_len: data.len, ours, peer: sides.next() })
    }

    /// The most data for a row of this pace.
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
        // Memory hardly varies, and the slowest rows take minutes.
        match slowest || matches!(row.goal, Goal::Memory { .. }) {
            true if self.quick => 1,
            true => self.rounds.min(3),
            false => self.rounds,
        }
    }

    /// Prepares the input of a party, runs it once while its memory is watched, and keeps its output. Then compares the
    /// decompressed output with the plain data.
    fn prepare<'a>(&self, row: &Row, party: &'a Party, data: &Data) -> Result<PreparedParty<'a>, String> {
        let mut prepared = PreparedParty {
            party,
            input: data.path.clone(),
            output: self.dir.file("output"),
            side: Side { rounds: Vec::new(), coded_len: 0, watched_peak_bytes: 0 },
        };
        if let Some(source) = &party.source {
            prepared.input = self.coded(source, data)?;
        }
        announce(&format!("{} {}: verifying {}", data.name, row.work, party.run));
        let mut kept = File::create(&prepared.output)
            .map_err(|error| format!("`{}`: cannot keep its output: {error}", party.run))?;
        let usage = self.run_once(row, &prepared, Some(&mut kept), Watch::Memory)?;
        prepared.side.watched_peak_bytes = usage.peak_bytes;
        self.compare(party, &prepared.output, &data.path)
            .map_err(|what| format!("`{}`: {what}", party.run))?;
        let coded = if party.check.is_none() { &prepared.input } else { &prepared.output };
        prepared.side.coded_len = fs::metadata(coded)
            .map_err(|error| format!("`{}`: its compressed form: {error}", party.run))?
            .len();
        if matches!(row.pace, Pace::VerySlow { .. }) {
            // This run counts too: beside minutes, keeping the output and watching the memory cost nothing.
            prepared.side.rounds.push(usage);
        }
        Ok(prepared)
    }

    /// The output of `line` for the data, in a file that later rows use again.
    fn coded(&self, line: &str, data: &Data) -> Result<PathBuf, String> {
        let words = line.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
        let name = format!("coded.{}.{words}{}", data.len, suffix_of(line));
        let path = self.dir.file(&name);
        if !path.exists() {
            announce(&format!("{}: preparing {line}", data.name));
            let command = self.programs.command(line, &data.path, &path)?;
            // A program that is told the name of its output makes the file itself.
            let is_named = line.split_whitespace().any(|word| word == "{out}");
            let output = if is_named { Output::Nothing } else { Output::File(&path) };
            let input = Input::File(&data.path);
            run(command, input, output, &self.dir.file("stderr"), Watch::Nothing).inspect_err(|_| {
                // Otherwise the next row would take half a file for a whole file.
                let _ = fs::remove_file(&path);
            })?;
        }
        Ok(path)
    }

    fn compare(&self, party: &Party, output: &Path, plain: &Path) -> Result<(), String> {
        let mut comparison = Comparison::with(plain)?;
        if let Some(check) = &party.check {
            // If the standard tool is not installed, pzcomp checks the output.
            let check = if self.programs.has(check) { check } else { "pzcomp -d" };
            let command = self.programs.command(check, output, output)?;
            let (input, output) = (Input::File(output), Output::Pipe(&mut comparison, LARGE));
            run(command, input, output, &self.dir.file("stderr"), Watch::Nothing)
                .map_err(|error| format!("its output cannot be read again: {error}"))?;
        } else {
            File::open(output)
                .and_then(|mut output| io::copy(&mut output, &mut comparison))
                .map_err(|error| format!("it left no output: {error}"))?;
        }
        comparison.finish()
    }

    /// Runs a party once. Output to a file goes to the file of the party. All other output goes to `kept`, if there is
    /// such a sink.
    fn run_once(
        &self,
        row: &Row,
        prepared: &PreparedParty,
        kept: Option<&mut dyn Write>,
        watch: Watch,
    ) -> Result<Usage, String> {
        let (line, file) = (&prepared.party.run, &prepared.output);
        let command = self.programs.command(line, &prepared.input, file)?;
        let input = match row.shape.input {
            End::Pipe => Input::Pipe(&prepared.input, LARGE),
            End::Copied => Input::Pipe(&prepared.input, COPIED),
            End::File | End::Null => Input::File(&prepared.input),
        };
        let mut unread = io::sink();
        let output = match (row.shape.output, kept) {
            (End::Pipe | End::Copied | End::Null, Some(kept)) => Output::Pipe(kept, LARGE),
            (End::Pipe, None) => Output::Pipe(&mut unread, LARGE),
            (End::Copied, None) => Output::Pipe(&mut unread, COPIED),
            (End::Null, None) => Output::Nothing,
            (End::File, _) => {
                // The file of the last round is removed first: its removal must not be measured, and tools do not
                // overwrite files.
                let _ = fs::remove_file(file);
                if line.contains("{out}") { Output::Nothing } else { Output::File(file) }
            }
        };
        run(command, input, output, &self.dir.file("stderr"), watch)
    }
}

/// Shows the progress on a terminal, in a line that the next message replaces.
fn announce(what: &str) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[K{what}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn a_party_that_loses_data_is_found_out() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let path = dir.file("plain");
        fs::write(&path, b"plain data").expect("room for it");
        let row = |line| rows::promise(line).expect("a row");
        let rows = [
            row("cat; pipe→pipe; peak ≤ 100 MiB; ; cat < cat; "),
            row("tr; pipe→file; peak ≤ 100 MiB; ; tr a b < cat; "),
        ];
        let programs = Programs::look_up(&rows, Path::new("/bin/sh"), None, None).expect("there is a shell");
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
