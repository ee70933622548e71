//! The command `pzcomp`. `pzcomp --help` and `man/pzcomp.1` describe it, and the library is `crates/pzcomp-lib`.
//!
//! Only the command prints, exits and reads the environment.
//!
//! ```text
//! arguments ─ name ─▶ dialect ─▶ Request ─▶ work ─▶ source ─▶ the library ─▶ target
//!                        ▲                └─▶ list        report: messages, exit status
//!                        └────── messages ─────────────────┘
//! ```
//!
//! The name that the program is called by chooses a dialect. The dialect turns the arguments into a
//! [`request::Request`], and turns results and errors into messages. The code between these two steps is the same for
//! all dialects. ARCHITECTURE.md has a line for each file.

#![cfg_attr(fuzzing, no_main, allow(dead_code))]

mod ahead;
mod allowance;
#[cfg(any(test, fuzzing))]
mod arguments;
mod bench;
mod coding;
mod confine;
mod dialect;
mod ending;
mod error;
mod fifos;
mod hash;
mod hash_file;
#[cfg(debug_assertions)]
mod hostile;
mod inputs;
mod interface;
mod link;
mod list;
mod listed;
mod name;
mod origin;
mod out_of_memory;
mod pending;
mod producer;
mod progress;
mod record;
mod recovery;
mod report;
mod request;
mod salvage;
mod seek;
mod settings;
mod sevenz;
mod side;
mod size;
mod source;
mod suffix;
mod taken;
mod target;
mod tool;
mod train;
mod version;
mod work;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use pzcomp::{BlockingWriter, printable};
use system::streams::{self, Stream};
use system::{handle, signals};

use allowance::Allowance;
use dialect::{Action, Refusal};
use name::Entry;
use record::Record;
use report::Report;
use request::{Mode, Request, Task, Verbosity};
use tool::Status;

system::record_before_main!();

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| arguments::read(bytes));

