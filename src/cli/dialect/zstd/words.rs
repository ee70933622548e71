//! What zstd says.

use std::fmt::Display;
use std::path::Path;

use pzcomp::{Damage, Error};

use super::super::super::interface::Misuse;
use super::super::super::name::Name;
use super::super::super::report::Status;
use super::super::super::request::Mode;
use super::super::super::trouble::{Kind, Trouble};
use super::super::{Done, Ending, Refusal, Speaker, Verdict, plain, system};

/// As which version it speaks.
const VERSION: &str = "1.5.7";

pub(super) fn version(loudness: i32) -> String {
    match loudness {
        ..super::LOUDNESS => format!("{VERSION}\n"),
        _ => format!(
            "*** Zstandard CLI (64-bit) v{VERSION}, as pzcomp {} does it ***\n",
            env!("CARGO_PKG_VERSION")
        ),
    }
}

/// A command line that is not understood.
pub(super) fn misuse(called: &Name, misuse: &Misuse) -> Refusal {
    match misuse {
        Misuse::Refused(..) => Refusal { text: format!("{}: {misuse}", called.program), code: 1 },
        Misuse::Short(letter) => incorrect(called, format_args!("-{letter}")),
        Misuse::Long(name) => incorrect(called, format_args!("--{name}")),
        Misuse::Surplus(name) => incorrect(called, format_args!("--{name}=...")),
        Misuse::Ambiguous(..) | Misuse::ShortLacks(_) | Misuse::LongLacks(_) => {
            Refusal { text: format!("{}: error: missing command argument", called.program), code: 1 }
        }
    }
}

pub(super) fn incorrect(called: &Name, parameter: impl Display) -> Refusal {
    let program = called.program;
    let text = format!("Incorrect parameter: {parameter}\nSee '{program} --help'");
    Refusal { text, code: 1 }
}

/// The status of a parameter that the library refuses, and that of output that cannot be written.
pub(super) const OUT_OF_BOUND: u8 = 11;
const WRITING: u8 = 70;

/// What zstd ends with that status for.
pub(super) fn error(called: &Name, code: u8, what: impl Display) -> Refusal {
    Refusal { text: format!("{}: error {code} : {what}", called.program), code }
}

/// A parameter that the library would refuse.
pub(super) fn out_of_bound(called: &Name) -> Refusal {
    error(called, OUT_OF_BOUND, "Parameter is out of bound")
}

/// How it calls what has no name.
fn shown(name: &str) -> &str {
    match name {
        "stdin" => "/*stdin*\\",
        "stdout" => "/*stdout*\\",
        name => name,
    }
}

pub(super) fn verdict(speaker: Speaker, name: &str, trouble: &Trouble) -> Verdict {
    let (program, name) = (speaker.program, shown(name));
    let error = |text: String| Verdict { status: Status::Error, text };
    let says = |what: &dyn Display| error(format!("{program}: {name}: {what}"));
    match &trouble.kind {
        Kind::Link => {
            // Those in directories are none of its business.
            let status = if trouble.found { Status::Fine } else { Status::Error };
            let text = format!("Warning : {name} is a symbolic link, ignoring");
            Verdict { status, text: if speaker.voice.quiet { String::new() } else { text } }
        }
        Kind::Directory { .. } => error(format!("{program}: {name} is a directory -- ignored")),
        Kind::Dictionary => error(format!("{program}: cannot use {name} as an input file and dictionary")),
        Kind::NotRegular if trouble.found => Verdict { status: Status::Fine, text: String::new() },
        Kind::NotRegular => error(format!("{program}: {name} is not a regular file -- ignored")),
        Kind::UnknownSuffix => {
            let known = super::SUFFIXES.iter().map(|(suffix, _)| *suffix);
            let known: Vec<&str> = known.filter(|suffix| *suffix != super::SUFFIX_UNTOLD).collect();
            says(&format_args!(
                "unknown suffix ({} expected). Can't derive the output file name. \
                 Specify it with -o dstFileName. Ignoring.",
                known.join("/")
            ))
        }
        Kind::Exists => error(format!("{program}: {name} already exists; not overwritten")),
        Kind::Refused => error("Not overwritten".into()),
        Kind::SameFile => {
            error(format!("{program}: Refusing to open an output file which will overwrite the input file"))
        }
        Kind::TerminalInput => error("stdin is a console, aborting".into()),
        Kind::TerminalOutput => error("stdout is a console, aborting".into()),
        Kind::Cannot(_, cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            error(format!("{program}: can't stat {name} : {} -- ignored", system(cause)))
        }
        Kind::Coding(what) | Kind::Discarded(what, _) => coding(speaker, name, what),
        _ => plain::verdict(speaker, name, trouble),
    }
}

