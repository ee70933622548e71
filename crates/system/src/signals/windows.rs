//! What Windows has in place of signals: Ctrl-C, Ctrl-Break, and the end of the console or the session. A thread of its
//! own answers them.

use std::convert::Infallible;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use windows_sys::Win32::Foundation::STATUS_CONTROL_C_EXIT;
use windows_sys::Win32::Storage::FileSystem::WriteFile;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE, SetConsoleCtrlHandler};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};
use windows_sys::core::BOOL;

use super::{Woken, on_signal};

/// Has them answered. A caller that ignores Ctrl-C has the program ignore it, as on other systems.
pub(super) fn handle_endings() {
    extern "system" fn on_control(kind: u32) -> BOOL {
        on_signal(kind.cast_signed());
        // The system ends the process, if the answer has not.
        0
    }
    // SAFETY: the function takes one number, as the system expects, and stays where it is.
    unsafe { SetConsoleCtrlHandler(Some(on_control), 1) };
}

/// Nothing asks a process how far it is.
pub fn accept() {}

/// An abort cannot be answered.
pub fn answer_abort(_: fn()) {}

/// Ends the process at once, with these last words on standard error. It does not allocate.
pub fn exit_now(code: u8, words: &[u8]) -> ! {
    let mut wrote = 0;
    // SAFETY: the words are memory of this length, and the call writes a number to `wrote`. A handle that is missing is
    // an error.
    unsafe {
        let (place, len) = (words.as_ptr(), words.len() as u32);
        WriteFile(GetStdHandle(STD_ERROR_HANDLE), place, len, &raw mut wrote, std::ptr::null_mut());
    }
    end_with(code.into())
}

fn end_with(code: u32) -> ! {
    // SAFETY: the call ends this process.
    unsafe { TerminateProcess(GetCurrentProcess(), code) };
    std::process::abort()
}

/// The exit status of a program with a pipe that nobody reads any more: the one that shells of other systems tell.
pub const SIGPIPE_STATUS: u8 = 141;

/// Whether a pipe that nobody reads any more ends this process without a message.
pub fn sigpipe_ends() -> bool {
    true
}

/// Ends the process without a message, as filters end whose reader is gone.
pub fn die_by_sigpipe() {
    std::process::exit(SIGPIPE_STATUS.into());
}

/// Ends the process as if nothing answered Ctrl-C.
pub fn end_by(_: i32) -> ! {
    end_with(STATUS_CONTROL_C_EXIT.cast_unsigned())
}

/// Nothing is asked before the runtime of Rust starts.
#[macro_export]
macro_rules! record_before_main {
    () => {};
}

/// Makes all further writes at offsets fail, because the process ends.
pub fn forbid_file_writes() {
    crate::place::forbid_writes();
}

/// Wakes a thread when its [`Rope`] is dropped.
#[derive(Debug)]
pub struct Bell(Receiver<Infallible>);

/// Dropping it wakes the thread that has the [`Bell`].
#[derive(Debug)]
pub struct Rope {
    _end: Sender<Infallible>,
}

/// A bell and its rope. Nothing else rings it.
pub fn bell(_: bool) -> io::Result<(Rope, Bell)> {
    let (end, bell) = channel();
    Ok((Rope { _end: end }, Bell(bell)))
}

impl Bell {
    /// Waits until there is a reason to wake.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Woken {
        match timeout.map(|timeout| self.0.recv_timeout(timeout)) {
            Some(Err(RecvTimeoutError::Timeout)) => Woken::Time,
            Some(_) => Woken::Over,
            None => {
                let Err(_) = self.0.recv();
                Woken::Over
            }
        }
    }
}
