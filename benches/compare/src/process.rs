//! Runs one process, and measures its time, its CPU time and its memory.
//!
//! [`Programs`] finds the programs that the rows name, and makes commands from command lines. [`run`] takes a command,
//! its input and its output. A process that fails is an error, which quotes its last message. [`Comparison`] takes
//! output, and says where it differs from the plain data.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use compare::machine;
use rustix::pipe::fcntl_setpipe_size;
use wait4::Wait4;

use crate::rows::{Row, program_of};

/// The programs that were found, by the name in command lines, with their versions. A missing program is no error: its
/// rows have no result.
pub struct Programs(pub BTreeMap<String, (PathBuf, String)>);

impl Programs {
    /// Looks for every program that `rows` name, in `folder` and then in PATH: a program that was built for the
    /// measurement is newer. `ours` is the binary under test, and `before` an older one.
    pub fn look_up<'a>(
        rows: impl IntoIterator<Item = &'a Row>,
        ours: &Path,
        before: Option<&Path>,
        folder: &Path,
    ) -> Result<Self, String> {
        let whole_path = |path: &Path| {
            let shown = path.display();
            if !is_program(path) {
                return Err(format!("There is no program {shown}; build it or name another."));
            }
            // The system would search PATH for a name without a slash.
            path.canonicalize().map_err(|error| format!("Cannot find {shown}: {error}."))
        };
        let (ours, before) = (whole_path(ours)?, before.map(whole_path).transpose()?);
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = [folder.to_owned()].into_iter().chain(env::split_paths(&path)).collect();
        let mut found = BTreeMap::new();
        for party in rows.into_iter().flat_map(Row::parties) {
            let lines = [party.source.as_ref(), Some(&party.run), party.check.as_ref()];
            for name in lines.into_iter().flatten().flat_map(|line| line.split(" | ")).map(program_of) {
                let path = match name {
                    "pzcomp" => Some(ours.clone()),
                    "pzcomp-before" => before.clone(),
                    _ => folders.iter().map(|folder| folder.join(name)).find(|path| is_program(path)),
                };
                if let Some(path) = path.filter(|_| !found.contains_key(name)) {
                    let version = version_of(&path);
                    found.insert(name.to_owned(), (path, version));
                }
            }
        }
        Ok(Self(found))
    }

    /// The command for a command line, with `{in}` and `{out}` replaced by files, and a folder by all files in it. A
    /// shell runs a pipeline, whose status is that of its last command; the comparison with the plain data finds what
    /// an earlier one lost.
    pub fn command(&self, line: &str, input: &Path, output: &Path) -> Result<Command, String> {
        let mut commands = Vec::new();
        let inputs = if input.is_dir() { files_in(input)? } else { vec![input.to_owned()] };
        for line in line.split(" | ") {
            let name = program_of(line);
            let (path, _) = self.0.get(name).ok_or_else(|| format!("{name} is not installed"))?;
            let mut command = Command::new(path);
            for word in line.split_whitespace().skip(1) {
                match word {
                    "{in}" => command.args(&inputs),
                    "{out}" => command.arg(output),
                    _ => command.arg(word),
                };
            }
            commands.push(command);
        }
        let quoted = |word: &OsStr| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"));
        if commands.len() > 1 {
            let words = |command: &Command| {
                let words = [command.get_program()].into_iter().chain(command.get_args());
                words.map(quoted).collect::<Vec<_>>().join(" ")
            };
            let script = commands.iter().map(words).collect::<Vec<_>>().join(" | ");
            commands = vec![Command::new("sh")];
            commands[0].arg("-c").arg(script);
        }
        commands.pop().ok_or_else(|| "an empty command line".into())
    }

    /// Whether all programs of this command line were found.
    pub fn has(&self, line: &str) -> bool {
        line.split(" | ").all(|command| self.0.contains_key(program_of(command)))
    }

    /// The first program that a row needs and that is missing.
    pub fn missing<'a>(&self, row: &'a Row) -> Option<&'a str> {
        let lines =
            row.parties().flat_map(|party| [party.source.as_deref(), Some(party.run.as_str())]).flatten();
        lines.flat_map(|line| line.split(" | ")).find(|command| !self.has(command)).map(program_of)
    }
}

