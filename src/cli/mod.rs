//! The command: the only place that prints, exits and reads the environment.
//!
//! ```text
//! arguments ─ native (flags, argv) ─▶ Request ─▶ work ─▶ source ─▶ the library ─▶ target
//!                                            └─▶ list        report: messages, exit status
//! ```
//!
//! A dialect turns arguments into a [`request::Request`]; everything behind that is the same for all
//! dialects.

mod argv;
mod bench;
mod dialect;
mod generate;
mod list;
mod native;
mod partial;
mod report;
mod request;
mod size;
mod source;
mod target;
mod trouble;
mod work;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use native::Asked;
use report::{Report, Status, say};
use request::Mode;

/// Does what the command line asks for.
pub(crate) fn run() -> ExitCode {
    obey().into()
}

fn obey() -> Status {
    let args = std::env::args_os().skip(1);
    let request = match native::parse(args, std::env::var_os(native::VARIABLE)) {
        Ok(Asked::Work(request)) => request,
        Ok(Asked::Bench(request)) => {
            let mut report = Report::new(request.voice());
            let text = bench::bench(&request, &mut report);
            return print(text.as_bytes()).max(report.status());
        }
        Ok(Asked::Text(text)) => return print(text.as_bytes()),
        Ok(Asked::Generate(artefact)) => return print(&generate::artefact(artefact)),
        Err(what) => {
            say(what);
            return Status::Error;
        }
    };
    let mut report = Report::new(request.voice);
    match request.mode {
        Mode::List => {
            let table = list::list(&request, &mut report);
            print(table.as_bytes()).max(report.status())
        }
        _ => {
            work::work(&request, &mut report);
            report.status()
        }
    }
}

/// Writes to standard output.
fn print(text: &[u8]) -> Status {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Ok(()) => Status::Fine,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => die_by_sigpipe(),
        Err(error) => {
            say(format_args!("stdout: cannot write: {error}"));
            Status::Error
        }
    }
}

/// Ends the process the way filters end whose reader has gone away: without a word.
fn die_by_sigpipe() -> Status {
    // It returns only if the signal cannot be raised at all.
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    Status::Error
}
