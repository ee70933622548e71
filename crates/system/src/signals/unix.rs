//! Signals of POSIX systems. Only libc can ask as early as the state of the caller is stored.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use signal_hook::SigId;

use super::{Woken, on_signal};

/// The signals that the caller ignores, of [`MINDED`], and those that it blocks: bit 0 is signal 1.
static IGNORED: AtomicU64 = AtomicU64::new(0);
static BLOCKED: AtomicU64 = AtomicU64::new(0);

/// Signals that users and systems end a process with, and that can be caught.
const ENDING: [i32; 5] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGXCPU];

/// The signals that this process, or a program that it starts, treats by what the caller has said.
const MINDED: [i32; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGUSR1,
    libc::SIGPIPE,
    libc::SIGCHLD,
];

/// The largest number of a signal on the systems that pzcomp runs on, without those for real time.
const SIGNALS: i32 = 31;

/// Whether the caller ignores this signal, which is one of [`MINDED`].
pub(crate) fn is_ignored(signal: i32) -> bool {
    IGNORED.load(Relaxed) & bit(signal) != 0
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Lets SIGUSR1 in, which was kept out since the start of the program, unless the caller keeps it out. A signal that
/// has come in the meantime comes now.
pub fn accept() {
    if BLOCKED.load(Relaxed) & bit(libc::SIGUSR1) == 0 {
        change_usr1(libc::SIG_UNBLOCK);
    }
}

/// Blocks or unblocks SIGUSR1 for this thread. Returns the signals that were blocked before.
fn change_usr1(how: i32) -> u64 {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the pointers lead to memory for the sets. All bits zero are a valid set, so `before` is one in any case.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGUSR1);
        libc::pthread_sigmask(how, set.as_ptr(), before.as_mut_ptr());
        let has = |signal: &i32| libc::sigismember(before.as_ptr(), *signal) == 1;
        (1..=SIGNALS).filter(has).fold(0, |bits, signal| bits | bit(signal))
    }
}

/// The signals that the caller blocks.
pub(crate) fn blocked() -> impl Iterator<Item = i32> {
    let blocked = BLOCKED.load(Relaxed);
    (1..=SIGNALS).filter(move |&signal| blocked & bit(signal) != 0)
}

/// Has the signals answered.
pub(super) fn handle_endings() {
    for signal in ENDING.into_iter().filter(|&signal| !is_ignored(signal)) {
        handle(signal, on_signal);
    }
}

/// Has `handler` handle a signal.
fn handle(signal: i32, handler: extern "C" fn(i32)) {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: all bits zero are a valid `sigaction`, whose fields are set through a pointer to it. The handler takes
    // one number, as the action says.
    unsafe {
        let action = action.as_mut_ptr();
        (*action).sa_sigaction = handler as *const () as libc::sighandler_t;
        (*action).sa_flags = libc::SA_RESTART;
        libc::sigfillset(&raw mut (*action).sa_mask);
        libc::sigaction(signal, action, std::ptr::null_mut());
    }
}

/// What has the function `answer` run when the process is about to abort. Behind it the process aborts.
static ABORTS: OnceLock<fn()> = OnceLock::new();

/// Has `answer` run when the process aborts, as it does if a thread panics where no panic is allowed.
pub fn answer_abort(answer: fn()) {
    extern "C" fn on_abort(signal: i32) {
        if let Some(answer) = ABORTS.get() {
            answer();
        }
        // SAFETY: the default action replaces this function.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        // It comes behind this function, and ends the process.
        raise(signal);
    }
    if ABORTS.set(answer).is_ok() {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: all bits zero are a valid `sigaction`. The handler takes one number, as the action says.
        unsafe {
            (*action.as_mut_ptr()).sa_sigaction = on_abort as *const () as libc::sighandler_t;
            libc::sigaction(libc::SIGABRT, action.as_ptr(), std::ptr::null_mut());
        }
    }
}

/// Ends the process at once, with these last words on standard error. It does not allocate.
pub fn exit_now(code: u8, words: &[u8]) -> ! {
    let _ = rustix::io::write(rustix::stdio::stderr(), words);
    // SAFETY: the call ends the process, and runs nothing of it.
    unsafe { libc::_exit(code.into()) }
}

/// The exit status by which shells tell that SIGPIPE has ended a process.
pub const SIGPIPE_STATUS: u8 = 128 + libc::SIGPIPE as u8;

/// Whether SIGPIPE ends this process.
pub fn sigpipe_ends() -> bool {
    !is_ignored(libc::SIGPIPE)
}

/// Ends the process by SIGPIPE, without a message, as filters end whose reader is gone. If the caller ignores
/// SIGPIPE, the function returns, and the caller of this function reports a broken pipe as any other error.
pub fn die_by_sigpipe() {
    if sigpipe_ends() {
        end_by(libc::SIGPIPE);
    }
}

