//! [`give_back`]: memory that was freed goes back to the system.
//!
//! The allocator of glibc keeps freed memory for each thread, so that the next stream gets it quickly. `Pool::trim`
//! calls this when no next stream is near. Other allocators are left alone.

/// Gives the memory back that is freed and that the allocator keeps.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    // SAFETY: the signature is that of malloc.h. The function takes the locks of the allocator, and any thread may call
    // it at any time.
    unsafe extern "C" {
        safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    malloc_trim(0);
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
