//! The memory that this process may take: what its cgroup has, and what is left of its address space and of its data.
//!
//! `main` asks for it, and lets streams aim at half of it. A process that takes more than its cgroup has is ended
//! without a word. The limits of the process itself, which `ulimit -v` and `ulimit -d` set, make allocations fail.

/// A limit, and what sets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) bytes: u64,
    pub(super) what: &'static str,
    /// What happens if more is needed.
    pub(super) end: &'static str,
}

/// The least limit. `None` if there is none, or if the system does not tell. If the address space is limited, the C
/// library is told to save it.
pub(super) fn memory() -> Option<Allowance> {
    let [address_space, data] = system::memory::left_of_limits();
    if address_space.is_some() {
        system::allocator::save_address_space();
    }
    let allowance = |bytes: Option<u64>, what, end| bytes.map(|bytes| Allowance { bytes, what, end });
    let end = "it may run out of memory";
    let all = [
        allowance(address_space, "the limit of the address space (ulimit -v) leaves", end),
        allowance(data, "the limit of the data (ulimit -d) leaves", end),
        allowance(system::cgroup::memory_limit(), "the cgroup has", "the system may end pzcomp"),
    ];
    all.into_iter().flatten().min_by_key(|allowance| allowance.bytes)
}
