//! The rule that each command must keep on each strange file system, and the runs that are judged by it.
//!
//! Status 0: every output is what the command makes of the source on a quiet file system, for a content that the source
//! had; and the source is gone only if that content was its last one. Another status: there is a sentence on standard
//! error, no incomplete file has a final name, and the source stays.
//!
//! The output depends on nothing but the input and the options, so a run on the quiet file system says what is right.
//! The outputs of those runs are themselves decoded by pzcomp and by the original tool.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::process::{Command, Stdio};

use crate::commands::Row;
use crate::filesystem::{Faults, Files, How, Left, Mount, UNNAMED, When};
use crate::harness::{feed, finish, noise, text};

/// What becomes of the content of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Grown,
    /// In the middle of whatever is there.
    Cut,
    /// Where a frame ends, if the source has frames.
    CutAtFrame,
    Emptied,
    Rewritten,
    /// By another file.
    Replaced,
    Removed,
}

/// A row of a table of faults.
pub(crate) struct Fault {
    name: String,
    pub(crate) faults: Faults,
    change: Option<(When, Change)>,
    /// All can be done nevertheless, so each run must end with status 0.
    is_harmless: bool,
}

pub(crate) fn fault(name: &str, set: fn(&mut Faults)) -> Fault {
    let mut faults = Faults::default();
    set(&mut faults);
    Fault { name: name.to_owned(), faults, change: None, is_harmless: false }
}

pub(crate) fn harmless(name: &str, set: fn(&mut Faults)) -> Fault {
    Fault { is_harmless: true, ..fault(name, set) }
}

pub(crate) fn changing(when: When, change: Change) -> Fault {
    Fault { change: Some((when, change)), ..fault(&format!("{change:?} at {when:?}"), |_| ()) }
}

/// A rewriting by somebody who puts the time of the file back.
pub(crate) fn hidden(when: When) -> Fault {
    let faults = Faults { puts_time_back: true, ..Faults::default() };
    Fault { faults, name: format!("hidden at {when:?}"), ..changing(when, Change::Rewritten) }
}

