//! The table of options of xz.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use pzcomp::XzArch;

use super::filters::{Chain, FilterKind};
use super::{Args, messages, number};
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{Sparse, Target, Task};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the xz and lzma formats",
    usage: &["[OPTION]... [FILE]..."],
    about: "xz compresses each FILE to FILE.xz and removes FILE, on all cores. With -d it decompresses. Without FILE, or \
            when FILE is -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        0,
        9,
        "level: from the fastest to the smallest; 6 is the default",
        Args::set_level,
    ),
    rules: Rules::GetoptLong,
    notes: &[
        "The options of --lzma1 and --lzma2 are preset, dict, lc, lp, pb, mode, nice, mf and depth. Those of the filters \
         for machine code are start=N, that of --delta is dist=N.",
        "Sizes can have the suffixes KiB, MiB and GiB.",
    ],
    variables: &[
        ("XZ_DEFAULTS", "default options; names of files in it do not count"),
        ("XZ_OPT", "more default options, which overrule those of XZ_DEFAULTS"),
    ],
    statuses: &[("0", "success"), ("1", "an error"), ("2", "a warning and no error")],
    version: |args| messages::version(args.request.reporting.robot),
    misuse: |args, misuse| messages::misuse(args.called, misuse),
};

const BLOCKS: &str = "all Blocks have one size and one chain of filters; --block-size and --filters set them";
const LIMITS: &str = "-M sets the limits; without -M, the threads use at most a quarter of the memory";
const FILTERS: &str = "the manual of XZ Utils describes the filters and their options";
const OPTIONS_OF_LZMA: &str = "use this filter, with these options";

/// An option for a filter of this kind.
macro_rules! filter {
    ($names:literal, $kind:expr, $help:expr) => {
        option($names, $help).joined("OPTS", |args, options| args.add_filter($kind, options))
    };
}

/// An option for a filter for machine code.
macro_rules! branches {
    ($names:literal, $arch:ident, $machine:literal) => {
        filter!(
            $names,
            FilterKind::Branches(XzArch::$arch),
            concat!("use the filter for machine code of ", $machine)
        )
    };
}

/// In the order in which an ambiguous abbreviation lists them.
const OPTIONS: &[Opt<Args>] = &[

    option("-z --compress", "compress").flag(|args| args.request.task = Task::Compress),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
    option("-l --list", "list the Streams of .xz files; with -v also the Blocks")
        .flag(|args| args.request.task = Task::List),
    option("-k --keep", texts::KEEP).flag(|args| args.keep = true),
    option("-f --force", texts::FORCE).flag(|args| args.request.rules.force = true),
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.request.target = Target::Stdout),
    option("--single-stream", "decompress the first Stream only")
        .flag(|args| args.request.options.xz.single_stream = true),
    option("--no-sparse", texts::NO_SPARSE).flag(|args| args.request.rules.sparse = Sparse::Never),
    option("--no-sync", "remove a file without waiting until its output is on disk").flag(|args| args.request.rules.sync = false),
    option("-S --suffix", "use the suffix .SUF for compressed files").parsed(".SUF", Args::set_suffix),
    option("--files", "take names of files from FILE or standard input, one on each line")
        .joined("FILE", |args, file| args.set_list(file, b'\n')),
    option("--files0", "take names of files from FILE or standard input, with a null byte behind each name")
        .joined("FILE", |args, file| args.set_list(file, 0)),
    option("-F --format", "auto, which is the default; xz; lzma; or lzip, to decompress only")
        .parsed("FMT", Args::set_format),
    option("-C --check", "none, crc32, crc64, which is the default, or sha256").parsed("CHECK", Args::set_check),
    option("--ignore-check", "do not verify the checks of the data")
        .flag(|args| args.request.options.xz.ignore_check = true),
    option("--block-size", "bytes of input in a Block").parsed("SIZE", |args, size| {
        args.request.options.block_size = args.right(number::block_size(&size))?;
        Ok(())
    }),
    refused("--block-list", BLOCKS),
    option("--fast", "the level 0").flag(|args| args.set_level(0)),
    option("--best", "the level 9").flag(|args| args.set_level(9)),
    option("-e --extreme", "compress slower and smaller").flag(|args| {
        args.request.options.extreme = true;
        args.chain.clear();
    }),
    option("-T --threads", texts::THREADS_OR_0).parsed("NUM", |args, threads| {
        args.request.options.threads = args.right(number::threads(&threads))?;
        Ok(())
    }),
    option("--memlimit-compress", "limit of the memory to compress").parsed("LIMIT", |args, limit| {
        args.memory_compress = args.right(number::memory(&limit))?;
        Ok(())
    }),
    option("--memlimit-decompress", "limit of the memory to decompress").parsed("LIMIT", |args, limit| {
        args.memory_decompress = args.right(number::memory(&limit))?;
        Ok(())
    }),
    no_effect(Takes::Value, "--memlimit-mt-decompress"),
    option("-M --memlimit --memory", "limit of the memory, in bytes, KiB, MiB, GiB or % of all memory").parsed("LIMIT", |args, limit| {
        let limit = args.right(number::memory(&limit))?;
        (args.memory_compress, args.memory_decompress) = (limit, limit);
        Ok(())
    }),
    option("--no-adjust", "do not change settings to meet the limit; refuse the work instead")
        .flag(|args| args.adjust = false),
    option(
        "--flush-timeout",
        "let no byte wait longer than MS milliseconds for the end of its Block; 0, the default, means no limit",
    )
    .parsed("MS", |args, timeout| {
        args.request.options.flush_interval = args.right(number::timeout(&timeout))?;
        Ok(())
    }),
    option("-q --quiet", "print no warnings; twice: no errors either").flag(|args| args.message_level -= 1),
    option("-v --verbose", texts::VERBOSE).flag(|args| args.message_level += 1),
    option("-Q --no-warn", "warnings do not change the exit status").flag(|args| args.request.reporting.ignore_warnings = true),
    option("--robot", "print tables that programs can read").flag(|args| args.request.reporting.robot = true),
    refused("--info-memory", LIMITS),
    help("-h -H --help --long-help"),
    version("-V --version"),
    option("--filters", "use this chain of filters, such as 'x86 lzma2:dict=32MiB'").parsed("CHAIN", |args, chain| {
        args.chain = args.right(Chain::read(&chain))?;
        Ok(())
    }),
    refused("--filters-help", FILTERS),
    refused(
        "--filters1 --filters2 --filters3 --filters4 --filters5 --filters6 --filters7 --filters8 --filters9",
        BLOCKS,
    ),
    filter!("--lzma1", FilterKind::Lzma1, OPTIONS_OF_LZMA),
    filter!("--lzma2", FilterKind::Lzma2, OPTIONS_OF_LZMA),
    branches!("--x86", X86, "x86"),
    branches!("--powerpc", PowerPc, "big-endian PowerPC"),
    branches!("--ia64", Ia64, "Itanium"),
    branches!("--arm", Arm, "ARM"),
    branches!("--armthumb", ArmThumb, "ARM-Thumb"),
    branches!("--arm64", Arm64, "ARM64"),
    branches!("--sparc", Sparc, "SPARC"),
    branches!("--riscv", RiscV, "RISC-V"),
    filter!("--delta", FilterKind::Delta, "use the delta filter"),
];
