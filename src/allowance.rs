//! The memory that this process may take: what its cgroup has, and what is left of its address space and of its data.
//!
//! `main` asks for it, and lets streams aim at half of it. A process that takes more than its cgroup has is ended
//! without a word. The limits of the process itself, which `ulimit -v` and `ulimit -d` set, make allocations fail.

use super::inherited::{Limited, limit_of};
use super::{cgroup, out_of_memory};

/// A limit, and what sets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) bytes: u64,
    pub(super) what: &'static str,
    /// What happens if more is needed.
    pub(super) end: &'static str,
}

/// The least limit. `None` if there is none, or if the system does not tell.
pub(super) fn memory() -> Option<Allowance> {
    let group = cgroup::memory_limit().map(|bytes| Allowance {
        bytes,
        what: "the cgroup has",
        end: "the system may end pzcomp",
    });
    let process = limits(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    let own = process.into_iter().flatten().map(|(bytes, what)| Allowance {
        bytes,
        what,
        end: "it may run out of memory",
    });
    own.chain(group).min_by_key(|allowance| allowance.bytes)
}

/// What is left of the limits of the process. `status` has the form of `/proc/self/status`, and a field that it lacks
/// counts as 0. If the address space is limited, the C library is told to save it.
fn limits(status: &str) -> [Option<(u64, &'static str)>; 2] {
    let left = |resource, field: &str| {
        let limit = limit_of(resource)?;
        Some(limit.saturating_sub(size(status, field)))
    };
    let address_space = left(Limited::AddressSpace, "VmSize:");
    if address_space.is_some() {
        out_of_memory::save_address_space();
    }
    [
        address_space.map(|bytes| (bytes, "the limit of the address space (ulimit -v) leaves")),
        left(Limited::Data, "VmData:").map(|bytes| (bytes, "the limit of the data (ulimit -d) leaves")),
    ]
}

/// The value of a field in bytes, or 0 if there is none.
fn size(status: &str, field: &str) -> u64 {
    let kib = status.lines().find_map(|line| line.strip_prefix(field)?.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_kibibytes() {
        let status = "Name:\tpzcomp\nVmSize:\t    5000 kB\nVmData:\t      96 kB\nVmStk:\t odd\n";
        let found = ["VmSize:", "VmData:", "VmStk:", "VmLck:"].map(|field| size(status, field));
        assert_eq!(found, [5000 << 10, 96 << 10, 0, 0]);
    }
}
