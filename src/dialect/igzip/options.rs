//! The table of options of igzip.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use super::{Args, messages};
use crate::interface::{Digits, Interface, Opt, Rules, Takes, help, no_effect, option, texts, version};
use crate::request::{Mode, Target, Task};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress gzip files fast",
    usage: &["[options] [infiles]"],
    about: "igzip compresses each file to a file with the suffix .gz and keeps the input. With -d it decompresses. \
            Without files, or for the file -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        0,
        3,
        "level: from the fastest to the smallest; 2 is the default. The levels are those of gzip -1, -1, -2 and -3",
        Args::set_level,
    ),
    rules: Rules::GetoptLong,
    notes: &[
        "Decompression uses all CPUs that this process may use, unless -T says otherwise. Bytes behind the last \
              gzip member are ignored.",
    ],
    variables: &[],
    statuses: &[("0", "success"), ("1", "a file was skipped, or its data is damaged")],
    version: |args| messages::version(args.called.program),
    misuse: |args, misuse| messages::misuse(args.called, misuse),
};

const OPTIONS: &[Opt<Args>] = &[
    help("-h --help"),
    option("-o", "write to FILE; only one input is allowed then")
        .value("FILE", |args, file| args.request.target = Target::File(file.into())),
    option("-c --stdout", texts::STDOUT).flag(|args| args.stdout = true),
    // -t overrules -d, in any order, as in the original.
    option("-d --decompress", "decompress").flag(|args| {
        if args.request.mode() != Mode::Test {
            args.request.task = Task::Decompress;
        }
    }),
    option("-z --compress", "compress: the default").flag(|args| args.request.task = Task::Compress),
    option("-f --force", "overwrite files").flag(|args| args.request.rules.force = true),
    option("--rm", "remove each input when its output is complete").flag(|args| args.remove = true),
    option("-k --keep", "keep the input files: the default").flag(|args| args.remove = false),
    option("-S --suffix", "use the suffix SUF in place of .gz")
        .value("SUF", |args, suffix| args.request.suffixes.custom = Some(suffix)),
    version("-V --version"),
    option("-v --verbose", texts::VERBOSE).flag(|args| args.request.reporting.verbosity.verbose = 1),
    option("-N --name", "store or restore the name and the time of the file")
        .flag(|args| args.name = Some(true)),
    option("-n --no-name", "neither store nor restore the name and the time of the file")
        .flag(|args| args.name = Some(false)),
    option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
    option("-T --threads", texts::THREADS_OR_0).parsed("N", Args::set_threads),
    // Without it igzip prints nothing either.
    no_effect(Takes::Nothing, "-q/--quiet"),
];
