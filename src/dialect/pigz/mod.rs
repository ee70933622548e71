//! pigz 2.8: its options, the request that they make, and its messages.
//!
//! [`Pigz`] is the dialect of pigz and unpigz. It collects its options in the `Args` of gzip. With `-q` it prints
//! nothing, not even errors.

mod options;

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use options::INTERFACE;
use pzcomp::{Error, Format, Member, Unknown, printable};
use system::errors;

use super::gzip::{Args, plain_name};
use super::{
    Action, Dialect, Done, Ending, Listed, Message, Messages, OWN, Program, Refusal, split_words, system_text,
};
use crate::error::{CliError, Kind, sentence};
use crate::interface::{Given, Misuse};
use crate::origin::overhead_of;
use crate::request::{HardLinks, Mode, Recompress, Request, Source, Target};
use crate::tool::Name;

/// The dialect of pigz and unpigz.
pub(in super::super) struct Pigz;

impl Dialect for Pigz {
    fn parse(&self, called: &'static Name, arguments: Vec<OsString>) -> Result<Action, Refusal> {
        let mut args = new_args(called);
        match read(&mut args, arguments) {
            Ok(Given::Text(text)) => Ok(Action::Text(text)),
            Ok(Given::Files(files)) => {
                let mut request = args.request(files);
                // Other than gzip, pigz copies data that it does not know only with -c.
                if request.target != Target::Stdout {
                    request.options.unknown = Unknown::Ignore;
                }
                Ok(Action::Work(Box::new(request)))
            }
            Err(refusal) if args.request.reporting.verbosity.quiet => {
                Err(Refusal { text: String::new(), ..refusal })
            }
            Err(refusal) => Err(refusal),
        }
    }

    fn page(&self, name: &str) -> String {
        INTERFACE.page(name, &["unpigz"])
    }

    fn list(&self, listed: &[Listed], request: &Request) -> Result<String, CliError> {
        Ok(table(listed, request))
    }
}

impl Messages for Pigz {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        message(program, if name == "stdin" { "<stdin>" } else { name }, failure)
    }

    fn done(&self, program: Program, done: &Done) -> Message {
        let name = if done.name == "stdin" { "<stdin>" } else { done.name };
        if done.summary.trailing.more.is_some() {
            let what = format!("{program}: warning: {name}: entries after the first were ignored");
            return Message::warning(if program.verbosity.quiet { String::new() } else { what });
        }
        let mut text = match (program.verbosity.verbose, done.request.mode()) {
            (0, _) | (_, Mode::Test) => String::new(),
            _ => {
                let made = done.made.map_or("<stdout>".into(), |made| made.display().to_string());
                format!("{name} to {made} ")
            }
        };
        let trailing = done.summary.trailing;
        let has_junk = trailing.garbage.is_some() || trailing.zeros > 0;
        // Of a zlib stream behind gzip members, all that follows is unread.
        let is_zlib = done.summary.format == Some(Format::Zlib)
            || trailing.garbage.is_some() && trailing.unread.is_some();
        // Of junk behind gzip members, the original speaks only with -v.
        let is_told = is_zlib || program.verbosity.verbose > 0;
        if !has_junk || !is_told || done.request.options.unknown == Unknown::Copy {
            return Message::fine(text);
        }
        if !program.verbosity.quiet {
            let end = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{program}: warning: {name}: trailing junk was ignored{end}"));
        }
        Message::warning(text)
    }

    /// An error of the system ends pigz with the number of that error.
    fn ending(&self, failure: &CliError, _: Mode) -> Ending {
        match system_error(failure) {
            Some(error) => Ending::Abort(errors::number(error).unwrap_or(1)),
            None if matches!(failure.kind, Kind::TerminalInput | Kind::TerminalOutput) => {
                Ending::Abort(MISUSED)
            }
            None => Ending::Usual,
        }
    }

    /// pigz exits with the same status for warnings and errors.
    fn codes(&self) -> (u8, u8) {
        (1, 1)
    }
}

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

static READ: [Format; 4] = [Format::Gzip, Format::Lzw, Format::Zip, Format::Zlib];

/// The slowest level of pigz, and the slowest level of pzcomp, which takes its place.
const SLOWEST: (u64, i32) = (11, 12);

/// pigz refuses so many processes and more.
const PROCESSES_END: usize = 1 << 30;

/// The limits of `-b`.
const BLOCK_LEN_MIN: usize = 32 << 10;
const BLOCK_LEN_MAX: usize = 512 << 20;

/// Collects the options. Those that only pigz has are fields of the request.
fn new_args(called: &'static Name) -> Args {
    let mut args = Args::new(called);
    let request = &mut args.request;
    request.suffixes.known = SUFFIXES;
    request.suffixes.recompress = Recompress::OnlyWithForce;
    request.options.accept = Some(READ.to_vec());
    // Other than gzip, pigz does not take a single byte behind a member for the start of another one.
    request.options.unknown = Unknown::Ignore;
    // pigz compresses files with special bits as other files. Of these bits the output only keeps the sticky bit.
    request.rules.skip_special = false;
    (request.rules.keep_sticky, request.rules.hard_links) = (true, HardLinks::Kept);
    args
}

