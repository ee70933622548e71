//! The messages of pzcomp itself.
//!
//! `message` words an error and `done` a finished stream. A message names the file, says what is wrong, and says
//! what the user can do.

use std::io::{self, ErrorKind};

use pzcomp::inspect::Listing;
use pzcomp::{Error, LevelShare};

use super::super::defaults::EMPTIED;
use super::super::{Done, Message, Messages, Program, system_text};
use super::Native;
use crate::error::{CREATE, CliError, Kind, RUN, sentence};
use crate::report::Figures;
use crate::request::{Mode, Verbosity};
use crate::size::count;
use crate::tool::{Status, others};

impl Messages for Native {
    /// The message for an error. Inputs that were found in a directory and are of no interest are mentioned with `-v`
    /// only.
    fn message(&self, program: Program, name: &str, failure: &CliError) -> Message {
        if failure.found
            && let Some(what) = quiet_reason(&failure.kind)
        {
            let text = match program.verbosity.verbose {
                0 => String::new(),
                _ => format!("pzcomp: {name}: {what}; skipped"),
            };
            return Message::fine(text);
        }
        let (status, text) = severity_and_text(&failure.kind);
        let text = match status {
            Status::Warning if program.verbosity.quiet => String::new(),
            Status::Warning => format!("pzcomp: {name}: warning: {text}"),
            _ if matches!(failure.kind, Kind::Usage(_)) => format!("pzcomp: {text}"),
            _ => format!("pzcomp: {name}: {text}"),
        };
        Message { status, text }
    }

    fn left(&self, program: Program, name: &str, why: &str) -> Message {
        program.message(Status::Warning, name, format_args!("warning: {why}; not removed"))
    }

    /// The note about BGZF that lacks its end.
    fn listed(&self, program: Program, name: &str, listing: &Listing) -> Message {
        match listing.lacks_end && !program.verbosity.quiet {
            true => Message::fine(format!("pzcomp: {name}: {NO_END}")),
            false => Message::NONE,
        }
    }

    /// The message for a finished stream: warnings about data without a checksum and about zero bytes behind the last
    /// frame, and with `-v` the figures.
    fn done(&self, program: Program, done: &Done) -> Message {
        let &Done { name, request, summary, read_len, .. } = done;
        let doubt = unverified(program, done);
        let Verbosity { quiet, verbose } = program.verbosity;
        let zeros = summary.trailing.zeros;
        let warning = (zeros > 0 && !quiet).then(|| {
            format!(
                "warning: {} after the last frame ignored; all frames are whole",
                count(zeros, "zero byte")
            )
        });
        let others = others(&summary.entries, &request.options.entry).map(|what| format!("warning: {what}"));
        let is_fine = zeros == 0 && others.is_none();
        let is_told = request.mode() == Mode::Test && !quiet || verbose > 0;
        let note = (summary.lacks_end && is_told).then(|| NO_END.to_owned());
        let warning = warning.into_iter().chain(note);
        let mut lines: Vec<String> = warning.into_iter().chain(others.filter(|_| !quiet)).collect();
        if verbose > 0 {
            lines.extend(summary.remarks.iter().cloned());
            let end = if summary.ends_indexed { "ends with its index" } else { "has no end mark" };
            lines.extend((request.mode() == Mode::Test).then(|| format!("OK, {end}")));
            lines.extend(levels(&summary.levels));
            lines.push(Figures { mode: request.mode(), summary, read_len }.to_string());
        }
        let lines: Vec<String> = lines.into_iter().map(|line| format!("pzcomp: {name}: {line}")).collect();
        let status = if is_fine { Status::Fine } else { Status::Warning };
        let (doubt_status, doubt) = doubt.map_or((Status::Fine, String::new()), |it| (it.status, it.text));
        let texts = [doubt, lines.join("\n")].into_iter().filter(|text| !text.is_empty());
        Message { status: status.max(doubt_status), text: texts.collect::<Vec<_>>().join("\n") }
    }
}

/// The warning about data that no checksum verifies. Only `-t` makes it a warning for the exit status too: it asks
/// whether the file is right, and nothing tells.
fn unverified(program: Program, done: &Done) -> Option<Message> {
    let &Done { name, summary, request, .. } = done;
    if !summary.unverified {
        return None;
    }
    let what = "warning: decoded, not verified: the compressed data has no checksum";
    let message = program.message(Status::Warning, name, what);
    let is_test = request.mode() == Mode::Test;
    Some(Message { status: if is_test { Status::Warning } else { Status::Fine }, ..message })
}

/// BGZF may lack its end for other reasons too, so this is no warning.
const NO_END: &str = "note: the empty block is missing with which BGZF ends; the file may have been cut off between two \
                      blocks";

