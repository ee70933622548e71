//! The table of options of zstd and pzstd.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use super::{Args, EXCLUDED, HIGHEST, WINDOW_LOGS, messages};
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, alias, help, no_effect, option, refused, texts, version,
};
use crate::request::{ShowProgress, Sparse, Task};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the zstd format",
    usage: &["[OPTIONS...] [INPUT... | -] [-o OUTPUT]"],
    about: "zstd compresses each INPUT to INPUT.zst, or decompresses it, on all cores, and keeps INPUT. Without INPUT, \
            zstd reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Number("-1 ... -19", "level, to 22 with --ultra; 3 is the default", Args::set_level),
    rules: Rules::InFull,
    notes: &[
        "Numbers can have the suffixes K, KB, KiB, M, MB, MiB, G, GB and GiB, which all are powers of 1024.",
    ],
    variables: &[("ZSTD_CLEVEL", "the default level"), ("ZSTD_NBTHREADS", "the default number of threads")],
    statuses: &[
        ("0", "success"),
        ("1", "a warning, or an error that no number below names"),
        ("11", "a parameter is out of bounds, or a dictionary is damaged"),
        ("31 to 35", "a dictionary cannot be found, opened or read, is no regular file, or is too large"),
        ("70", "the output cannot be written"),
    ],
    version: |args| messages::version(args.display_level),
    misuse: |args, misuse| messages::misuse(args.called, &misuse),
};

const TRAINING: &str =
    "pzcomp trains as zstd --train does without parameters, and lets libzstd number the dictionary";

