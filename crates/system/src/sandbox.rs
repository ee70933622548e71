//! A process that gives up what it needs no more: other files, the network, other programs and other processes.
//!
//! [`enter`] is for a program that has everything open which it works on. From then on its threads, those that run and
//! those that start later, can use the descriptors that are open, memory, time, threads and signals of their own, and
//! what the [`Left`] of the caller says. Every other system call fails with `EPERM`; none ends the process. New memory
//! cannot hold code. There is no way back.
//!
//! A file that is not complete must get its name in the end. The names that this needs are copied into memory that is
//! read only from then on ([`sealed`]), and the kernel takes these places and no others. So no name can be changed.
//!
//! Only Linux on x86-64 and AArch64 has it here (seccomp). Nothing is given up where the kernel refuses the filter.

#[cfg(not(windows))]
use std::ffi::CStr;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::facts::Facts;
use crate::folder::Folder;

/// What a process can still do in the sandbox, besides using what is open.
///
/// ```
/// use pzcomp_system::sandbox::Left;
/// // A run that removes its input in the end.
/// let left = Left { removed: Some("input".as_ref()), ..Left::default() };
/// assert!(!left.files);
/// ```
#[derive(Debug, Default)]
pub struct Left<'a> {
    /// All that can be done with files.
    pub files: bool,
    /// A file that gets its attributes and its name when it is complete.
    pub output: Option<Output<'a>>,
    /// A file that is removed.
    pub removed: Option<&'a Path>,
    /// A child, which is waited for, and which gets signals; or all of its process group.
    pub program: Option<u32>,
}

