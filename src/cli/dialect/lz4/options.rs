//! The options of lz4.

use super::super::super::getopt::{Opt, flag, joined, number, value};
use super::super::super::request::Mode;

/// What an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Best,
    Blocks,
    Check(bool),
    ContentSize(bool),
    Fast,
    Force(bool),
    Help,
    Legacy,
    List,
    Mode(Mode),
    Multiple,
    NoChecks,
    Quiet,
    Recursive,
    /// What is not here, and why.
    Refused(&'static str),
    Remove(bool),
    Stdout,
    Threads,
    /// What changes speed or memory of lz4 itself, and never what the output means.
    Tuning,
    Verbose,
    Version,
}

const BENCH: Flag = Flag::Refused("this benchmark is not here; pzcomp --bench measures levels and formats");

pub(super) static OPTIONS: [Opt<Flag>; 36] = [
    flag(Flag::Mode(Mode::Compress), "z", "compress"),
    flag(Flag::Mode(Mode::Decompress), "d", "decompress"),
    flag(Flag::Mode(Mode::Decompress), "", "uncompress"),
    flag(Flag::Mode(Mode::Test), "t", "test"),
    flag(Flag::List, "", "list"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Stdout, "", "to-stdout"),
    flag(Flag::Multiple, "m", "multiple"),
    flag(Flag::Recursive, "r", ""),
    flag(Flag::Force(true), "f", "force"),
    flag(Flag::Force(false), "", "no-force"),
    flag(Flag::Remove(false), "k", "keep"),
    flag(Flag::Remove(true), "", "rm"),
    flag(Flag::Quiet, "q", "quiet"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::Help, "hH", "help"),
    flag(Flag::Version, "V", "version"),
    number(Flag::Threads, "T", ""),
    value(Flag::Threads, "", "threads"),
    flag(Flag::Best, "", "best"),
    joined(Flag::Fast, "", "fast"),
    flag(Flag::Legacy, "l", ""),
    joined(Flag::Blocks, "B", ""),
    flag(Flag::Check(true), "", "frame-crc"),
    flag(Flag::Check(false), "", "no-frame-crc"),
    flag(Flag::NoChecks, "", "no-crc"),
    flag(Flag::Tuning, "", "sparse"),
    flag(Flag::Tuning, "", "no-sparse"),
    flag(Flag::Tuning, "", "favor-decSpeed"),
    flag(Flag::ContentSize(true), "", "content-size"),
    flag(Flag::ContentSize(false), "", "no-content-size"),
    joined(Flag::Refused("dictionaries are not supported"), "D", ""),
    joined(BENCH, "b", ""),
    joined(BENCH, "e", ""),
    joined(BENCH, "i", ""),
    joined(BENCH, "S", ""),
];
