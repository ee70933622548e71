//! The state in which the caller leaves the standard streams and SIGPIPE.
//!
//! Before `main`, the runtime of Rust opens `/dev/null` in place of standard streams that are closed, and ignores
//! SIGPIPE. Both hide what the caller did. Output to a closed standard output would be lost without an error. A
//! caller that ignores SIGPIPE expects an exit status, and not an end by a signal.
//!
//! So [`record_state`] runs before the runtime: the linker lists it among the functions for the start of the program. It
//! stores what it sees. [`check`] and [`die_by_sigpipe`] read it later. This file holds `unsafe` code, because only
//! libc can ask this early.

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Input = 0,
    Output = 1,
}

static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);

/// Returns an error if the caller has closed this stream. The descriptor then belongs to `/dev/null` or to another
/// file.
pub(super) fn check(stream: Stream) -> io::Result<()> {
    match CLOSED[stream as usize].load(Relaxed) {
        true => Err(rustix::io::Errno::BADF.into()),
        false => Ok(()),
    }
}

/// The signals that this process ignores: bit 0 is signal 1. Returns 0 if the system does not tell.
pub(super) fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// A copy of a descriptor that the caller has opened for this process. It must be asked for before this process opens
/// files of its own.
pub(super) fn descriptor(number: i32) -> io::Result<File> {
    // SAFETY: the call copies a descriptor, which is allowed whether or not it is open.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the copy was made here, so nothing else owns it.
    Ok(unsafe { File::from_raw_fd(copy) })
}

/// Whether SIGPIPE ends this process.
pub(super) fn sigpipe_ends() -> bool {
    !SIGPIPE_IGNORED.load(Relaxed)
}

/// Ends the process by SIGPIPE, without a message, as filters end whose reader is gone. If the caller ignores
/// SIGPIPE, the function returns, and the caller of this function reports a broken pipe as any other error.
pub(super) fn die_by_sigpipe() {
    if sigpipe_ends() {
        // If the signal cannot be raised, a broken pipe is reported as any other error.
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    }
}

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_THE_RUNTIME: extern "C" fn() = record_state;

/// Stores which streams are closed and whether SIGPIPE is ignored. It changes nothing, and calls nothing in the
/// standard library that needs the runtime.
extern "C" fn record_state() {
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asking for the flags of a descriptor is allowed whether or not it is open.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        closed.store(flags == -1, Relaxed);
    }
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the new action is null, so the call only fills `action`, which has the right type.
    let found = unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: all bits zero are a valid `sigaction`, so the value is valid whether or not the call has filled it in.
    let action = unsafe { action.assume_init() };
    SIGPIPE_IGNORED.store(found == 0 && action.sa_sigaction == libc::SIG_IGN, Relaxed);
}
