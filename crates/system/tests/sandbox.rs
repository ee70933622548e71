//! What a process in the sandbox can no longer do, and what it still can. Each attempt is made by a thread that runs
//! before the sandbox and by one that starts in it.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![allow(missing_docs, clippy::unwrap_used)]

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Error, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pzcomp_system::folder::Folder;
use pzcomp_system::sandbox::{self, Left, Output};

type Attempt = fn() -> Result<()>;

/// What hostile code would try. Each must fail with "Operation not permitted".
const ATTEMPTS: &[(&str, Attempt)] = &[
    ("read a file", || File::open("/etc/passwd").map(drop)),
    ("make a file", || File::create(std::env::temp_dir().join("pzcomp-sandbox")).map(drop)),
    ("remove a file", || std::fs::remove_file(std::env::temp_dir().join("nothing"))),
    ("rename a file", || std::fs::rename("/tmp/nothing", "/tmp/else")),
    ("change a mode", || {
        // SAFETY: the path ends with a zero.
        failed(unsafe { libc::chmod(c"/nothing".as_ptr(), 0o777) })
    }),
    ("connect", || TcpStream::connect("127.0.0.1:9").map(drop)),
    ("listen", || TcpListener::bind("127.0.0.1:0").map(drop)),
    ("make a pair of sockets", || UnixStream::pair().map(drop)),
    ("start a program", || Command::new("true").status().map(drop)),
    ("replace the program", || Err(std::os::unix::process::CommandExt::exec(&mut Command::new("true")))),
    ("fork", || {
        // SAFETY: a child would go on with this test alone.
        failed(unsafe { libc::fork() })
    }),
    ("signal another process", || {
        // SAFETY: the arguments are numbers, and signal 0 only asks.
        failed(unsafe { libc::kill(libc::getppid(), 0) })
    }),
    ("signal a thread of another process", || {
        // SAFETY: the arguments are numbers.
        let parent = unsafe { libc::getppid() };
        // SAFETY: as above, and signal 0 only asks.
        failed(unsafe { libc::syscall(libc::SYS_tgkill, parent, parent, 0) } as i32)
    }),
    ("trace another process", || {
        // SAFETY: nothing is read or written through the pointers.
        failed(unsafe { libc::ptrace(libc::PTRACE_SEIZE, libc::getppid(), 0usize, 0usize) } as i32)
    }),
    ("read the memory of another process", || {
        // SAFETY: no memory is named.
        failed(
            unsafe { libc::process_vm_readv(libc::getppid(), std::ptr::null(), 0, std::ptr::null(), 0, 0) }
                as i32,
        )
    }),
    ("have a descriptor signal another process", || {
        // SAFETY: the arguments are numbers.
        failed(unsafe { libc::fcntl(0, libc::F_SETOWN, libc::getppid()) })
    }),
    ("type at a terminal", || {
        // SAFETY: the call reads one byte, which is there.
        failed(unsafe { libc::ioctl(0, libc::TIOCSTI, c"x".as_ptr()) })
    }),
    ("make memory with code", || {
        let (access, kind) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: the system chooses a free place. The function of musl would tell another error.
        failed(unsafe { libc::syscall(libc::SYS_mmap, 0usize, 4096usize, access, kind, -1, 0usize) } as i32)
    }),
];

fn failed(code: i32) -> Result<()> {
    if code == -1 { Err(Error::last_os_error()) } else { Ok(()) }
}

fn attempt(from: &str) {
    for (name, attempt) in ATTEMPTS {
        match attempt() {
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => {}
            other => println!("{from}: could {name}: {other:?}"),
        }
    }
}

