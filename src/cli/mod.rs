//! The command: the only place that prints, exits and reads the environment.
//!
//! ```text
//! arguments ─ name ─▶ dialect ─▶ Request ─▶ work ─▶ source ─▶ the library ─▶ target
//!                        ▲                └─▶ list        report: messages, exit status
//!                        └─────── words ──────────────────┘
//! ```
//!
//! The name that the program is called by chooses a dialect. That turns arguments into a
//! [`request::Request`], and what came of it into words; what is between is the same for all.

mod bench;
mod dialect;
mod inherited;
mod interface;
mod link;
mod list;
mod name;
mod origin;
mod partial;
mod report;
mod request;
mod size;
mod source;
mod suffix;
mod target;
mod trouble;
mod work;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use dialect::native::generate;
use dialect::{Asked, Refusal};
use name::Name;
use report::{Report, Status};
use request::{Mode, Voice};

/// Does what the command line asks for.
pub(crate) fn run() -> ExitCode {
    let mut args = std::env::args_os();
    let called = name::called(args.next().as_deref());
    ExitCode::from(obey(called, args.collect()))
}

fn obey(called: &'static Name, args: Vec<OsString>) -> u8 {
    let (called, args) = match as_another(called, args) {
        Ok(known) => known,
        Err(text) => {
            report::say(text);
            return called.dialect.code(Status::Error);
        }
    };
    let mut report = Report::new(called, Voice::default());
    let asked = match called.dialect.parse(called, args) {
        Ok(asked) => asked,
        Err(Refusal { text, code }) => {
            if !text.is_empty() {
                report::say(text);
            }
            return code;
        }
    };
    let printed = match asked {
        Asked::Text(text) => print(text.as_bytes(), &mut report),
        Asked::Generate(artefact) => print(&generate::artefact(artefact), &mut report),
        Asked::Bench(request) => {
            report = Report::new(called, request.voice());
            let text = bench::bench(&request, &mut report);
            print(text.as_bytes(), &mut report)
        }
        Asked::Links(folder) => match link::install(&folder) {
            Ok(text) => print(text.as_bytes(), &mut report),
            Err(trouble) => {
                trouble.tell(&folder.display().to_string(), &mut report);
                Status::Fine
            }
        },
        Asked::Blocks(blocks) => {
            blocks.deal_with(&mut report);
            Status::Fine
        }
        Asked::Work(request) if request.mode == Mode::List => {
            report = Report::on(called, &request);
            let table = list::list(&request, &mut report);
            print(table.as_bytes(), &mut report)
        }
        Asked::Work(mut request) => {
            request.links = called.links;
            report = Report::on(called, &request);
            report.notes(&request.notes);
            work::work(&request, &mut report);
            Status::Fine
        }
    };
    report.code(printed)
}

/// `--as NAME` in front of all else: the program as if it had been called so.
fn as_another(
    called: &'static Name,
    mut args: Vec<OsString>,
) -> Result<(&'static Name, Vec<OsString>), String> {
    if called.name != name::own().name {
        return Ok((called, args));
    }
    let wanted = match args.first().and_then(|first| first.to_str()) {
        Some("--as") if args.len() > 1 => args.drain(..2).nth(1),
        Some("--as") => return Err("pzcomp: --as wants the name of a program, as in --as gzip".into()),
        Some(first) => match first.strip_prefix("--as=").map(OsString::from) {
            Some(name) => {
                args.remove(0);
                Some(name)
            }
            None => None,
        },
        None => None,
    };
    let Some(wanted) = wanted else {
        return Ok((called, args));
    };
    let known = name::named(&wanted).ok_or_else(|| {
        let names: Vec<&str> = name::others().map(|name| name.name).collect();
        format!("pzcomp: --as {}: no such name; the names are {}", wanted.display(), names.join(", "))
    })?;
    Ok((known, args))
}

/// Writes to standard output.
fn print(text: &[u8], report: &mut Report) -> Status {
    let mut stdout = std::io::stdout().lock();
    let open = inherited::check(inherited::Stream::Output);
    match open.and_then(|()| stdout.write_all(text)).and_then(|()| stdout.flush()) {
        Ok(()) => Status::Fine,
        Err(error) => {
            if error.kind() == ErrorKind::BrokenPipe {
                inherited::die_by_sigpipe();
            }
            report.error("stdout", format_args!("cannot write: {error}"));
            Status::Error
        }
    }
}
