//! Finds and opens the inputs of a request, and skips those that the rules of the request exclude.
//!
//! [`Candidates`] gives the named inputs in order, and the files in directories if the request is recursive.
//! [`Candidate::open`] checks one input and opens it. `work`, `list` and `bench` call them. [`OpenInput::remove`]
//! removes an input after its output is complete, and only if the file is still the one that was read.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pzcomp::{Error, Format, ReadAt};

use super::error::{CliError, Kind, RUN, system_text};
use super::inputs::is_read;
use super::producer::Producer;
use super::report::Report;
use super::request::{HardLinks, Mode, Recompress, RecoveryWork, Request, Source, Target, Task};
use super::side;
use super::suffix::{plain_path, suffix_of};
use super::taken::TakenWhole;
use system::facts::{self, Facts, Special};
use system::folder::{is_partial, remove_file};
use system::pipe::{left_at_end, open_now};
use system::place::read_exact_at;
use system::streams::{self, Stream};

/// An input that was named, or was found in a named directory.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) source: Source,
    /// Whether it was found in a directory. Dialects print less about such inputs.
    pub(super) found: bool,
    /// No other input of the run has this number.
    pub(super) number: u64,
}

/// The inputs of a request in order. A directory is replaced by its entries when its turn comes.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The next input is the last element.
    waiting: Vec<Candidate>,
    /// How many there have been.
    count: u64,
    recursive: bool,
    passes_over_side_files: bool,
}

impl Candidates {
    pub(super) fn new(request: &Request) -> Self {
        let named = request.sources.iter().rev().cloned();
        let waiting: Vec<_> =
            (0..).zip(named).map(|(number, source)| Candidate { source, found: false, number }).collect();
        let passes_over_side_files =
            request.rules.pass_over_side_files && (request.sources.len() > 1 || request.rules.recursive);
        let count = waiting.len() as u64;
        Self { waiting, count, recursive: request.rules.recursive, passes_over_side_files }
    }

    /// The inputs behind the next one, as far as they are known. Some of them may be directories, or be passed over.
    pub(super) fn upcoming(&self) -> impl Iterator<Item = &Candidate> {
        self.waiting.iter().rev()
    }

    /// Whether the file at this path, which was found in a folder, is one of the inputs behind the next one, or will be
    /// found in a folder among them. `is_linked` says that it may have another name there.
    pub(super) fn have(&self, path: &Path, file: &Facts, is_linked: bool, request: &Request) -> bool {
        let is_linked = is_linked || request.folder.is_some();
        let real = is_linked.then(|| path.canonicalize().ok()).flatten();
        let is_it = |candidate: &Candidate, there: &Path| {
            let is_same = || Facts::at(there).is_ok_and(|there| is_same_file(&there, file));
            let is_in = |real: &Path| there.canonicalize().is_ok_and(|there| real.starts_with(there));
            let is_it = there == path || is_linked && is_same();
            let is_left = || candidate.left_for(there, true, request).is_some();
            is_it && is_read(there, request) && !is_left()
                || real.as_deref().is_some_and(|real| is_directory(there) && is_in(real))
        };
        let mut waiting = self.waiting.iter();
        waiting.any(|candidate| matches!(&candidate.source, Source::Path(path) if is_it(candidate, path)))
    }

    /// The next input. A directory that cannot be read is reported and skipped.
    pub(super) fn next(&mut self, report: &mut Report) -> Option<Candidate> {
        loop {
            let candidate = self.waiting.pop()?;
            match &candidate.source {
                Source::Path(path) if self.recursive && is_directory(path) => match entries(path) {
                    Ok(names) => {
                        let found = (self.count..).zip(names.into_iter().rev());
                        self.waiting.extend(found.map(|(number, name)| Candidate {
                            source: Source::Path(path.join(name)),
                            found: true,
                            number,
                        }));
                        self.count = self.count.max(self.waiting.last().map_or(0, |last| last.number + 1));
                    }
                    Err(error) => report.error(
                        path.display(),
                        format_args!("cannot read the directory: {}", system_text(&error)),
                    ),
                },
                Source::Path(path) if self.passes_over_side_files && side::is_beside(path) => {}
                _ => return Some(candidate),
            }
        }
    }
}

