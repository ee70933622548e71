//! The table of options of pigz.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use pzcomp::{Format, Layout, Member, Strategy};

use super::{misuse, set_block_size, set_level, set_processes, set_suffix, version_text};
use crate::dialect::gzip::Args;
use crate::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{Target, Task};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files on all cores",
    usage: &["[options] [files ...]"],
    about: "pigz compresses each file to a file with the suffix .gz and removes the input. With -d it decompresses. \
            Without files, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Number(
        "-0 ... -9, -11",
        "level: from no compression to the smallest; 6 is the default",
        set_level,
    ),
    rules: Rules::InFull,
    notes: &[],
    variables: &[
        ("GZIP", "default options; names of files are not allowed"),
        ("PIGZ", "more default options, which overrule those of GZIP"),
    ],
    statuses: &[
        ("0", "success"),
        ("1", "a file was skipped, or its data is damaged"),
        ("22", "the command line was not understood"),
        ("other", "the number of the error with which the system refused a file"),
    ],
    version: |args| version_text(args.called.program),
    misuse: |args, refused| misuse(args.called, refused),
};

/// Why options that tune the zopfli encoder are refused.
const ZOPFLI: &str = "this option tunes an encoder of pigz that pzcomp does not have; leave the option out";

const OPTIONS: &[Opt<Args>] = &[
    option("-A --alias", "the name of the entry when --zip reads standard input")
        .value("NAME", |args, name| args.request.origin.alias = Some(name)),
    option("-b --blocksize", "KiB of input in a block that can be decompressed on its own")
        .parsed("KIB", set_block_size),
    option("-C --comment", "put a comment into the header")
        .value("TEXT", |args, text| args.request.origin.comment = Some(text)),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-f --force", "overwrite files, follow links, and use terminals for compressed data")
        .flag(|args| args.request.rules.force = true),
    help("-h --help"),
    // Blocks of pzcomp never refer to the block before.
    no_effect(Takes::Nothing, "-i/--independent"),
    option("-k --keep", texts::KEEP).flag(|args| args.request.rules.remove = false),
    version("-L --license"),
    option("-l --list", "list the contents of compressed files").flag(|args| args.request.task = Task::List),
    option("-N --name", "store or restore the name and the time of the file")
        .flag(|args| (args.name, args.time) = (Some(true), Some(true))),
    option("-n --no-name", "neither store nor restore the name and the time of the file")
        .flag(|args| (args.name, args.time) = (Some(false), Some(false))),
    // -T was the letter of this option until version 2.4.
    option("-m -T --no-time", "neither store nor restore the time of the file")
        .flag(|args| args.time = Some(false)),
    option("-p --processes", texts::THREADS).parsed("N", set_processes),
    option("-q --quiet --silent", "print no messages").flag(Args::be_quiet),
    option("-r --recursive", "compress or decompress the files in folders")
        .flag(|args| args.request.rules.recursive = true),
    option("-R --rsyncable", texts::RSYNCABLE).flag(|args| args.request.options.rsyncable = true),
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.request.target = Target::Stdout),
    option("-S --suffix", "use the suffix SUF in place of .gz").parsed("SUF", set_suffix),
    option("-Y --synchronous", "wait until the output is on disk")
        .flag(|args| args.request.rules.sync = true),
    option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
    option("-M --time", "store or restore the time of the file").flag(|args| args.time = Some(true)),
    option("-v --verbose", "print the name of each file").flag(Args::be_verbose),
    version("-V --version"),
    option("-K --zip", "write a zip file with one entry").flag(|args| {
        args.request.options.format = Format::Zip;
        args.request.options.layout = Layout::Single(Member::default());
    }),
    option("-z --zlib", "write the zlib format, with the suffix .zz")
        .flag(|args| args.request.options.format = Format::Zlib),
    option("--fast", "the level 1").flag(|args| args.set_level(1)),
    option("--best", "the level 9").flag(|args| args.set_level(9)),
    refused("-F/--first", ZOPFLI),
    option("-H --huffman", "search for no repetitions")
        .flag(|args| args.request.options.strategy = Strategy::Huffman),
    refused("-O/--oneblock", ZOPFLI),
    option("-U --rle", "search for repeated bytes only")
        .flag(|args| args.request.options.strategy = Strategy::Runs),
    refused("-I/--iterations -J/--maxsplits", ZOPFLI),
];
