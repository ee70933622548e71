//! The table of options of igzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Compress,
    Decompress,
    Force,
    Keep,
    Name,
    NoName,
    Output,
    Remove,
    Stdout,
    Suffix,
    Test,
    Threads,
    Verbose,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress gzip files fast",
    usage: &["[options] [infiles]"],
    about: "igzip compresses each file to a file with the suffix .gz and keeps the input. With -d it decompresses. \
            Without files, or for the file -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        0,
        3,
        "level: from the fastest to the smallest; 2 is the default. The levels are those of gzip -1, -1, -2 and -3",
    ),
    rules: Rules::GetoptLong,
    notes: &[
        "Decompression uses all CPUs that this process may use, unless -T says otherwise. Bytes behind the last \
              gzip member are ignored.",
    ],
    variables: &[],
    statuses: &[("0", "success"), ("1", "a file was skipped, or its data is damaged")],
};

const OPTIONS: &[Opt<Flag>] = &[
    help("h", "help"),
    value(Flag::Output, "o", "", "FILE", "write to FILE; only one input is allowed then"),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Compress, "z", "compress", "compress: the default"),
    flag(Flag::Force, "f", "force", "overwrite files"),
    flag(Flag::Remove, "", "rm", "remove each input when its output is complete"),
    flag(Flag::Keep, "k", "keep", "keep the input files: the default"),
    value(Flag::Suffix, "S", "suffix", "SUF", "use the suffix SUF in place of .gz"),
    version("V", "version"),
    flag(Flag::Verbose, "v", "verbose", texts::VERBOSE),
    flag(Flag::Name, "N", "name", "store or restore the name and the time of the file"),
    flag(Flag::NoName, "n", "no-name", "neither store nor restore the name and the time of the file"),
    flag(Flag::Test, "t", "test", "test compressed files"),
    value(
        Flag::Threads,
        "T",
        "threads",
        "N",
        "number of threads; 0, the default, stands for the CPUs that this process may use",
    ),
    // Without it igzip prints nothing either.
    no_effect(Takes::Nothing, "q", "quiet"),
];
