//! The table of options of lzip and plzip.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use pzcomp::Unknown;

use super::{Args, messages, number};
use crate::dialect::refusal_with_hint;
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{Mode, Recompress};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the lzip format",
    usage: &["[options] [files]"],
    about: "lzip compresses each file to a file with the suffix .lz and removes the input, on all cores. With -d it \
            decompresses. Without files, or for -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        0,
        9,
        "level: from the fastest to the smallest; 6 is the default",
        Args::set_level,
    ),
    rules: Rules::Abbreviated,
    notes: &["Numbers can have a unit: k is 1000, Ki is 1024, M is 1000 k, Mi is 1024 Ki, and so on."],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "a file could not be read or written, or the command line was not understood"),
        ("2", "the input is damaged"),
    ],
    version: |args| messages::version(args.called.program),
    misuse: |args, misuse| refusal_with_hint(args.called, misuse),
};

const BY_LEVEL: &str = "the level, -0 to -9, sets this value";
const VOLUMES: &str = "the output is one file; cut it with split";
const MEMBERS: &str = "the level sets the length of members; -B sets it in bytes of input";

const OPTIONS: &[Opt<Args>] = &[
    option("-a --trailing-error", "treat data behind the last member as an error")
        .flag(|args| args.request.options.unknown = Unknown::Refuse),
    refused("-b/--member-size", MEMBERS),
    option("-B --data-size", "bytes of input in a member; the default is two dictionaries").parsed(
        "BYTES",
        |args, len| {
            args.request.options.block_size = Some(args.number(&len, "B", number::DATA_SIZES)?);
            Ok(())
        },
    ),
    option("-c --stdout", texts::STDOUT).flag(|args| args.stdout = true),
    option("-d --decompress", "decompress").checked(|args| args.set_mode(Mode::Decompress)),
    option("-f --force", "overwrite files").flag(|args| args.request.rules.force = true),
    option("-F --recompress", "compress files that have the suffix of compressed files").flag(|args| {
        args.request.rules.force = true;
        args.request.suffixes.recompress = Recompress::Always;
    }),
    help("-h --help"),
    option("-k --keep", texts::KEEP).flag(|args| args.keep = true),
    option("-l --list", "print the sizes of compressed files").checked(|args| args.set_mode(Mode::List)),
    refused("-m/--match-length", BY_LEVEL),
    option("-n --threads", texts::THREADS).parsed("N", |args, threads| {
        args.request.options.threads = args.number(&threads, "n", 1..=number::THREADS_MAX)?;
        Ok(())
    }),
    option("-o --output", "write to FILE and keep the input files").parsed("FILE", Args::set_output),
    option("-q --quiet", "print nothing").flag(|args| args.request.reporting.silent = true),
    refused("-s/--dictionary-size", BY_LEVEL),
    refused("-S/--volume-size", VOLUMES),
    option("-t --test", "test compressed files").checked(|args| args.set_mode(Mode::Test)),
    option("-v --verbose", "print the name and the ratio of each file; twice: print more")
        .flag(|args| args.request.reporting.verbosity.raise()),
    version("-V --version"),
    option("--fast", "the level 0").flag(|args| args.set_level(0)),
    option("--best", "the level 9").flag(|args| args.set_level(9)),
    option("--loose-trailing", "ignore data behind the last member that looks like a damaged header")
        .flag(|args| args.request.options.lzip.loose_trailing = true),
    no_effect(Takes::Value, "--in-slots --out-slots"),
    refused("--check-lib", "pzcomp does not contain lzlib"),
];
