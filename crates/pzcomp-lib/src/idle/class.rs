//! The idle class of the scheduler and of the disks, for the thread that calls. This file holds `unsafe` code: no crate
//! that pzcomp uses has these two calls.
//!
//! A kernel or a sandbox may refuse either call. The thread then goes on in its old class, and no error ends the
//! backup.

/// `IOPRIO_WHO_PROCESS`, `ioprio(2)`: the number that follows is that of a thread. 0 is the thread that calls.
#[cfg(target_os = "linux")]
const THREAD: libc::c_int = 1;

/// `IOPRIO_CLASS_IDLE`, where the class stands in the value.
#[cfg(target_os = "linux")]
const IDLE: libc::c_int = 3 << 13;

/// Puts this thread into both idle classes. Other systems than Linux have none.
pub(super) fn enter() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: all bytes of the structure may be zero; its only field that counts is the priority, which is 0 in
        // this class.
        let none: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel reads the structure during the call, and it lives longer. 0 is the thread that calls.
        unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const none) };
        // SAFETY: the three arguments are numbers, so the kernel touches no memory of this process.
        unsafe { libc::syscall(libc::SYS_ioprio_set, THREAD, 0, IDLE) };
    }
}
