//! The messages of GNU gzip, word for word.
//!
//! `message` words an error, `done` a finished stream, and `listed` an input of `-l`.

use std::fmt::Display;
use std::path::Path;

use pzcomp::inspect::Listing;
use pzcomp::{Damage, Error, Unknown};

use super::super::{Done, LICENSE, Message, Messages, OWN, Program, other_links, system_text};
use super::Gzip;
use crate::error::{CliError, Kind};
use crate::request::Mode;
use crate::tool::Status;

impl Messages for Gzip {
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        let verbosity = program.verbosity;
        let ignored = |status, what: &dyn Display| {
            let text = if verbosity.quiet { String::new() } else { format!("{program}: {name} {what}") };
            Message { status, text }
        };
        let warning = |what: &dyn Display| ignored(Status::Warning, what);
        let plain = |what: &dyn Display| Message::error(format!("{program}: {name}: {what}"));
        match &failure.kind {
            Kind::Link => plain(&"Too many levels of symbolic links"),
            Kind::Directory { .. } => warning(&"is a directory -- ignored"),
            Kind::NotRegular => warning(&"is not a directory or a regular file - ignored"),
            Kind::SetUserId => warning(&"is set-user-ID on execution - ignored"),
            Kind::SetGroupId => warning(&"is set-group-ID on execution - ignored"),
            Kind::Sticky => warning(&"has the sticky bit set - file ignored"),
            Kind::HardLinks(links) => warning(&format_args!("has {} -- file ignored", other_links(*links))),
            // An input that was found in a directory and has the wrong suffix is skipped without a message.
            Kind::HasSuffix(_) if failure.found && verbosity.verbose == 0 => Message::NONE,
            Kind::UnknownSuffix if (failure.found || verbosity.quiet) && verbosity.verbose == 0 => {
                Message::NONE
            }
            Kind::HasSuffix(suffix) => {
                ignored(Status::Fine, &format_args!("already has {} suffix -- unchanged", suffix.display()))
            }
            Kind::UnknownSuffix => Message::warning(format!("{program}: {name}: unknown suffix -- ignored")),
            // The original prints this even with -q.
            Kind::Exists => Message::warning(format!("{program}: {name} already exists;\tnot overwritten")),
            Kind::Refused => Message::warning("\tnot overwritten"),
            Kind::OutputNotRegular => plain(&"exists and is not a regular file"),
            Kind::SameFile => plain(&"input and output are the same file"),
            Kind::Kept(why) => warning(&format_args!("{why} -- not removed")),
            Kind::TerminalInput => terminal(program, "read from", "de"),
            Kind::TerminalOutput => terminal(program, "written to", ""),
            Kind::TimeOutOfRange => {
                let text = format!("{program}: {name}: warning: file timestamp out of range for gzip format");
                Message::warning(if verbosity.quiet { String::new() } else { text })
            }
            Kind::Cannot(_, error) => plain(&system_text(error)),
            Kind::Library(error) | Kind::Discarded(error, _) => library_error(program, name, error),
            Kind::Incomplete => plain(&"not made"),
            Kind::Failed(what) => plain(what),
            Kind::Usage(what) => Message::error(format!("{program}: {what}")),
            Kind::Emptied | Kind::Dictionary => super::super::defaults::message(program, name, failure),
        }
    }

    /// The message for a finished stream: a warning about data behind the last member, and with `-v` the ratio and what
    /// was made.
    fn done(&self, program: Program, done: &Done) -> Message {
        let verbosity = program.verbosity;
        let Done { name, request, summary, made, overhead, .. } = *done;
        let trailing = match summary.trailing {
            _ if request.options.unknown == Unknown::Copy => None,
            trailing if trailing.garbage.is_some() => Some("garbage"),
            trailing if trailing.zeros > 0 && verbosity.verbose > 0 => Some("zero bytes"),
            _ => None,
        };
        let mut text = String::new();
        let is_named = name != "stdin";
        if verbosity.verbose > 0 && is_named {
            text.push_str(&format!("{name}:\t"));
        }
        if let Some(trailing) = trailing.filter(|_| !verbosity.quiet) {
            text.push_str(&ignored(program, name, trailing));
            text.push_str(if verbosity.verbose > 0 { "\n" } else { "" });
        }
        if summary.trailing.more.is_some() && made.is_some() {
            // The original does not take one entry for the archive. It says so even with -q.
            text.push_str(&format!("{program}: {name} has more than one entry -- unchanged"));
            return Message::error(text);
        }
        if summary.trailing.more.is_some() && !verbosity.quiet {
            text.push_str(&format!("{program}: {name} has more than one entry--rest ignored"));
            text.push_str(if verbosity.verbose > 0 { "\n" } else { "" });
        }
        if verbosity.verbose > 0 {
            match request.mode() {
                Mode::Test => text.push_str(" OK"),
                Mode::Decompress if !is_named => {}
                _ => text.push_str(&percentage(summary.plain_len, summary.coded_len, overhead)),
            }
            if is_named && request.mode() != Mode::Test {
                let how = if request.rules.remove || made.is_none() { "replaced with" } else { "created" };
                let made = made.map_or("stdout".into(), |made| made.display().to_string());
                text.push_str(&format!(" -- {how} {made}"));
            }
        }
        let is_odd = trailing.is_some() || summary.trailing.more.is_some();
        let status = if is_odd { Status::Warning } else { Status::Fine };
        Message { status, text }
    }

    /// The message for an input of `-l`. An input with garbage behind the last member has no row in the table.
    fn listed(&self, program: Program, name: &str, listing: &Listing) -> Message {
        let verbosity = program.verbosity;
        if listing.trailing.garbage.is_none() {
            return Message::NONE;
        }
        let text = if verbosity.quiet { String::new() } else { ignored(program, name, "garbage") };
        Message::warning(text)
    }

    fn question(&self, program: Program, path: &Path) -> Option<String> {
        let path = path.display();
        Some(format!("{program}: {path} already exists; do you wish to overwrite (y or n)? "))
    }
}

