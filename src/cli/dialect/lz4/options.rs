//! The table of options of lz4.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, joined, no_effect, number, refused, texts, value,
    version,
};
use crate::cli::request::{Mode, Sparse};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Best,
    Blocks,
    Check(bool),
    ContentSize(bool),
    Fast,
    Force(bool),
    Legacy,
    Sparse(Sparse),
    List,
    Mode(Mode),
    Multiple,
    NoChecks,
    Quiet,
    Recursive,
    Remove(bool),
    Stdout,
    Threads,
    Verbose,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files in the lz4 format",
    usage: &["[OPTION]... [INPUT] [OUTPUT]", "[OPTION]... -m INPUT..."],
    about: "lz4 compresses INPUT, or decompresses it if its name ends with .lz4, and keeps INPUT. Without INPUT, lz4 reads \
            standard input. Without OUTPUT, lz4 writes standard output, unless that is a terminal. One frame is \
            written on one core; -l writes on all cores.",
    options: OPTIONS,
    digits: Digits::Number("-1 ... -12", "level: from the fastest to the smallest; 1 is the default"),
    rules: Rules::InFull,
    notes: &[],
    variables: &[("LZ4_CLEVEL", "the default level"), ("LZ4_NBWORKERS", "the default number of threads")],
    statuses: &[
        ("0", "success"),
        ("1", "an error that no number below names"),
        ("40", "a file cannot be read to compress it, or has less than four bytes"),
        ("42, 70", "the output cannot be written: 42 if lz4 compresses, 70 if it decompresses"),
        ("44", "the input is not compressed"),
        ("53, 54", "a legacy frame is cut short; a legacy frame is damaged"),
        ("66", "a frame is damaged"),
        ("67", "a file cannot be read to decompress it"),
        ("68", "a frame is cut short"),
    ],
};

const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::Mode(Mode::Compress), "z", "compress", "compress"),
    flag(Flag::Mode(Mode::Decompress), "d", "decompress", "decompress"),
    flag(Flag::Mode(Mode::Decompress), "", "uncompress", ""),
    flag(Flag::Mode(Mode::Test), "t", "test", "test compressed files"),
    flag(Flag::List, "", "list", "list frames, sizes and ratio"),
    flag(Flag::Stdout, "c", "stdout", "write to standard output"),
    flag(Flag::Stdout, "", "to-stdout", ""),
    flag(Flag::Multiple, "m", "multiple", "take all names as inputs, each with an output of its own"),
    flag(Flag::Recursive, "r", "", "take the files in folders; implies -m"),
    flag(Flag::Force(true), "f", "force", "overwrite files; with -dc, copy data of other formats unchanged"),
    flag(Flag::Force(false), "", "no-force", "do not overwrite files: the default"),
    flag(Flag::Remove(false), "k", "keep", "keep the inputs: the default"),
    flag(Flag::Remove(true), "", "rm", "remove each input when its output is complete"),
    flag(Flag::Quiet, "q", "quiet", "print errors only; twice: print nothing"),
    flag(Flag::Verbose, "v", "verbose", "print the sizes of each file"),
    help("hH", "help"),
    version("V", "version"),
    number(Flag::Threads, "T", "", "N", texts::THREADS_OR_0),
    value(Flag::Threads, "", "threads", "N", ""),
    flag(Flag::Best, "", "best", "the level 12"),
    joined(Flag::Fast, "", "fast", "N", "compress faster; the larger N, the faster"),
    flag(Flag::Legacy, "l", "", "write the legacy format, which Linux kernels read"),
    joined(
        Flag::Blocks,
        "B",
        "",
        "4..7IDX",
        "4 to 7: blocks of 64 KiB to 4 MiB; I: independent blocks; D: linked blocks; X: a checksum for each block",
    ),
    flag(Flag::Check(true), "", "frame-crc", "write a checksum of each frame: the default"),
    flag(Flag::Check(false), "", "no-frame-crc", "write no checksum of each frame, and verify none"),
    flag(Flag::NoChecks, "", "no-crc", "write no checksums, and verify none"),
    flag(
        Flag::Sparse(Sparse::Always),
        "",
        "sparse",
        "make holes of zeros in decompressed files, and also in a file that standard output is redirected to",
    ),
    flag(Flag::Sparse(Sparse::Never), "", "no-sparse", "make no holes of zeros in decompressed files"),
    no_effect(Takes::Nothing, "", "favor-decSpeed"),
    flag(Flag::ContentSize(true), "", "content-size", "store the size of the data in the header"),
    flag(Flag::ContentSize(false), "", "no-content-size", "do not store the size of the data: the default"),
    refused("D", "", "lz4 frames with a dictionary are neither written nor read"),
    refused("b", "", texts::BENCHMARK),
    refused("e", "", texts::BENCHMARK),
    refused("i", "", texts::BENCHMARK),
    refused("S", "", texts::BENCHMARK),
];
