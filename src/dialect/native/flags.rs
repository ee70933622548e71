//! The definitions of pzcomp's own flags, for clap, and the values that they take.
//!
//! Help, man page and completions are made from these definitions, so the doc comments of the flags are texts for
//! users. If flags contradict each other, the last one counts, so that the command line can overrule the options in the
//! environment variable `PZCOMP`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Parser, ValueEnum as _};
use clap_complete::Shell;
use pzcomp::{Adapt, Format};
use regex::bytes::{Regex, RegexBuilder};

use super::super::super::request::Expected;
use super::super::super::size;
use super::archives::ArchiveFlags;
use super::bench::BenchFlags;
use super::habits::HabitFlags;
use super::mending::DamageFlags;
use super::mending::MendingFlags;
use super::places::PlaceFlags;
use super::reporting::ReportingFlags;

#[derive(Debug, Default, Parser)]
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
pub(super) struct Flags {
    /// Decompress. The format is recognised by the first bytes of the data
    #[arg(short, long, help_heading = MODE)]
    pub(super) decompress: bool,

    /// Decompress and verify everything, and write nothing
    #[arg(short, long, help_heading = MODE)]
    pub(super) test: bool,

    /// Print formats, frames, sizes, ratio, check, and whether there is an index
    #[arg(short, long, help_heading = MODE)]
    pub(super) list: bool,

    #[command(flatten)]
    pub(super) archives: ArchiveFlags,

    #[command(flatten)]
    pub(super) places: PlaceFlags,

    #[command(flatten)]
    pub(super) damage: DamageFlags,

    #[command(flatten)]
    pub(super) mending: MendingFlags,

    /// Write all outputs to standard output, one after the other, and keep the input files
    #[arg(short = 'c', long, overrides_with = "output", help_heading = FILES)]
    pub(super) stdout: bool,

    /// Write all outputs to FILE, one after the other; - is standard output. Without -F, the suffix of FILE, as .gz,
    /// chooses the format
    #[arg(short, long, value_name = "FILE", allow_hyphen_values = true, help_heading = FILES)]
    pub(super) output: Option<PathBuf>,

    /// Keep the input files: the default
    #[arg(short, long, overrides_with = "rm", help_heading = FILES)]
    pub(super) keep: bool,

    /// Remove each input file when its output is complete and on disk
    #[arg(long, help_heading = FILES)]
    pub(super) rm: bool,

    /// Overwrite files, follow symbolic links, compress named files that have the suffix already, and use terminals for
    /// compressed data. With -dc, an input that begins in no known format is written as it is
    #[arg(short, long, help_heading = FILES)]
    pub(super) force: bool,

    /// Take the files in directories
    #[arg(short, long, help_heading = FILES)]
    pub(super) recursive: bool,

