//! igzip of ISA-L 2.30: its options, and the request that they make.
//!
//! [`Igzip`] is the dialect. Container engines run `igzip -cd` to unpack the layers of images. Messages have
//! the words of the original where it has them. A message about damaged data also says what is wrong and at which
//! offset.

use std::ffi::OsString;
use std::io::ErrorKind;

use pzcomp::{Error, Layout, Member, Unknown};

use super::{
    Action, Dialect, Done, Message, Messages, OWN, Program, Refusal, defaults, refusal, system_text, work,
};
use crate::error::{CliError, Kind};
use crate::interface::{
    Digits, Interface, Misuse, Opt, Rules, Takes, help, no_effect, option, texts, version,
};
use crate::request::{
    FileRules, HardLinks, Mode, Options, Origin, Recompress, Request, Suffixes, Target, Task,
};
use crate::tool::Name;

/// The dialect of igzip.
pub(in super::super) struct Igzip;

impl Dialect for Igzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        work(&INTERFACE, called, Args::new(called), arguments, Args::request)
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &[])
    }
}

const SUFFIXES: &[(&str, &str)] = &[(".gz", "")];

/// The levels of pzcomp in place of those of igzip, from 0 on. All levels of igzip compress, level 0 too.
const LEVELS: [i32; 4] = [1, 1, 2, 3];

/// The level of igzip, if no option gives one.
const DEFAULT_LEVEL: usize = 2;

/// The options that have been read so far.
struct Args {
    called: &'static Name,
    request: Request,
    stdout: bool,
    remove: bool,
    /// Whether name and time are stored or restored, if an option says so.
    name: Option<bool>,
}

impl Args {
    fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            options: Options {
                format: called.format,
                level: Some(LEVELS[DEFAULT_LEVEL]),
                accept: Some(vec![called.format]),
                unknown: Unknown::Ignore,
                keep_cut_frames: true,
                layout: Layout::Single(Member::new()),
                ..Options::default()
            },
            suffixes: Suffixes {
                known: SUFFIXES,
                recompress: Recompress::Always,
                case_sensitive: true,
                ..Suffixes::default()
            },
            rules: FileRules { follow_links: true, hard_links: HardLinks::Removed, ..FileRules::default() },
            ..Request::default()
        };
        Self { called, request, stdout: false, remove: false, name: None }
    }

    /// Makes the request for these files. Fails if one output file is named for several inputs.
    fn request(self, files: Vec<OsString>) -> Result<Request, Refusal> {
        let Self { called, mut request, stdout, remove, name } = self;
        if stdout {
            request.target = Target::Stdout;
        }
        if matches!(request.target, Target::File(_)) && files.len() > 1 {
            return Err(refusal(called, "An output file may be specified with only one input file"));
        }
        let name = name.unwrap_or(request.mode() == Mode::Compress);
        request.origin = Origin { name, time: name, ..request.origin };
        request.rules.remove = remove && !stdout && request.mode() != Mode::Test;
        request.sources = Request::sources_of(files);
        Ok(request)
    }

    fn set_level(&mut self, level: u64) {
        self.request.options.level = usize::try_from(level).ok().and_then(|at| LEVELS.get(at)).copied();
    }

    fn set_threads(&mut self, value: OsString) -> Result<(), Refusal> {
        let threads = value.to_str().and_then(|value| value.parse().ok());
        self.request.options.threads = threads.ok_or_else(|| {
            let what = format!("invalid number of threads: {}; expected a number", value.display());
            refusal(self.called, what)
        })?;
        Ok(())
    }
}

static INTERFACE: Interface<Args> = Interface {
    summary: "compress and decompress gzip files fast",
    usage: &["[options] [infiles]"],
    about: "igzip compresses each file to a file with the suffix .gz and keeps the input. With -d it decompresses. \
            Without files, or for the file -, it reads standard input and writes standard output.",
    options: OPTIONS,
    digits: Digits::Single(
        0,
        3,
        "level: from the fastest to the smallest; 2 is the default. The levels are those of gzip -1, -1, -2 and -3",
        Args::set_level,
    ),
    rules: Rules::GetoptLong,
    notes: &[
        "Decompression uses all CPUs that this process may use, unless -T says otherwise. Bytes behind the last \
              gzip member are ignored.",
    ],
    variables: &[],
    statuses: &[("0", "success"), ("1", "a file was skipped, or its data is damaged")],
    version: |args| version_text(args.called.program),
    misuse: |args, what| misuse(args.called, what),
};

