//! Programs on POSIX systems.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group, waitid,
};

use crate::signals::{blocked, is_ignored};

/// How a user lets a process have more threads.
pub const MORE: &str = "allow more processes (ulimit -u, pids.max) or memory";

/// Why the system finds no program, and what to do.
pub const NOT_FOUND: &str = "there is no such program, or not the interpreter that its first line names; check its \
                             name, and PATH if the name has no /";

/// What to do if the rights of a file deny that it is run.
pub const NOT_ALLOWED: &str = "make it executable with chmod +x, if it is a program";

/// How long a program has to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// How long the other processes of its group have when it has ended. The group lasts until init has noticed the end of
/// the last one, which may take its time.
const GRACE_OF_OTHERS: Duration = Duration::from_millis(300);

/// How often a program is looked at that is to end.
const LOOK: Duration = Duration::from_millis(10);

/// Starts a program with the signals as the caller has left them.
pub fn start(command: &mut Command) -> io::Result<(Child, Running)> {
    let has_group = File::open("/dev/tty").is_err();
    if has_group {
        command.process_group(0);
    }
    pass_on(command);
    can_receive()?;
    let child = command.spawn()?;
    let running = Running { pid: Pid::from_child(&child), has_group };
    Ok((child, running))
}

/// Fails if the system denies the call by which the standard library learns that a program has started. The library
/// panics then, or waits without end for a program that waits for this process.
fn can_receive() -> io::Result<()> {
    let (mut ours, theirs) = UnixStream::pair()?;
    drop(theirs);
    ours.read(&mut [0]).map(drop)
}

/// Has a program start with the signals as the caller has left them, and has the system end it if this process is
/// ended without a chance to do so itself.
fn pass_on(command: &mut Command) {
    let restore = || {
        let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: these calls are allowed between fork and exec, and the pointers lead to memory for the set.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in blocked() {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
            for signal in [libc::SIGPIPE, libc::SIGCHLD] {
                if is_ignored(signal) {
                    libc::signal(signal, libc::SIG_IGN);
                }
            }
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        }
        Ok(())
    };
    // SAFETY: the closure only makes system calls, and touches no memory but its own.
    unsafe { command.pre_exec(restore) };
}

/// A program to end.
#[derive(Debug)]
pub struct Running {
    pid: Pid,
    /// Whether it has a process group of its own.
    has_group: bool,
}

impl Running {
    /// Ends the program and its group: by SIGTERM, and by SIGKILL if it takes more than some seconds.
    pub fn end(&self) {
        // If a signal cannot be sent, the process is gone.
        let signal = |signal| match self.has_group {
            true => kill_process_group(self.pid, signal),
            false if self.runs() => kill_process(self.pid, signal),
            false => Ok(()),
        };
        let _ = signal(Signal::TERM);
        wait_while(GRACE, || self.runs());
        if self.has_group {
            wait_while(GRACE_OF_OTHERS, || test_kill_process_group(self.pid).is_ok());
        }
        let _ = signal(Signal::KILL);
    }

    /// Whether the program has not ended.
    fn runs(&self) -> bool {
        // Takes the exit status if the program has ended. It is an error if that was taken before.
        let ended = waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        matches!(ended, Ok(None))
    }
}

/// Waits while this holds, at most so long.
fn wait_while(most: Duration, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while holds() && begun.elapsed() < most {
        std::thread::sleep(LOOK);
    }
}

/// How a program has failed.
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".into(),
    }
}
