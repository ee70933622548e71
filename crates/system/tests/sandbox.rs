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
    assert!(pzcomp_system::sandbox::enter(), "{}", Error::last_os_error());
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

#[test]
fn nothing_new_can_be_reached_from_any_thread_and_work_goes_on() {
    const CHILD: &str = "PZCOMP_SANDBOX_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let name = "nothing_new_can_be_reached_from_any_thread_and_work_goes_on";
    let mut command = Command::new(std::env::current_exe().unwrap());
    let run = command.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(said.contains("worked on") && !said.contains("could") && run.status.success(), "{run:?}");
}
