//! Prints messages on standard error, and computes the exit status.
//!
//! [`Report`] collects the worst [`Status`] of a run. `work`, `list`, `bench` and others report errors, warnings and
//! finished streams to it, and the dialect of the name words them. [`Report::code`] gives the exit status at the end.
//! A status never gets better. Except for questions, progress and records, all output to standard error passes
//! through [`print_line`].

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use pzcomp::inspect::Listing;
use pzcomp::recovery::{Brief, Protected};
use pzcomp::{BlockingWriter, Progress, Summary, printable};

use super::error::CliError;
use super::hash::Digests;
use super::progress::Watch;
use super::record::Record;
use super::request::{Ask, Mode, Reporting, Request, Verbosity};
use super::side;
use super::size::{count, human};
use super::tool::{Done, Ending, Message, Messages, Name, Program, Ratio, Status};
use system::{handle, signals};

/// Prints messages, and collects the outcome.
pub(super) struct Report {
    called: &'static Name,
    verbosity: Verbosity,
    /// Print nothing.
    silent: bool,
    /// Warnings do not change the status.
    ignore_warnings: bool,
    mode: Mode,
    status: Status,
    /// The exit status that an error demands, if one does.
    code: Option<u8>,
    /// The run ends: no further input is processed.
    must_stop: bool,
    /// The record of the run, if one is wanted.
    record: Option<Record>,
    /// Shows the progress of the run that was requested.
    watch: Option<Watch>,
}

impl CliError {
    /// Reports this error. `name` is the name of the input, which the message shows unless the error concerns another
    /// file.
    pub(super) fn report(&self, name: &str, report: &mut Report) {
        report.failure(self.about.as_deref().unwrap_or(name), self);
    }
}

impl Report {
    /// A report for the program of this name.
    pub(super) fn new(called: &'static Name, verbosity: Verbosity) -> Self {
        Self {
            called,
            verbosity,
            silent: false,
            ignore_warnings: false,
            mode: Mode::Compress,
            status: Status::Fine,
            code: None,
            must_stop: false,
            record: None,
            watch: None,
        }
    }

    /// A report for this request. `is_short` says that its only stream is short.
    pub(super) fn for_request(called: &'static Name, request: &Request, is_short: bool) -> Self {
        let Reporting { silent, ignore_warnings, verbosity, .. } = request.reporting;
        let mode = request.mode();
        let mut report = Self { silent, ignore_warnings, mode, ..Self::new(called, verbosity) };
        match side::check(request).and_then(|()| Record::open(called, request)) {
            Ok(record) => {
                report.record = record;
                if verbosity.verbose > 0 {
                    // The file that tells the peak is open from here on: the sandbox may open none.
                    system::memory::peak();
                }
                report.watch = Some(Watch::start(called.program, request, is_short));
            }
            Err(failure) => {
                report.must_stop = true;
                failure.report("the report", &mut report);
            }
        }
        // The watch answers signals from here on. What is short is over before an answer would be of use.
        if !(is_short && request.reporting.answers_signal) {
            signals::accept();
        }
        report
    }

    /// Writes the record, if one is wanted, and returns the exit status. `printed` is the outcome of printing to
    /// standard output.
    pub(super) fn end(mut self, printed: Status) -> u8 {
        let Some(record) = self.record.take() else { return self.code(printed) };
        if let Err(failure) = record.write(self.code(printed), system::memory::peak()) {
            failure.report("--json", &mut self);
        }
        self.code(printed)
    }

