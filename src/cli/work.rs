//! Compresses, decompresses or tests all inputs of a request, one after the other.
//!
//! `cli::run` calls [`work`] with the request of the command line. `source` opens the inputs, `target` makes the
//! outputs, `coding` codes each stream, and the report prints what came of it. An error in one input does not stop
//! the others, unless the error is fatal or the dialect ends the run. A file that is new or replaced appears only
//! when it is complete. A file that is written in place is emptied if writing fails.

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use pzcomp::Summary;

use super::coding::code_stream;
use super::error::{CliError, Kind};
use super::hash::Hashes;
use super::hash_file::HashFile;
use super::origin;
use super::pending::PendingFiles;
use super::report::Report;
use super::request::{IndexFile, Mode, Request, Source, Target};
use super::side;
use super::source::{Candidate, Candidates, OpenInput, is_same_file};
use super::suffix::{coded_path, plain_path};
use super::taken::TakenWhole;
use super::target::{Destination, make_folders, place_in_folder};
use super::tool::Status;
use super::volume;

/// Processes all inputs. An error in one input does not stop the others.
pub(super) fn work(request: &Request, report: &mut Report) {
    let pending_files = PendingFiles::default();
    if request.sources.iter().any(|source| matches!(source, Source::Command(_)))
        && let Err(error) = pending_files.watch()
    {
        return CliError::cannot("wait for signals")(error).report("--exec", report);
    }
    let mut hash_file = match HashFile::open(request, report, &pending_files) {
        Ok(hash_file) => hash_file,
        Err(failure) => return failure.report("--hash-file", report),
    };
    let hashed = &mut hash_file;
    let done = match (request.mode, &request.target) {
        (Mode::Test, _) => to_shared_output(Destination::Nothing, request, report, hashed),
        (_, Target::Stdout) => {
            Destination::stdout(request).and_then(|stdout| to_shared_output(stdout, request, report, hashed))
        }
        (_, Target::File(path)) => {
            let sole = sole_file(request);
            let has_input = request.sources.iter().any(Source::is_there);
            let folders = if request.rules.make_folders && has_input { make_folders(path) } else { Ok(()) };
            folders
                .and_then(|()| Destination::named(path, sole.as_ref(), request, report, &pending_files))
                .and_then(|file| to_shared_output(file, request, report, hashed))
        }
        (_, Target::Beside) => {
            to_own_outputs(request, report, &pending_files, hashed);
            Ok(())
        }
    };
    if let Err(failure) = done {
        failure.report("output", report);
    }
    if let Some(hash_file) = hash_file {
        hash_file.complete(request, report, &pending_files);
    }
}

/// The only input, if there is exactly one and it is a regular file. The output then gets its mode and times.
fn sole_file(request: &Request) -> Option<Metadata> {
    match &request.sources[..] {
        // An error is reported when the input is opened.
        [Source::Path(path)] => std::fs::metadata(path).ok().filter(Metadata::is_file),
        _ => None,
    }
}

/// The next input whose suffix is not excluded. In a folder, files for this run's own record and hashes are passed over.
fn next_included(candidates: &mut Candidates, request: &Request, report: &mut Report) -> Option<Candidate> {
    loop {
        let candidate = candidates.next(report)?;
        let is_side = candidate.found && side::is_found(&candidate.source, request);
        if !is_side && (request.mode != Mode::Compress || !request.suffixes.excludes(&candidate.source)) {
            return Some(candidate);
        }
    }
}

/// Processes each input to an output of its own.
fn to_own_outputs(
    request: &Request,
    report: &mut Report,
    pending_files: &PendingFiles,
    hash_file: &mut Option<HashFile>,
) {
    let mut candidates = Candidates::new(request);
    let mut sole_copies = SoleCopies::default();
    while let Some(candidate) = next_included(&mut candidates, request, report) {
        let name = candidate.source.name();
        let done = to_own_output(&candidate, request, report, pending_files, hash_file, &mut sole_copies);
        let is_fatal = done.unwrap_or_else(|failure| {
            failure.report(&name, report);
            failure.is_fatal()
        });
        if is_fatal || report.must_stop() {
            break;
        }
    }
}

