//! Members of the tar archives inside of compressed files: `-l --tar`, and `--extract` with its kin.
//!
//! ```text
//! list in the file or beside it ─▶ the data of the chosen members ─┐
//! without a list: all data, in one pass ───────────────────────────┴▶ Extractor ─▶ output, folder or archive
//! ```
//!
//! In both cases the [`Extractor`] parses the headers in the data, and what comes out is what they say. With a list it
//! compares them with the list too, so a list that is wrong leads to an error and not to other data.

mod archive;
mod choice;
#[cfg(test)]
mod cuts;
mod extractor;
mod folder;
mod lines;
mod listed;
mod names;
mod output;
mod partial;
mod targets;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use pzcomp::tar::Member;
use pzcomp::{BlockingWriter, Decompress, EntryChoice, Input, Output, Seekable, printable};
use system::handle;
use system::place::read_at;

use super::{HEAD_LEN, Out, begins_archive};
use crate::confine::confine_reader;
use crate::error::{CliError, Kind};
use crate::pending::PendingFiles;
use crate::record::Record;
use crate::report::Report;
use crate::request::{ExtractTo, Extraction, Request, SeekWork, Source, Task};
use crate::sevenz::{self, kind_of};
use crate::source::{OpenInput, Rest};
use crate::target::Destination;
use crate::tool::Status;
use archive::{Archive, Joined};
use choice::Choice;
use extractor::{Extractor, Take};
use folder::Folder;
use lines::Lines;
use listed::{Listed, listed, without_list};
use output::Data;

/// So many problems with members are told.
const PROBLEMS_MAX: usize = 1000;

/// So many bytes tell of them. Hostile names are long.
const PROBLEMS_LEN_MAX: usize = 4 << 20;

/// What went wrong with single members.
#[derive(Debug, Default)]
struct Problems {
    told: Vec<(Status, String, String)>,
    /// The bytes of what is told.
    len: usize,
    more: usize,
    /// Whether names began with a slash.
    has_slash: bool,
    /// Whether symbolic links were refused.
    has_link: bool,
}

impl Problems {
    fn add(&mut self, status: Status, name: &[u8], what: impl Into<String>) {
        let (name, what) = (printable(name), what.into());
        let len = name.len() + what.len();
        match self.told.len() < PROBLEMS_MAX && self.len + len <= PROBLEMS_LEN_MAX {
            true => {
                self.len += len;
                self.told.push((status, name, what));
            }
            false => self.more += 1,
        }
    }

    fn error(&mut self, name: &[u8], what: impl Into<String>) {
        self.add(Status::Error, name, what);
    }

    fn report(self, report: &mut Report, is_quiet: bool) {
        for (status, name, what) in self.told {
            match status {
                Status::Error => report.error(name, what),
                Status::Fine if is_quiet => {}
                Status::Fine => report.notes(&[format!("{name}: note: {what}")]),
                Status::Warning => report.warning(name, what),
            }
        }
        if self.more > 0 {
            report.error("tar", format_args!("{} more members have such problems", self.more));
        }
        let mut notes = Vec::new();
        if self.has_slash {
            notes.push("note: the slash at the start of names does not count".to_owned());
        }
        if self.has_link {
            let what =
                "note: if the archive is trusted, tar makes all links: pzcomp -d --extract-tar FILE | tar -x";
            notes.push(what.to_owned());
        }
        if !is_quiet {
            report.notes(&notes);
        }
    }
}

/// The request for its archives with files of their own, if all inputs are such archives.
pub(crate) fn for_archives(request: &Request) -> Option<Request> {
    let Task::Seek(SeekWork::Extract(Extraction { names, to: ExtractTo::Output })) = &request.task else {
        return None;
    };
    let is_archive = |source: &Source| match source {
        Source::Path(path) => File::open(path).is_ok_and(|file| {
            let mut head = [0; HEAD_LEN];
            file.metadata().is_ok_and(|metadata| metadata.is_file())
                && read_at(&file, &mut head, 0).is_ok_and(|read| begins_archive(&head[..read]))
        }),
        _ => false,
    };
    let is_theirs = names.len() == 1 && request.sources.iter().all(is_archive);
    is_theirs.then(|| Request { task: Task::Decompress, ..request.clone() })
}

