//! Codes one stream of a request with the library: compresses, decompresses, tests, recodes or salvages it.
//!
//! `work` opens the input, makes the output and calls [`code_stream`]. The errors of the library become errors of the
//! command here.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use pzcomp::salvage::SalvageReport;
use pzcomp::{Compress, Decompress, Error, Input, Output, Progress, Recode, Recoded, Summary, Taps};
use system::facts::Facts;
use system::place::is_only_written;
use system::sandbox::Left;
use system::signals;

use super::ahead::Made;
use super::confine::confine;
use super::ending::Ending;
use super::error::{CliError, Kind, sentence};
use super::hash::{Digests, Hashes};
#[cfg(debug_assertions)]
use super::hostile;
use super::producer::{self, Producer};
use super::report::Report;
use super::request::{MemberStream, Mode, Options, Request, Target, Task};
use super::settings::{needs, settings};
use super::sevenz::{self, SevenZ};
use super::side::RECORDS;
use super::source::{OpenInput, short_max};
use super::target::Destination;
use super::tool::Done;
use super::{listed, origin, salvage};

/// A stream that was coded.
pub(super) struct Coded {
    pub(super) summary: Summary,
    /// How many coded bytes were decoded, if the output is coded again.
    read_len: Option<u64>,
    /// How many coded bytes are header and trailer.
    overhead: u64,
    pub(super) digests: Option<Digests>,
    salvaged: Option<SalvageReport>,
}

impl From<Summary> for Coded {
    fn from(summary: Summary) -> Self {
        Self { summary, read_len: None, overhead: 0, digests: None, salvaged: None }
    }
}

impl From<Recoded> for Coded {
    /// The figures are those of the output. What the messages say of the data behind the last frame concerns the input.
    fn from(recoded: Recoded) -> Self {
        let (read, mut summary) = (recoded.read, recoded.written);
        summary.wall = summary.wall.max(read.wall);
        (summary.trailing, summary.remarks, summary.unverified) =
            (read.trailing, read.remarks, read.unverified);
        (summary.entries, summary.lacks_end) = (read.entries, read.lacks_end);
        Self { read_len: Some(read.coded_len), ..Self::from(summary) }
    }
}

impl Coded {
    /// The lengths of the input and of the output.
    fn lens(&self, mode: Mode) -> (u64, u64) {
        let Self { summary: Summary { plain_len, coded_len, .. }, read_len, .. } = self;
        match mode {
            Mode::Compress => (*plain_len, *coded_len),
            Mode::Recode => (read_len.unwrap_or_default(), *coded_len),
            Mode::Decompress | Mode::Test | Mode::List => (*coded_len, *plain_len),
        }
    }

    pub(super) fn done<'a>(
        &'a self,
        name: &'a str,
        request: &'a Request,
        made: Option<&'a Path>,
    ) -> Done<'a> {
        let Self { summary, read_len, overhead, digests, salvaged } = self;
        let (digests, salvaged) = (digests.as_ref(), salvaged.as_ref());
        Done { name, request, summary, made, digests, salvaged, overhead: *overhead, read_len: *read_len }
    }
}