const OPTIONS: &[Opt<Args>] = &[

    option("-z --compress", "compress: the default").flag(|args| args.request.task = Task::Compress),
    option("-d --decompress --uncompress", "decompress zstd, gzip, xz, lzma and lz4")
        .flag(|args| args.request.task = Task::Decompress),
    option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
    option("-l --list", "list frames, sizes and ratio of zstd files").flag(|args| args.request.task = Task::List),
    option("-c --stdout", "write to standard output").flag(|args| args.stdout = true),
    option("-o", "write to the file OUTPUT").parsed("OUTPUT", Args::set_output),
    option("--filelist", "take names of inputs from the file LIST, one on each line").parsed("LIST", Args::add_files),
    option("--output-dir-flat", "write into the folder DIR")
        .parsed("DIR", |args, folder| args.set_folder(folder, false)),
    option("--output-dir-mirror", "write into folders below DIR that are named as those of the inputs")
        .parsed("DIR", |args, folder| args.set_folder(folder, true)),
    option(
        "-f --force",
        "overwrite files, follow links, and use terminals for compressed data; with -dc, copy data of other formats unchanged",
    )
    .flag(|args| args.request.rules.force = true),
    option("-k --keep", "keep the inputs: the default").flag(|args| args.request.rules.remove = false),
    option("--rm", "remove each input when its output is complete").flag(|args| args.request.rules.remove = true),
    option("-r", "take the files in folders").flag(|args| args.request.rules.recursive = true),
    option("-q --quiet", "print errors only; twice: print nothing").flag(|args| args.display_level -= 1),
    option("-v --verbose", "print the sizes of each file").flag(|args| args.display_level += 1),
    help("-h -H --help"),
    version("-V --version"),
    option("--progress", "show progress, also if standard error is no terminal or the data goes to standard output")
        .flag(|args| args.request.reporting.progress = ShowProgress::Always),
    option("--no-progress", "show no progress").flag(|args| args.request.reporting.progress = ShowProgress::Never),
    option("--pass-through", "copy data of other formats unchanged").flag(|args| args.pass_through = Some(true)),
    option("--no-pass-through", "refuse data of other formats").flag(|args| args.pass_through = Some(false)),
    option("-T --threads", texts::THREADS_OR_0).number("N", Args::set_threads),
    // An option of pzstd.
    alias("-p --processes").parsed("N", |args, value| args.set_threads(Some(value))),
    option("--single-thread", "use one thread")
        .flag(|args| (args.request.options.threads, args.single_thread) = (1, true)),
    option("--ultra", "allow the levels 20 to 22").flag(|args| args.ultra = true),
    // The original uses tables of 8 GiB and more here, even for short files. pzcomp sets only the level and the window.
    option("--max", "the same as --ultra -22 --long=31").flag(|args| {
        (args.ultra, args.level) = (true, Some(HIGHEST.1));
        args.request.options.window_log = Some(*WINDOW_LOGS.end());
    }),
    option("--fast", "compress faster; the larger N, the faster").joined("N", Args::set_fast),
    option(
        "--long",
        "use a window of 2^N bytes, by default 27; to decompress, more than 27 must be allowed with this option or -M",
    )
    .joined("N", Args::set_long),
    option(
        "--adapt",
        "let the level follow what the input and the output take, from min, or the first level, to max; the output depends on timing",
    )
    .joined("min=N,max=N", Args::set_adapt),
    option("--rsyncable", texts::RSYNCABLE).flag(|args| args.request.options.rsyncable = true),
    option("-C --check", "write a checksum, and verify it: the default").flag(|args| args.set_check(true)),
    option("--no-check", "write no checksum, and verify none").flag(|args| args.set_check(false)),
    option(
        "-M --memory --memlimit --memlimit-decompress",
        "refuse to decompress frames with a window of more than N bytes",
    )
    .number("N", Args::set_memory),
    option("--format", "write FORMAT: zstd, gzip, xz, lzma or lz4").parsed("FORMAT", Args::set_format),
    option("-D", "use the dictionary FILE, to compress and to decompress").parsed("FILE", |args, value| {
        args.dictionary = Some(args.path(value)?);
        Ok(())
    }),
    option("--no-dictID", "do not store the number of the dictionary")
        .flag(|args| args.request.options.zstd.hide_dictionary_id = true),
    option("--zstd", "set parameters of the encoder by name; the manual of zstd lists them")
        .joined("NAME=N,...", Args::add_parameters),
    option("--size-hint", "tell the encoder that the data has about N bytes; progress shows how much of them is read")
        .parsed("N", Args::set_size_hint),
    option("--target-compressed-block-size", "write blocks of about N bytes").parsed("N", Args::set_target_block_size),
    option("--stream-size", "state that standard input has exactly N bytes").parsed("N", |args, value| {
        args.request.options.plain_len = args.number(Some(value))?.filter(|&len| len != 0);
        Ok(())
    }),
    option("--content-size", "store the size of the data in the header: the default")
        .flag(|args| args.request.options.zstd.hide_content_size = false),
    option("--no-content-size", "do not store the size of the data in the header")
        .flag(|args| args.request.options.zstd.hide_content_size = true),
    option("--exclude-compressed", "skip files that have a suffix of a compressed format")
        .flag(|args| args.request.suffixes.excluded = EXCLUDED),
    // An option of gzip that zstd accepts.
    no_effect(Takes::Nothing, "-n"),
    option("--sparse", texts::SPARSE).flag(|args| args.request.rules.sparse = Sparse::Always),
    option("--no-sparse", texts::NO_SPARSE).flag(|args| args.request.rules.sparse = Sparse::Never),
    no_effect(Takes::Nothing, "--asyncio --no-asyncio --mmap-dict --no-mmap-dict"),
    no_effect(Takes::Nothing, "--row-match-finder --no-row-match-finder"),
    no_effect(Takes::Nothing, "--compress-literals --no-compress-literals"),
    no_effect(Takes::Value, "--priority --auto-threads --block-size"),
    no_effect(Takes::Number, "-B"),
    refused("--patch-from", "pzcomp neither makes nor applies patches"),
    option("--train", "make a dictionary of the INPUTs, in the file OUTPUT or dictionary").flag(|args| args.train = true),
    option("--maxdict", "with --train: the most bytes of the dictionary; the default is 112640").parsed("N", |args, value| {
        args.max_dict = args.number_32(Some(value))?.unwrap_or_default() as usize;
        Ok(())
    }),
    refused("-s --train-cover --train-fastcover --train-legacy --dictID", TRAINING),
    refused("-b -e -i -S -P", texts::BENCHMARK),
    refused("--show-default-cparams", "the parameters of each level are those of libzstd"),
    refused("--trace", "pzcomp writes no traces"),
];
