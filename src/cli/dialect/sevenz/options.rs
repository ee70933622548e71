//! The table of options of 7z, which 7z calls switches.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, joined, no_effect, refused, version, word,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    ArchiveName,
    Charset,
    Errors,
    Include,
    Messages,
    NoArchive,
    Recurse,
    Sensitive,
    Stdin,
    Stdout,
    Threads,
    Type,
    Verbatim,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "decompress files of 7z archives to standard output",
    usage: &["x|e -so [SWITCH]... ARCHIVE [NAME]", "t [SWITCH]... ARCHIVE [NAME]", "l [SWITCH]... ARCHIVE"],
    about: "7z x -so writes the files of an archive to standard output, one after the other, or only the file NAME. \
            7z t verifies them, and 7z l lists them. All of it uses all cores where the archive allows that. pzcomp neither \
            makes archives nor extracts them into folders.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::Words,
    notes: &[
        "The formats 7z, gzip, bzip2, xz, lzma, zstd and Z are read. NAME is a path as l lists it; wildcards are refused.",
        "A NAME that the archive does not hold is an error. The original writes nothing then, and exits with 0.",
        "l prints the table of pzcomp, which is not that of 7z. Other commands are refused.",
    ],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "a warning, as about data without a checksum that was tested"),
        ("2", "an error: the archive is damaged, or could not be read, or its method is not supported"),
        ("7", "the command line was not understood, or asks for what pzcomp does not do"),
        ("8", "not enough memory"),
    ],
};

const FILES: &str =
    "pzcomp writes to standard output only; use 7z x -so ARCHIVE NAME, or pzcomp -d --extract NAME -o FILE";
const WRITES: &str = "pzcomp does not make or change archives";
const WILDCARDS: &str = "pzcomp takes the name of one file and no patterns";

const OPTIONS: &[Opt<Flag>] = &[
    word(flag(Flag::Stdout, "", "so", "write to standard output; x and e need it")),
    word(flag(
        Flag::Stdin,
        "",
        "si",
        "the archive is standard input, which must be a file for the format 7z",
    )),
    word(joined(Flag::Include, "", "i", "!NAME", "the same as NAME behind the archive")),
    word(flag(Flag::NoArchive, "", "an", "the command line names no archive; -ai or -si does")),
    word(joined(Flag::ArchiveName, "", "ai", "!ARCHIVE", "the archive, with -an")),
    word(joined(
        Flag::Threads,
        "",
        "mmt",
        "[=N]",
        "number of threads, or off for one; the default is the CPUs that this process may use",
    )),
    word(joined(
        Flag::Type,
        "",
        "t",
        "TYPE",
        "read only this format: 7z, gzip, bzip2, xz, lzma, zstd or Z; * for all",
    )),
    word(flag(Flag::Verbatim, "", "spd", "* and ? in NAME are characters like others")),
    word(joined(Flag::Errors, "", "bse", "N", "where errors go: 2 for standard error, 0 for nowhere")),
    word(joined(
        Flag::Messages,
        "",
        "bso",
        "N",
        "0, 1 or 2: only the list of l goes to standard output, so l needs 1",
    )),
    word(joined(Flag::Recurse, "", "r", "-", "no search in folders, as always; -r is refused")),
    word(joined(Flag::Sensitive, "", "ssc", "", "upper and lower case differ, as always; -ssc- is refused")),
    word(joined(Flag::Charset, "", "scc", "UTF-8", "the encoding of texts; no other is there")),
    word(joined(Flag::Charset, "", "scs", "UTF-8", "")),
    word(no_effect(Takes::Nothing, "", "y")),
    word(no_effect(Takes::Nothing, "", "bd")),
    word(no_effect(Takes::Joined, "", "bsp")),
    word(no_effect(Takes::Joined, "", "bb")),
    word(no_effect(Takes::Joined, "", "ao")),
    word(no_effect(Takes::Joined, "", "slp")),
    word(no_effect(Takes::Nothing, "", "ssp")),
    word(no_effect(Takes::Joined, "", "w")),
    word(refused("", "o", FILES)),
    word(refused("", "p", "pzcomp does not decrypt archives; use 7-Zip")),
    word(refused("", "x", WILDCARDS)),
    word(refused("", "ax", WILDCARDS)),
    word(refused("", "slt", "use pzcomp -l --json FILE, which writes the list for programs")),
    word(refused("", "ba", "use pzcomp -l --json FILE, which writes the list for programs")),
    word(refused("", "bt", "use pzcomp -v")),
    word(refused("", "scrc", "use pzcomp --hash")),
    word(refused("", "m", WRITES)),
    word(refused("", "sa", WRITES)),
    word(refused("", "sdel", WRITES)),
    word(refused("", "seml", WRITES)),
    word(refused("", "sfx", WRITES)),
    word(refused("", "sse", WRITES)),
    word(refused("", "ssw", WRITES)),
    word(refused("", "stl", WRITES)),
    word(refused("", "u", WRITES)),
    word(refused("", "v", WRITES)),
    word(refused("", "snh", FILES)),
    word(refused("", "snl", FILES)),
    word(refused("", "sni", FILES)),
    word(refused("", "sns", FILES)),
    word(refused("", "spe", FILES)),
    word(refused("", "spf", FILES)),
    word(refused("", "stm", "use taskset, or -mmt for the number of threads")),
    word(refused("", "stx", "use -t to name the format")),
    word(help("", "h")),
    word(help("", "?")),
    word(help("", "-help")),
    word(version("", "-version")),
];
