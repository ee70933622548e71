//! The two that are compared: this program by gzip's names, and the system's own tools.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::harness::Folder;

/// Whose gzip it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    System,
}

pub(crate) const SIDES: [Side; 2] = [Side::Ours, Side::System];

/// Where Debian has its tools.
const SYSTEM: &str = "/usr/bin:/bin";

/// The names that are taken over.
const NAMES: [&str; 3] = ["gzip", "gunzip", "zcat"];

impl Side {
    /// What `PATH` is, so that this side's tools are found first.
    pub(crate) fn path(self) -> String {
        match self {
            Self::Ours => format!("{}:{SYSTEM}", links().display()),
            Self::System => SYSTEM.into(),
        }
    }

    /// A program of this side, or any other, to be run in `folder`: with no input and no settings from
    /// outside.
    pub(crate) fn command(self, program: &str, folder: &Folder) -> Command {
        let mut command = Command::new(self.find(program));
        command.env_clear().env("PATH", self.path()).env("LC_ALL", "C").env("TZ", "UTC");
        command.current_dir(folder.path("")).env("HOME", folder.path(""));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// A shell that runs `script`, as long as it ends in time.
    pub(crate) fn shell(self, script: &str, folder: &Folder) -> Command {
        let mut command = self.command("timeout", folder);
        command.args(["60", "sh", "-c", script]);
        command
    }

    fn find(self, program: &str) -> PathBuf {
        match self {
            Self::Ours if NAMES.contains(&program) => links().join(program),
            _ => program.into(),
        }
    }
}

/// A folder with links of the names to the binary.
fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dropin");
        std::fs::create_dir_all(&folder).unwrap();
        link_names(&folder, Path::new(env!("CARGO_BIN_EXE_pzcomp")));
        folder
    })
}

/// Makes links of the names to `binary`.
pub(crate) fn link_names(folder: &Path, binary: &Path) {
    for name in NAMES {
        match std::os::unix::fs::symlink(binary, folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made.unwrap(),
        }
    }
}
