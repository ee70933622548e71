//! The state in which the caller leaves the standard streams and the signals.
//!
//! Before `main`, the runtime of Rust opens `/dev/null` in place of standard streams that are closed, and ignores
//! SIGPIPE. Both hide what the caller did. Output to a closed standard output would be lost without an error. A
//! caller that ignores SIGPIPE expects an exit status, and not an end by a signal.
//!
//! So [`record_state`] runs before the runtime: a program writes [`record_before_main`](crate::record_before_main), and
//! the linker lists it among the functions for the start. It stores what it sees. [`check`] and [`die_by_sigpipe`] read
//! it later. Only libc can ask this early.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, FromRawFd, IntoRawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, compiler_fence};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// Standard input.
    Input = 0,
    /// Standard output.
    Output = 1,
    /// Standard error.
    Error = 2,
}

static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
/// The signals that the caller ignores, of [`MINDED`], and those that it blocks: bit 0 is signal 1.
static IGNORED: AtomicU64 = AtomicU64::new(0);
static BLOCKED: AtomicU64 = AtomicU64::new(0);

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

/// Returns an error if the caller has closed this stream. The descriptor then belongs to `/dev/null` or to another
/// file.
pub fn check(stream: Stream) -> io::Result<()> {
    match CLOSED[stream as usize].load(Relaxed) {
        true => Err(rustix::io::Errno::BADF.into()),
        false => Ok(()),
    }
}

/// Whether the caller ignores this signal, which is one of [`MINDED`].
pub fn is_ignored(signal: i32) -> bool {
    IGNORED.load(Relaxed) & bit(signal) != 0
}

fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Lets SIGUSR1 in, which was kept out since the start of the program, unless the caller keeps it out. A signal that
/// has come in the meantime comes now.
pub fn accept_signals() {
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

/// Has a program start with the signals as the caller has left them, and has the system end it if this process is
/// ended without a chance to do so itself.
pub fn pass_on(command: &mut Command) {
    let blocked = BLOCKED.load(Relaxed);
    let restore = move || {
        let mut set = std::mem::MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: these calls are allowed between fork and exec, and the pointers lead to memory for the set.
        unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in (1..=SIGNALS).filter(|&signal| blocked & bit(signal) != 0) {
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

/// The function that answers a signal which ends the process.
pub type Answer = fn(i32);

static ANSWER: OnceLock<Answer> = OnceLock::new();
/// A signal that came to a thread while this thread deferred signals.
static CAME: AtomicI32 = AtomicI32::new(0);

thread_local! {
    /// How many [`Deferred`] this thread has.
    static DEFERRED: Cell<u32> = const { Cell::new(0) };
}

/// While a thread has one, a signal that comes to it is answered later: when it has none any more.
struct Deferred(());

impl Deferred {
    fn new() -> Self {
        DEFERRED.set(DEFERRED.get() + 1);
        compiler_fence(SeqCst);
        Self(())
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        compiler_fence(SeqCst);
        DEFERRED.set(DEFERRED.get() - 1);
        if DEFERRED.get() == 0 {
            match CAME.load(Relaxed) {
                0 => {}
                signal => on_signal(signal),
            }
        }
    }
}

/// What a mutex guards that the answer to a signal takes too. Signals that come to the thread are answered after the
/// mutex is released.
pub struct Locked<T: 'static> {
    guard: MutexGuard<'static, T>,
    _deferred: Deferred,
}

/// Locks a mutex that the answer to a signal takes too.
pub fn lock<T>(mutex: &'static Mutex<T>) -> Locked<T> {
    let deferred = Deferred::new();
    Locked { guard: mutex.lock().unwrap_or_else(PoisonError::into_inner), _deferred: deferred }
}

impl<T> Deref for Locked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Locked<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

extern "C" fn on_signal(signal: i32) {
    if DEFERRED.get() > 0 {
        CAME.store(signal, Relaxed);
    } else if let Some(answer) = ANSWER.get() {
        answer(signal);
    }
}

/// Has `answer` answer these signals, on the thread that gets them. It runs wherever this thread is, unless the thread
/// has something [`Locked`]. So it must not allocate, or lock anything in another way. A signal that the caller of
/// pzcomp ignores stays ignored: nohup and background jobs of scripts rely on that.
///
/// From then on a write beyond the limit for files fails, and SIGXFSZ does not end the process.
pub fn answer(signals: &[i32], answer: Answer) {
    extern "C" fn nothing(_: i32) {}
    if ANSWER.set(answer).is_err() {
        return;
    }
    for &signal in signals.iter().filter(|&&signal| !is_ignored(signal)) {
        handle(signal, on_signal);
    }
    handle(libc::SIGXFSZ, nothing);
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

/// Closes a copy of the descriptor of a file that is complete. File systems of other machines tell of a full disk only
/// then. So an error comes before the input is removed.
pub fn settle(file: &impl AsFd) -> io::Result<()> {
    let copy = file.as_fd().try_clone_to_owned()?.into_raw_fd();
    // SAFETY: the copy was made here, so nothing else owns it.
    match unsafe { libc::close(copy) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A copy of a descriptor that the caller has opened for this process. Descriptors that this process has opened itself
/// are closed for programs that it starts, so they do not count.
pub fn descriptor(number: i32) -> io::Result<File> {
    for stream in [Stream::Input, Stream::Output, Stream::Error] {
        if number == stream as i32 {
            check(stream)?;
        }
    }
    // SAFETY: the call asks for the flags of a descriptor, which is allowed whether or not it is open.
    match unsafe { libc::fcntl(number, libc::F_GETFD) } {
        -1 => return Err(io::Error::last_os_error()),
        flags if flags & libc::FD_CLOEXEC != 0 => return Err(rustix::io::Errno::BADF.into()),
        _ => {}
    }
    // SAFETY: the call copies a descriptor, which is allowed whether or not it is open.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the copy was made here, so nothing else owns it.
    Ok(unsafe { File::from_raw_fd(copy) })
}

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
        // musl names the thread alone, which the sandbox does not take.
        #[cfg(target_os = "linux")]
        libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::gettid(), signal);
        #[cfg(not(target_os = "linux"))]
        libc::raise(signal);
    }
    // The system keeps some signals from the first process of a container.
    std::process::abort()
}

/// Has [`record_state`] run before the runtime of Rust. A program that asks this module writes it once; a library
/// never does.
#[macro_export]
macro_rules! record_before_main {
    () => {
        #[used]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
        #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
        static BEFORE_THE_RUNTIME: extern "C" fn() = $crate::inherited::record_state;
    };
}

/// Stores which streams are closed, and which signals are ignored and blocked. It calls nothing in the standard library
/// that needs the runtime.
///
/// It changes two things. SIGUSR1 is blocked until [`accept_signals`], because it would end a process that is about to
/// answer it. SIGCHLD is no longer ignored, because the system forgets the exit status of a program then.
pub extern "C" fn record_state() {
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asking for the flags of a descriptor is allowed whether or not it is open.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        // A system that denies the question has not closed the stream.
        let is_closed = flags == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EBADF);
        closed.store(is_closed, Relaxed);
    }
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
