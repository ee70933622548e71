//! bgzip of htslib: its options as of 1.16 and later, and the request that they make.
//!
//! [`Bgzip`] is the dialect. Options that make an index or read part of a file become a [`BgzfTask`], because the
//! other code of the command has no such request.

mod blocks;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use blocks::BgzfOperation;
pub(in super::super) use blocks::BgzfTask;
use pzcomp::{Error, Layout};

use super::{Action, Dialect, Done, Message, Messages, Program, Refusal, defaults, system_text};
use crate::error::{CREATE, CliError, Kind};
use crate::interface::{
    Digits, Given, Interface, Misuse, Opt, Rules, Takes, help, no_effect, option, refused, texts, version,
};
use crate::request::{
    Ask, FileRules, HardLinks, IndexFile, Mode, Options, Recompress, Request, Source, Suffixes, Target, Task,
};
use crate::tool::{Name, Status};

/// The dialect of bgzip.
pub(in super::super) struct Bgzip;

impl Dialect for Bgzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        match INTERFACE.read(called.program, &mut args, arguments)? {
            Given::Text(text) => Ok(Action::Text(text)),
            Given::Files(files) => args.action(files),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

const SUFFIXES: &[(&str, &str)] = &[(".gz", ""), (".bgz", ""), (".bgzf", "")];

/// The suffix of an index.
const GZI: &str = ".gzi";

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    keep: bool,
    index: bool,
    index_name: Option<PathBuf>,
    reindex: bool,
    /// The first plain byte to read.
    offset: Option<u64>,
    /// The number of plain bytes to read.
    size: Option<u64>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            options: Options {
                format: called.format,
                layout: Layout::Bgzf,
                accept: Some(vec![called.format]),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, recompress: Recompress::Always, ..Suffixes::default() },
            rules: FileRules {
                follow_links: true,
                hard_links: HardLinks::Removed,
                ask: Ask::IfTerminal,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self {
            called,
            request,
            stdout: false,
            keep: false,
            index: false,
            index_name: None,
            reindex: false,
            offset: None,
            size: None,
        }
    }

    /// Makes the request or the task for these files. Fails if options contradict each other.
    fn action(mut self, files: Vec<OsString>) -> Result<Action, Refusal> {
        let (called, request) = (self.called, &mut self.request);
        if self.stdout && request.target != Target::Beside {
            return Err(refusal_in_brackets(called, "Cannot write to a file and stdout at the same time."));
        }
        let sources = Request::sources_of(files);
        let from_stdin = sources.contains(&Source::Stdin);
        if (self.index || self.reindex) && self.index_name.is_some() && sources.len() > 1 {
            let what = "Cannot specify index filename with multiple data file on index, reindex.";
            return Err(refusal_in_brackets(called, what));
        }
        let compresses = request.mode() == Mode::Compress && !self.reindex;
        if (compresses && self.index || self.reindex) && from_stdin && self.index_name.is_none() {
            return Err(refusal_in_brackets(called, "Index file name expected when reading from stdin"));
        }
        let wants_range = self.offset.is_some() || self.size.is_some() && request.mode() == Mode::Decompress;
        if self.reindex || wants_range {
            let operation = match self.reindex {
                true => BgzfOperation::MakeIndex,
                false => {
                    let start = self.offset.unwrap_or(0);
                    BgzfOperation::ReadRange(
                        start..self.size.map_or(u64::MAX, |size| start.saturating_add(size)),
                    )
                }
            };
            return Ok(Action::Bgzf(Box::new(BgzfTask {
                operation,
                index_name: self.index_name,
                options: self.request.options,
                sources,
            })));
        }
        request.options.no_index = !self.index;
        request.index_file =
            self.index.then(|| self.index_name.map_or(IndexFile::Beside(GZI), IndexFile::File));
        let in_place = request.target == Target::Beside && !self.stdout;
        request.rules.remove = in_place && !self.keep && request.mode() != Mode::Test;
        request.rules.sync = request.rules.remove;
        if self.stdout || self.size.is_some() {
            (request.target, request.rules.remove) = (Target::Stdout, false);
        }
        request.sources = sources;
        Ok(Action::Work(Box::new(self.request)))
    }

    fn set_level(&mut self, level: OsString) -> Result<(), Refusal> {
        self.request.options.level = match level.to_str() {
            Some("-1") => None,
            _ => match self.number("compress-level", &level)? {
                level @ 0..=9 => Some(level),
                level => {
                    let what = format_args!("Invalid compress-level: {level}");
                    return Err(refusal_in_brackets(self.called, what));
                }
            },
        };
        Ok(())
    }

    /// Reads the value of an option as a number.
    fn number<N: std::str::FromStr>(&self, what: &str, value: &OsStr) -> Result<N, Refusal> {
        let number = value.to_str().and_then(|value| value.parse().ok());
        let invalid =
            || refusal_in_brackets(self.called, format_args!("Invalid {what}: {}", value.display()));
        number.ok_or_else(invalid)
    }
}

/// The refusal of a command line. bgzip puts its name in brackets.
fn refusal_in_brackets(called: &Name, what: impl Display) -> Refusal {
    Refusal { text: format!("[{}] {what}", called.program), code: 1 }
}

static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress files in the BGZF format",
    usage: &["[OPTIONS] [FILE] ..."],
    about: "bgzip compresses each FILE to FILE.gz and removes FILE, on all cores. With -d it decompresses. Without FILE, \
            it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Letters,
    rules: Rules::GetoptLong,
    notes: &[],
    variables: &[],
    statuses: &[("0", "success"), ("1", "an error")],
    version: |args| version_text(args.called.program),
    misuse: |args, what| misuse(args.called, &what),
};

