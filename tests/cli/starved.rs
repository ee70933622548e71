//! What the system gives less of than pzcomp would take: threads, and system calls.
//!
//! A command either works as before, with the same bytes, or says in a sentence why it does not, and leaves no output.
//! The limit of processes does not apply to root, so the commands run as another user, and the tests of threads need
//! root. A filter of the kernel denies system calls. A few lines of Python set it up.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::qpress::{archive, xbstream};
use crate::harness::{Folder, finish, noise, text};

/// A folder that every user may write to, with the program and its inputs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let open = |path: &Path| std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_pzcomp"), path.join("pzcomp")).unwrap();
    std::fs::write(path.join("plain"), text(1_500_000)).unwrap();
    // Coded, it is longer than the memory for input, so it waits on the disk if there is no thread.
    std::fs::write(path.join("long"), noise(12_000_000)).unwrap();
    let plain = text(700_000);
    let zstd = pzcomp::compress(&plain, &Default::default()).unwrap();
    let members = [("a.zst", zstd), ("b.qp", archive(&plain[..500_000], 1, 65_536)), ("c", plain)];
    let members = members.each_ref().map(|(name, data)| (*name, &data[..]));
    let one_by_one = members.map(|member| xbstream(&[member], 100_000)).concat();
    std::fs::write(path.join("xbstream"), one_by_one).unwrap();
    std::fs::write(path.join("mixed"), xbstream(&members, 20_000)).unwrap();
    let script = "./pzcomp -k -p 2 -o plain.zst plain; gzip -kf plain; xz -1 -k plain; ./pzcomp -k -F lz4 -o plain.lz4 \
                  plain; cp plain.zst whole.zst; ./pzcomp --protect whole.zst; tar cf whole.tar plain; ./pzcomp -k \
                  --tar whole.tar; gzip -1k long; ./pzcomp -F lz4 -o long.lz4 -k long; 7zz a -mx1 -bso0 plain.7z \
                  plain";
    assert!(Command::new("sh").args(["-c", script]).current_dir(path).status().unwrap().success());
    open(path);
    std::fs::read_dir(path).unwrap().for_each(|entry| open(&entry.unwrap().path()));
    folder
}

