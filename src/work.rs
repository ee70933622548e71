//! Compresses, decompresses or tests all inputs of a request, one after the other. `ahead` may have coded a short one
//! before its turn.
//!
//! `main` calls [`work`] with the request of the command line. `source` opens the inputs, `target` makes the
//! outputs, `coding` codes each stream, and the report prints what came of it. An error in one input does not stop
//! the others, unless the error is fatal or the dialect ends the run. A file that is new or replaced appears only
//! when it is complete. A file that is written in place is emptied if writing fails.

use std::collections::BTreeSet;
use std::path::Path;

use pzcomp::{Summary, printable};

use super::ahead::{Ahead, Made, Tools};
use super::coding::{Coded, code_stream};
use super::confine::keep_files;
use super::error::{CliError, Kind};
use super::fifos;
use super::hash::Hashes;
use super::hash_file::HashFile;
use super::pending::PendingFiles;
use super::recovery::{Rescue, for_salvage, rescue};
use super::report::Report;
use super::request::{IndexFile, Mode, Request, Source, Target, Task};
use super::side;
use super::source::{Candidate, Candidates, OpenInput, ReadInput, is_same_file};
use super::suffix::coded_path;
use super::taken::TakenWhole;
use super::target::{Destination, make_folders, place_in_folder};
use super::tool::Status;
use super::{origin, sevenz};
use system::facts::{Facts, Identity};

/// Processes all inputs. An error in one input does not stop the others.
pub(super) fn work(request: &Request, report: &mut Report) {
    keep_files(request, report);
    let pending_files = PendingFiles::default();
    if request.sources.iter().any(|source| matches!(source, Source::Command(_))) {
        pending_files.watch();
    }
    let hash_file = match HashFile::open(request, report, &pending_files) {
        Ok(hash_file) => hash_file,
        Err(failure) => return failure.report("--hash-file", report),
    };
    let candidates = Candidates::new(request);
    let sole_copies = SoleCopies::default();
    let ahead = Ahead::new(request, &pending_files);
    std::thread::scope(|scope| {
        let ahead = ahead.as_ref();
        let _running = ahead.map(|ahead| ahead.start(scope));
        let pending_files = &pending_files;
        let tools = Tools::default();
        let mut run =
            Run { request, report, pending_files, candidates, ahead, tools, hash_file, sole_copies };
        if let Err(failure) = run.all() {
            failure.report("output", run.report);
        }
        if let Some(hash_file) = run.hash_file {
            hash_file.complete(request, run.report, pending_files);
        }
    });
}

/// The work on one request.
struct Run<'a> {
    request: &'a Request,
    report: &'a mut Report,
    pending_files: &'a PendingFiles,
    candidates: Candidates,
    ahead: Option<&'a Ahead<'a>>,
    tools: Tools,
    hash_file: Option<HashFile>,
    sole_copies: SoleCopies,
}

/// The error of the output. If a program was to run, or a pipe to be read, there is no backup now, which is more than a
/// warning.
fn not_made(failure: CliError, request: &Request) -> CliError {
    let why = match (&failure.kind, &request.sources[..]) {
        (Kind::Exists, [Source::Command(_)]) => "the program was not run",
        (Kind::Exists, [Source::Stdin]) if request.rules.existing_is_error => "the input was not read",
        _ => return failure,
    };
    let what = format!("already exists, so {why}. Use -f to overwrite the file, or name another");
    CliError::from(Kind::Failed(what)).about(failure.about.unwrap_or_default())
}

/// The only input, if there is exactly one and it is a regular file. The output then gets its mode and times.
fn sole_file(request: &Request) -> Option<Facts> {
    match &request.sources[..] {
        // An error is reported when the input is opened.
        [Source::Path(path)] => Facts::at(path).ok().filter(Facts::is_file),
        _ => None,
    }
}

