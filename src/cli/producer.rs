//! Programs that write the data to compress, and the end of that data.
//!
//! `source` starts a [`Producer`], and `work` reads its standard output. A backup is complete only if the program that
//! made it says so: by its exit status, or by its last line. So `work` asks [`check_end`] at the end of the data. If the
//! answer is an error, the library does not complete the output.
//!
//! A program that is still running when its [`Producer`] is dropped is killed, because nobody reads its output any more.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use pzcomp::TAIL_MAX;
use regex::bytes::Regex;

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
        let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().map(OwnedFd::from).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((Self { command: command.to_vec(), child: RefCell::new(child) }, File::from(output)))
    }

    /// Waits for the end of the program. Says how it failed, if it did.
    fn failure(&self) -> Option<String> {
        match self.child.borrow_mut().wait() {
            Ok(status) if status.success() => None,
            Ok(status) => Some(describe(status)),
            Err(error) => Some(format!("cannot be waited for: {error}")),
        }
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        // After a failure here, the program is orphaned, and ends when it next writes.
        if let Ok(None) = child.try_wait() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit status {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "failed".into(),
    }
}

/// Why the end of the data does not count, if it does not: the producer has failed, or the last bytes, `tail`, do not
/// match.
pub(super) fn check_end(
    producer: Option<&Producer>,
    expected: Option<&Regex>,
    tail: &[u8],
) -> Result<(), String> {
    if let Some(failure) = producer.and_then(Producer::failure) {
        return Err(failure);
    }
    match expected {
        Some(expected) if !expected.is_match(tail) => {
            let searched = tail.len().min(TAIL_MAX);
            Err(format!("the last {searched} bytes do not contain what --expect-tail asks for: {expected}"))
        }
        _ => Ok(()),
    }
}