/// This test in a process of its own.
fn child() {
    let (enter, entered) = channel::<()>();
    let before = thread::spawn(move || {
        entered.recv().unwrap();
        attempt("a thread from before");
    });
    assert!(sandbox::enter(&mut Left::default()), "{}", Error::last_os_error());
    let mut limits = [usize::MAX; 2];
    let asked = [0, libc::RLIMIT_CORE as usize, 0, (&raw mut limits) as usize, 0, 0];
    assert_eq!((call(libc::SYS_prlimit64, asked), limits), (Ok(0), [0; 2]), "a crash would write a file");
    enter.send(()).unwrap();
    before.join().unwrap();
    attempt("the thread that entered");
    let later = thread::Builder::new().name("later".into()).spawn(|| {
        attempt("a thread from later");
        // Work goes on: memory of all sizes, time, other threads, output, and a second filter.
        let all: Vec<Vec<u8>> = (0..24).map(|log| vec![1; 1 << log]).collect();
        thread::sleep(Duration::from_millis(1));
        std::io::stderr().write_all(&all[4][..1]).unwrap();
        thread::available_parallelism().unwrap();
        std::collections::HashMap::<u8, u8>::new().insert(1, 2);
    });
    later.unwrap().join().unwrap();
    println!("worked on");
}

/// Runs this test in a process of its own, unless it is that process.
fn in_child(name: &str, child: fn()) {
    const CHILD: &str = "PZCOMP_SANDBOX_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let run = command.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(said.contains("worked on") && !said.contains("could") && run.status.success(), "{run:?}");
}

#[test]
fn nothing_new_can_be_reached_from_any_thread_and_work_goes_on() {
    in_child("nothing_new_can_be_reached_from_any_thread_and_work_goes_on", child);
}

/// The raw call. `Err` has the number of the error.
fn call(number: i64, args: [usize; 6]) -> std::result::Result<i64, i32> {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the calls that are tried fail in the sandbox, or are given memory that is there.
    match unsafe { libc::syscall(number, a, b, c, d, e, f) } {
        -1 => Err(Error::last_os_error().raw_os_error().unwrap()),
        done => Ok(done),
    }
}

fn refuses(what: &str, number: i64, args: [usize; 6]) {
    match call(number, args) {
        Err(libc::EPERM) => {}
        done => println!("could {what}: {done:?}"),
    }
}

#[test]
fn every_call_that_is_not_listed_is_refused_by_its_number_also_those_of_x32() {
    in_child("every_call_that_is_not_listed_is_refused_by_its_number_also_those_of_x32", || {
        assert!(sandbox::enter(&mut Left::default()));
        let mut listed = vec![libc::SYS_clone3];
        #[rustfmt::skip]
        listed.extend([
            libc::SYS_read, libc::SYS_readv, libc::SYS_pread64, libc::SYS_preadv, libc::SYS_write, libc::SYS_writev,
            libc::SYS_pwrite64, libc::SYS_pwritev, libc::SYS_lseek, libc::SYS_fstat, libc::SYS_newfstatat,
            libc::SYS_statx, libc::SYS_fstatfs, libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_ftruncate,
            libc::SYS_fallocate, libc::SYS_fadvise64, libc::SYS_flock, libc::SYS_close, libc::SYS_dup,
            libc::SYS_pipe2, libc::SYS_ppoll, libc::SYS_splice, libc::SYS_sendfile, libc::SYS_copy_file_range,
            libc::SYS_brk, libc::SYS_futex, libc::SYS_set_robust_list, libc::SYS_rseq, libc::SYS_membarrier,
            libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_gettid, libc::SYS_getpid,
            libc::SYS_exit, libc::SYS_exit_group, libc::SYS_restart_syscall, libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_sigaltstack, libc::SYS_clock_gettime,
            libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_nanosleep, libc::SYS_gettimeofday,
            libc::SYS_times, libc::SYS_getrusage, libc::SYS_getrandom, libc::SYS_sysinfo, libc::SYS_uname,
            libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid, libc::SYS_getegid,
        ]);
        #[cfg(target_arch = "x86_64")]
        // The last two are of uprobes. They end a process that has none, and pass no filter.
        listed.extend([libc::SYS_poll, libc::SYS_stat, libc::SYS_lstat, 335, 336]);
        // With these arguments they name memory behind the names, or nothing that is open.
        listed.push(libc::SYS_munmap);
        for number in (0..1024).filter(|number| !listed.contains(number)) {
            refuses(&format!("call {number}"), number, [usize::MAX; 6]);
        }
        for number in 0..1024 {
            // The other table of calls of this processor.
            refuses(&format!("call {number} of x32"), number | 0x4000_0000, [usize::MAX; 6]);
        }
        match call(libc::SYS_clone3, [0; 6]) {
            Err(libc::ENOSYS) => {}
            done => println!("could clone: {done:?}"),
        }
        println!("worked on");
    });
}

