//! Compressing, decompressing and testing: one input after the other.

use std::fs::Metadata;
use std::path::Path;

use pzcomp::{Error, Input, Summary};

use super::dialect::Done;
use super::partial::Partials;
use super::report::{Report, Status};
use super::request::{Mode, Request, Sidecar, Source, Target};
use super::size::human;
use super::source::{Candidate, Candidates, Opened};
use super::suffix::{coded_path, plain_path};
use super::target::{Destination, make_folders, placed};
use super::trouble::{Kind, Trouble};
use super::{inherited, origin};

/// Deals with all inputs. What is wrong with one does not stop the others.
pub(super) fn work(request: &Request, report: &mut Report) {
    let partials = Partials::default();
    let done = match (request.mode, &request.target) {
        (Mode::Test, _) => together(Destination::Nothing, request, report),
        (_, Target::Stdout) => {
            Destination::stdout(request).and_then(|stdout| together(stdout, request, report))
        }
        (_, Target::File(path)) => {
            let sole = sole_file(request);
            let has_input = request.sources.iter().any(Source::is_there);
            let folders = if request.folders && has_input { make_folders(path) } else { Ok(()) };
            folders
                .and_then(|()| Destination::named(path, sole.as_ref(), request, report, &partials))
                .and_then(|file| together(file, request, report))
        }
        (_, Target::Beside) => {
            apart(request, report, &partials);
            Ok(())
        }
    };
    if let Err(trouble) = done {
        trouble.tell("output", report);
    }
}

/// The one regular file that all output is made of, if it is one.
fn sole_file(request: &Request) -> Option<Metadata> {
    match &request.sources[..] {
        // What is wrong with it is reported when its turn comes.
        [Source::Path(path)] => std::fs::metadata(path).ok().filter(Metadata::is_file),
        _ => None,
    }
}

/// The next input that is not to be left out.
fn next(candidates: &mut Candidates, request: &Request, report: &mut Report) -> Option<Candidate> {
    loop {
        let candidate = candidates.next(report)?;
        if request.mode != Mode::Compress || !request.suffixes.exclude(&candidate.source) {
            return Some(candidate);
        }
    }
}

/// Each input to an output of its own.
fn apart(request: &Request, report: &mut Report, partials: &Partials) {
    let mut candidates = Candidates::new(request);
    while let Some(candidate) = next(&mut candidates, request, report) {
        let name = candidate.source.name();
        let is_fatal = alone(&candidate, request, report, partials).unwrap_or_else(|trouble| {
            trouble.tell(&name, report);
            trouble.is_fatal()
        });
        if is_fatal || report.is_over() {
            break;
        }
    }
}

/// One input to an output of its own; whether something has failed by which the others would fail, too.
fn alone(
    candidate: &Candidate,
    request: &Request,
    report: &mut Report,
    partials: &Partials,
) -> Result<bool, Trouble> {
    let opened = candidate.open(request)?;
    let destination = match &opened.path {
        None => Destination::stdout(request)?,
        Some(path) => {
            let unknown = || Trouble::from(Kind::UnknownSuffix).of_found(candidate.found);
            let path = match request.mode {
                Mode::Compress => coded_path(path, request),
                _ => origin::restored(plain_path(path, request).ok_or_else(unknown)?, &opened, request),
            };
            Destination::beside(placed(path, request)?, &opened.metadata, request, report, partials)?
        }
    };
    let (name, made) = (opened.name(), destination.path().map(Path::to_owned));
    let (summary, overhead) = match code(&opened, &destination, request, report, &name) {
        Ok(coded) => coded,
        Err(trouble) => {
            trouble.tell(&name, report);
            destination.give_up(report);
            return Ok(trouble.is_fatal());
        }
    };
    let modified = origin::restored_time(&opened, request);
    destination.complete(Some(&opened.metadata), modified, request.sync)?;
    write_sidecar(&opened, request, &summary)?;
    report.done(&Done { name: &name, request, summary: &summary, made: made.as_deref(), overhead });
    if request.remove {
        opened.remove(request)?;
    }
    Ok(false)
}

