//! pigz: gzip's options and some of its own, as of 2.8, and its own short words.

mod table;

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;

use pzcomp::{Error, Format, Layout, Member, Strategy};
use rustix::io::Errno;

use super::super::getopt::{Arguments, Digits, Item, Misuse, Opt, flag, value};
use super::super::name::Name;
use super::super::report::Status;
use super::super::request::{Mode, Request, Shared, Voice};
use super::super::trouble::{Kind, Trouble};
use super::gzip::Wishes;
use super::{Asked, Dialect, Done, Ending, Listed, Refusal, Speaker, Verdict, system};

/// pigz.
pub(in super::super) struct Pigz;

impl Dialect for Pigz {
    fn parse(&self, called: &'static Name, args: Vec<OsString>) -> Result<Asked, Refusal> {
        let mut wishes = Wishes::new(called);
        match parse(&mut wishes, called, args) {
            Ok(Some(text)) => Ok(Asked::Text(text)),
            Ok(None) => Ok(Asked::Work(Box::new(wishes.request()))),
            Err(refusal) if wishes.request.voice.quiet => Err(Refusal { text: String::new(), ..refusal }),
            Err(refusal) => Err(refusal),
        }
    }

    fn verdict(&self, speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
        verdict(speaker, if name == "stdin" { "<stdin>" } else { name }, trouble)
    }

    fn done(&self, speaker: Speaker, done: &Done) -> Verdict {
        let text = match (speaker.voice.verbose, done.request.mode) {
            (0, _) | (_, Mode::Test) => String::new(),
            _ => {
                let name = if done.name == "stdin" { "<stdin>" } else { done.name };
                let made = done.made.map_or("<stdout>".into(), |made| made.display().to_string());
                format!("{name} to {made} ")
            }
        };
        Verdict { status: Status::Fine, text }
    }

    fn list(&self, listed: &[Listed], request: &Request) -> String {
        table::table(listed, request)
    }

    /// What it cannot go on after ends pigz with the number of the system's error.
    fn ending(&self, trouble: &Trouble, _: Mode) -> Ending {
        match aborting(trouble) {
            Some(error) => Ending::Abort(errno(error).unwrap_or(1)),
            None if matches!(trouble.kind, Kind::TerminalInput | Kind::TerminalOutput) => {
                Ending::Abort(MISUSED)
            }
            None => Ending::Usual,
        }
    }

