//! One scene, and how it is played. See the module above.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::harness::{Folder, Run, feed, finish, is_root};

/// Shell functions for all scenes.
const PRELUDE: &str = "
umask 022
# Gives files the time 2001-02-03 04:05:06 UTC.
old() { touch -d @981173106 -- \"$@\"; }
# Runs a command line and prints the status that it leaves.
status() { sh -c \"$1\" >/dev/null 2>&1; echo \"$? $1\"; }
";
const OLD: i64 = 981_173_106;

/// Where the originals are.
const SYSTEM: &str = "/usr/bin:/bin";

/// Programs that decode what a scene leaves behind, with the bytes that their input begins with.
const DECODERS: [(&[u8], &str); 6] = [
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x1f\x8b", "gzip"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\xfd7zXZ", "xz"),
    (b"BZh", "bzip2"),
    (b"LZIP", "lzip"),
];

/// A script, and what it must show. Made by [`scene`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    guards: &'static str,
    given: &'static str,
    run: &'static str,
    unprivileged: bool,
    with_stderr: bool,
    any_inode: bool,
    ours: Option<&'static str>,
}

/// `guards` says in words what the scene is about. `given` makes the folder what it is, with the original tools. `run`
/// is what both sides play. Both are scripts for `sh`.
pub(crate) const fn scene(guards: &'static str, given: &'static str, run: &'static str) -> Scene {
    Scene { guards, given, run, unprivileged: false, with_stderr: false, any_inode: false, ours: None }
}

impl Scene {
    /// Permissions count, even if root runs the tests.
    pub(crate) const fn unprivileged(self) -> Self {
        Self { unprivileged: true, ..self }
    }

    /// Standard error must be the same, too.
    #[allow(dead_code)] // Kept for scenes whose messages must be the same.
    pub(crate) const fn with_stderr(self) -> Self {
        Self { with_stderr: true, ..self }
    }

    /// Whether a file was replaced or written in place makes no difference.
    pub(crate) const fn any_inode(self) -> Self {
        Self { any_inode: true, ..self }
    }

    /// The installed original does otherwise. pzcomp must come to this outcome; see [`Outcome`] for its form.
    pub(crate) const fn ours(self, outcome: &'static str) -> Self {
        Self { ours: Some(outcome), ..self }
    }

    fn play(&self, path: &str) -> String {
        let folder = Folder::new();
        let set_up =
            finish(shell(&format!("set -e{PRELUDE}{}", self.given), SYSTEM, false, &folder).spawn().unwrap());
        assert!(set_up.status.success(), "{}: cannot be set up: {set_up:?}", self.guards);
        let before = Before::of(&folder.path(""));
        let script = format!("{PRELUDE}{}", self.run);
        let Run { status, stdout, stderr } =
            finish(shell(&script, path, self.unprivileged, &folder).spawn().unwrap());
        let mut outcome = format!("{status}\n");
        for (name, text) in [("stdout", &*String::from_utf8_lossy(&stdout)), ("stderr", &stderr)] {
            let is_shown = name == "stdout" || self.with_stderr || self.ours.is_some();
            if is_shown && !text.is_empty() {
                writeln!(outcome, "{name} {text:?}").unwrap();
            }
        }
        before.describe(&folder.path(""), self.any_inode, &mut outcome);
        outcome
    }

    fn check(&self) -> Option<String> {
        let ours = self.play(&ours());
        let expected = match self.ours {
            Some(outcome) => outcome.trim_start().lines().map(|line| format!("{}\n", line.trim())).collect(),
            None => self.play(SYSTEM),
        };
        (ours != expected).then(|| {
            let changes = differences(&expected, &ours);
            format!("{}\n  $ {}\n  $ {}\n{changes}", self.guards, self.given, self.run)
        })
    }
}

/// The lines that differ, of outcomes in which lines of a stream stand behind one another.
fn differences(expected: &str, found: &str) -> String {
    let lines = |outcome: &str| outcome.replace("\\n", "\n").lines().map(String::from).collect::<Vec<_>>();
    let (expected, found) = (lines(expected), lines(found));
    if expected.len() != found.len() {
        return format!("expected\n{}\nfound\n{}\n", expected.join("\n"), found.join("\n"));
    }
    let differing = expected.iter().zip(&found).filter(|(expected, found)| expected != found);
    differing.map(|(expected, found)| format!("expected {expected}\nfound    {found}\n")).collect()
}