/// A file that is open and not complete. All its names are in one folder.
#[derive(Debug)]
pub struct Output<'a> {
    /// The file.
    pub file: &'a File,
    /// Its folder.
    pub folder: &'a Folder,
    /// The name that it has. Nothing if it keeps its name whatever happens.
    pub name: Option<&'a OsStr>,
    /// The name that it gets. What has that name is replaced if the flag is set.
    pub named: (&'a OsStr, bool),
    /// It gets the owner, the times and these bits of the mode of another file, by [`Facts::give_to`].
    pub like: Option<(&'a Facts, u32)>,
}

/// Gives up all that is not `left`. Returns whether it did: not if the process has called this before, or if the
/// system cannot. If names cannot be kept apart, all files are left.
pub fn enter(left: &mut Left) -> bool {
    static HAS_ENTERED: AtomicBool = AtomicBool::new(false);
    if HAS_ENTERED.swap(true, Ordering::Relaxed) {
        return false;
    }
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    return linux::enter(left);
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    {
        let _ = left;
        false
    }
}

/// This name at the place where it can be used in the sandbox, if it is one that is left.
#[cfg(not(windows))]
pub(crate) fn sealed(name: &OsStr) -> Option<&'static CStr> {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    return linux::sealed(name);
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    {
        let _ = name;
        None
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux {
    use std::ffi::{CStr, OsStr};
    use std::os::fd::{AsFd, AsRawFd};
    use std::sync::OnceLock;

    use libc::*;

    use super::{Left, Output};

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
    /// Without `O_LARGEFILE` as the kernel has it, which says nothing where offsets have 64 bits.
    const NOT_LARGE: u32 = if cfg!(target_arch = "x86_64") { !0o100_000 } else { !0o400_000 };
    /// `TCGETS2` of newer C libraries is missing in older headers.
    const QUESTIONS: &[u32] = &[TCGETS as u32, 0x802c_542a, TIOCGWINSZ as u32, FIONREAD as u32];
    /// Not `F_SETFL`: with `O_ASYNC`, a terminal sends SIGIO to other processes, and `O_APPEND` keeps what a log has.
    const OF_DESCRIPTORS: &[u32] = &[
        F_DUPFD as u32,
        F_DUPFD_CLOEXEC as u32,
        F_GETFD as u32,
        F_SETFD as u32,
        F_GETFL as u32,
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
    /// The idle class of the disks, and that the number is that of a thread.
    const IDLE: u32 = 3 << 13;
    const OF_THREAD: u32 = 1;

    /// The calls that are allowed whatever their arguments are.
    #[rustfmt::skip]
    const ALLOWED: &[c_long] = &[
        // Descriptors that are open.
        SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_lseek,
        SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate,
        SYS_fadvise64, SYS_flock, SYS_dup, SYS_pipe2, SYS_ppoll, SYS_splice, SYS_sendfile,
        SYS_copy_file_range,
        // musl has these calls where glibc has the newer ones.
        #[cfg(target_arch = "x86_64")]
        SYS_poll,
        #[cfg(target_arch = "x86_64")]
        SYS_stat,
        #[cfg(target_arch = "x86_64")]
        SYS_lstat,
        // Memory.
        SYS_brk,
        // Threads, and signals of this process.
        SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_membarrier, SYS_sched_yield, SYS_sched_getaffinity, SYS_gettid,
        SYS_getpid, SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigprocmask,
        SYS_rt_sigreturn, SYS_sigaltstack,
        // Time, and questions about this process.
        SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_times,
        SYS_getrusage, SYS_getrandom, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    ];

    /// The calls that work on files by their names, and change more of files that are open.
    #[rustfmt::skip]
    const OF_FILES: &[c_long] = &[
        SYS_openat, SYS_readlinkat, SYS_faccessat, SYS_faccessat2, SYS_getcwd, SYS_getdents64, SYS_statfs, SYS_umask,
        SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_mkdirat, SYS_truncate, SYS_utimensat,
        SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_fchdir, SYS_chdir, SYS_dup3, SYS_sync_file_range,
        #[cfg(target_arch = "x86_64")]
        SYS_open,
        #[cfg(target_arch = "x86_64")]
        SYS_access,
        #[cfg(target_arch = "x86_64")]
        SYS_readlink,
        #[cfg(target_arch = "x86_64")]
        SYS_unlink,
        #[cfg(target_arch = "x86_64")]
        SYS_rmdir,
        #[cfg(target_arch = "x86_64")]
        SYS_rename,
        #[cfg(target_arch = "x86_64")]
        SYS_link,
        #[cfg(target_arch = "x86_64")]
        SYS_symlink,
        #[cfg(target_arch = "x86_64")]
        SYS_mkdir,
        #[cfg(target_arch = "x86_64")]
        SYS_chmod,
        #[cfg(target_arch = "x86_64")]
        SYS_chown,
        #[cfg(target_arch = "x86_64")]
        SYS_lchown,
    ];

    /// A set of calls as bits.
    type Bits = [u32; 16];
    const BITS: Bits = with([0; 16], ALLOWED);
    const BITS_WITH_FILES: Bits = with(BITS, OF_FILES);

    const fn with(mut bits: Bits, calls: &[c_long]) -> Bits {
        let mut at = 0;
        while at < calls.len() {
            bits[calls[at] as usize / 32] |= 1 << (calls[at] % 32);
            at += 1;
        }
        bits
    }

    /// A half of an argument, in the bits of the mask, must be one of these values, or none of them.
    struct Test<'a> {
        at: u32,
        mask: u32,
        values: &'a [u32],
        is_one: bool,
    }

    /// The lower half of an argument must be one of these values in the bits of the mask.
    const fn is<'a>(argument: u32, mask: u32, values: &'a [u32]) -> Test<'a> {
        Test { at: ARGUMENTS_AT + 8 * argument, mask, values, is_one: true }
    }

    /// An argument is not among the first 4 GiB of memory, where the sealed names are. A stretch that begins behind
    /// them has none of them. The kernel of AArch64 ignores the highest byte.
    const fn is_behind_names(argument: u32) -> Test<'static> {
        Test { at: ARGUMENTS_AT + 8 * argument + 4, mask: 0x00ff_ffff, values: &[0], is_one: false }
    }

    /// The upper half of an argument must be zero.
    const fn is_short(argument: u32) -> Test<'static> {
        Test { at: ARGUMENTS_AT + 8 * argument + 4, mask: ALL, values: &[0], is_one: true }
    }

    /// The calls that are allowed if all of these tests of their arguments are passed.
    const LIMITED: &[(c_long, &[Test<'static>])] = &[
        // Names that are given back are empty, and one that goes on in another page is shorter.
        (SYS_madvise, &[is(2, ALL, ADVICE), is_behind_names(0)]),
        (SYS_mmap, &[is(2, CODE, &[0]), is(3, MAP_FIXED as u32, &[0])]),
        (SYS_munmap, &[is_behind_names(0)]),
        (SYS_mprotect, &[is(2, CODE, &[0]), is_behind_names(0)]),
        (SYS_mremap, &[is(3, ALL, &[0, MREMAP_MAYMOVE as u32]), is_behind_names(0)]),
        (SYS_fcntl, &[is(1, ALL, OF_DESCRIPTORS)]),
        (SYS_ioctl, &[is(1, ALL, QUESTIONS)]),
        (SYS_openat, &[is(2, OR_PLACE, &[UNNAMED])]),
        (SYS_clone, &[is(0, OR_WORLD, &[THREAD])]),
        (SYS_prctl, &[is(0, ALL, &[PR_SET_NAME as u32])]),
        // Limits are asked for. One is lowered. With a higher limit the kernel would write the memory of a process that
        // crashes into a file.
        (SYS_prlimit64, &[is(0, ALL, &[0]), is_short(2), is(2, ALL, &[0])]),
        (SYS_prlimit64, &[is(0, ALL, &[0]), is(1, ALL, &[FILE_LENGTH])]),
        (SYS_sched_setscheduler, &[is(0, ALL, &[0]), is(1, ALL, &[SCHED_IDLE as u32])]),
        (SYS_ioprio_set, &[is(0, ALL, &[OF_THREAD]), is(1, ALL, &[0]), is(2, ALL, &[IDLE])]),
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

    /// Steps, with rules for calls at the end. Each rule expects the number of the call, and leaves it for the next.
    struct Rules(Vec<sock_filter>);

    impl Rules {
        /// Allows a call if all tests are passed.
        fn allow(&mut self, call: c_long, tests: &[Test]) {
            // From the last on, because a jump counts the steps that it goes over. They are in the wrong order.
            let mut rest = vec![ALLOW];
            for &Test { at, mask, values, is_one } in tests.iter().rev() {
                let over = rest.len();
                for (later, &value) in values.iter().rev().enumerate() {
                    let passed = if is_one { later } else { later + over };
                    rest.push(jump(value, passed, if is_one && later == 0 { over } else { 0 }));
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
    fn steps(left: &Left, own: u32) -> Option<Vec<sock_filter>> {
        let mut steps = Vec::with_capacity(512);
        steps.extend([load(ARCH_AT), unless(ARCH, 1), step(BPF_JMP | BPF_JA, 1), REFUSE]);
        // The place of the number in a word of bits, and the word.
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_AND | BPF_K, 31), step(BPF_MISC | BPF_TAX, 0)]);
        steps.extend([load(NUMBER_AT), step(BPF_ALU | BPF_RSH | BPF_K, 5)]);
        let bits = if left.files { BITS_WITH_FILES } else { BITS };
        for (word, &bits) in (0..).zip(&bits).filter(|(_, bits)| **bits != 0) {
            steps.extend([unless(word, 5), step(BPF_LD | BPF_IMM, bits), step(BPF_ALU | BPF_RSH | BPF_X, 0)]);
            steps.extend([step(BPF_ALU | BPF_AND | BPF_K, 1), unless(1, 1), ALLOW]);
        }
        steps.push(load(NUMBER_AT));
        let mut rules = Rules(steps);
        LIMITED.iter().for_each(|&(call, tests)| rules.allow(call, tests));
        rules.allow(SYS_tgkill, &[is(0, ALL, &[own])]);
        // The numbers of these two mean what they mean now for ever.
        let output = left.output.as_ref().filter(|_| !left.files);
        let output = output.map(|output| (output.folder.as_fd().as_raw_fd(), output.file.as_raw_fd()));
        let (folder, file) = output.unwrap_or((-1, -1));
        let stay = [folder as u32, file as u32];
        let closes = Test { is_one: false, ..is(0, ALL, &stay) };
        rules.allow(SYS_close, &[closes]);
        if let Some(program) = left.program {
            rules.allow(SYS_kill, &[is(0, ALL, &[program, program.wrapping_neg()])]);
            rules.allow(SYS_wait4, &[]);
            rules.allow(SYS_waitid, &[]);
        }
        if left.files {
            // A device is a way to a whole disk.
            rules.allow(SYS_mknodat, &[is(2, S_IFMT, &[S_IFIFO])]);
        } else {
            allow_names(&mut rules, left)?;
        }
        // The C library knows an older call. Its flags are in memory, which steps cannot read.
        rules.add(SYS_clone3, &[step(BPF_RET, SECCOMP_RET_ERRNO | ENOSYS as u32)]);

        rules.0.push(REFUSE);
        Some(rules.0)
    }

    /// Adds what completes the output and removes the input. Nothing if the names cannot be sealed.
    fn allow_names(rules: &mut Rules, left: &Left) -> Option<()> {
        let removed = left.removed.map(|path| path.as_os_str());
        let own = left.output.as_ref().map(|output| (output.named.0, output.name));
        let names = [Some(OsStr::new(".")), removed, own.map(|own| own.0), own.and_then(|own| own.1)];
        if names.iter().flatten().count() > 1 {
            seal(names.into_iter().flatten())?;
        }
        if let Some(removed) = removed {
            let place = place(removed)?;
            let (here, place) = ([AT_FDCWD as u32], [place]);
            let is_removed = [is(0, ALL, &here), is_short(1), is(1, ALL, &place), is(2, ALL, &[0])];
            rules.allow(SYS_unlinkat, &is_removed);
        }
        let Some(Output { file, folder, name, named: (to, replaces), like }) = &left.output else {
            return Some(());
        };
        let (file, folder) = ([file.as_raw_fd() as u32], [folder.as_fd().as_raw_fd() as u32]);
        let is_file = || is(0, ALL, &file);
        if let Some((like, rights)) = like {
            let (user, group, modes) = like.given(*rights);
            let (users, groups) = ([user, ALL], [group, ALL]);
            rules.allow(SYS_fchown, &[is_file(), is(1, ALL, &users), is(2, ALL, &groups)]);
            rules.allow(SYS_fchmod, &[is_file(), is(1, ALL, &modes)]);
        }
        // The times of the file itself, and not of one with a name.
        rules.allow(SYS_utimensat, &[is_file(), is_short(1), is(1, ALL, &[0])]);
        let is_folder = |argument| is(argument, ALL, &folder);
        let (itself, to) = ([place(OsStr::new("."))?], [place(to)?]);
        // What waits until the names are on the disk.
        let reads = [(O_RDONLY | O_DIRECTORY | O_CLOEXEC) as u32];
        rules.allow(SYS_openat, &[is_folder(0), is_short(1), is(1, ALL, &itself), is(2, NOT_LARGE, &reads)]);
        let Some(name) = name else { return Some(()) };
        let name = [place(name)?];
        let names =
            || [is_folder(0), is_short(1), is(1, ALL, &name), is_folder(2), is_short(3), is(3, ALL, &to)];
        rules.allow(SYS_renameat, &names());
        rules.allow(SYS_unlinkat, &[is_folder(0), is_short(1), is(1, ALL, &name), is(2, ALL, &[0])]);
        if !replaces {
            let [a, b, c, d, e, f] = names();
            rules.allow(SYS_renameat2, &[a, b, c, d, e, f, is(4, ALL, &[RENAME_NOREPLACE])]);
            let [a, b, c, d, e, f] = names();
            rules.allow(SYS_linkat, &[a, b, c, d, e, f, is(4, ALL, &[0])]);
            // An empty file that takes the name, where neither is possible.
            let makes = O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
            let makes = [(makes | O_RDWR) as u32, (makes | O_WRONLY) as u32];
            rules.allow(
                SYS_openat,
                &[is_folder(0), is_short(1), is(1, ALL, &to), is(2, NOT_LARGE, &makes), is(3, ALL, &[0o600])],
            );
            rules.allow(SYS_unlinkat, &[is_folder(0), is_short(1), is(1, ALL, &to), is(2, ALL, &[0])]);
        }
        Some(())
    }

    /// Where the names are, and how many bytes they have: a path, and two names. The filter refuses all calls that
    /// could put other memory there, by the upper half of its address.
    const NAMES_AT: usize = 0xf000_0000;
    const NAMES_LEN: usize = 8192;

    static SEALED: OnceLock<Vec<&'static CStr>> = OnceLock::new();

    pub(super) fn sealed(name: &OsStr) -> Option<&'static CStr> {
        let name = name.as_encoded_bytes();
        SEALED.get()?.iter().copied().find(|sealed| sealed.to_bytes() == name)
    }

    /// The address of a sealed name.
    fn place(name: &OsStr) -> Option<u32> {
        sealed(name).map(|name| name.as_ptr() as u32)
    }

    /// Copies these names into memory that is then read only. Nothing if the place is taken, or was used before.
    fn seal<'a>(names: impl Iterator<Item = &'a OsStr>) -> Option<()> {
        let mut bytes = Vec::with_capacity(NAMES_LEN);
        let mut ends = vec![0];
        for name in names {
            bytes.extend(name.as_encoded_bytes());
            bytes.push(0);
            ends.push(bytes.len());
        }
        if bytes.len() > NAMES_LEN || SEALED.get().is_some() {
            return None;
        }
        let (wanted, writes) = (std::ptr::without_provenance_mut(NAMES_AT), PROT_READ | PROT_WRITE);
        let kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
        // SAFETY: the system gives memory that nobody uses. It is as long as is said, and is never given back.
        let memory = unsafe {
            let memory = mmap(wanted, NAMES_LEN, writes, kind, -1, 0);
            if memory == MAP_FAILED {
                return None;
            }
            if memory != wanted {
                // An old kernel takes the place as a wish.
                munmap(memory, NAMES_LEN);
                return None;
            }
            memory.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            if mprotect(memory, NAMES_LEN, PROT_READ) != 0 {
                return None;
            }
            std::slice::from_raw_parts(memory.cast::<u8>(), bytes.len())
        };
        let names = ends.windows(2).map(|ends| CStr::from_bytes_with_nul(&memory[ends[0]..ends[1]]));
        SEALED.set(names.collect::<Result<_, _>>().ok()?).ok()
    }

    pub(super) fn enter(left: &mut Left) -> bool {
        let own = std::process::id();
        let mut steps = steps(left, own).unwrap_or_else(|| {
            left.files = true;
            steps(left, own).unwrap_or_default()
        });
        let no_file = rlimit { rlim_cur: 0, rlim_max: 0 };
        let program = sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
        // Without this flag, older kernels slow down all branches of the process.
        let flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
        // A process that crashes on purpose would write its memory into a file of the folder where it is. If the limit
        // is refused, all else is still given up.
        //
        // SAFETY: the kernel reads the limits and the program during the calls, and they live longer. The other
        // arguments are numbers.
        unsafe {
            if !left.files {
                setrlimit(RLIMIT_CORE, &raw const no_file);
            }
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &raw const program) == 0
        }
    }
}