const OPTIONS: &[Opt<Args>] = &[
    help("-h --help"),
    option("-o", "write to FILE; only one input is allowed then")
        .value("FILE", |args, file| args.request.target = Target::File(file.into())),
    option("-c --stdout", texts::STDOUT).flag(|args| args.stdout = true),
    // -t overrules -d, in any order, as in the original.
    option("-d --decompress", "decompress").flag(|args| {
        if args.request.mode() != Mode::Test {
            args.request.task = Task::Decompress;
        }
    }),
    option("-z --compress", "compress: the default").flag(|args| args.request.task = Task::Compress),
    option("-f --force", "overwrite files").flag(|args| args.request.rules.force = true),
    option("--rm", "remove each input when its output is complete").flag(|args| args.remove = true),
    option("-k --keep", "keep the input files: the default").flag(|args| args.remove = false),
    option("-S --suffix", "use the suffix SUF in place of .gz")
        .value("SUF", |args, suffix| args.request.suffixes.custom = Some(suffix)),
    version("-V --version"),
    option("-v --verbose", texts::VERBOSE).flag(|args| args.request.reporting.verbosity.verbose = 1),
    option("-N --name", "store or restore the name and the time of the file")
        .flag(|args| args.name = Some(true)),
    option("-n --no-name", "neither store nor restore the name and the time of the file")
        .flag(|args| args.name = Some(false)),
    option("-t --test", "test compressed files").flag(|args| args.request.task = Task::Test),
    option("-T --threads", texts::THREADS_OR_0).parsed("N", Args::set_threads),
    // Without it igzip prints nothing either.
    no_effect(Takes::Nothing, "-q/--quiet"),
];

impl Messages for Igzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let what = match &failure.kind {
            Kind::Exists => format!("{name} already exists;       not overwritten"),
            Kind::UnknownSuffix => format!("{name}: unknown suffix -- ignored"),
            Kind::SameFile => "Error input and output file names must differ".into(),
            Kind::Cannot("open", cause) if cause.kind() == ErrorKind::NotFound => {
                format!("{name} does not exist")
            }
            Kind::Directory { .. } => format!("Error encountered while reading file {name}: is a directory"),
            Kind::Library(cause) | Kind::Discarded(cause, _) => data_error(name, cause),
            _ => return Message::error(defaults::message(program, name, failure).text),
        };
        Message::error(format!("{program}: {what}"))
    }

    /// igzip says nothing of bytes behind the last member, and takes no notice of them.
    fn done(&self, program: Program, done: &Done) -> Message {
        match done.summary.trailing.garbage {
            Some(_) => Message::NONE,
            None => defaults::done(program, done),
        }
    }

    /// igzip exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

fn data_error(name: &str, cause: &Error) -> String {
    match cause {
        Error::Read { source, .. } => {
            format!("Error encountered while reading file {name}: {}", system_text(source))
        }
        Error::Write { source, .. } => {
            format!("Error encountered while writing the output of {name}: {}", system_text(source))
        }
        Error::Empty | Error::NotCompressed { .. } => {
            format!("Error invalid gzip header found for file {name}")
        }
        Error::Truncated { .. } | Error::Unfinished { .. } => {
            format!("Error {name} does not contain a complete gzip file")
        }
        cause @ Error::Corrupt { .. } => {
            format!("Error encountered while decompressing file {name}: {cause}")
        }
        cause => format!("{name}: {cause}"),
    }
}

/// The text of `--version`. The original prints one line, which ends with its version.
fn version_text(program: &str) -> String {
    format!("{program} command line interface 2.30.0\npzcomp {OWN}, which does what it does\n")
}

/// The refusal of a command line, with the help.
fn misuse(called: &Name, misuse: Misuse) -> Refusal {
    let what = match misuse {
        Misuse::Short('4'..='9') => "invalid compression level".to_owned(),
        Misuse::Short(letter) | Misuse::ShortLacks(letter) => format!("invalid option -{letter}"),
        Misuse::Long(name) | Misuse::Ambiguous(name, _) => format!("invalid option --{name}"),
        other => other.to_string(),
    };
    refusal(called, format_args!("{what}\n{}", INTERFACE.help(called.program).trim_end()))
}