/// The first bytes of an input that is read in order.
fn head_of(opened: &OpenInput) -> Result<Vec<u8>, CliError> {
    let (mut head, mut file) = (Vec::new(), &opened.file);
    let start = file.stream_position().ok().filter(|_| opened.facts.is_file());
    file.take(HEAD_LEN as u64).read_to_end(&mut head).map_err(CliError::cannot("read"))?;
    if let Some(start) = start {
        file.seek(SeekFrom::Start(start)).map_err(CliError::cannot("read"))?;
    }
    Ok(head)
}

/// Writes a file of an archive of another kind, which cannot be read from its end.
fn file_of_archive(
    opened: &OpenInput,
    head: &[u8],
    work: &Extraction,
    request: &Request,
    report: &Report,
    destination: &Destination,
) -> Result<(), CliError> {
    if work.names.len() > 1 {
        let what = "is a qpress or 7z archive, of which one --extract takes one file; give one name";
        return Err(Kind::Failed(what.into()).into());
    }
    let output = destination.output().map_err(CliError::cannot("open"))?;
    let done = match sevenz::open(opened, request, report)? {
        Some(archive) => archive.code(opened, request, "", |input| {
            Decompress::new(&sevenz::passing(&request.options).decode()?).run(input, output)
        })?,
        None => {
            let options = request.options.decode().map_err(Kind::Library)?;
            Decompress::new(&options).run(input(opened, head)?, output)
        }
    };
    done.map(drop).map_err(|error| kind_of(opened, error).into())
}

/// The input, of which `head` was read before if it is read in order.
fn input<'a>(opened: &'a OpenInput, head: &'a [u8]) -> Result<Input<'a>, CliError> {
    match opened.facts.is_file() || head.is_empty() {
        true => Input::from_file(&opened.file).map_err(CliError::cannot("open")),
        false => Ok(Input::reader(head.chain(&opened.file))),
    }
}

/// Prints a line for each member, and adds the members to the record.
pub(super) fn list(
    opened: OpenInput,
    request: &Request,
    report: &mut Report,
    out: &mut (impl Write + Send),
) -> Result<(), CliError> {
    let (mut lines, mut printed) = (Lines::new(out), 0);
    confine_reader(opened.path.as_deref(), request, report, &opened.name());
    let listed = listed(&opened, request, &mut |name, what| report.warning(name, what))?;
    if let Some(record) = report.members() {
        record.begin_members(&opened.name(), matches!(listed, Listed::Whole(_)));
    }
    let done = match listed {
        Listed::Whole(seekable) => list_all(&seekable, &opened.name(), report, &mut lines, &mut printed),
        _ => Ok(false),
    };
    let done = match done {
        Ok(false) => {
            let mut all = Choice::new(&[]);
            let mut listing = Listing { lines: &mut lines, printed, record: report.members() };
            let mut extractor = Extractor::new(&mut all, &mut listing);
            let passed = one_pass(&opened, &[], request, &mut |bytes| extractor.feed(bytes));
            passed.and_then(|()| extractor.end())
        }
        done => done.map(drop),
    };
    if let Some(record) = report.members() {
        record.end_members(done.is_ok());
    }
    lines.flush().and(done)
}

/// Prints the members that a list has. Returns whether these are all: a damaged list is a warning.
fn list_all(
    seekable: &Seekable<Rest>,
    name: &str,
    report: &mut Report,
    lines: &mut Lines<'_, impl Write>,
    printed: &mut u64,
) -> Result<bool, CliError> {
    for member in seekable.members().map_err(Kind::Library)? {
        match member {
            Ok(member) => {
                lines.put(&member)?;
                if let Some(record) = report.members() {
                    record.member(&member);
                }
            }
            Err(damage) => {
                report.warning(name, without_list(damage)?);
                return Ok(false);
            }
        }
        *printed += 1;
    }
    Ok(true)
}