    /// Writes the record of a run that SIGPIPE is about to end.
    pub(super) fn end_by_sigpipe(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.message(Status::Error, "the program that reads the output has ended".into());
            // The process ends, so a failure cannot be reported.
            let _ = record.write(signals::SIGPIPE_STATUS, system::memory::peak());
        }
    }

    /// A stream begins. `total` is the length of its input, if it is known.
    pub(super) fn begin(&self, name: &str, total: Option<u64>, progress: &Progress) {
        if let Some(watch) = &self.watch {
            watch.begin(name, total, progress);
        }
    }

    /// The stream has ended, with these lengths of its input and output if it has ended well. Messages can be printed
    /// again.
    pub(super) fn end_stream(&self, lens: Option<(u64, u64)>) {
        if let Some(watch) = &self.watch {
            watch.end(lens);
        }
    }

    /// Adds a stream that failed to the record.
    pub(super) fn failed(&mut self, name: &str, progress: &Progress) {
        if let Some(record) = &mut self.record {
            record.failed(name, progress);
        }
    }

    /// Adds an input for which recovery records were written to this file to the record.
    pub(super) fn protected(&mut self, name: &str, done: &Protected, output: &str) {
        if let Some(record) = &mut self.record {
            record.protected(name, done, output);
        }
    }

    /// Adds an input with recovery records to the record, and the new file if one was made.
    pub(super) fn mended(&mut self, name: &str, found: &pzcomp::recovery::Report, made: Option<&str>) {
        if let Some(record) = &mut self.record {
            record.mended(name, found, made);
        }
    }

    /// The record, for the members of archives.
    pub(super) fn members(&mut self) -> Option<&mut Record> {
        self.record.as_mut()
    }

    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// The exit status. `printed` is the outcome of printing to standard output.
    fn code(&self, printed: Status) -> u8 {
        self.code.unwrap_or_else(|| self.called.messages.code(printed.max(self.status)))
    }

    /// Whether an error has ended the run.
    pub(super) fn must_stop(&self) -> bool {
        self.must_stop
    }

    /// Adds a message to the record.
    fn record(&mut self, status: Status, text: &str) {
        if let Some(record) = &mut self.record {
            record.message(status, text.to_owned());
        }
    }

    fn program(&self) -> Program {
        Program { name: self.called.program, verbosity: self.verbosity }
    }

    /// Reports an error in the same words for all dialects.
    pub(super) fn error(&mut self, name: impl Display, what: impl Display) {
        let text = format!("{}: {}: {what}", self.called.program, shown(name));
        self.record(Status::Error, &text);
        self.print(Message { status: Status::Error, text });
    }

    /// Prints a message in the words of the dialect, and returns its status. The record has it as the program words it
    /// without options.
    fn tell(&mut self, message: impl Fn(&dyn Messages, Program) -> Message) -> Status {
        if self.record.is_some() {
            let program = Program { name: self.called.program, verbosity: Verbosity::default() };
            let told = message(self.called.messages, program);
            self.record(told.status, &told.text);
        }
        let message = message(self.called.messages, self.program());
        let status = message.status;
        self.print(message);
        status
    }

    /// Reports an error or warning in the words of the dialect.
    pub(super) fn failure(&mut self, name: &str, failure: &CliError) {
        let name = &shown(name);
        let status = self.called.messages.message(self.program(), name, failure).status;
        if status == Status::Fine {
            // The user is not to mind it, so it is not in the record.
            return self.print(self.called.messages.message(self.program(), name, failure));
        }
        self.apply_ending(self.called.messages.ending(failure, self.mode));
        self.tell(|messages, program| messages.message(program, name, failure));
    }

    /// Whether the dialect takes a stream that is finished for an error. Its output is not to be completed then.
    pub(super) fn refuses(&self, done: &Done) -> bool {
        // Only the status counts here, so the name may be any.
        self.called.messages.done(self.program(), done).status == Status::Error
    }

    /// Reports a stream that is finished. Returns how bad the message about it is.
    pub(super) fn done(&mut self, done: &Done) -> Status {
        let (name, made) = (shown(done.name), done.made.map(|made| PathBuf::from(shown(made.display()))));
        let shown = Done { name: &name, made: made.as_deref(), ..*done };
        let reporting = &done.request.reporting;
        if let Some(Digests { plain, coded }) = done.digests
            && reporting.record.is_none()
            && reporting.hash_file.is_none()
        {
            for (side, hashes) in [("plain", plain), ("coded", coded)] {
                for (kind, digits) in hashes {
                    let (program, kind) = (self.called.program, kind.name());
                    print_line(format_args!("{program}: {name}: {kind} of the {side} data: {digits}"));
                }
            }
        }
        if let Some(record) = &mut self.record {
            record.done(done);
        }
        self.tell(|messages, program| messages.done(program, &shown))
    }

    /// Reports that an input stays although it was to be removed, because it was not taken whole.
    pub(super) fn left(&mut self, name: &str, why: &str) {
        let name = &shown(name);
        self.tell(|messages, program| messages.left(program, name, why));
    }

    /// Reports an input that `-l` has read. Returns whether the table has a row for it.
    pub(super) fn listed(&mut self, name: &str, listing: &Listing, records: &Brief) -> bool {
        let message = self.called.messages.listed(self.program(), &shown(name), listing);
        let is_fine = message.status == Status::Fine;
        if let Some(record) = self.record.as_mut().filter(|_| is_fine) {
            record.listed(name, listing, records);
        }
        self.record(message.status, &message.text);
        self.print(message);
        is_fine
    }

    /// Reports a warning in the same words for all dialects.
    pub(super) fn warning(&mut self, name: impl Display, what: impl Display) {
        let name = shown(name);
        self.status = self.status.max(Status::Warning);
        self.record(Status::Warning, &format!("{}: {name}: warning: {what}", self.called.program));
        if !self.verbosity.quiet {
            print_line(format_args!("{}: {name}: warning: {what}", self.called.program));
        }
    }

    /// Reports what is damaged in an input, one line for each range. It is a warning.
    pub(super) fn damage(&mut self, name: impl Display, lines: &[String]) {
        let name = shown(name);
        self.status = self.status.max(Status::Warning);
        if let Some(record) = &mut self.record {
            let program = self.called.program;
            let text = |line: &String| format!("{program}: {name}: {line}");
            lines.iter().for_each(|line| record.message(Status::Warning, text(line)));
        }
        for line in lines.iter().filter(|_| !self.silent && !self.verbosity.quiet) {
            print_line(format_args!("{}: {name}: {line}", self.called.program));
        }
    }

    /// Prints the notes of a request, which come before the work.
    pub(super) fn notes(&self, notes: &[String]) {
        for note in notes.iter().filter(|_| !self.silent) {
            print_line(format_args!("{}: {note}", self.called.program));
        }
    }

    /// Prints a note about an input, unless the user wants to hear nothing.
    pub(super) fn note(&self, name: &str, what: &str) {
        if !self.verbosity.quiet {
            self.print_settings(0, name, || what.into());
        }
    }

    /// Whether the run is under the own name. The scripts of another tool know nothing of what only pzcomp has.
    pub(super) fn is_of_pzcomp(&self) -> bool {
        self.called.name == "pzcomp"
    }

    /// Prints settings of a stream, or what it will take, from this number of `-v` on. An empty text is not printed.
    pub(super) fn print_settings(&self, verbose: u8, name: impl Display, what: impl FnOnce() -> String) {
        if self.verbosity.verbose < verbose || !self.called.messages.prints_settings() {
            return;
        }
        let what = what();
        if !what.is_empty() {
            print_line(format_args!("{}: {}: {what}", self.called.program, shown(name)));
        }
    }

    /// Asks the user whether to overwrite a file, and returns the answer. Returns `None` if the question is not to be
    /// asked.
    pub(super) fn may_overwrite(&self, path: &Path, ask: Ask) -> Option<bool> {
        match ask {
            Ask::Never => return None,
            Ask::IfTerminal if !std::io::stdin().is_terminal() => return None,
            Ask::IfTerminal | Ask::Always => {}
        }
        let path = PathBuf::from(shown(path.display()));
        let question = self.called.messages.question(self.program(), &path)?;
        print_text(question);
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        Some(read.is_ok() && answer.trim_start().starts_with(['y', 'Y']))
    }

    fn apply_ending(&mut self, ending: Ending) {
        let code = self.code.unwrap_or_default();
        match ending {
            Ending::Usual => {}
            Ending::Code(least) => self.code = Some(code.max(least)),
            Ending::Counted => self.code = Some(code.saturating_add(1)),
            Ending::Abort(code) => (self.code, self.must_stop) = (Some(code), true),
        }
    }

    fn print(&mut self, Message { status, text }: Message) {
        if !(self.ignore_warnings && status == Status::Warning) {
            self.status = self.status.max(status);
        }
        if !text.is_empty() && !self.silent {
            print_line(text);
        }
    }
}

