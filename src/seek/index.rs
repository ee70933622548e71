//! The option `--index`: makes an index beside a file, or verifies one with `-t`. Also finds the index of a file.
//!
//! The index of `FILE` is `FILE.pzi`, `FILE.gzidx` or `FILE.gzi`. A new index appears only when it is complete.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pzcomp::{BlockingWriter, Error, Index, IndexFormat};

use crate::error::{CliError, Kind};
use crate::pending::PendingFiles;
use crate::report::Report;
use crate::request::{IndexWork, Request, Target};
use crate::source::{OpenInput, Rest};
use crate::target::Destination;
use system::{handle, signals};

/// Makes the index of an input.
pub(super) fn make(
    work: IndexWork,
    opened: &OpenInput,
    request: &Request,
    report: &Report,
    pending_files: &PendingFiles,
) -> Result<(), CliError> {
    let source = Some(&opened.facts);
    // Nothing is decoded if the index cannot be written.
    let output = match (&request.target, &opened.path) {
        (Target::Stdout, _) => Destination::stdout(request)?,
        (Target::File(path), _) => Destination::named(path, source, request, report, pending_files)?,
        (Target::Beside, Some(path)) => {
            Destination::new_file(beside(path, work.format), source, request, report, pending_files)?
        }
        (Target::Beside, None) => {
            let what = "has no name, so its index has none either; name the index with -o";
            return Err(Kind::Failed(what.into()).into());
        }
    };
    output.check(opened)?;
    output.begin()?;
    let made = write(work, &opened.rest()?, request, &output);
    made.map_err(|error| match error {
        error if error.is_broken_pipe() => {
            signals::die_by_sigpipe();
            Kind::Library(error).into()
        }
        Error::Write { .. } => CliError::from(Kind::Library(error)).about(output.name()),
        error => Kind::Library(error).into(),
    })?;
    opened.check_unchanged()?;
    // Windows in the index are parts of the data, so nobody gets more rights to it than to the input.
    output.complete(Some(&opened.facts), None, request.rules.sync)
}

fn write(work: IndexWork, rest: &Rest, request: &Request, output: &Destination) -> Result<(), Error> {
    let Some(file) = output.file() else { return Ok(()) };
    let failed = |source| Error::Write { offset: 0, source };
    let mut out = BufWriter::new(BlockingWriter::new(handle::of(file)));
    match work.format {
        IndexFormat::Gzi => out.write_all(&pzcomp::bgzf::index(rest)?).map_err(failed)?,
        format => {
            let index = Index::build_with_interval(rest, work.interval, &request.options.decode()?)?;
            index.write_to(format, &mut out)?;
        }
    }
    out.flush().map_err(failed)
}

/// Compares the index of an input with all of the input.
pub(super) fn verify(opened: &OpenInput, request: &Request) -> Result<(), CliError> {
    let Some((index, name)) = find(opened, request)? else {
        let what = "has no index beside it; make one with pzcomp --index";
        return Err(Kind::Failed(what.into()).into());
    };
    let rest = opened.rest()?;
    let verified = request.options.decode().and_then(|options| index.verify(&rest, &options));
    verified.map_err(|error| about_index(error, &name))
}

/// The index beside an input, and its name. `None` if there is none.
pub(super) fn find(opened: &OpenInput, request: &Request) -> Result<Option<(Index, PathBuf)>, CliError> {
    let Some(path) = &opened.path else { return Ok(None) };
    for format in [IndexFormat::Pzi, IndexFormat::Gzidx, IndexFormat::Gzi] {
        let name = beside(path, format);
        // The open of a FIFO would wait for its writer.
        let about = name.metadata();
        if about.as_ref().is_ok_and(|about| !about.is_file()) {
            let what = "is beside the input like an index of it, but is no file; give it another name";
            return Err(CliError::from(Kind::Failed(what.into())).about(name.display()));
        }
        match about.and_then(|_| File::open(&name)) {
            Ok(file) => {
                let index =
                    Index::open_with(Arc::new(file), &request.options.decode().map_err(Kind::Library)?)
                        .map_err(|error| about_index(error, &name))?;
                return Ok(Some((index, name)));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(CliError::cannot("open")(error).about(name.display())),
        }
    }
    Ok(None)
}

pub(super) fn about_index(error: Error, name: &Path) -> CliError {
    let is_about_index = matches!(error, Error::Index { .. });
    let failure = CliError::from(Kind::Library(error));
    if is_about_index { failure.about(name.display()) } else { failure }
}

fn beside(path: &Path, format: IndexFormat) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format.suffix());
    name.into()
}
