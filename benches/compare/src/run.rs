//! Runs one process, and measures its time, its CPU time and its memory.
//!
//! [`run`] takes a command, its input and its output. `measure.rs` calls it. A process that fails is an error, which
//! quotes its last message.

use std::fs::{self, File};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::pipe::fcntl_setpipe_size;
use wait4::Wait4;

use crate::{machine, memory};

/// A pipe, and how its other side uses it.
#[derive(Clone, Copy)]
pub struct Width {
    /// The size that is asked for. None is the size that the system gives.
    pipe_len: Option<usize>,
    /// The bytes that the feed and the drain move at once.
    buffer_len: usize,
}

/// The largest pipe without privileges, which is also the size that the tools choose. The buffers stay in the cache.
/// And a child starts with the peak memory of its parent, so this program must stay small.
pub const LARGE: Width = Width { pipe_len: Some(1 << 20), buffer_len: 256 << 10 };
/// The pipes of container engines.
pub const COPIED: Width = Width { pipe_len: None, buffer_len: 32 << 10 };

/// The input of the process.
#[derive(Clone, Copy)]
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

/// Whether the memory of the process and its children is watched, which makes them slower.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    Memory,
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

/// Runs `command` to its end. `stderr` is the file that its messages go to meanwhile.
pub fn run(
    mut command: Command,
    input: Input,
    output: Output,
    stderr: &Path,
    watch: Watch,
) -> Result<Usage, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |what: &str, error: io::Error| format!("{name}: {what}: {error}");
    let messages = File::create(stderr).map_err(|error| failed("cannot keep its stderr", error))?;
    command.stderr(messages);
    let feed = connect_input(&mut command, input).map_err(|error| failed("its input", error))?;
    let drain = connect_output(&mut command, output).map_err(|error| failed("its output", error))?;

    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| failed("cannot be started", error))?;
    // This closes copies of the pipes of the process. While they are open, no reader sees the end.
    drop(command);
    let root = child.id();
    let (fed, drained, ended, wall, watched) = thread::scope(|scope| {
        let feeder = feed.map(|feed| scope.spawn(|| feed.pump()));
        let (end, watched) = mpsc::channel();
        let watcher = (watch == Watch::Memory).then(|| scope.spawn(move || memory::watch(root, &watched)));
        let drained = drain.map_or(Ok(()), Drain::pump);
        let ended = child.wait4();
        let wall = start.elapsed();
        drop(end);
        let watched = watcher.and_then(|watcher| watcher.join().ok()).unwrap_or(0);
        let fed = feeder.map_or(Ok(()), |feeder| {
            feeder.join().unwrap_or_else(|_| Err(io::Error::other("the feeding thread has panicked")))
        });
        (fed, drained, ended, wall, watched)
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

struct Feed {
    file: File,
    pipe: PipeWriter,
    buffer_len: usize,
}

impl Feed {
    fn pump(mut self) -> io::Result<()> {
        let mut buffer = vec![0; self.buffer_len];
        loop {
            let len = self.file.read(&mut buffer)?;
            if len == 0 {
                return Ok(());
            }
            match self.pipe.write_all(&buffer[..len]) {
                // The process stopped reading. Its status and its output tell whether that was right.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                result => result?,
            }
        }
    }
}

struct Drain<'a> {
    pipe: PipeReader,
    sink: &'a mut dyn Write,
    buffer_len: usize,
}

impl Drain<'_> {
    /// Reads to the end even if the sink fails. A closed pipe would look like a failure of the process.
    fn pump(mut self) -> io::Result<()> {
        let mut buffer = vec![0; self.buffer_len];
        let mut result = Ok(());
        loop {
            let len = self.pipe.read(&mut buffer)?;
            if len == 0 {
                return result;
            }
            if result.is_ok() {
                result = self.sink.write_all(&buffer[..len]);
            }
        }
    }
}

fn connect_input(command: &mut Command, input: Input) -> io::Result<Option<Feed>> {
    match input {
        Input::File(path) => {
            command.stdin(File::open(path)?);
            Ok(None)
        }
        Input::Pipe(path, width) => {
            let file = File::open(path)?;
            let (reader, pipe) = width.pipe()?;
            command.stdin(reader);
            Ok(Some(Feed { file, pipe, buffer_len: width.buffer_len }))
        }
    }
}

fn connect_output<'a>(command: &mut Command, output: Output<'a>) -> io::Result<Option<Drain<'a>>> {
    match output {
        Output::Nothing => {
            command.stdout(Stdio::null());
            Ok(None)
        }
        Output::File(path) => {
            command.stdout(File::create(path)?);
            Ok(None)
        }
        Output::Pipe(sink, width) => {
            let (pipe, writer) = width.pipe()?;
            command.stdout(writer);
            Ok(Some(Drain { pipe, sink, buffer_len: width.buffer_len }))
        }
    }
}

impl Width {
    fn pipe(self) -> io::Result<(PipeReader, PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        if let Some(len) = self.pipe_len {
            // The system refuses this if a user has many pipes. Then both parties get the same small pipe.
            let _ = fcntl_setpipe_size(&writer, len);
        }
        Ok((reader, writer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workdir::WorkDir;

    #[test]
    fn bytes_pass_through_a_process_whole() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let plain: Vec<u8> = (0..750_000_u32).flat_map(u32::to_le_bytes).collect();
        let file = dir.file("plain");
        fs::write(&file, &plain).expect("room for it");
        for (input, width) in [
            (Input::Pipe(&file, LARGE), LARGE),
            (Input::File(&file), LARGE),
            (Input::Pipe(&file, COPIED), COPIED),
        ] {
            let mut passed = Vec::new();
            let output = Output::Pipe(&mut passed, width);
            // The memory is sampled, so the process must live for a few samples.
            let mut slow_cat = Command::new("sh");
            slow_cat.args(["-c", "sleep 0.3; exec cat"]);
            let usage = run(slow_cat, input, output, &dir.file("stderr"), Watch::Memory);
            assert!(usage.is_ok_and(|usage| usage.peak_bytes > 0));
            assert_eq!(passed, plain);
        }
    }

    #[test]
    fn a_failing_process_is_quoted() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("plain");
        fs::write(&file, vec![0; 2 << 20]).expect("room for it");
        let mut command = Command::new("sh");
        command.args(["-c", "echo no such luck >&2; exit 3"]);
        let (input, output) = (Input::Pipe(&file, LARGE), Output::Nothing);
        let error = run(command, input, output, &dir.file("stderr"), Watch::Nothing).expect_err("it exits 3");
        assert_eq!(error, "sh: exit status: 3; it said: no such luck");
    }
}
