//! A case: what there is, what is run, and what has to come of it, on our side and on the system's.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::harness::{Folder, Run, finish};

/// Shell functions for what cases begin with; they use the system's tools on both sides.
const PRELUDE: &str = "
set -e
umask 022
# A file of 30 bytes.
line() { echo 'hello hello hello hello hello'; }
# Changes a byte of a file.
damage() { printf '\\252' | dd of=$1 bs=1 seek=$2 conv=notrunc 2>/dev/null; }
";

/// Where the system has its tools.
const SYSTEM: &str = "/usr/bin:/bin";

const NAMES: [&str; 16] = [
    "xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat", "bzip2", "bunzip2", "bzcat", "pbzip2", "lbzip2",
    "lbunzip2", "lbzcat", "lzip", "plzip", "pzcomp",
];

/// See the module. Made by [`case`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    given: &'static str,
    run: &'static str,
    status: i32,
    stdout: &'static str,
    stderr: Stderr,
    leaves: &'static str,
    ours: bool,
}

#[derive(Clone, Copy, Debug)]
enum Stderr {
    Is(&'static str),
    Has(&'static str),
}

/// Shell commands that make the folder what it is; the one to look at, which should end well and say
/// nothing; and the names of all that is there afterwards, sorted.
pub(crate) const fn case(given: &'static str, run: &'static str, leaves: &'static str) -> Case {
    Case { given, run, status: 0, stdout: "", stderr: Stderr::Is(""), leaves, ours: false }
}

impl Case {
    pub(crate) const fn prints(self, stdout: &'static str) -> Self {
        Self { stdout, ..self }
    }

    /// The exit status, and all of standard error.
    pub(crate) const fn says(self, status: i32, stderr: &'static str) -> Self {
        Self { status, stderr: Stderr::Is(stderr), ..self }
    }

    /// The exit status, and what is to be found on standard error.
    pub(crate) const fn tells(self, status: i32, part: &'static str) -> Self {
        Self { status, stderr: Stderr::Has(part), ..self }
    }

    /// The tool as it is installed does otherwise, which is beside the point or worse.
    pub(crate) const fn ours(self) -> Self {
        Self { ours: true, ..self }
    }

    fn check(&self, path: &str) -> Result<(), String> {
        let folder = Folder::new();
        let set_up = finish(shell(&format!("{PRELUDE}{}", self.given), SYSTEM, &folder).spawn().unwrap());
        if !set_up.status.success() {
            return Err(format!("cannot be set up: {set_up:?}"));
        }
        let Run { status, stdout, stderr } = finish(shell(self.run, path, &folder).spawn().unwrap());
        let stdout = String::from_utf8_lossy(&stdout).into_owned();
        // Quotation marks changed with the versions.
        let stderr = stderr.replace('`', "'");
        let is_said = match self.stderr {
            Stderr::Is(said) => stderr == said,
            Stderr::Has(part) => stderr.contains(part),
        };
        if status.code() != Some(self.status) || !is_said || stdout != self.stdout {
            return Err(format!("{status}\n  stdout {stdout:?}\n  stderr {stderr:?}"));
        }
        let names = folder.names().join(" ");
        if names != self.leaves {
            return Err(format!("left behind is {names:?}"));
        }
        Ok(())
    }
}

/// Checks all cases on both sides, and tells of all that fail.
#[track_caller]
pub(crate) fn check(cases: &[Case]) {
    let ours = ours();
    let mut failures = String::new();
    for case in cases {
        for (side, path) in [("ours", &*ours), ("the system's", SYSTEM)] {
            if side != "ours" && case.ours {
                continue;
            }
            if let Err(why) = case.check(path) {
                failures.push_str(&format!("{side}: {} $ {}\n  {why}\n  {case:?}\n", case.given, case.run));
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The `PATH` on which our names come first.
pub(crate) fn ours() -> String {
    format!("{}:{SYSTEM}", links().display())
}

/// A shell in `folder` that runs `script`, as long as it ends in time.
pub(crate) fn shell(script: &str, path: &str, folder: &Folder) -> Command {
    let mut command = Command::new("timeout");
    command.args(["60", "sh", "-c", script]);
    command.env_clear().env("PATH", path).env("LC_ALL", "C").current_dir(folder.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with links of the names to the binary.
fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
        // Other test programs may be about to do the same.
        let _ = std::fs::create_dir_all(&folder);
        for name in NAMES {
            let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pzcomp"), folder.join(name));
        }
        folder
    })
}
