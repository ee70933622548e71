//! GNU gzip 1.14: its options, and the request that they make.
//!
//! [`Gzip`] is the dialect of gzip, gunzip and zcat. [`Args`] collects the options and makes the request; pigz uses
//! it too, because it shares most options. Messages are in `messages`, and the table of `-l` is in `table`.

mod messages;
mod table;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;

use pzcomp::{Format, Layout, Member, Unknown};
pub(super) use table::plain_name;

use super::{Action, Dialect, Listed, Refusal, refusal, split_words, work};
use crate::error::CliError;
use crate::interface::{Digits, Interface, Opt, Rules, Takes, help, no_effect, option, texts, version};
use crate::request::{Ask, FileRules, Mode, Options, Origin, Request, Source, Suffixes, Target, Verbosity};
use crate::tool::Name;

/// GNU gzip.
pub(in super::super) struct Gzip;

impl Dialect for Gzip {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = Args::new(called);
        if let Some(variable) = std::env::var_os("GZIP") {
            args.take_variable(&variable);
        }
        work(&INTERFACE, called, args, arguments, |args, files| Ok(args.request(files)))
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["gunzip", "zcat"])
    }

    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        Ok(table::table(listed, request))
    }
}

/// Suffixes of coded files, each with the suffix that replaces it after decompression.
const SUFFIXES: &[(&str, &str)] =
    &[(".gz", ""), (".z", ""), (".taz", ".tar"), (".tgz", ".tar"), ("-gz", ""), ("-z", ""), ("_z", "")];

/// What is appended to the name of an input that does not exist.
const TRY_APPENDING: &[&str] = &[".gz", ".z", "-z", ".Z"];

/// The formats that gzip decodes.
static READ: [Format; 5] = [Format::Gzip, Format::Lzw, Format::Pack, Format::Lzh, Format::Zip];

/// The longest suffix that `-S` takes.
const SUFFIX_MAX: usize = 30;

/// The options that have been read so far.
pub(super) struct Args {
    pub(super) called: &'static Name,
    pub(super) request: Request,
    /// Whether the name is stored or restored, if an option says so.
    pub(super) name: Option<bool>,
    /// The same for the time.
    pub(super) time: Option<bool>,
}

impl Args {
    pub(super) fn new(called: &'static Name) -> Self {
        let request = Request {
            task: called.mode.into(),
            target: called.target(),
            options: Options {
                format: called.format,
                accept: Some(READ.to_vec()),
                unknown: Unknown::IgnoreAsGzip,
                keep_cut_frames: true,
                layout: Layout::Single(Member::new()),
                ..Options::default()
            },
            suffixes: Suffixes { known: SUFFIXES, try_appending: TRY_APPENDING, ..Suffixes::default() },
            rules: FileRules {
                ask: Ask::IfTerminal,
                skip_special: true,
                remove: true,
                ..FileRules::default()
            },
            ..Request::default()
        };
        Self { called, request, name: None, time: None }
    }

    /// Takes the options in the environment variable `GZIP`. Only those have an effect that cannot surprise a script,
    /// as in the original.
    fn take_variable(&mut self, variable: &OsStr) {
        for word in split_words(variable) {
            match word.as_encoded_bytes() {
                [b'-', digit @ b'1'..=b'9'] => self.request.options.level = Some(i32::from(digit - b'0')),
                b"--fast" => self.request.options.level = Some(1),
                b"--best" => self.request.options.level = Some(9),
                b"--rsyncable" => self.request.options.rsyncable = true,
                b"--synchronous" => self.request.rules.sync = true,
                _ => {}
            }
        }
    }

    /// Makes the request for these files.
    pub(super) fn request(self, files: Vec<OsString>) -> Request {
        let Self { mut request, name, time, .. } = self;
        let compresses = request.mode() == Mode::Compress;
        // Compression stores both unless an option says otherwise. Decompression restores neither.
        let (name, time) = (name.unwrap_or(compresses), time.unwrap_or(compresses));
        request.origin = Origin { name, time, ..request.origin };
        let in_place = request.target == Target::Beside;
        request.rules.remove &= in_place && matches!(request.mode(), Mode::Compress | Mode::Decompress);
        request.sources = Request::sources_of(files);
        let from_stdin = request.sources.iter().all(|source| *source == Source::Stdin);
        if (!in_place || from_stdin) && request.rules.force && request.mode() == Mode::Decompress {
            request.options.unknown = Unknown::Copy;
        }
        request
    }

    pub(super) fn set_level(&mut self, level: u64) {
        self.request.options.level = i32::try_from(level).ok();
    }

    /// -l overrules -t, and both overrule -d, in any order, as in the original.
    fn set_mode(&mut self, mode: Mode) {
        let is_overruled = match mode {
            Mode::Decompress => self.request.mode() != Mode::Compress,
            Mode::Test => self.request.mode() == Mode::List,
            _ => false,
        };
        if !is_overruled {
            self.request.task = mode.into();
        }
    }

    pub(super) fn be_quiet(&mut self) {
        self.request.reporting.verbosity = Verbosity { quiet: true, verbose: 0 };
    }

    pub(super) fn be_verbose(&mut self) {
        let verbose = self.request.reporting.verbosity.verbose + 1;
        self.request.reporting.verbosity = Verbosity { quiet: false, verbose };
    }

    fn set_suffix(&mut self, suffix: OsString) -> Result<(), Refusal> {
        let bytes = suffix.as_encoded_bytes();
        if bytes.is_empty() || bytes.len() > SUFFIX_MAX || bytes.contains(&b'/') {
            return Err(refusal(self.called, format_args!("invalid suffix '{}'", suffix.display())));
        }
        self.request.suffixes.custom = Some(suffix);
        Ok(())
    }

    /// The number of bits has no effect, but it must be one.
    fn check_bits(&mut self, bits: OsString) -> Result<(), Refusal> {
        match !bits.is_empty() && bits.as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            true => Ok(()),
            false => Err(self.refusal_with_hint("-b operand is not an integer")),
        }
    }

    /// The refusal of a command line, with the advice to read the help.
    fn refusal_with_hint(&self, what: impl Display) -> Refusal {
        refusal(self.called, format_args!("{what}\n{}", self.hint()))
    }

    fn hint(&self) -> String {
        format!("Try `{} --help' for more information.", self.called.program)
    }
}

static INTERFACE: Interface<Args> = Interface {
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