/// Plays all scenes, and tells of every one whose outcome differs.
#[track_caller]
pub(crate) fn check(scenes: &[Scene]) {
    let failures: Vec<String> = scenes.iter().filter_map(Scene::check).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The files of a folder before a run. They are kept open, so that no new file gets the inode of one of them.
struct Before(BTreeMap<u64, (String, Option<File>)>);

impl Before {
    fn of(folder: &Path) -> Self {
        let mut inodes = BTreeMap::new();
        each(folder, "", &mut |name, path, metadata| {
            if metadata.is_symlink() {
                return;
            }
            inodes.entry(metadata.ino()).or_insert((name.to_owned(), File::open(path).ok()));
        });
        Self(inodes)
    }

    /// A line for each file: name, mode, hard links, the name that its inode had before, time, content.
    fn describe(&self, folder: &Path, any_inode: bool, outcome: &mut String) {
        each(folder, "", &mut |name, path, metadata| {
            if metadata.is_symlink() {
                writeln!(outcome, "{name} -> {}", fs::read_link(path).unwrap().display()).unwrap();
                return;
            }
            let inode = match self.0.get(&metadata.ino()) {
                _ if any_inode => "any",
                Some((name, _)) => name,
                None => "new",
            };
            let time = if metadata.mtime() == OLD { "old" } else { "now" };
            let mode = metadata.mode() & 0o7777;
            let links = metadata.nlink();
            write!(outcome, "{name} {mode:o} links={links} inode={inode} {time}").unwrap();
            if metadata.is_file() {
                write!(outcome, " {}", content(path)).unwrap();
            }
            outcome.push('\n');
        });
    }
}

/// Calls `see` for all that is in a folder, sorted by name, but for folders themselves.
fn each(folder: &Path, prefix: &str, see: &mut dyn FnMut(&str, &Path, &Metadata)) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{prefix}{}", entry.file_name().display());
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() {
            each(&entry.path(), &format!("{name}/"), see);
        } else {
            see(&name, &entry.path(), &metadata);
        }
    }
}

/// What a file holds, decoded by the original tool if it is compressed.
fn content(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| error.to_string().into_bytes());
    match DECODERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        None => format!("{:?}", String::from_utf8_lossy(&bytes)),
        Some((_, tool)) => {
            let mut command = Command::new(format!("/usr/bin/{tool}"));
            command.arg("-dc").stdout(Stdio::piped()).stderr(Stdio::piped());
            let Run { status, stdout, .. } = feed(&mut command, &bytes);
            let damaged = if status.success() { "" } else { " damaged" };
            format!("{tool}{damaged} {:?}", String::from_utf8_lossy(&stdout))
        }
    }
}

/// A shell in `folder` that runs `script`, for a minute at most.
fn shell(script: &str, path: &str, unprivileged: bool, folder: &Folder) -> Command {
    let mut command = match unprivileged && is_root() {
        // Root without the capabilities by which permissions do not count for it.
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--bounding-set", "-dac_override,-dac_read_search,-fowner", "timeout"]);
            command
        }
        false => Command::new("timeout"),
    };
    command.args(["60", "sh", "-c", script]).current_dir(folder.path(""));
    command.env_clear().env("PATH", path).env("LC_ALL", "C").env("TZ", "UTC");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The `PATH` on which our names come first.
fn ours() -> String {
    format!("{}:{SYSTEM}", links().display())
}

/// A folder with links of all names to the binary, and the binary itself.
fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let program = Path::new(env!("CARGO_BIN_EXE_pzcomp"));
        // One for each profile: links to another binary would be left alone.
        let profile = program.parent().and_then(Path::file_name).unwrap_or_default();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenes").join(profile);
        fs::create_dir_all(&folder).unwrap();
        let made = Command::new(program).arg("--install-links").arg(&folder).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let _ = std::os::unix::fs::symlink(program, folder.join("pzcomp"));
        folder
    })
}
