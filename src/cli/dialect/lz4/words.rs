//! What lz4 says.

use pzcomp::{Damage, Error};

use super::super::super::interface::Misuse;
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, Ending, Refusal, Speaker, Verdict, plain, system};

pub(super) fn version() -> String {
    let own = env!("CARGO_PKG_VERSION");
    format!("*** LZ4 command line interface 64-bits v1.10.0, as pzcomp {own} does it ***\n")
}

/// A command line that is not understood.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    let program = called.program;
    let text = match misuse {
        Misuse::Refused(..) => format!("{program}: {misuse}"),
        _ => format!("Incorrect parameters: {misuse}\nSee '{program} --help'"),
    };
    Refusal { text, code: 1 }
}

pub(super) fn incorrect(called: &Name) -> Refusal {
    Refusal { text: format!("Incorrect parameters\nSee '{} --help'", called.program), code: 1 }
}

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let error = |text: String| Verdict { status: Status::Error, text };
    match &trouble.kind {
        Kind::Directory { .. } => error(format!("Error {READING} : Error reading {name} ")),
        Kind::Exists => error(format!("{name} already exists; not overwritten")),
        Kind::Refused => error("    not overwritten".into()),
        Kind::UnknownSuffix => error(format!(
            "File extension doesn't match expected LZ4_EXTENSION (.lz4); will not process file: {name}"
        )),
        Kind::TerminalInput => error("refusing to read from a console".into()),
        Kind::TerminalOutput => error("refusing to write to console without -c".into()),
        Kind::Cannot(_, cause) => error(format!("{name}: {}", system(cause))),
        Kind::Coding(what) | Kind::Discarded(what, _) => coding(speaker, name, what),
        _ => Verdict { status: Status::Error, ..plain::verdict(speaker, name, trouble) },
    }
}

/// The status of a file that cannot be read, or not up to the fourth byte.
const READING: u8 = 40;

/// What frames of the old format begin with. lz4 has another decoder for them, with numbers of its own.
const LEGACY_MAGIC: [u8; 4] = [0x02, 0x21, 0x4c, 0x18];

/// Trouble with the data ends lz4 with the number of the error, as of 1.9; other trouble is counted.
pub(super) fn ending(trouble: &Trouble, mode: Mode) -> Ending {
    let compresses = mode == Mode::Compress;
    let error = match &trouble.kind {
        Kind::Directory { .. } => return Ending::Abort(READING),
        Kind::Coding(error) | Kind::Discarded(error, _) => error,
        // The input that it lacks is counted.
        Kind::Incomplete => return Ending::Usual,
        _ => return Ending::Counted,
    };
    Ending::Abort(match error {
        Error::Read { .. } if compresses => READING,
        Error::Read { .. } => 67,
        Error::Write { .. } if compresses => 42,
        Error::Write { .. } => 70,
        Error::NotCompressed { found } | Error::TrailingGarbage { found, .. } if is_short(found) => READING,
        Error::NotCompressed { .. } => 44,
        Error::Truncated { .. } if trouble.magic == Some(LEGACY_MAGIC) => 53,
        Error::Corrupt { .. } if trouble.magic == Some(LEGACY_MAGIC) => 54,
        Error::Truncated { .. } => 68,
        Error::Corrupt { .. } | Error::Unsupported { .. } => 66,
        _ => return Ending::Counted,
    })
}

/// Whether these are fewer bytes than a magic number has. Each is two digits, with a space between them.
fn is_short(found: &str) -> bool {
    found.len() < 4 * 3 - 1
}

/// What the library found wrong.
fn coding(Speaker { program, .. }: Speaker, name: &str, what: &Error) -> Verdict {
    let what = match what {
        Error::Read { source, .. } | Error::Write { source, .. } => system(source),
        Error::NotCompressed { .. } => "Unrecognized header : file cannot be decoded".into(),
        Error::TrailingGarbage { offset, .. } => {
            format!("Stream followed by undecodable data at position {offset}")
        }
        Error::Truncated { .. } => "Unfinished stream".into(),
        Error::Corrupt { damage: Damage::Check | Damage::Both, .. } => {
            "Decompression error : ERROR_contentChecksum_invalid".into()
        }
        other => other.to_string(),
    };
    Verdict { status: Status::Error, text: format!("{program}: {name}: {what}") }
}

pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let Done { name, request, summary, .. } = *done;
    if summary.trailing.zeros > 0 {
        let behind = summary.coded_len.saturating_sub(summary.trailing.zeros);
        let text =
            format!("{}: {name}: Stream followed by undecodable data at position {behind}", speaker.program);
        return Verdict { status: Status::Warning, text };
    }
    let text = match (speaker.voice.verbose, request.mode) {
        (0, _) => String::new(),
        (_, Mode::Compress) => {
            let (plain_len, coded_len) = (summary.plain_len, summary.coded_len);
            let ratio = 100.0 * coded_len as f64 / plain_len.max(1) as f64;
            format!("Compressed {plain_len} bytes into {coded_len} bytes ==> {ratio:.2}%")
        }
        _ => format!("{name:<20.20} : decoded {} bytes", summary.plain_len),
    };
    Verdict { status: Status::Fine, text }
}
