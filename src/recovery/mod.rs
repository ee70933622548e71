//! `--protect` and `--repair`: recovery records beside files, and mending by them.
//!
//! [`run`] takes a request with a [`RecoveryWork`], and does the work for each input. The library computes; this file
//! chooses names and puts the reports into words, and `version.rs` finds records of another version of a file.
//! A file that is mended appears only if all of it is as it was, and the old file stays until then. `rescue.rs` mends
//! damaged inputs of other works.

mod rescue;
mod version;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Seek};
use std::path::{Path, PathBuf};

use pzcomp::recovery::{DamagedGroup, Protect, Repair, Report as Found};
use pzcomp::{Decompress, Error, Format, Output, Size};
pub(super) use rescue::{Rescue, for_salvage, rescue};

use super::confine::keep_files;
use super::error::{CliError, Kind};
use super::pending::PendingFiles;
use super::report::Report;
use super::request::{RecoveryWork, Request, Target};
use super::side::{DAMAGED, RECORDS};
use super::source::{Candidates, OpenInput, Rest, is_same_file, not_as_read};
use super::target::Destination;
use system::facts::Facts;
use system::folder::Folder;

const ADVICE: &str = "no new file is made; pzcomp -d --salvage gets what is intact of a compressed file";

/// Does the work for all inputs. An error in one does not stop the others.
pub(super) fn run(work: RecoveryWork, request: &Request, report: &mut Report) {
    keep_files(request, report);
    let pending_files = PendingFiles::default();
    let mut candidates = Candidates::new(request);
    while let Some(candidate) = candidates.next(report) {
        let done = candidate.open(request).and_then(|opened| {
            if !opened.facts.is_file() {
                let what = "is not a regular file, which recovery records need; save it to a file first";
                return Err(Kind::Failed(what.into()).into());
            }
            let work_on =
                Work { opened: &opened, rest: opened.rest()?, request, pending_files: &pending_files };
            match work {
                RecoveryWork::Protect { share, span } => work_on.protect(share, span, report),
                RecoveryWork::Check => work_on.check(report),
                RecoveryWork::Repair => work_on.repair(report),
            }
        });
        if let Err(failure) = done {
            failure.report(&candidate.source.name(), report);
            if failure.is_fatal() {
                break;
            }
        }
    }
}

type Beside = (File, PathBuf);

/// The work on one file.
struct Work<'a> {
    opened: &'a OpenInput,
    /// All of the file.
    rest: Rest,
    request: &'a Request,
    pending_files: &'a PendingFiles,
}

fn output_of(output: &Destination) -> Result<Output<'_>, CliError> {
    output.output().map_err(CliError::cannot("write"))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

