//! The table of options of snzip.
//!
//! `interface` reads the command line with it and makes the help and the man page from it. Texts in it are texts for
//! users.

use super::{Args, version_text};
use crate::cli::dialect::refusal_with_hint;
use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::cli::request::Mode;

pub(super) static INTERFACE: Interface<Args> = Interface {
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
    version: |_| version_text(),
    misuse: |args, misuse| refusal_with_hint(args.called, misuse),
};

const BLOCKS: &str = "chunks have 64 KiB, the most that the format allows";

const OPTIONS: &[Opt<Args>] = &[
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.stdout = true),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.request.mode = Mode::Decompress),
    option("-f --force", "overwrite files, and use terminals").flag(|args| args.request.rules.force = true),
    option("-k --keep", texts::KEEP).flag(|args| args.keep = true),
    option("-s --suffix", "the suffix of compressed files, without its dot; sz is the default")
        .value("SUFFIX", Args::set_suffix),
    option("-t", "the format: framing2, the default").parsed("FORMAT", Args::check_format),
    refused("-b/--block-size -B/--block-size-in-bits", BLOCKS),
    no_effect(Takes::Value, "-R/--rsize -W/--wsize"),
    no_effect(Takes::Nothing, "-T/--trace"),
    help("-h --help"),
    version("-V --version"),
];
