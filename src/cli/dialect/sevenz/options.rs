//! The table of options of 7z, which 7z calls switches.
//!
//! Each row says what its option changes in [`Args`]. `interface` reads the command line with the table and makes the
//! help and the man page from it. Texts in it are texts for users.

use super::Args;
use crate::cli::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, version,
};

pub(super) static INTERFACE: Interface<Args> = Interface {
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
    version: Args::version,
    misuse: Args::misuse,
};

const FILES: &str =
    "pzcomp writes to standard output only; use 7z x -so ARCHIVE NAME, or pzcomp -d --extract NAME -o FILE";
const WRITES: &str = "pzcomp does not make or change archives";
const WILDCARDS: &str = "pzcomp takes the name of one file and no patterns";

const OPTIONS: &[Opt<Args>] = &[
    option("-so", "write to standard output; x and e need it").flag(|args| args.stdout = true),
    option("-si", "the archive is standard input, which must be a file for the format 7z")
        .flag(|args| args.stdin = true),
    option("-i", "the same as NAME behind the archive").joined("!NAME", Args::include),
    option("-an", "the command line names no archive; -ai or -si does")
        .flag(|args| args.has_no_archive = true),
    option("-ai", "the archive, with -an").joined("!ARCHIVE", Args::set_archive),
    option("-mmt", "number of threads, or off for one; the default is the CPUs that this process may use")
        .joined("[=N]", Args::set_threads),
    option("-t", "read only this format: 7z, gzip, bzip2, xz, lzma, zstd or Z; * for all")
        .joined("TYPE", Args::set_type),
    option("-spd", "* and ? in NAME are characters like others").flag(|args| args.verbatim = true),
    option("-bse", "where errors go: 2 for standard error, 0 for nowhere").joined("N", Args::set_errors),
    option("-bso", "0, 1 or 2: only the list of l goes to standard output, so l needs 1")
        .joined("N", Args::set_messages),
    option("-r", "no search in folders, as always; -r is refused").joined("-", |args, value| {
        args.expect(value, "-", "-r is not supported: NAME is the whole path, as l lists it")
    }),
    option("-ssc", "upper and lower case differ, as always; -ssc- is refused").joined("", |args, value| {
        args.expect(value, "", "-ssc- is not supported: upper and lower case differ")
    }),
    option("-scc -scs", "the encoding of texts; no other is there").joined("UTF-8", |args, value| {
        args.expect(value, "UTF-8", "names are UTF-8; -scc and -scs accept nothing else")
    }),
    no_effect(Takes::Nothing, "-y -bd"),
    no_effect(Takes::Joined, "-bsp -bb -ao -slp"),
    no_effect(Takes::Nothing, "-ssp"),
    no_effect(Takes::Joined, "-w"),
    refused("-o", FILES),
    refused("-p", "pzcomp does not decrypt archives; use 7-Zip"),
    refused("-x -ax", WILDCARDS),
    refused("-slt -ba", "use pzcomp -l --json FILE, which writes the list for programs"),
    refused("-bt", "use pzcomp -v"),
    refused("-scrc", "use pzcomp --hash"),
    refused("-m -sa -sdel -seml -sfx -sse -ssw -stl -u -v", WRITES),
    refused("-snh -snl -sni -sns -spe -spf", FILES),
    refused("-stm", "use taskset, or -mmt for the number of threads"),
    refused("-stx", "use -t to name the format"),
    help("-h -? --help"),
    version("--version"),
];
