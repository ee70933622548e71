//! The table of options of snzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, flag, help, no_effect, refused, texts, value, version,
};

/// What an option sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Decompress,
    Force,
    Keep,
    Kind,
    Stdout,
    Suffix,
}

pub(super) static INTERFACE: Interface<Flag> = Interface {
    summary: "compress and decompress files in the framing format of Snappy",
    usage: &["[OPTION]... [FILE]..."],
    about: "snzip compresses each file to a file with the suffix .sz and removes the input, on all cores. With -d it \
            decompresses. Without files, or for -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::Abbreviated,
    notes: &["The only format is the framing format that snzip calls framing2."],
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error"), ("2", "a warning")],
};

const BLOCKS: &str = "chunks have 64 KiB, the most that the format allows";

const OPTIONS: &[Opt<Flag>] = &[
    flag(Flag::Stdout, "c", "stdout", texts::STDOUT),
    flag(Flag::Stdout, "", "to-stdout", ""),
    flag(Flag::Decompress, "d", "decompress", "decompress"),
    flag(Flag::Decompress, "", "uncompress", ""),
    flag(Flag::Force, "f", "force", "overwrite files, and use terminals"),
    flag(Flag::Keep, "k", "keep", texts::KEEP),
    value(
        Flag::Suffix,
        "s",
        "suffix",
        "SUFFIX",
        "the suffix of compressed files, without its dot; sz is the default",
    ),
    value(Flag::Kind, "t", "", "FORMAT", "the format: framing2, the default"),
    refused("b", "block-size", BLOCKS),
    refused("B", "block-size-in-bits", BLOCKS),
    no_effect(Takes::Value, "R", "rsize"),
    no_effect(Takes::Value, "W", "wsize"),
    no_effect(Takes::Nothing, "T", "trace"),
    help("h", "help"),
    version("V", "version"),
];
