//! The table of options of xz.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use pzcomp::XzArch;

use super::filters::FilterKind;
use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, joined, no_effect, refused, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Compress,
    Decompress,
    Test,
    List,
    Keep,
    Force,
    Stdout,
    Suffix,
    /// Names of files are in a file. Each ends with this byte.
    Files(u8),
    Format,
    Check,
    BlockSize,
    FlushTimeout,
    Level(i32),
    Extreme,
    Threads,
    MemoryCompress,
    MemoryDecompress,
    Memory,
    NoSync,
    NoSparse,
    NoAdjust,
    SingleStream,
    IgnoreCheck,
    /// One filter with its options.
    Filter(FilterKind),
    /// A chain of filters.
    Filters,
    Quiet,
    Verbose,
    NoWarn,
    Robot,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files in the xz and lzma formats",
    usage: &["[OPTION]... [FILE]..."],
    about: "xz compresses each FILE to FILE.xz and removes FILE, on all cores. With -d it decompresses. Without FILE, or \
            when FILE is -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(0, 9, "level: from the fastest to the smallest; 6 is the default"),
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
};

const BLOCKS: &str = "all Blocks have one size and one chain of filters; --block-size and --filters set them";
const LIMITS: &str = "-M sets the limits; without -M, the threads use at most a quarter of the memory";
const FILTERS: &str = "the manual of XZ Utils describes the filters and their options";
const OPTIONS_OF_LZMA: &str = "use this filter, with these options";

/// An option for a filter for machine code.
const fn branches(name: &'static str, arch: XzArch, help: &'static str) -> Opt<Flag> {
    joined(Flag::Filter(FilterKind::Branches(arch)), "", name, "OPTS", help)
}

/// In the order in which an ambiguous abbreviation lists them.
const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::Compress, "z", "compress", "compress"),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Decompress, "", "uncompress", ""),
    flag(Flag::Test, "t", "test", "test compressed files"),
    flag(Flag::List, "l", "list", "list the Streams of .xz files; with -v also the Blocks"),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    flag(Flag::Force, "f", "force", texts::FORCE),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Stdout, "", "to-stdout", ""),
    flag(Flag::SingleStream, "", "single-stream", "decompress the first Stream only"),
    flag(Flag::NoSparse, "", "no-sparse", "make no holes of zeros in decompressed files"),
    flag(Flag::NoSync, "", "no-sync", "remove a file without waiting until its output is on disk"),
    value(Flag::Suffix, "S", "suffix", ".SUF", "use the suffix .SUF for compressed files"),
    joined(
        Flag::Files(b'\n'),
        "",
        "files",
        "FILE",
        "take names of files from FILE or standard input, one on each line",
    ),
    joined(
        Flag::Files(0),
        "",
        "files0",
        "FILE",
        "take names of files from FILE or standard input, with a null byte behind each name",
    ),
    value(
        Flag::Format,
        "F",
        "format",
        "FMT",
        "auto, which is the default; xz; lzma; or lzip, to decompress only",
    ),
    value(Flag::Check, "C", "check", "CHECK", "none, crc32, crc64, which is the default, or sha256"),
    flag(Flag::IgnoreCheck, "", "ignore-check", "do not verify the checks of the data"),
    value(Flag::BlockSize, "", "block-size", "SIZE", "bytes of input in a Block"),
    refused("", "block-list", BLOCKS),
    flag(Flag::Level(0), "", "fast", "the level 0"),
    flag(Flag::Level(9), "", "best", "the level 9"),
    flag(Flag::Extreme, "e", "extreme", "compress slower and smaller"),
    value(Flag::Threads, "T", "threads", "NUM", texts::THREADS_OR_0),
    value(Flag::MemoryCompress, "", "memlimit-compress", "LIMIT", "limit of the memory to compress"),
    value(Flag::MemoryDecompress, "", "memlimit-decompress", "LIMIT", "limit of the memory to decompress"),
    no_effect(Takes::Value, "", "memlimit-mt-decompress"),
    value(
        Flag::Memory,
        "M",
        "memlimit",
        "LIMIT",
        "limit of the memory, in bytes, KiB, MiB, GiB or % of all memory",
    ),
    value(Flag::Memory, "", "memory", "LIMIT", ""),
    flag(
        Flag::NoAdjust,
        "",
        "no-adjust",
        "do not change settings to meet the limit; refuse the work instead",
    ),
    value(
        Flag::FlushTimeout,
        "",
        "flush-timeout",
        "MS",
        "let no byte wait longer than MS milliseconds for the end of its Block; 0, the default, means no limit",
    ),
    flag(Flag::Quiet, "q", "quiet", "print no warnings; twice: no errors either"),
    flag(Flag::Verbose, "v", "verbose", texts::VERBOSE),
    flag(Flag::NoWarn, "Q", "no-warn", "warnings do not change the exit status"),
    flag(Flag::Robot, "", "robot", "print tables that programs can read"),
    refused("", "info-memory", LIMITS),
    help("h", "help"),
    help("H", "long-help"),
    version("V", "version"),
    value(Flag::Filters, "", "filters", "CHAIN", "use this chain of filters, such as 'x86 lzma2:dict=32MiB'"),
    refused("", "filters-help", FILTERS),
    refused("", "filters1", BLOCKS),
    refused("", "filters2", BLOCKS),
    refused("", "filters3", BLOCKS),
    refused("", "filters4", BLOCKS),
    refused("", "filters5", BLOCKS),
    refused("", "filters6", BLOCKS),
    refused("", "filters7", BLOCKS),
    refused("", "filters8", BLOCKS),
    refused("", "filters9", BLOCKS),
    joined(Flag::Filter(FilterKind::Lzma1), "", "lzma1", "OPTS", OPTIONS_OF_LZMA),
    joined(Flag::Filter(FilterKind::Lzma2), "", "lzma2", "OPTS", OPTIONS_OF_LZMA),
    branches("x86", XzArch::X86, "use the filter for machine code of x86"),
    branches("powerpc", XzArch::PowerPc, "use the filter for machine code of big-endian PowerPC"),
    branches("ia64", XzArch::Ia64, "use the filter for machine code of Itanium"),
    branches("arm", XzArch::Arm, "use the filter for machine code of ARM"),
    branches("armthumb", XzArch::ArmThumb, "use the filter for machine code of ARM-Thumb"),
    branches("arm64", XzArch::Arm64, "use the filter for machine code of ARM64"),
    branches("sparc", XzArch::Sparc, "use the filter for machine code of SPARC"),
    branches("riscv", XzArch::RiscV, "use the filter for machine code of RISC-V"),
    joined(Flag::Filter(FilterKind::Delta), "", "delta", "OPTS", "use the delta filter"),
];