/// Does what the command line asks for, and returns the exit status.
fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let called = name::of_path(args.next().as_deref());
    let args: Vec<OsString> = args.collect();
    // Only words that a terminal would obey are kept for messages.
    let odd: Vec<OsString> = args.iter().filter(|word| is_odd(word)).cloned().collect();
    let (called, args) = match apply_as(called, args) {
        Ok(known) => known,
        Err(text) => {
            report::print_line(with_shown(&odd, text));
            return called.name.messages.code(Status::Error).into();
        }
    };
    let Entry { name: called, dialect, .. } = called;
    let is_own = called.name == name::pzcomp().name.name;
    let advice = if is_own { OWN_ADVICE } else { ADVICE };
    out_of_memory::prepare(called.program, called.messages.code(Status::Error), advice);
    let mut report = Report::new(called, Verbosity::default());
    let record = if is_own { record::named(&args) } else { None };
    let action = match dialect.parse(called, args) {
        Ok(action) if is_own => action,
        Ok(action) => action.with_fewer_threads(),
        Err(Refusal { mut text, code }) => {
            let is_unknown = is_own && text.contains("unexpected argument '");
            if is_unknown && let Some(name) = file_like_option() {
                let name = printable(name.as_encoded_bytes());
                text.push_str(&format!("; to name the file {name}, write ./{name}"));
            } else if is_own && let Some(tool) = tool_with_option(&text) {
                text = text.replace("; see", &format!("; pzcomp --as {tool} has it; see"));
            }
            let text = with_shown(&odd, text);
            if let (Some(path), 1..) = (record, code)
                && let Err(failure) = Record::refused(called, path, code, &text)
            {
                failure.report("--json", &mut report);
            }
            if !text.is_empty() {
                report::print_line(text);
            }
            return code.into();
        }
    };
    // The processes that `--bench` starts report their work as other streams do, so its own process needs no signal.
    if !matches!(action, Action::Work(_) | Action::Bench(_)) {
        signals::accept();
    }
    let printed = match action {
        Action::Text(text) => print(text.as_bytes(), &mut report),
        Action::Page(name) => match name::find(OsStr::new(&name)) {
            Some(entry) => print(entry.dialect.page(&name).as_bytes(), &mut report),
            None => {
                report.error(
                    format_args!("{name}.1"),
                    "there is no such man page; expected one such as gzip.1",
                );
                Status::Fine
            }
        },
        Action::Bench(request) => {
            report = Report::new(called, request.request.reporting.verbosity);
            let text = bench::bench(&request, &mut report);
            print(text.as_bytes(), &mut report)
        }
        Action::InstallLinks(folder) => {
            let (made, errors) = link::install(&folder);
            for failure in errors {
                failure.report(&folder.display().to_string(), &mut report);
            }
            print(made.as_bytes(), &mut report)
        }
        Action::Bgzf(task) => {
            task.run(&mut report);
            Status::Fine
        }
        Action::Work(mut request) if matches!(request.task, Task::List | Task::Members(_, Mode::List)) => {
            request.no_sandbox |= keeps_rights();
            report = Report::for_request(called, &request, false);
            if report.must_stop() {
                return report.end(Status::Fine).into();
            }
            let table = list::list(&request, *dialect, &mut report);
            print(table.as_bytes(), &mut report)
        }
        Action::Work(mut request) => {
            request.rules.links = called.links;
            request.no_sandbox |= keeps_rights();
            let is_short = source::is_short(&request);
            if !is_short {
                let limit = allowance::memory();
                request.options.memory_aim = limit.map(|limit| limit.bytes / 2);
                if is_own {
                    request.reporting.notes.extend(memory_note(&request, limit));
                }
            }
            report = Report::for_request(called, &request, is_short);
            if report.must_stop() {
                return report.end(Status::Fine).into();
            }
            report.notes(&request.reporting.notes);
            if let Some(of_archives) = seek::tar::for_archives(&request) {
                *request = of_archives;
            }
            match &request.task {
                Task::Seek(work) => seek::run(work, &request, &mut report),
                Task::Recovery(work) => recovery::run(*work, &request, &mut report),
                Task::Train(max_len) => train::run(*max_len, &request, &mut report),
                _ => work::work(&request, &mut report),
            }
            Status::Fine
        }
    };
    report.end(printed).into()
}

/// A word of the command line that begins with a dash and is the name of a file.
fn file_like_option() -> Option<OsString> {
    let mut words = std::env::args_os().skip(1).take_while(|word| word != "--");
    words.find(|word| word.as_encoded_bytes().starts_with(b"-") && Path::new(word).is_file())
}

/// The name of a tool that has the option that this message of pzcomp does not know: its man page describes it, and not
/// among the options that are refused there. Numbers are levels, which pzcomp has itself.
fn tool_with_option(message: &str) -> Option<&'static str> {
    let unknown = message.split_once("unexpected argument '")?.1.split_once('\'')?.0;
    let unknown = unknown.split('=').next().unwrap_or(unknown);
    if unknown.trim_start_matches('-').starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let describes = |tool: &&str| {
        let page = name::find(OsStr::new(tool)).map(|entry| entry.dialect.page(tool)).unwrap_or_default();
        let taken = page.lines().take_while(|line| *line != ".SS Refused");
        taken.filter_map(|line| line.strip_prefix("\\fB")).any(|line| {
            let names = line.split("\\fR").next().unwrap_or_default().replace('\\', "");
            names.split(", ").any(|name| name.split(['=', ' ']).next() == Some(unknown))
        })
    };
    ["zstd", "xz", "gzip", "pigz", "lz4", "bzip2", "lzip"].into_iter().find(describes)
}

/// Whether the variable of pzcomp has `--no-sandbox`, for which the other names have no option.
fn keeps_rights() -> bool {
    let variable = std::env::var_os(dialect::native::VARIABLE).unwrap_or_default();
    variable.to_string_lossy().split_whitespace().any(|word| word == "--no-sandbox")
}