/// Whether messages are suppressed, because a signal is about to end the process.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Suppresses all further messages. A signal is about to end the process, and errors that this causes are of no use
/// to the user.
pub(super) fn silence() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Writes a line to standard error. A failure is ignored, because it cannot be reported.
///
/// A message may have several lines. Apart from ends of lines and tabs it holds nothing that a terminal obeys: words of
/// the command line get here, too.
pub(super) fn print_line(line: impl Display) {
    print_text(format_args!("{line}\n"));
}

/// Writes the text of a question, or a line with its end.
pub(super) fn print_text(text: impl Display) {
    if !IS_SILENT.load(Ordering::Relaxed) {
        let text = text.to_string();
        let is_layout = |sign: char| matches!(sign, '\n' | '\t');
        let shown: String = text
            .split_inclusive(is_layout)
            .map(|part| match part.strip_suffix(is_layout) {
                Some(words) => printable(words.as_bytes()) + &part[words.len()..],
                None => printable(part.as_bytes()),
            })
            .collect();
        let _ = BlockingWriter::new(handle::of(&std::io::stderr())).write_all(shown.as_bytes());
    }
}

/// A name as messages show it: on one line, and without what a terminal obeys.
fn shown(name: impl Display) -> String {
    printable(name.to_string().as_bytes())
}

