//! The interface of pzcomp itself: its flags, and the request that they make.
//!
//! The flags are defined here once, with clap. Help, man page and completions are made from these definitions, so the
//! doc comments of the flags are texts for users. If flags contradict each other, the last one counts, so that the
//! command line can overrule the options in the environment variable `PZCOMP`.

mod archives;
mod argv;
mod damage;
mod generate;
mod messages;
mod places;
pub(super) mod table;
mod telling;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Command, CommandFactory, FromArgMatches, Parser, ValueEnum as _};
use clap_complete::Shell;
use pzcomp::{Adapt, Format, Layout, Member, Options, WINDOW_LIMIT};
use regex::bytes::Regex;

use super::super::bench::flags::BenchFlags;
use super::super::request::{Mode, Request, SeekWork, Source, Sparse, Suffixes, Target, Verbosity};
use super::super::size;
use super::super::tool::Name;
use super::super::version;
use super::{Action, Dialect, Refusal};
use archives::ArchiveFlags;
use damage::DamageFlags;
use places::PlaceFlags;
use telling::TellingFlags;

/// The environment variable with default options, separated by white space.
pub(in super::super) const VARIABLE: &str = "PZCOMP";

/// The binary logarithm of the window that `--long` without a number asks for. Readers accept it by default.
pub(in super::super) const LONG: u32 = WINDOW_LIMIT.ilog2();

/// The dialect of pzcomp itself.
pub(in super::super) struct Native;

impl Dialect for Native {
    fn parse(&self, _: &'static Name, args: Vec<OsString>) -> Result<Action, Refusal> {
        parse(args, std::env::var_os(VARIABLE))
            .map_err(|what| Refusal { text: format!("pzcomp: {what}"), code: 1 })
    }

