//! One scene, and how it is played. See the module above.
//!
//! `scene` makes one, and its methods say who plays where, and what else is compared. `same`, `said` and `all` make
//! many of rows. `check` plays them, and tells of every one whose outcome differs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{Read, Write as _};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::SystemTime;

use flate2::bufread::GzDecoder;
use rustix::fs::{FlockOperation, flock};

use crate::harness::{Folder, Run, feed, finish, is_root, terminal};

/// Shell functions for all scenes.
const PRELUDE: &str = r#"
umask 022
# Gives files the time 2001-02-03 04:05:06 UTC.
old() { touch -d @981173106 -- "$@"; }
# Runs a command line and prints the status that it leaves.
status() { sh -c "$1" >/dev/null 2>&1; echo "$? $1"; }
# The original gzip, and a member of 26 bytes that holds a line of 6.
gnu() { /usr/bin/gzip "$@"; }
hello() { printf '\037\213\010\0\0\0\0\0\0\003\313H\315\311\311\347\002\0\040\060\072\066\006\0\0\0'; }
# A line of 30 bytes.
line() { echo 'hello hello hello hello hello'; }
# Changes a byte of a file.
damage() { printf '\252' | dd of=$1 bs=1 seek=$2 conv=notrunc 2>/dev/null; }
# Hides the ratios of compression, which are the encoder's.
ratios() { sed 's/ *[-0-9.][-0-9.]*%/ #%/'; }
"#;
/// For scenes of zstd, lz4 and bgzip: a line, and what these make of it, whole and damaged.
pub(crate) const CODED: &str = r"
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

const OLD: i64 = 981_173_106;

/// Where the originals are.
const SYSTEM: &str = "/usr/bin:/bin";

/// Programs that decode what a scene leaves behind, with the bytes that their input begins with.
const DECODERS: [(&[u8], &str); 8] = [
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x1f\x8b", "gzip"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\xfd7zXZ", "xz"),
    (b"BZh", "bzip2"),
    (b"LZIP", "lzip"),
    (b"\x5d\0\0", "xz"),
    (b"\x50\x2a\x4d\x18", "zstd"),
];

/// A script, and what it must show. Made by [`scene`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    guards: &'static str,
    given: &'static str,
    run: &'static str,
    player: Player,
    place: Place,
    stderr: Stderr,
    any_inode: bool,
    any_quotes: bool,
    ours: Option<(i32, &'static str)>,
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Tester,
    /// The tester, without the capabilities by which permissions do not count for root.
    Unprivileged,
    /// `nobody`, if root runs the tests.
    User,
}

