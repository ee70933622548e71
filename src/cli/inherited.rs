//! What the caller has left for the program, as it was before anything of it ran.
//!
//! Ahead of `main`, Rust's runtime opens `/dev/null` in place of standard streams that are closed, and ignores
//! SIGPIPE. What is written to a closed standard output would be lost without a word then, and a caller that
//! ignores SIGPIPE waits for a status, not for the end by a signal. Only what runs before the runtime can see
//! either: the functions that the linker lists for the start of the program.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stream {
    Input = 0,
    Output = 1,
}

static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];
static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);

/// An error if the caller has closed the stream: what has its number now is something else.
pub(super) fn check(stream: Stream) -> io::Result<()> {
    match CLOSED[stream as usize].load(Relaxed) {
        true => Err(rustix::io::Errno::BADF.into()),
        false => Ok(()),
    }
}

/// Whether the caller ignores SIGPIPE, and wants it ignored.
fn ignores_sigpipe() -> bool {
    SIGPIPE_IGNORED.load(Relaxed)
}

/// Ends the process the way filters end whose reader has gone away: without a word. It returns only to those
/// whose caller ignores the signal: to them a broken pipe is an error like others.
pub(super) fn die_by_sigpipe() {
    if !ignores_sigpipe() {
        // What cannot be raised at all is an error like others, too.
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    }
}

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_THE_RUNTIME: extern "C" fn() = look;

/// Looks, and changes nothing. Of Rust's library it uses nothing that needs the runtime.
extern "C" fn look() {
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: to ask for the flags of a descriptor is allowed whether it is open or not.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        closed.store(flags == -1, Relaxed);
    }
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action this only fills memory that is as large as one.
    let found = unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: zeros are an action, whether or not it has been filled in.
    let action = unsafe { action.assume_init() };
    SIGPIPE_IGNORED.store(found == 0 && action.sa_sigaction == libc::SIG_IGN, Relaxed);
}