/// An input to compress of at most this length is short. One frame of most formats holds it.
const SHORT_MAX: usize = 256 << 10;

/// The same of an input to decompress, which may become long.
const SHORT_CODED_MAX: usize = 64 << 10;

/// An input of this request of at most this length is short.
pub(super) fn short_max(request: &Request) -> usize {
    if request.mode() == Mode::Compress { SHORT_MAX } else { SHORT_CODED_MAX }
}

/// Whether the only input of a request is short, as far as that shows before it is opened. Such a run needs neither
/// threads nor what they need.
pub(super) fn is_short(request: &Request) -> bool {
    let most = short_max(request);
    request.takes_short()
        && match &request.sources[..] {
            [Source::Path(path)] => {
                Facts::at(path).is_ok_and(|there| there.is_file() && there.len() <= most as u64)
            }
            [Source::Stdin] => {
                let Ok(stdin) = streams::file(Stream::Input) else { return false };
                Facts::of(stdin).is_ok_and(|there| match there.kind() {
                    facts::Kind::File => there.len() <= most as u64,
                    facts::Kind::Pipe => left_at_end(stdin).is_some_and(|len| len <= most),
                    _ => false,
                })
            }
            _ => false,
        }
}

/// Whether the path is a directory, and not a symbolic link to one. Links could lead in circles.
fn is_directory(path: &Path) -> bool {
    Facts::of_link(path).is_ok_and(|there| there.is_folder())
}

/// The names in a directory, sorted so that each run has the same order, without files that are not complete: their
/// runs may go on.
fn entries(path: &Path) -> std::io::Result<Vec<OsString>> {
    let mut names = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<Vec<_>, _>>()?;
    names.retain(|name| !is_partial(name));
    names.sort();
    Ok(names)
}

/// An open input.
#[derive(Debug)]
pub(super) struct OpenInput {
    pub(super) file: File,
    /// The facts when the file was opened.
    pub(super) facts: Facts,
    /// `None` for standard input and for a program.
    pub(super) path: Option<PathBuf>,
    /// The program that writes the input.
    pub(super) producer: Option<Producer>,
}

const CHANGED: &str = "was changed while it was read, so what was read may be of different states of it; repeat it \
                       when nothing writes to the file";

impl Candidate {
    /// The suffix that makes the run leave a file of this name. `in_place` says that an output is to take its place.
    fn left_for(&self, path: &Path, in_place: bool, request: &Request) -> Option<OsString> {
        let force = request.rules.force;
        let is_left = match (request.mode(), request.suffixes.recompress) {
            // The output would have the name of the input.
            (Mode::Recode, _) => in_place && !force,
            (Mode::Compress, Recompress::WithForce) => in_place && !force,
            (Mode::Compress, Recompress::NamedWithForce) => in_place && (self.found || !force),
            (Mode::Compress, Recompress::OnlyWithForce) => !force,
            (Mode::Compress, Recompress::NotInPlace) => in_place,
            (Mode::Compress, Recompress::Never) => true,
            (Mode::Compress, Recompress::Always) => false,
            (Mode::Decompress | Mode::Test | Mode::List, _) => false,
        };
        is_left.then(|| suffix_of(path, request)).flatten()
    }

    /// Opens the input. Fails if it cannot be opened, or if the request skips inputs of its kind.
    pub(super) fn open(&self, request: &Request) -> Result<OpenInput, CliError> {
        match &self.source {
            Source::Stdin => open_stdin(request),
            Source::Command(command) => open_command(command),
            Source::Path(path) => {
                let path = &path_to_open(path, request);
                let about = |failure: CliError| failure.with_found(self.found).about(path.display());
                let cannot = CliError::cannot("open");
                let is_regular = self.check(path, request).map_err(about)?.is_file();
                // Another program may have put a pipe there since, whose writer is not waited for. Nor is the writer of
                // a pipe that is refused.
                let waits = !is_regular && !request.task.needs_file() && !request.rules.fifos;
                let opened = if waits { File::open(path) } else { open_now(path) };
                let file = opened.map_err(cannot)?;
                let mut facts = Facts::of(&file).map_err(cannot)?;
                if is_regular && !facts.is_file() {
                    return self.open(request);
                }
                if let Some(left) = until_quiet(&facts).filter(|_| is_regular && request.rules.remove) {
                    std::thread::sleep(left);
                    facts = Facts::of(&file).map_err(cannot)?;
                }
                Ok(OpenInput { file, facts, path: Some(path.to_owned()), producer: None })
            }
        }
    }

