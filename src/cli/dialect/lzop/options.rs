//! The table of options of lzop.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, joined, no_effect, refused, texts, value, version,
};
use crate::cli::request::Mode;

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Folder,
    Force,
    IgnoreWarnings,
    Keep,
    Mode(Mode),
    Output,
    Quiet,
    Stdout,
    Suffix,
    Unlink,
    Verbose,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "decompress files in the format of lzop",
    usage: &["-d|-t|-l [OPTION]... [FILE]..."],
    about: "lzop -d decompresses each file to a file without the suffix .lzo and keeps the input, on all cores. Without \
            files, or for -, it reads standard input and writes standard output. pzcomp does not compress to this \
            format; pzcomp --to zstd FILE.lzo makes a file in a current one.",
    options: OPTIONS,
    digits: Digits::Single(1, 9, "a level; compression is refused"),
    rules: Rules::Abbreviated,
    notes: &["-l prints the table of pzcomp, which is not that of lzop."],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "an error"),
        ("2", "a warning, as about data without a checksum that was tested"),
    ],
};

const STORED: &str = "pzcomp does not read the names that an archive stores; use -d and -o FILE";
const WRITING: &str = "pzcomp does not compress to the format of lzop";

const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::Mode(Mode::Decompress), "d", "decompress", "decompress"),
    flag(Flag::Mode(Mode::Decompress), "", "uncompress", ""),
    flag(Flag::Mode(Mode::Test), "t", "test", "test compressed files"),
    flag(Flag::Mode(Mode::List), "l", "list", "list sizes and checks"),
    refused("x", "extract", STORED),
    refused("", "ls", STORED),
    refused("i", "info", "use -l"),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Stdout, "", "to-stdout", ""),
    value(Flag::Output, "o", "output", "FILE", "write to FILE and keep the input files"),
    joined(Flag::Folder, "p", "path", "DIR", "write files into the folder DIR, or into this folder"),
    flag(Flag::Force, "f", "force", "overwrite files, and use terminals"),
    no_effect(Takes::Nothing, "n", "no-name"),
    refused("N", "name", STORED),
    refused("P", "", STORED),
    value(Flag::Suffix, "S", "suffix", ".SUF", "the suffix of compressed files"),
    flag(Flag::Keep, "k", "keep", "keep the input files: the default"),
    flag(Flag::Unlink, "U", "unlink", "remove each input when its output is complete"),
    flag(Flag::Unlink, "", "delete", ""),
    flag(Flag::Quiet, "q", "quiet", "print no warnings"),
    flag(Flag::Quiet, "", "silent", ""),
    flag(Flag::Quiet, "", "no-warn", ""),
    flag(Flag::IgnoreWarnings, "", "ignore-warn", "print no warnings, and never exit with status 2"),
    flag(Flag::Verbose, "v", "verbose", texts::VERBOSE),
    refused("F", "no-checksum", "checksums are always verified"),
    no_effect(Takes::Nothing, "C", "checksum"),
    refused("", "crc32", WRITING),
    refused("", "filter", WRITING),
    refused("", "fast", WRITING),
    refused("", "best", WRITING),
    no_effect(Takes::Nothing, "", "no-mode"),
    no_effect(Takes::Nothing, "", "no-time"),
    no_effect(Takes::Nothing, "", "no-stdin"),
    no_effect(Takes::Nothing, "", "no-color"),
    no_effect(Takes::Nothing, "", "mono"),
    no_effect(Takes::Nothing, "", "color"),
    refused("I", "sysinfo", "use --version"),
    help("hH?", "help"),
    version("VL", "version"),
    version("", "license"),
];
