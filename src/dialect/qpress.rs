//! qpress 1.1: as much of it as decompresses to standard output.
//!
//! [`Qpress`] is the dialect. xtrabackup called `qpress -do FILE` for each file of a backup. All files of an archive
//! are written one after the other, as the original does with `-o`. pzcomp neither makes archives nor extracts them
//! into folders, and says so.

use std::ffi::OsString;
use std::fmt::Display;

use pzcomp::{EntryChoice, Format};

use super::super::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use super::super::request::{FileRules, Mode, Options, Request, Target, Task};
use super::super::tool::Name;
use super::{Action, Dialect, LICENSE, Messages, OWN, Refusal, refusal, work};

pub(in super::super) struct Qpress;

/// The messages of the original are not imitated: they go to standard output if that is free, and have no file names.
impl Messages for Qpress {}

impl Dialect for Qpress {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let request = Request {
            options: Options {
                accept: Some(vec![Format::Qpress]),
                entry: EntryChoice::All,
                ..Options::default()
            },
            rules: FileRules { follow_links: true, ..FileRules::default() },
            ..Request::default()
        };
        work(&INTERFACE, called, Args { called, request, stdin: false }, arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdin: bool,
}

impl Args {
    fn request(mut self, files: Vec<OsString>) -> Result<Request, Refusal> {
        if self.request.mode() != Mode::Decompress {
            return Err(self.wrong(
                "pzcomp reads qpress archives but does not write them; use -do to decompress, the qpress of the \
                 package qpress, or compress with pzcomp",
            ));
        }
        if self.request.target != Target::Stdout {
            return Err(self.wrong(
                "without -o the files would be extracted into a folder, which pzcomp does not do; use -do FILE, or \
                 pzcomp -d --extract NAME",
            ));
        }
        let files = match (self.stdin, files.len()) {
            (true, 0) => files,
            (true, _) => return Err(self.wrong("-i reads standard input, so no file can be named")),
            (false, 1) => files,
            (false, 0) => {
                return Err(self.wrong("no archive is named; name one, or read standard input with -dio"));
            }
            (false, _) => return Err(self.wrong("more than one archive is named")),
        };
        self.request.sources = Request::sources_of(files);
        Ok(self.request)
    }

    fn wrong(&self, what: impl Display) -> Refusal {
        refusal(self.called, what)
    }

    fn set_threads(&mut self, value: Option<OsString>) -> Result<(), Refusal> {
        let threads = value.and_then(|value| value.to_str()?.parse().ok());
        let threads = threads.filter(|threads| (1..=256).contains(threads));
        self.request.options.threads =
            threads.ok_or_else(|| self.wrong("-T expects a number from 1 to 256"))?;
        Ok(())
    }

    fn version(&self) -> String {
        format!("{} {OWN} (pzcomp)\n{LICENSE}", self.called.program)
    }
}

static INTERFACE: Interface<Args> = Interface {
    summary: "decompress qpress archives",
    usage: &["-do[vT] FILE", "-dio[vT]"],
    about: "qpress -do writes the files of an archive to standard output, one after the other, on all cores.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::InFull,
    notes: &[
        "pzcomp -l lists the files of an archive, and pzcomp -d --extract NAME takes one of them.",
        "Archives are neither made nor extracted into folders.",
    ],
    variables: &[],
    statuses: &[
        ("0", "success"),
        ("1", "the archive is damaged or could not be read, or the command line was not understood"),
    ],
    version: Args::version,
    misuse: |args, misuse| args.wrong(misuse),
};

const WRITES: &str = "pzcomp reads qpress archives but does not write them";

const OPTIONS: &[Opt<Args>] = &[
    option("-d", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-i", "read standard input").flag(|args| args.stdin = true),
    option("-o", "write to standard output").flag(|args| args.request.target = Target::Stdout),
    option("-T", "number of threads, 1 to 256; the default is the CPUs that this process may use")
        .number("N", Args::set_threads),
    option("-v", "print the sizes and the ratio").flag(|args| args.request.reporting.verbosity.verbose = 1),
    no_effect(Takes::Nothing, "-f -B"),
    no_effect(Takes::Number, "-P"),
    refused("-r -C -L -K", WRITES),
    refused("-m", texts::BENCHMARK),
    refused("-R", "use pzcomp -d --salvage, which skips what is damaged and reports it"),
    help("-h --help"),
    version("-V --version"),
];
