//! What gzip says.

use std::fmt::Display;

use pzcomp::{Damage, Error, Listing, Unknown};

use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, LICENSE, Speaker, Verdict, system};

/// Scripts take what the first line ends with for the version.
pub(super) fn version(program: &str) -> String {
    format!(
        "{program} 1.14\n\
         Copyright (C) 2026 the pzcomp authors\n\
         This is pzcomp {}, which does what GNU gzip 1.14 does.\n{LICENSE}",
        env!("CARGO_PKG_VERSION")
    )
}

const CRC_ERROR: &str = "invalid compressed data--crc error";
const LENGTH_ERROR: &str = "invalid compressed data--length error";

const SILENT: Verdict = Verdict { status: Status::Fine, text: String::new() };

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let Speaker { program, voice } = speaker;
    let ignored = |status, what: &dyn Display| {
        let text = if voice.quiet { String::new() } else { format!("{program}: {name} {what}") };
        Verdict { status, text }
    };
    let warning = |what: &dyn Display| ignored(Status::Warning, what);
    let plain =
        |what: &dyn Display| Verdict { status: Status::Error, text: format!("{program}: {name}: {what}") };
    match &trouble.kind {
        Kind::Link => plain(&"Too many levels of symbolic links"),
        Kind::Directory { .. } => warning(&"is a directory -- ignored"),
        Kind::NotRegular => warning(&"is not a directory or a regular file - ignored"),
        Kind::SetUserId => warning(&"is set-user-ID on execution - ignored"),
        Kind::SetGroupId => warning(&"is set-group-ID on execution - ignored"),
        Kind::Sticky => warning(&"has the sticky bit set - file ignored"),
        Kind::HardLinks(links) => {
            let others = links - 1;
            let s = if others == 1 { "" } else { "s" };
            warning(&format_args!("has {others} other link{s} -- file ignored"))
        }
        // In a directory, what is none of our business is passed over without a word.
        Kind::HasSuffix(_) if trouble.found && voice.verbose == 0 => SILENT,
        Kind::UnknownSuffix if (trouble.found || voice.quiet) && voice.verbose == 0 => SILENT,
        Kind::HasSuffix(suffix) => {
            ignored(Status::Fine, &format_args!("already has {} suffix -- unchanged", suffix.display()))
        }
        Kind::UnknownSuffix => {
            Verdict { status: Status::Warning, text: format!("{program}: {name}: unknown suffix -- ignored") }
        }
        // Said even to those who want no warnings.
        Kind::Exists => {
            let text = format!("{program}: {name} already exists;\tnot overwritten");
            Verdict { status: Status::Warning, text }
        }
        Kind::Refused => Verdict { status: Status::Warning, text: "\tnot overwritten".into() },
        Kind::OutputNotRegular => plain(&"exists and is not a regular file"),
        Kind::SameFile => plain(&"input and output are the same file"),
        Kind::Kept(why) => warning(&format_args!("{why} -- not removed")),
        Kind::TerminalInput => terminal(program, "read from", "de"),
        Kind::TerminalOutput => terminal(program, "written to", ""),
        Kind::TimeOutOfRange => {
            let text = format!("{program}: {name}: warning: file timestamp out of range for gzip format");
            Verdict { status: Status::Warning, text: if voice.quiet { String::new() } else { text } }
        }
        Kind::Cannot(_, error) => plain(&system(error)),
        Kind::Coding(error) | Kind::Discarded(error, _) => coding(speaker, name, error),
        Kind::Incomplete => plain(&"not made"),
        Kind::Failed(what) => plain(what),
        Kind::Usage(what) => Verdict { status: Status::Error, text: format!("{program}: {what}") },
        Kind::Emptied | Kind::Dictionary => super::super::plain::verdict(speaker, name, trouble),
    }
}

fn terminal(program: &str, way: &str, un: &str) -> Verdict {
    let text = format!(
        "{program}: compressed data not {way} a terminal. Use -f to force {un}compression.\n\
         For help, type: {program} -h"
    );
    Verdict { status: Status::Error, text }
}

