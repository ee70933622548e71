//! The options `--range`, `--frames` and `--index`: reading part of a compressed file, listing its frames, and the
//! index beside it. `tar/` has the members of tar archives.
//!
//! [`run`] takes a request with a [`SeekWork`]. It opens each input, in most cases as a [`Seekable`] with the index
//! beside it, and does the work. Inputs must be regular files, because a pipe cannot be read from any place. An error
//! in one input does not stop the others.

mod index;
pub(super) mod tar;

use std::io::{self, BufWriter, ErrorKind, Write};

use pzcomp::inspect::List;
use pzcomp::{BlockingWriter, EntryChoice, Error, Format, Frame, Input, ReadAt, Seekable, printable};

use super::confine::{confine_reader, keep_files};
use super::error::{CliError, Kind};
use super::pending::PendingFiles;
use super::recovery::{Rescue, rescue};
use super::report::Report;
use super::request::{ExtractTo, Request, SeekWork, Target};
use super::sevenz::{self, kind_of};
use super::source::{Candidates, OpenInput, Rest};
use super::target::Destination;
use super::tool::{Status, others};
use crate::request::PlainRange;
use system::{handle, signals};

/// So many bytes tell whether an input is an archive with files of its own.
const HEAD_LEN: usize = 64;

/// Whether an archive with files of its own begins with these bytes: `--extract` names one of these files.
fn begins_archive(head: &[u8]) -> bool {
    sevenz::begins(head) || Format::sniff(head).is_some_and(Format::has_entries)
}

/// Does the work for all inputs.
pub(super) fn run(work: &SeekWork, request: &Request, report: &mut Report) {
    keep_files(request, report);
    let pending_files = PendingFiles::default();
    // Members of archives go to standard output if nothing else is said.
    let to_stdout;
    let request = match (work, &request.target) {
        (SeekWork::Extract(_), Target::Beside) => {
            to_stdout = Request { target: Target::Stdout, ..request.clone() };
            &to_stdout
        }
        _ => request,
    };
    let done = match work {
        SeekWork::Index(index) => each_input(request, report, |opened, report| {
            index::make(*index, &opened, request, report, &pending_files)
        }),
        SeekWork::VerifyIndex => each_input(request, report, |opened, _| index::verify(&opened, request)),
        SeekWork::Extract(extraction) if matches!(extraction.to, ExtractTo::Folder(_)) => {
            let mut archives = tar::Archives::default();
            let done = each_input(request, report, |opened, report| {
                tar::extract(opened, extraction, request, report, (None, &mut archives), &pending_files)
            });
            done.and_then(|()| archives.end(report, None))
        }
        SeekWork::Frames | SeekWork::Ranges(_) | SeekWork::Members | SeekWork::Extract(_) => {
            to_output(work, request, report, &pending_files)
        }
    };
    if let Err(failure) = done {
        failure.report("output", report);
    }
}

/// Does the work that has one output for all inputs.
fn to_output(
    work: &SeekWork,
    request: &Request,
    report: &mut Report,
    pending_files: &PendingFiles,
) -> Result<(), CliError> {
    let output = match &request.target {
        Target::File(path) => Destination::named(path, None, request, report, pending_files)?,
        Target::Stdout | Target::Beside => Destination::stdout(request)?,
    };
    output.begin()?;
    let (mut written, mut archives) = (0, tar::Archives::default());
    each_input(request, report, |opened, report| {
        output.check(&opened)?;
        // A table of members has local times, and takes the time zone first.
        if !matches!(work, SeekWork::Members) {
            confine_reader(opened.path.as_deref(), request, report, &opened.name());
        }
        if let SeekWork::Extract(extraction) = work {
            let to = (Some(&output), &mut archives);
            return tar::extract(opened, extraction, request, report, to, pending_files);
        }
        let out = output.file().ok_or_else(|| Kind::Failed("there is no output".into()))?;
        let mut out = Out { writer: BlockingWriter::new(handle::of(out)), written: &mut written };
        let (name, is_named) = (opened.name(), request.sources.len() > 1);
        if matches!(work, SeekWork::Members) {
            if is_named {
                write(&mut out, format!("{}:\n", printable(name.as_bytes())).as_bytes())?;
            }
            return tar::list(opened, request, report, &mut out);
        }
        let passed_over = match work {
            SeekWork::Ranges(_) => passed_over(&opened, request)?,
            _ => None,
        };
        let seekable = open(opened, request)?;
        match work {
            SeekWork::Ranges(ranges) => {
                copy(ranges, &seekable, &mut out)?;
                passed_over.into_iter().for_each(|what| report.warning(&name, what));
                Ok(())
            }
            _ => list(&name, is_named, &seekable, &mut out),
        }
    })?;
    archives.end(report, Some(&output))?;
    if output.is_file() && report.status() == Status::Error {
        return Err(CliError::from(Kind::Incomplete).about(output.name()));
    }
    output.complete(None, None, request.rules.sync)
}