/// The files in a folder, in the order of their names.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let entries = entries.map_err(|error| format!("Cannot read {}: {error}.", folder.display()))?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The first line with a version that the program prints about itself, on stdout or stderr.
fn version_of(path: &Path) -> String {
    let has_version = |line: &str| {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        line.as_bytes().windows(3).any(|three| is_digit(three[0]) && three[1] == b'.' && is_digit(three[2]))
    };
    // Some programs know only the short option. pixz knows neither, and prints its version with its usage.
    let line = ["--version", "-V"].into_iter().find_map(|option| {
        let output = Command::new(path).arg(option).stdin(Stdio::null()).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().find(|line| has_version(line))?;
        Some(line.trim_matches(['*', ' ', '\t']).to_owned())
    });
    line.unwrap_or_else(|| "of unknown version".to_owned())
}

/// How the other side of a pipe uses it: the size that is asked for, or none for the size that the system gives, and
/// the bytes that are moved at once.
pub type Width = (Option<usize>, usize);

/// The largest pipe without privileges, which is also the size that the tools choose. The buffers stay in the cache.
/// And a child starts with the peak memory of its parent, so this program must stay small.
pub const LARGE: Width = (Some(1 << 20), 256 << 10);
/// The pipes of container engines.
pub const COPIED: Width = (None, 32 << 10);

/// The input of the process.
pub enum Input<'a> {
    /// A pipe, which a thread of this program fills with the file.
    Pipe(&'a Path, Width),
    /// The file is stdin, or the process opens it by name.
    File(&'a Path),
}

/// The output of the process.
pub enum Output<'a> {
    /// A pipe. Its bytes are passed on.
    Pipe(&'a mut dyn Write, Width),
    /// stdout is this new file.
    File(&'a Path),
    /// The process has no stdout: it makes a file by name, or its output is not wanted.
    Nothing,
}

/// The cost of a process. CPU time includes the children for which it waited. The peak is the peak of the tree if that
/// was watched. Otherwise it is the peak of the largest process, or 0 if it cannot be told from the peak of this
/// program.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    pub wall: Duration,
    pub cpu: Duration,
    pub peak_bytes: u64,
    pub stderr: String,
}

/// Runs `command` to its end. `stderr` is the file that its messages go to meanwhile. If the memory of the process and
/// its children is watched, they are slower.
pub fn run(
    mut command: Command,
    input: Input,
    output: Output,
    stderr: &Path,
    is_watched: bool,
) -> Result<Usage, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |what: &str, error: io::Error| format!("{name}: {what}: {error}");
    command.stderr(File::create(stderr).map_err(|error| failed("cannot keep its stderr", error))?);
    let feed = connect_input(&mut command, input).map_err(|error| failed("its input", error))?;
    let drain = connect_output(&mut command, output).map_err(|error| failed("its output", error))?;

    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| failed("cannot be started", error))?;
    // This closes copies of the pipes of the process. While they are open, no reader sees the end.
    drop(command);
    let root = child.id();
    let (fed, drained, ended, wall, watched) = thread::scope(|scope| {
        let feeder = feed.map(|(file, mut pipe, len)| {
            scope.spawn(move || match pump(file, &mut pipe, len) {
                // The process stopped reading. Its status and its output tell whether that was right.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                result => result,
            })
        });
        let (end, ended) = mpsc::channel();
        let watcher = is_watched.then(|| scope.spawn(move || watch(root, &ended)));
        let drained = drain.map_or(Ok(()), |(mut pipe, sink, len)| {
            // Read to the end even if the sink fails: a closed pipe would look like a failure of the process.
            pump(&mut pipe, sink, len).or_else(|error| pump(&mut pipe, &mut io::sink(), len).and(Err(error)))
        });
        let ended = child.wait4();
        let wall = start.elapsed();
        drop(end);
        let watched = watcher.and_then(|watcher| watcher.join().ok()).unwrap_or(0);
        let panicked = |_| Err(io::Error::other("the feeding thread has panicked"));
        (
            feeder.map_or(Ok(()), |feeder| feeder.join().unwrap_or_else(panicked)),
            drained,
            ended,
            wall,
            watched,
        )
    });

    let ended = ended.map_err(|error| failed("cannot be waited for", error))?;
    let stderr = fs::read(stderr).map_err(|error| failed("cannot read its stderr", error))?;
    let stderr = String::from_utf8_lossy(&stderr).trim_end().to_owned();
    if !ended.status.success() {
        let said = stderr.lines().last().unwrap_or("nothing");
        return Err(format!("{name}: {}; it said: {said}", ended.status));
    }
    fed.map_err(|error| failed("its input could not be read", error))?;
    drained.map_err(|error| failed("its output", error))?;
    // A process starts with the peak of this program. A lower peak of its own is unknown.
    let floor = machine::peak_bytes("self").unwrap_or(0);
    let largest = if ended.rusage.maxrss > floor { ended.rusage.maxrss } else { 0 };
    let cpu = ended.rusage.utime + ended.rusage.stime;
    Ok(Usage { wall, cpu, peak_bytes: largest.max(watched), stderr })
}