/// The command, what its standard input is, and the file that it makes, if it makes one.
type Case = (&'static str, &'static str, Option<&'static str>);

const CASES: [Case; 21] = [
    ("-f -o out plain", "", Some("out")),
    ("-c plain", "", None),
    ("-F gzip --one-member", "plain", None),
    ("-F xz -0 -c plain", "", None),
    ("-d -f -o out plain.zst", "", Some("out")),
    ("-d -c plain.gz", "", None),
    ("-d", "plain.gz", None),
    ("-d -c plain.xz", "", None),
    ("-d", "plain.lz4", None),
    ("-t plain.gz", "", None),
    ("-l plain.zst", "", None),
    ("-d --range 1000-200000 -c plain.zst", "", None),
    ("--index -f -o out plain.gz", "", Some("out")),
    ("-d --salvage -f -o out plain.zst", "", Some("out")),
    ("--recovery -f -o out plain", "", Some("out")),
    ("--drop-cache -f -o out plain", "", Some("out")),
    ("-f --check --protect whole.zst", "", None),
    ("--verify -f -o out plain", "", Some("out")),
    ("-d --verify -f -o out plain.zst", "", Some("out")),
    ("-d --range 1000-2000 -c plain.gz", "", None),
    ("-d --range 1400000- -c plain.gz", "", None),
];

/// Commands that make more calls than these.
const MORE: [Case; 9] = [
    ("--hash sha256 -f -o out plain", "", Some("out")),
    ("-d --to gzip -c plain.zst", "", None),
    ("--exec -f -o out -- cat plain", "", Some("out")),
    ("-d --extract-to members whole.tar.zst", "", Some("members/plain")),
    ("--tar -f -o out whole.tar", "", Some("out")),
    ("--idle -f -o out plain", "", Some("out")),
    ("--synchronous -f -o out plain", "", Some("out")),
    ("--as gzip -c plain", "", None),
    ("--as zstd -d -f -o out plain.zst", "", Some("out")),
];

/// Commands that have more to do than one thread is made for.
const ALONE: [Case; 18] = [
    ("-d", "long.gz", None),
    ("-d --verify -f -o out long.lz4", "", Some("out")),
    ("--verify -c plain", "", None),
    ("--verify", "long", None),
    ("--hash sha256", "plain", None),
    ("-d --hash xxh3 -c plain.gz", "", None),
    ("-d --hash xxh3", "long.lz4", None),
    ("--to zstd", "long.gz", None),
    ("-q --to zstd --verify --hash sha256", "plain.gz", None),
    ("-d -c plain.7z", "", None),
    ("-d --xbstream", "xbstream", None),
    ("-d --xbstream -f -o out mixed", "", Some("out")),
    ("-t --xbstream mixed", "", None),
    ("--as pigz -c plain", "", None),
    ("--as xz -0 -c plain", "", None),
    ("--as lz4 -q", "plain", None),
    ("--as bzip2 -c plain", "", None),
    ("--as zstd -q -c plain", "", None),
];

/// Runs a command behind these words. Returns what came of it, and the file that it made.
fn outcome(
    folder: &Path,
    before: &[&str],
    threads: &str,
    &(args, input, made): &Case,
) -> (Output, Option<Vec<u8>>) {
    let _ = made.map(|made| std::fs::remove_file(folder.join(made)));
    let _ = std::fs::remove_dir(folder.join("members"));
    let stdin = match input {
        "" => Stdio::null(),
        // Through a pipe.
        _ => Command::new("cat")
            .arg(folder.join(input))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
            .stdout
            .unwrap()
            .into(),
    };
    let threads: &[&str] = if args.starts_with("--as") { &[] } else { &["-p", threads] };
    let words: Vec<&str> =
        before.iter().chain(&["./pzcomp"]).chain(threads).copied().chain(args.split(' ')).collect();
    let mut command = Command::new(words[0]);
    let output =
        command.args(&words[1..]).current_dir(folder).env_remove("PZCOMP").stdin(stdin).output().unwrap();
    (output, made.and_then(|made| std::fs::read(folder.join(made)).ok()))
}

#[test]
fn every_run_works_with_the_threads_that_it_gets() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = folder();
    // No other process has this user, so the limit is that of one process.
    let user = (200_000 + std::process::id() % 1_000_000).to_string();
    let cases = CASES.iter().chain(&MORE).chain(&ALONE);
    let cases = cases.filter(|case| !case.0.starts_with("--exec"));
    for (row, case) in cases.enumerate() {
        let (before, made) = outcome(folder.path(), &[], "1", case);
        // Under the name of another tool the command says nothing of threads.
        let counts = if case.0.starts_with("--as") { &["2"][..] } else { &["1", "3"] };
        for &threads in counts {
            // Each case meets every third limit.
            for limit in [1, 2, 3, 4, 6].into_iter().skip(row % 3).step_by(3) {
                let limit = format!("--nproc={limit}:{limit}");
                let words =
                    ["setpriv", "--reuid", &user, "--regid", &user, "--clear-groups", "prlimit", &limit];
                let (output, again) = outcome(folder.path(), &words, threads, case);
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{} -p {threads} {limit}: {said}", case.0);
                assert!(before.stderr == output.stderr, "{} -p {threads} {limit}: {said}", case.0);
                // libzstd codes a frame in another way without a worker.
                let is_frame = case.0.starts_with("--as zstd") && !case.0.contains(" -d ");
                let is_same = match is_frame {
                    true => {
                        pzcomp::decompress(&output.stdout, &Default::default()).unwrap().len() == 1_500_000
                    }
                    false => before.stdout == output.stdout,
                };
                assert!(is_same, "{} -p {threads} {limit}: other bytes", case.0);
                assert!(made == again, "{} -p {threads} {limit}: another file", case.0);
            }
        }
    }
}

/// Denies system calls, or ends the process at the first one, and runs a command.
const DENY: &str = r#"
import ctypes, os, struct, sys
error, calls, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
answer = 0x80000000 if error == "end" else 0x00050000 | int(error)
code = [(0x20, 0, 0, 0)]
for call in calls:
    code += [(0x15, 0, 1, int(call)), (0x06, 0, 0, answer)]
code.append((0x06, 0, 0, 0x7fff0000))
memory = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
class Program(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
program = Program(len(code), ctypes.addressof(memory))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program), 0, 0):
    sys.exit(77)
os.execvp(command[0], command)
"#;