    /// Compress named pipes, as xtrabackup --fifo-streams writes to them, each to a file of its own: pzcomp --fifos
    /// --output-dir DIR FIFO... All are read at the same time. They share the threads of -p and the memory of -M. If
    /// one of them fails, all end, and no file is made. --verify, --recovery, --idle, --drop-cache, hashes and --adapt
    /// cannot be used with it
    #[arg(
        long, help_heading = FILES,
        conflicts_with_all = [
            "decompress", "test", "list", "to", "output", "output_template", "stdout", "exec", "recursive", "rm", "bench",
            "verify", "recovery", "protect", "repair", "index", "salvage", "train", "hash", "hash_file", "drop_cache",
            "idle", "adapt", "flush_interval", "buffer"
        ]
    )]
    pub(super) fifos: bool,

    /// Run a program, without a shell, and compress its standard output: pzcomp --exec -o b.zst -- mariadb-backup
    /// --backup. The program begins with the first word that is no option of pzcomp, or behind --. If the program
    /// fails, pzcomp fails, and no output file is made; to a pipe, the output then ends in the middle of a frame, so
    /// that its reader fails too. If pzcomp is ended or fails, it ends the program by SIGTERM
    #[arg(long, conflicts_with_all = ["decompress", "test", "list", "rm", "recursive", "bench"], help_heading = FILES)]
    pub(super) exec: bool,

    /// Fail, as with --exec, if the last 4 KiB of the data to compress do not contain what matches REGEX, as
    /// '-- Dump completed'
    #[arg(
        long, value_name = "REGEX", allow_hyphen_values = true, value_parser = pattern,
        conflicts_with_all = ["decompress", "test", "list", "bench"], help_heading = FILES
    )]
    pub(super) expect_tail: Option<Regex>,

    /// With -d, -t or --to: fail if the data does not end with the index that pzcomp writes. Without this flag, data
    /// looks whole if its sender was killed between two frames. bzip2, lzip and Snappy have no index, nor has what was
    /// written with --one-member or --no-index, files of less than 16 KiB, and most data of other programs: they fail
    /// then. What goes to standard output has the index at any length. -tv says whether it is there
    ///
    /// To compress, with =KIND: fail, as with --exec, if the data to compress does not end as a whole stream of that
    /// kind. The chunks of an xbstream and the members of a tar archive are followed. With --xbstream and --mydumper,
    /// the stream that is read must end so
    #[arg(
        long, value_name = "KIND", num_args = 0..=1, require_equals = true, default_missing_value = "index",
        conflicts_with_all = ["list", "bench", "expect_tail"], help_heading = FILES
    )]
    pub(super) expect_end: Option<ExpectedEnd>,

    /// Write to the file TEMPLATE, with the only argument in the place of {}; the input is standard input. So pzcomp is
    /// a program to which another one appends a number: pzcomp --output-template 'base.{}.tar.zst' 1
    #[arg(
        long, value_name = "TEMPLATE", allow_hyphen_values = true, help_heading = FILES,
        conflicts_with_all = [
            "output", "output_dir", "names", "names0", "stdout", "exec", "recursive", "test", "list", "bench", "rm"
        ]
    )]
    pub(super) output_template: Option<PathBuf>,

    /// Decode what was written, while it is written, and compare it with what was read, before the output gets its name
    /// and before --rm removes the input. An output file is read again for that; to a pipe, the bytes that are handed
    /// over are decoded. With -d, read the output file again and compare it with what was decoded. Half as many threads
    /// as -p says work for that in addition
    #[arg(long, help_heading = FILES)]
    pub(super) verify: bool,

    /// Wait until each output file and its folder are on disk before the file gets its name
    #[arg(long, help_heading = FILES)]
    pub(super) synchronous: bool,

    /// With -d: blocks of 4 KiB of zeros in the data become holes in regular files, which take no room on the disk;
    /// also in a file that standard output is redirected to, but not in one that is open for appending
    #[arg(long, overrides_with = "no_sparse", help_heading = FILES)]
    pub(super) sparse: bool,

    /// Write zeros as they are: the default
    #[arg(long, overrides_with = "sparse", help_heading = FILES)]
    pub(super) no_sparse: bool,

    /// Keep input and output files out of the page cache of the system, so that other programs, such as a database,
    /// keep theirs. Pages are dropped behind the reads and the writes. Each output file is then on the disk when it is
    /// complete. Linux and FreeBSD have this
    #[arg(long, help_heading = FILES)]
    pub(super) drop_cache: bool,

    /// Take only what other programs leave: the workers run in the idle class of the scheduler and of the disks, and
    /// pause while other programs wait for a CPU. The output is the same, and comes later on a busy machine. Linux has
    /// this; macOS and Windows have the class alone, and FreeBSD has neither
    #[arg(long, help_heading = FILES)]
    pub(super) idle: bool,

    /// Keep all rights. On Linux a run gives up the network, programs and other processes before it codes. With one
    /// input most runs also give up all files but the output
    #[arg(long, help_heading = FILES)]
    pub(super) no_sandbox: bool,

    /// Use the suffix SUF for compressed files, instead of the suffix of the format
    #[arg(short = 'S', long, value_name = "SUF", allow_hyphen_values = true, value_parser = suffix, help_heading = FILES)]
    pub(super) suffix: Option<OsString>,

    /// Decompress, and compress again as FORMAT, in one step: FILE.lz4 becomes FILE.xz. The input can be in any format.
    /// No plain data is written to a disk. All checks of the input are verified before the output is complete
    #[arg(
        long, value_name = "FORMAT", value_parser = formats(), conflicts_with_all = ["test", "list", "exec", "expect_tail"],
        help_heading = MODE
    )]
    pub(super) to: Option<Format>,

    /// Format to write [default: zstd]
    #[arg(short = 'F', long, value_parser = formats(), help_heading = CODING)]
    pub(super) format: Option<Format>,

    #[arg(long, help = level_help(), value_name = "N", allow_hyphen_values = true, overrides_with_all = ["fast", "best"], help_heading = CODING)]
    pub(super) level: Option<i32>,

    /// Compress faster than level 1; a larger N is faster and compresses less. A format without such levels uses its
    /// lowest level
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1",
        value_parser = clap::value_parser!(i32).range(1..), overrides_with_all = ["level", "best"], help_heading = CODING
    )]
    pub(super) fast: Option<i32>,

    /// Use level 19 for zstd, and the highest level for other formats
    #[arg(long, overrides_with_all = ["level", "fast"], help_heading = CODING)]
    pub(super) best: bool,

    /// Number of worker threads; 0, the default, stands for the CPUs that this process may use
    #[arg(
        short = 'p', long, visible_short_alias = 'T', value_name = "N", default_value_t = 0, hide_default_value = true,
        allow_hyphen_values = true, value_parser = threads, help_heading = CODING
    )]
    pub(super) threads: usize,

    /// Bytes of input in each frame, as 1M or 256K. The default depends on the format and the level
    #[arg(short, long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    pub(super) block_size: Option<u64>,

    /// Where frames end: with newline, behind the last line that fits into the frame, so that each frame has whole
    /// lines. A line that is longer than a frame is divided
    #[arg(long, value_name = "WHERE", value_parser = ["newline"], help_heading = CODING)]
    pub(super) align: Option<String>,

    /// Find repetitions that are up to 2^N bytes apart, with N from 10 to 30, with -d to 31 [default without N: 27,
    /// which is 128 MiB]. Only zstd has this. Frames are at least this long, so each thread takes several times as much
    /// memory, and the first output comes only when a frame is complete; -v says how much both are. If N is above 27,
    /// readers need --long=N too, or -M. With -d, accept windows of 2^N bytes for each thread, unless -M is given
    #[arg(
        long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "27",
        value_parser = clap::value_parser!(u32).range(10..=31), help_heading = CODING
    )]
    pub(super) long: Option<u32>,

    /// With zstd, use libzstd's parameters of the level for all data. Without this flag, the levels 2 to 4 have
    /// parameters of their own for tables of numbers and for records, such as logs and dumps. --long has the same
    /// effect
    #[arg(long, help_heading = CODING)]
    pub(super) fixed_parameters: bool,

    /// Limit of the memory for buffers, codecs and windows together, as 64M. Without -M, the window that a stream
    /// demands to be decompressed may have 128 MiB for each thread. With -M it may have what is left of SIZE, which
    /// may be more or less. Without -M, there are fewer threads if they would need more than half of the memory of the
    /// cgroup, or of what ulimit -v or -d leaves
    #[arg(short = 'M', long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    pub(super) memory: Option<u64>,

    /// Let the level follow what the source and the sink take: of the levels with which the threads are 1.1 times as
    /// fast, the one with the shortest output, from min to max, as --adapt=min=1,max=15. --level is the level to begin
    /// with, and the lowest one without min: no frame is longer than at that level. With min, a lower level is used if
    /// the pipe is faster than the threads. -v prints the share of each level and what they cost. The output depends on
    /// timing, so two runs give different bytes
    #[arg(
        long, value_name = "min=N,max=N", num_args = 0..=1, require_equals = true, default_missing_value = "",
        value_parser = adapt, help_heading = CODING
    )]
    pub(super) adapt: Option<Adapt>,

    /// Let no byte of input wait longer than TIME, such as 200ms or 2s, for the rest of its frame: pzcomp then ends the
    /// frame, so that the reader at the other end gets the byte. Frames are shorter, so the output is longer, and it
    /// depends on when the input comes. Files are not waited for, so this is for pipes
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = size::parse_time, help_heading = CODING)]
    pub(super) flush_interval: Option<Duration>,

    /// Store up to SIZE bytes, as 1G, between a producer and a consumer that are fast at different times: compressed
    /// output until it can be written, or with -d compressed input that is read ahead. Memory is taken only as bytes
    /// come; all of SIZE counts for -M. A file to decompress is not read ahead
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = size::parse, help_heading = CODING)]
    pub(super) buffer: Option<u64>,

    /// Write no index at the end of zstd, gzip and lz4 output. xz always has an index; bzip2 and lzip have none
    #[arg(long, help_heading = CODING)]
    pub(super) no_index: bool,

    /// Write one gzip member, as gzip does, for readers that stop after the first member; there is no index then
    #[arg(long, help_heading = CODING)]
    pub(super) one_member: bool,

    #[command(flatten)]
    pub(super) habits: HabitFlags,

    #[command(flatten)]
    pub(super) bench: BenchFlags,

    /// Print no warnings; they still change the exit status
    #[arg(short, long, overrides_with = "verbose", help_heading = TALK)]
    pub(super) quiet: bool,

    /// Print the sizes, ratio, speed and memory of each stream; given twice, print settings as well
    #[arg(short, long, action = ArgAction::Count, help_heading = TALK)]
    pub(super) verbose: u8,

    #[command(flatten)]
    pub(super) reporting: ReportingFlags,

    /// Print all options; -h prints the usual ones, and --help=TOPIC a page about formats, backup, damage,
    /// recovery, index, tar, slow-pipes or python
    #[arg(short, long, action = ArgAction::Help, help_heading = TALK)]
    pub(super) help: Option<bool>,

    /// Print the version; with -v also the commit, the libraries and the CPU features in use
    #[arg(short = 'V', long, help_heading = TALK)]
    pub(super) version: bool,

    /// Print a man page such as gzip.1, or the completions for bash, zsh or fish
    #[arg(long, value_name = "WHAT", value_parser = Artefact::parse, hide = true)]
    pub(super) generate: Option<Artefact>,

    /// Behave as the program NAME, such as gzip. This must be the first option; the arguments after it are read as
    /// that program reads them
    #[arg(
        long = "as", value_name = "NAME", value_parser = PossibleValuesParser::new(NAMES), hide_possible_values = true,
        help_heading = OTHERS
    )]
    pub(super) another: Option<String>,

    /// Make links to pzcomp in DIR under the names of the other programs, and install their man pages
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OTHERS)]
    pub(super) install_links: Option<PathBuf>,

    /// Input files; - is standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) files: Vec<OsString>,
}