const OPTIONS: &[Opt<Args>] = &[
    option("-b --offset", "decompress from this byte of the data on; this needs the index").parsed(
        "INT",
        |args, offset| {
            args.offset = Some(args.number("offset", &offset)?);
            args.request.task = Task::Decompress;
            Ok(())
        },
    ),
    option("-c --stdout", texts::STDOUT).flag(|args| args.stdout = true),
    option("-d --decompress", "decompress").flag(|args| args.request.task = Task::Decompress),
    option("-f --force", "overwrite files").flag(|args| args.request.rules.force = true),
    refused(
        "-g/--rebgzip",
        "blocks cannot be cut where an index says; -i makes an index of the blocks as they are",
    ),
    help("-h -? --help"),
    option("-i --index", "compress, and make an index").flag(|args| args.index = true),
    option("-I --index-name", "name of the index; the default is the name of the output with .gzi behind it")
        .value("FILE", |args, name| args.index_name = Some(name.into())),
    option("-k --keep", texts::KEEP).flag(|args| args.keep = true),
    option("-l --compress-level", "level: 0 to 9, or -1 for the default").parsed("INT", Args::set_level),
    option("-o --output", "write to FILE and keep the input files").value("FILE", |args, file| {
        match file == "-" {
            true => args.stdout = true,
            false => args.request.target = Target::File(file.into()),
        }
    }),
    option("-r --reindex", "make an index of a compressed file").flag(|args| args.reindex = true),
    option("-s --size", "decompress this number of bytes").parsed("INT", |args, size| {
        args.size = Some(args.number("size", &size)?);
        Ok(())
    }),
    option("-t --test", "test compressed files")
        .flag(|args| (args.request.task, args.reindex) = (Task::Test, false)),
    option("-@ --threads", texts::THREADS).parsed("INT", |args, threads| {
        args.request.options.threads = args.number("number of threads", &threads)?;
        Ok(())
    }),
    version("--version"),
    // pzcomp does not align blocks with lines. bgzip before 1.19 does not either.
    no_effect(Takes::Nothing, "--binary"),
    no_effect(Takes::Value, "--verbosity"),
];

impl Messages for Bgzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let error = |what: &dyn Display| Message::error(format!("[{program}] {what}"));
        match &failure.kind {
            Kind::Exists => error(&format_args!("can't create {name}: File exists")),
            Kind::Refused => error(&format_args!("{name} was not overwritten")),
            Kind::UnknownSuffix => match name.rsplit_once('.') {
                Some((stem, suffix)) if !suffix.contains('/') => {
                    error(&format_args!("unknown extension .{suffix} -- declining to decompress to {stem}"))
                }
                _ => error(&format_args!("can't find an extension in {name} -- please rename")),
            },
            Kind::Cannot(CREATE, cause) => {
                error(&format_args!("can't create {name}: {}", system_text(cause)))
            }
            Kind::Cannot(_, cause) if cause.kind() == ErrorKind::NotFound => {
                error(&format_args!("{}: {name}", system_text(cause)))
            }
            Kind::Directory { .. } => error(&format_args!("Could not open {name}: Is a directory")),
            Kind::Cannot(_, cause) => error(&format_args!("Could not open {name}: {}", system_text(cause))),
            Kind::TerminalInput | Kind::TerminalOutput => {
                error(&"compressed data is neither read from nor written to a terminal; see -h")
            }
            Kind::Library(Error::NotCompressed { .. } | Error::Empty)
            | Kind::Discarded(Error::NotCompressed { .. } | Error::Empty, _) => match name {
                "stdin" => error(&"stdin is not compressed -- ignored"),
                name => error(&format_args!("{name}: not a compressed file -- ignored")),
            },
            Kind::Library(what) | Kind::Discarded(what, _) => error(&format_args!("{name}: {what}")),
            Kind::Failed(what) => error(&format_args!("{name}: {what}")),
            _ => {
                let plain = defaults::message(program, name, failure);
                Message::error(plain.text)
            }
        }
    }

    /// The message for a finished stream: a warning about zero bytes, because the format has none behind the last
    /// block.
    fn done(&self, program: Program, done: &Done) -> Message {
        let zeros = done.summary.trailing.zeros;
        if zeros == 0 {
            let is_read = done.request.mode() != Mode::Compress;
            return match done.summary.lacks_end && is_read {
                true => Message::fine(NO_END),
                false => Message::NONE,
            };
        }
        let text = format!("[{}] {}: {zeros} zero bytes behind the last block", program.name, done.name);
        Message::warning(text)
    }

    fn question(&self, program: Program, path: &Path) -> Option<String> {
        let path = path.display();
        Some(format!("[{program}] {path} already exists; do you wish to overwrite (y or n)? "))
    }

    /// bgzip exits with the same status for warnings and errors.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

const NO_END: &str = "[W::bgzf_read_block] EOF marker is absent. The input may be truncated";

fn version_text(program: &str) -> String {
    format!("{program} (htslib) 1.16\npzcomp {}, which does what it does\n", env!("CARGO_PKG_VERSION"))
}

/// The refusal of a command line, followed by the help.
fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    Refusal { text: format!("{program}: {misuse}\n{}", INTERFACE.help(program).trim_end()), code: 1 }
}
