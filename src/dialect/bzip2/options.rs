//! The tables of options of bzip2, lbzip2 and pbzip2.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the tables and makes the
//! help and the man pages from them. Texts in them are texts for users.

use pzcomp::Unknown;

use super::{Args, lbzip2, messages, pbzip2};
use crate::dialect::refusal;
use crate::interface::{Digits, Interface, Opt, Rules, Takes, help, no_effect, option, texts, version};
use crate::request::{Target, Task};

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

pub(super) const BZIP2: Interface<Args> = Interface {
    summary: "compress and decompress files",
    usage: &["[flags and files in any order]"],
    about: about!("bzip2"),
    options: BZIP2_OPTIONS,
    digits: Digits::Single(1, 9, "level: blocks of 100 kB to 900 kB; 9 is the default", Args::set_level),
    rules: Rules::InFull,
    notes: &[],
    variables: VARIABLES,
    statuses: &[
        ("0", "success"),
        ("1", "a file could not be read or written, or the command line was not understood"),
        ("2", "the input is damaged"),
    ],
    version: |args| messages::version(args.called.program),
    misuse: |args, misuse| refusal(args.called, messages::misuse(args.called.program, &misuse)),
};

pub(super) static LBZIP2: Interface<Args> = Interface {
    about: about!("lbzip2"),
    usage: &["[-n N] [-k|-c|-t] [-d|-z] [-1 .. -9] [-f] [-v] [FILE]..."],
    options: LBZIP2_OPTIONS,
    variables: &[
        ("LBZIP2", "arguments that come before those of the command line"),
        ("BZIP2", "more arguments"),
        ("BZIP", "more arguments"),
    ],
    statuses: &[("0", "success"), ("1", "an error, which ends the run"), ("4", "a file was skipped")],
    version: |_| lbzip2::version(),
    misuse: |args, misuse| refusal(args.called, lbzip2::misuse(&misuse)),
    ..BZIP2
};

pub(super) static PBZIP2: Interface<Args> = Interface {
    about: about!("pbzip2"),
    usage: &["[-1 .. -9] [-b#cdfhkp#qtvVz] <filename> <filename2> <filenameN>"],
    options: PBZIP2_OPTIONS,
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error"), ("2", "with -t: an error")],
    version: |_| pbzip2::version(),
    misuse: |args, misuse| refusal(args.called, pbzip2::misuse(args.called.program, &misuse)),
    ..BZIP2
};

const VARIABLES: &[(&str, &str)] =
    &[("BZIP2", "arguments that come before those of the command line"), ("BZIP", "more arguments")];

/// A table of the options that all three tools have, and those given here.
macro_rules! options {
    ($($own:expr),* $(,)?) => {
        &[
            help("-h --help"),
            option("-d --decompress", "decompress").flag(|args| args.request.task = Task::Decompress),
            option("-z --compress", "compress").flag(|args| args.request.task = Task::Compress),
            option("-k --keep", texts::KEEP).flag(|args| args.request.rules.remove = false),
            option("-f --force", texts::FORCE).flag(|args| args.request.rules.force = true),
            option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
            option("-c --stdout", texts::STDOUT).flag(|args| args.request.target = Target::Stdout),
            option("-q --quiet", "print no warnings").flag(|args| args.request.reporting.verbosity.quiet = true),
            option("-v --verbose", texts::VERBOSE).flag(|args| args.request.reporting.verbosity.raise()),
            version("-L -V --license --version"),
            option("--fast", "the level 1").flag(|args| args.set_level(1)),
            option("--best", "the level 9").flag(|args| args.set_level(9)),
            no_effect(Takes::Nothing, "--repetitive-fast --repetitive-best --exponential"),
            $($own),*
        ]
    };
}

const BZIP2_OPTIONS: &[Opt<Args>] = options!(
    option("-s --small", "use blocks of at most 200 kB, which take less memory")
        .flag(|args| args.small = true)
);

const LBZIP2_OPTIONS: &[Opt<Args>] = options!(
    option("-n", texts::THREADS).parsed("N", lbzip2::set_threads),
    // pzcomp bounds its memory always, finds blocks in sequence always, and has no condition variables to count.
    no_effect(Takes::Nothing, "-s/--small -u/--sequential -S"),
);

const PBZIP2_OPTIONS: &[Opt<Args>] = options!(
    option("-s --small", "").flag(|args| args.small = true),
    option("-b", "bytes of input in a stream, in steps of 100 kB; the default is one block")
        .number("N", pbzip2::set_block_size),
    option("-p", texts::THREADS).number("N", pbzip2::set_threads),
    option(
        "--ignore-trailing-garbage",
        "1, the default: ignore data behind the last stream; 0: it is an error",
    )
    .value("N", |args, value| {
        args.request.options.unknown = if value == "0" { Unknown::Refuse } else { Unknown::Ignore };
    }),
    // These options set memory for queues, the size of stacks, and how the input is read.
    no_effect(Takes::Number, "-m -S"),
    no_effect(Takes::Nothing, "-r/--read -l/--loadavg"),
);