/// The calls of these commands, as strace counts them, and their numbers. Left out are those without which no program
/// starts, or the standard library of Rust ends it before `main`, as `mmap`, `pread64`, `poll` and `rt_sigaction`.
/// Linux tells the time of day without a call.
#[cfg(target_arch = "x86_64")]
const CALLS: [(&str, u32); 52] = [
    ("prlimit64", 302),
    ("socketpair", 53),
    ("recvfrom", 45),
    ("sendto", 44),
    ("pipe2", 293),
    ("fadvise64", 221),
    ("membarrier", 324),
    ("sched_getaffinity", 204),
    ("getrandom", 318),
    ("madvise", 28),
    ("clone3 and clone", 435),
    ("clone3", 435),
    ("rseq", 334),
    ("sigaltstack", 131),
    ("ppoll", 271),
    ("getrusage", 98),
    ("sysinfo", 99),
    ("uname", 63),
    ("prctl", 157),
    ("copy_file_range", 326),
    ("fchown", 93),
    ("clock_gettime", 228),
    ("dup2", 33),
    ("fchmod", 91),
    ("fcntl", 72),
    ("fdatasync", 75),
    ("fstatfs", 138),
    ("fsync", 74),
    ("getdents64", 217),
    ("geteuid", 107),
    ("gettid", 186),
    ("ioctl", 16),
    ("ioprio_set", 251),
    ("linkat", 265),
    ("lseek", 8),
    ("mkdir", 83),
    ("mkdirat", 258),
    ("mremap", 25),
    ("pwrite64", 18),
    ("readlink", 89),
    ("renameat", 264),
    ("renameat2", 316),
    ("rt_sigprocmask", 14),
    ("sched_setscheduler", 144),
    ("sched_yield", 24),
    ("set_robust_list", 273),
    ("setpgid", 109),
    ("statx", 332),
    ("umask", 95),
    ("unlink", 87),
    ("utimensat", 280),
    ("wait4", 61),
];

/// Each case meets every eleventh call with one of the errors. `PZCOMP_EXHAUSTIVE` is for all of them.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_run_works_without_calls_that_it_can_do_without() {
    let folder = folder();
    let is_selection = std::env::var_os("PZCOMP_EXHAUSTIVE").is_none();
    for (row, case) in CASES.iter().chain(&MORE).enumerate() {
        let (before, made) = outcome(folder.path(), &[], "2", case);
        for (column, (call, number)) in CALLS.iter().enumerate() {
            // Without it the standard library waits for the program, which waits for pzcomp, or panics.
            let is_new = *call == "recvfrom" && case.0.starts_with("--exec");
            if is_selection && !is_new && (row + column) % 11 > 0 {
                continue;
            }
            let numbers = if *call == "clone3 and clone" { "435,56".to_owned() } else { number.to_string() };
            let errors =
                if is_selection { &["1", "38"][(row + column) / 11 % 2..][..1] } else { &["1", "38"][..] };
            // Rust's library goes on without random bytes after these two errors only.
            let errors: Vec<&str> =
                errors.iter().chain((*call == "getrandom").then_some(&"13")).copied().collect();
            for error in errors {
                let words = ["timeout", "60", "python3", "-c", DENY, error, &numbers];
                let (output, again) = outcome(folder.path(), &words, "2", case);
                let said = String::from_utf8_lossy(&output.stderr);
                let context = format!("{} without {call}, error {error}: {}: {said}", case.0, output.status);
                if output.status.code() == Some(77) {
                    return;
                }
                assert!(!said.contains("panicked") && !said.contains("please report"), "{context}");
                if output.status.success() {
                    assert!(output.stderr == before.stderr, "{context}");
                    assert!(before.stdout == output.stdout && made == again, "{context}: other bytes");
                } else {
                    let name = if case.0.starts_with("--as") { case.0.split(' ').nth(1) } else { None };
                    let name = format!("{}: ", name.unwrap_or("pzcomp"));
                    assert!(!matches!(output.status.code(), None | Some(101 | 124)), "{context}");
                    assert!(said.starts_with(&name), "{context}");
                    // A member that lacks its time is there.
                    assert!(again.is_none() || again == made, "{context}");
                }
                let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
                let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains("partial")).collect();
                assert!(left.is_empty(), "{context}: {left:?}");
            }
        }
    }
}