    /// Opens the input before its turn, if it is a regular file that nothing seems to write to. A file that was changed
    /// just now could be changed again without another time.
    pub(super) fn look(&self, request: &Request) -> Option<OpenInput> {
        const QUIET: Duration = Duration::from_millis(100);
        let Source::Path(path) = &self.source else { return None };
        let path = path_to_open(path, request);
        self.check(&path, request).ok()?;
        let file = open_now(&path).ok()?;
        let facts = Facts::of(&file).ok().filter(Facts::is_file)?;
        let is_quiet = facts.changed().into_system()?.checked_add(QUIET)? <= SystemTime::now();
        let is_quiet = is_quiet && until_quiet(&facts).is_none();
        is_quiet.then(|| OpenInput { file, facts, path: Some(path), producer: None })
    }

    /// Whether the path still leads to this open file, and the file has not changed. Fails with the reason if the
    /// request skips it.
    pub(super) fn is_still(&self, opened: &OpenInput, request: &Request) -> Result<bool, CliError> {
        let (Source::Path(named), Some(path)) = (&self.source, &opened.path) else { return Ok(false) };
        if path_to_open(named, request) != *path {
            return Ok(false);
        }
        let about = |failure: CliError| failure.with_found(self.found).about(path.display());
        let there = self.check(path, request).map_err(about)?;
        let state = |about: &Facts| (about.identity(), about.len(), about.modified(), about.changed());
        Ok(state(&opened.facts) == state(&there))
    }

    /// Fails with the reason if the request skips this file.
    fn check(&self, path: &Path, request: &Request) -> Result<Facts, CliError> {
        let cannot = CliError::cannot("open");
        // If an output file takes the place of the input, only regular files are accepted.
        let in_place = request.target == Target::Beside && !matches!(request.mode(), Mode::Test | Mode::List);
        let own = Facts::of_link(path).map_err(cannot)?;
        let is_link = own.is_link();
        if is_link && (self.found || in_place && !request.rules.force && !request.rules.follow_links) {
            return Err(Kind::Link.into());
        }
        let facts = if is_link { Facts::at(path).map_err(cannot)? } else { own };
        if facts.is_folder() {
            return Err(Kind::Directory { is_link, is_read: !in_place || request.rules.force }.into());
        }
        if request.rules.fifos {
            if facts.kind() != facts::Kind::Pipe {
                return Err(Kind::Failed("is no named pipe, which --fifos needs".into()).into());
            }
        } else if !facts.is_file() && (self.found || in_place) {
            return Err(Kind::NotRegular.into());
        }
        if in_place && request.rules.skip_special {
            check_mode(&facts, request.rules.force)?;
        }
        let is_shared =
            facts.links() > 1 && !request.rules.force && request.rules.hard_links == HardLinks::Skipped;
        if in_place && (request.rules.remove || request.rules.skip_special) && is_shared {
            return Err(Kind::HardLinks(facts.links()).into());
        }
        side::check_input(&facts, request)?;
        let compresses = request.mode() == Mode::Compress;
        let is_dictionary = request.dictionary.as_ref().is_some_and(|file| is_same_file(file, &facts));
        if compresses && is_dictionary {
            return Err(Kind::Dictionary.into());
        }
        if let Some(suffix) = self.left_for(path, in_place, request) {
            return Err(Kind::HasSuffix(suffix).into());
        }
        if let (Task::Recovery(work), true) = (&request.task, self.found) {
            if let Some(lost) = side::lost(path) {
                let what = format!("the file of these recovery records, {}, is not there", lost.display());
                return Err(Kind::Failed(what).into());
            }
            // Records beside a file protect any file.
            if matches!(work, RecoveryWork::Protect { .. }) || side::has_records(path) {
                return Ok(facts);
            }
        }
        if !compresses && self.found && plain_path(path, request).is_none() {
            return Err(Kind::UnknownSuffix.into());
        }
        Ok(facts)
    }
}