/// Ends the process by this signal, as if nothing answered it.
pub fn end_by(signal: i32) -> ! {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the pointers lead to memory for the set, and the default action replaces whatever answers the signal.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), std::ptr::null_mut());
    }
    raise(signal);
    // The system keeps some signals from the first process of a container.
    std::process::abort()
}

/// Sends this signal to the thread that calls. The function of musl names the thread alone, which the sandbox refuses:
/// it could be one of another process.
pub fn raise(signal: i32) -> i32 {
    // SAFETY: the arguments are numbers.
    #[cfg(target_os = "linux")]
    return unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), signal) } as i32;
    // SAFETY: the argument is a number.
    #[cfg(not(target_os = "linux"))]
    return unsafe { libc::raise(signal) };
}

/// Has [`record_state`] run before the runtime of Rust. A program that asks this module or `streams` writes it once; a
/// library never does. With musl, [`raise`] also takes the place of the function that `abort` calls.
#[macro_export]
macro_rules! record_before_main {
    () => {
        #[cfg(target_env = "musl")]
        #[unsafe(export_name = "raise")]
        extern "C" fn raise_in_the_sandbox(signal: i32) -> i32 {
            $crate::signals::raise(signal)
        }

        #[used]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
        #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
        static BEFORE_THE_RUNTIME: extern "C" fn() = $crate::signals::record_state;
    };
}

/// Stores which streams are closed, and which signals are ignored and blocked. It calls nothing in the standard library
/// that needs the runtime.
///
/// It changes three things. SIGUSR1 is blocked until [`accept`], because it would end a process that is about to answer
/// it. SIGCHLD is no longer ignored, because the system forgets the exit status of a program then. SIGXFSZ does not end
/// the process, so that a file which may not become longer is an error of the write.
pub extern "C" fn record_state() {
    extern "C" fn nothing(_: i32) {}
    crate::streams::record_closed();
    let mut ignored = 0;
    for signal in MINDED {
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: the new action is null, so the call only fills `action`, which has the right type.
        let found = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
        // SAFETY: all bits zero are a valid `sigaction`, so the value is valid whether or not the call has filled it
        // in.
        let action = unsafe { action.assume_init() };
        if found == 0 && action.sa_sigaction == libc::SIG_IGN {
            ignored |= bit(signal);
        }
    }
    IGNORED.store(ignored, Relaxed);
    if is_ignored(libc::SIGCHLD) {
        // SAFETY: the default action replaces one that is no function.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    }
    if !is_ignored(libc::SIGXFSZ) {
        handle(libc::SIGXFSZ, nothing);
    }
    BLOCKED.store(change_usr1(libc::SIG_BLOCK), Relaxed);
}

/// Has the system refuse all further writes to files, if it can.
pub fn forbid_file_writes() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the calls read and write the struct, which lives as long as they run.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) == 0 {
            limit.rlim_cur = 0;
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
        }
    }
}

/// Wakes a thread when SIGUSR1 comes, and when its [`Rope`] is dropped.
#[derive(Debug)]
pub struct Bell(PipeReader);

/// Dropping it wakes the thread that has the [`Bell`]: the pipe ends with its last writer.
#[derive(Debug)]
pub struct Rope {
    _pipe: PipeWriter,
    /// What writes into the pipe when SIGUSR1 comes.
    ringer: Option<SigId>,
}

/// A bell and its rope. SIGUSR1 rings it too if `is_asked` is set, unless the caller of the program ignores the signal.
pub fn bell(is_asked: bool) -> io::Result<(Rope, Bell)> {
    let (read, write) = io::pipe()?;
    // Without an answer to the signal, the bell still has its rope.
    let ringer = (is_asked && !is_ignored(libc::SIGUSR1))
        .then(|| signal_hook::low_level::pipe::register(libc::SIGUSR1, write.try_clone().ok()?).ok())
        .flatten();
    Ok((Rope { _pipe: write, ringer }, Bell(read)))
}

impl Drop for Rope {
    fn drop(&mut self) {
        if let Some(ringer) = self.ringer {
            signal_hook::low_level::unregister(ringer);
        }
    }
}

impl Bell {
    /// Waits until there is a reason to wake.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Woken {
        let Self(pipe) = self;
        loop {
            if timeout.is_some_and(|timeout| !crate::handle::is_readable(crate::handle::of(pipe), timeout)) {
                return Woken::Time;
            }
            // Signals that came since the last answer get one.
            match pipe.read(&mut [0; 64]) {
                Ok(1..) => return Woken::Asked,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return Woken::Over,
            }
        }
    }
}
