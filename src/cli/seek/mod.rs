//! The options `--range` and `--frames`: reading part of a compressed file, and listing its frames.
//!
//! [`run`] takes a request with a [`SeekWork`]. It opens each input as a [`Seekable`] and does the work with it. Inputs must
//! be regular files, because a pipe cannot be read from any place. An error in one input does not stop the others.

mod frames;
mod ranges;

use std::fs::File;
use std::io::{ErrorKind, Write};

use pzcomp::{Error, Seekable};

use super::error::{CliError, Kind};
use super::inherited;
use super::pending::PendingFiles;
use super::report::Report;
use super::request::{Request, SeekWork, Target};
use super::source::{Candidates, OpenInput};
use super::target::Destination;
use super::tool::Status;

/// Does the work for all inputs.
pub(super) fn run(work: &SeekWork, request: &Request, report: &mut Report) {
    let pending_files = PendingFiles::default();
    let output = match &request.target {
        Target::File(path) => Destination::named(path, None, request, report, &pending_files),
        Target::Stdout | Target::Beside => Destination::stdout(request),
    };
    let done = output.and_then(|output| {
        each_input(work, request, &output, report)?;
        if output.is_file() && report.status() == Status::Error {
            return Err(CliError::from(Kind::Incomplete).about(output.name()));
        }
        output.complete(None, None, request.sync)
    });
    if let Err(failure) = done {
        failure.report("output", report);
    }
}

fn each_input(
    work: &SeekWork,
    request: &Request,
    output: &Destination,
    report: &mut Report,
) -> Result<(), CliError> {
    output.begin()?;
    let mut candidates = Candidates::new(request);
    while let Some(candidate) = candidates.next(report) {
        let name = candidate.source.name();
        let done = candidate.open(request).and_then(|opened| {
            output.check(&opened)?;
            let mut out = output.file().ok_or_else(|| Kind::Failed("there is no output".into()))?;
            let seekable = open(opened, request)?;
            match work {
                SeekWork::Frames => frames::list(&name, request.sources.len() > 1, &seekable, &mut out),
                SeekWork::Ranges(ranges) => ranges::copy(ranges, &seekable, &mut out),
            }
        });
        if let Err(failure) = done {
            failure.report(&name, report);
            if failure.is_fatal() {
                break;
            }
        }
    }
    Ok(())
}

/// Opens the plain data of an input.
fn open(opened: OpenInput, request: &Request) -> Result<Seekable<File>, CliError> {
    if !opened.metadata.is_file() {
        let what = "is not a regular file, so it cannot be read from any place; save it to a file first, or decompress \
                    all of it with -dc";
        return Err(Kind::Failed(what.into()).into());
    }
    Seekable::with_options(opened.file, &request.options).map_err(|error| Kind::Library(error).into())
}

/// Writes to the output. A broken pipe ends the process.
fn write(out: &mut impl Write, bytes: &[u8]) -> Result<(), CliError> {
    out.write_all(bytes).map_err(|source| {
        if source.kind() == ErrorKind::BrokenPipe {
            inherited::die_by_sigpipe();
        }
        CliError::from(Kind::Library(Error::Write { offset: 0, source })).about("output").fatal()
    })
}
