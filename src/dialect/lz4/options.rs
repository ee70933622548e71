//! The table of options of lz4.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use pzcomp::{Check, Layout};

use super::{Args, HIGHEST, messages};
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{Mode, Sparse};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the lz4 format",
    usage: &["[OPTION]... [INPUT] [OUTPUT]", "[OPTION]... -m INPUT..."],
    about: "lz4 compresses INPUT, or decompresses it if its name ends with .lz4, and keeps INPUT. Without INPUT, lz4 reads \
            standard input. Without OUTPUT, lz4 writes standard output, unless that is a terminal. One frame is \
            written on one core; -l writes on all cores.",
    options: OPTIONS,
    digits: Digits::Number(
        "-1 ... -12",
        "level: from the fastest to the smallest; 1 is the default",
        |args, level| {
            args.set_level(i32::try_from(level).unwrap_or(HIGHEST));
            Ok(())
        },
    ),
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
    version: |_| messages::version(),
    misuse: |args, misuse| messages::misuse(args.called, &misuse),
};

const OPTIONS: &[Opt<Args>] = &[

    option("-z --compress", "compress").flag(|args| args.mode = Some(Mode::Compress)),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.mode = Some(Mode::Decompress)),
    option("-t --test", "test compressed files").flag(|args| args.mode = Some(Mode::Test)),
    option("--list", "list frames, sizes and ratio")
        .flag(|args| (args.mode, args.multiple) = (Some(Mode::List), true)),
    option("-c --stdout --to-stdout", "write to standard output")
        .flag(|args| (args.stdout, args.pass_through) = (true, true)),
    option("-m --multiple", "take all names as inputs, each with an output of its own").flag(|args| args.multiple = true),
    option("-r", "take the files in folders; implies -m")
        .flag(|args| (args.multiple, args.request.rules.recursive) = (true, true)),
    option("-f --force", "overwrite files; with -dc, copy data of other formats unchanged")
        .flag(|args| args.request.rules.force = true),
    option("--no-force", "do not overwrite files: the default").flag(|args| args.request.rules.force = false),
    option("-k --keep", "keep the inputs: the default").flag(|args| args.request.rules.remove = false),
    option("--rm", "remove each input when its output is complete").flag(|args| args.request.rules.remove = true),
    option("-q --quiet", "print errors only; twice: print nothing").flag(|args| args.display_level -= 1),
    option("-v --verbose", "print the sizes of each file").flag(|args| args.display_level += 1),
    help("-h -H --help"),
    version("-V --version"),
    option("-T --threads", texts::THREADS_OR_0).number("N", Args::set_threads),
    option("--best", "the level 12").flag(|args| args.set_level(HIGHEST)),
    option("--fast", "compress faster; the larger N, the faster").joined("N", Args::set_fast),
    option("-l", "write the legacy format, which Linux kernels read")
        .flag(|args| args.request.options.layout = Layout::Legacy),
    option(
        "-B",
        "4 to 7: blocks of 64 KiB to 4 MiB; I: independent blocks; D: linked blocks; X: a checksum for each block",
    )
    .joined("4..7IDX", Args::set_blocks),
    option("--frame-crc", "write a checksum of each frame: the default").flag(|args| args.request.options.check = None),
    option("--no-frame-crc", "write no checksum of each frame, and verify none")
        .flag(|args| args.request.options.check = Some(Check::None)),
    option("--no-crc", "write no checksums, and verify none").flag(|args| {
        args.request.options.check = Some(Check::None);
        args.request.options.lz4.checksums = false;
    }),
    option("--sparse", texts::SPARSE).flag(|args| args.request.rules.sparse = Sparse::Always),
    option("--no-sparse", texts::NO_SPARSE).flag(|args| args.request.rules.sparse = Sparse::Never),
    no_effect(Takes::Nothing, "--favor-decSpeed"),
    option("--content-size", "store the size of the data in the header").flag(|args| args.request.origin.size = true),
    option("--no-content-size", "do not store the size of the data: the default")
        .flag(|args| args.request.origin.size = false),
    refused("-D", "lz4 frames with a dictionary are neither written nor read"),
    refused("-b -e -i -S", texts::BENCHMARK),
];