/// A note if one worker needs more memory than there may be. The work begins all the same: the data may be short.
fn memory_note(request: &Request, limit: Option<Allowance>) -> Option<String> {
    let is_limited = request.options.memory.is_some() || request.reporting.verbosity.quiet;
    let limit = limit.filter(|_| !is_limited)?;
    let (needed, advice) = match request.mode() {
        Mode::Compress | Mode::Recode => (
            // An error of the options is reported when the work begins.
            request.options.encode().ok()?.compression_memory(1).ok()?,
            ". Use a lower level, smaller blocks (-b) or a shorter --long",
        ),
        Mode::Decompress | Mode::Test => (request.options.decode().ok()?.decompression_memory(1), ""),
        Mode::List => return None,
    };
    (needed > limit.bytes).then(|| {
        let Allowance { bytes, what, end } = limit;
        let (needed, bytes) = (size::human(needed), size::human(bytes));
        format!("note: one thread takes up to {needed} of memory, but {what} {bytes}; {end}{advice}")
    })
}

/// What to do if the system has no more memory. The system says how the process can get more.
const ADVICE: &str = "; use fewer threads, a lower level or smaller blocks, or ";
const OWN_ADVICE: &str = "; use fewer threads (-p 1), less memory (-M) or smaller blocks (-b), or ";

fn is_odd(word: &OsStr) -> bool {
    word.to_str().is_none_or(|text| printable(text.as_bytes()) != text)
}

/// The message with these words of the command line as they can be shown. A message may have the whole word, or only
/// the value or the name of an option.
fn with_shown(odd: &[OsString], mut message: String) -> String {
    for word in odd {
        let word = word.to_string_lossy();
        let value = word.split_once('=').map(|(_, value)| value);
        let parts = [Some(&*word), value, word.strip_prefix("--"), word.get(2..), word.get(1..)];
        for part in parts.into_iter().flatten().filter(|part| !part.is_empty()) {
            message = message.replace(part, &printable(part.as_bytes()));
        }
    }
    message
}

/// Handles `--as NAME` if it is the first option of pzcomp. Returns the entry for NAME and the arguments that follow.
/// Fails with a message if NAME is missing or unknown.
fn apply_as(
    called: &'static Entry,
    mut args: Vec<OsString>,
) -> Result<(&'static Entry, Vec<OsString>), String> {
    if called.name.name != name::pzcomp().name.name {
        return Ok((called, args));
    }
    let name = match args.first().and_then(|first| first.to_str()) {
        Some("--as") if args.len() > 1 => args.drain(..2).nth(1),
        Some("--as") => return Err("pzcomp: --as needs the name of a program, as in --as gzip".into()),
        Some(first) => match first.strip_prefix("--as=").map(OsString::from) {
            Some(name) => {
                args.remove(0);
                Some(name)
            }
            None => None,
        },
        None => None,
    };
    let Some(name) = name else {
        return Ok((called, args));
    };
    let known = name::find(&name).ok_or_else(|| {
        let names: Vec<&str> = name::others().map(|entry| entry.name.name).collect();
        format!(
            "pzcomp: --as {}: pzcomp has no such name; expected one of {}",
            name.display(),
            names.join(", ")
        )
    })?;
    Ok((known, args))
}

/// Writes `text` to standard output. If standard output is a pipe without a reader, the process ends by SIGPIPE as
/// other filters do. Other failures are reported.
fn print(text: &[u8], report: &mut Report) -> Status {
    let written = streams::file(Stream::Output).and_then(|stdout| {
        BlockingWriter::new(handle::of(stdout)).write_all(text)?;
        streams::settle(stdout)
    });
    match written {
        Ok(()) => Status::Fine,
        Err(error) => {
            if error.kind() == ErrorKind::BrokenPipe {
                signals::die_by_sigpipe();
            }
            report.error("stdout", format_args!("cannot write: {}", error::system_text(&error)));
            Status::Error
        }
    }
}
