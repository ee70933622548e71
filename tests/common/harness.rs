//! Runs the binary in a folder of its own: what `tests/cli/` and `tests/scenes/` share.
//!
//! `Folder` is a temporary folder, and makes commands of pzcomp to run in it. `finish` and `feed` wait for the end of
//! any command, and `Run` judges what came of it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// A folder that is gone when the test is over.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        std::fs::symlink_metadata(self.path(name)).is_ok()
    }

    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    /// The names of all that is here, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Any program, to be run here, with no input and no settings from outside.
    pub(crate) fn program<A: AsRef<OsStr>>(
        &self,
        program: &str,
        args: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env_remove("PZCOMP").args(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// pzcomp.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        self.program(env!("CARGO_BIN_EXE_pzcomp"), args)
    }

    /// A line of bash, in which `$0` is pzcomp.
    pub(crate) fn shell(&self, line: &str) -> Command {
        self.program("bash", ["-c", line, env!("CARGO_BIN_EXE_pzcomp")])
    }

    /// Runs such a line.
    pub(crate) fn sh(&self, line: &str) -> Run {
        finish(self.shell(line).spawn().unwrap())
    }

    /// Runs the command with the arguments in `args`, split at spaces.
    pub(crate) fn run(&self, args: &str) -> Run {
        finish(self.command(args.split_whitespace()).spawn().unwrap())
    }

    /// The same, with standard input.
    pub(crate) fn pipe(&self, args: &str, input: impl AsRef<[u8]>) -> Run {
        feed(&mut self.command(args.split_whitespace()), input.as_ref())
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    /// Demands that all went well and in silence.
    #[track_caller]
    pub(crate) fn fine(self) -> Vec<u8> {
        assert!(self.status.success() && self.stderr.is_empty(), "{:?}: {}", self.status, self.stderr);
        self.stdout
    }

    /// Demands an exit code and a sentence in the house's form, with these parts in it.
    #[track_caller]
    pub(crate) fn says(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.status.code(), Some(code), "{:?}: {}", self.status, self.stderr);
        assert!(self.stderr.lines().all(|line| line.starts_with("pzcomp: ")), "{}", self.stderr);
        for part in parts {
            assert!(self.stderr.contains(part), "{part:?} is not in: {}", self.stderr);
        }
        self
    }

    /// Demands that the process was ended by a signal, and without a word.
    #[track_caller]
    pub(crate) fn died_by(self, signal: Signal) -> Self {
        assert_eq!(self.status.signal(), Some(signal.as_raw()), "{:?}: {}", self.status, self.stderr);
        assert_eq!(self.stderr, "");
        self
    }
}

/// Runs `command` with `input` on a pipe.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Run {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Who is fed may end before all is eaten.
        scope.spawn(move || drop(stdin.write_all(input)));
        finish(child)
    })
}

/// Waits for the end of `child`.
pub(crate) fn finish(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run { status: output.status, stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

pub(crate) fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until `condition` holds; the test fails if it never does.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}

/// `len` bytes of lines, which compress some three times.
pub(crate) fn text(len: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(len + 32);
    let mut state = 1_u32;
    while text.len() < len {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(text, "{} row {}", text.len(), state >> 20).unwrap();
    }
    text.truncate(len);
    text
}

/// `len` bytes that do not compress.
pub(crate) fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let step = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(step).take(len).collect()
}

/// Opens for appending, as a shell does for `>>`.
pub(crate) fn appending(path: &Path) -> File {
    File::options().append(true).create(true).open(path).unwrap()
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A terminal: the side of the user and the side of the program. Only the program it is given to inherits it. It is
/// raw, so what is typed arrives at once and is not shown, and what is written arrives as it was written.
pub(crate) fn terminal() -> (OwnedFd, File) {
    let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    rustix::io::fcntl_setfd(&user, rustix::io::FdFlags::CLOEXEC).unwrap();
    grantpt(&user).unwrap();
    unlockpt(&user).unwrap();
    let name = ptsname(&user, Vec::new()).unwrap();
    let path = Path::new(OsStr::from_bytes(name.as_bytes()));
    let program =
        rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
    let mut raw = tcgetattr(&program).unwrap();
    raw.make_raw();
    tcsetattr(&program, OptionalActions::Now, &raw).unwrap();
    (user, program.into())
}