impl Work<'_> {
    fn repairer<'a>(&self) -> Result<Repair<'a>, CliError> {
        Ok(Repair::new(&self.request.options.decode().map_err(Kind::Library)?))
    }

    fn repairer_by<'a>(&self, beside: Option<&'a Beside>) -> Result<Repair<'a>, CliError> {
        let repair = self.repairer()?;
        Ok(match beside {
            Some((file, _)) => repair.beside(file),
            None => repair,
        })
    }

    fn input(&self) -> &dyn pzcomp::ReadAt {
        &self.rest
    }

    fn path(&self) -> Result<&Path, CliError> {
        self.opened.path.as_deref().ok_or_else(|| Kind::NotRegular.into())
    }

    /// Writes the records of a file beside it.
    fn protect(&self, share: Option<u16>, span: Option<u64>, report: &mut Report) -> Result<(), CliError> {
        let (opened, request) = (self.opened, self.request);
        let source = Some(&opened.facts);
        let output = match &request.target {
            Target::File(path) => Destination::named(path, source, request, report, self.pending_files)?,
            _ => {
                let path = with_suffix(self.path()?, RECORDS);
                Destination::new_file(path, source, request, report, self.pending_files)?
            }
        };
        output.begin()?;
        let mut protect = Protect::new().threads(request.options.threads);
        if let Some(share) = share {
            protect = protect.per_mille(share);
        }
        if let Some(span) = span {
            protect = protect.span(span);
        }
        let Some(file) = output.file() else { return Ok(()) };
        let done = protect.run(self.input(), file).map_err(|error| match error {
            Error::Write { .. } => CliError::from(Kind::Library(error)).about(output.name()),
            error => Kind::Library(error).into(),
        })?;
        opened.check_untouched()?;
        let lens = format!("{} of records for {}", Size(done.records_len), Size(done.len));
        let counts = format!("{} groups, {} shards and {} of parity", done.groups, done.shards, done.parity);
        report.print_settings(1, opened.name(), || format!("{lens}: {counts}"));
        let made = output.name();
        output.complete(Some(&opened.facts), None, request.rules.sync)?;
        report.protected(&opened.name(), &done, &made);
        Ok(())
    }

    /// The records beside the file, if there are any.
    fn beside(&self) -> Result<Option<Beside>, CliError> {
        // A file on standard input has no name, but it may have records inside.
        let Some(path) = &self.opened.path else { return Ok(None) };
        let path = with_suffix(path, RECORDS);
        // The open of a FIFO would wait for its writer. A crash may have left an empty file.
        let is_used = |about: Facts| about.is_file() && about.len() > 0;
        match Facts::at(&path).and_then(|about| is_used(about).then(|| File::open(&path)).transpose()) {
            Ok(file) => Ok(file.map(|file| (file, path))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CliError::cannot("open")(error).about(path.display())),
        }
    }

    /// The records of the file, and what they say of it.
    fn examine(&self) -> Result<(Option<Beside>, Found), CliError> {
        if let Some((file, path)) = self.beside()? {
            let found = self.repairer()?.beside(&file).examine(self.input()).map_err(Kind::Library)?;
            // Records inside the file may mend what those beside it cannot, because these are of another file.
            let inside = (!found.is_mendable())
                .then(|| Ok::<_, CliError>(self.repairer()?.examine(self.input()).map_err(Kind::Library)?));
            match inside.transpose()? {
                Some(inside) if inside.is_mendable() => return Ok((None, inside)),
                _ if found.has_records() => return Ok((Some((file, path)), found)),
                _ => {}
            }
        }
        let found = self.repairer()?.examine(self.input()).map_err(Kind::Library)?;
        match found.has_records() {
            true => Ok((None, found)),
            false => Err(Kind::Failed(format!(
                "has no recovery records, and there are none in a {RECORDS} beside it; pzcomp --protect makes them. \
                 If it was written with --recovery, it is cut before its first records, which stand at its end, or \
                 behind 64 MiB (--recovery-span); pzcomp -d --salvage gets what is intact of a compressed file"
            ))
            .into()),
        }
    }

    /// Verifies a file by the records beside it.
    fn check(&self, report: &mut Report) -> Result<(), CliError> {
        let (beside, found) = self.examine()?;
        let name = self.opened.name();
        report.mended(&name, &found, None);
        if found.is_intact() {
            report.print_settings(1, &name, || format!("is intact: {}", sums(&found)));
            return Ok(());
        }
        if beside.is_some() {
            self.check_version(None)?;
        }
        let end = if found.is_mendable() { "can be repaired with --repair" } else { "cannot be repaired" };
        report.damage(&name, &self.lines(&found));
        Err(Kind::Failed(format!("is damaged, and {end}")).into())
    }

    /// Mends a file.
    fn repair(&self, report: &mut Report) -> Result<(), CliError> {
        let (opened, request, name) = (self.opened, self.request, self.opened.name());
        let is_beside = !matches!(request.target, Target::File(_));
        let path = match &request.target {
            Target::File(path) => path.clone(),
            _ => self.path()?.to_owned(),
        };
        let is_link = fs::symlink_metadata(&path).is_ok_and(|there| there.is_symlink());
        let kept = with_suffix(self.path()?, DAMAGED);
        let keeps = is_beside && !request.rules.remove;
        let exists = keeps && !request.rules.force && fs::symlink_metadata(&kept).is_ok();
        let at_once = if is_beside && !is_link && !exists { self.at_once(&path)? } else { None };
        let (beside, found, output) = match at_once {
            Some((beside, mended, output)) => (beside, mended, Some(output)),
            None => {
                let (beside, found) = self.examine()?;
                (beside, found, None)
            }
        };
        if found.is_intact() {
            report.mended(&name, &found, None);
            self.tell(report, &name, "nothing is damaged");
            return Ok(());
        }
        let mut lines = self.lines(&found);
        if !found.is_mendable() {
            if beside.is_some() {
                self.check_version(None)?;
            }
            lines.push(format!("more is damaged than the recovery records can mend; {ADVICE}"));
            report.mended(&name, &found, None);
            report.damage(&name, &lines);
            return Ok(());
        }
        if is_beside && is_link {
            return Err(Kind::Failed("is a symbolic link; name the file that it leads to".into()).into());
        }
        if exists {
            return Err(CliError::from(Kind::Exists).about(kept.display()));
        }
        let (output, mended) = match output {
            Some(output) => (output, found.clone()),
            None => {
                let output = match is_beside {
                    true => Destination::successor_of(path, self.pending_files)?,
                    false => {
                        let source = Some(&opened.facts);
                        Destination::new_file(path, source, request, report, self.pending_files)?
                    }
                };
                output.begin()?;
                let repair = self.repairer_by(beside.as_ref())?;
                let mended = repair.run(self.input(), output_of(&output)?).map_err(Kind::Library)?;
                (output, mended)
            }
        };
        if beside.is_some() {
            self.check_version(output.file())?;
        }
        let records = beside.as_ref().filter(|_| mended.damaged_records > 0 && is_beside);
        let new_records = match records {
            Some((_, path)) => Some(Destination::successor_of(path.clone(), self.pending_files)?),
            None => None,
        };
        if let Some(new_records) = &new_records {
            let repair = self.repairer_by(beside.as_ref())?;
            let made = repair.run_with_records(self.input(), Output::Nothing, output_of(new_records)?);
            made.map_err(Kind::Library)?;
        }
        self.verify(&output, &mended, beside.is_some())?;
        // What the system tells late of the new file, it tells now.
        output.settle(request.rules.sync)?;
        let is_as_read = || match not_as_read(self.path()?, &opened.facts).filter(|_| is_beside) {
            Some(why) => {
                let what = format!("{why}, so it stays as it is now; repair it again");
                Err(CliError::from(Kind::Failed(what)))
            }
            None => Ok(()),
        };
        is_as_read()?;
        let is_moved = keeps && self.keep(&kept)?;
        let modified = opened.facts.modified().into_system();
        let made = output.name();
        // What was written to it since has both names. A move sets the time by which this is told.
        let is_still_as_read = if is_moved { Ok(()) } else { is_as_read() };
        let complete = |()| output.complete(Some(&opened.facts), modified, request.rules.sync);
        if let Err(failure) = is_still_as_read.and_then(complete) {
            let given_back = if keeps { self.give_back(&kept) } else { Ok(()) };
            given_back.unwrap_or_else(|failure| failure.report(&name, report));
            return Err(failure);
        }
        if let (Some(output), Some((file, _))) = (new_records, &beside) {
            output.complete(Facts::of(file).ok().as_ref(), None, request.rules.sync)?;
        }
        let kept =
            if keeps { format!("; the damaged file is kept as {}", kept.display()) } else { String::new() };
        self.tell(report, &name, &format!("{}{kept}", lines.join("; ")));
        report.mended(&name, &found, Some(&made));
        self.tell(report, &name, "is repaired, and all of it is verified");
        Ok(())
    }

    /// Keeps the damaged file under this name. It keeps its own name too until the new file takes it, if it can have
    /// two. Returns whether it has lost its own.
    fn keep(&self, kept: &Path) -> Result<bool, CliError> {
        let cannot = |error| CliError::cannot("keep the damaged file")(error).about(kept.display());
        let (folder, old) = Folder::of(self.path()?).map_err(cannot)?;
        let name = kept.file_name().unwrap_or_default();
        if self.request.rules.force && folder.has(name) {
            // An older one is there until this one has its name.
            return match folder.link_over(&old, name) {
                Ok(()) => Ok(false),
                Err(_) => folder.rename(&old, name).map(|()| true).map_err(cannot),
            };
        }
        match folder.link(&old, name) {
            Ok(()) => Ok(false),
            // Not every file system has hard links.
            Err(_) => folder.give_name(&old, name).map(|()| true).map_err(cannot),
        }
    }

    /// Leaves the damaged file its own name alone, because there is no new one.
    fn give_back(&self, kept: &Path) -> Result<(), CliError> {
        let cannot =
            |error| CliError::cannot("give the damaged file its own name again")(error).about(kept.display());
        let (folder, old) = Folder::of(self.path()?).map_err(cannot)?;
        let name = kept.file_name().unwrap_or_default();
        match (folder.look(&old), folder.look(name)) {
            (Ok(old), Ok(kept)) if is_same_file(&old, &kept) => folder.remove(name),
            (Err(_), _) => folder.give_name(name, &old),
            _ => Ok(()),
        }
        .map_err(cannot)
    }

    /// Mends a file without examining it first, which reads it once less. `None` if that does not mend it, or if there
    /// can be no new file in its folder. An intact file needs none, and nothing is written then.
    fn at_once(&self, path: &Path) -> Result<Option<(Option<Beside>, Found, Destination)>, CliError> {
        let Ok(output) = Destination::successor_of(path.to_owned(), self.pending_files) else {
            return Ok(None);
        };
        output.begin()?;
        let beside = self.beside()?;
        let mended = self
            .repairer_by(beside.as_ref())?
            .only_damaged()
            .run(self.input(), output_of(&output)?)
            .map_err(Kind::Library)?;
        Ok(mended.is_mendable().then_some((beside, mended, output)))
    }

    /// Verifies the new file before it gets its name: by the records, and by decoding it if it is in a known format.
    fn verify(&self, output: &Destination, mended: &Found, is_beside: bool) -> Result<(), CliError> {
        let wrong = |what: &str| -> CliError {
            Kind::Failed(format!(
                "the new file is not right, so none is made: {what}; the damaged file stays as it is"
            ))
            .into()
        };
        if !mended.is_mendable() {
            return Err(wrong("the input has changed while it was read"));
        }
        let mut file = output.file().ok_or_else(|| wrong("it is not there"))?;
        let unreadable = CliError::cannot("read the new file");
        file.rewind().map_err(unreadable)?;
        let beside = self.beside()?.filter(|_| is_beside);
        let mut repair = self.repairer()?;
        if let Some((records, _)) = &beside {
            repair = repair.beside(records);
        }
        let found = repair.examine(file).map_err(Kind::Library)?;
        let data_is_right =
            found.damaged_shards + found.moved_shards + found.lost_groups == 0 && found.gaps.is_empty();
        if !data_is_right || found.source_len != found.whole_len {
            return Err(wrong("a hash differs"));
        }
        let mut head = [0; 16];
        let read = pzcomp::ReadAt::read_at(file, &mut head, 0).map_err(unreadable)?;
        if Format::sniff(&head[..read]).is_none() {
            return Ok(());
        }
        match Decompress::new(&self.request.options.decode().map_err(Kind::Library)?)
            .run(file, Output::Nothing)
        {
            // Any file can be protected, also one that only begins as a compressed file does.
            Ok(_) => Ok(()),
            Err(_) if is_beside => Ok(()),
            Err(error) => Err(wrong(&error.to_string())),
        }
    }

    /// Tells what was done, unless the user wants to hear nothing.
    fn tell(&self, report: &Report, name: &str, what: &str) {
        report.note(name, what);
    }
}