/// What standard input and output are.
#[derive(Clone, Copy, Debug)]
enum Place {
    Pipes,
    /// A terminal at which this was typed.
    Terminal(&'static str),
    LostTerminal,
}

/// What standard error must be.
#[derive(Clone, Copy, Debug)]
enum Stderr {
    Any,
    Same,
    Has(&'static str),
    Silent,
}

/// `guards` says in words what the scene is about. `given` makes the folder what it is, with the original tools. `run`
/// is what both sides play. Both are scripts for `sh`.
pub(crate) const fn scene(guards: &'static str, given: &'static str, run: &'static str) -> Scene {
    let (player, place, stderr) = (Player::Tester, Place::Pipes, Stderr::Any);
    Scene { guards, given, run, player, place, stderr, any_inode: false, any_quotes: false, ours: None }
}

/// Many scenes that are made alike. Each row is what a scene is about, what is given, and what is run; the first of
/// these, or the first two, may be left out.
pub(crate) fn all<const N: usize>(rows: &[[&'static str; N]], make: impl Fn(Scene) -> Scene) -> Vec<Scene> {
    let part = |row: &[&'static str; N], back: usize| N.checked_sub(back).map_or("", |at| row[at]);
    rows.iter().map(|row| make(scene(part(row, 3), part(row, 2), part(row, 1)))).collect()
}

/// Plays rows as those of [`all`], of which standard error must be the same, too.
#[track_caller]
pub(crate) fn same<const N: usize>(rows: &[[&'static str; N]]) {
    check(&all(rows, Scene::with_stderr));
}

/// Plays rows of what is given, what is run, and what both must say on standard error, whatever else they say.
#[track_caller]
pub(crate) fn said(rows: &[[&'static str; 3]]) {
    let scenes: Vec<Scene> =
        rows.iter().map(|&[given, run, part]| scene("", given, run).says(part).any_quotes()).collect();
    check(&scenes);
}

impl Scene {
    /// What is given, for rows that have only what is run.
    pub(crate) const fn given(self, given: &'static str) -> Self {
        Self { given, ..self }
    }

    /// Permissions count, even if root runs the tests.
    pub(crate) const fn unprivileged(self) -> Self {
        Self { player: Player::Unprivileged, ..self }
    }

    /// If root runs the tests, `nobody` plays, in a folder of his own in which root has made all that is given.
    pub(crate) const fn by_user(self) -> Self {
        Self { player: Player::User, ..self }
    }

    /// Standard input and output are a terminal at which this was typed.
    pub(crate) const fn at_terminal(self, typed: &'static str) -> Self {
        Self { place: Place::Terminal(typed), ..self }
    }

    /// Standard input and output are a terminal that is gone.
    pub(crate) const fn at_lost_terminal(self) -> Self {
        Self { place: Place::LostTerminal, ..self }
    }

    /// Standard error must be the same, too.
    pub(crate) const fn with_stderr(self) -> Self {
        Self { stderr: Stderr::Same, ..self }
    }

    /// Both must say this on standard error, whatever else they say.
    pub(crate) const fn says(self, part: &'static str) -> Self {
        Self { stderr: Stderr::Has(part), ..self }
    }

    /// pzcomp says nothing on standard error, however talkative the original is.
    pub(crate) const fn silent(self) -> Self {
        Self { stderr: Stderr::Silent, ..self }
    }

    /// Whether a file was replaced or written in place makes no difference.
    pub(crate) const fn any_inode(self) -> Self {
        Self { any_inode: true, ..self }
    }

    /// Quotation marks on standard error may be others: they changed with the versions of the originals.
    pub(crate) const fn any_quotes(self) -> Self {
        Self { any_quotes: true, ..self }
    }

    /// The installed original does otherwise. pzcomp must come to this status and these lines; see [`Scene::play`].
    pub(crate) const fn ours(self, status: i32, lines: &'static str) -> Self {
        Self { ours: Some((status, lines)), ..self }
    }

    /// Plays the scene with the names that `side` has. The outcome has a line for the status, one for each stream that
    /// matters and is not empty, and one for each file.
    fn play(&self, side: Side) -> (String, String) {
        let folder = Folder::new();
        let mut set_up = shell(&format!("set -e{PRELUDE}{}", self.given), SYSTEM, Player::Tester, &folder);
        let set_up = finish(set_up.spawn().unwrap());
        assert!(set_up.status.success(), "{}: cannot be set up: {set_up:?}", self.guards);
        let before = Before::of(&folder.path(""));
        // Holds our names, where a user can reach them.
        let names = Folder::new();
        if self.player == Player::User {
            open_up(&folder);
            open_up(&names);
        }
        let path = match (side, self.player) {
            (Side::Original, _) => SYSTEM.to_owned(),
            (Side::Ours, Player::User) => ahead(&copied(&names)),
            (Side::Ours, _) => ahead(links()),
        };
        let mut run = self.run(&mut shell(&format!("{PRELUDE}{}", self.run), &path, self.player, &folder));
        if self.any_quotes {
            run.stderr = run.stderr.replace('`', "'");
        }
        let mut outcome = format!("{}\n", run.status);
        let shows_stderr = match self.stderr {
            Stderr::Same => true,
            Stderr::Has(_) => false,
            Stderr::Any | Stderr::Silent => self.ours.is_some(),
        };
        for (name, text, is_shown) in
            [("stdout", &*String::from_utf8_lossy(&run.stdout), true), ("stderr", &run.stderr, shows_stderr)]
        {
            if is_shown && !text.is_empty() {
                writeln!(outcome, "{name} {text:?}").unwrap();
            }
        }
        before.describe(&folder.path(""), self.any_inode, &mut outcome);
        (outcome, run.stderr)
    }

    fn run(&self, command: &mut Command) -> Run {
        let typed = match self.place {
            Place::Pipes => return finish(command.spawn().unwrap()),
            Place::Terminal(typed) => Some(typed),
            Place::LostTerminal => None,
        };
        let (user, program) = terminal();
        let mut user = typed.map(|typed| {
            let mut user = File::from(user);
            user.write_all(typed.as_bytes()).unwrap();
            user
        });
        command.stdin(program.try_clone().unwrap()).stdout(program);
        let mut run = finish(command.spawn().unwrap());
        // Nobody else has the terminal open now. Its end is an error.
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let _ = user.as_mut().map(|user| user.read_to_end(&mut run.stdout));
        run
    }

    fn check(&self) -> Option<String> {
        let (ours, said) = self.play(Side::Ours);
        let (expected, said_by_original) = match self.ours {
            Some((status, outcome)) => {
                let lines = outcome.lines().map(|line| format!("{}\n", line.trim()));
                (format!("exit status: {status}\n{}", lines.collect::<String>()), said.clone())
            }
            None => self.play(Side::Original),
        };
        let unsaid = match self.stderr {
            Stderr::Has(part) if !said.contains(part) => format!("pzcomp says {said:?}, not {part:?}\n"),
            Stderr::Has(part) if !said_by_original.contains(part) => {
                format!("the original says {said_by_original:?}, not {part:?}\n")
            }
            Stderr::Silent if !said.is_empty() => format!("pzcomp says {said:?}\n"),
            _ => String::new(),
        };
        (ours != expected || !unsaid.is_empty()).then(|| {
            let changes = differences(&expected, &ours);
            format!("{}\n  $ {}\n  $ {}\n{unsaid}{changes}", self.guards, self.given, self.run)
        })
    }
}

/// Whose names are found first.
#[derive(Clone, Copy, Debug)]
enum Side {
    Ours,
    Original,
}

/// The lines that differ, of outcomes in which lines of a stream stand behind one another.
fn differences(expected: &str, found: &str) -> String {
    let lines = |outcome: &str| outcome.replace("\\n", "\n").lines().map(String::from).collect::<Vec<_>>();
    let (mut expected, mut found) = (lines(expected), lines(found));
    while expected.last().is_some_and(|last| found.last() == Some(last)) {
        expected.pop();
        found.pop();
    }
    let same = expected.iter().zip(&found).take_while(|(expected, found)| expected == found).count();
    format!("expected\n{}\nfound\n{}\n", expected[same..].join("\n"), found[same..].join("\n"))
}

/// Plays all scenes, and tells of every one whose outcome differs.
#[track_caller]
pub(crate) fn check(scenes: &[Scene]) {
    let failures: Vec<String> = scenes.iter().filter_map(Scene::check).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The files of a folder before a run, by their inodes.
struct Before(BTreeMap<u64, Known>);

/// A file that is kept open, so that no new file gets its inode.
struct Known {
    name: String,
    modified: (i64, i64),
    content: Vec<u8>,
    _open: Option<File>,
}

impl Before {
    fn of(folder: &Path) -> Self {
        let mut inodes = BTreeMap::new();
        each(folder, "", &mut |name, path, metadata| {
            if !metadata.is_file() {
                return;
            }
            inodes.entry(metadata.ino()).or_insert_with(|| Known {
                name: name.to_owned(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                content: fs::read(path).unwrap_or_default(),
                _open: File::open(path).ok(),
            });
        });
        Self(inodes)
    }

    /// A line for each file: name, mode, hard links, the name that its inode had before, time, content.
    fn describe(&self, folder: &Path, any_inode: bool, outcome: &mut String) {
        let owner = |metadata: &Metadata| (metadata.uid(), metadata.gid());
        let usual = owner(&fs::metadata(folder).unwrap());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
        each(folder, "", &mut |name, path, metadata| {
            if metadata.is_symlink() {
                writeln!(outcome, "{name} -> {}", fs::read_link(path).unwrap().display()).unwrap();
                return;
            }
            let known = self.0.get(&metadata.ino());
            let inode = match known {
                _ if any_inode => "any",
                Some(known) => &known.name,
                None => "new",
            };
            let time = match metadata.mtime() {
                OLD => "old".to_owned(),
                time if time.abs_diff(now) < 3600 => "now".to_owned(),
                time => time.to_string(),
            };
            let mode = metadata.mode() & 0o7777;
            let links = metadata.nlink();
            write!(outcome, "{name} {mode:o} links={links} inode={inode} {time}").unwrap();
            if owner(metadata) != usual {
                write!(outcome, " owner={}:{}", metadata.uid(), metadata.gid()).unwrap();
            }
            if metadata.is_file() {
                write!(outcome, " {}", content(path)).unwrap();
                let modified = (metadata.mtime(), metadata.mtime_nsec());
                if known.is_some_and(|known| {
                    known.modified != modified && fs::read(path).is_ok_and(|bytes| bytes == known.content)
                }) {
                    outcome.push_str(" touched");
                }
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
    static KNOWN: Mutex<BTreeMap<Vec<u8>, String>> = Mutex::new(BTreeMap::new());
    let bytes = fs::read(path).unwrap_or_else(|error| error.to_string().into_bytes());
    let Some((_, tool)) = DECODERS.iter().find(|(magic, _)| bytes.starts_with(magic)) else {
        return format!("{:?}", String::from_utf8_lossy(&bytes));
    };
    if let Some(known) = KNOWN.lock().unwrap().get(&bytes) {
        return known.clone();
    }
    let mut command = Command::new(format!("/usr/bin/{tool}"));
    command.arg("-dc").stdout(Stdio::piped()).stderr(Stdio::piped());
    let Run { status, stdout, .. } = feed(&mut command, &bytes);
    let damaged = if status.success() { "" } else { " damaged" };
    let odd = if *tool == "gzip" { oddities(&bytes) } else { String::new() };
    let decoded = format!("{tool}{damaged}{odd} {:?}", String::from_utf8_lossy(&stdout));
    KNOWN.lock().unwrap().insert(bytes, decoded.clone());
    decoded
}

/// What gzip does not write: more than one member, or flags but that of the name. Files of bgzip are left out.
fn oddities(bytes: &[u8]) -> String {
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    let flags = bytes.get(3).copied().unwrap_or(0);
    let (mut rest, mut members) = (bytes, 0);
    while !rest.is_empty() && flags & EXTRA == 0 {
        let mut decoder = GzDecoder::new(rest);
        if std::io::copy(&mut decoder, &mut std::io::sink()).is_err() {
            break;
        }
        rest = decoder.into_inner();
        members += 1;
    }
    let is_usual = flags & EXTRA != 0 || (flags & !NAME == 0 && members == 1);
    if is_usual { String::new() } else { format!(" flags={flags} members={members}") }
}

/// A shell in `folder` that runs `script`, for a minute at most.
fn shell(script: &str, path: &str, player: Player, folder: &Folder) -> Command {
    let caller: &[&str] = match player {
        _ if !is_root() => &[],
        Player::Tester => &[],
        Player::Unprivileged => &["setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner"],
        Player::User => &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
    };
    let words = [caller, &["timeout", "60", "sh", "-c", script]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder.path("")).env_clear();
    command.env("PATH", path).env("LC_ALL", "C").env("TZ", "UTC").env("HOME", folder.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Lets everybody look into a folder, and makes it that of `nobody` if root runs the tests.
fn open_up(folder: &Folder) {
    fs::set_permissions(folder.path(""), Permissions::from_mode(0o755)).unwrap();
    if is_root() {
        chown(folder.path(""), Some(65534), Some(65534)).unwrap();
    }
}

/// The `PATH` on which the names in a folder come first.
fn ahead(links: &Path) -> String {
    format!("{}:{SYSTEM}", links.display())
}

/// A folder with links of all names to the binary, and the binary itself.
pub(crate) fn links() -> &'static Path {
    static LINKS: OnceLock<PathBuf> = OnceLock::new();
    LINKS.get_or_init(|| {
        let program = Path::new(env!("CARGO_BIN_EXE_pzcomp"));
        // One for each profile: links to another binary would be left alone.
        let profile = program.parent().and_then(Path::file_name).unwrap_or_default();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenes").join(profile);
        fs::create_dir_all(&folder).unwrap();
        // Each test is a process, and all make the same links and man pages.
        let lock = File::create(folder.join(".lock")).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        install(program, &folder);
        let _ = std::os::unix::fs::symlink(program, folder.join("pzcomp"));
        folder
    })
}

/// The same with a copy of the binary, for a user who may not look into the folder of the build.
fn copied(folder: &Folder) -> PathBuf {
    let program = folder.path("pzcomp");
    // Copied by another process: a file that is open for writing, if only in a child of another test that is just
    // being forked, cannot be executed.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_pzcomp")).arg(&program).status().unwrap();
    assert!(copied.success());
    install(&program, &folder.path(""));
    folder.path("")
}

fn install(program: &Path, folder: &Path) {
    let made = Command::new(program).arg("--install-links").arg(folder).output().unwrap();
    assert!(made.status.success(), "{made:?}");
}
