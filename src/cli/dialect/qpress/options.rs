//! The table of options of qpress.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use super::Args;
use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};

pub(super) static INTERFACE: Interface<Args> = Interface {
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
    version: Args::version,
    misuse: |args, misuse| args.wrong(misuse),
};

const WRITES: &str = "pzcomp reads qpress archives but does not write them";

const OPTIONS: &[Opt<Args>] = &[
    option("-d", "decompress").flag(|args| args.decompress = true),
    option("-i", "read standard input").flag(|args| args.stdin = true),
    option("-o", "write to standard output").flag(|args| args.stdout = true),
    option("-T", "number of threads, 1 to 256; the default is the CPUs that this process may use")
        .number("N", Args::set_threads),
    option("-v", "print the sizes and the ratio").flag(|args| args.verbose = true),
    no_effect(Takes::Nothing, "-f -B"),
    no_effect(Takes::Number, "-P"),
    refused("-r -C -L -K", WRITES),
    refused("-m", texts::BENCHMARK),
    refused("-R", "use pzcomp -d --salvage, which skips what is damaged and reports it"),
    help("-h --help"),
    version("-V --version"),
];