/// Codes one stream with the library, unless `made` has what was made of it before its turn. `all` are hashes of all
/// outputs, to which this output is added.
pub(super) fn code_stream(
    opened: &OpenInput,
    made: Option<Made>,
    destination: &Destination,
    request: &Request,
    report: &mut Report,
    name: &str,
    mut all: Option<&mut Hashes>,
) -> Result<Coded, CliError> {
    destination.check(opened)?;
    let is_salvage = matches!(request.task, Task::Salvage(_));
    if is_salvage {
        salvage::check(opened)?;
    }
    let archive = sevenz::open(opened, request, report)?;
    destination.begin()?;
    let cannot = CliError::cannot("open");
    // Why the end of the input does not count.
    let unexpected_end = RefCell::new(None);
    let short = match &made {
        Some(_) => Some(Vec::new()),
        None if request.takes_short() => opened.short(short_max(request)).map_err(Kind::Library)?,
        None => None,
    };
    let rest;
    let mut ending = Ending::new(opened.producer.as_ref(), request.expected.as_ref());
    let input = match (&short, &opened.producer, &request.expected) {
        (Some(bytes), ..) => Input::Memory(bytes),
        // The whole input is read again and again, also if the system states no length.
        (None, None, None) if is_salvage => {
            rest = opened.rest()?;
            Input::from(&rest as &dyn pzcomp::ReadAt)
        }
        (None, None, None) => Input::from_file(&opened.file).map_err(cannot)?,
        (None, producer, _) => Input::checked(&opened.file, |bytes| {
            ending.see(bytes).map_err(|why| {
                let error = io::Error::other(why.clone());
                unexpected_end.replace(Some(why));
                error
            })
        })
        .ended_if(|| producer.as_ref().is_some_and(Producer::has_failed)),
    };
    let output = match &made {
        Some(_) => Output::Nothing,
        None => destination.output().map_err(|error| cannot(error).about(destination.name()))?,
    };
    report.print_settings(2, name, || settings(request, &destination.name()));
    report.print_settings(1, name, || needs(request));
    let mut left = left(opened, destination, request);
    left.files |= archive.is_some();
    if !left.files && short.is_none() {
        // The library asks files how many CPUs there are.
        request.options.worker_count();
    }
    confine(left, request, report, name);
    #[cfg(debug_assertions)]
    hostile::act();
    let progress = Progress::default();
    let mut read = Hashes::new(&request.reporting.hashes);
    let mut written = Hashes::new(&request.reporting.hashes);
    // The list of a tar archive in the file.
    let of_members = if made.is_some() { None } else { listed::to_compare(opened, request) };
    let mut compared = of_members.as_ref().and_then(listed::Comparison::new);
    let taps = match request.reporting.hashes.is_empty() {
        true => Taps {
            output: match &mut compared {
                Some(compared) => Some(Box::new(|bytes| compared.feed(bytes))),
                None => None,
            },
            ..Taps::default()
        },
        false => Taps {
            input: Some(Box::new(|bytes| read.update(bytes))),
            output: Some(Box::new(|bytes| {
                written.update(bytes);
                if let Some(all) = &mut all {
                    all.update(bytes);
                }
                if let Some(compared) = &mut compared {
                    compared.feed(bytes);
                }
            })),
        },
    };
    let mut salvaged = None;
    let len = archive.as_ref().map(SevenZ::plain_len).or_else(|| opened.remaining());
    report.begin(name, len.or(request.reporting.size_hint), &progress);
    let options_for = |report: &mut Report| {
        origin::compression_options(opened, request, |failure| failure.report(name, report))
    };
    let (coded, overhead) = match (made, request.mode()) {
        (Some(made), mode) => {
            let overhead = match mode {
                Mode::Compress => options_for(report).1,
                _ => origin::overhead(opened, request),
            };
            drop(taps);
            let put = destination.put(&made.bytes);
            (put.map(|()| made.summary.into()), overhead)
        }
        (None, _) if let Some(archive) = &archive => {
            let done = code_archive(archive, (opened, destination), request, (output, taps), &progress);
            let done = done.inspect_err(|_| {
                report.end_stream(None);
                report.failed(name, &progress);
            });
            (done.map_err(|failure| if request.stop_at_error { failure.fatal() } else { failure })?, 0)
        }
        (None, Mode::Compress) => {
            let (options, overhead) = options_for(report);
            let done = options.encode().and_then(|options| {
                let run = Compress::new(&options).verify(request.verify).taps(taps).progress(&progress);
                run.run(input, output)
            });
            (done.map(Coded::from), overhead)
        }
        (None, Mode::Recode) if matches!(request.task, Task::Members(..)) => {
            let done = request.options.encode().and_then(|to| {
                let from = request.options.decode_with(false, Some(&progress))?;
                pzcomp::mydumper::recode(input, output, &from, &to)
            });
            let recoded = |summary: Summary| {
                let (read_len, mut written) = (Some(summary.coded_len), summary);
                written.coded_len = written.plain_len;
                Coded { read_len, ..Coded::from(written) }
            };
            drop(taps);
            (done.map(recoded), 0)
        }
        (None, Mode::Recode) => {
            let options = request.options.encode();
            let done = options.and_then(|to| {
                let from = request.options.decode()?;
                let run = Recode::new(&from, &to).verify(request.verify).taps(taps).progress(&progress);
                run.run(input, output)
            });
            (done.map(Coded::from), 0)
        }
        (None, _) => {
            let options = request.options.decode_with(destination.is_sparse(request), Some(&progress));
            let done = options.and_then(|options| match request.task {
                Task::Salvage(work) => {
                    drop(taps);
                    let done = salvage::run((input, output), work, request, report, opened, name)?;
                    let summary = done.summary.clone();
                    salvaged = Some(done);
                    Ok(summary)
                }
                Task::Members(stream, _) => {
                    drop(taps);
                    match stream {
                        MemberStream::Xbstream => pzcomp::xbstream::decompress(input, output, &options),
                        MemberStream::Mydumper => pzcomp::mydumper::decompress(input, output, &options),
                    }
                }
                _ => Decompress::new(&options).verify(request.verify).taps(taps).run(input, output),
            });
            let done = match done {
                Err(Error::Empty) if request.accept_empty => Ok(Summary::default()),
                Err(Error::NotCompressed { .. }) if is_copied(opened, request) => copy(opened, destination),
                done => done,
            };
            (done.map(Coded::from), origin::overhead(opened, request))
        }
    };
    if let (Ok(coded), Some(_)) = (&coded, &short) {
        opened.pass(if request.mode() == Mode::Compress {
            coded.summary.plain_len
        } else {
            coded.summary.coded_len
        });
    }
    report.end_stream(coded.as_ref().ok().map(|coded| coded.lens(request.mode())));
    let coded = coded.map_err(|error| {
        report.failed(name, &progress);
        if error.is_broken_pipe() && signals::sigpipe_ends() {
            producer::end();
            report.end_by_sigpipe();
        }
        if let Some(why) = unexpected_end.take() {
            return incomplete(&why, destination);
        }
        let error = match sevenz::kind_of(opened, error) {
            Kind::Library(error) => error,
            kind => return kind.into(),
        };
        let magic = opened.magic_of(&error);
        if let (Error::Unavailable { .. }, Some(misstated)) = (&error, origin::misstated(opened, request)) {
            return Kind::Usage(format!("{name}: {}; {misstated}", sentence(&error))).into();
        }
        let failure = classify(error, destination, request).with_magic(magic);
        if request.stop_at_error { failure.fatal() } else { failure }
    })?;
    if let Some(compared) = compared {
        compared.end()?;
    }
    if is_salvage {
        opened.check_unchanged()?;
    }
    if let Some(archive) = archive.filter(|_| !request.reporting.hashes.is_empty()) {
        // The run has read the files, and not the archive.
        read = Hashes::new(&request.reporting.hashes);
        archive.show(opened, |bytes| read.update(bytes))?;
    }
    let digests = (!request.reporting.hashes.is_empty()).then(|| {
        let (read, written) = (read.finish(), written.finish());
        match request.mode() {
            Mode::Compress | Mode::Recode => Digests { plain: read, coded: written },
            _ => Digests { plain: written, coded: read },
        }
    });
    Ok(Coded { overhead, digests, salvaged, ..coded })
}

