//! The table of options of qpress.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, number, refused, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Decompress,
    Stdin,
    Stdout,
    Threads,
    Verbose,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "decompress qpress archives",
    usage: &["-do[vT] FILE", "-dio[vT]"],
    about: "qpress -do writes the files of an archive to standard output, one after the other, on all cores.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::InFull,
    notes: &[
        "pzcomp -l lists the files of an archive, and pzcomp -d --extract NAME takes one of them.",
        "Archives are neither made nor extracted into folders.",
    ],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "the archive is damaged or could not be read, or the command line was not understood"),
    ],
};

const WRITES: &str = "pzcomp reads qpress archives but does not write them";

const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::Decompress, "d", "", "decompress"),
    flag(Flag::Stdin, "i", "", "read standard input"),
    flag(Flag::Stdout, "o", "", "write to standard output"),
    number(
        Flag::Threads,
        "T",
        "",
        "N",
        "number of threads, 1 to 256; the default is the CPUs that this process may use",
    ),
    flag(Flag::Verbose, "v", "", "print the sizes and the ratio"),
    no_effect(Takes::Nothing, "f", ""),
    no_effect(Takes::Nothing, "B", ""),
    no_effect(Takes::Number, "P", ""),
    refused("r", "", WRITES),
    refused("C", "", WRITES),
    refused("L", "", WRITES),
    refused("K", "", WRITES),
    refused("m", "", "pzcomp has no such benchmark; pzcomp --bench measures levels and formats"),
    refused("R", "", "use pzcomp -d --salvage, which skips what is damaged and reports it"),
    help("h", "help"),
    version("V", "version"),
];
