//! The table of options of lzip and plzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, refused, texts, value, version,
};
use crate::cli::request::Mode;

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    DataSize,
    Force,
    Keep,
    Level(i32),
    LooseTrailing,
    Mode(Mode),
    Output,
    Quiet,
    Recompress,
    Stdout,
    Threads,
    TrailingError,
    Verbose,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files in the lzip format",
    usage: &["[options] [files]"],
    about: "lzip compresses each file to a file with the suffix .lz and removes the input, on all cores. With -d it \
            decompresses. Without files, or for -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(0, 9, "level: from the fastest to the smallest; 6 is the default"),
    rules: Rules::Abbreviated,
    notes: &["Numbers can have a unit: k is 1000, Ki is 1024, M is 1000 k, Mi is 1024 Ki, and so on."],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "a file could not be read or written, or the command line was not understood"),
        ("2", "the input is damaged"),
    ],
};

const BY_LEVEL: &str = "the level, -0 to -9, sets this value";
const VOLUMES: &str = "the output is one file; cut it with split";
const MEMBERS: &str = "the level sets the length of members; -B sets it in bytes of input";

const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::TrailingError, "a", "trailing-error", "treat data behind the last member as an error"),
    refused("b", "member-size", MEMBERS),
    value(
        Flag::DataSize,
        "B",
        "data-size",
        "BYTES",
        "bytes of input in a member; the default is two dictionaries",
    ),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Mode(Mode::Decompress), "d", "decompress", "decompress"),
    flag(Flag::Force, "f", "force", "overwrite files"),
    flag(Flag::Recompress, "F", "recompress", "compress files that have the suffix of compressed files"),
    help("h", "help"),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    flag(Flag::Mode(Mode::List), "l", "list", "print the sizes of compressed files"),
    refused("m", "match-length", BY_LEVEL),
    value(Flag::Threads, "n", "threads", "N", texts::THREADS),
    value(Flag::Output, "o", "output", "FILE", "write to FILE and keep the input files"),
    flag(Flag::Quiet, "q", "quiet", "print nothing"),
    refused("s", "dictionary-size", BY_LEVEL),
    refused("S", "volume-size", VOLUMES),
    flag(Flag::Mode(Mode::Test), "t", "test", "test compressed files"),
    flag(Flag::Verbose, "v", "verbose", "print the name and the ratio of each file; twice: print more"),
    version("V", "version"),
    flag(Flag::Level(0), "", "fast", "the level 0"),
    flag(Flag::Level(9), "", "best", "the level 9"),
    flag(
        Flag::LooseTrailing,
        "",
        "loose-trailing",
        "ignore data behind the last member that looks like a damaged header",
    ),
    no_effect(Takes::Value, "", "in-slots"),
    no_effect(Takes::Value, "", "out-slots"),
    refused("", "check-lib", "pzcomp does not contain lzlib"),
];