/// The figures of a stream, displayed on one line for `-v`.
pub(super) struct Figures<'a> {
    pub(super) mode: Mode,
    pub(super) summary: &'a Summary,
    /// How many coded bytes were decoded, if the output is coded again.
    pub(super) read_len: Option<u64>,
}

impl Display for Figures<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Summary { plain_len, coded_len, frames, threads, cpu, .. } = self.summary;
        let (from, to) = match self.mode {
            Mode::Compress => (plain_len, coded_len),
            Mode::Recode => (self.read_len.as_ref().unwrap_or(plain_len), coded_len),
            _ => (coded_len, plain_len),
        };
        let ratio = Ratio { coded_len: *coded_len, plain_len: *plain_len };
        let wall = self.summary.wall.as_secs_f64();
        let speed = *plain_len as f64 / 1e6 / wall.max(1e-9);
        write!(f, "{} -> {} ({} %, {}x) ", human(*from), human(*to), ratio.percent(), ratio.times())?;
        write!(
            f,
            "in {wall:.2} s, {speed:.1} MB/s; {}, {}",
            count(*frames, "frame"),
            count(*threads as u64, "thread")
        )?;
        // The threads of a recoding work for both directions, and their times are not kept apart.
        if self.read_len.is_none() {
            let [reader, workers, writer] =
                [cpu.reader, cpu.workers, cpu.writer].map(|time| time.as_secs_f64());
            write!(f, "; cpu s: reader {reader:.3}, workers {workers:.3}, writer {writer:.3}")?;
        }
        match system::memory::peak() {
            Some(bytes) => write!(f, "; peak memory {:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::name;
    use super::*;

    #[test]
    fn an_error_outranks_a_warning_whichever_comes_first() {
        let mut report = Report::new(&name::pzcomp().name, Verbosity { quiet: true, verbose: 0 });
        report.status = Status::Error;
        report.warning("a", "b");
        assert_eq!(report.status(), Status::Error);
    }
}
