//! The table of options of bgzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, refused, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Decompress,
    Force,
    Index,
    IndexName,
    Keep,
    Level,
    Offset,
    Output,
    Reindex,
    Size,
    Stdout,
    Test,
    Threads,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files in the BGZF format",
    usage: &["[OPTIONS] [FILE] ..."],
    about: "bgzip compresses each FILE to FILE.gz and removes FILE, on all cores. With -d it decompresses. Without FILE, \
            it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::GetoptLong,
    notes: &[],
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error")],
};

const OPTIONS: &[Opt<Flag>] = &[
    value(
        Flag::Offset,
        "b",
        "offset",
        "INT",
        "decompress from this byte of the data on; this needs the index",
    ),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Force, "f", "force", "overwrite files"),
    refused(
        "g",
        "rebgzip",
        "blocks cannot be cut where an index says; -i makes an index of the blocks as they are",
    ),
    help("h", "help"),
    help("?", ""),
    flag(Flag::Index, "i", "index", "compress, and make an index"),
    value(
        Flag::IndexName,
        "I",
        "index-name",
        "FILE",
        "name of the index; the default is the name of the output with .gzi behind it",
    ),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    value(Flag::Level, "l", "compress-level", "INT", "level: 0 to 9, or -1 for the default"),
    value(Flag::Output, "o", "output", "FILE", "write to FILE and keep the input files"),
    flag(Flag::Reindex, "r", "reindex", "make an index of a compressed file"),
    value(Flag::Size, "s", "size", "INT", "decompress this number of bytes"),
    flag(Flag::Test, "t", "test", "test compressed files"),
    value(Flag::Threads, "@", "threads", "INT", texts::THREADS),
    version("", "version"),
    // pzcomp does not align blocks with lines. bgzip before 1.19 does not either.
    no_effect(Takes::Nothing, "", "binary"),
    no_effect(Takes::Value, "", "verbosity"),
];