/// The path to open. If an input to decompress does not exist and has no known suffix, this is the first existing
/// path with a suffix appended. A symbolic link that leads nowhere counts as existing only if an output is to take
/// its place, because then links are not followed.
fn path_to_open(path: &Path, request: &Request) -> PathBuf {
    let makes_plain_name = matches!(request.mode(), Mode::Decompress | Mode::Recode);
    let minds_links = request.target == Target::Beside && makes_plain_name && !request.rules.force;
    let is_there = |path: &Path| match minds_links {
        true => Facts::of_link(path).is_ok(),
        false => Facts::at(path).is_ok(),
    };
    let is_coded = plain_path(path, request).is_some();
    if request.mode() != Mode::Compress && !is_coded && !is_there(path) {
        let own = request.suffixes.custom.as_deref();
        let tried = own.into_iter().chain(request.suffixes.try_appending.iter().map(OsStr::new));
        let mut names = tried.map(|suffix| {
            let mut name = path.as_os_str().to_owned();
            name.push(suffix);
            PathBuf::from(name)
        });
        // If no such file exists, the error message shows the first of these names.
        let first = names.next();
        return match first.iter().find(|first| is_there(first)) {
            Some(first) => first.clone(),
            None => names.find(|name| is_there(name)).or(first).unwrap_or_else(|| path.to_owned()),
        };
    }
    path.to_owned()
}

/// Refuses files with a set-user-ID, set-group-ID or sticky bit: a compressed copy could not keep what the bit means.
fn check_mode(facts: &Facts, force: bool) -> Result<(), CliError> {
    match facts.special() {
        Some(Special::SetUserId) => Err(Kind::SetUserId.into()),
        Some(Special::SetGroupId) => Err(Kind::SetGroupId.into()),
        Some(Special::Sticky) if !force => Err(Kind::Sticky.into()),
        Some(Special::Sticky) | None => Ok(()),
    }
}

/// Opens standard input. Fails if it is closed, or if compressed data would be read from a terminal.
pub(super) fn open_stdin(request: &Request) -> Result<OpenInput, CliError> {
    let cannot = CliError::cannot("open");
    let file = streams::copy(Stream::Input).map_err(cannot)?;
    if request.mode() != Mode::Compress && !request.rules.force && file.is_terminal() {
        return Err(Kind::TerminalInput.into());
    }
    let facts = Facts::of(&file).map_err(cannot)?;
    Ok(OpenInput { file, facts, path: None, producer: None })
}

/// Starts a program, and opens its standard output.
fn open_command(command: &[OsString]) -> Result<OpenInput, CliError> {
    let (producer, output) = Producer::start(command).map_err(CliError::cannot(RUN))?;
    let facts = Facts::of(&output).map_err(CliError::cannot("open"))?;
    Ok(OpenInput { file: output, facts, path: None, producer: Some(producer) })
}

impl OpenInput {
    /// The source that was opened.
    pub(super) fn source(&self) -> Source {
        match (&self.path, &self.producer) {
            (Some(path), _) => Source::Path(path.clone()),
            (None, Some(producer)) => Source::Command(producer.command.clone()),
            (None, None) => Source::Stdin,
        }
    }

    /// Where the input begins in the file: standard input may stand behind the start of a file.
    pub(super) fn start(&self) -> u64 {
        if self.path.is_some() { 0 } else { (&self.file).stream_position().unwrap_or(0) }
    }

