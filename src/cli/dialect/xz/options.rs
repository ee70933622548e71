//! The options of xz.

use super::super::super::getopt::{Opt, flag, joined, value};

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

const FILTERS: &str = "filters are not chosen one by one; levels 0 to 9 and -e choose";
const WHOLE: &str = "all of a file is decoded and verified; xz of XZ Utils takes parts of damaged ones";
const BLOCKS: &str = "all Blocks have one size; --block-size sets it";
const TIMEOUT: &str = "a Block is written when it is full; a smaller --block-size makes for earlier ones";
const LIMITS: &str = "limits are those that -M sets, and that of 128 MiB for the dictionary of a file";

/// A filter, or a chain of them.
const fn filter(name: &'static str) -> Opt<Flag> {
    joined(Flag::Missing(name, FILTERS), "", name)
}

/// In the order in which abbreviations that fit several are told.
pub(super) static OPTIONS: [Opt<Flag>; 68] = [
    flag(Flag::Compress, "z", "compress"),
    flag(Flag::Decompress, "d", "decompress"),
    flag(Flag::Decompress, "", "uncompress"),
    flag(Flag::Test, "t", "test"),
    flag(Flag::List, "l", "list"),
    flag(Flag::Keep, "k", "keep"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Stdout, "", "to-stdout"),
    flag(Flag::Missing("single-stream", WHOLE), "", "single-stream"),
    flag(Flag::Idle, "", "no-sparse"),
    flag(Flag::NoSync, "", "no-sync"),
    value(Flag::Suffix, "S", "suffix"),
    joined(Flag::Files(b'\n'), "", "files"),
    joined(Flag::Files(0), "", "files0"),
    value(Flag::Format, "F", "format"),
    value(Flag::Check, "C", "check"),
    flag(Flag::Missing("ignore-check", WHOLE), "", "ignore-check"),
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
    flag(Flag::Idle, "", "no-adjust"),
    value(Flag::Missing("flush-timeout", TIMEOUT), "", "flush-timeout"),
    flag(Flag::Quiet, "q", "quiet"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::NoWarn, "Q", "no-warn"),
    flag(Flag::Robot, "", "robot"),
    flag(Flag::Missing("info-memory", LIMITS), "", "info-memory"),
    flag(Flag::Help, "h", "help"),
    flag(Flag::Help, "H", "long-help"),
    flag(Flag::Version, "V", "version"),
    filter("filters"),
    filter("filters1"),
    filter("filters2"),
    filter("filters3"),
    filter("filters4"),
    filter("filters5"),
    filter("filters6"),
    filter("filters7"),
    filter("filters8"),
    filter("filters9"),
    filter("lzma1"),
    filter("lzma2"),
    filter("x86"),
    filter("powerpc"),
    filter("ia64"),
    filter("arm"),
    filter("armthumb"),
    filter("arm64"),
    filter("sparc"),
    filter("riscv"),
    filter("delta"),
];
