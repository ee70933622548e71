//! lzop 1.04: the options that concern reading, and the request that they make.
//!
//! [`Lzop`] is the dialect of lzop, unlzop and lzopcat. [`Args`] collects the options. pzcomp does not compress to this
//! format, so a command line without `-d`, `-t` or `-l` is refused. Errors have the words of pzcomp.

use std::ffi::OsString;

use pzcomp::{Format, Unknown};

use super::super::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use super::super::request::{FileRules, Folder, HardLinks, Mode, Options, Request, Suffixes, Target};
use super::super::tool::{Done, Message, Messages, Name, Program, defaults};
use super::{Action, Dialect, LICENSE, OWN, Refusal, refusal, refusal_with_hint, unverified, work};

/// The dialect of lzop.
pub(in super::super) struct Lzop;

impl Messages for Lzop {
    fn done(&self, program: Program, done: &Done) -> Message {
        unverified(program, done).unwrap_or_else(|| defaults::done(program, done))
    }
}

impl Dialect for Lzop {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unlzop", "lzopcat"])
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[(".lzo", ""), (".tzo", ".tar")];

static READ: [Format; 1] = [Format::Lzop];

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    keep: bool,
    unlink: bool,
    output: Option<OsString>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            mode: called.mode,
            options: Options { accept: Some(READ.to_vec()), unknown: Unknown::Ignore, ..Options::default() },
            suffixes: Suffixes { known: SUFFIXES, case_sensitive: true, ..Suffixes::default() },
            rules: FileRules { follow_links: true, hard_links: HardLinks::Removed, ..FileRules::default() },
            ..Request::default()
        };
        Self { called, request, stdout: called.stdout, keep: false, unlink: false, output: None }
    }

    /// Makes the request for these files. Fails if they are to be compressed.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, stdout, keep, unlink, output } = self;
        if request.mode == Mode::Compress {
            let what = "pzcomp reads the format of lzop and does not write it; use -d, -t or -l, or the lzop of the package lzop, or compress with pzcomp";
            return Err(refusal(called, what));
        }
        request.sources = Request::sources_of(files);
        request.target = match output {
            _ if stdout => Target::Stdout,
            Some(output) if output == "-" => Target::Stdout,
            Some(output) => Target::File(output.into()),
            None => Target::Beside,
        };
        request.rules.remove =
            unlink && !keep && request.mode == Mode::Decompress && request.target == Target::Beside;
        Ok(request)
    }
}

fn version_text() -> String {
    format!("lzop v1.04\npzcomp {OWN}, which reads what lzop 1.04 writes\n{LICENSE}")
}

static INTERFACE: Interface<Args> = Interface {
    summary: "decompress files in the format of lzop",
    usage: &["-d|-t|-l [OPTION]... [FILE]..."],
    about: "lzop -d decompresses each file to a file without the suffix .lzo and keeps the input, on all cores. Without \
            files, or for -, it reads standard input and writes standard output. pzcomp does not compress to this \
            format; pzcomp --to zstd FILE.lzo makes a file in a current one.",
    options: OPTIONS,
    digits: Digits::Single(1, 9, "a level; compression is refused", |_, _| ()),
    rules: Rules::Abbreviated,
    notes: &["-l prints the table of pzcomp, which is not that of lzop."],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "an error"),
        ("2", "a warning, as about data without a checksum that was tested"),
    ],
    version: |_| version_text(),
    misuse: |args, misuse| refusal_with_hint(args.called, misuse),
};

const STORED: &str = "pzcomp does not read the names that an archive stores; use -d and -o FILE";
const WRITING: &str = "pzcomp does not compress to the format of lzop";

const OPTIONS: &[Opt<Args>] = &[
    option("-d --decompress --uncompress", "decompress").flag(|args| args.request.mode = Mode::Decompress),
    option("-t --test", "test compressed files").flag(|args| args.request.mode = Mode::Test),
    option("-l --list", "list sizes and checks").flag(|args| args.request.mode = Mode::List),
    refused("-x/--extract --ls", STORED),
    refused("-i/--info", "use -l"),
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.stdout = true),
    option("-o --output", "write to FILE and keep the input files")
        .value("FILE", |args, file| args.output = Some(file)),
    option("-p --path", "write files into the folder DIR, or into this folder").joined(
        "DIR",
        |args, folder| {
            let path = folder.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".into()).into();
            args.request.folder = Some(Folder { path, mirror: false });
            Ok(())
        },
    ),
    option("-f --force", "overwrite files, and use terminals").flag(|args| args.request.rules.force = true),
    no_effect(Takes::Nothing, "-n/--no-name"),
    refused("-N/--name -P", STORED),
    option("-S --suffix", "the suffix of compressed files")
        .value(".SUF", |args, suffix| args.request.suffixes.custom = Some(suffix)),
    option("-k --keep", "keep the input files: the default").flag(|args| args.keep = true),
    option("-U --unlink --delete", "remove each input when its output is complete")
        .flag(|args| args.unlink = true),
    option("-q --quiet --silent --no-warn", "print no warnings")
        .flag(|args| args.request.telling.verbosity.quiet = true),
    option("--ignore-warn", "print no warnings, and never exit with status 2").flag(|args| {
        (args.request.telling.verbosity.quiet, args.request.telling.ignore_warnings) = (true, true);
    }),
    option("-v --verbose", texts::VERBOSE).flag(|args| args.request.telling.verbosity.raise()),
    refused("-F/--no-checksum", "checksums are always verified"),
    no_effect(Takes::Nothing, "-C/--checksum"),
    refused("--crc32 --filter --fast --best", WRITING),
    no_effect(Takes::Nothing, "--no-mode --no-time --no-stdin --no-color --mono --color"),
    refused("-I/--sysinfo", "use --version"),
    help("-h -H -? --help"),
    version("-V -L --version --license"),
];