#[test]
fn calls_that_are_limited_take_no_other_arguments() {
    in_child("calls_that_are_limited_take_no_other_arguments", || {
        assert!(sandbox::enter(&mut Left::default()));
        // A descriptor that is not open, and a process that does not exist: what the kernel takes fails otherwise.
        let none = usize::MAX;
        let except = |allowed: &'static [u32]| (0..0x1_0000).filter(|value| !allowed.contains(value));
        for command in except(&[0, 1, 2, 3, 1030, 1031, 1032]) {
            refuses(&format!("fcntl {command}"), libc::SYS_fcntl, [none, command as usize, 0, 0, 0, 0]);
        }
        for request in except(&[0x5401, 0x5413, 0x541b]) {
            refuses(&format!("ioctl {request:#x}"), libc::SYS_ioctl, [none, request as usize, 0, 0, 0, 0]);
        }
        // Copies of whole files, attributes of files, keys of file systems, and loop devices.
        for request in [0x4004_9409, 0x4020_940d, 0x4008_6602, 0x4020_5820, 0xc040_6616, 0x4c00_usize] {
            refuses(&format!("ioctl {request:#x}"), libc::SYS_ioctl, [none, request, 0, 0, 0, 0]);
        }
        for option in except(&[15]) {
            refuses(&format!("prctl {option}"), libc::SYS_prctl, [option as usize, 0, 0, 0, 0, 0]);
        }
        for advice in except(&[0, 1, 2, 3, 4, 8, 14, 15, 16, 23, 102, 103]) {
            refuses(&format!("madvise {advice}"), libc::SYS_madvise, [1 << 40, 0, advice as usize, 0, 0, 0]);
        }
        let own = std::process::id() as usize;
        for process in (0..0x1_0000).filter(|process| *process != own) {
            refuses(&format!("signal {process}"), libc::SYS_tgkill, [process, process, 0, 0, 0, 0]);
            refuses(&format!("limit {process}"), libc::SYS_prlimit64, [process | 1, 1, 0, 0, 0, 0]);
        }
        // Every bit without those of a thread, and each of another world with them.
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD) as usize;
        for flag in (0..32).map(|bit| 1 << bit) {
            refuses(&format!("clone {flag:#x}"), libc::SYS_clone, [flag & !thread | 0x100, 0, 0, 0, 0, 0]);
        }
        for world in [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000] {
            refuses(&format!("see {world:#x}"), libc::SYS_clone, [thread | 0x800 | world, 0, 0, 0, 0, 0]);
        }
        // The calls of programs with 32 bits: open, execve and socketcall.
        #[cfg(target_arch = "x86_64")]
        for number in [5, 11, 102] {
            let done: i32;
            // SAFETY: the call is refused. Its arguments name no memory. Rust keeps a value in rbx, which is put back.
            unsafe {
                std::arch::asm!("push rbx", "xor ebx, ebx", "int 0x80", "pop rbx", inlateout("eax") number => done,
                    in("ecx") 0, in("edx") 0, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
            }
            if done != -libc::EPERM {
                println!("could call {number} of 32 bits: {done}");
            }
        }
        println!("worked on");
    });
}

#[test]
fn an_output_gets_its_name_and_its_attributes_and_no_other_file_is_reached() {
    in_child("an_output_gets_its_name_and_its_attributes_and_no_other_file_is_reached", complete_one);
}

