//! The program's own dialect: its flags, and what they ask for.
//!
//! The flags are defined once, here; help, man page and completions are made from the definitions.
//! Of flags that contradict each other the last one counts, so that the command line can overrule
//! what `PZCOMP` sets.

mod argv;
pub(in super::super) mod generate;
pub(super) mod table;
mod words;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Command, CommandFactory, FromArgMatches, Parser, ValueEnum as _};
use clap_complete::Shell;
use pzcomp::{Format, Layout, Member, Options};

use super::super::bench::flags::BenchFlags;
use super::super::name::{self, Name};
use super::super::request::{Mode, Request, Suffixes, Target, Voice};
use super::super::size;
use super::super::trouble::Trouble;
use super::{Asked, Dialect, Done, Refusal, Speaker, Verdict};

/// Holds default options, split at white space.
pub(in super::super) const VARIABLE: &str = "PZCOMP";

/// pzcomp's own.
pub(in super::super) struct Native;

impl Dialect for Native {
    fn parse(&self, _: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        parse(args, std::env::var_os(VARIABLE))
            .map_err(|what| Refusal { text: format!("pzcomp: {what}"), code: 1 })
    }

    fn page(&self, _: &str) -> String {
        generate::page()
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        words::verdict(speaker, name, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        words::done(speaker, done)
    }
}

#[derive(Debug, Parser)]
#[command(
    name = "pzcomp",
    version,
    about = "Compress and decompress streams on all cores",
    long_about = LONG_ABOUT,
    disable_help_flag = true,
    disable_version_flag = true,
    override_usage = "pzcomp [OPTIONS] [FILE]...",
    args_override_self = true,
    infer_long_args = true,
    max_term_width = 100
)]
struct Flags {
    /// Decompress; the format is recognised by its bytes
    #[arg(short, long, help_heading = MODE)]
    decompress: bool,

    /// Decode and check everything, write nothing
    #[arg(short, long, help_heading = MODE)]
    test: bool,

    /// Print format, frames, sizes, ratio, check and whether there is an index
    #[arg(short, long, help_heading = MODE)]
    list: bool,

    /// Write to standard output, all files one after the other, and keep them
    #[arg(short = 'c', long, overrides_with = "output", help_heading = FILES)]
    stdout: bool,

    /// Write to FILE, all input one after the other; - is standard output
    #[arg(short, long, value_name = "FILE", allow_hyphen_values = true, help_heading = FILES)]
    output: Option<PathBuf>,

    /// Keep input files: the default
    #[arg(short, long, overrides_with = "rm", help_heading = FILES)]
    keep: bool,

    /// Remove each input file once its output is safely on disk
    #[arg(long, help_heading = FILES)]
    rm: bool,

    /// Overwrite files, follow links, compress what has the suffix already, use terminals
    #[arg(short, long, help_heading = FILES)]
    force: bool,

    /// Go into directories
    #[arg(short, long, help_heading = FILES)]
    recursive: bool,

    /// Suffix of compressed files, in place of the format's own
    #[arg(short = 'S', long, value_name = "SUF", allow_hyphen_values = true, value_parser = suffix, help_heading = FILES)]
    suffix: Option<OsString>,

    /// Format to write [default: zstd]
    #[arg(short = 'F', long, value_parser = formats(), help_heading = CODING)]
    format: Option<Format>,

    #[arg(long, help = level_help(), value_name = "N", allow_hyphen_values = true, overrides_with_all = ["fast", "best"], help_heading = CODING)]
    level: Option<i32>,

