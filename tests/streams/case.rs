//! A case: a command, and what has to come of it, with our tools and with the system's.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::harness::{Folder, Run, finish};

const NAMES: [&str; 9] = ["zstd", "unzstd", "zstdcat", "zstdmt", "pzstd", "lz4", "unlz4", "lz4cat", "bgzip"];

/// What every case begins with: a line, and what the system's tools make of it, whole and damaged.
const GIVEN: &str = r"
set -e
printf 'hello\n' >a; cp a b; : >empty; mkdir dir; ln -s a link; echo other >there
for tool in zstd lz4 bgzip; do
  $tool -c a >ok.$tool
  head -c 15 ok.$tool >cut.$tool
  { cat ok.$tool; echo garbage; } >trail.$tool
  echo nothing >not.$tool; : >nil.$tool
done
for file in *.bgzip; do mv $file ${file%.bgzip}.gz; done
for file in *.zstd; do mv $file ${file%.zstd}.zst; done
";

/// Whose tools are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    System,
}

/// See the module. Made by [`case`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    run: &'static str,
    status: i32,
    stdout: &'static str,
    says: &'static str,
    /// Names that are there afterwards, and were not before; or, with a minus sign, the other way round.
    changes: &'static str,
    sides: &'static [Side],
}

/// A script that should end well, print this and say nothing that matters.
pub(crate) const fn case(run: &'static str, stdout: &'static str) -> Case {
    Case { run, status: 0, stdout, says: "", changes: "", sides: &[Side::Ours, Side::System] }
}

impl Case {
    /// It fails, and says this among other things.
    pub(crate) const fn fails(self, says: &'static str) -> Self {
        Self { status: 1, says, ..self }
    }

    /// The same with another status than 1.
    pub(crate) const fn ends(self, status: i32, says: &'static str) -> Self {
        Self { status, says, ..self }
    }

    /// Files that come and go.
    pub(crate) const fn changes(self, changes: &'static str) -> Self {
        Self { changes, ..self }
    }

    /// Where we do better, or the system's version is too old: what only ours is held to.
    pub(crate) const fn ours(self) -> Self {
        Self { sides: &[Side::Ours], ..self }
    }

    fn check(&self, side: Side) -> Result<(), String> {
        let folder = Folder::new();
        let given = finish(shell(Side::System, GIVEN, &folder).spawn().unwrap());
        if !given.status.success() {
            return Err(format!("cannot be set up: {given:?}"));
        }
        let before = folder.names();
        let Run { status, stdout, stderr } = finish(shell(side, self.run, &folder).spawn().unwrap());
        let (stdout, after) = (String::from_utf8_lossy(&stdout).into_owned(), folder.names());
        let came = after.iter().filter(|name| !before.contains(name)).cloned();
        let went = before.iter().filter(|name| !after.contains(name)).map(|name| format!("-{name}"));
        let changes = came.chain(went).collect::<Vec<_>>().join(" ");
        for (what, found, demanded) in
            [("stdout", &*stdout, self.stdout), ("changed", &*changes, self.changes)]
        {
            if found != demanded {
                return Err(format!("{what} is {found:?}, not {demanded:?} ({status}: {stderr})"));
            }
        }
        if status.code() != Some(self.status) || !stderr.contains(self.says) {
            return Err(format!("{status}: {stderr:?}, not {} and {:?}", self.status, self.says));
        }
        // Where nothing is wrong nothing is said, however talkative the tool is that we are called after.
        if side == Side::Ours && self.status == 0 && self.says.is_empty() && !stderr.is_empty() {
            return Err(format!("says {stderr:?}"));
        }
        Ok(())
    }
}

/// Checks all cases, and tells of all that fail.
#[track_caller]
pub(crate) fn check(cases: &[Case]) {
    let mut failures = String::new();
    for case in cases {
        for &side in case.sides {
            if let Err(why) = case.check(side) {
                failures.push_str(&format!("{side:?}\n  $ {}\n  {why}\n", case.run));
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// A shell in `folder` that finds the tools of a side first.
pub(crate) fn shell(side: Side, script: &str, folder: &Folder) -> Command {
    const SYSTEM: &str = "/usr/bin:/bin";
    let path = match side {
        Side::Ours => format!("{}:{SYSTEM}", links().display()),
        Side::System => SYSTEM.into(),
    };
    let mut command = Command::new("timeout");
    command.args(["60", "sh", "-c", script]).current_dir(folder.path(""));
    command.env_clear().env("PATH", path).env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder with links of the names to the binary.
fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("streams");
        std::fs::create_dir_all(&folder).unwrap();
        for name in NAMES {
            match std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pzcomp"), folder.join(name)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => made.unwrap(),
            }
        }
        folder
    })
}