/// Opens all inputs and does `work` for each. An error in one is reported.
fn each_input(
    request: &Request,
    report: &mut Report,
    mut work: impl FnMut(OpenInput, &mut Report) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut candidates = Candidates::new(request);
    while let Some(candidate) = candidates.next(report) {
        let done = candidate.open(request).and_then(|opened| {
            let is_in_order = !request.task.needs_file();
            if !is_in_order && !opened.facts.is_file() {
                let what = "is not a regular file, so it cannot be read from any place; save it to a file first, or \
                            decompress all of it with -dc";
                return Err(Kind::Failed(what.into()).into());
            }
            if !is_in_order {
                sevenz::refuse(&opened)?;
            }
            // The records are looked for only if the work fails.
            let again = opened.again();
            work(opened, report).map_err(|failure| {
                let again = again.as_ref();
                let rescue = again.map(|opened| (rescue(&failure, opened, request, None), opened.name()));
                match rescue {
                    Some((Rescue::Advice(advice), name)) => {
                        failure.report(&name, report);
                        Kind::Failed(advice.replace("FILE", &system::name::shell_word(&printable(name.as_bytes())))).into()
                    }
                    _ => failure,
                }
            })?;
            // Each part that was read may be right in itself, and they may not fit together.
            again.map_or(Ok(()), |opened| opened.check_unchanged())
        });
        if let Err(failure) = done {
            failure.report(&candidate.source.name(), report);
            if failure.is_fatal() {
                break;
            }
        }
    }
    Ok(())
}

/// The warning about an archive of several files, of which the ranges are read from one.
fn passed_over(opened: &OpenInput, request: &Request) -> Result<Option<String>, CliError> {
    let mut head = [0; HEAD_LEN];
    let read = opened.rest()?.read_at(&mut head, 0).map_err(CliError::cannot("read"))?;
    let is_archive = begins_archive(&head[..read]);
    // Only the first volume of several begins as an archive does.
    let about = opened.path.as_deref().filter(|_| !is_archive).and_then(sevenz::about_volume);
    if let Some(what) = about {
        return Err(Kind::Failed(what).into());
    }
    if !is_archive && matches!(request.options.entry, EntryChoice::Named(_) | EntryChoice::Number(_)) {
        let what = "is no qpress archive, so --range cannot be used with --extract or --extract-number";
        return Err(Kind::Failed(what.into()).into());
    }
    if request.options.entry != EntryChoice::First || !is_archive {
        return Ok(None);
    }
    let input = Input::from_file(&opened.file).map_err(CliError::cannot("open"))?;
    match List::new(&request.options.decode().map_err(Kind::Library)?)
        .decode(true)
        .run(input)
        .map_err(|error| kind_of(opened, error))
    {
        Ok(listing) => Ok(others(&listing.entries, &request.options.entry)),
        // One volume of several is not read at all.
        Err(kind @ Kind::Failed(_)) => Err(kind.into()),
        // Damage may be outside of the ranges. Reading them finds it otherwise.
        Err(_) => Ok(None),
    }
}

/// Opens the plain data of an input, without an index beside it.
fn open_alone(opened: OpenInput, request: &Request) -> Result<Seekable<Rest>, CliError> {
    Seekable::with_options(opened.rest()?, &request.options.decode().map_err(Kind::Library)?)
        .map_err(|error| kind_of(&opened, error).into())
}