fn complete_one() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    std::fs::write(at("source"), "x").unwrap();
    std::fs::set_permissions(at("source"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::write(at("other"), "y").unwrap();
    let folder = Folder::open(place.path()).unwrap();
    let (name, file) = folder.temporary(0o600).unwrap();
    let (source, to) = (at("source"), OsStr::new("out"));
    let fd = folder.as_fd();
    let like = pzcomp_system::facts::Facts::of(&File::open(at("source")).unwrap()).unwrap();
    let output = Output {
        file: &file,
        folder: &folder,
        name: Some(&name),
        named: (to, false),
        like: Some((&like, 0o777)),
    };
    let mut left = Left { output: Some(output), removed: Some(&source), ..Left::default() };
    assert!(sandbox::enter(&mut left) && !left.files);

    const LARGE: usize = if cfg!(target_arch = "x86_64") { 0o100_000 } else { 0o400_000 };
    // The names as hostile code finds them.
    const NAMES: usize = 0xf000_0000;
    let sealed = format!(".\0{}\0out\0{}\0", source.display(), name.display());
    // SAFETY: the memory is there, and nothing changes it.
    let now = || unsafe { std::slice::from_raw_parts(NAMES as *const u8, sealed.len()) };
    assert_eq!(now(), sealed.as_bytes());
    let source_at = NAMES + 2;
    let to_at = source_at + source.as_os_str().len() + 1;
    let name_at = to_at + to.len() + 1;
    let own = |text: &std::ffi::CStr| text.as_ptr() as usize;
    let (dir, out) = (fd.as_raw_fd() as usize, file.as_raw_fd() as usize);
    let here = libc::AT_FDCWD as usize;

    let makes = (libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_RDWR) as usize;
    let elsewhere = (libc::O_TMPFILE | libc::O_PATH | libc::O_RDWR) as usize;
    let world = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND | libc::CLONE_NEWNET) as usize;
    let stack = (&raw const out as usize) & !4095;
    let tricks: &[(&str, i64, [usize; 6])] = &[
        ("rename another", libc::SYS_renameat, [dir, own(c"other"), dir, to_at, 0, 0]),
        ("rename to another", libc::SYS_renameat, [dir, name_at, dir, own(c"other"), 0, 0]),
        ("rename back", libc::SYS_renameat, [dir, to_at, dir, name_at, 0, 0]),
        ("rename here", libc::SYS_renameat, [here, name_at, dir, to_at, 0, 0]),
        ("rename there", libc::SYS_renameat, [dir, name_at, here, to_at, 0, 0]),
        ("exchange", libc::SYS_renameat2, [dir, name_at, dir, to_at, libc::RENAME_EXCHANGE as usize, 0]),
        ("rename by a far pointer", libc::SYS_renameat, [dir, name_at | 1 << 32, dir, to_at, 0, 0]),
        ("link another", libc::SYS_linkat, [dir, own(c"other"), dir, to_at, 0, 0]),
        ("link the source", libc::SYS_linkat, [here, source_at, dir, to_at, 0, 0]),
        ("remove another", libc::SYS_unlinkat, [dir, own(c"other"), 0, 0, 0, 0]),
        ("remove here", libc::SYS_unlinkat, [here, name_at, 0, 0, 0, 0]),
        ("remove it as a folder", libc::SYS_unlinkat, [here, source_at, 0x200, 0, 0, 0]),
        ("remove a folder", libc::SYS_unlinkat, [dir, name_at, libc::AT_REMOVEDIR as usize, 0, 0, 0]),
        ("open another", libc::SYS_openat, [dir, own(c"other"), libc::O_RDONLY as usize, 0, 0, 0]),
        ("open the source", libc::SYS_openat, [here, source_at, libc::O_RDWR as usize, 0, 0, 0]),
        ("empty the output's name", libc::SYS_openat, [dir, to_at, libc::O_TRUNC as usize | 1, 0, 0, 0]),
        ("make a program of root there", libc::SYS_openat, [dir, to_at, makes, 0o4755, 0, 0]),
        ("open another folder", libc::SYS_openat, [here, own(c"/"), elsewhere, 0, 0, 0]),
        ("close the folder", libc::SYS_close, [dir, 0, 0, 0, 0, 0]),
        ("close the output", libc::SYS_close, [out, 0, 0, 0, 0, 0]),
        ("have crashes dumped", libc::SYS_prlimit64, [0, libc::RLIMIT_CORE as usize, stack, 0, 0, 0]),
        ("see another network", libc::SYS_clone, [world, 0, 0, 0, 0, 0]),
        ("set times of another", libc::SYS_utimensat, [out, own(c"other"), 0, 0, 0, 0]),
        ("set times of the input", libc::SYS_utimensat, [0, 0, 0, 0, 0, 0]),
        ("make a program of root", libc::SYS_fchmod, [out, 0o4755, 0, 0, 0, 0]),
        ("show the output", libc::SYS_fchmod, [out, 0o666, 0, 0, 0, 0]),
        ("change the input", libc::SYS_fchmod, [0, 0o640, 0, 0, 0, 0]),
        ("give it away", libc::SYS_fchown, [out, 1, 1, 0, 0, 0]),
        ("change the folder", libc::SYS_fchmod, [dir, 0o640, 0, 0, 0, 0]),
        ("put another folder there", libc::SYS_dup3, [0, dir, 0, 0, 0, 0]),
        ("unmap the names", libc::SYS_munmap, [NAMES, 4096, 0, 0, 0, 0]),
        ("unmap all below", libc::SYS_munmap, [0x1_0000, 1 << 33, 0, 0, 0, 0]),
        ("unmap with a tag", libc::SYS_munmap, [NAMES | 1 << 56, 4096, 0, 0, 0, 0]),
        ("write the names", libc::SYS_mprotect, [NAMES, 4096, 3, 0, 0, 0]),
        ("write all below", libc::SYS_mprotect, [0x1_0000, 1 << 33, 3, 0, 0, 0]),
        ("move the names", libc::SYS_mremap, [NAMES, 4096, 8192, 1, 0, 0]),
        ("move onto the names", libc::SYS_mremap, [stack, 4096, 4096, 3, NAMES, 0]),
        ("map onto the names", libc::SYS_mmap, [NAMES, 4096, 3, 0x32, usize::MAX, 0]),
        ("give the names back", libc::SYS_madvise, [NAMES, 4096, libc::MADV_DONTNEED as usize, 0, 0, 0]),
        ("guard the names", libc::SYS_madvise, [NAMES, 4096, 102, 0, 0, 0]),
        ("poison memory", libc::SYS_madvise, [NAMES, 4096, 100, 0, 0, 0]),
        ("take memory offline", libc::SYS_madvise, [NAMES, 4096, 101, 0, 0, 0]),
        ("signal the parent", libc::SYS_kill, [std::os::unix::process::parent_id() as usize, 0, 0, 0, 0, 0]),
        ("wait", libc::SYS_wait4, [usize::MAX, 0, 0, 0, 0, 0]),
    ];
    for &(what, number, args) in tricks {
        refuses(what, number, args);
    }
    // A place that is taken, and memory that is only read.
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let taken = call(libc::SYS_mmap, [NAMES, 4096, 3, kind as usize, usize::MAX, 0]);
    assert_eq!(taken, Err(libc::EEXIST));
    file.write_at(b"hostile", 0).unwrap();
    assert_eq!(call(libc::SYS_pread64, [out, NAMES, 7, 0, 0, 0]), Err(libc::EFAULT));
    assert_eq!(now(), sealed.as_bytes());

    // What is left: completion, and the removal of the source.
    like.give_to(&file, 0o777);
    folder.give_name(&name, to).unwrap();
    folder.sync().unwrap();
    // It hides a refusal, so the call is tried too, as other code asks for it.
    let reads = (libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) as usize;
    call(libc::SYS_openat, [dir, NAMES, reads, 0, 0, 0]).unwrap();
    call(libc::SYS_openat, [dir, NAMES, reads | LARGE, 0, 0, 0]).unwrap();
    pzcomp_system::folder::remove_file(&source).unwrap();
    assert!(folder.has(to) && !folder.has(&name) && !folder.has(OsStr::new("source")));
    assert_eq!(std::fs::metadata(at("out")).unwrap().mode() & 0o7777, 0o640);
    std::mem::forget(place);
    println!("worked on");
}
