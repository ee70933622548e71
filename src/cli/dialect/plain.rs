//! What programs say that have no wording of their own that scripts could know: the sentence of the
//! system, or what happened.

use pzcomp::Error;

use super::super::report::{Ratio, Status};
use super::super::request::Mode;
use super::super::trouble::{Kind, Trouble};
use super::{Done, Speaker, Verdict, system};

/// What is said of a file that was written in place, in vain.
pub(super) const EMPTIED: &str = "was emptied: it could only be written in place, and that failed";

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let warning = |what: &str| speaker.says(Status::Warning, name, what);
    let error = |what: &str| speaker.says(Status::Error, name, what);
    match &trouble.kind {
        Kind::Link => warning("is a symbolic link, skipping"),
        Kind::Directory { .. } => warning("is a directory, skipping"),
        Kind::NotRegular => warning("not a regular file, skipping"),
        Kind::HardLinks(_) => warning("file has more than one hard link, skipping"),
        Kind::SetUserId | Kind::SetGroupId => warning("file has setuid or setgid bit set, skipping"),
        Kind::Dictionary => error("is the dictionary, and cannot be an input as well"),
        Kind::Sticky => warning("file has sticky bit set, skipping"),
        Kind::HasSuffix(suffix) => {
            warning(&format!("file already has '{}' suffix, skipping", suffix.display()))
        }
        Kind::UnknownSuffix => warning("file name has an unknown suffix, skipping"),
        Kind::Exists => error("file exists"),
        Kind::Refused => error("file exists; not overwritten"),
        Kind::OutputNotRegular => error("exists and is not a regular file"),
        Kind::SameFile => error("input and output are the same file"),
        Kind::Kept(why) => warning(&format!("{why}; not removed")),
        Kind::TimeOutOfRange => warning("its time does not fit into the header"),
        Kind::TerminalInput => error("compressed data cannot be read from a terminal"),
        Kind::TerminalOutput => error("compressed data cannot be written to a terminal"),
        Kind::Cannot(_, cause) => error(&system(cause)),
        Kind::Coding(Error::Read { source, .. } | Error::Write { source, .. }) => error(&system(source)),
        Kind::Coding(what) | Kind::Discarded(what, _) => error(&what.to_string()),
        Kind::Emptied => error(EMPTIED),
        Kind::Incomplete => error("was not made, since it would lack what could not be had"),
        Kind::Failed(what) => error(what),
        Kind::Usage(what) => Verdict { status: Status::Error, text: format!("{}: {what}", speaker.program) },
    }
}

pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let &Done { name, request, summary, .. } = done;
    if let Some(offset) = summary.trailing.garbage {
        let what = format!("trailing garbage from offset {offset} on ignored");
        return speaker.says(Status::Warning, name, what);
    }
    if speaker.voice.verbose == 0 {
        return Verdict { status: Status::Fine, text: String::new() };
    }
    let what = match request.mode {
        Mode::Test => "OK".into(),
        _ => {
            let ratio = Ratio { coded_len: summary.coded_len, plain_len: summary.plain_len };
            format!("{} / {} = {} %", summary.coded_len, summary.plain_len, ratio.percent())
        }
    };
    speaker.says(Status::Fine, name, what)
}
