//! The tables of options of bzip2, lbzip2 and pbzip2.
//!
//! `interface` reads the command line with them and makes the help and the man pages from them. Texts in them are
//! texts for users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, number, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Compress,
    Decompress,
    Test,
    Stdout,
    Keep,
    Force,
    Small,
    Quiet,
    Verbose,
    Level(i32),
    /// The bytes of input in a stream, in units of 100,000.
    BlockSize,
    Threads,
    TrailingGarbage,
}

/// What a tool of this name does.
macro_rules! about {
    ($name:literal) => {
        concat!(
            $name,
            " compresses each file to a file with the suffix .bz2 and removes the input, on all cores. With -d it \
             decompresses. Without files, it reads standard input and writes standard output."
        )
    };
}

const DIGITS: Digits = Digits::Single(1, 9, "level: blocks of 100 kB to 900 kB; 9 is the default");

pub(super) static BZIP2: Interface<Flag> = Interface {
    summary: "compress and decompress files",
    usage: &["[flags and files in any order]"],
    about: about!("bzip2"),
    options: BZIP2_OPTIONS,
    digits: DIGITS,
    rules: Rules::InFull,
    notes: &[],
    variables: VARIABLES,
    statuses: &[
        ("0", "success"),
        ("1", "a file could not be read or written, or the command line was not understood"),
        ("2", "the input is damaged"),
    ],
};

pub(super) static LBZIP2: Interface<Flag> = Interface {
    about: about!("lbzip2"),
    usage: &["[-n N] [-k|-c|-t] [-d|-z] [-1 .. -9] [-f] [-v] [FILE]..."],
    options: LBZIP2_OPTIONS,
    variables: &[
        ("LBZIP2", "arguments that come before those of the command line"),
        ("BZIP2", "more arguments"),
        ("BZIP", "more arguments"),
    ],
    statuses: &[("0", "success"), ("1", "an error, which ends the run"), ("4", "a file was skipped")],
    ..BZIP2
};

pub(super) static PBZIP2: Interface<Flag> = Interface {
    about: about!("pbzip2"),
    usage: &["[-1 .. -9] [-b#cdfhkp#qtvVz] <filename> <filename2> <filenameN>"],
    options: PBZIP2_OPTIONS,
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error"), ("2", "with -t: an error")],
    ..BZIP2
};

const VARIABLES: &[(&str, &str)] =
    &[("BZIP2", "arguments that come before those of the command line"), ("BZIP", "more arguments")];

/// A table of the options that all three tools have, and those given here.
macro_rules! options {
    ($($own:expr),* $(,)?) => {
        &[
            help("h", "help"),
            flag(Flag::Decompress, "d", "decompress", "decompress"),
            flag(Flag::Compress, "z", "compress", "compress"),
            flag(Flag::Keep, "k", "keep", texts::KEEP),
            flag(Flag::Force, "f", "force", texts::FORCE),
            flag(Flag::Test, "t", "test", "test compressed files"),
            flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
            flag(Flag::Quiet, "q", "quiet", "print no warnings"),
            flag(Flag::Verbose, "v", "verbose", texts::VERBOSE),
            version("L", "license"),
            version("V", "version"),
            flag(Flag::Level(1), "", "fast", "the level 1"),
            flag(Flag::Level(9), "", "best", "the level 9"),
            no_effect(Takes::Nothing, "", "repetitive-fast"),
            no_effect(Takes::Nothing, "", "repetitive-best"),
            no_effect(Takes::Nothing, "", "exponential"),
            $($own),*
        ]
    };
}

const BZIP2_OPTIONS: &[Opt<Flag>] =
    options!(flag(Flag::Small, "s", "small", "use blocks of at most 200 kB, which take less memory"));

const LBZIP2_OPTIONS: &[Opt<Flag>] = options!(
    value(Flag::Threads, "n", "", "N", texts::THREADS),
    // pzcomp bounds its memory always, finds blocks in sequence always, and has no condition variables to count.
    no_effect(Takes::Nothing, "s", "small"),
    no_effect(Takes::Nothing, "u", "sequential"),
    no_effect(Takes::Nothing, "S", ""),
);

const PBZIP2_OPTIONS: &[Opt<Flag>] = options!(
    flag(Flag::Small, "s", "small", ""),
    number(
        Flag::BlockSize,
        "b",
        "",
        "N",
        "bytes of input in a stream, in steps of 100 kB; the default is one block"
    ),
    number(Flag::Threads, "p", "", "N", texts::THREADS),
    value(
        Flag::TrailingGarbage,
        "",
        "ignore-trailing-garbage",
        "N",
        "1, the default: ignore data behind the last stream; 0: it is an error",
    ),
    // These options set memory for queues, the size of stacks, and how the input is read.
    no_effect(Takes::Number, "m", ""),
    no_effect(Takes::Number, "S", ""),
    no_effect(Takes::Nothing, "r", "read"),
    no_effect(Takes::Nothing, "l", "loadavg"),
);
