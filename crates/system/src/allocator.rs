//! The allocator of the C library, of which only glibc's can be told something, and the pages of what it gives.

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

/// Asks for huge pages for memory that an allocator has given. The system may have none, or be set up to give none. The
/// memory is as good without them.
///
/// # Safety
/// The memory must be `len` bytes long, and stay allocated during the call.
#[cold]
pub unsafe fn ask_for_huge_pages(memory: *mut u8, len: usize) {
    #[cfg(target_os = "linux")]
    {
        // Most machines have huge pages of this length. At both ends the memory has a part of one, which is left out.
        const PAGE: usize = 2 << 20;
        let skipped = memory.addr().wrapping_neg() % PAGE;
        let inside = len.saturating_sub(skipped) / PAGE * PAGE;
        // SAFETY: the range is inside the memory, and the call changes no byte of it.
        unsafe { libc::madvise(memory.wrapping_add(skipped).cast(), inside, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, len);
}