/// Takes the headers of all members.
struct Listing<'a, 'o, W> {
    lines: &'a mut Lines<'o, W>,
    /// So many were printed before.
    printed: u64,
    record: Option<&'a mut Record>,
}

impl<W: Write + Send> Take for Listing<'_, '_, W> {
    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        match self.printed.checked_sub(1) {
            Some(left) => self.printed = left,
            None => {
                self.lines.put(member)?;
                if let Some(record) = &mut self.record {
                    record.member(member);
                }
            }
        }
        Ok(false)
    }
}

/// The tar archives of all inputs, which count as one.
#[derive(Default)]
pub(super) struct Archives {
    /// The names that none of the archives so far has.
    missing: Option<Vec<Vec<u8>>>,
    /// The last archive, and how many there were.
    last: (String, usize),
    /// Members of one were not looked for to its end.
    is_partial: bool,
    /// What was written of an archive of all.
    joined: Joined,
}

impl Archives {
    /// Notes the names that this archive does not have.
    fn add<'n>(&mut self, name: String, missing: impl Iterator<Item = &'n [u8]>) {
        let missing: Vec<_> = missing.map(<[u8]>::to_vec).collect();
        self.missing = Some(match self.missing.take() {
            Some(before) => before.into_iter().filter(|name| missing.contains(name)).collect(),
            None => missing,
        });
        self.last = (name, self.last.1 + 1);
    }

    /// Tells of the names that no archive has, and ends the archive of all that goes to this output.
    pub(super) fn end(self, report: &mut Report, output: Option<&Destination>) -> Result<(), CliError> {
        let which = match self.last {
            (name, 1) => format!("the tar archive in {name}"),
            (_, count) => format!("the {count} tar archives"),
        };
        let mut problems = Problems::default();
        for name in self.missing.filter(|_| !self.is_partial).unwrap_or_default() {
            problems.error(&name, format!("no member of {which} has this name"));
        }
        problems.report(report, false);
        match output.and_then(Destination::file).filter(|_| self.joined.has_end) {
            Some(file) => super::write(&mut BlockingWriter::new(handle::of(file)), &archive::END),
            None => Ok(()),
        }
    }
}

/// Writes members of an input. `destination` is the output, if they do not go to a folder.
pub(super) fn extract(
    opened: OpenInput,
    work: &Extraction,
    request: &Request,
    report: &mut Report,
    (destination, archives): (Option<&Destination>, &mut Archives),
    pending_files: &PendingFiles,
) -> Result<(), CliError> {
    let head = head_of(&opened)?;
    if let (true, ExtractTo::Output, Some(destination)) = (begins_archive(&head), &work.to, destination) {
        return file_of_archive(&opened, &head, work, request, report, destination);
    }
    let is_hashed = !request.reporting.hashes.is_empty() || request.reporting.hash_file.is_some();
    if is_hashed || request.rules.remove || request.verify {
        let what = "--hash, --hash-file, --rm and --verify cannot be used with members of a tar archive";
        return Err(Kind::Failed(what.into()).into());
    }
    let mut problems = Problems::default();
    let mut choice = Choice::new(&work.names);
    let mut written = 0;
    let out = destination.and_then(Destination::file);
    let out = out.map(|file| Out { writer: BlockingWriter::new(handle::of(file)), written: &mut written });
    let done = match (&work.to, out) {
        (ExtractTo::Folder(path), _) => {
            let mut folder = Folder::open(path, request, pending_files, &mut problems)?;
            let done = take(&opened, &head, &mut choice, request, &mut folder);
            folder.finish(done.is_err());
            done
        }
        (ExtractTo::Output, Some(mut out)) => {
            take(&opened, &head, &mut choice, request, &mut Data::new(&mut out, &mut problems, &work.names))
        }
        (ExtractTo::Tar, Some(mut out)) => {
            let mut archive = Archive::new(&mut out, &mut problems, &mut archives.joined);
            let done = take(&opened, &head, &mut choice, request, &mut archive);
            // Whole members behind damage are an archive too. Nothing can follow a member that is not whole.
            archives.joined.has_end = done.is_ok() || archive.give_up();
            if archives.joined.has_end { done } else { done.map_err(CliError::fatal) }
        }
        (_, None) => Err(Kind::Failed("there is no output".into()).into()),
    };
    match &done {
        Ok(()) => archives.add(opened.name(), choice.missing()),
        Err(_) => archives.is_partial = true,
    }
    problems.report(report, request.reporting.verbosity.quiet);
    done
}