    /// All of the input, if it has at most so many bytes and has ended: the bytes of a regular file up to an end that
    /// was seen, or of a pipe that nobody writes to any more. `None` of other inputs, of which nothing was taken.
    pub(super) fn short(&self, most: usize) -> Result<Option<Vec<u8>>, Error> {
        if self.producer.is_some() {
            return Ok(None);
        }
        if self.facts.kind() == facts::Kind::Pipe {
            let Some(len) = left_at_end(&self.file).filter(|&len| len <= most) else { return Ok(None) };
            let mut bytes = vec![0; len];
            let read = (&self.file).read_exact(&mut bytes);
            return read.map(|()| Some(bytes)).map_err(|source| Error::Read { offset: 0, source });
        }
        let start = self.start();
        let stated = self.facts.len().saturating_sub(start);
        if !self.facts.is_file() || stated > most as u64 {
            return Ok(None);
        }
        // Another byte shows that the file has become longer.
        let mut bytes = vec![0; (stated as usize + 1).max(4 << 10)];
        let mut len = 0;
        loop {
            if len == bytes.len() {
                bytes.resize(2 * len, 0);
            }
            match ReadAt::read_at(&self.file, &mut bytes[len..], start + len as u64) {
                Ok(0) => break,
                Ok(read) => len += read,
                // The pipeline finds the error again, behind the bytes that can be read.
                Err(_) => return Ok(None),
            }
            if len > most {
                return Ok(None);
            }
        }
        bytes.truncate(len);
        Ok(Some(bytes))
    }

    /// Leaves a file on standard input where it would stand if so many bytes had been read in order.
    pub(super) fn pass(&self, taken: u64) {
        if self.path.is_none() && self.facts.is_file() {
            // Only other users of the same open file could notice an error here. No data depends on it.
            let _ = (&self.file).seek(SeekFrom::Start(self.start() + taken));
        }
    }

    /// All of the input, to be read at any offset.
    pub(super) fn rest(&self) -> Result<Rest, CliError> {
        let file = self.file.try_clone().map_err(CliError::cannot("open"))?;
        Ok(Rest { file, start: self.start() })
    }

    /// Fails if the file was changed since it was opened. A work that reads it more than once, or not in order, does
    /// not know of which state its parts are.
    pub(super) fn check_unchanged(&self) -> Result<(), CliError> {
        let now = Facts::of(&self.file).map_err(CliError::cannot("read"))?;
        if self.facts.is_file() && is_rewritten(&self.facts, &now) {
            return Err(Kind::Failed(CHANGED.into()).into());
        }
        Ok(())
    }

    /// The same, and fails also if its time may have been put back. Records fit no other state of the file.
    pub(super) fn check_untouched(&self) -> Result<(), CliError> {
        let now = Facts::of(&self.file).map_err(CliError::cannot("read"))?;
        match self.facts.is_file() && may_be_rewritten(&self.facts, &now) {
            true => Err(Kind::Failed(CHANGED.into()).into()),
            false => Ok(()),
        }
    }

    /// How many bytes there are to read, if it is a regular file.
    pub(super) fn remaining(&self) -> Option<u64> {
        self.facts.is_file().then(|| self.facts.len().saturating_sub(self.start()))
    }

    /// The same open file again. `None` of the output of a program.
    pub(super) fn again(&self) -> Option<Self> {
        let file = self.file.try_clone().ok().filter(|_| self.producer.is_none())?;
        Some(Self { file, facts: self.facts, path: self.path.clone(), producer: None })
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        self.source().name()
    }

    /// The error of an input without a known suffix.
    pub(super) fn unknown_suffix(&self, request: &Request) -> Kind {
        const HEAD_LEN: usize = 64;
        let mut head = [0; HEAD_LEN];
        let read = ReadAt::read_at(&self.file, &mut head, 0);
        let accepted = request.options.accept.as_deref().unwrap_or(&[]);
        let is_known = |len| Format::sniff(&head[..len]).is_some_and(|format| accepted.contains(&format));
        match (request.suffixes.foreign, read) {
            (Some(what), Ok(len)) if self.facts.is_file() && !is_known(len) => Kind::Failed(what.into()),
            _ => Kind::UnknownSuffix,
        }
    }

    /// The first bytes of the frame that an error concerns, if the input is a regular file.
    pub(super) fn magic_of(&self, error: &Error) -> Option<[u8; 4]> {
        let (Error::Truncated { frame: at, .. } | Error::Corrupt { offset: at, .. }) = error else {
            return None;
        };
        let mut magic = [0; 4];
        let read = self.facts.is_file().then(|| read_exact_at(&self.file, &mut magic, *at).ok()).flatten();
        read.map(|()| magic)
    }

