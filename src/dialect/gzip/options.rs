//! The table of options of gzip.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use super::{Args, messages};
use crate::dialect::Refusal;
use crate::interface::{Digits, Interface, Opt, Rules, Takes, help, no_effect, option, texts, version};
use crate::request::{Ask, Mode, Target};

pub(super) static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files",
    usage: &["[OPTION]... [FILE]..."],
    about: "gzip compresses each FILE to FILE.gz and removes FILE, on all cores. With -d it decompresses. Without FILE, \
            or when FILE is -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        1,
        9,
        "level: from the fastest to the smallest; 6 is the default",
        Args::set_level,
    ),
    rules: Rules::GetoptLong,
    notes: &[],
    variables: &[(
        "GZIP",
        "default options, of which only -1 to -9, --fast, --best, --rsyncable and --synchronous count, as in \
         GNU gzip 1.14",
    )],
    statuses: STATUSES,
    version: |args| messages::version(args.called.program),
    misuse: |args, misuse| args.refusal_with_hint(misuse),
};

/// The exit statuses of gzip.
const STATUSES: &[(&str, &str)] =
    &[("0", "success"), ("1", "an error"), ("2", "a warning and no error, such as a file that was skipped")];

const OPTIONS: &[Opt<Args>] = &[
    no_effect(Takes::Nothing, "-a/--ascii"),
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.request.target = Target::Stdout),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.set_mode(Mode::Decompress)),
    option("-f --force", texts::FORCE).flag(|args| args.request.rules.force = true),
    help("-h -H --help"),
    // getopt also returns this letter for unknown options. gzip therefore treats it as an error.
    option("-?", "").checked(|args| Err(Refusal { text: args.hint(), code: 1 })),
    option("-k --keep", texts::KEEP).flag(|args| args.request.rules.remove = false),
    option("-l --list", "list the contents of compressed files").flag(|args| args.set_mode(Mode::List)),
    version("-L --license"),
    option("-n --no-name", "neither store nor restore the name and the time of the file")
        .flag(|args| (args.name, args.time) = (Some(false), Some(false))),
    option("-N --name", "store or restore the name and the time of the file")
        .flag(|args| (args.name, args.time) = (Some(true), Some(true))),
    option("-m", "do not store the time of the file").flag(|args| args.time = Some(false)),
    option("-M", "store the time of the file").flag(|args| args.time = Some(true)),
    option("---presume-input-tty", "").flag(|args| args.request.rules.ask = Ask::Always),
    option("-q --quiet --silent", "print no warnings").flag(Args::be_quiet),
    option("--synchronous", "wait until the output is on disk").flag(|args| args.request.rules.sync = true),
    option("-r --recursive", "compress or decompress the files in folders")
        .flag(|args| args.request.rules.recursive = true),
    option("-S --suffix", "use the suffix SUF for compressed files").parsed("SUF", Args::set_suffix),
    option("-t --test", "test compressed files").flag(|args| args.set_mode(Mode::Test)),
    option("--rsyncable", texts::RSYNCABLE).flag(|args| args.request.options.rsyncable = true),
    option("-v --verbose", texts::VERBOSE).flag(Args::be_verbose),
    version("-V --version"),
    option("--fast", "the level 1").flag(|args| args.set_level(1)),
    option("--best", "the level 9").flag(|args| args.set_level(9)),
    option("-Z --lzw", "").checked(|args| Err(args.refusal_with_hint("-Z not supported in this version"))),
    option("-b --bits", "").parsed("BITS", Args::check_bits),
];