/// A script may run one process for each of thousands of files, so to start a thread for each would take longer than
/// the work. `strace` counts the calls where it may.
#[cfg(target_arch = "x86_64")]
#[test]
fn what_is_short_starts_no_thread_and_makes_few_calls() {
    /// The dynamic linker makes about 45 of them, and a build for tests some that others do not make. A build of this
    /// package alone makes two more.
    const MOST: usize = 151;
    let folder = Folder::new();
    let plain = text(150_000);
    folder.write("plain", &plain);
    folder.run("-k plain").fine();
    std::fs::write(folder.path("gz"), folder.run("-F gzip -c plain").fine()).unwrap();
    let cases = [
        ("--as gzip -c plain", ""),
        ("--as gzip -k -f plain", ""),
        ("--as gzip -dc gz", ""),
        ("--as gzip -t gz", ""),
        ("--as zstd -q -c plain", ""),
        ("--as xz -c -0 plain", ""),
        ("-1 -c plain", ""),
        ("-1", "plain"),
        ("-k -f plain", ""),
        ("-d -c plain.zst", ""),
        ("-d", "plain.zst"),
        ("-d -k -f plain.zst", ""),
        ("-t plain.zst", ""),
    ];
    let traces = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    let traces = traces.is_ok_and(|traced| traced.status.success());
    for (args, input) in cases {
        for through_pipe in [false, true] {
            let stdin = || match (input, through_pipe) {
                ("", _) => Stdio::null(),
                (input, false) => File::open(folder.path(input)).unwrap().into(),
                // All of it waits in the pipe, which nobody writes to any more.
                (input, true) => {
                    let (reader, mut writer) = std::io::pipe().unwrap();
                    rustix::pipe::fcntl_setpipe_size(&writer, 1 << 18).unwrap();
                    writer.write_all(&std::fs::read(folder.path(input)).unwrap()).unwrap();
                    reader.into()
                }
            };
            let run = |before: &[&str]| {
                let words =
                    before.iter().copied().chain([env!("CARGO_BIN_EXE_pzcomp")]).chain(args.split(' '));
                let words: Vec<&str> = words.collect();
                // The linker would look for each library in each of the folders of a build.
                let mut command = folder.program(words[0], &words[1..]);
                command.stdin(stdin()).env_remove("LD_LIBRARY_PATH").output().unwrap()
            };
            let plainly = run(&[]);
            assert!(plainly.status.success(), "{args}: {plainly:?}");
            let alone = run(&["python3", "-c", DENY, "end", "435,56,57,58"]);
            if alone.status.code() == Some(77) {
                return;
            }
            assert!(alone.status.success(), "{args} < {input:?}, a pipe: {through_pipe}: {:?}", alone.status);
            assert_eq!(plainly.stdout, alone.stdout, "{args}");
            if traces {
                let traced = run(&["strace", "-f", "-qq", "-o", "calls"]);
                assert_eq!(plainly.stdout, traced.stdout, "{args}");
                let calls = std::fs::read_to_string(folder.path("calls")).unwrap().lines().count();
                // xz asks for the CPUs, because its limits of memory depend on them.
                let most = if args.contains("xz") { MOST + 20 } else { MOST };
                assert!(calls <= most, "{args} < {input:?}, a pipe: {through_pipe}: {calls} calls");
            }
        }
    }
    assert_eq!(folder.run("--as gzip -dc plain.gz").fine(), plain);
}

/// A file on standard input, and one on standard output, stand where they would stand if they had been read and written
/// in order.
#[test]
fn files_stand_behind_what_was_taken_and_made() {
    let folder = Folder::new();
    let plain = text(50_000);
    let coded = folder.pipe("-1", &plain).fine();
    for (args, input) in [("-1", &plain), ("--as gzip -n", &plain), ("-d", &coded)] {
        let before = b"before";
        folder.write("input", [&before[..], input].concat());
        let mut stdin = File::open(folder.path("input")).unwrap();
        let mut stdout = File::create_new(folder.path("output")).unwrap();
        stdin.read_exact(&mut [0; 6]).unwrap();
        stdout.write_all(before).unwrap();
        let mut command = folder.command(args.split(' '));
        command.stdin(stdin.try_clone().unwrap()).stdout(stdout.try_clone().unwrap());
        finish(command.spawn().unwrap()).fine();
        let made = folder.read("output");
        assert_eq!(stdin.stream_position().unwrap(), 6 + input.len() as u64, "{args}");
        assert_eq!(stdout.stream_position().unwrap(), made.len() as u64, "{args}");
        assert!(made[6..] == folder.pipe(args, input).fine(), "{args}: other bytes");
        std::fs::remove_file(folder.path("output")).unwrap();
    }
}