    /// Closes the input, which was read: a run may have more inputs than files may be open.
    pub(super) fn close(self) -> ReadInput {
        ReadInput { facts: self.facts, path: self.path }
    }
}

/// An input that was read.
#[derive(Debug)]
pub(super) struct ReadInput {
    /// The facts when the file was opened.
    pub(super) facts: Facts,
    /// `None` for standard input and for a program.
    pub(super) path: Option<PathBuf>,
}

impl ReadInput {
    /// Removes the input, which was taken whole. Fails if the path no longer leads to the file that was read, or if the
    /// file has changed. The caller must have completed the output.
    pub(super) fn remove(self, _: TakenWhole, request: &Request) -> Result<(), CliError> {
        let Some(path) = &self.path else { return Ok(()) };
        let links = self.facts.links();
        if links > 1 && request.rules.hard_links == HardLinks::Kept && !request.rules.force {
            return Err(CliError::from(Kind::HardLinks(links)).about(path.display()));
        }
        if let Some(why) = not_as_read(path, &self.facts) {
            return Err(CliError::from(Kind::Kept(why)).about(path.display()));
        }
        remove_file(path).map_err(|error| CliError::cannot("remove")(error).about(path.display()))
    }
}

/// Why the file of this name is no longer what was read from it. One look tells both what file has the name and whether
/// that was written to.
pub(super) fn not_as_read(path: &Path, then: &Facts) -> Option<String> {
    match Facts::at(path) {
        Ok(there) if is_same_file(&there, then) => {
            may_be_rewritten(then, &there).then(|| "was changed while it was read".into())
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Some(format!("cannot be looked at: {}", system_text(&error)))
        }
        _ => Some("has become another file".into()),
    }
}

/// How long a file could be changed without another time, if its file system counts whole seconds, or two as FAT.
fn until_quiet(file: &Facts) -> Option<Duration> {
    let since = SystemTime::now().duration_since(file.changed().into_system()?).ok()?;
    Duration::from_secs(2).checked_sub(since).filter(|_| file.changed().nanoseconds == 0)
}

/// Whether a file was written to since it was opened, as far as the system tells.
fn is_rewritten(then: &Facts, now: &Facts) -> bool {
    now.len() != then.len() || now.modified() != then.modified()
}

/// Whether the file was written to, or may have been, because its time was set. Another number of names explains why
/// the time of the last change is later. Another mode or owner does not: what copies a file sets them too.
fn may_be_rewritten(then: &Facts, now: &Facts) -> bool {
    is_rewritten(then, now) || now.changed() != then.changed() && now.links() == then.links()
}

/// A file from the place on at which an input begins.
pub(super) struct Rest {
    file: File,
    start: u64,
}

impl ReadAt for Rest {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        ReadAt::read_at(&self.file, buffer, self.start.saturating_add(offset))
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.file.size()?.saturating_sub(self.start))
    }
}

/// Whether both are the same regular file.
pub(super) fn is_same_file(one: &Facts, other: &Facts) -> bool {
    one.is_file() && other.is_file() && one.identity() == other.identity()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_was_put_back_is_a_change_and_another_name_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let open = || {
            fs::write(&path, "some data").unwrap();
            let file = File::open(&path).unwrap();
            let facts = Facts::of(&file).unwrap();
            // The clock of the file system has a coarse tick.
            std::thread::sleep(Duration::from_millis(20));
            OpenInput { file, facts, path: Some(path.clone()), producer: None }
        };
        let now = |opened: &OpenInput| Facts::of(&opened.file).unwrap();
        let opened = open();
        assert!(!may_be_rewritten(&opened.facts, &now(&opened)));
        fs::hard_link(&path, folder.path().join("other")).unwrap();
        assert!(
            !may_be_rewritten(&opened.facts, &now(&opened)) && !is_rewritten(&opened.facts, &now(&opened))
        );

        let opened = open();
        fs::write(&path, "some date").unwrap();
        let back = File::options().write(true).open(&path).unwrap();
        back.set_modified(opened.facts.modified().into_system().unwrap()).unwrap();
        assert!(
            may_be_rewritten(&opened.facts, &now(&opened)) && !is_rewritten(&opened.facts, &now(&opened))
        );
    }
}