/// What the library found wrong: on a line of its own, because the name may be there before it.
fn coding(speaker: Speaker, name: &str, error: &Error) -> Verdict {
    let Speaker { program, voice } = speaker;
    let what = match error {
        Error::Read { source, .. } | Error::Write { source, .. } => system(source),
        Error::Empty | Error::Truncated { .. } => "unexpected end of file".into(),
        // No more than the magic number, or a part of it.
        Error::NotCompressed { found } if "1f 8b".starts_with(found.as_str()) => {
            "unexpected end of file".into()
        }
        Error::NotCompressed { found } => match found.strip_prefix("1f 8b ").map(|found| &found[..2]) {
            Some(method) => {
                let method = u8::from_str_radix(method, 16).unwrap_or_default();
                return speaker.says(
                    Status::Error,
                    name,
                    format_args!("unknown method {method} -- not supported"),
                );
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
    let before = if voice.verbose > 0 && name != "stdin" { format!("{name}:\t") } else { String::new() };
    // Status 2 is what scripts are told that take no signal.
    let status = if error.is_broken_pipe() { Status::Warning } else { Status::Error };
    Verdict { status, text: format!("{before}\n{program}: {name}: {what}") }
}

pub(super) fn done(Speaker { program, voice }: Speaker, done: &Done) -> Verdict {
    let Done { name, request, summary, made, overhead } = *done;
    let trailing = match summary.trailing {
        _ if request.options.unknown == Unknown::Copy => None,
        trailing if trailing.garbage.is_some() => Some("garbage"),
        trailing if trailing.zeros > 0 && voice.verbose > 0 => Some("zero bytes"),
        _ => None,
    };
    let mut text = String::new();
    let is_named = name != "stdin";
    if voice.verbose > 0 && is_named {
        text.push_str(&format!("{name}:\t"));
    }
    if let Some(trailing) = trailing.filter(|_| !voice.quiet) {
        text.push_str(&ignored(program, name, trailing));
        text.push_str(if voice.verbose > 0 { "\n" } else { "" });
    }
    if summary.trailing.more.is_some() && !voice.quiet {
        text.push_str(&format!("{program}: {name} has more than one entry--rest ignored"));
        text.push_str(if voice.verbose > 0 { "\n" } else { "" });
    }
    if voice.verbose > 0 {
        match request.mode {
            Mode::Test => text.push_str(" OK"),
            Mode::Decompress if !is_named => {}
            _ => text.push_str(&percentage(summary.plain_len, summary.coded_len, overhead)),
        }
        if is_named && request.mode != Mode::Test {
            let how = if request.remove || made.is_none() { "replaced with" } else { "created" };
            let made = made.map_or("stdout".into(), |made| made.display().to_string());
            text.push_str(&format!(" -- {how} {made}"));
        }
    }
    let is_odd = trailing.is_some() || summary.trailing.more.is_some();
    let status = if is_odd { Status::Warning } else { Status::Fine };
    Verdict { status, text }
}

/// What is said of something behind the last member.
fn ignored(program: &str, name: &str, trailing: &str) -> String {
    format!("\n{program}: {name}: decompression OK, trailing {trailing} ignored")
}

/// Of what has garbage behind the last member, there is no row in the table of `-l`.
pub(super) fn listed(Speaker { program, voice }: Speaker, name: &str, listing: &Listing) -> Verdict {
    if listing.trailing.garbage.is_none() {
        return SILENT;
    }
    let text = if voice.quiet { String::new() } else { ignored(program, name, "garbage") };
    Verdict { status: Status::Warning, text }
}

/// How much smaller the coded data is, header and trailer of `overhead` bytes left out.
pub(super) fn percentage(plain_len: u64, coded_len: u64, overhead: u64) -> String {
    let (plain, coded) = (plain_len as f64, coded_len.saturating_sub(overhead) as f64);
    let percent = if plain_len == 0 { 0.0 } else { 100.0 * (plain - coded) / plain };
    format!("{percent:5.1}%")
}
