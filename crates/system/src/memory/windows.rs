//! Memory of Windows. A process has no limits of its own there.

use windows_sys::Win32::System::Memory::{
    MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use super::Limited;

/// How a user lets a process have more memory.
pub const MORE: &str = "end other programs";

/// The memory of this machine in bytes. `None` if the system does not tell.
pub fn total() -> Option<u64> {
    let len = size_of::<MEMORYSTATUSEX>() as u32;
    let mut status = MEMORYSTATUSEX { dwLength: len, ..Default::default() };
    // SAFETY: the call writes to the structure, which states its length.
    let told = unsafe { GlobalMemoryStatusEx(&raw mut status) != 0 };
    told.then_some(status.ullTotalPhys).filter(|&bytes| bytes > 0)
}

/// The peak memory of this process so far, in bytes. `None` if the system does not tell.
pub fn peak() -> Option<u64> {
    let mut counters = PROCESS_MEMORY_COUNTERS::default();
    let len = size_of_val(&counters) as u32;
    // SAFETY: the call writes to the structure, of which it has the length.
    let told = unsafe { GetProcessMemoryInfo(GetCurrentProcess(), &raw mut counters, len) != 0 };
    told.then_some(counters.PeakWorkingSetSize as u64)
}

/// A limit, as a rule in bytes. There is none.
pub fn limit_of(_: Limited) -> Option<u64> {
    None
}

/// What is left of the limits of the address space and of the data.
pub fn left_of_limits() -> [Option<u64>; 2] {
    [None, None]
}

/// Whether the system would still give this much.
pub fn has(len: usize) -> bool {
    // SAFETY: the system chooses a free place, and nothing else knows it before it is given back.
    unsafe {
        let memory = VirtualAlloc(std::ptr::null(), len, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        !memory.is_null() && VirtualFree(memory, 0, MEM_RELEASE) != 0
    }
}
