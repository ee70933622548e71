//! The allocator of the C library. Only that of glibc can be told something; others are left alone.

/// Makes it use one heap for all threads. Each further heap reserves 64 MiB of the address space.
pub fn save_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call sets a number. It may be called at any time.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Makes it keep what is freed, up to 32 MiB in each heap, for work that takes the same memory again and again. The
/// system would clear each page anew.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: each call sets a number. They may be called at any time.
    unsafe {
        const KEPT: libc::c_int = 32 << 20;
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        libc::mallopt(libc::M_MMAP_THRESHOLD, KEPT);
    }
}

/// Gives the memory back that is freed and that the allocator keeps for each thread.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: the signature is that of malloc.h. The function takes the locks of the allocator, and any thread may
        // call it at any time.
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        malloc_trim(0);
    }
}