/// What zstd cannot do at all ends it with the number of the error.
pub(super) fn ending(trouble: &Trouble) -> Ending {
    match &trouble.kind {
        Kind::Coding(Error::Write { .. }) => Ending::Abort(WRITING),
        Kind::Usage(_) => Ending::Abort(OUT_OF_BOUND),
        _ => Ending::Usual,
    }
}

/// What the library found wrong.
fn coding(Speaker { program, .. }: Speaker, name: &str, what: &Error) -> Verdict {
    let text = match what {
        Error::Read { source, .. } | Error::Write { source, .. } => {
            format!("{program}: {name}: {}", system(source))
        }
        Error::Empty => format!("{program}: {name}: unexpected end of file"),
        Error::NotCompressed { .. } | Error::TrailingGarbage { .. } => {
            format!("{program}: {name}: unsupported format")
        }
        Error::Truncated { .. } => format!("{name} : Read error (39) : premature end"),
        Error::Corrupt { damage: Damage::Check | Damage::Both, .. } => {
            format!("{name} : Decoding error (36) : Restored data doesn't match checksum")
        }
        Error::Dictionary { .. } => {
            format!("{name} : Decoding error (36) : Dictionary mismatch\n{name} : {what}")
        }
        Error::Memory { .. } => {
            format!(
                "{name} : Decoding error (36) : Frame requires too much memory for decoding\n\
                 {name} : {what}"
            )
        }
        other => format!("{name} : Decoding error (36) : {other}"),
    };
    Verdict { status: Status::Error, text }
}

pub(super) fn done(speaker: Speaker, done: &Done) -> Verdict {
    let Done { request, summary, .. } = *done;
    let name = shown(done.name);
    let compresses = request.mode == Mode::Compress;
    // What is copied because it is unknown must be something.
    if !compresses && summary.coded_len == 0 {
        return coding(speaker, name, &Error::Empty);
    }
    if summary.trailing.zeros > 0 {
        let text = format!(
            "{}: {name}: {} zero bytes behind the last frame; all frames are whole",
            speaker.program, summary.trailing.zeros
        );
        return Verdict { status: Status::Warning, text };
    }
    let text = match speaker.voice.verbose {
        0 => String::new(),
        _ if compresses => {
            let made = done.made.map(Path::display).map_or("/*stdout*\\".into(), |made| made.to_string());
            let ratio = match summary.plain_len {
                0 => 0.0,
                plain_len => 100.0 * summary.coded_len as f64 / plain_len as f64,
            };
            let (plain, coded) = (size(summary.plain_len), size(summary.coded_len));
            format!("{name:<20} :{ratio:6.2}%   ({plain:>9} => {coded:>9}, {made})")
        }
        _ => format!("{name:<20}: {} bytes", summary.plain_len),
    };
    Verdict { status: Status::Fine, text }
}

/// A number of bytes, in three digits or a little more.
pub(super) fn size(bytes: u64) -> String {
    let (value, unit) = scaled(bytes);
    format!("{value} {unit}")
}

/// The number and its unit.
pub(super) fn scaled(bytes: u64) -> (String, &'static str) {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let power = (bytes.checked_ilog2().unwrap_or(0) / 10) as usize;
    let value = bytes as f64 / (1_u64 << (10 * power)) as f64;
    let precision = match value {
        _ if power == 0 || value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value > 1.0 => 2,
        _ => 3,
    };
    (format!("{value:.precision$}"), UNITS[power])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1024, "1.000 KiB"),
            (1100, "1.07 KiB"),
            (71_555, "69.9 KiB"),
            (151_344, "148 KiB"),
            (2 << 20, "2.00 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(size(bytes), expected, "{bytes}");
        }
    }
}