/// The share of each level in words, and what they cost beside the first level, if the level adapted itself and there
/// was data.
fn levels(shares: &[LevelShare]) -> Vec<String> {
    let sum = |of: fn(&LevelShare) -> f64| -> f64 { shares.iter().map(of).sum() };
    let whole = sum(|share| share.plain_len as f64);
    if whole == 0.0 {
        return Vec::new();
    }
    let share =
        |share: &LevelShare| format!("{}: {:.1} %", share.level, 100.0 * share.plain_len as f64 / whole);
    let list: Vec<String> = shares.iter().map(share).collect();
    let (cpu, cpu_at_first) =
        (sum(|share| share.cpu.as_secs_f64()), sum(|share| share.cpu_at_first.as_secs_f64()));
    let len = sum(|share| share.coded_len as f64);
    let longer = 100.0 * (len / sum(|share| share.coded_len_at_first as f64).max(1.0) - 1.0);
    let times = cpu / cpu_at_first.max(1e-6);
    let cost = format!(
        "beside the first level alone: {:.1} % {}, {times:.1} x the CPU time ({cpu:.2} s)",
        longer.abs(),
        if longer > 0.0 { "longer" } else { "shorter" }
    );
    vec![format!("share of each level: {}", list.join(", ")), cost]
}

/// Why an input that was found in a directory is skipped without a warning, if it is.
fn quiet_reason(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Link => Some("a symbolic link"),
        Kind::NotRegular => Some("not a regular file"),
        Kind::HasSuffix(_) => Some("has the suffix of compressed files already"),
        Kind::UnknownSuffix => Some("has no suffix of compressed files"),
        _ => None,
    }
}

/// Why the program of --exec does not run, and what to do.
fn cannot_run(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("cannot run, because {}", system::child::NOT_FOUND),
        // EPERM is of the same kind, and says that the system starts no program at all.
        _ if system::errors::is_of_rights(error) => {
            format!("cannot run: {}; {}", system_text(error), system::child::NOT_ALLOWED)
        }
        _ => format!("cannot run: {}", system_text(error)),
    }
}

/// How severe an error is, and its text.
fn severity_and_text(kind: &Kind) -> (Status, String) {
    let skipped = |what: &str| (Status::Warning, what.to_owned());
    let failed = |what: &str| (Status::Error, what.to_owned());
    match kind {
        Kind::Link => {
            skipped("is a symbolic link; skipped. Use -f to follow it, or -c or -o to write elsewhere")
        }
        Kind::Directory { is_link: true, .. } => {
            skipped("is a directory; skipped. Name the directory itself")
        }
        Kind::Directory { .. } => skipped("is a directory; skipped. Use -r to take the files in it"),
        Kind::NotRegular => skipped("is not a regular file; skipped. Use -c or -o FILE to read it"),
        Kind::HardLinks(links) => skipped(&format!(
            "has {links} names (hard links), and --rm would remove only this one; skipped. Leave out --rm, or use -f"
        )),
        Kind::SetUserId => skipped("is set-user-ID on execution; skipped"),
        Kind::SetGroupId => skipped("is set-group-ID on execution; skipped"),
        Kind::Sticky => skipped("has the sticky bit set; skipped. Use -f to process it anyway"),
        Kind::HasSuffix(_) => skipped(
            "has the suffix of compressed files already; skipped. Use -f to compress it anyway, and with --to also -o FILE",
        ),
        Kind::UnknownSuffix => {
            skipped("has an unknown suffix; skipped. Use -o FILE or -c to say where the output goes")
        }
        Kind::Exists => skipped("already exists; not overwritten. Use -f to overwrite it"),
        Kind::Refused => skipped("already exists; not overwritten"),
        Kind::OutputNotRegular => {
            failed("exists and is not a regular file; not overwritten. Write to another file, or use -c")
        }
        Kind::SameFile => failed("is both input and output; the file is unchanged. Write to another file"),
        Kind::Kept(why) => skipped(&format!("{why}; not removed")),
        Kind::TimeOutOfRange => skipped("its time does not fit into the header; no time is stored"),
        Kind::TerminalInput => {
            failed("compressed data is not read from a terminal; name a file, redirect the input, or use -f")
        }
        Kind::TerminalOutput => failed(
            "compressed data is not written to a terminal; redirect the output, name a file, or use -f",
        ),
        Kind::Cannot(RUN, error) => failed(&cannot_run(error)),
        Kind::Cannot(CREATE, error) if error.kind() == ErrorKind::NotFound => failed(
            "cannot create a file in its folder, which does not exist or takes no files; make the folder, or name a \
             file elsewhere",
        ),
        Kind::Cannot(what, error) => failed(&format!("cannot {what}: {}", system_text(error))),
        Kind::Library(error) => failed(&sentence(error)),
        // Nothing can be salvaged of a stream of members.
        Kind::Discarded(
            error @ (Error::NotVerified { .. }
            | Error::Member { .. }
            | Error::Corrupt { format: "xbstream" | "mydumper", .. }
            | Error::Truncated { format: "xbstream" | "mydumper", .. }),
            output,
        ) => failed(&format!("{}. {output} was not made", sentence(error))),
        Kind::Discarded(error, output) => failed(&format!(
            "{}. {output} was not made; use -d --salvage to get everything that is intact, or -c to get \
             the data before the error",
            sentence(error)
        )),
        Kind::Emptied => failed(EMPTIED),
        Kind::Incomplete => failed("was not made, because of the errors above"),
        Kind::Dictionary => failed("is the dictionary, so it cannot be an input"),
        Kind::Failed(what) | Kind::Usage(what) => failed(what),
    }
}