    fn page(&self, _: &str) -> String {
        generate::page()
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
    /// Decompress. The format is recognised by the first bytes of the data
    #[arg(short, long, help_heading = MODE)]
    decompress: bool,

    /// Decompress and verify everything, and write nothing
    #[arg(short, long, help_heading = MODE)]
    test: bool,

    /// Print formats, frames, sizes, ratio, check, and whether there is an index
    #[arg(short, long, help_heading = MODE)]
    list: bool,

    #[command(flatten)]
    archives: ArchiveFlags,

    #[command(flatten)]
    places: PlaceFlags,

    #[command(flatten)]
    damage: DamageFlags,

    /// Write all outputs to standard output, one after the other, and keep the input files
    #[arg(short = 'c', long, overrides_with = "output", help_heading = FILES)]
    stdout: bool,

    /// Write all outputs to FILE, one after the other; - is standard output
    #[arg(short, long, value_name = "FILE", allow_hyphen_values = true, help_heading = FILES)]
    output: Option<PathBuf>,

    /// Keep the input files: the default
    #[arg(short, long, overrides_with = "rm", help_heading = FILES)]
    keep: bool,

    /// Remove each input file when its output is complete and on disk
    #[arg(long, help_heading = FILES)]
    rm: bool,

    /// Overwrite files, follow symbolic links, compress files that have the suffix already, and use terminals for
    /// compressed data
    #[arg(short, long, help_heading = FILES)]
    force: bool,

    /// Take the files in directories
    #[arg(short, long, help_heading = FILES)]
    recursive: bool,

    /// Run a program, without a shell, and compress its standard output: pzcomp --exec -o b.zst -- mariadb-backup
    /// --backup. If the program fails, pzcomp fails, and no output file is made; to a pipe, the output then ends in the
    /// middle of a frame, so that its reader fails too
    #[arg(long, conflicts_with_all = ["decompress", "test", "list", "rm", "recursive", "bench"], help_heading = FILES)]
    exec: bool,

    /// Fail, as with --exec, if the last 4 KiB of the data to compress do not contain what matches REGEX, as
    /// '-- Dump completed'
    #[arg(
        long, value_name = "REGEX", allow_hyphen_values = true, value_parser = pattern,
        conflicts_with_all = ["decompress", "test", "list", "bench"], help_heading = FILES
    )]
    expect_tail: Option<Regex>,

    /// Decode what was written, while it is written, and compare it with what was read, before the output gets its name
    /// and before --rm removes the input. An output file is read again for that; to a pipe, the bytes that are handed
    /// over are decoded. With -d, read the output file again and compare it with what was decoded. Half as many threads
    /// as -p says work for that in addition
    #[arg(long, help_heading = FILES)]
    verify: bool,

    /// Wait until each output file and its folder are on disk before the file gets its name
    #[arg(long, help_heading = FILES)]
    synchronous: bool,

    /// With -d: blocks of 4 KiB of zeros in the data become holes in regular files, which take no room on the disk; also
    /// in a file that standard output is redirected to, but not in one that is open for appending
    #[arg(long, overrides_with = "no_sparse", help_heading = FILES)]
    sparse: bool,

    /// Write zeros as they are: the default
    #[arg(long, overrides_with = "sparse", help_heading = FILES)]
    no_sparse: bool,

    /// Keep input and output files out of the page cache of the system, so that other programs, such as a database, keep
    /// theirs. Pages are dropped behind the reads and the writes. Each output file is then on the disk when it is complete
    #[arg(long, help_heading = FILES)]
    drop_cache: bool,

    /// Use the suffix SUF for compressed files, instead of the suffix of the format
    #[arg(short = 'S', long, value_name = "SUF", allow_hyphen_values = true, value_parser = suffix, help_heading = FILES)]
    suffix: Option<OsString>,

    /// Decompress, and compress again as FORMAT, in one step: FILE.lz4 becomes FILE.xz. The input can be in any format.
    /// No plain data is written to a disk. All checks of the input are verified before the output is complete
    #[arg(
        long, value_name = "FORMAT", value_parser = formats(), conflicts_with_all = ["test", "list", "exec", "expect_tail"],
        help_heading = MODE
    )]
    to: Option<Format>,

    /// Format to write [default: zstd]
    #[arg(short = 'F', long, value_parser = formats(), help_heading = CODING)]
    format: Option<Format>,

    #[arg(long, help = level_help(), value_name = "N", allow_hyphen_values = true, overrides_with_all = ["fast", "best"], help_heading = CODING)]
    level: Option<i32>,

    /// Compress faster than level 1; a larger N is faster and compresses less. A format without such levels uses its
    /// lowest level
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(i32).range(1..), overrides_with_all = ["level", "best"], help_heading = CODING
    )]
    fast: Option<i32>,

    /// Use level 19 for zstd, and the highest level for other formats
    #[arg(long, overrides_with_all = ["level", "fast"], help_heading = CODING)]
    best: bool,

    /// Number of worker threads; 0, the default, stands for the CPUs that this process may use
    #[arg(
        short = 'p', long, visible_short_alias = 'T', value_name = "N", default_value_t = 0, hide_default_value = true,
        allow_hyphen_values = true, value_parser = threads, help_heading = CODING
    )]
    threads: usize,

    /// Bytes of input in each frame, as 1M or 256K. The default depends on the format and the level
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    block_size: Option<u64>,

    /// Find repetitions that are up to 2^N bytes apart, with N from 10 to 30 [default without N: 27, which is 128 MiB].
    /// Only zstd has this. Frames are at least this long, so each thread takes several times as much memory, and the
    /// first output comes only when a frame is complete; -v says how much both are. If N is above 27, readers need
    /// --long=N too, or -M. With -d, accept windows of 2^N bytes for each thread, unless -M is given
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "27",
        value_parser = clap::value_parser!(u32).range(10..=30), help_heading = CODING
    )]
    long: Option<u32>,

    /// Limit of the memory for buffers, codecs and windows together, as 64M. Without -M, the window that a stream
    /// demands to be decompressed may have 128 MiB for each thread. With -M it may have what is left of SIZE, which
    /// may be more or less. Without -M, there are fewer threads if they would need more than half of the memory of the
    /// cgroup
    #[arg(short = 'M', long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    memory: Option<u64>,

    /// Let the level follow what the source and the sink take: the highest level with which the threads are 1.1 times as
    /// fast, from min to max, as --adapt=min=1,max=15. --level is the level to begin with. -v prints the share of each
    /// level. The output depends on timing, so two runs give different bytes
    #[arg(
        long, value_name = "min=N,max=N", num_args = 0..=1, require_equals = true, default_missing_value = "",
        value_parser = adapt, help_heading = CODING
    )]
    adapt: Option<Adapt>,

    /// Let no byte of input wait longer than TIME, such as 200ms or 2s, for the rest of its frame: pzcomp then ends the
    /// frame, so that the reader at the other end gets the byte. Frames are shorter, so the output is longer, and it
    /// depends on when the input comes. Files are not waited for, so this is for pipes
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = size::parse_time, help_heading = CODING)]
    flush_interval: Option<Duration>,

    /// Store up to SIZE bytes, as 1G, between a producer and a consumer that are fast at different times: compressed
    /// output until it can be written, or with -d compressed input that is read ahead. Memory is taken only as bytes come;
    /// all of SIZE counts for -M. A file to decompress is not read ahead
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    buffer: Option<u64>,

    /// Write no index at the end of zstd, gzip and lz4 output. xz always has an index; bzip2 and lzip have none
    #[arg(long, help_heading = CODING)]
    no_index: bool,

    /// Write one gzip member, as gzip does, for readers that stop after the first member; there is no index then
    #[arg(long, help_heading = CODING)]
    one_member: bool,

    #[command(flatten)]
    bench: BenchFlags,

    /// Print no warnings; they still change the exit status
    #[arg(short, long, overrides_with = "verbose", help_heading = TALK)]
    quiet: bool,

    /// Print the sizes, ratio, speed and memory of each stream; given twice, print settings as well
    #[arg(short, long, action = ArgAction::Count, help_heading = TALK)]
    verbose: u8,

    #[command(flatten)]
    telling: TellingFlags,

    /// Print help; -h prints the short help
    #[arg(short, long, action = ArgAction::Help, help_heading = TALK)]
    help: Option<bool>,

    /// Print the version; with -v also the commit, the libraries and the CPU features in use
    #[arg(short = 'V', long, help_heading = TALK)]
    version: bool,

    /// Print a man page such as gzip.1, or the completions for bash, zsh or fish
    #[arg(long, value_name = "WHAT", value_parser = Artefact::parse, hide = true)]
    generate: Option<Artefact>,

    /// Behave as the program NAME, such as gzip. This must be the first option; the arguments after it are read as
    /// that program reads them
    #[arg(long = "as", value_name = "NAME", help_heading = OTHERS)]
    another: Option<String>,

    /// Make links to pzcomp in DIR under the names of the other programs, and install their man pages
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OTHERS)]
    install_links: Option<PathBuf>,

    /// Input files; - is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    files: Vec<OsString>,
}

