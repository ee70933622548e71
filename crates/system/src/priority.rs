//! The idle class of the scheduler and of the disks, for the thread that calls, and how long other programs wait.
//!
//! A kernel or a sandbox may refuse the class. The thread then goes on in its old one, and no error ends the work.

/// Whether threads can leave the machine to other programs here.
pub const HAS_IDLE_CLASS: bool = cfg!(any(target_os = "linux", target_vendor = "apple", windows));

/// What a user writes before a command, so that it leaves the machine to other programs.
pub const COMMAND: &str = if cfg!(target_os = "linux") {
    "chrt -i 0 ionice -c 3"
} else if cfg!(target_vendor = "apple") {
    "taskpolicy -b"
} else if cfg!(windows) {
    "cmd /c start /low /b /wait"
} else {
    "nice -n 20"
};

pub use crate::pressure::Pressure;

/// Puts this thread into both idle classes. FreeBSD keeps them for root, so nothing happens there.
pub fn enter_idle_class() {
    #[cfg(target_os = "linux")]
    {
        /// `IOPRIO_WHO_PROCESS`, `ioprio(2)`: the number that follows is that of a thread. 0 is the thread that calls.
        const THREAD: libc::c_int = 1;
        /// `IOPRIO_CLASS_IDLE`, where the class stands in the value.
        const IDLE: libc::c_int = 3 << 13;
        // SAFETY: all bytes of the structure may be zero; its only field that counts is the priority, which is 0 in
        // this class.
        let none: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel reads the structure during the call, and it lives longer. 0 is the thread that calls.
        // The function of musl only fails.
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_IDLE, &raw const none) };
        // SAFETY: the three arguments are numbers, so the kernel touches no memory of this process.
        unsafe { libc::syscall(libc::SYS_ioprio_set, THREAD, 0, IDLE) };
    }
    #[cfg(target_vendor = "apple")]
    // SAFETY: the arguments are numbers. 0 is the thread that calls.
    unsafe {
        // The background class lowers the CPU and the disks.
        libc::setpriority(libc::PRIO_DARWIN_THREAD, 0, libc::PRIO_DARWIN_BG);
    }
    #[cfg(windows)]
    // SAFETY: the calls have no condition, and the thread is the one that calls.
    unsafe {
        use windows_sys::Win32::System::Threading::{
            GetCurrentThread, SetThreadPriority, THREAD_MODE_BACKGROUND_BEGIN,
        };
        // It lowers the CPU, the disks and the memory.
        SetThreadPriority(GetCurrentThread(), THREAD_MODE_BACKGROUND_BEGIN);
    }
}