    /// Faster than level 1, the more the larger N is, where the format has such levels; else its lowest level
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(i32).range(1..), overrides_with_all = ["level", "best"], help_heading = CODING
    )]
    fast: Option<i32>,

    /// The highest level that is sensible: 19 for zstd, else the format's highest
    #[arg(long, overrides_with_all = ["level", "fast"], help_heading = CODING)]
    best: bool,

    /// Number of worker threads; 0, the default, is the CPUs this process may use
    #[arg(
        short = 'p', long, visible_short_alias = 'T', value_name = "N", default_value_t = 0, hide_default_value = true,
        allow_hyphen_values = true, value_parser = threads, help_heading = CODING
    )]
    threads: usize,

    /// Plain bytes in each frame, as 1M or 256K; by default it grows with the level
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    block_size: Option<u64>,

    /// Ceiling for the memory of buffers and codecs, as 64M
    #[arg(short = 'M', long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    memory: Option<u64>,

    /// Leave out the index at the end of zstd, gzip and lz4 output; xz always has its own, bzip2 and lzip none
    #[arg(long, help_heading = CODING)]
    no_index: bool,

    /// For gzip: one member around all, as gzip writes, for readers that stop after the first; without
    /// index
    #[arg(long, help_heading = CODING)]
    one_member: bool,

    #[command(flatten)]
    bench: BenchFlags,

    /// Do not print warnings; the exit status tells of them still
    #[arg(short, long, overrides_with = "verbose", help_heading = TALK)]
    quiet: bool,

    /// Print figures for each stream; twice: settings as well
    #[arg(short, long, action = ArgAction::Count, help_heading = TALK)]
    verbose: u8,

    /// Print help, the short one for -h
    #[arg(short, long, action = ArgAction::Help, help_heading = TALK)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = TALK)]
    version: Option<bool>,

    /// Print a file of the distribution: bash, zsh or fish for completions, or a man page such as gzip.1
    #[arg(long, value_name = "WHAT", value_parser = Artefact::parse, hide = true)]
    generate: Option<Artefact>,

    /// Be the program of this name, as gzip; must be the first option, and what follows is that program's
    #[arg(long = "as", value_name = "NAME", help_heading = OTHERS)]
    another: Option<String>,

    /// Make links of all those names in DIR, which turn this program into theirs
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OTHERS)]
    install_links: Option<PathBuf>,

    /// Files to work on; - is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<OsString>,
}

const LONG_ABOUT: &str = "\
Compress and decompress streams on all cores.

Without FILE, or when FILE is -, standard input is read and standard output written. FILE is \
compressed to FILE.zst beside it, or decompressed to FILE without its suffix, and kept.";

const MODE: &str = "What to do";
const FILES: &str = "Files";
const CODING: &str = "Compression";
const TALK: &str = "Messages";
const OTHERS: &str = "Other names";

/// A file that is made from the definitions of the options.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Artefact {
    /// The man page of the tool of this name.
    Page(&'static Name),
    Completions(Shell),
}

impl Artefact {
    fn parse(what: &str) -> Result<Self, String> {
        let expected = || "expected bash, zsh or fish, or a man page such as gzip.1".to_owned();
        match what.strip_suffix(".1") {
            Some(name) => name::named(OsStr::new(name)).map(Self::Page).ok_or_else(expected),
            None => Shell::from_str(what, false).map(Self::Completions).map_err(|_| expected()),
        }
    }
}

/// The definitions.
fn command() -> Command {
    Flags::command()
}

/// Understands the arguments behind the program's name, on top of the options in `variable`. The
/// error is a sentence without the program's name.
fn parse(args: impl IntoIterator<Item = OsString>, variable: Option<OsString>) -> Result<Asked, String> {
    let defaults = match variable {
        Some(variable) => {
            default_options(variable).map_err(|what| format!("environment variable {VARIABLE}: {what}"))?
        }
        None => Vec::new(),
    };
    let flags = match flags(defaults.into_iter().chain(args)) {
        Ok(flags) => flags,
        Err(error) if !error.use_stderr() => return Ok(Asked::Text(error.render().to_string())),
        Err(error) => return Err(format!("{}; see 'pzcomp --help'", sentence(&error))),
    };
    if let Some(artefact) = flags.generate {
        return Ok(Asked::Generate(artefact));
    }
    if let Some(folder) = flags.install_links {
        return Ok(Asked::Links(folder));
    }
    flags.asked()
}

fn flags(args: impl IntoIterator<Item = OsString>) -> Result<Flags, clap::Error> {
    let command = command();
    let args = argv::spell_out_levels(&command, args);
    Flags::from_arg_matches(&command.no_binary_name(true).try_get_matches_from(args)?)
}

/// The options in the environment, known to be options and nothing else.
fn default_options(variable: OsString) -> Result<Vec<OsString>, String> {
    let text = variable.into_string().map_err(|_| "not valid UTF-8".to_owned())?;
    let options: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
    let flags = flags(options.iter().cloned()).map_err(|error| match error.use_stderr() {
        true => sentence(&error),
        false => "--help and --version belong on the command line".into(),
    })?;
    match flags.files.first() {
        Some(file) => {
            Err(format!("'{}' is no option, and file names belong on the command line", file.display()))
        }
        None if options.iter().any(|option| option == "--") => Err("'--' belongs on the command line".into()),
        None => Ok(options),
    }
}

