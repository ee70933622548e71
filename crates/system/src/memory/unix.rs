//! Memory of POSIX systems. Linux tells more in a file of its own.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::OnceLock;

use super::Limited;

/// How a user lets a process have more memory.
pub const MORE: &str = "allow more memory (ulimit -v)";

/// The memory of this machine in bytes. `None` if the system does not tell.
pub fn total() -> Option<u64> {
    // SAFETY: the calls ask for numbers.
    let (pages, page) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).ok()?.checked_mul(u64::try_from(page).ok()?).filter(|&bytes| bytes > 0)
}

/// The peak memory of this process so far, in bytes. `None` if the system does not tell. Linux also counts in
/// `getrusage` what the process had before it started this program, so its own file is preferred. The file stays open
/// for a later call in the sandbox.
pub fn peak() -> Option<u64> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| File::open(STATUS).ok()).as_ref();
    let mut status = String::new();
    let read = file.map(|mut file| file.rewind().and_then(|()| file.read_to_string(&mut status)));
    let own = read.and_then(Result::ok).and_then(|_| of_status(&status, "VmHWM:"));
    own.or_else(|| {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call fills the structure, in which all bits may be zero.
        let usage = unsafe {
            (libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) == 0).then(|| usage.assume_init())?
        };
        let unit = if cfg!(target_vendor = "apple") { 1 } else { 1 << 10 };
        u64::try_from(usage.ru_maxrss).ok()?.checked_mul(unit)
    })
}

/// A limit, as a rule in bytes. `None` if there is none, or if the system does not tell. rustix panics in the second
/// case.
pub fn limit_of(what: Limited) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes to the struct, which lives as long as the call.
    let code = unsafe {
        match what {
            Limited::AddressSpace => libc::getrlimit(libc::RLIMIT_AS, &raw mut limit),
            Limited::Data => libc::getrlimit(libc::RLIMIT_DATA, &raw mut limit),
            Limited::Files => libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit),
        }
    };
    #[allow(clippy::useless_conversion, reason = "it is a signed number on some systems")]
    (code == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then(|| u64::try_from(limit.rlim_cur).ok()).flatten()
}

/// What is left of the limits of the address space and of the data. Only Linux tells what the process has of them
/// already; elsewhere a limit counts in full.
pub fn left_of_limits() -> [Option<u64>; 2] {
    let limits = [(Limited::AddressSpace, "VmSize:"), (Limited::Data, "VmData:")]
        .map(|(what, field)| limit_of(what).map(|limit| (limit, field)));
    let status = if limits == [None, None] { String::new() } else { status() };
    limits
        .map(|limit| limit.map(|(limit, field)| limit.saturating_sub(of_status(&status, field).unwrap_or(0))))
}

/// Whether the system would still give this much.
pub fn has(len: usize) -> bool {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
    // SAFETY: the system chooses a free place, and nothing else knows it before it is given back.
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), len, access, kind, -1, 0);
        memory != libc::MAP_FAILED && libc::munmap(memory, len) == 0
    }
}

/// Where Linux tells of this process.
const STATUS: &str = "/proc/self/status";

/// What Linux says of this process.
pub(crate) fn status() -> String {
    match cfg!(target_os = "linux") {
        true => std::fs::read_to_string(STATUS).unwrap_or_default(),
        false => String::new(),
    }
}

/// The value of a field in bytes.
fn of_status(status: &str, field: &str) -> Option<u64> {
    let kib = status.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB"))?;
    Some(kib.parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_kibibytes() {
        let status = "Name:\tx\nVmSize:\t    5000 kB\nVmData:\t      96 kB\nVmStk:\t odd\n";
        let found = ["VmSize:", "VmData:", "VmStk:", "VmLck:"].map(|field| of_status(status, field));
        assert_eq!(found, [Some(5000 << 10), Some(96 << 10), None, None]);
    }
}