/// Puts the chosen members into `to`.
fn take(
    opened: &OpenInput,
    head: &[u8],
    choice: &mut Choice,
    request: &Request,
    to: &mut dyn Take,
) -> Result<(), CliError> {
    let warn = &mut |name: &str, what| to.problem(Status::Warning, name.as_bytes(), what);
    let seekable = match listed(opened, request, warn)? {
        Listed::Whole(seekable) if choice.is_all() => {
            // Without damage this is faster.
            let mut reached = None;
            let passed = in_order(opened, head, choice, request, &mut *to, &mut reached);
            let Err(failure) = passed else { return Ok(()) };
            let Some(from) = reached.filter(|_| to.give_up()) else { return Err(failure) };
            return listed::take(&seekable, choice, from, to).and(Err(failure));
        }
        Listed::Whole(seekable) => Some(seekable),
        Listed::Damaged(error) => {
            to.problem(Status::Warning, opened.name().as_bytes(), without_list(error)?);
            None
        }
        Listed::No => None,
    };
    match seekable {
        Some(seekable) => listed::take(&seekable, choice, 0, to),
        None => in_order(opened, head, choice, request, to, &mut None),
    }
}

/// Puts the chosen members into `to`, in one pass. After a failure of the decoder, `reached` is the offset of the first
/// member that is not complete.
fn in_order(
    opened: &OpenInput,
    head: &[u8],
    choice: &mut Choice,
    request: &Request,
    to: &mut dyn Take,
    reached: &mut Option<u64>,
) -> Result<(), CliError> {
    let mut extractor = Extractor::new(choice, to);
    let mut is_right = true;
    let passed =
        one_pass(opened, head, request, &mut |bytes| extractor.feed(bytes).inspect_err(|_| is_right = false));
    if passed.is_err() && is_right {
        *reached = Some(extractor.reached());
    }
    passed.and_then(|()| extractor.end())
}

/// Decodes all of an input in order.
fn one_pass(
    opened: &OpenInput,
    head: &[u8],
    request: &Request,
    take: &mut (dyn FnMut(&[u8]) -> Result<(), CliError> + Send),
) -> Result<(), CliError> {
    let mut options = request.options.clone();
    options.entry = EntryChoice::First;
    let options = options.decode().map_err(Kind::Library)?;
    let mut sink = Sink { take, failed: None };
    let done = Decompress::new(&options).run(input(opened, head)?, Output::writer(&mut sink));
    if let Some(failure) = sink.failed {
        return Err(failure);
    }
    done.map(drop).map_err(|error| kind_of(opened, error).into())
}

/// Passes decoded data on, and keeps the error of a part.
struct Sink<'a> {
    take: &'a mut (dyn FnMut(&[u8]) -> Result<(), CliError> + Send),
    failed: Option<CliError>,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.take)(bytes).map_err(|failure| {
            self.failed = Some(failure);
            io::Error::other("a member was not written")
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_take_bounded_memory_however_long_names_are() {
        let mut problems = Problems::default();
        for _ in 0..500 {
            problems.error(&[0xff; 64 << 10], "is wrong");
        }
        assert!(problems.len <= PROBLEMS_LEN_MAX && !problems.told.is_empty());
        assert_eq!(problems.told.len() + problems.more, 500);
    }
}
