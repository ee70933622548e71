//! The option `-l`: what compressed files hold.
//!
//! [`list`] takes a request and returns the table that its dialect prints. It reads headers and indexes, and decodes
//! only what those do not tell. It writes no file. An input that fails is reported, and the other inputs are listed.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use pzcomp::inspect::List;
use pzcomp::{Input, printable};

use super::dialect::{Dialect, Listed};
use super::error::{CliError, Kind};
use super::origin;
use super::report::Report;
use super::request::{Request, Source};
use super::source::Candidates;

/// Lists all inputs and returns the table, which is empty if nothing could be listed.
pub(super) fn list(request: &Request, dialect: &dyn Dialect, report: &mut Report) -> String {
    let (mut candidates, mut listed) = (Candidates::new(request), Vec::new());
    while let Some(candidate) = candidates.next(report) {
        let name = candidate.source.name();
        let listing = candidate.open(request).and_then(|opened| {
            let member = origin::member(&opened);
            let input = Input::from_file(&opened.file).map_err(CliError::cannot("open"))?;
            let listing = List::new(&request.options.decode().map_err(Kind::Library)?)
                .decode(true)
                .run(input)
                .map_err(|error| opened.kind_of(error))?;
            let details = dialect.details(&opened, &listing, request)?;
            Ok((opened, member, listing, details))
        });
        match listing {
            Ok((.., listing, _)) if !report.listed(&name, &listing) => {}
            Ok((opened, member, listing, details)) => {
                let modified = if opened.metadata.is_file() { opened.metadata.mtime() } else { 0 };
                listed.push(Listed { source: shown(opened.source()), modified, member, listing, details });
            }
            Err(failure) => {
                failure.report(&name, report);
                if report.must_stop() {
                    return String::new();
                }
            }
        }
    }
    if listed.is_empty() {
        return String::new();
    }
    dialect.list(&listed, request).unwrap_or_else(|failure| {
        failure.report("-l", report);
        String::new()
    })
}

/// The source with a name that can stand in a table: on one line, and without what a terminal obeys.
fn shown(source: Source) -> Source {
    match source {
        Source::Path(path) if path.to_str().is_none_or(|name| printable(name.as_bytes()) != name) => {
            Source::Path(printable(path.as_os_str().as_bytes()).into())
        }
        source => source,
    }
}