/// What the run needs besides what is open. If the input proves damaged, records beside it are needed.
fn left<'a>(opened: &'a OpenInput, destination: &'a Destination, request: &Request) -> Left<'a> {
    let has_records = |path: &PathBuf| {
        let mut records = path.clone().into_os_string();
        records.push(RECORDS);
        Path::new(&records).exists()
    };
    let is_read_again = |file: &File| {
        request.verify && Facts::of(file).is_ok_and(|there| there.is_file()) && is_only_written(file)
    };
    Left {
        files: !request.opens_no_more()
            || destination.file().is_some_and(is_read_again)
            || request.mends && opened.path.as_ref().is_some_and(has_records),
        output: destination.left(opened),
        removed: opened.path.as_deref().filter(|_| request.rules.remove),
        program: opened.producer.as_ref().map(Producer::pid),
    }
}

/// Codes the chosen files of a 7z archive. The inner error is that of the run over their data.
fn code_archive(
    archive: &SevenZ,
    (opened, destination): (&OpenInput, &Destination),
    request: &Request,
    (output, taps): (Output, Taps),
    progress: &Progress,
) -> Result<Result<Coded, Error>, CliError> {
    let is_dropped = destination.is_file() && !destination.is_in_place();
    let made = if is_dropped { destination.name() } else { String::new() };
    archive.code(opened, request, &made, |input| {
        if request.mode() == Mode::Recode {
            // The other half is for the archive.
            let memory = request.options.memory.map(|memory| memory / 2);
            let options = Options { memory, ..request.options.clone() }.encode()?;
            let run = Compress::new(&options).verify(request.verify).taps(taps).progress(progress);
            let summary = archive.of_files(run.run(input, output)?);
            return Ok(Coded { read_len: Some(archive.coded_len), ..Coded::from(summary) });
        }
        let options = sevenz::passing(&request.options);
        let options = options.decode_with(destination.is_sparse(request), Some(progress))?;
        let summary = Decompress::new(&options).verify(request.verify).taps(taps).run(input, output)?;
        Ok(archive.of_archive(archive.of_files(summary)).into())
    })
}

