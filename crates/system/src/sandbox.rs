//! A process that gives up what it needs no more: new files, the network, other programs and other processes.
//!
//! [`enter`] is for a program that has everything open which it works on. From then on its threads, those that run and
//! those that start later, can use the descriptors that are open, memory, time, threads and signals of their own. Every
//! other system call fails with `EPERM`; none ends the process. New memory cannot hold code. There is no way back.
//!
//! Only Linux on x86-64 and AArch64 has it here (seccomp). Nothing is given up where the kernel refuses the filter.

/// Gives it all up. Whether that is in force now.
pub fn enter() -> bool {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    return linux::enter();
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    false
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux {
    use libc::*;

    /// Of the flags of `openat`: a file without a name, which nothing else can find.
    const UNNAMED: u32 = O_TMPFILE as u32;
    const CODE: u32 = PROT_EXEC as u32;
    const THREAD: u32 = (CLONE_VM | CLONE_THREAD) as u32;
    /// `TCGETS2` of newer C libraries is missing in older headers.
    const QUESTIONS: &[u32] = &[TCGETS as u32, 0x802c_542a, TIOCGWINSZ as u32, FIONREAD as u32];
    const OF_DESCRIPTORS: &[u32] = &[
        F_DUPFD as u32,
        F_DUPFD_CLOEXEC as u32,
        F_GETFD as u32,
        F_SETFD as u32,
        F_GETFL as u32,
        F_SETFL as u32,
        F_GETPIPE_SZ as u32,
        F_SETPIPE_SZ as u32,
    ];

    /// The calls that are allowed whatever their arguments are.
    #[rustfmt::skip]
    const ALLOWED: &[c_long] = &[
        // Descriptors that are open.
        SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_lseek,
        SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate,
        SYS_fadvise64, SYS_flock, SYS_close, SYS_dup, SYS_dup3, SYS_pipe2, SYS_ppoll, SYS_splice, SYS_sendfile,
        SYS_copy_file_range,
        #[cfg(target_arch = "x86_64")]
        SYS_poll,
        // Memory.
        SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise,
        // Threads, and signals of this process.
        SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_membarrier, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid,
        SYS_getpid, SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigprocmask,
        SYS_rt_sigreturn, SYS_sigaltstack,
        // Time, and questions about this process.
        SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times,
        SYS_getrusage, SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    ];

    /// The calls that are allowed if an argument, which is named by its number, has one of these values in the bits of
    /// the mask. All are numbers of 32 bits.
    const LIMITED: &[(c_long, u32, u32, &[u32])] = &[
        (SYS_fcntl, 1, u32::MAX, OF_DESCRIPTORS),
        (SYS_ioctl, 1, u32::MAX, QUESTIONS),
        (SYS_openat, 2, UNNAMED, &[UNNAMED]),
        (SYS_mmap, 2, CODE, &[0]),
        (SYS_mprotect, 2, CODE, &[0]),
        (SYS_clone, 0, THREAD, &[THREAD]),
        (SYS_prctl, 0, u32::MAX, &[PR_SET_NAME as u32]),
        (SYS_prlimit64, 0, u32::MAX, &[0]),
    ];

    /// The allowed calls as bits.
    const BITS: [u32; 16] = {
        let (mut bits, mut at) = ([0; 16], 0);
        while at < ALLOWED.len() {
            bits[ALLOWED[at] as usize / 32] |= 1 << (ALLOWED[at] % 32);
            at += 1;
        }
        bits
    };

    /// `AUDIT_ARCH_…` of `linux/audit.h`.
    const ARCH: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
    /// Where `struct seccomp_data` has the architecture. The arguments have 64 bits, the lower half first.
    const ARCH_AT: u32 = 4;
    const NUMBER_AT: u32 = 0;
    const ARGUMENTS_AT: u32 = 16;

    const ALLOW: sock_filter = step(BPF_RET, SECCOMP_RET_ALLOW);
    const REFUSE: sock_filter = step(BPF_RET, SECCOMP_RET_ERRNO | EPERM as u32);

    const fn step(code: u32, k: u32) -> sock_filter {
        sock_filter { code: code as u16, jt: 0, jf: 0, k }
    }

    const fn load(at: u32) -> sock_filter {
        step(BPF_LD | BPF_W | BPF_ABS, at)
    }

    /// Goes on, or over so many steps if the number is another.
    const fn unless(number: u32, over: usize) -> sock_filter {
        sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt: 0, jf: over as u8, k: number }
    }

    /// The steps that the kernel takes at each call. A list of all calls would take the kernel longer to prepare than a
    /// short stream takes.
    fn steps(pid: u32) -> Vec<sock_filter> {
        let mut steps = Vec::with_capacity(128);
        steps.extend([load(ARCH_AT), unless(ARCH, 1), step(BPF_JMP | BPF_JA, 1), REFUSE]);
        // The place of the number in a word of bits, and the word.
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_AND | BPF_K, 31), step(BPF_MISC | BPF_TAX, 0)]);
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_RSH | BPF_K, 5)]);
        for (word, &bits) in (0..).zip(&BITS).filter(|(_, bits)| **bits != 0) {
            steps.extend([unless(word, 5), step(BPF_LD | BPF_IMM, bits), step(BPF_ALU | BPF_RSH | BPF_X, 0)]);
            steps.extend([step(BPF_ALU | BPF_AND | BPF_K, 1), unless(1, 1), ALLOW]);
        }
        steps.push(load(NUMBER_AT));
        let own = [pid];
        let own = (SYS_tgkill, 0, u32::MAX, &own[..]);
        for &(call, argument, mask, values) in LIMITED.iter().chain([&own]) {
            steps.push(unless(call as u32, 3 + 2 * values.len()));
            steps.extend([load(ARGUMENTS_AT + 8 * argument), step(BPF_ALU | BPF_AND | BPF_K, mask)]);
            steps.extend(values.iter().flat_map(|&value| [unless(value, 1), ALLOW]));
            steps.push(REFUSE);
        }
        // The C library knows an older call. Its flags are in memory, which steps cannot read.
        steps.extend([
            unless(SYS_clone3 as u32, 1),
            step(BPF_RET, SECCOMP_RET_ERRNO | ENOSYS as u32),
            REFUSE,
        ]);
        steps
    }

    pub(super) fn enter() -> bool {
        let mut steps = steps(std::process::id());
        let program = sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
        // Without this flag, older kernels slow down all branches of the process.
        let flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
        // SAFETY: the kernel reads the program during the call, and it lives longer. The other arguments are numbers.
        unsafe {
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &raw const program) == 0
        }
    }
}