impl Run<'_> {
    /// Processes all inputs.
    fn all(&mut self) -> Result<(), CliError> {
        let request = self.request;
        match (request.mode(), &request.target) {
            (Mode::Test, _) => self.code_together(Destination::Nothing),
            (_, Target::Stdout) => self.code_together(Destination::stdout(request)?),
            (_, Target::File(path)) => {
                if request.rules.make_folders && request.sources.iter().any(Source::is_there) {
                    make_folders(path)?;
                }
                let sole = sole_file(request);
                let file = Destination::named(path, sole.as_ref(), request, self.report, self.pending_files);
                self.code_together(file.map_err(|failure| not_made(failure, request))?)
            }
            (_, Target::Beside) if request.rules.fifos => {
                self.code_at_once();
                Ok(())
            }
            (_, Target::Beside) => {
                self.code_each();
                Ok(())
            }
        }
    }

    /// The next input whose suffix is not excluded. In a folder, files for this run's own record and hashes are passed
    /// over.
    fn next(&mut self) -> Option<Candidate> {
        let request = self.request;
        loop {
            let candidate = self.candidates.next(self.report)?;
            let is_side = candidate.found && side::is_found(&candidate.source, request);
            if !is_side && (request.mode() != Mode::Compress || !request.suffixes.excludes(&candidate.source))
            {
                if let Some(ahead) = self.ahead {
                    ahead.offer(&candidate, &self.candidates);
                }
                return Some(candidate);
            }
        }
    }

    /// Opens the input whose turn it is, and gives what was made of it before.
    fn open(&mut self, candidate: &Candidate) -> Result<(OpenInput, Option<Made>), CliError> {
        if let Some((opened, made)) = self.ahead.and_then(|ahead| ahead.take(candidate, &mut self.tools))
            && candidate.is_still(&opened, self.request)?
        {
            return Ok((opened, Some(made)));
        }
        Ok((candidate.open(self.request)?, None))
    }

    /// Processes each input to an output of its own.
    fn code_each(&mut self) {
        while let Some(candidate) = self.next() {
            let is_fatal = self.code_one(&candidate).unwrap_or_else(|failure| {
                failure.report(&candidate.source.name(), self.report);
                failure.is_fatal()
            });
            if is_fatal || self.report.must_stop() {
                break;
            }
        }
    }

    /// Compresses named pipes at the same time, each to an output of its own. If one fails, there is no output.
    fn code_at_once(&mut self) {
        let (request, mut streams, mut failed) = (self.request, Vec::new(), false);
        while let Some(candidate) = self.next() {
            let is_same = |one: &fifos::Stream, other: &fifos::Stream| match (one.1.path(), other.1.path()) {
                (Some(one), Some(other)) => side::is_same(one, other),
                _ => false,
            };
            match self.stream_of(&candidate) {
                Ok(stream) if streams.iter().any(|other| is_same(other, &stream)) => {
                    let what = "another pipe has the same output; give each a name of its own";
                    CliError::from(Kind::Failed(what.into())).report(&candidate.source.name(), self.report);
                    stream.1.discard(self.report);
                    failed = true;
                }
                Ok(stream) => streams.push(stream),
                Err(failure) => {
                    failure.report(&candidate.source.name(), self.report);
                    failed = true;
                }
            }
        }
        let coded = if failed { None } else { Some(fifos::compress(&streams, request)) };
        match coded {
            Some(Ok(summaries)) => {
                for ((opened, destination), summary) in streams.into_iter().zip(summaries) {
                    let (name, path) = (opened.name(), destination.path().map(Path::to_owned));
                    match destination.complete(Some(&opened.facts), None, request.rules.sync) {
                        Ok(()) => {
                            let coded = Coded::from(summary);
                            self.report.done(&coded.done(&name, request, path.as_deref()));
                        }
                        Err(failure) => failure.report(&name, self.report),
                    }
                }
                return;
            }
            Some(Err((number, failure))) => {
                let name = streams.get(number).map(|(opened, _)| opened.name()).unwrap_or_default();
                failure.report(&name, self.report);
            }
            None => {}
        }
        for (_, destination) in streams {
            destination.discard(self.report);
        }
        self.report.error("--fifos", "no output was made of any of the pipes");
    }

    /// An input that is not read yet, and its output.
    fn stream_of(&mut self, candidate: &Candidate) -> Result<fifos::Stream, CliError> {
        let request = self.request;
        let opened = candidate.open(request)?;
        let path = opened.path.as_deref().and_then(|path| origin::path_beside(path, &opened, request));
        let path = path.ok_or_else(|| opened.unknown_suffix(request))?;
        let path = place_in_folder(path, request)?;
        let facts = Some(&opened.facts);
        let destination = Destination::new_file(path, facts, request, self.report, self.pending_files)?;
        Ok((opened, destination))
    }

    /// Processes one input to an output of its own. Returns whether a fatal error was reported, by which the other
    /// inputs would fail as well.
    fn code_one(&mut self, candidate: &Candidate) -> Result<bool, CliError> {
        let request = self.request;
        let (opened, mut made) = self.open(candidate)?;
        let destination = match &opened.path {
            None => Destination::stdout(request)?,
            Some(path) => {
                let unknown = || {
                    let about = sevenz::about_volume(path).map(Kind::Failed);
                    let kind = about.unwrap_or_else(|| opened.unknown_suffix(request));
                    CliError::from(kind).with_found(candidate.found)
                };
                let path = origin::path_beside(path, &opened, request).ok_or_else(unknown)?;
                let path = place_in_folder(path, request)?;
                side::check_output(&path, request)?;
                let facts = Some(&opened.facts);
                let ready = made.as_mut().and_then(|made| made.ready.take());
                Destination::of_ready((path, ready), facts, request, self.report, self.pending_files)?
            }
        };
        self.sole_copies.check(&destination)?;
        // Its data would be gone before its turn.
        if request.rules.recursive
            && let (Some(path), Some(there)) = (destination.path(), destination.replaces())
            && self.candidates.have(path, there, destination.is_linked(), request)
        {
            return Err(CliError::from(Kind::SameFile).about(destination.name()));
        }
        let (name, path) = (opened.name(), destination.path().map(Path::to_owned));
        let (coded, is_mended) = match self.code_mending((&opened, made), &destination, &name, None) {
            Ok(coded) => coded,
            Err(failure) => {
                failure.report(&name, self.report);
                destination.discard(self.report);
                return Ok(failure.is_fatal());
            }
        };
        let done = coded.done(&name, request, path.as_deref());
        if self.report.refuses(&done) {
            self.report.done(&done);
            destination.discard(self.report);
            return Ok(false);
        }
        let modified = origin::restored_time(&opened, request);
        destination.complete(Some(&opened.facts), modified, request.rules.sync)?;
        self.write_index_file(&opened, path.as_deref(), &coded.summary)?;
        if let (Some(file), Some(digests)) = (&mut self.hash_file, &coded.digests) {
            file.add(path.as_deref(), digests.of_output(request.mode().writes_coded()));
        }
        let whole = TakenWhole::of(&done, self.report.done(&done));
        // Its records may be needed again.
        if !is_mended && self.remove(opened.close(), whole)? {
            self.sole_copies.add(path.as_deref());
        }
        Ok(false)
    }

    /// Codes one stream. If the input is damaged and has recovery records, it is mended for that, if the output can be
    /// begun again. Returns whether it was.
    fn code_mending(
        &mut self,
        (opened, made): (&OpenInput, Option<Made>),
        destination: &Destination,
        name: &str,
        all: Option<&mut Hashes>,
    ) -> Result<(Coded, bool), CliError> {
        let request = self.request;
        let in_part = match request.task {
            Task::Salvage(_) => for_salvage(opened, request, destination.path()),
            _ => None,
        };
        match &in_part {
            Some((Some(mended), what)) => {
                self.report.warning(name, what);
                return Ok((code_stream(mended, None, destination, request, self.report, name, all)?, true));
            }
            // If the file is whole, it needs no records.
            Some((None, what)) => self.report.note(name, what),
            None => {}
        }
        let is_sole = all.is_none() && (request.target == Target::Beside || request.sources.len() == 1);
        let made = made.or_else(|| self.ahead?.make(opened, &mut self.tools));
        let failure = match code_stream(opened, made, destination, request, self.report, name, all) {
            Ok(coded) => return Ok((coded, false)),
            Err(failure) => failure,
        };
        let can_mend = is_sole && !destination.is_in_place() && request.mode() == Mode::Decompress;
        // The sandbox opens no folder any more.
        let folder = destination.folder().filter(|_| can_mend);
        match rescue(&failure, opened, request, folder) {
            Rescue::Nothing => Err(failure),
            Rescue::Advice(advice) => {
                failure.report(name, self.report);
                Err(CliError::from(Kind::Failed(
                    advice.replace("FILE", &system::name::shell_word(&printable(name.as_bytes()))),
                )))
            }
            Rescue::Mended(file) => {
                destination.begin_again()?;
                let facts = Facts::of(&file).map_err(CliError::cannot("open"))?;
                let mended = OpenInput { file, facts, path: opened.path.clone(), producer: None };
                let coded = code_stream(&mended, None, destination, request, self.report, name, None)?;
                let what = "is damaged; its recovery records gave back what is missing, so the output is whole. \
                            pzcomp --repair mends the file itself";
                self.report.warning(name, what);
                Ok((coded, true))
            }
        }
    }

    /// Processes all inputs to one output. If that is a file, it is completed only if no input failed.
    fn code_together(&mut self, destination: Destination) -> Result<(), CliError> {
        let (request, mut read) = (self.request, Vec::new());
        // The hashes of all outputs together, unless there is only one.
        let has_several = !matches!(request.sources[..], [_]) || request.rules.recursive;
        let mut all =
            (self.hash_file.is_some() && has_several).then(|| Hashes::new(&request.reporting.hashes));
        let mut sole_hashes = Vec::new();
        while let Some(candidate) = self.next() {
            let coded = self.open(&candidate).and_then(|(opened, made)| {
                let name = opened.name();
                let (coded, is_mended) =
                    self.code_mending((&opened, made), &destination, &name, all.as_mut())?;
                self.write_index_file(&opened, destination.path(), &coded.summary)?;
                if let (Some(file), Some(digests), Mode::Test) =
                    (self.hash_file.as_mut(), &coded.digests, request.mode())
                {
                    file.add(opened.path.as_deref(), &digests.coded);
                }
                let done = coded.done(&name, request, None);
                let whole = TakenWhole::of(&done, self.report.done(&done));
                if let (Some(digests), false) = (&coded.digests, has_several) {
                    sole_hashes = digests.of_output(request.mode().writes_coded()).to_vec();
                }
                Ok((opened.close(), if is_mended { Err("is damaged".into()) } else { whole }))
            });
            match coded {
                Ok(done) => read.push(done),
                Err(failure) => {
                    failure.report(&candidate.source.name(), self.report);
                    if failure.is_fatal() || self.report.must_stop() {
                        destination.discard(self.report);
                        return Ok(());
                    }
                }
            }
        }
        let has_output = !read.is_empty() && self.report.status() != Status::Error;
        let hashes = match has_output && request.mode() != Mode::Test {
            true => all.map_or(sole_hashes, Hashes::finish),
            false => Vec::new(),
        };
        if !destination.is_file() {
            destination.complete(None, None, false)?;
            if let Some(file) = &mut self.hash_file {
                file.add(None, &hashes);
            }
            return Ok(());
        }
        let lacks_inputs = self.report.status() == Status::Error;
        if lacks_inputs || read.is_empty() && !request.sources.is_empty() {
            // The report has named the inputs that failed.
            let (name, is_new) = (destination.name(), !destination.is_in_place());
            let is_emptied = destination.discard(self.report);
            return match lacks_inputs && is_new && !is_emptied {
                true => Err(CliError::from(Kind::Incomplete).about(name)),
                false => Ok(()),
            };
        }
        // Standard input can be any redirected file: its times are not those of the data, and its mode may give more
        // rights.
        let sole = match &read[..] {
            [(sole, _)] if sole.path.is_some() => Some(&sole.facts),
            _ => None,
        };
        let path = destination.path().map(Path::to_owned);
        destination.complete(sole, None, request.rules.sync)?;
        if let Some(file) = &mut self.hash_file {
            file.add(path.as_deref(), &hashes);
        }
        read.into_iter().try_for_each(|(opened, whole)| self.remove(opened, whole).map(drop))
    }

    /// Removes an input whose output is complete, if the request says so and it was taken whole. Returns whether it is
    /// removed.
    fn remove(&mut self, read: ReadInput, whole: Result<TakenWhole, String>) -> Result<bool, CliError> {
        match whole {
            _ if !self.request.rules.remove || read.path.is_none() => Ok(false),
            Ok(whole) => read.remove(whole, self.request).map(|()| true),
            Err(why) => {
                let path = read.path.unwrap_or_default();
                self.report.left(&path.display().to_string(), &why);
                Ok(false)
            }
        }
    }

    /// Writes the index to its own file, if there is one.
    fn write_index_file(
        &self,
        opened: &OpenInput,
        made: Option<&Path>,
        summary: &Summary,
    ) -> Result<(), CliError> {
        let request = self.request;
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
        let there = Facts::at(&path).ok();
        let is_input = there.as_ref().is_some_and(|there| self.pending_files.inputs.have(there, request));
        let is = |file: &Facts| there.as_ref().is_some_and(|there| is_same_file(there, file));
        if is_input
            || is(&opened.facts)
            || made.and_then(|made| Facts::at(made).ok()).is_some_and(|made| is(&made))
        {
            return Err(CliError::from(Kind::SameFile).about(path.display()));
        }
        Destination::aside(&path, self.pending_files)?.hold("write the index", index, request.rules.sync)
    }
}

/// The outputs of this run whose inputs are removed, by what tells them apart. Two inputs can have the same output, as
/// `a.gz` and `a.xz`, and `force` must not replace the only copy of the first one.
#[derive(Default)]
struct SoleCopies(BTreeSet<Identity>);

impl SoleCopies {
    fn add(&mut self, made: Option<&Path>) {
        let there = made.and_then(|made| Facts::at(made).ok());
        self.0.extend(there.map(|there| there.identity()));
    }

    /// Fails if the output would replace one of them.
    fn check(&self, destination: &Destination) -> Result<(), CliError> {
        let is_sole = destination.replaces().is_some_and(|there| self.0.contains(&there.identity()));
        match is_sole {
            true => {
                let what = "was made in this run, of another input, which is removed; not overwritten";
                Err(CliError::from(Kind::Failed(what.into())).about(destination.name()))
            }
            false => Ok(()),
        }
    }
}