/// Opens the plain data of an input, with the index beside it if there is one.
fn open(opened: OpenInput, request: &Request) -> Result<Seekable<Rest>, CliError> {
    // An index of an archive is that of the file that is taken without a choice.
    let is_chosen = matches!(request.options.entry, EntryChoice::Named(_) | EntryChoice::Number(_));
    match if is_chosen { None } else { index::find(&opened, request)? } {
        Some((index, name)) => {
            Seekable::with_index(opened.rest()?, index, &request.options.decode().map_err(Kind::Library)?)
                .map_err(|error| index::about_index(error, &name))
        }
        None => open_alone(opened, request),
    }
}

/// The output of all inputs. Its errors say how much was written.
struct Out<'a> {
    writer: BlockingWriter<'a>,
    written: &'a mut u64,
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = self.writer.write(bytes).map_err(|source| match source.kind() {
            ErrorKind::Interrupted => source,
            _ => io::Error::other(Error::Write { offset: *self.written, source }),
        })?;
        *self.written += len as u64;
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Writes to the output. A broken pipe ends the process.
fn write(out: &mut impl Write, bytes: &[u8]) -> Result<(), CliError> {
    out.write_all(bytes).map_err(unwritten)
}

/// The error of a write to the output. A broken pipe ends the process.
fn unwritten(error: io::Error) -> CliError {
    let error = error.downcast::<Error>().unwrap_or_else(|source| Error::Write { offset: 0, source });
    if error.is_broken_pipe() {
        signals::die_by_sigpipe();
    }
    CliError::from(Kind::Library(error)).about("output").fatal()
}

const HEADER: [&str; 5] = ["frame", "offset", "compressed", "plain offset", "uncompressed"];

/// Writes the table of a file, with the name of the file in front of it if there are several.
fn list(name: &str, is_named: bool, seekable: &Seekable<Rest>, out: &mut impl Write) -> Result<(), CliError> {
    let mut widths = HEADER.map(str::len);
    for (number, frame) in seekable.frames().enumerate() {
        for (width, cell) in widths.iter_mut().zip(row(number, &frame)) {
            *width = cell.len().max(*width);
        }
    }
    let mut out = BufWriter::new(out);
    if is_named {
        write(&mut out, format!("{}:\n", printable(name.as_bytes())).as_bytes())?;
    }
    let rows = seekable.frames().enumerate().map(|(number, frame)| row(number, &frame));
    for row in std::iter::once(HEADER.map(String::from)).chain(rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
        let line = cells.collect::<Vec<_>>().join("  ") + "\n";
        write(&mut out, line.as_bytes())?;
    }
    write(&mut out, b"")?;
    out.into_inner().map(drop).map_err(|error| unwritten(error.into_error()))
}

/// The cells of a frame. A plain length that only decoding tells is a dash.
fn row(number: usize, frame: &Frame) -> [String; 5] {
    [
        (number + 1).to_string(),
        frame.coded_offset.to_string(),
        frame.coded_len.to_string(),
        frame.plain_offset.to_string(),
        frame.plain_len.map_or_else(|| "-".into(), |len| len.to_string()),
    ]
}

/// How much is decoded at a time. It is enough for several frames, which are decoded in parallel.
const PART_LEN: u64 = 32 << 20;

fn copy(ranges: &[PlainRange], seekable: &Seekable<Rest>, out: &mut impl Write) -> Result<(), CliError> {
    let mut part = Vec::new();
    for range in ranges {
        let end = range.end.unwrap_or(u64::MAX);
        let mut at = range.start;
        while at < end {
            let len = (end - at).min(PART_LEN).min(left(seekable, at));
            part.resize(len as usize, 0);
            let read = seekable.read_at(&mut part, at).map_err(CliError::cannot("read the range"))?;
            if read == 0 {
                break;
            }
            write(out, &part[..read])?;
            at += read as u64;
        }
        let is_behind = match range.end {
            Some(end) => at < end,
            None => seekable.len().is_some_and(|len| range.start > len),
        };
        if is_behind {
            let len = seekable.measure().map_err(Kind::Library)?;
            let what = format!(
                "the range {range} ends behind the data, which has {len} bytes; what is there of the range is written"
            );
            return Err(Kind::Failed(what).into());
        }
    }
    Ok(())
}

/// How many bytes there can be from `at` on. It keeps the memory small for a range up to the end of a short file.
fn left(seekable: &Seekable<Rest>, at: u64) -> u64 {
    seekable.len().map_or(PART_LEN, |len| len.saturating_sub(at).max(1))
}