fn pump(mut from: impl Read, to: &mut dyn Write, len: usize) -> io::Result<()> {
    let mut buffer = vec![0; len];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            len => to.write_all(&buffer[..len])?,
        }
    }
}

fn connect_input(command: &mut Command, input: Input) -> io::Result<Option<(File, PipeWriter, usize)>> {
    match input {
        Input::File(path) => {
            command.stdin(File::open(path)?);
            Ok(None)
        }
        Input::Pipe(path, width) => {
            let (file, (reader, pipe)) = (File::open(path)?, pipe(width)?);
            command.stdin(reader);
            Ok(Some((file, pipe, width.1)))
        }
    }
}

type Drain<'a> = (PipeReader, &'a mut dyn Write, usize);

fn connect_output<'a>(command: &mut Command, output: Output<'a>) -> io::Result<Option<Drain<'a>>> {
    match output {
        Output::Nothing => command.stdout(Stdio::null()),
        Output::File(path) => command.stdout(File::create(path)?),
        Output::Pipe(sink, width) => {
            let (pipe, writer) = pipe(width)?;
            command.stdout(writer);
            return Ok(Some((pipe, sink, width.1)));
        }
    };
    Ok(None)
}

fn pipe((pipe_len, _): Width) -> io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    if let Some(len) = pipe_len {
        // The system refuses this if a user has many pipes. Then both parties get the same small pipe.
        let _ = fcntl_setpipe_size(&writer, len);
    }
    Ok((reader, writer))
}

/// Watches the tree of a process until `ended` is dropped. Returns the largest sum of the peaks in bytes, or 0 if
/// nothing was seen.
///
/// The kernel reports `ru_maxrss` of an ended child. That figure is exact for one process, but it begins with the peak
/// of this program, and of several processes it has the largest and not the sum. So the round that verifies, which is
/// not timed, is watched too. The sum misses a process that is too short to be seen, and counts shared pages twice.
fn watch(root: u32, ended: &mpsc::Receiver<()>) -> u64 {
    /// The time between two looks. It is short beside any measured process, and long beside a look.
    const INTERVAL: Duration = Duration::from_millis(2);
    let mut highest = 0;
    loop {
        highest = highest.max(tree_peak(root));
        if ended.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return highest;
        }
    }
}

/// The sum of the peaks so far, of a process and of all its descendants. Any of its threads may have started one. Some
/// kernels do not have the files of children.
fn tree_peak(process: u32) -> u64 {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let children: Vec<u32> = lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
        .collect();
    let own = machine::peak_bytes(&process.to_string()).unwrap_or(0);
    own + children.into_iter().map(tree_peak).sum::<u64>()
}

/// Compares the bytes that are written to it with a file. A hash would be weaker, and could not say where the first
/// difference is.
pub struct Comparison {
    expected: BufReader<File>,
    offset: u64,
    found: Option<String>,
}

impl Comparison {
    pub fn with(expected: &Path) -> Result<Self, String> {
        let file =
            File::open(expected).map_err(|error| format!("cannot open {}: {error}", expected.display()))?;
        Ok(Self { expected: BufReader::with_capacity(128 << 10, file), offset: 0, found: None })
    }

    /// Ends the comparison after the last write. It is an error if bytes differ or are missing.
    pub fn finish(mut self) -> Result<(), String> {
        match (self.found, self.expected.read(&mut [0])) {
            (Some(difference), _) => Err(difference),
            (None, Ok(0)) => Ok(()),
            (None, Ok(_)) => Err(format!("its data ends too early, after {} bytes", self.offset)),
            (None, Err(error)) => Err(format!("cannot read the plain data: {error}")),
        }
    }
}

