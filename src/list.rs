//! The option `-l`: what compressed files hold.
//!
//! [`list`] takes a request and returns the table that its dialect prints. It reads headers and indexes, and decodes
//! only what those do not tell. It writes no file. An input that fails is reported, and the other inputs are listed.

use std::io::Read;

use pzcomp::inspect::{List, Listing};
use pzcomp::recovery::{Brief, Repair};
use pzcomp::{Decode, Error, Format, Input, Output, Reader, printable};
use system::facts::Facts;

use super::confine::{confine_reader, keep_files};
use super::dialect::{Dialect, Listed};
use super::error::{CliError, Kind};
use super::origin;
use super::report::Report;
use super::request::{MemberStream, Request, Source, Task};
use super::sevenz::{self, kind_of};
use super::source::{Candidates, OpenInput};

/// So many bytes say in which format an input is.
const HEAD_LEN: u64 = 64;

/// Lists all inputs and returns the table, which is empty if nothing could be listed.
pub(super) fn list(request: &Request, dialect: &dyn Dialect, report: &mut Report) -> String {
    keep_files(request, report);
    let (mut candidates, mut listed) = (Candidates::new(request), Vec::new());
    while let Some(candidate) = candidates.next(report) {
        let name = candidate.source.name();
        let listing = candidate.open(request).and_then(|opened| {
            let member = origin::member(&opened);
            let options = request.options.decode().map_err(Kind::Library)?;
            let archive = sevenz::open(&opened, request, report)?;
            if archive.is_none() {
                confine_reader(opened.path.as_deref(), request, report, &name);
            }
            let listing = match archive {
                Some(archive) => archive.listing(),
                None if let Task::Members(stream, _) = request.task => {
                    let listing = members(stream, &opened, &options);
                    listing.map_err(|error| kind_of(&opened, error))?
                }
                None => {
                    let input = Input::from_file(&opened.file).map_err(CliError::cannot("open"))?;
                    let listing = List::new(&options).decode(true).run(input);
                    listing.map_err(|error| kind_of(&opened, error))?
                }
            };
            let details = dialect.details(&opened, &listing, request)?;
            let records = match opened.facts.is_file() {
                true => Repair::new(&options)
                    .summarise(&opened.rest()? as &dyn pzcomp::ReadAt)
                    .unwrap_or_default(),
                false => Brief::default(),
            };
            // What cannot be read any more looks as if there were no records.
            let (expected, found) =
                (opened.facts.len(), Facts::of(&opened.file).map_or(u64::MAX, |now| now.len()));
            if found < expected {
                return Err(Kind::Library(Error::Shrank { expected, found }).into());
            }
            Ok((opened, member, (listing, records), details))
        });
        match listing {
            Ok((.., (listing, records), _)) if !report.listed(&name, &listing, &records) => {}
            Ok((opened, member, (listing, records), details)) => {
                let modified = if opened.facts.is_file() { opened.facts.modified().seconds } else { 0 };
                let source = shown(opened.source());
                listed.push(Listed { source, modified, member, listing, records, details });
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

/// What a stream holds, which may be compressed as a whole. Only decompression tells the sizes of its members.
fn members(stream: MemberStream, opened: &OpenInput, options: &Decode) -> Result<Listing, Error> {
    // Reading a file on standard input moves its place.
    let (len, mut head) = (opened.remaining(), Vec::new());
    let read = (&opened.file).take(HEAD_LEN).read_to_end(&mut head);
    read.map_err(|source| Error::Read { offset: 0, source })?;
    let is_compressed = Format::sniff(&head).is_some();
    let bytes = head.chain(&opened.file);
    let input = match is_compressed {
        true => Input::Reader(Box::new(Reader::new(bytes, options.clone())?)),
        false => Input::Reader(Box::new(bytes)),
    };
    let decompressed = match stream {
        MemberStream::Xbstream => pzcomp::xbstream::decompress(input, Output::Nothing, options),
        MemberStream::Mydumper => pzcomp::mydumper::decompress(input, Output::Nothing, options),
    };
    let summary = decompressed?;
    let mut listing = Listing::default();
    listing.coded_len = len.unwrap_or(summary.coded_len);
    (listing.plain_len, listing.frames) = (Some(summary.plain_len), Some(summary.frames));
    listing.check = summary.check.unwrap_or("-");
    listing.entries = summary.entries;
    Ok(listing)
}

/// The source with a name that can stand in a table: on one line, and without what a terminal obeys.
fn shown(source: Source) -> Source {
    match source {
        Source::Path(path) if path.to_str().is_none_or(|name| printable(name.as_bytes()) != name) => {
            Source::Path(printable(path.as_os_str().as_encoded_bytes()).into())
        }
        source => source,
    }
}
