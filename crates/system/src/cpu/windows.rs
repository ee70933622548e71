//! CPU time of Windows, which counts it in steps of 15 ms.

use std::time::Duration;

use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
};
use windows_sys::core::BOOL;

/// CPU time of the thread that calls, since it started. Zero if the system does not tell.
pub fn of_thread() -> Duration {
    // SAFETY: the call has no condition.
    told(unsafe { GetCurrentThread() }, GetThreadTimes)
}

/// CPU time of all threads of this process. Zero if the system does not tell.
pub fn of_process() -> Duration {
    // SAFETY: the call has no condition.
    told(unsafe { GetCurrentProcess() }, GetProcessTimes)
}

type Ask =
    unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> BOOL;

fn told(whose: HANDLE, ask: Ask) -> Duration {
    let [mut start, mut end, mut system, mut user] = [FILETIME::default(); 4];
    // SAFETY: both questions are about what calls, and write to the four structures.
    let is_told = unsafe { ask(whose, &raw mut start, &raw mut end, &raw mut system, &raw mut user) != 0 };
    let steps = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    if is_told { Duration::from_nanos((steps(system) + steps(user)) * 100) } else { Duration::ZERO }
}