const LONG_ABOUT: &str = "\
Compress and decompress streams on all cores.

Without FILE, or if FILE is -, pzcomp reads standard input and writes standard output. Otherwise it compresses FILE to \
a file beside it, and adds the suffix of the format to the name, such as .zst. With -d it decompresses FILE \
to a file without the suffix. It keeps FILE.";

pub(super) const MODE: &str = "Mode";
pub(super) const FILES: &str = "Files";
pub(super) const CODING: &str = "Compression";
pub(super) const TALK: &str = "Messages";
const OTHERS: &str = "Other names";

/// The names that `--as` takes.
pub(crate) const NAMES: [&str; 32] = [
    "gzip", "gunzip", "zcat", "pigz", "unpigz", "igzip", "xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat",
    "bzip2", "bunzip2", "bzcat", "pbzip2", "lbzip2", "lbunzip2", "lbzcat", "lzip", "plzip", "zstd", "unzstd",
    "zstdcat", "zstdmt", "pzstd", "lz4", "unlz4", "lz4cat", "bgzip", "qpress", "snzip",
];

/// A text that is made from the definitions of the options.
#[derive(Clone, Debug)]
pub(super) enum Artefact {
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

/// The levels of `--adapt`: `min=N`, `max=N`, both or none.
fn adapt(text: &str) -> Result<Adapt, String> {
    let mut adapt = Adapt::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let level = part.split_once('=').and_then(|(name, level)| Some((name, level.parse().ok()?)));
        adapt = match level {
            Some(("min", _)) if adapt.min.is_some() => return Err("min is given twice".into()),
            Some(("max", _)) if adapt.max.is_some() => return Err("max is given twice".into()),
            Some(("min", level)) => adapt.with_min(level),
            Some(("max", level)) => adapt.with_max(level),
            _ => return Err(format!("expected levels such as min=1,max=15, and found '{part}'")),
        };
    }
    Ok(adapt)
}

