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
    /// With this one, the kernel forgets that the file has no name, and opens any folder.
    const OR_PLACE: u32 = UNNAMED | O_PATH as u32;
    const CODE: u32 = PROT_EXEC as u32;
    const THREAD: u32 = (CLONE_VM | CLONE_THREAD) as u32;
    /// A thread that sees another machine is none.
    const OR_WORLD: u32 = THREAD
        | (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC) as u32
        | (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET) as u32;
    const ALL: u32 = u32::MAX;
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
    /// What may be said of memory. Other advice makes root take it from the machine.
    const ADVICE: &[u32] = &[
        MADV_NORMAL as u32,
        MADV_RANDOM as u32,
        MADV_SEQUENTIAL as u32,
        MADV_WILLNEED as u32,
        MADV_DONTNEED as u32,
        MADV_FREE as u32,
        MADV_HUGEPAGE as u32,
        MADV_NOHUGEPAGE as u32,
        MADV_DONTDUMP as u32,
        MADV_POPULATE_WRITE as u32,
        GUARD,
        GUARD + 1,
    ];
    /// `MADV_GUARD_INSTALL` and the number behind it, for the stacks of threads.
    const GUARD: u32 = 102;
    /// `RLIMIT_FSIZE`, which has different types.
    const FILE_LENGTH: u32 = 1;

    /// The calls that are allowed whatever their arguments are.
    #[rustfmt::skip]
    const ALLOWED: &[c_long] = &[
        // Descriptors that are open.
        SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_lseek,
        SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate,
        SYS_fadvise64, SYS_flock, SYS_close, SYS_dup, SYS_pipe2, SYS_ppoll, SYS_splice, SYS_sendfile,
        SYS_copy_file_range,
        #[cfg(target_arch = "x86_64")]
        SYS_poll,
        // Memory.
        SYS_brk, SYS_munmap, SYS_mremap,
        // Threads, and signals of this process.
        SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_membarrier, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid,
        SYS_getpid, SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigprocmask,
        SYS_rt_sigreturn, SYS_sigaltstack,
        // Time, and questions about this process.
        SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times,
        SYS_getrusage, SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    ];

    /// A set of calls as bits.
    type Bits = [u32; 16];
    const BITS: Bits = with([0; 16], ALLOWED);

    const fn with(mut bits: Bits, calls: &[c_long]) -> Bits {
        let mut at = 0;
        while at < calls.len() {
            bits[calls[at] as usize / 32] |= 1 << (calls[at] % 32);
            at += 1;
        }
        bits
    }

    /// A half of an argument, in the bits of the mask, must be one of these values.
    struct Test<'a> {
        at: u32,
        mask: u32,
        values: &'a [u32],
    }

    /// The lower half of an argument must be one of these values in the bits of the mask.
    const fn is<'a>(argument: u32, mask: u32, values: &'a [u32]) -> Test<'a> {
        Test { at: ARGUMENTS_AT + 8 * argument, mask, values }
    }

    /// The upper half of an argument must be zero.
    const fn is_short(argument: u32) -> Test<'static> {
        Test { at: ARGUMENTS_AT + 8 * argument + 4, mask: ALL, values: &[0] }
    }

    /// The calls that are allowed if all of these tests of their arguments are passed.
    const LIMITED: &[(c_long, &[Test<'static>])] = &[
        (SYS_madvise, &[is(2, ALL, ADVICE)]),
        (SYS_mmap, &[is(2, CODE, &[0])]),
        (SYS_mprotect, &[is(2, CODE, &[0])]),
        (SYS_fcntl, &[is(1, ALL, OF_DESCRIPTORS)]),
        (SYS_ioctl, &[is(1, ALL, QUESTIONS)]),
        (SYS_openat, &[is(2, OR_PLACE, &[UNNAMED])]),
        (SYS_clone, &[is(0, OR_WORLD, &[THREAD])]),
        (SYS_prctl, &[is(0, ALL, &[PR_SET_NAME as u32])]),
        // Limits are asked for. One is lowered. With a higher limit the kernel would write the memory of a process that
        // crashes into a file.
        (SYS_prlimit64, &[is(0, ALL, &[0]), is_short(2), is(2, ALL, &[0])]),
        (SYS_prlimit64, &[is(0, ALL, &[0]), is(1, ALL, &[FILE_LENGTH])]),
    ];

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
        jump(number, 0, over)
    }

    /// Goes over so many steps if it is the number, and over so many others if it is not.
    const fn jump(number: u32, same: usize, other: usize) -> sock_filter {
        let code = (BPF_JMP | BPF_JEQ | BPF_K) as u16;
        sock_filter { code, jt: same as u8, jf: other as u8, k: number }
    }

    /// Steps, with rules for calls at the end. Each rule expects the number of the call, and leaves it for the next one.
    struct Rules(Vec<sock_filter>);

    impl Rules {
        /// Allows a call if all tests are passed.
        fn allow(&mut self, call: c_long, tests: &[Test]) {
            // From the last on, because a jump counts the steps that it goes over. They are in the wrong order.
            let mut rest = vec![ALLOW];
            for &Test { at, mask, values } in tests.iter().rev() {
                let over = rest.len();
                for (later, &value) in values.iter().rev().enumerate() {
                    rest.push(jump(value, later, if later == 0 { over } else { 0 }));
                }
                if mask != ALL {
                    rest.push(step(BPF_ALU | BPF_AND | BPF_K, mask));
                }
                rest.push(load(at));
            }
            rest.reverse();
            self.add(call, &rest);
        }

        fn add(&mut self, call: c_long, steps: &[sock_filter]) {
            self.0.push(unless(call as u32, steps.len() + 1));
            self.0.extend(steps);
            self.0.push(load(NUMBER_AT));
        }
    }

    /// The steps that the kernel takes at each call. A list of all calls would take the kernel longer to prepare than a
    /// short stream takes.
    fn steps(own: u32) -> Vec<sock_filter> {
        let mut steps = Vec::with_capacity(512);
        steps.extend([load(ARCH_AT), unless(ARCH, 1), step(BPF_JMP | BPF_JA, 1), REFUSE]);
        // The place of the number in a word of bits, and the word.
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_AND | BPF_K, 31), step(BPF_MISC | BPF_TAX, 0)]);
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_RSH | BPF_K, 5)]);
        for (word, &bits) in (0..).zip(&BITS).filter(|(_, bits)| **bits != 0) {
            steps.extend([unless(word, 5), step(BPF_LD | BPF_IMM, bits), step(BPF_ALU | BPF_RSH | BPF_X, 0)]);
            steps.extend([step(BPF_ALU | BPF_AND | BPF_K, 1), unless(1, 1), ALLOW]);
        }
        steps.push(load(NUMBER_AT));
        let mut rules = Rules(steps);
        LIMITED.iter().for_each(|&(call, tests)| rules.allow(call, tests));
        rules.allow(SYS_tgkill, &[is(0, ALL, &[own])]);
        // The C library knows an older call. Its flags are in memory, which steps cannot read.
        rules.add(SYS_clone3, &[step(BPF_RET, SECCOMP_RET_ERRNO | ENOSYS as u32)]);

        rules.0.push(REFUSE);
        rules.0
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
