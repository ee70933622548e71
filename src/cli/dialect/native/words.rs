//! What pzcomp says of trouble.

use super::super::super::report::{Figures, Status};
use super::super::super::request::{Mode, Voice};
use super::super::super::trouble::{Kind, Trouble};
use super::super::plain::EMPTIED;
use super::super::{Done, Speaker, Verdict};

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    if trouble.found
        && let Some(what) = passed_over(&trouble.kind)
    {
        let text = match speaker.voice.verbose {
            0 => String::new(),
            _ => format!("pzcomp: {name}: {what}; passed over"),
        };
        return Verdict { status: Status::Fine, text };
    }
    let (status, words) = words(&trouble.kind);
    let text = match status {
        Status::Warning if speaker.voice.quiet => String::new(),
        Status::Warning => format!("pzcomp: {name}: warning: {words}"),
        _ if matches!(trouble.kind, Kind::Usage(_)) => format!("pzcomp: {words}"),
        _ => format!("pzcomp: {name}: {words}"),
    };
    Verdict { status, text }
}

pub(super) fn done(speaker: Speaker, &Done { name, request, summary, .. }: &Done) -> Verdict {
    let Voice { quiet, verbose } = speaker.voice;
    let zeros = summary.trailing.zeros;
    let warning = (zeros > 0 && !quiet)
        .then(|| format!("warning: {zeros} zero byte(s) after the last frame ignored; all frames are whole"));
    let mut lines: Vec<String> = warning.into_iter().collect();
    if verbose > 0 {
        lines.extend(summary.remarks.iter().cloned());
        lines.extend((request.mode == Mode::Test).then(|| "OK".into()));
        lines.push(Figures { mode: request.mode, summary }.to_string());
    }
    let lines: Vec<String> = lines.into_iter().map(|line| format!("pzcomp: {name}: {line}")).collect();
    let status = if zeros == 0 { Status::Fine } else { Status::Warning };
    Verdict { status, text: lines.join("\n") }
}

/// What is none of our business when it is found on the way through a directory.
fn passed_over(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Link => Some("a symbolic link"),
        Kind::NotRegular => Some("not a regular file"),
        Kind::HasSuffix(_) => Some("has the suffix of compressed files already"),
        Kind::UnknownSuffix => Some("no suffix of compressed files"),
        _ => None,
    }
}

fn words(kind: &Kind) -> (Status, String) {
    let skipped = |what: &str| (Status::Warning, what.to_owned());
    let failed = |what: &str| (Status::Error, what.to_owned());
    match kind {
        Kind::Link => skipped("is a symbolic link; skipped. -f follows it, -c and -o write elsewhere"),
        Kind::Directory { is_link: true, .. } => {
            skipped("is a directory; skipped. name the directory itself")
        }
        Kind::Directory { .. } => skipped("is a directory; skipped. -r goes into directories"),
        Kind::NotRegular => skipped("is not a regular file; skipped. -c and -o FILE read it"),
        Kind::HardLinks(links) => skipped(&format!(
            "has {links} links, and --rm would remove this one only; skipped. Leave out --rm, or use -f"
        )),
        Kind::SetUserId => skipped("is set-user-ID on execution; skipped"),
        Kind::SetGroupId => skipped("is set-group-ID on execution; skipped"),
        Kind::Sticky => skipped("has the sticky bit set; skipped. -f takes it all the same"),
        Kind::HasSuffix(_) => {
            skipped("has the suffix of compressed files already; skipped. -f compresses it all the same")
        }
        Kind::UnknownSuffix => skipped("unknown suffix; skipped. -o FILE or -c says where the output goes"),
        Kind::Exists => skipped("already exists; not overwritten. -f overwrites it"),
        Kind::Refused => skipped("already exists; not overwritten"),
        Kind::OutputNotRegular => failed("is there and not a regular file; not overwritten"),
        Kind::SameFile => failed(
            "is both input and output; nothing was done and the file is untouched. Write to another file",
        ),
        Kind::Kept(why) => skipped(&format!("{why}; not removed")),
        Kind::TimeOutOfRange => skipped("its time does not fit into the header, which says nothing of it"),
        Kind::TerminalInput => {
            failed("compressed data is not read from a terminal; name a file, redirect the input, or use -f")
        }
        Kind::TerminalOutput => failed(
            "compressed data is not written to a terminal; redirect the output, name a file, or use -f",
        ),
        Kind::Cannot(what, error) => failed(&format!("cannot {what}: {error}")),
        Kind::Coding(error) => failed(&error.to_string()),
        Kind::Discarded(error, output) => {
            failed(&format!("{error}. {output} was not made; -c writes what can be had"))
        }
        Kind::Emptied => failed(EMPTIED),
        Kind::Incomplete => failed("was not made, since it would lack what could not be had"),
        Kind::Dictionary => failed("is the dictionary, and cannot be an input as well"),
        Kind::Failed(what) | Kind::Usage(what) => failed(what),
    }
}