/// The error of an input that is not complete.
fn incomplete(why: &str, destination: &Destination) -> CliError {
    let output = match destination.path() {
        Some(_) => format!("{} was not made", destination.name()),
        None => "the output ends inside a frame, so that its reader fails too".into(),
    };
    CliError::from(Kind::Failed(format!("{why}; {output}"))).fatal()
}

/// Whether an input that is in no accepted format is copied to a file of its own.
fn is_copied(opened: &OpenInput, request: &Request) -> bool {
    let Some(magic) = request.copy_unless.filter(|_| opened.path.is_some()) else {
        return false;
    };
    let mut head = vec![0; magic.len()];
    pzcomp::ReadAt::read_at(&opened.file, &mut head, 0).is_ok_and(|len| head[..len] != *magic)
}

/// Copies the whole input to the output, to which nothing was written.
fn copy(opened: &OpenInput, destination: &Destination) -> Result<Summary, Error> {
    let read_error = |source| Error::Read { offset: 0, source };
    let mut input = &opened.file;
    input.rewind().map_err(read_error)?;
    let Some(mut output) = destination.file() else { return Ok(Summary::default()) };
    let len = io::copy(&mut input, &mut output).map_err(|source| Error::Write { offset: 0, source })?;
    let mut summary = Summary::default();
    (summary.plain_len, summary.coded_len) = (len, len);
    Ok(summary)
}

/// Turns an error of the library into an error of the command, with the output that it concerns. A broken pipe ends
/// the process.
fn classify(error: Error, destination: &Destination, request: &Request) -> CliError {
    if error.is_broken_pipe() {
        signals::die_by_sigpipe();
    }
    match error {
        Error::Level { .. }
        | Error::BlockSize { .. }
        | Error::NotWritten { .. }
        | Error::Unavailable { .. } => Kind::Usage(sentence(&error)).into(),
        Error::Write { .. } if request.target == Target::Beside => {
            CliError::from(Kind::Library(error)).about(destination.name())
        }
        Error::Write { .. } => CliError::from(Kind::Library(error)).about(destination.name()).fatal(),
        // The library reports how much was written. A file that is not complete is discarded.
        Error::Truncated { .. }
        | Error::Unfinished { .. }
        | Error::NoEnd { .. }
        | Error::Corrupt { .. }
        | Error::TrailingGarbage { .. }
        | Error::Member { .. }
        | Error::NotVerified { .. }
            if destination.is_file() && !destination.is_in_place() =>
        {
            Kind::Discarded(error, destination.name()).into()
        }
        _ => Kind::Library(error).into(),
    }
}