const LONG_ABOUT: &str = "\
Compress and decompress streams on all cores.

Without FILE, or if FILE is -, pzcomp reads standard input and writes standard output. Otherwise it compresses FILE to \
a file beside it, whose name is that of FILE with the suffix of the format, such as .zst. With -d it decompresses FILE \
to a file without the suffix. It keeps FILE.";

const MODE: &str = "Mode";
const FILES: &str = "Files";
const CODING: &str = "Compression";
const TALK: &str = "Messages";
const OTHERS: &str = "Other names";

/// A text that is made from the definitions of the options.
#[derive(Clone, Debug)]
enum Artefact {
    /// The man page of the tool of this name.
    Page(String),
    Completions(Shell),
}

impl Artefact {
    fn parse(what: &str) -> Result<Self, String> {
        let expected = || "expected bash, zsh or fish, or a man page such as gzip.1".to_owned();
        match what.strip_suffix(".1") {
            Some(name) => Ok(Self::Page(name.into())),
            None => Shell::from_str(what, false).map(Self::Completions).map_err(|_| expected()),
        }
    }
}

/// The clap definitions of the flags.
fn command() -> Command {
    Flags::command()
}

/// Reads the arguments behind the name of the program, after the options in `variable`. The error is a sentence
/// without the name of the program.
fn parse(args: impl IntoIterator<Item = OsString>, variable: Option<OsString>) -> Result<Action, String> {
    let defaults = match variable {
        Some(variable) => {
            default_options(variable).map_err(|what| format!("environment variable {VARIABLE}: {what}"))?
        }
        None => Vec::new(),
    };
    let flags = match flags(defaults.into_iter().chain(args)) {
        Ok(flags) => flags,
        Err(error) if !error.use_stderr() => return Ok(Action::Text(error.render().to_string())),
        Err(error) => return Err(format!("{}; see 'pzcomp --help'", sentence(&error))),
    };
    if flags.version {
        return Ok(Action::Text(version::text(flags.verbose > 0)));
    }
    match flags.generate {
        Some(Artefact::Page(name)) => return Ok(Action::Page(name)),
        Some(Artefact::Completions(shell)) => return Ok(Action::Text(generate::completions(shell))),
        None => {}
    }
    if let Some(folder) = flags.install_links {
        return Ok(Action::InstallLinks(folder));
    }
    flags.action()
}