/// Tries each fault with each `step`th row, or with all of them, and demands that the rule holds.
#[track_caller]
pub(crate) fn is_held_to_the_rule(faults: &[Fault], rows: &[Row], step: usize) {
    let is_all = std::env::var_os("PZCOMP_EXHAUSTIVE").is_some();
    let step = if is_all { 1 } else { step };
    // Each has its own file system, and rows that no other one has, so that a row is made once.
    let courts = if is_all { std::thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    let hear = |number| {
        let mut court = Court::new(Mount::new()?);
        let (mut count, mut failures) = (0, String::new());
        for (row_number, row) in rows.iter().enumerate().filter(|(at, _)| at / step % courts == number) {
            let met = faults.iter().enumerate().filter(|(at, _)| at % step == row_number % step);
            for (_, fault) in met {
                count += 1;
                if let Err(failure) = court.hear(fault, row) {
                    writeln!(failures, "{} | {} | {failure}", fault.name, row.line).unwrap();
                }
            }
        }
        Ok((count, failures))
    };
    let heard: Result<Vec<(usize, String)>, String> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..courts).map(|number| scope.spawn(move || hear(number))).collect();
        running.into_iter().map(|court| court.join().unwrap()).collect()
    });
    match heard {
        Err(reason) => {
            let count = faults.len() * rows.len().div_ceil(step);
            eprintln!(
                "left out: {count} runs on a strange file system, because this machine has none ({reason})"
            );
        }
        Ok(heard) => {
            let (counts, failures): (Vec<_>, Vec<_>) = heard.into_iter().unzip();
            let (count, failures) = (counts.iter().sum::<usize>(), failures.concat());
            let failed = failures.lines().count();
            assert!(failures.is_empty(), "{failed} of {count} runs do not keep the rule:\n{failures}");
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
struct Run {
    status: i32,
    stderr: String,
    left: Left,
}

/// The name of standard output among the files of a run.
const STDOUT: &str = " standard output";

struct Court {
    mount: Mount,
    /// A folder with the command `pz`.
    bin: tempfile::TempDir,
    /// The two contents of `f`.
    plain: [Vec<u8>; 2],
    /// The files that were made, by the line and the content that they were made by.
    made: HashMap<(String, usize), Files>,
    /// What a line does on the quiet file system, by the content of its source.
    quiet: HashMap<(String, Vec<u8>), Run>,
    /// Compressed outputs that decode to what they must.
    decoded: BTreeSet<Vec<u8>>,
}

impl Court {
    fn new(mount: Mount) -> Self {
        let bin = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pzcomp"), bin.path().join("pz")).unwrap();
        // Zeros, which may become holes, stand between other data.
        let (text, noise) = (text(440_000), [&noise(50_000)[..], &[0; 40_000], &noise(40_000)].concat());
        let plain = [[&text[..], &noise].concat(), [&noise[..], &text].concat()];
        Self { mount, bin, plain, made: HashMap::new(), quiet: HashMap::new(), decoded: BTreeSet::new() }
    }

    fn hear(&mut self, fault: &Fault, row: &Row) -> Result<(), String> {
        let files = self.made(row, 0);
        let before = &files[&row.source];
        let mut faults = fault.faults.clone();
        // The contents that the source has: the first one and the last one.
        let mut contents = vec![before.clone()];
        if let Some((when, change)) = fault.change {
            let after = match change {
                Change::Grown if row.source == "f" => [&before[..], b"one more line\n"].concat(),
                Change::Grown => [&before[..], &self.made(row, 1)[&row.source]].concat(),
                Change::Cut => before[..before.len() * 2 / 3 + 5].to_vec(),
                Change::CutAtFrame => before[..self.end_of_frame(row, before)].to_vec(),
                Change::Emptied | Change::Removed => Vec::new(),
                Change::Rewritten | Change::Replaced => self.made(row, 1)[&row.source].clone(),
            };
            let how = match change {
                Change::Removed => How::Removed,
                Change::Replaced => How::Replaced(after.clone()),
                _ => How::Content(after.clone()),
            };
            faults.change = Some((when, how));
            if change != Change::Removed {
                contents.push(after);
            }
        }
        let mut right = Vec::new();
        for content in &contents {
            let quiet = self.quiet(row, &files, content)?;
            // A source that is cut while it is decoded is not whole, though a reader may take the rest for that. A list
            // may show the rest.
            let is_cut = content != before && before.starts_with(content);
            let is_part = row.source != "f"
                && is_cut
                && matches!(fault.change, Some((When::Third | When::End | When::Removal, _)))
                && !row.line.starts_with("pz -l");
            if quiet.status == 0 && !is_part {
                right.push((content, quiet));
            }
        }
        let run = self.run(&row.line, &row.source, &files, &faults);
        if run.status != 0 && fault.is_harmless {
            return Err(format!("can be done; status {}, {:?}", run.status, run.stderr));
        }
        if run.status != 0 {
            return match refused(fault, row, &files, &run, &right) {
                Err(_) if self.is_mixture(row, &files, &run, &contents) => Ok(()),
                verdict => verdict,
            };
        }
        let same = right.iter().find(|(_, quiet)| difference(row, fault, &run, quiet).is_none());
        let is_whole = |content: &Vec<u8>| run.left.removed.as_ref().is_none_or(|removed| removed == content);
        match same {
            Some((content, _)) if is_whole(content) => Ok(()),
            Some(_) => {
                Err("status 0, and the source is removed though it had other bytes at last".to_owned())
            }
            None if self.is_mixture(row, &files, &run, &contents) => Ok(()),
            None => Err(format!(
                "status 0: {}",
                match right.first() {
                    Some((_, quiet)) => difference(row, fault, &run, quiet).unwrap_or_default(),
                    None => "no content of the source allows that".to_owned(),
                }
            )),
        }
    }

    /// The files of a row that are made of this plain content.
    fn made(&mut self, row: &Row, plain: usize) -> Files {
        if let Some(files) = self.made.get(&(row.make.clone(), plain)) {
            return files.clone();
        }
        let mut files = Files::from([("f".to_owned(), self.plain[plain].clone())]);
        if !row.make.is_empty() {
            let run = self.run(&row.make, "", &files, &Faults::default());
            assert!(run.status == 0, "{}: {}", row.make, run.stderr);
            files = run.left.files;
            files.retain(|name, _| *name != STDOUT && (name != "f" || row.source == "f"));
        }
        assert!(files.contains_key(&row.source), "{row:?}: {:?}", files.keys());
        self.made.insert((row.make.clone(), plain), files.clone());
        files
    }

    fn quiet(&mut self, row: &Row, files: &Files, content: &[u8]) -> Result<Run, String> {
        let key = (row.line.clone(), content.to_vec());
        if let Some(run) = self.quiet.get(&key) {
            return Ok(run.clone());
        }
        let mut files = files.clone();
        let is_first =
            files.insert(row.source.clone(), content.to_vec()).is_some_and(|first| first == content);
        let run = self.run(&row.line, &row.source, &files, &Faults::default());
        if is_first && run.status != 0 {
            return Err(format!("fails on a quiet file system: {}", run.stderr));
        }
        if run.status == 0 && !row.decoders.is_empty() {
            for (name, coded) in outputs(row, &files, &run) {
                if !self.decoded.contains(coded) {
                    let wrong = row
                        .decoders
                        .iter()
                        .find(|decoder| self.decode(decoder, coded).as_deref() != Some(content));
                    if let Some(decoder) = wrong {
                        return Err(format!("on a quiet file system, {decoder} does not decode {name}"));
                    }
                    self.decoded.insert(coded.clone());
                }
            }
        }
        self.quiet.insert(key, run.clone());
        Ok(run)
    }

    /// Whether pzcomp and the original decode each output to bytes each of which the source had at its place, up to an
    /// end that it had. If the source changes, chunks may end at other places than on the quiet file system.
    fn is_mixture(&self, row: &Row, files: &Files, run: &Run, contents: &[Vec<u8>]) -> bool {
        let is_mixed = |plain: &[u8]| {
            let mut bytes = plain.iter().enumerate();
            contents.iter().any(|content| content.len() == plain.len())
                && bytes.all(|(at, byte)| contents.iter().any(|content| content.get(at) == Some(byte)))
        };
        let is_source_there = run.left.files.contains_key(&row.source) && run.left.removed.is_none();
        let mut decoded = outputs(row, files, run)
            .flat_map(|(_, coded)| row.decoders.iter().map(|decoder| self.decode(decoder, coded)));
        is_source_there
            && contents.len() == 2
            && !row.decoders.is_empty()
            && decoded.all(|plain| plain.is_some_and(|plain| is_mixed(&plain)))
    }

    fn end_of_frame(&self, row: &Row, coded: &[u8]) -> usize {
        let files = Files::from([(row.source.clone(), coded.to_vec())]);
        let run = self.run(&format!("pz -l --frames {}", row.source), "", &files, &Faults::default());
        let table = String::from_utf8(run.left.files[STDOUT].clone()).unwrap();
        let offset = |line: &str| line.split_whitespace().nth(1)?.replace(',', "").parse().ok();
        let ends = table.lines().filter_map(offset).find(|&offset: &usize| offset > coded.len() * 2 / 3);
        ends.filter(|&end| end < coded.len()).unwrap_or(coded.len() / 2)
    }

    fn decode(&self, decoder: &str, coded: &[u8]) -> Option<Vec<u8>> {
        let run = feed(&mut self.shell(decoder), coded);
        run.status.success().then_some(run.stdout)
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("timeout");
        let path = format!("{}:{}", self.bin.path().display(), std::env::var("PATH").unwrap());
        command.args(["30", "sh", "-c", line]).env("PATH", path).env_remove("PZCOMP");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, line: &str, source: &str, files: &Files, faults: &Faults) -> Run {
        self.mount.begin(faults, source, files);
        let run = finish(self.shell(line).current_dir(self.mount.path()).spawn().unwrap());
        let mut left = self.mount.end();
        left.files.insert(STDOUT.to_owned(), run.stdout);
        Run { status: run.status.code().unwrap_or(256), stderr: run.stderr, left }
    }
}

/// Outputs with times of the run in them, so that no two are equal.
fn is_timed(name: &str) -> bool {
    ["csv", "j", "table"].contains(&name)
}

/// Outputs that the shell opens, or that tell of failures too. They are no files that must be whole or absent.
fn is_open(name: &str) -> bool {
    ["out", "j", "table", STDOUT].contains(&name) || name.ends_with(UNNAMED)
}

/// The data that a run has written.
fn outputs<'r>(
    row: &Row,
    before: &'r Files,
    run: &'r Run,
) -> impl Iterator<Item = (&'r String, &'r Vec<u8>)> {
    let others = [row.source.clone(), "h".to_owned(), "j".to_owned(), STDOUT.to_owned()];
    let files = run.left.files.iter().filter(move |(name, _)| !others.contains(name));
    files.filter(|(name, bytes)| before.get(*name) != Some(bytes))
}

/// How a run with status 0 differs from the one on the quiet file system.
fn difference(row: &Row, fault: &Fault, run: &Run, quiet: &Run) -> Option<String> {
    let names: BTreeSet<_> = run.left.files.keys().chain(quiet.left.files.keys()).collect();
    for name in names {
        match (run.left.files.get(name), quiet.left.files.get(name)) {
            // The file system itself changes it.
            _ if *name == row.source && fault.change.is_some() => {}
            (Some(ours), Some(_)) if is_timed(name) => {
                if ours.last() != Some(&b'\n') {
                    return Some(format!("{name} is not complete: {} bytes", ours.len()));
                }
            }
            (Some(ours), Some(quiet)) if ours == quiet => {}
            (Some(ours), Some(quiet)) if name == STDOUT => {
                let [ours, quiet] = [ours, quiet].map(|text| String::from_utf8_lossy(text));
                return Some(format!("says {ours:?}, where {quiet:?} is right"));
            }
            (Some(ours), Some(quiet)) => {
                return Some(format!(
                    "{name} has {} bytes, where {} others are right",
                    ours.len(),
                    quiet.len()
                ));
            }
            (Some(_), None) => return Some(format!("{name} is left")),
            (None, _) => return Some(format!("{name} is missing")),
        }
    }
    None
}

/// What the rule says about a run that has failed.
fn refused(
    fault: &Fault,
    row: &Row,
    before: &Files,
    run: &Run,
    right: &[(&Vec<u8>, Run)],
) -> Result<(), String> {
    let said = || format!("status {}, {:?}", run.status, run.stderr);
    // pigz ends with the number of the error.
    let is_ended = run.status >= 124 || run.status == 101;
    if is_ended || run.stderr.trim().is_empty() || run.stderr.contains("panicked") {
        return Err(said());
    }
    if row.line.contains("--salvage") && run.status == 2 {
        return Ok(());
    }
    let is_removed = matches!(fault.change, Some((_, Change::Removed)));
    if !is_removed && !run.left.files.contains_key(&row.source) {
        return Err(format!("the source is gone; {}", said()));
    }
    for (name, bytes) in &run.left.files {
        let is_whole = is_timed(name) && bytes.last() == Some(&b'\n');
        let mut same = right.iter().filter_map(|(_, quiet)| quiet.left.files.get(name));
        let is_right = same.any(|quiet| is_whole || quiet == bytes);
        let is_source = *name == row.source && fault.change.is_some();
        // A file that is kept for the user is told.
        let is_told = name.contains("partial") && run.stderr.contains(name.as_str());
        if before.get(name) != Some(bytes) && !is_right && !is_source && !is_open(name) && !is_told {
            return Err(format!("{name} with {} bytes is left; {}", bytes.len(), said()));
        }
    }
    Ok(())
}