/// Processes one input to an output of its own. Returns whether a fatal error was reported, by which the other inputs
/// would fail as well.
fn to_own_output(
    candidate: &Candidate,
    request: &Request,
    report: &mut Report,
    pending_files: &PendingFiles,
    hash_file: &mut Option<HashFile>,
    sole_copies: &mut SoleCopies,
) -> Result<bool, CliError> {
    let opened = candidate.open(request)?;
    let destination = match &opened.path {
        None => Destination::stdout(request)?,
        Some(path) => {
            let unknown = || {
                let kind = volume::about(path).map_or(Kind::UnknownSuffix, Kind::Failed);
                CliError::from(kind).with_found(candidate.found)
            };
            let path = match request.mode {
                Mode::Compress => coded_path(path, request),
                Mode::Recode => coded_path(&plain_path(path, request).ok_or_else(unknown)?, request),
                _ => origin::restored_path(plain_path(path, request).ok_or_else(unknown)?, &opened, request),
            };
            let path = place_in_folder(path, request)?;
            side::check_output(&path, request)?;
            Destination::new_file(path, Some(&opened.metadata), request, report, pending_files)?
        }
    };
    sole_copies.check(&destination)?;
    let (name, made) = (opened.name(), destination.path().map(Path::to_owned));
    let coded = match code_stream(&opened, &destination, request, report, &name, None) {
        Ok(coded) => coded,
        Err(failure) => {
            failure.report(&name, report);
            destination.discard(report);
            return Ok(failure.is_fatal());
        }
    };
    let done = coded.done(&name, request, made.as_deref());
    if report.refuses(&done) {
        report.done(&done);
        destination.discard(report);
        return Ok(false);
    }
    let modified = origin::restored_time(&opened, request);
    destination.complete(Some(&opened.metadata), modified, request.rules.sync)?;
    write_index_file(&opened, made.as_deref(), request, &coded.summary)?;
    if let (Some(file), Some(digests)) = (hash_file, &coded.digests) {
        file.add(made.as_deref(), digests.of_output(request.mode.writes_coded()));
    }
    let whole = TakenWhole::of(&done, report.done(&done));
    if remove(opened, whole, request, report)? {
        sole_copies.add(made.as_deref());
    }
    Ok(false)
}

/// The outputs of this run whose inputs are removed, by device and inode. Two inputs can have the same output, as
/// `a.gz` and `a.xz`, and `force` must not replace the only copy of the first one.
#[derive(Default)]
struct SoleCopies(HashSet<(u64, u64)>);

impl SoleCopies {
    fn add(&mut self, made: Option<&Path>) {
        let there = made.and_then(|made| std::fs::metadata(made).ok());
        self.0.extend(there.map(|there| (there.dev(), there.ino())));
    }

    /// Fails if the output would replace one of them.
    fn check(&self, destination: &Destination) -> Result<(), CliError> {
        let is_sole =
            destination.replaces().is_some_and(|there| self.0.contains(&(there.dev(), there.ino())));
        match is_sole {
            true => {
                let what = "was made in this run, of another input, which is removed; not overwritten";
                Err(CliError::from(Kind::Failed(what.into())).about(destination.name()))
            }
            false => Ok(()),
        }
    }
}

