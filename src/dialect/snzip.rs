//! snzip 1.0: its options, and the request that they make.
//!
//! [`Snzip`] is the dialect, and [`Args`] collects the options. snzip knows several formats; pzcomp reads and writes
//! the framing format, which snzip calls framing2, and refuses the others by name. Errors have the words of pzcomp.

use std::ffi::OsString;

use super::super::interface::{
    Digits, Interface, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use super::super::request::{FileRules, HardLinks, Options, Recompress, Request, Suffixes, Target, Task};
use super::super::tool::{Messages, Name};
use super::{Action, Dialect, LICENSE, OWN, Refusal, refusal, refusal_with_hint, work};

pub(in super::super) struct Snzip;

impl Messages for Snzip {}

impl Dialect for Snzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, |args, files| Ok(args.request(files)))
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] = &[(".sz", "")];

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            target: called.target(),
            options: Options {
                format: called.format,
                accept: Some(vec![called.format]),
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                case_sensitive: true,
                recompress: Recompress::Always,
                ..Suffixes::default()
            },
            rules: FileRules {
                follow_links: true,
                hard_links: HardLinks::Removed,
                remove: true,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self { called, request }
    }

    /// Makes the request for these files.
    fn request(self, files: Vec<OsString>) -> Request {
        let mut request = self.request;
        request.sources = Request::sources_of(files);
        request.rules.remove &= request.target == Target::Beside;
        request
    }

    fn set_suffix(&mut self, letters: OsString) {
        let mut suffix = OsString::from(".");
        suffix.push(letters);
        self.request.suffixes.custom = Some(suffix);
    }

    fn check_format(&mut self, format: OsString) -> Result<(), Refusal> {
        if format == "framing2" {
            return Ok(());
        }
        let what = format!("the format {} is not supported, only framing2", format.display());
        Err(refusal(self.called, what))
    }
}

fn version_text() -> String {
    format!("snzip 1.0.5\npzcomp {OWN}, which reads and writes the format framing2 of snzip\n{LICENSE}")
}

static INTERFACE: Interface<Args> = Interface {
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
    option("-c --stdout --to-stdout", texts::STDOUT).flag(|args| args.request.target = Target::Stdout),
    option("-d --decompress --uncompress", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-f --force", "overwrite files, and use terminals").flag(|args| args.request.rules.force = true),
    option("-k --keep", texts::KEEP).flag(|args| args.request.rules.remove = false),
    option("-s --suffix", "the suffix of compressed files, without its dot; sz is the default")
        .value("SUFFIX", Args::set_suffix),
    option("-t", "the format: framing2, the default").parsed("FORMAT", Args::check_format),
    refused("-b/--block-size -B/--block-size-in-bits", BLOCKS),
    no_effect(Takes::Value, "-R/--rsize -W/--wsize"),
    no_effect(Takes::Nothing, "-T/--trace"),
    help("-h --help"),
    version("-V --version"),
];
