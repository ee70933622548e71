//! The options of xz.

use pzcomp::XzArch;

use super::super::super::getopt::{Opt, flag, joined, value};
use super::filters::Kind;

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
    /// Names of files, each ended by this byte.
    Files(u8),
    Format,
    Check,
    BlockSize,
    Level(i32),
    Extreme,
    Threads,
    MemoryCompress,
    MemoryDecompress,
    Memory,
    NoSync,
    NoAdjust,
    SingleStream,
    IgnoreCheck,
    /// One filter, with its options.
    Filter(Kind),
    /// A whole chain.
    Filters,
    Quiet,
    Verbose,
    NoWarn,
    Robot,
    Help,
    Version,
    /// What changes no byte of the output and nothing that it needs to be right.
    Idle,
    /// What xz does and this does not: its name, and why or what to do instead.
    Missing(&'static str, &'static str),
}

const BLOCKS: &str = "all Blocks have one size and one chain of filters; --block-size and --filters set them";
const TIMEOUT: &str = "a Block is written when it is full; a smaller --block-size makes for earlier ones";
const LIMITS: &str =
    "limits are those that -M sets; without it threads are limited to a quarter of the memory";
const FILTERS: &str = "xz(1) describes the filters and their options";

/// A filter with options.
const fn filter(name: &'static str, kind: Kind) -> Opt<Flag> {
    joined(Flag::Filter(kind), "", name)
}

/// A filter for machine code.
const fn branches(name: &'static str, arch: XzArch) -> Opt<Flag> {
    filter(name, Kind::Branches(arch))
}

/// A chain for some Blocks.
const fn chain(name: &'static str) -> Opt<Flag> {
    value(Flag::Missing(name, BLOCKS), "", name)
}

/// In the order in which abbreviations that fit several are told.
pub(super) static OPTIONS: [Opt<Flag>; 69] = [
    flag(Flag::Compress, "z", "compress"),
    flag(Flag::Decompress, "d", "decompress"),
    flag(Flag::Decompress, "", "uncompress"),
    flag(Flag::Test, "t", "test"),
    flag(Flag::List, "l", "list"),
    flag(Flag::Keep, "k", "keep"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Stdout, "", "to-stdout"),
    flag(Flag::SingleStream, "", "single-stream"),
    flag(Flag::Idle, "", "no-sparse"),
    flag(Flag::NoSync, "", "no-sync"),
    value(Flag::Suffix, "S", "suffix"),
    joined(Flag::Files(b'\n'), "", "files"),
    joined(Flag::Files(0), "", "files0"),
    value(Flag::Format, "F", "format"),
    value(Flag::Check, "C", "check"),
    flag(Flag::IgnoreCheck, "", "ignore-check"),
    value(Flag::BlockSize, "", "block-size"),
    value(Flag::Missing("block-list", BLOCKS), "", "block-list"),
    flag(Flag::Level(0), "0", "fast"),
    flag(Flag::Level(1), "1", ""),
    flag(Flag::Level(2), "2", ""),
    flag(Flag::Level(3), "3", ""),
    flag(Flag::Level(4), "4", ""),
    flag(Flag::Level(5), "5", ""),
    flag(Flag::Level(6), "6", ""),
    flag(Flag::Level(7), "7", ""),
    flag(Flag::Level(8), "8", ""),
    flag(Flag::Level(9), "9", "best"),
    flag(Flag::Extreme, "e", "extreme"),
    value(Flag::Threads, "T", "threads"),
    value(Flag::MemoryCompress, "", "memlimit-compress"),
    value(Flag::MemoryDecompress, "", "memlimit-decompress"),
    value(Flag::Idle, "", "memlimit-mt-decompress"),
    value(Flag::Memory, "M", "memlimit"),
    value(Flag::Memory, "", "memory"),
    flag(Flag::NoAdjust, "", "no-adjust"),
    value(Flag::Missing("flush-timeout", TIMEOUT), "", "flush-timeout"),
    flag(Flag::Quiet, "q", "quiet"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::NoWarn, "Q", "no-warn"),
    flag(Flag::Robot, "", "robot"),
    flag(Flag::Missing("info-memory", LIMITS), "", "info-memory"),
    flag(Flag::Help, "h", "help"),
    flag(Flag::Help, "H", "long-help"),
    flag(Flag::Version, "V", "version"),
    value(Flag::Filters, "", "filters"),
    flag(Flag::Missing("filters-help", FILTERS), "", "filters-help"),
    chain("filters1"),
    chain("filters2"),
    chain("filters3"),
    chain("filters4"),
    chain("filters5"),
    chain("filters6"),
    chain("filters7"),
    chain("filters8"),
    chain("filters9"),
    filter("lzma1", Kind::Lzma1),
    filter("lzma2", Kind::Lzma2),
    branches("x86", XzArch::X86),
    branches("powerpc", XzArch::PowerPc),
    branches("ia64", XzArch::Ia64),
    branches("arm", XzArch::Arm),
    branches("armthumb", XzArch::ArmThumb),
    branches("arm64", XzArch::Arm64),
    branches("sparc", XzArch::Sparc),
    branches("riscv", XzArch::RiscV),
    filter("delta", Kind::Delta),
];