/// What --expect-end expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExpectedEnd {
    /// The index that pzcomp writes
    Index,
    /// Two blocks of zeros behind the last member
    Tar,
    /// The end of each file
    Xbstream,
    /// The same, and xtrabackup_info or mariadb_backup_info, which the backup program writes behind all tables
    #[value(alias = "mariadb-backup")]
    Xtrabackup,
    /// "-- Dump completed" in the last line, of mysqldump and mariadb-dump
    Mysqldump,
    /// "# Finished dump at" in the metadata at the end of a stream of mydumper
    Mydumper,
}

impl ExpectedEnd {
    /// What the data to compress must end with.
    pub(super) fn of_plain(self) -> Result<Option<Expected>, String> {
        let tail = |shown: &str, text| {
            Ok::<_, String>(Expected::Tail { pattern: pattern(text)?, shown: shown.into() })
        };
        Ok(Some(match self {
            Self::Index => return Ok(None),
            Self::Tar => Expected::Tar,
            Self::Xbstream => Expected::Xbstream { is_backup: false },
            Self::Xtrabackup => Expected::Xbstream { is_backup: true },
            Self::Mysqldump => tail(
                "a last line that begins with \"-- Dump completed\"",
                r"(^|\n)-- Dump completed[^\n]*\n?$",
            )?,
            Self::Mydumper => {
                tail("a line that begins with \"# Finished dump at: \"", r"(^|\n)# Finished dump at: ")?
            }
        }))
    }
}

/// A pattern for the end of the data.
fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .unicode(false)
        .build()
        .map_err(|error| format!("not a regular expression: {error}"))
}

fn level_help() -> String {
    let levels = |format: Format| {
        let (levels, default) = (format.levels(), format.default_level());
        format!("{format} {} to {} ({default})", levels.start(), levels.end())
    };
    let all: Vec<String> = Format::all().map(levels).collect();
    format!(
        "Level, also given as -N; a higher level is slower and mostly compresses better, but -1 of zstd may be smaller than -3 for columns of numbers, as --bench shows. Levels, and the default in parentheses: {}",
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
