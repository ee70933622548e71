//! The table of options of gzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Flag {
    Stdout,
    Decompress,
    Force,
    /// The letter `?`, which getopt also returns for unknown options. gzip therefore treats `-?` as an error.
    Unknown,
    Keep,
    List,
    /// Neither name nor time is stored or restored.
    NoName,
    /// Name and time are stored or restored.
    Name,
    NoTime,
    Time,
    PresumeTty,
    Quiet,
    Recursive,
    Rsyncable,
    Suffix,
    Synchronous,
    Test,
    Verbose,
    Lzw,
    Bits,
    Level(i32),
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files",
    usage: &["[OPTION]... [FILE]..."],
    about: "gzip compresses each FILE to FILE.gz and removes FILE, on all cores. With -d it decompresses. Without FILE, \
            or when FILE is -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(1, 9, "level: from the fastest to the smallest; 6 is the default"),
    rules: Rules::GetoptLong,
    notes: &[],
    variables: &[(
        "GZIP",
        "default options, of which only -1 to -9, --fast, --best, --rsyncable and --synchronous count, as in \
         GNU gzip 1.14",
    )],
    statuses: STATUSES,
};

/// The exit statuses of gzip.
const STATUSES: &[(&str, &str)] =
    &[("0", "success"), ("1", "an error"), ("2", "a warning and no error, such as a file that was skipped")];

const OPTIONS: &[Opt<Flag>] = &[
    no_effect(Takes::Nothing, "a", "ascii"),
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Stdout, "", "to-stdout", ""),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Decompress, "", "uncompress", ""),
    flag(Flag::Force, "f", "force", texts::FORCE),
    help("hH", "help"),
    flag(Flag::Unknown, "?", "", ""),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    flag(Flag::List, "l", "list", "list the contents of compressed files"),
    version("L", "license"),
    flag(Flag::NoName, "n", "no-name", "neither store nor restore the name and the time of the file"),
    flag(Flag::Name, "N", "name", "store or restore the name and the time of the file"),
    flag(Flag::NoTime, "m", "", "do not store the time of the file"),
    flag(Flag::Time, "M", "", "store the time of the file"),
    flag(Flag::PresumeTty, "", "-presume-input-tty", ""),
    flag(Flag::Quiet, "q", "quiet", "print no warnings"),
    flag(Flag::Quiet, "", "silent", ""),
    flag(Flag::Synchronous, "", "synchronous", "wait until the output is on disk"),
    flag(Flag::Recursive, "r", "recursive", "compress or decompress the files in folders"),
    value(Flag::Suffix, "S", "suffix", "SUF", "use the suffix SUF for compressed files"),
    flag(Flag::Test, "t", "test", "test compressed files"),
    flag(Flag::Rsyncable, "", "rsyncable", texts::RSYNCABLE),
    flag(Flag::Verbose, "v", "verbose", texts::VERBOSE),
    version("V", "version"),
    flag(Flag::Level(1), "", "fast", "the level 1"),
    flag(Flag::Level(9), "", "best", "the level 9"),
    flag(Flag::Lzw, "Z", "lzw", ""),
    value(Flag::Bits, "b", "bits", "BITS", ""),
];