    /// Everything that goes wrong is an error.
    fn code(&self, status: Status) -> u8 {
        u8::from(status != Status::Fine)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flag {
    Alias,
    BlockSize,
    Comment,
    Decompress,
    Force,
    Help,
    Independent,
    Keep,
    License,
    List,
    Name,
    NoName,
    NoTime,
    Processes,
    Quiet,
    Recursive,
    Rsyncable,
    Stdout,
    Suffix,
    Synchronous,
    Test,
    Time,
    Verbose,
    Version,
    Zip,
    Zlib,
    Fast,
    Best,
    Strategy(Strategy),
    /// What only tunes an encoder that is not there.
    Tuning(&'static str),
    TuningValue(&'static str),
}

static OPTIONS: [Opt<Flag>; 38] = [
    value(Flag::Alias, "A", "alias"),
    value(Flag::BlockSize, "b", "blocksize"),
    value(Flag::Comment, "C", "comment"),
    flag(Flag::Decompress, "d", "decompress"),
    flag(Flag::Decompress, "", "uncompress"),
    flag(Flag::Force, "f", "force"),
    flag(Flag::Help, "h", "help"),
    flag(Flag::Independent, "i", "independent"),
    flag(Flag::Keep, "k", "keep"),
    flag(Flag::License, "L", "license"),
    flag(Flag::List, "l", "list"),
    flag(Flag::Name, "N", "name"),
    flag(Flag::NoName, "n", "no-name"),
    flag(Flag::NoTime, "m", "no-time"),
    // As it was until 2.4.
    flag(Flag::NoTime, "T", ""),
    value(Flag::Processes, "p", "processes"),
    flag(Flag::Quiet, "q", "quiet"),
    flag(Flag::Quiet, "", "silent"),
    flag(Flag::Recursive, "r", "recursive"),
    flag(Flag::Rsyncable, "R", "rsyncable"),
    flag(Flag::Stdout, "c", "stdout"),
    flag(Flag::Stdout, "", "to-stdout"),
    value(Flag::Suffix, "S", "suffix"),
    flag(Flag::Synchronous, "Y", "synchronous"),
    flag(Flag::Test, "t", "test"),
    flag(Flag::Time, "M", "time"),
    flag(Flag::Verbose, "v", "verbose"),
    flag(Flag::Version, "V", "version"),
    flag(Flag::Zip, "K", "zip"),
    flag(Flag::Zlib, "z", "zlib"),
    flag(Flag::Fast, "", "fast"),
    flag(Flag::Best, "", "best"),
    flag(Flag::Tuning("-F"), "F", "first"),
    flag(Flag::Strategy(Strategy::Huffman), "H", "huffman"),
    flag(Flag::Tuning("-O"), "O", "oneblock"),
    flag(Flag::Strategy(Strategy::Runs), "U", "rle"),
    value(Flag::TuningValue("-I"), "I", "iterations"),
    value(Flag::TuningValue("-J"), "J", "maxsplits"),
];

const SUFFIXES: &[(&str, &str)] = &[
    (".gz", ""),
    (".z", ""),
    ("-gz", ""),
    ("-z", ""),
    ("_z", ""),
    (".zz", ""),
    (".zip", ""),
    (".tgz", ".tar"),
];

static READ: [Format; 4] = [Format::GZIP, Format::LZW, Format::ZIP, Format::ZLIB];

/// The slowest levels of pigz and of ours.
const SLOWEST: (u32, i32) = (11, 12);

const BLOCK_LEN_MIN: usize = 32 << 10;

/// Takes the options of both variables, which hold no files, and the arguments; the text to print, if that is all
/// that is wanted.
fn parse(wishes: &mut Wishes, called: &Name, args: Vec<OsString>) -> Result<Option<String>, Refusal> {
    wishes.request.suffixes.known = SUFFIXES;
    wishes.request.options.accept = Some(&READ);
    // What has special rights is compressed as other files are. The copy has no such rights, but for the sticky bit.
    wishes.request.wary = false;
    (wishes.request.sticky, wishes.request.shared) = (true, Shared::Kept);
    for variable in ["GZIP", "PIGZ"] {
        let options = std::env::var(variable).unwrap_or_default();
        let options: Vec<OsString> = options.split_whitespace().map(OsString::from).collect();
        if let Some(text) = take(wishes, called, options)? {
            return Ok(Some(text));
        }
        if !wishes.files.is_empty() {
            return Err(abort(
                called,
                format_args!("cannot provide files in {variable} environment variable"),
            ));
        }
    }
    take(wishes, called, args)
}

/// Takes options and files; the text to print, if that is all that is wanted.
fn take(wishes: &mut Wishes, called: &Name, args: Vec<OsString>) -> Result<Option<String>, Refusal> {
    let mut arguments = Arguments::new(&OPTIONS, Digits::Number, args);
    while let Some(item) = arguments.next().map_err(|misuse| misused(called, misuse))? {
        let (flag, value) = match item {
            Item::File(file) => {
                wishes.files.push(file);
                continue;
            }
            Item::Number(level) => {
                wishes.request.options.level = Some(match level {
                    0..=9 => level as i32,
                    level if level == SLOWEST.0 => SLOWEST.1,
                    _ => return Err(abort(called, "only levels 0..9 and 11 are allowed")),
                });
                continue;
            }
            Item::Option(flag, value) => (flag, value.unwrap_or_default()),
        };
        let request = &mut wishes.request;
        match flag {
            Flag::Help => return Ok(Some(help(called.program))),
            Flag::Version => return Ok(Some(version(called.program))),
            Flag::License => return Ok(Some(version(called.program) + super::LICENSE)),
            Flag::Stdout => wishes.stdout = true,
            Flag::Keep => wishes.keep = true,
            Flag::Decompress => request.mode = Mode::Decompress,
            Flag::Test => request.mode = Mode::Test,
            Flag::List => request.mode = Mode::List,
            Flag::Force => request.force = true,
            Flag::Fast => request.options.level = Some(1),
            Flag::Best => request.options.level = Some(9),
            Flag::NoName => (wishes.name, wishes.time) = (Some(false), Some(false)),
            Flag::Name => (wishes.name, wishes.time) = (Some(true), Some(true)),
            Flag::NoTime => wishes.time = Some(false),
            Flag::Time => wishes.time = Some(true),
            Flag::Quiet => request.voice = Voice { quiet: true, verbose: 0 },
            Flag::Verbose => request.voice = Voice { quiet: false, verbose: request.voice.verbose + 1 },
            Flag::Recursive => request.recursive = true,
            Flag::Rsyncable => request.options.rsyncable = true,
            Flag::Synchronous => request.sync = true,
            // Chunks never refer to those before.
            Flag::Independent => {}
            Flag::Suffix if value.is_empty() => return Err(abort(called, "suffix cannot be empty")),
            Flag::Suffix => request.suffixes.own = Some(value),
            Flag::Processes => {
                request.options.threads = match number(called, &value)? {
                    0 => return Err(abort(called, "invalid number of processes: 0")),
                    processes => processes,
                }
            }
            Flag::BlockSize => {
                let len = number(called, &value)?.saturating_mul(1 << 10);
                if len < BLOCK_LEN_MIN {
                    return Err(abort(called, "block size too small (must be >= 32K)"));
                }
                request.options.block_size = Some(len);
            }
            Flag::Zip => {
                request.options.format = Format::ZIP;
                request.options.layout = Layout::Single(Member::default());
            }
            Flag::Zlib => request.options.format = Format::ZLIB,
            Flag::Alias => request.origin.alias = Some(value),
            Flag::Comment => request.origin.comment = Some(value),
            Flag::Strategy(strategy) => request.options.strategy = strategy,
            Flag::Tuning(name) | Flag::TuningValue(name) => {
                let what =
                    format_args!("{name} tunes an encoder of pigz that pzcomp does not have; leave it out");
                return Err(abort(called, what));
            }
        }
    }
    Ok(None)
}

fn number(called: &Name, value: &OsStr) -> Result<usize, Refusal> {
    let invalid = || abort(called, format_args!("invalid numeric parameter: {}", value.display()));
    value.to_str().and_then(|value| value.parse().ok()).ok_or_else(invalid)
}

fn misused(called: &Name, misuse: Misuse) -> Refusal {
    match misuse {
        Misuse::Short(letter) => abort(called, format_args!("invalid option: -{letter}")),
        Misuse::Long(name) | Misuse::Ambiguous(name, _) => {
            abort(called, format_args!("invalid option: --{name}"))
        }
        Misuse::ShortLacks(letter) => abort(called, format_args!("missing parameter after -{letter}")),
        Misuse::LongLacks(name) | Misuse::Surplus(name) => {
            abort(called, format_args!("missing parameter after --{name}"))
        }
    }
}

/// EINVAL, the status of a command line that is not understood.
const MISUSED: u8 = 22;

fn abort(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("{}: abort: {what}", called.program), code: MISUSED }
}

fn version(program: &str) -> String {
    format!("{program} 2.8 (pzcomp {}, which does what pigz 2.8 does)\n", env!("CARGO_PKG_VERSION"))
}

fn help(program: &str) -> String {
    format!(
        "\
Usage: {program} [options] [files ...]
  Compresses files in place, or decompresses them, on all cores; without files, standard input.

  -0 to -9, -11        level; 11 is the slowest
  --fast, --best       levels 1 and 9
  -A, --alias xxx      name of the entry of a --zip made from standard input
  -b, --blocksize mmm  KiB in a block that needs no other to be decompressed
  -c, --stdout         write to standard output, keep the files
  -d, --decompress     decompress
  -C, --comment ccc    a comment in the header
  -f, --force          overwrite, follow links, use terminals
  -h, --help           this help
  -H, --huffman        no search for repetitions
  -i, --independent    blocks need no others; they never do here
  -k, --keep           keep the files
  -K, --zip            a zip file with one entry
  -l, --list           list what compressed files hold
  -L, --license        the licence
  -m, --no-time        neither store nor restore the time
  -M, --time           store or restore the time
  -n, --no-name        neither store nor restore name and time
  -N, --name           store or restore name and time
  -p, --processes n    threads (default: the CPUs this process may use)
  -q, --quiet          no messages but errors
  -r, --recursive      go into directories
  -R, --rsyncable      cut by content, so that rsync finds what did not change
  -S, --suffix .sss    suffix in place of .gz
  -t, --test           test compressed files
  -U, --rle            search for repeated bytes only
  -v, --verbose        say what was done
  -V, --version        the version
  -Y, --synchronous    wait until the output is on disk
  -z, --zlib           zlib format (.zz)

This is pzcomp, called as {program}: see pzcomp(1). Not here: -F, -I, -J, -O, which tune -11.
"
    )
}

/// The error of the system that pigz cannot go on after, if it is one.
fn aborting(trouble: &Trouble) -> Option<&std::io::Error> {
    match &trouble.kind {
        Kind::Cannot(_, error) if error.kind() == ErrorKind::NotFound => None,
        Kind::Cannot(_, error) => Some(error),
        Kind::Coding(Error::Read { source, .. } | Error::Write { source, .. }) => Some(source),
        _ => None,
    }
}

/// The number of an error; that of its kind, if the error has a message of its own around the number.
fn errno(error: &std::io::Error) -> Option<u8> {
    let of_kind = || match error.kind() {
        ErrorKind::PermissionDenied => Some(Errno::ACCESS.raw_os_error()),
        ErrorKind::StorageFull => Some(Errno::NOSPC.raw_os_error()),
        ErrorKind::ReadOnlyFilesystem => Some(Errno::ROFS.raw_os_error()),
        _ => None,
    };
    error.raw_os_error().or_else(of_kind)?.try_into().ok()
}

/// With `-q` it says nothing of whatever happens.
fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let Speaker { program, voice } = speaker;
    let error = |text: String| Verdict {
        status: Status::Error,
        text: if voice.quiet { String::new() } else { text },
    };
    let skipping = |what: &str| error(format!("{program}: skipping: {name} {what}"));
    let abort = |what: &str| error(format!("{program}: abort: {what}"));
    if let Some(cause) = aborting(trouble) {
        let is_input = matches!(trouble.kind, Kind::Cannot("open", _) | Kind::Coding(Error::Read { .. }));
        let way = if is_input { "read" } else { "write" };
        return abort(&format!("{way} error on {name} ({})", system(cause)));
    }
    match &trouble.kind {
        Kind::Link => skipping("is a symbolic link"),
        Kind::Directory { .. } => skipping("is a directory"),
        Kind::NotRegular => skipping("is a special file or device"),
        Kind::HardLinks(_) => error(format!("{program}: {name} has hard links -- not unlinking")),
        Kind::HasSuffix(_) | Kind::UnknownSuffix if trouble.found => {
            Verdict { status: Status::Fine, text: String::new() }
        }
        Kind::HasSuffix(suffix) => skipping(&format!("ends with {}", suffix.display())),
        Kind::UnknownSuffix => skipping("does not have compressed suffix"),
        Kind::Exists | Kind::Refused => skipping("exists"),
        Kind::TerminalInput => abort("cannot read compressed data from a terminal (-f forces it)"),
        Kind::TerminalOutput => abort("cannot write compressed data to a terminal (-f forces it)"),
        Kind::Cannot(..) => skipping("does not exist"),
        Kind::Coding(Error::Empty) => skipping("empty"),
        Kind::Coding(Error::NotCompressed { .. }) | Kind::Discarded(Error::NotCompressed { .. }, _) => {
            skipping("unrecognized format")
        }
        Kind::Coding(cause) | Kind::Discarded(cause, _) => {
            error(format!("{program}: skipping: {name}: corrupted -- {cause}"))
        }
        _ => error(super::plain::verdict(speaker, name, trouble).text),
    }
}
