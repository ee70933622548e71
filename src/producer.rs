//! Programs that write the data to compress.
//!
//! `source` starts a [`Producer`], and `work` reads its standard output. The exit status says whether the data is
//! complete ([`Producer::failure`]).
//!
//! A program that has failed is not waited for any longer: something that it has started may still have its standard
//! output open ([`Producer::has_failed`]). The program is also ended if pzcomp fails, or if a signal ends pzcomp
//! ([`Running::end`]).

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use system::child::{self, Running, describe};
use system::handle::OwnedHandle;
use system::signals::{self, Locked};

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
        let mut running = running();
        let (mut child, started) = child::start(&mut starting)?;
        *running = Some(started);
        drop(running);
        let output = child.stdout.take().map(OwnedHandle::from).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((Self { command: command.to_vec(), child: RefCell::new(child) }, File::from(output)))
    }

    /// The number of its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.borrow().id()
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

fn running() -> Locked<Option<Running>> {
    signals::lock(&RUNNING)
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
    if let Some(running) = &*running {
        running.end();
    }
    std::mem::forget(running);
}
