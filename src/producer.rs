//! Programs that write the data to compress.
//!
//! `source` starts a [`Producer`], and `work` reads its standard output. The exit status says whether the data is
//! complete ([`Producer::failure`]).
//!
//! A program that has failed is not waited for any longer: something that it has started may still have its standard
//! output open ([`Producer::has_failed`]). The program is also ended if pzcomp fails, or if a signal ends
//! pzcomp: by SIGTERM, and by SIGKILL if it takes more than [`GRACE`].
//!
//! The program has a process group of its own, and all of the group is ended, if there is no terminal. At a terminal
//! the program stays in the group of pzcomp. There a group in the background is stopped when it reads from the
//! terminal, as mysqldump does for a password. Ctrl-C and Ctrl-Z reach both anyway. A program that pzcomp cannot end,
//! because SIGKILL has ended pzcomp, gets SIGTERM from Linux.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group, waitid,
};

use system::inherited::{self, Locked};

/// How long a program has to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// How long the other processes of its group have when it has ended. The group lasts until init has noticed the end of
/// the last one, which may take its time.
const GRACE_OF_OTHERS: Duration = Duration::from_millis(300);

/// How often a program is looked at that is to end.
const LOOK: Duration = Duration::from_millis(10);

/// The program that runs, for the answer to a signal.
static RUNNING: Mutex<Option<Running>> = Mutex::new(None);

/// Whether a signal ends this process. What becomes of the program does not matter any more then.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// A running program.
#[derive(Debug)]
pub(super) struct Producer {
    pub(super) command: Vec<OsString>,
    child: RefCell<Child>,
}

impl Producer {
    /// Starts the program. Also returns its standard output. It inherits everything else.
    pub(super) fn start(command: &[OsString]) -> io::Result<(Self, File)> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut starting = Command::new(program);
        starting.args(arguments).stdout(Stdio::piped());
        let has_group = File::open("/dev/tty").is_err();
        if has_group {
            starting.process_group(0);
        }
        inherited::pass_on(&mut starting);
        can_receive()?;
        let mut running = running();
        let mut child = starting.spawn()?;
        *running = Some(Running { pid: Pid::from_child(&child), has_group });
        drop(running);
        let output = child.stdout.take().map(OwnedFd::from).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((Self { command: command.to_vec(), child: RefCell::new(child) }, File::from(output)))
    }

    /// Whether the program has ended, and not well.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.child.borrow_mut().try_wait(), Ok(Some(status)) if !status.success())
    }

    /// Waits for the end of the program. Says how it failed, if it did.
    pub(super) fn failure(&self) -> Option<String> {
        let ended = self.child.borrow_mut().wait();
        while IS_ENDING.load(Ordering::Relaxed) {
            // This process ends by a signal, and not with an exit status.
            std::thread::park();
        }
        match ended {
            Ok(status) if status.success() => {
                *running() = None;
                None
            }
            Ok(status) => Some(describe(status)),
            Err(error) => Some(format!("cannot be waited for: {error}")),
        }
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        end();
        // It is gone, unless the system has refused to end it. It ends when it next writes then.
        let _ = self.child.get_mut().try_wait();
    }
}

/// Fails if the system denies the call by which the standard library learns that a program has started. The library
/// panics then, or waits without end for a program that waits for this process.
fn can_receive() -> io::Result<()> {
    let (mut ours, theirs) = UnixStream::pair()?;
    drop(theirs);
    ours.read(&mut [0]).map(drop)
}

fn running() -> Locked<Option<Running>> {
    inherited::lock(&RUNNING)
}

/// Ends the program, if one runs. What a program that has failed has started ends as well.
pub(super) fn end() {
    if let Some(running) = running().take() {
        running.end();
    }
}

/// The same, because a signal ends this process. From here on nothing is said of the program, and no other thread can
/// end the process for its sake.
pub(super) fn end_for_signal() {
    IS_ENDING.store(true, Ordering::Relaxed);
    let running = running();
    if let Some(running) = *running {
        running.end();
    }
    std::mem::forget(running);
}

/// A program to end.
#[derive(Clone, Copy, Debug)]
struct Running {
    pid: Pid,
    /// Whether it has a process group of its own.
    has_group: bool,
}

impl Running {
    fn end(self) {
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
    fn runs(self) -> bool {
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

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".into(),
    }
}