/// The text of `--version`. Scripts read the version from the end of the first line.
pub(super) fn version(program: &str) -> String {
    format!(
        "{program} 1.14\n\
         Copyright (C) 2026 the pzcomp authors\n\
         This is pzcomp {OWN}, which does what GNU gzip 1.14 does.\n{LICENSE}"
    )
}

const CRC_ERROR: &str = "invalid compressed data--crc error";
const LENGTH_ERROR: &str = "invalid compressed data--length error";

fn terminal(program: Program, way: &str, un: &str) -> Message {
    Message::error(format!(
        "{program}: compressed data not {way} a terminal. Use -f to force {un}compression.\n\
         For help, type: {program} -h"
    ))
}

/// The message for an error of the library. It begins on a line of its own, because with `-v` the name of the file
/// may stand on the line before.
fn library_error(program: Program, name: &str, error: &Error) -> Message {
    let verbosity = program.verbosity;
    let what = match error {
        Error::Read { source, .. } | Error::Write { source, .. } => system_text(source),
        Error::Empty | Error::Truncated { .. } | Error::Unfinished { .. } => "unexpected end of file".into(),
        // The input ends within the magic number or right behind it.
        Error::NotCompressed { found, .. } if "1f 8b".starts_with(found.as_str()) => {
            "unexpected end of file".into()
        }
        Error::NotCompressed { found, .. } => match found.strip_prefix("1f 8b ").map(|found| &found[..2]) {
            Some(method) => {
                let method = u8::from_str_radix(method, 16).unwrap_or_default();
                return Message::error(format!(
                    "{program}: {name}: unknown method {method} -- not supported"
                ));
            }
            None => "not in gzip format".into(),
        },
        Error::Corrupt { damage: Damage::Check, .. } => CRC_ERROR.into(),
        Error::Corrupt { damage: Damage::Length, .. } => LENGTH_ERROR.into(),
        Error::Corrupt { damage: Damage::Both, .. } => {
            format!("{CRC_ERROR}\n\n{program}: {name}: {LENGTH_ERROR}")
        }
        Error::Corrupt { .. } => "invalid compressed data--format violated".into(),
        other => other.to_string(),
    };
    let before = if verbosity.verbose > 0 && name != "stdin" { format!("{name}:\t") } else { String::new() };
    // The original exits with 2 if its output has no reader and SIGPIPE is ignored.
    let status = if error.is_broken_pipe() { Status::Warning } else { Status::Error };
    Message { status, text: format!("{before}\n{program}: {name}: {what}") }
}

/// The warning about data behind the last member.
fn ignored(program: Program, name: &str, trailing: &str) -> String {
    format!("\n{program}: {name}: decompression OK, trailing {trailing} ignored")
}

/// By how many per cent the coded data is shorter than the plain data. The `overhead` of header and trailer does not
/// count.
pub(super) fn percentage(plain_len: u64, coded_len: u64, overhead: u64) -> String {
    let (plain, coded) = (plain_len as f64, coded_len.saturating_sub(overhead) as f64);
    let percent = if plain_len == 0 { 0.0 } else { 100.0 * (plain - coded) / plain };
    format!("{percent:5.1}%")
}