impl Write for Comparison {
    /// Takes everything. `finish` reports a difference.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        let (all, mut expected) = (bytes.len(), [0; 16 << 10]);
        while self.found.is_none() && !bytes.is_empty() {
            let len = bytes.len().min(expected.len());
            let len = self.expected.read(&mut expected[..len])?;
            let (now, later) = bytes.split_at(len);
            let equal = now.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            self.offset += equal as u64;
            if len == 0 {
                self.found = Some(format!("its data goes on after byte {}, the end", self.offset));
            } else if equal < len {
                self.found = Some(format!("its data is wrong from byte {} on", self.offset));
            }
            bytes = later;
        }
        Ok(all)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::WorkDir;
    use crate::rows;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn bytes_pass_through_a_process_whole_and_a_failing_one_is_quoted() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let plain: Vec<u8> = (0..750_000_u32).flat_map(u32::to_le_bytes).collect();
        let (file, stderr) = (dir.file("plain"), dir.file("stderr"));
        fs::write(&file, &plain).expect("room for it");
        for (input, width) in [
            (Input::Pipe(&file, LARGE), LARGE),
            (Input::File(&file), LARGE),
            (Input::Pipe(&file, COPIED), COPIED),
        ] {
            let mut passed = Vec::new();
            // The memory is sampled, so the process must live for a few samples.
            let usage =
                run(shell("sleep 0.3; exec cat"), input, Output::Pipe(&mut passed, width), &stderr, true);
            assert!(usage.is_ok_and(|usage| usage.peak_bytes > 0));
            assert_eq!(passed, plain);
        }
        let (fails, input) = (shell("echo no such luck >&2; exit 3"), Input::Pipe(&file, LARGE));
        let error = run(fails, input, Output::Nothing, &stderr, false).expect_err("it exits 3");
        assert_eq!(error, "sh: exit status: 3; it said: no such luck");
    }

    /// `dd` fills a buffer of one block, and keeps it until its reader wakes up.
    #[test]
    fn the_memory_of_children_at_the_same_time_adds_up() {
        const THIRTY_MIB: &str = "(dd if=/dev/zero bs=30M count=1 2>/dev/null | (sleep 0.4; cat >/dev/null))";
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let both = shell(&format!("{THIRTY_MIB} & {THIRTY_MIB} & wait"));
        let usage =
            run(both, Input::File(Path::new("/dev/null")), Output::Nothing, &dir.file("stderr"), true);
        let peak = usage.expect("it succeeds").peak_bytes;
        assert!((60 << 20..100 << 20).contains(&peak), "{peak}");
    }

    #[test]
    fn a_program_in_the_folder_comes_first_and_a_shell_runs_a_pipeline() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let (file, own) = (dir.file("it's"), dir.file("sed"));
        fs::write(&file, "plain").expect("room for it");
        let folder = file.parent().expect("it is in a folder");
        let line = "test; file→pipe; peak ≤ 1 MiB; ; cat {in} | sed s/ai/oi/ < cat; ";
        let row = rows::promise(line).expect("a row");
        let look_up =
            || Programs::look_up([&row], Path::new("/bin/sh"), None, folder).expect("there is a shell");
        let programs = look_up();
        assert_eq!(programs.missing(&row), None);
        assert!(!programs.has("cat | no-such-program"));
        let mut command = programs.command(&row.ours.run, &file, &file).expect("both are installed");
        assert_eq!(command.output().expect("it runs").stdout, b"ploin");
        fs::write(&own, "#!/bin/sh\necho; echo '** test 1.2 **'").expect("room for it");
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("it is ours");
        assert_eq!(look_up().0.get("sed"), Some(&(own, "test 1.2".into())));
        assert!(Programs::look_up([], Path::new("/nowhere/pzcomp"), None, folder).is_err());
    }

    #[test]
    fn every_difference_is_noticed() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("expected");
        fs::write(&file, b"plain data").expect("room for it");
        for (found, says) in [
            ("plain data", None),
            ("", Some("after 0 bytes")),
            ("plain", Some("after 5 bytes")),
            ("plain data!", Some("after byte 10")),
            ("plain dAta", Some("from byte 7 on")),
        ] {
            let mut comparison = Comparison::with(&file).expect("just written");
            for part in found.as_bytes().chunks(5) {
                comparison.write_all(part).expect("takes everything");
            }
            let said = comparison.finish().err();
            assert_eq!(said.is_some(), says.is_some(), "{found}: {said:?}");
            assert!(said.unwrap_or_default().contains(says.unwrap_or_default()), "{found}");
        }
    }
}
