//! How a program of a certain name speaks: what it says of trouble, and how much that matters.

use super::report::Status;
use super::trouble::{Kind, Trouble};

/// The manners of a program.
pub(super) trait Dialect: Sync {
    /// What is said of an input or output that is not dealt with.
    fn verdict(&self, trouble: &Trouble) -> Verdict;
}

/// What is said of trouble, and how much it matters.
pub(super) struct Verdict {
    /// Nothing is wrong in [`Status::Fine`]: only those who ask hear of it.
    pub(super) status: Status,
    pub(super) words: String,
}

/// pzcomp's own.
pub(super) struct Native;

impl Dialect for Native {
    fn verdict(&self, trouble: &Trouble) -> Verdict {
        if trouble.found
            && let Some(what) = passed_over(&trouble.kind)
        {
            return Verdict { status: Status::Fine, words: format!("{what}; passed over") };
        }
        let (status, words) = native(&trouble.kind);
        Verdict { status, words }
    }
}

/// What is none of our business when it is found on the way through a directory.
fn passed_over(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Link => Some("a symbolic link"),
        Kind::NotRegular => Some("not a regular file"),
        Kind::HasSuffix => Some("has the suffix of compressed files already"),
        Kind::UnknownSuffix => Some("no suffix of compressed files"),
        _ => None,
    }
}

fn native(kind: &Kind) -> (Status, String) {
    let skipped = |what: &str| (Status::Warning, what.to_owned());
    let failed = |what: &str| (Status::Error, what.to_owned());
    match kind {
        Kind::Link => skipped("is a symbolic link; skipped. -f follows it, -c and -o write elsewhere"),
        Kind::Directory { is_link: true } => skipped("is a directory; skipped. name the directory itself"),
        Kind::Directory { .. } => skipped("is a directory; skipped. -r goes into directories"),
        Kind::NotRegular => skipped("is not a regular file; skipped. -c and -o FILE read it"),
        Kind::HardLinks(links) => skipped(&format!(
            "has {links} links, and --rm would remove this one only; skipped. Leave out --rm, or use -f"
        )),
        Kind::HasSuffix => {
            skipped("has the suffix of compressed files already; skipped. -f compresses it all the same")
        }
        Kind::UnknownSuffix => skipped("unknown suffix; skipped. -o FILE or -c says where the output goes"),
        Kind::Exists => skipped("already exists; not overwritten. -f overwrites it"),
        Kind::OutputNotRegular => failed("is there and not a regular file; not overwritten"),
        Kind::SameFile => failed(
            "is both input and output; nothing was done and the file is untouched. Write to another file",
        ),
        Kind::Kept(why) => skipped(&format!("{why}; not removed")),
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
        Kind::Incomplete => failed("was not made, since it would lack what could not be had"),
        Kind::Failed(what) | Kind::Usage(what) => failed(what),
    }
}
