//! The table of options of pigz.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use pzcomp::Strategy;

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, refused, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Alias,
    BlockSize,
    Comment,
    Decompress,
    Force,
    Keep,
    List,
    Name,
    NoName,
    NoTime,
    Processes,
    Quiet,
    Recursive,
    Rsyncable,
    Stdout,
    Suffix,
    Synchronous,
    Test,
    Time,
    Verbose,
    Zip,
    Zlib,
    Fast,
    Best,
    Strategy(Strategy),
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files on all cores",
    usage: &["[options] [files ...]"],
    about: "pigz compresses each file to a file with the suffix .gz and removes the input. With -d it decompresses. \
            Without files, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Number("-0 ... -9, -11", "level: from no compression to the smallest; 6 is the default"),
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
};

/// Why options that tune the zopfli encoder are refused.
const ZOPFLI: &str = "this option tunes an encoder of pigz that pzcomp does not have; leave the option out";

const OPTIONS: &[Opt<Flag>] = &[
    value(Flag::Alias, "A", "alias", "NAME", "the name of the entry when --zip reads standard input"),
    value(
        Flag::BlockSize,
        "b",
        "blocksize",
        "KIB",
        "KiB of input in a block that can be decompressed on its own",
    ),
    value(Flag::Comment, "C", "comment", "TEXT", "put a comment into the header"),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Decompress, "", "uncompress", ""),
    flag(Flag::Force, "f", "force", "overwrite files, follow links, and use terminals for compressed data"),
    help("h", "help"),
    // Blocks of pzcomp never refer to the block before.
    no_effect(Takes::Nothing, "i", "independent"),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    version("L", "license"),
    flag(Flag::List, "l", "list", "list the contents of compressed files"),
    flag(Flag::Name, "N", "name", "store or restore the name and the time of the file"),
    flag(Flag::NoName, "n", "no-name", "neither store nor restore the name and the time of the file"),
    flag(Flag::NoTime, "m", "no-time", "neither store nor restore the time of the file"),
    // The letter of this option until version 2.4.
    flag(Flag::NoTime, "T", "", ""),
    value(Flag::Processes, "p", "processes", "N", texts::THREADS),
    flag(Flag::Quiet, "q", "quiet", "print no messages"),
    flag(Flag::Quiet, "", "silent", ""),
    flag(Flag::Recursive, "r", "recursive", "compress or decompress the files in folders"),
    flag(Flag::Rsyncable, "R", "rsyncable", texts::RSYNCABLE),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Stdout, "", "to-stdout", ""),
    value(Flag::Suffix, "S", "suffix", "SUF", "use the suffix SUF in place of .gz"),
    flag(Flag::Synchronous, "Y", "synchronous", "wait until the output is on disk"),
    flag(Flag::Test, "t", "test", "test compressed files"),
    flag(Flag::Time, "M", "time", "store or restore the time of the file"),
    flag(Flag::Verbose, "v", "verbose", "print the name of each file"),
    version("V", "version"),
    flag(Flag::Zip, "K", "zip", "write a zip file with one entry"),
    flag(Flag::Zlib, "z", "zlib", "write the zlib format, with the suffix .zz"),
    flag(Flag::Fast, "", "fast", "the level 1"),
    flag(Flag::Best, "", "best", "the level 9"),
    refused("F", "first", ZOPFLI),
    flag(Flag::Strategy(Strategy::Huffman), "H", "huffman", "search for no repetitions"),
    refused("O", "oneblock", ZOPFLI),
    flag(Flag::Strategy(Strategy::Runs), "U", "rle", "search for repeated bytes only"),
    refused("I", "iterations", ZOPFLI),
    refused("J", "maxsplits", ZOPFLI),
];
