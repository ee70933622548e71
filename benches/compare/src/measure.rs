//! Measures one row: prepares the inputs, verifies the outputs, and then runs the parties in turns.
//!
//! [`Bench::measure`] takes a row and its data, and returns the rounds of both parties. A party that loses data is not
//! measured. All files are in a [`WorkDir`], in memory if there is room.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use compare::corpus::{self, Kind, toolchain};

use crate::process::{COPIED, Comparison, Input, LARGE, Output, Programs, Usage, files_in, run};
use crate::report::{Failure, Outcome, Side};
use crate::rows::{End, Goal, Pace, Party, Row, program_of, suffix_of};

/// The origin of a set of plain data.
pub enum Origin {
    /// A generator, with a seed.
    Made(Kind, u64),
    /// A file of the user.
    Given(PathBuf),
}

/// One set of plain data, and its name in the table.
#[derive(Clone, Debug)]
pub struct Data {
    pub name: String,
    pub path: PathBuf,
    pub len: u64,
}

impl Origin {
    /// The name in the table.
    pub fn name(&self) -> String {
        match self {
            Self::Made(kind, _) => kind.name().to_owned(),
            Self::Given(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        }
    }

    /// Reports at once if the data cannot be had. Otherwise a run would notice that after half an hour.
    pub fn check(&self) -> Result<(), String> {
        let path = match self {
            Self::Given(path) => path,
            Self::Made(Kind::Toolchain, _) => return toolchain::folder().map(|_| ()),
            Self::Made(..) => return Ok(()),
        };
        match File::open(path).and_then(|file| file.metadata()) {
            Ok(meta) if meta.is_dir() => Err(format!("{} is a folder.", path.display())),
            Ok(_) => Ok(()),
            Err(error) => Err(format!("Cannot read {}: {error}.", path.display())),
        }
    }

    /// A description from which the data can be made again.
    pub fn recipe(&self, bytes: u64) -> String {
        match self {
            Self::Made(Kind::Toolchain, seed) => {
                format!("`corpus toolchain {bytes} {seed}` of {}", toolchain::version())
            }
            Self::Made(kind, seed) => format!("`corpus {} {bytes} {seed}`", kind.name()),
            Self::Given(path) => format!("{}, at most {bytes} bytes", path.display()),
        }
    }

    /// Puts at most `bytes` bytes of the data into `dir`.
    pub fn prepare(&self, bytes: u64, dir: &WorkDir) -> Result<Data, String> {
        let (name, path) = (self.name(), dir.file("plain"));
        let written = match self {
            Self::Made(kind, seed) => File::create(&path)
                .and_then(|file| corpus::write(*kind, bytes, *seed, &mut BufWriter::new(file))),
            Self::Given(given) => copy_head(given, bytes, &path),
        };
        match written {
            Ok(0) => Err(format!("The data {name} is empty.")),
            Ok(len) => Ok(Data { name, path, len }),
            Err(error) => Err(format!("Cannot prepare the data {name}: {error}.")),
        }
    }
}

impl Data {
    /// The first `bytes` bytes, as a separate file in `dir`. All of the data if it has no more.
    fn head(&self, bytes: u64, dir: &WorkDir) -> Result<Self, String> {
        if bytes >= self.len {
            return Ok(self.clone());
        }
        let path = dir.file(&format!("plain.{bytes}"));
        if !path.exists() {
            copy_head(&self.path, bytes, &path)
                .map_err(|error| format!("Cannot cut the data {}: {error}.", self.name))?;
        }
        Ok(Self { name: self.name.clone(), path, len: bytes })
    }
}

fn copy_head(from: &Path, bytes: u64, to: &Path) -> io::Result<u64> {
    io::copy(&mut File::open(from)?.take(bytes), &mut File::create(to)?)
}

/// Set by the thread that watches for signals, and never unset.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// A folder that is removed with everything in it when the value is dropped, and when INT or TERM ends the program.
pub struct WorkDir(PathBuf);

impl WorkDir {
    /// Makes the folder in `parent`. Without `parent`, makes it in `/dev/shm` if that has `room` bytes left, and
    /// otherwise in `$TMPDIR`.
    pub fn new(parent: Option<&Path>, room: u64) -> Result<Self, String> {
        const IN_MEMORY: &str = "/dev/shm";
        /// A number for the name, because tests in one process make several folders.
        static MADE: AtomicU32 = AtomicU32::new(0);
        let free = rustix::fs::statvfs(IN_MEMORY).map_or(0, |volume| volume.f_bavail * volume.f_frsize);
        let default = || if free >= room && free > 0 { IN_MEMORY.into() } else { env::temp_dir() };
        let parent = parent.map_or_else(default, Path::to_owned);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("pzcomp-compare.{}.{number}", process::id()));
        fs::create_dir(&path)
            .map_err(|error| format!("Cannot make the folder {}: {error}.", path.display()))?;
        Ok(Self(path))
    }

