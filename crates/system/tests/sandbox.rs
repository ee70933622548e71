//! What a process in the sandbox can no longer do, and what it still can. Each attempt is made by a thread that runs
//! before the sandbox and by one that starts in it.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs::File;
use std::io::{Error, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pzcomp_system::sandbox;

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
        // SAFETY: the system chooses a free place.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, kind, -1, 0) };
        if memory == libc::MAP_FAILED { Err(Error::last_os_error()) } else { Ok(()) }
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
    assert!(sandbox::enter(), "{}", Error::last_os_error());
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
        assert!(sandbox::enter());
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
        listed.extend([libc::SYS_poll, 335, 336]);
        listed.extend([libc::SYS_munmap, libc::SYS_mremap]);
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
        let folder = (libc::O_TMPFILE | libc::O_PATH | libc::O_RDWR) as usize;
        let world = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND | libc::CLONE_NEWNET) as usize;
        let here = libc::AT_FDCWD as usize;
        refuses("open a folder", libc::SYS_openat, [here, c"/".as_ptr() as usize, folder, 0, 0, 0]);
        let limit = [libc::RLIM_INFINITY; 2].as_ptr() as usize;
        refuses("dump crashes", libc::SYS_prlimit64, [0, libc::RLIMIT_CORE as usize, limit, 0, 0, 0]);
        refuses("see another network", libc::SYS_clone, [world, 0, 0, 0, 0, 0]);
        refuses("poison memory", libc::SYS_madvise, [limit & !4095, 4096, 100, 0, 0, 0]);
        println!("worked on");
    });
}