fn flags(args: impl IntoIterator<Item = OsString>) -> Result<Flags, clap::Error> {
    let command = command();
    let args = argv::spell_out_levels(&command, args);
    Flags::from_arg_matches(&command.no_binary_name(true).try_get_matches_from(args)?)
}

/// The error for options that print a text, in the environment variable.
const MISPLACED: &str = "--help and --version belong on the command line";

/// The options in the environment variable. Fails if it holds anything but valid options.
fn default_options(variable: OsString) -> Result<Vec<OsString>, String> {
    let text = variable.into_string().map_err(|_| "not valid UTF-8".to_owned())?;
    let options: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
    let flags = flags(options.iter().cloned()).map_err(|error| match error.use_stderr() {
        true => sentence(&error),
        false => MISPLACED.into(),
    })?;
    if flags.version {
        return Err(MISPLACED.into());
    }
    match flags.files.first() {
        Some(file) => {
            Err(format!("'{}' is not an option; file names belong on the command line", file.display()))
        }
        None if options.iter().any(|option| option == "--") => Err("'--' belongs on the command line".into()),
        None => Ok(options),
    }
}

/// The text of a clap error on one line, with its advice.
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
    fn action(mut self) -> Result<Action, String> {
        let mut bench = std::mem::take(&mut self.bench);
        if bench.bench {
            bench.json = self.telling.json.take();
        }
        let (named, format, level) = (!self.files.is_empty(), self.format, self.level());
        let request = self.request()?;
        match bench.bench {
            true => bench.request(request, named, format, level).map(Box::new).map(Action::Bench),
            false => Ok(Action::Work(Box::new(request))),
        }
    }

    fn request(self) -> Result<Request, String> {
        let mode = match (self.list, self.test, self.decompress) {
            (true, ..) => Mode::List,
            (_, true, _) => Mode::Test,
            _ if self.to.is_some() => Mode::Recode,
            (.., true) => Mode::Decompress,
            _ => Mode::Compress,
        };
        let seek = self.places.work(mode, &self)?;
        let salvage = self.damage.work(mode, &self)?;
        if seek.is_some() && salvage.is_some() {
            return Err("--salvage cannot be used with --frames, --range or --index".into());
        }
        let xbstream = self.archives.is_xbstream(mode, seek.is_some() || salvage.is_some())?;
        // Inputs to index are opened like inputs to verify.
        let mode = if matches!(seek, Some(SeekWork::Index(_))) { Mode::Test } else { mode };
        let block_size = self.block_size.map(usize::try_from).transpose();
        let window_len = self.long.map(|log| 1_u64 << log);
        let is_compression = mode.writes_coded();
        let reads_coded = mode != Mode::Compress;
        let mut options = Options::default();
        options.entry = self.archives.entry(mode, seek.is_some(), salvage.is_some())?;
        options.format = self.format_to_write();
        options.level = self.level();
        options.threads = self.threads;
        options.block_size = block_size
            .map_err(|_| "the block size does not fit into the address space of this machine".to_owned())?;
        options.memory = self.memory;
        options.window_log = self.long.filter(|_| is_compression);
        // With a limit for all memory, windows have what is left of it.
        options.window_limit =
            window_len.filter(|&len| len > WINDOW_LIMIT && reads_coded && self.memory.is_none());
        options.flush_interval = self.flush_interval.filter(|_| is_compression);
        options.adapt = self.adapt.filter(|_| is_compression);
        options.buffer = self.buffer;
        options.index = !self.no_index;
        options.drop_cache = self.drop_cache;
        options.layout = if self.one_member { Layout::Single(Member::new()) } else { Layout::Frames };
        let target = match self.output {
            Some(path) if path.as_os_str() == "-" => Target::Stdout,
            Some(path) if path.as_os_str().is_empty() => {
                return Err("the name of the output file is empty".into());
            }
            Some(path) => Target::File(path),
            None if self.stdout => Target::Stdout,
            None => Target::Beside,
        };
        let notes = match self.long {
            Some(log) if log > LONG && is_compression && !self.quiet => vec![format!(
                "note: readers need --long={log} or enough memory (-M) for frames that are longer than 128 MiB"
            )],
            _ => Vec::new(),
        };
        if self.another.is_some() {
            return Err("--as must be the first option".into());
        }
        Ok(Request {
            mode,
            seek,
            salvage,
            xbstream,
            options,
            sources: match self.exec {
                true if self.files.is_empty() => return Err("--exec needs a program behind --".into()),
                true => vec![Source::Command(self.files)],
                false => Request::sources_of(self.files),
            },
            expected_tail: self.expect_tail,
            target,
            suffixes: Suffixes { custom: self.suffix, ..Suffixes::default() },
            force: self.force,
            remove: self.rm,
            verify: self.verify,
            sparse: if self.sparse { Sparse::Always } else { Sparse::Never },
            // The output must be on disk before the input is removed.
            sync: self.rm || self.synchronous,
            recursive: self.recursive,
            verbosity: Verbosity { quiet: self.quiet, verbose: self.verbose },
            notes,
            telling: self.telling.telling()?,
            ..Request::default()
        })
    }

    /// The format of coded output. `--to` counts more than `-F`, which may stand in the environment variable.
    fn format_to_write(&self) -> Format {
        self.to.or(self.format).unwrap_or_default()
    }

    fn level(&self) -> Option<i32> {
        /// Higher levels of zstd take many times the memory, also to decompress.
        const SENSIBLE: i32 = 19;
        let format = self.format_to_write();
        let levels = format.levels();
        match self.fast {
            Some(fast) if format.fast_levels().is_some() => Some(-fast),
            // Level 0 of gzip does not compress.
            Some(_) if format == Format::Gzip => Some(1),
            Some(_) => Some(*levels.start()),
            None if self.best => Some(SENSIBLE.min(*levels.end())),
            None => self.level,
        }
    }
}