    /// The path of a file with this name in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Removes all files, before the next data comes.
    pub fn clear(&self) -> Result<(), String> {
        let mut entries = fs::read_dir(&self.0).into_iter().flatten();
        let cleared = entries.try_for_each(|entry| {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }
        });
        cleared.map_err(|error| format!("Cannot clear {}: {error}.", self.0.display()))
    }

    /// Removes the folder also when INT or TERM ends the program, which runs no destructor.
    pub fn remove_when_interrupted(&self) -> Result<(), String> {
        /// The status that shells report for a program that SIGINT has ended.
        const DIED_OF_SIGINT: i32 = 128 + 2;
        let path = self.0.clone();
        ctrlc::set_handler(move || {
            INTERRUPTED.store(true, Ordering::SeqCst);
            // The folder first gets another name, so that no other thread makes a file in it.
            let doomed = path.with_extension("removed");
            let _ = fs::rename(&path, &doomed);
            let _ = fs::remove_dir_all(&doomed);
            process::exit(DIED_OF_SIGINT);
        })
        .map_err(|error| format!("Cannot watch for interruptions: {error}."))
    }
}

/// Does not return if a signal is about to end the program. The signal ends the measured process too, so its failure is
/// no result.
pub fn stop_if_interrupted() {
    // The thread that watches for signals may notice the signal a little later than the measured process.
    thread::sleep(Duration::from_millis(50));
    while INTERRUPTED.load(Ordering::SeqCst) {
        thread::park();
    }
}

impl Drop for WorkDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("compare: cannot remove {}: {error}.", self.0.display());
        }
    }
}

/// The settings of all rows.
pub struct Bench<'a> {
    pub programs: &'a Programs,
    pub dir: &'a WorkDir,
    /// How often each party runs. The first run, which verifies, does not count.
    pub rounds: usize,
    pub quick: bool,
}

/// A party ready to run.
struct Prepared<'a> {
    party: &'a Party,
    ends: [End; 2],
    input: PathBuf,
    output: PathBuf,
    /// The files of the input, if there are many.
    files: Vec<PathBuf>,
    is_one_each: bool,
    side: Side,
}