/// Processes all inputs to one output. If that is a file, it is completed only if no input failed.
fn to_shared_output(
    destination: Destination,
    request: &Request,
    report: &mut Report,
    hash_file: &mut Option<HashFile>,
) -> Result<(), CliError> {
    let (mut candidates, mut read) = (Candidates::new(request), Vec::new());
    // The hashes of all outputs together, unless there is only one.
    let has_several = !matches!(request.sources[..], [_]) || request.rules.recursive;
    let mut all = (hash_file.is_some() && has_several).then(|| Hashes::new(&request.telling.hashes));
    let mut sole_hashes = Vec::new();
    while let Some(candidate) = next_included(&mut candidates, request, report) {
        let coded = candidate.open(request).and_then(|opened| {
            let name = opened.name();
            let coded = code_stream(&opened, &destination, request, report, &name, all.as_mut())?;
            write_index_file(&opened, destination.path(), request, &coded.summary)?;
            if let (Some(file), Some(digests), Mode::Test) =
                (hash_file.as_mut(), &coded.digests, request.mode)
            {
                file.add(opened.path.as_deref(), &digests.coded);
            }
            let done = coded.done(&name, request, None);
            let whole = TakenWhole::of(&done, report.done(&done));
            if let (Some(digests), false) = (&coded.digests, has_several) {
                sole_hashes = digests.of_output(request.mode.writes_coded()).to_vec();
            }
            Ok((opened, whole))
        });
        match coded {
            Ok(done) => read.push(done),
            Err(failure) => {
                failure.report(&candidate.source.name(), report);
                if failure.is_fatal() || report.must_stop() {
                    destination.discard(report);
                    return Ok(());
                }
            }
        }
    }
    let has_output = !read.is_empty() && report.status() != Status::Error;
    let hashes = match has_output && request.mode != Mode::Test {
        true => all.map_or(sole_hashes, Hashes::finish),
        false => Vec::new(),
    };
    if !destination.is_file() {
        if let Some(file) = hash_file {
            file.add(None, &hashes);
        }
        return Ok(());
    }
    let lacks_inputs = report.status() == Status::Error;
    if lacks_inputs && !destination.is_in_place() {
        return Err(CliError::from(Kind::Incomplete).about(destination.name()));
    }
    if lacks_inputs || read.is_empty() && !request.sources.is_empty() {
        // The report has named the inputs that failed.
        destination.discard(report);
        return Ok(());
    }
    // Standard input can be any redirected file: its times are not those of the data, and its mode may give more
    // rights.
    let sole = match &read[..] {
        [(sole, _)] if sole.path.is_some() => Some(&sole.metadata),
        _ => None,
    };
    let path = destination.path().map(Path::to_owned);
    destination.complete(sole, None, request.rules.sync)?;
    if let Some(file) = hash_file {
        file.add(path.as_deref(), &hashes);
    }
    read.into_iter().try_for_each(|(opened, whole)| remove(opened, whole, request, report).map(drop))
}

/// Removes an input whose output is complete, if the request says so and it was taken whole. Returns whether it is
/// removed.
fn remove(
    opened: OpenInput,
    whole: Result<TakenWhole, String>,
    request: &Request,
    report: &mut Report,
) -> Result<bool, CliError> {
    match whole {
        _ if !request.rules.remove || opened.path.is_none() => Ok(false),
        Ok(whole) => opened.remove(whole, request).map(|()| true),
        Err(why) => {
            report.left(&opened.name(), &why);
            Ok(false)
        }
    }
}

/// Writes the index to its own file, if there is one.
fn write_index_file(
    opened: &OpenInput,
    made: Option<&Path>,
    request: &Request,
    summary: &Summary,
) -> Result<(), CliError> {
    let (Some(index), Some(place)) = (&summary.sidecar, &request.index_file) else {
        return Ok(());
    };
    let path = match (place, &opened.path) {
        (IndexFile::File(path), _) => path.clone(),
        (IndexFile::Beside(suffix), Some(path)) => {
            let mut name = coded_path(path, request).into_os_string();
            name.push(suffix);
            name.into()
        }
        (IndexFile::Beside(_), None) => return Ok(()),
    };
    let there = std::fs::metadata(&path).ok();
    let is = |file: &Metadata| there.as_ref().is_some_and(|there| is_same_file(there, file));
    if is(&opened.metadata)
        || made.and_then(|made| std::fs::metadata(made).ok()).is_some_and(|made| is(&made))
    {
        return Err(CliError::from(Kind::SameFile).about(path.display()));
    }
    std::fs::write(&path, index)
        .map_err(|error| CliError::cannot("write the index")(error).about(path.display()))
}