/// Reads the options in both environment variables, which must not name files, and then the arguments.
fn read(args: &mut Args, given: Vec<OsString>) -> Result<Given, Refusal> {
    let called = args.called;
    for variable in ["GZIP", "PIGZ"] {
        let options = std::env::var_os(variable).unwrap_or_default();
        match INTERFACE.read(called.program, args, split_words(&options))? {
            Given::Files(files) if files.is_empty() => {}
            Given::Files(_) => {
                let what = format_args!("cannot provide files in {variable} environment variable");
                return Err(abort(called, what));
            }
            text => return Ok(text),
        }
    }
    INTERFACE.read(called.program, args, given)
}

fn set_level(args: &mut Args, level: u64) -> Result<(), Refusal> {
    args.request.options.level = Some(match level {
        0..=9 => level as i32,
        level if level == SLOWEST.0 => SLOWEST.1,
        _ => return Err(abort(args.called, "only levels 0..9 and 11 are allowed")),
    });
    Ok(())
}

fn set_suffix(args: &mut Args, suffix: OsString) -> Result<(), Refusal> {
    if suffix.is_empty() {
        return Err(abort(args.called, "suffix cannot be empty"));
    }
    args.request.suffixes.custom = Some(suffix);
    Ok(())
}

fn set_processes(args: &mut Args, value: OsString) -> Result<(), Refusal> {
    let processes = number(args.called, &value)?;
    // pigz counts them as a C int.
    let what = match processes {
        _ if (processes as i32) < 1 => "invalid number of",
        PROCESSES_END.. => "too many",
        _ => {
            args.request.options.threads = processes;
            return Ok(());
        }
    };
    Err(abort(args.called, format_args!("{what} processes: {}", value.display())))
}

fn set_block_size(args: &mut Args, value: OsString) -> Result<(), Refusal> {
    let len = number(args.called, &value)?.saturating_mul(1 << 10);
    if len < BLOCK_LEN_MIN {
        return Err(abort(args.called, "block size too small (must be >= 32K)"));
    }
    if len > BLOCK_LEN_MAX {
        return Err(abort(args.called, format_args!("block size too large: {}", value.display())));
    }
    args.request.options.block_size = Some(len);
    Ok(())
}

fn misuse(called: &Name, misuse: Misuse) -> Refusal {
    let what = match misuse {
        Misuse::Short(letter) => format!("invalid option: -{letter}"),
        Misuse::Long(name) | Misuse::Ambiguous(name, _) => format!("invalid option: --{name}"),
        Misuse::ShortLacks(letter) => format!("missing parameter after -{letter}"),
        Misuse::LongLacks(name) | Misuse::Surplus(name) => format!("missing parameter after --{name}"),
        refused @ Misuse::Refused(..) => refused.to_string(),
    };
    abort(called, what)
}

fn number(called: &Name, value: &OsStr) -> Result<usize, Refusal> {
    let invalid = || abort(called, format_args!("invalid numeric parameter: {}", value.display()));
    value.to_str().and_then(|value| value.parse().ok()).ok_or_else(invalid)
}

/// EINVAL: the exit status for a command line that is refused.
const MISUSED: u8 = 22;

/// The refusal of a command line.
fn abort(called: &Name, what: impl std::fmt::Display) -> Refusal {
    Refusal { text: format!("{}: abort: {what}", called.program), code: MISUSED }
}

fn version_text(program: &str) -> String {
    format!("{program} 2.8 (pzcomp {OWN}, which does what pigz 2.8 does)\n")
}

fn system_error(failure: &CliError) -> Option<&std::io::Error> {
    match &failure.kind {
        Kind::Cannot(_, error) if error.kind() == ErrorKind::NotFound => None,
        Kind::Cannot(_, error) => Some(error),
        Kind::Library(Error::Read { source, .. } | Error::Write { source, .. }) => Some(source),
        _ => None,
    }
}