/// Without `-v`, only so many groups are listed.
const LISTED_MAX: usize = 20;

impl Work<'_> {
    /// What is damaged, in words.
    fn lines(&self, found: &Found) -> Vec<String> {
        let most = if self.request.reporting.verbosity.verbose > 0 { usize::MAX } else { LISTED_MAX };
        let mut lines: Vec<String> = found.damaged.iter().take(most).map(group_line).collect();
        if found.damaged.len() > most {
            lines.push(format!("{} more groups are damaged; -v lists them", found.damaged.len() - most));
        }
        lines.extend(found.gaps.iter().take(most).cloned());
        lines.push(sums(found));
        lines
    }
}

fn group_line(group: &DamagedGroup) -> String {
    let place = format!("bytes {}-{}", group.offset, group.offset + group.len);
    let damage = format!("{} of {} shards are damaged", group.damaged, group.shards);
    let parity = format!("{} of {} shards of parity are intact", group.intact_parity, group.parity);
    match group.lacking {
        0 => format!("{place}: {damage}, {parity}"),
        lacking => format!("{place}: {damage}, {parity}: {lacking} more would be needed"),
    }
}

/// All of it in one line.
fn sums(found: &Found) -> String {
    let mut parts = vec![format!("{} of {} shards damaged", found.damaged_shards, found.shards)];
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    add(found.moved_shards, "shards at another place");
    add(found.damaged_records, "recovery records damaged");
    add(found.damaged_table_len, "bytes of the seek table wrong");
    add(found.dropped_len, "bytes too many");
    add(found.lost_groups, "groups beyond repair");
    parts.join(", ")
}