/// The error on one line, with the advice that comes with it.
fn sentence(error: &clap::Error) -> String {
    let mut sentence = String::new();
    for paragraph in error.render().to_string().split("\n\n") {
        let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(what) = line.strip_prefix("error: ") {
            sentence.push_str(what);
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            sentence.push_str("; ");
            sentence.push_str(tip);
        }
    }
    sentence
}

impl Flags {
    fn asked(mut self) -> Result<Asked, String> {
        let bench = std::mem::take(&mut self.bench);
        let (named, format, level) = (!self.files.is_empty(), self.format, self.level());
        let request = self.request()?;
        match bench.bench {
            true => bench.request(request, named, format, level).map(Box::new).map(Asked::Bench),
            false => Ok(Asked::Work(Box::new(request))),
        }
    }

    fn request(self) -> Result<Request, String> {
        let mode = match (self.list, self.test, self.decompress) {
            (true, ..) => Mode::List,
            (_, true, _) => Mode::Test,
            (.., true) => Mode::Decompress,
            _ => Mode::Compress,
        };
        let block_size = self.block_size.map(usize::try_from).transpose();
        let options = Options {
            format: self.format.unwrap_or_default(),
            level: self.level(),
            threads: self.threads,
            block_size: block_size
                .map_err(|_| "the block size is beyond what this machine can address".to_owned())?,
            memory: self.memory,
            index: !self.no_index,
            layout: if self.one_member { Layout::Single(Member::default()) } else { Layout::Frames },
            ..Options::default()
        };
        let target = match self.output {
            Some(path) if path.as_os_str() == "-" => Target::Stdout,
            Some(path) if path.as_os_str().is_empty() => {
                return Err("the name of the output file is empty".into());
            }
            Some(path) => Target::File(path),
            None if self.stdout => Target::Stdout,
            None => Target::Beside,
        };
        if self.another.is_some() {
            return Err("--as must be the first option".into());
        }
        Ok(Request {
            mode,
            options,
            sources: Request::sources_of(self.files),
            target,
            suffixes: Suffixes { own: self.suffix, ..Suffixes::default() },
            force: self.force,
            remove: self.rm,
            // What is removed must be safe elsewhere.
            sync: self.rm,
            recursive: self.recursive,
            voice: Voice { quiet: self.quiet, verbose: self.verbose },
            ..Request::default()
        })
    }

    fn level(&self) -> Option<i32> {
        /// Above it, levels of zstd take many times the memory, also to decompress.
        const SENSIBLE: i32 = 19;
        let format = self.format.unwrap_or_default();
        let levels = format.levels();
        match self.fast {
            Some(fast) if format.fast_levels().is_some() => Some(-fast),
            // Its level 0 stores.
            Some(_) if format == Format::GZIP => Some(1),
            Some(_) => Some(*levels.start()),
            None if self.best => Some(SENSIBLE.min(*levels.end())),
            None => self.level,
        }
    }
}

fn level_help() -> String {
    let levels = |format: Format| {
        let (levels, default) = (format.levels(), format.default_level());
        format!("{format} {} to {} ({default})", levels.start(), levels.end())
    };
    let all: Vec<String> = Format::all().map(levels).collect();
    format!("Level, also given as -N: the higher, the smaller and slower. {}", all.join(", "))
}

/// Takes the names of formats, and their suffixes.
fn formats() -> impl TypedValueParser<Value = Format> {
    let named =
        |format: Format| PossibleValue::new(format.name()).alias(format.suffix().trim_start_matches('.'));
    PossibleValuesParser::new(Format::all().map(named)).try_map(|name| name.parse::<Format>())
}

fn threads(text: &str) -> Result<usize, String> {
    /// More would be a slip of the finger.
    const MOST: usize = 1024;
    match text.parse() {
        Ok(threads) if threads <= MOST => Ok(threads),
        _ => Err(format!("expected a number from 0 to {MOST}, 0 for the CPUs this process may use")),
    }
}

fn suffix(text: &str) -> Result<OsString, String> {
    if text.is_empty() || text.contains('/') {
        return Err("expected a suffix such as .zst, not empty and without a slash".into());
    }
    Ok(text.into())
}