/// The message for an error. With `-q` there is none.
fn message(program: Program, name: &str, failure: &CliError) -> Message {
    let verbosity = program.verbosity;
    let error = |text: String| Message::error(if verbosity.quiet { String::new() } else { text });
    let skipping = |what: &str| error(format!("{program}: skipping: {name} {what}"));
    let abort = |what: &str| error(format!("{program}: abort: {what}"));
    if let Some(cause) = system_error(failure) {
        let is_input = matches!(failure.kind, Kind::Cannot("open", _) | Kind::Library(Error::Read { .. }));
        let way = if is_input { "read" } else { "write" };
        return abort(&format!("{way} error on {name} ({})", system_text(cause)));
    }
    match &failure.kind {
        Kind::Link => skipping("is a symbolic link"),
        Kind::Directory { .. } => skipping("is a directory"),
        Kind::NotRegular => skipping("is a special file or device"),
        Kind::HardLinks(_) => error(format!("{program}: {name} has hard links -- not unlinking")),
        // pigz stores the low 32 bits of such a time, and pzcomp stores none; both without a word.
        Kind::TimeOutOfRange => Message::NONE,
        Kind::HasSuffix(suffix) => skipping(&format!("ends with {}", suffix.display())),
        Kind::UnknownSuffix => skipping("does not have compressed suffix"),
        Kind::Exists | Kind::Refused => skipping("exists"),
        Kind::TerminalInput => abort("cannot read compressed data from a terminal (-f forces it)"),
        Kind::TerminalOutput => abort("cannot write compressed data to a terminal (-f forces it)"),
        Kind::Cannot(..) => skipping("does not exist"),
        Kind::Library(Error::Empty) => skipping("empty"),
        Kind::Library(Error::NotCompressed { .. }) | Kind::Discarded(Error::NotCompressed { .. }, _) => {
            skipping("unrecognized format")
        }
        Kind::Library(cause) | Kind::Discarded(cause, _) if !is_damage(cause) => {
            error(format!("{program}: skipping: {name}: {}", sentence(cause)))
        }
        Kind::Library(cause) | Kind::Discarded(cause, _) => {
            error(format!("{program}: skipping: {name}: corrupted -- {cause}"))
        }
        _ => error(super::defaults::message(program, name, failure).text),
    }
}

/// What stands for an unknown time.
const NO_TIME: &str = "------ -----";

/// A heading and a line for each input. The lengths are those of all members, found by decoding. pigz itself prints
/// the length that the last trailer states.
fn table(listed: &[Listed], request: &Request) -> String {
    let long = request.reporting.verbosity.verbose > 0;
    let mut table = String::from(if long { "method    check    timestamp    " } else { "" });
    table.push_str("compressed   original reduced  name\n");
    for listed in listed {
        let Listed { source, member, listing, .. } = listed;
        let (format, member) = (listing.formats.first().map_or("", |format| format.name()), member.as_ref());
        if long {
            let check = listing.crc.map_or("--------".into(), |crc| format!("{crc:08x}"));
            // 8 is the number of DEFLATE in gzip headers.
            let method = if format == "lzw" { "" } else { "8" };
            table.push_str(&format!("{format:4.4} {method:1}  {check}  {}  ", time(member)));
        }
        let around = match format {
            "gzip" => overhead_of(member.unwrap_or(&Member::default())),
            // The header has two bytes, and the Adler-32 behind the stream has four.
            "zlib" => 6,
            _ => 0,
        };
        let (coded_len, plain_len) = (listing.coded_len.saturating_sub(around), listed.plain_len());
        // For empty data the result is minus infinity, as pigz prints it.
        let reduced = 100.0 * (plain_len as f64 - coded_len as f64) / plain_len as f64;
        let name = match (member.and_then(|member| member.name.as_deref()), source) {
            (Some(stored), _) => printable(stored),
            (None, Source::Stdin | Source::Command(_)) => "<stdin>".into(),
            (None, Source::Path(_)) => plain_name(source, None, request),
        };
        table.push_str(&format!("{coded_len:10} {plain_len:10}  {reduced:5.1}%  {name}\n"));
    }
    table
}

/// The stored time. If it is more than 180 days ago, the year takes the place of the time of day.
fn time(member: Option<&Member>) -> String {
    let Some(modified) = member.map(|member| member.modified).filter(|&modified| modified != 0) else {
        return NO_TIME.into();
    };
    let zoned = |time: Timestamp| time.to_zoned(TimeZone::system());
    let time = zoned(Timestamp::from_second(modified.into()).unwrap_or_default());
    let is_recent = zoned(Timestamp::now()).checked_sub(180.days()).is_ok_and(|then| time > then);
    time.strftime(if is_recent { "%b %e %H:%M" } else { "%b %e  %Y" }).to_string()
}

/// Whether the data is to blame for this error.
fn is_damage(error: &Error) -> bool {
    !matches!(
        error,
        Error::Shrank { .. }
            | Error::NoMemory { .. }
            | Error::Memory { .. }
            | Error::Threads { .. }
            | Error::Unavailable { .. }
            | Error::Cancelled
            | Error::Internal(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Verbosity;
    use crate::tool::Status;

    #[test]
    fn what_is_not_the_fault_of_the_data_is_not_called_corrupted() {
        let program = Program { name: "pigz", verbosity: Verbosity::default() };
        let shrank = || Error::Shrank { expected: 9, found: 4 };
        for kind in [Kind::Library(shrank()), Kind::Discarded(shrank(), "a.gz".into())] {
            let Message { status, text } = message(program, "a", &kind.into());
            assert!(
                status == Status::Error && text.starts_with("pigz: skipping: a: the file became shorter"),
                "{text}"
            );
        }
        let Message { text, .. } = message(program, "a", &Kind::Library(Error::Cancelled).into());
        assert!(text.starts_with("pigz: skipping: a: ") && !text.contains("corrupted"), "{text}");
    }
}