/// All inputs to one output, which is complete only if nothing was wrong with any.
fn together(destination: Destination, request: &Request, report: &mut Report) -> Result<(), Trouble> {
    let (mut candidates, mut read) = (Candidates::new(request), Vec::new());
    while let Some(candidate) = next(&mut candidates, request, report) {
        let coded = candidate.open(request).and_then(|opened| {
            let name = opened.name();
            let (summary, overhead) = code(&opened, &destination, request, report, &name)?;
            write_sidecar(&opened, request, &summary)?;
            report.done(&Done { name: &name, request, summary: &summary, made: None, overhead });
            Ok(opened)
        });
        match coded {
            Ok(opened) => read.push(opened),
            Err(trouble) => {
                trouble.tell(&candidate.source.name(), report);
                if trouble.is_fatal() || report.is_over() {
                    destination.give_up(report);
                    return Ok(());
                }
            }
        }
    }
    if !destination.is_file() {
        return Ok(());
    }
    let lacks_inputs = report.status() == Status::Error;
    if lacks_inputs && !destination.is_in_place() {
        return Err(Trouble::from(Kind::Incomplete).about(destination.name()));
    }
    if lacks_inputs || read.is_empty() && !request.sources.is_empty() {
        // The user was told why.
        destination.give_up(report);
        return Ok(());
    }
    // The times of a redirected standard input are those of whatever it comes from, and its mode may be more public.
    let sole = match &read[..] {
        [sole] if sole.path.is_some() => Some(&sole.metadata),
        _ => None,
    };
    destination.complete(sole, None, request.sync)?;
    if request.remove {
        read.into_iter().try_for_each(|opened| opened.remove(request))?;
    }
    Ok(())
}

/// Writes the index that is a file of its own, if there is one.
fn write_sidecar(opened: &Opened, request: &Request, summary: &Summary) -> Result<(), Trouble> {
    let (Some(index), Some(sidecar)) = (&summary.sidecar, &request.sidecar) else {
        return Ok(());
    };
    let path = match (sidecar, &opened.path) {
        (Sidecar::File(path), _) => path.clone(),
        (Sidecar::Beside(suffix), Some(path)) => {
            let mut name = coded_path(path, request).into_os_string();
            name.push(suffix);
            name.into()
        }
        (Sidecar::Beside(_), None) => return Ok(()),
    };
    std::fs::write(&path, index)
        .map_err(|error| Trouble::cannot("write the index")(error).about(path.display()))
}

/// The work itself, which is the library's. What came of it, and how many bytes of the coded data are
/// only about the file.
fn code(
    opened: &Opened,
    destination: &Destination,
    request: &Request,
    report: &mut Report,
    name: &str,
) -> Result<(Summary, u64), Trouble> {
    destination.check(opened)?;
    destination.begin()?;
    let cannot = Trouble::cannot("open");
    let input = Input::from_file(&opened.file).map_err(cannot)?;
    let output = destination.output().map_err(|error| cannot(error).about(destination.name()))?;
    report.detail(name, settings(request, destination));
    let (summary, overhead) = match request.mode {
        Mode::Compress => {
            let (options, overhead) = origin::stored(opened, request, report);
            (pzcomp::compress_io(input, output, &options), overhead)
        }
        _ => {
            let done = match pzcomp::decompress_io(input, output, &request.options) {
                Err(Error::Empty) if request.empty => Ok(Summary::default()),
                done => done,
            };
            (done, origin::overhead(opened, request))
        }
    };
    let summary = summary.map_err(|error| {
        let magic = opened.magic_of(&error);
        let trouble = trouble(error, destination, request).of_frame(magic);
        if request.stops { trouble.fatal() } else { trouble }
    })?;
    Ok((summary, overhead))
}

/// What an error of the library means here.
fn trouble(error: Error, destination: &Destination, request: &Request) -> Trouble {
    if error.is_broken_pipe() {
        inherited::die_by_sigpipe();
    }
    match error {
        Error::Level { .. }
        | Error::BlockSize { .. }
        | Error::NotWritten { .. }
        | Error::Unavailable { .. } => Kind::Usage(error.to_string()).into(),
        Error::Write { .. } if request.target == Target::Beside => {
            Trouble::from(Kind::Coding(error)).about(destination.name())
        }
        Error::Write { .. } => Trouble::from(Kind::Coding(error)).about(destination.name()).fatal(),
        // The library says what was written; but half a file is none.
        Error::Truncated { .. } | Error::Corrupt { .. } | Error::TrailingGarbage { .. }
            if destination.is_file() && !destination.is_in_place() =>
        {
            Kind::Discarded(error, destination.name()).into()
        }
        _ => Kind::Coding(error).into(),
    }
}

/// For those who ask twice.
fn settings(request: &Request, destination: &Destination) -> String {
    let options = &request.options;
    let threads = options.worker_count();
    let memory =
        options.memory.map_or_else(String::new, |memory| format!(", memory at most {}", human(memory)));
    let work = match request.mode {
        Mode::Compress => {
            let level = options.level.unwrap_or(options.format.default_level());
            let blocks = options.block_size.map_or_else(|| "by level".into(), |len| human(len as u64));
            let index = if options.index { "with" } else { "without" };
            format!("to {} level {level}, blocks {blocks}, {index} index", options.format)
        }
        _ => "from any format".into(),
    };
    format!("{work}, {threads} threads{memory}, to {}", destination.name())
}