impl Bench<'_> {
    /// Runs a row on `data`, or on as much of it as its pace allows.
    pub fn measure(&self, row: &Row, data: &Data) -> Result<Outcome, Failure> {
        if let Some(program) = self.programs.missing(row) {
            return Err(Failure::NotInstalled(program.to_owned()));
        }
        let data = data.head(self.plain_len(row.pace), self.dir).map_err(Failure::Failed)?;
        let kinds: [fn(String) -> Failure; 2] = [Failure::Failed, Failure::PeerFailed];
        let mut parties = Vec::new();
        for (party, failure) in row.parties().zip(kinds) {
            parties.push(self.prepare(row, party, &data).map_err(failure)?);
        }
        let rounds = self.rounds(row);
        while parties.iter().any(|prepared| prepared.side.rounds.len() < rounds) {
            for (prepared, failure) in parties.iter_mut().zip(kinds) {
                let (round, line) = (prepared.side.rounds.len() + 1, &prepared.party.run);
                announce(&format!("{} {}: {round}/{rounds} {line}", data.name, row.work));
                let usage = self.run_once(prepared, None).map_err(failure)?;
                prepared.side.rounds.push(usage);
            }
        }
        announce("");
        let mut sides = parties.into_iter().map(|prepared| prepared.side);
        let ours = sides.next().ok_or_else(|| Failure::Failed("the row has no party".to_owned()))?;
        Ok(Outcome { plain_len: data.len, ours, peer: sides.next() })
    }

    /// The most data for a row of this pace.
    pub fn plain_len(&self, pace: Pace) -> u64 {
        match (pace, self.quick) {
            (Pace::Fast, _) => u64::MAX,
            (Pace::Slow, quick) => {
                if quick {
                    32 << 20
                } else {
                    64 << 20
                }
            }
            (Pace::Files { count, len, .. }, _) => count * len,
            (Pace::VerySlow(mib, quick_mib), quick) => {
                if quick {
                    quick_mib << 20
                } else {
                    mib << 20
                }
            }
        }
    }

    fn rounds(&self, row: &Row) -> usize {
        // Memory hardly varies, and the slowest rows take minutes.
        match matches!(row.pace, Pace::VerySlow(..)) || matches!(row.goal(), Some(Goal::Memory(_))) {
            true if self.quick => 1,
            true => self.rounds.min(3),
            false => self.rounds,
        }
    }

    /// Prepares the input of a party, runs it once while its memory is watched, and keeps its output. Then compares the
    /// decompressed output with the plain data.
    fn prepare<'a>(&self, row: &Row, party: &'a Party, data: &Data) -> Result<Prepared<'a>, String> {
        let input = match (&party.source, row.pace) {
            (source, Pace::Files { len, .. }) => self.files(source.as_deref(), data, len)?,
            (Some(source), _) => self.coded(source, data)?,
            (None, _) => data.path.clone(),
        };
        let ends = row.ends().ok_or_else(|| format!("{} is no shape", row.shape))?;
        let files = if input.is_dir() { files_in(&input)? } else { Vec::new() };
        let (output, side) = (self.dir.file("output"), Side::default());
        let is_one_each = matches!(row.pace, Pace::Files { is_one_each: true, .. });
        let mut prepared = Prepared { party, ends, input, output, files, is_one_each, side };
        announce(&format!("{} {}: verifying {}", data.name, row.work, party.run));
        let failed = |what: String| format!("`{}`: {what}", party.run);
        let kept = File::create(&prepared.output);
        let mut kept = kept.map_err(|error| failed(format!("cannot keep its output: {error}")))?;
        let usage = self.run_once(&prepared, Some(&mut kept))?;
        prepared.side.watched_peak_bytes = usage.peak_bytes;
        // The coded form of many files is that of all data, and so are the files that are made of it.
        let made = files_in(&prepared.input).unwrap_or_default();
        for path in made.iter().filter(|path| !prepared.files.contains(path)) {
            let copied = File::open(path).and_then(|mut made| io::copy(&mut made, &mut kept));
            copied.map_err(|error| failed(format!("{}: {error}", path.display())))?;
        }
        self.compare(party, &prepared.output, &data.path).map_err(failed)?;
        let coded = if party.check.is_none() { &prepared.input } else { &prepared.output };
        let coded = if coded.is_dir() { &prepared.files[..] } else { std::slice::from_ref(coded) };
        for path in coded {
            let meta = fs::metadata(path).map_err(|error| failed(format!("its compressed form: {error}")))?;
            prepared.side.coded_len += meta.len();
        }
        if matches!(row.pace, Pace::VerySlow(..)) {
            // This run counts too: beside minutes, keeping the output and watching the memory cost nothing.
            prepared.side.rounds.push(usage);
        }
        Ok(prepared)
    }

    /// The output of `line` for the data, in a file that later rows use again.
    fn coded(&self, line: &str, data: &Data) -> Result<PathBuf, String> {
        let words = line.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
        let path = self.dir.file(&format!("coded.{}.{words}{}", data.len, suffix_of(line)));
        if !path.exists() {
            announce(&format!("{}: preparing {line}", data.name));
            let command = self.programs.command(line, &data.path, &path)?;
            // A program that is told the name of its output makes the file itself.
            let is_named = line.split_whitespace().any(|word| word == "{out}");
            let output = if is_named { Output::Nothing } else { Output::File(&path) };
            run(command, Input::File(&data.path), output, &self.dir.file("stderr"), false).inspect_err(
                |_| {
                    // Otherwise the next row would take half a file for a whole file.
                    let _ = fs::remove_file(&path);
                },
            )?;
        }
        Ok(path)
    }

    /// A folder with the data in files of so many bytes, or with what `source` makes of each of them.
    fn files(&self, source: Option<&str>, data: &Data, len: u64) -> Result<PathBuf, String> {
        let folder = self.dir.file(&format!("files.{}", source.map_or("plain", program_of)));
        let failed = |error: io::Error| format!("Cannot cut the data {}: {error}.", data.name);
        // The files of the last row.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).map_err(failed)?;
        let mut plain = File::open(&data.path).map_err(failed)?;
        for number in 0..data.len / len {
            let path = folder.join(format!("f{number:06}"));
            let copied =
                File::create(&path).and_then(|mut file| io::copy(&mut (&mut plain).take(len), &mut file));
            copied.map_err(failed)?;
            if let Some(source) = source {
                let coded = path.with_extension(&suffix_of(source)[1..]);
                let command = self.programs.command(source, &path, &coded)?;
                let stderr = self.dir.file("stderr");
                run(command, Input::File(&path), Output::File(&coded), &stderr, false)?;
                fs::remove_file(&path).map_err(failed)?;
            }
        }
        Ok(folder)
    }

    fn compare(&self, party: &Party, output: &Path, plain: &Path) -> Result<(), String> {
        let mut comparison = Comparison::with(plain)?;
        if let Some(check) = &party.check {
            // If the standard tool is not installed, pzcomp checks the output.
            let check = if self.programs.has(check) { check } else { "pzcomp -d" };
            let command = self.programs.command(check, output, output)?;
            let to = Output::Pipe(&mut comparison, LARGE);
            run(command, Input::File(output), to, &self.dir.file("stderr"), false)
                .map_err(|error| format!("its output cannot be read again: {error}"))?;
        } else {
            File::open(output)
                .and_then(|mut output| io::copy(&mut output, &mut comparison))
                .map_err(|error| format!("it left no output: {error}"))?;
        }
        comparison.finish()
    }

    /// Runs a party once. Output to a file goes to the file of the party. If there is a file `kept`, all other output
    /// goes to it, and the memory is watched.
    fn run_once(&self, prepared: &Prepared, kept: Option<&mut File>) -> Result<Usage, String> {
        let (line, file) = (&prepared.party.run, &prepared.output);
        if !prepared.files.is_empty() {
            return self.run_with_files(prepared, kept.is_some());
        }
        let command = self.programs.command(line, &prepared.input, file)?;
        let [input, output] = prepared.ends;
        let input = match input {
            End::Pipe => Input::Pipe(&prepared.input, LARGE),
            End::Copied => Input::Pipe(&prepared.input, COPIED),
            End::File | End::Files | End::Null => Input::File(&prepared.input),
        };
        let is_watched = kept.is_some();
        let mut unread = io::sink();
        let output = match (output, kept) {
            (End::File, _) => {
                // The file of the last round is removed first: its removal must not be measured, and tools do not
                // overwrite files.
                let _ = fs::remove_file(file);
                if line.contains("{out}") { Output::Nothing } else { Output::File(file) }
            }
            (_, Some(kept)) => Output::Pipe(kept, LARGE),
            (End::Pipe, None) => Output::Pipe(&mut unread, LARGE),
            (End::Copied, None) => Output::Pipe(&mut unread, COPIED),
            (End::Null | End::Files, None) => Output::Nothing,
        };
        run(command, input, output, &self.dir.file("stderr"), is_watched)
    }

    /// Runs a party once with all files, or with each of them.
    fn run_with_files(&self, prepared: &Prepared, is_watched: bool) -> Result<Usage, String> {
        for path in files_in(&prepared.input)?.iter().filter(|path| !prepared.files.contains(path)) {
            fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        let each =
            if prepared.is_one_each { &prepared.files[..] } else { std::slice::from_ref(&prepared.input) };
        let (mut all, nothing) = (Usage::default(), Path::new("/dev/null"));
        for path in each {
            let command = self.programs.command(&prepared.party.run, path, nothing)?;
            let (input, stderr) = (Input::File(nothing), self.dir.file("stderr"));
            let usage = run(command, input, Output::Nothing, &stderr, is_watched && !prepared.is_one_each)?;
            (all.wall, all.cpu) = (all.wall + usage.wall, all.cpu + usage.cpu);
            all.peak_bytes = all.peak_bytes.max(usage.peak_bytes);
        }
        Ok(all)
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
        let programs = Programs::look_up(&rows, Path::new("/bin/sh"), None, Path::new("/nowhere"));
        let programs = programs.expect("there is a shell");
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