/// The levels of `--adapt`: `min=N`, `max=N`, both or none.
fn adapt(text: &str) -> Result<Adapt, String> {
    let mut adapt = Adapt::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let level = part.split_once('=').and_then(|(name, level)| Some((name, level.parse().ok()?)));
        adapt = match level {
            Some(("min", level)) => adapt.with_min(level),
            Some(("max", level)) => adapt.with_max(level),
            _ => return Err(format!("expected levels such as min=1,max=15, and found '{part}'")),
        };
    }
    Ok(adapt)
}

/// A pattern for the end of the data.
fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(text).map_err(|error| format!("not a regular expression: {error}"))
}

fn level_help() -> String {
    let levels = |format: Format| {
        let (levels, default) = (format.levels(), format.default_level());
        format!("{format} {} to {} ({default})", levels.start(), levels.end())
    };
    let all: Vec<String> = Format::all().map(levels).collect();
    format!(
        "Level, also given as -N; a higher level is slower and compresses better. Levels, and the default in parentheses: {}",
        all.join(", ")
    )
}

/// Takes the names of formats and their suffixes.
fn formats() -> impl TypedValueParser<Value = Format> {
    let named =
        |format: Format| PossibleValue::new(format.name()).alias(format.suffix().trim_start_matches('.'));
    PossibleValuesParser::new(Format::all().map(named)).try_map(|name| name.parse::<Format>())
}

fn threads(text: &str) -> Result<usize, String> {
    /// A larger number is a typing error.
    const MOST: usize = 1024;
    match text.parse() {
        Ok(threads) if threads <= MOST => Ok(threads),
        _ => Err(format!(
            "expected a number from 0 to {MOST}; 0 stands for the CPUs that this process may use"
        )),
    }
}

fn suffix(text: &str) -> Result<OsString, String> {
    if text.is_empty() || text.contains('/') {
        return Err("expected a suffix such as .zst, which is not empty and has no slash".into());
    }
    Ok(text.into())
}
