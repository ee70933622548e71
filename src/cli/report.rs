//! What the user hears, and the exit status it leaves.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use pzcomp::{Listing, Summary};

use super::dialect::{Dialect, Done, Ending, Listed, Speaker, Verdict};
use super::name::Name;
use super::request::{Ask, Mode, Request, Voice};
use super::size::human;
use super::trouble::Trouble;

/// How it went; only ever gets worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    #[default]
    Fine,
    Warning,
    Error,
}

/// The only voice of the program, on standard error.
pub(super) struct Report {
    called: &'static Name,
    voice: Voice,
    /// Nothing is said.
    mute: bool,
    /// Warnings do not count.
    lenient: bool,
    mode: Mode,
    status: Status,
    /// The exit status that the trouble so far demands.
    code: Option<u8>,
    /// Nothing more is to be done.
    is_over: bool,
}

impl Trouble {
    /// Tells the user about it.
    pub(super) fn tell(&self, name: &str, report: &mut Report) {
        report.trouble(self.about.as_deref().unwrap_or(name), self);
    }
}

impl Report {
    pub(super) fn new(called: &'static Name, voice: Voice) -> Self {
        Self {
            called,
            voice,
            mute: false,
            lenient: false,
            mode: Mode::Compress,
            status: Status::Fine,
            code: None,
            is_over: false,
        }
    }

    /// As the request wants to hear it.
    pub(super) fn on(called: &'static Name, request: &Request) -> Self {
        let Request { mute, lenient, mode, .. } = *request;
        Self { mute, lenient, mode, ..Self::new(called, request.voice) }
    }

    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// The exit status, if printing went so.
    pub(super) fn code(&self, printed: Status) -> u8 {
        self.code.unwrap_or_else(|| self.called.dialect.code(printed.max(self.status)))
    }

    /// Whether the trouble so far ends the program.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    fn speaker(&self) -> Speaker {
        Speaker { program: self.called.program, voice: self.voice }
    }

    /// Something was not done.
    pub(super) fn error(&mut self, name: impl Display, what: impl Display) {
        let text = format!("{}: {name}: {what}", self.called.program);
        self.tell(Verdict { status: Status::Error, text });
    }

    /// An input or output is not dealt with.
    pub(super) fn trouble(&mut self, name: &str, trouble: &Trouble) {
        let verdict = self.called.dialect.verdict(self.speaker(), name, trouble);
        if verdict.status != Status::Fine {
            self.end(self.called.dialect.ending(trouble, self.mode));
        }
        self.tell(verdict);
    }

    /// What a stream amounted to.
    pub(super) fn done(&mut self, done: &Done) {
        let verdict = self.called.dialect.done(self.speaker(), done);
        self.tell(verdict);
    }

    /// What `-l` found; whether the table has a row for it.
    pub(super) fn listed(&mut self, name: &str, listing: &Listing) -> bool {
        let verdict = self.called.dialect.listed(self.speaker(), name, listing);
        let is_fine = verdict.status == Status::Fine;
        self.tell(verdict);
        is_fine
    }

    /// Whose words it speaks.
    pub(super) fn dialect(&self) -> &'static dyn Dialect {
        self.called.dialect
    }

    /// The table of what `-l` found out.
    pub(super) fn table(&self, listed: &[Listed], request: &Request) -> String {
        self.called.dialect.list(listed, request)
    }

    /// Something is odd though nothing is lost.
    pub(super) fn warning(&mut self, name: impl Display, what: impl Display) {
        self.status = self.status.max(Status::Warning);
        if !self.voice.quiet {
            say(format_args!("{}: {name}: warning: {what}", self.called.program));
        }
    }

    /// What the dialect has to say before the work begins.
    pub(super) fn notes(&self, notes: &[String]) {
        for note in notes.iter().filter(|_| !self.mute) {
            say(format_args!("{}: {note}", self.called.program));
        }
    }

    /// For those who ask twice.
    pub(super) fn detail(&self, name: impl Display, what: impl Display) {
        if self.voice.verbose > 1 && self.called.dialect.tells_settings() {
            say(format_args!("{}: {name}: {what}", self.called.program));
        }
    }

    /// Whether the user at the terminal lets a file be overwritten; nothing if nobody is there.
    pub(super) fn may_overwrite(&self, path: &Path, ask: Ask) -> Option<bool> {
        match ask {
            Ask::Nobody => return None,
            Ask::Terminal if !std::io::stdin().is_terminal() => return None,
            Ask::Terminal | Ask::Anyone => {}
        }
        let question = self.called.dialect.question(self.speaker(), path)?;
        // Whether anybody can read it changes nothing.
        let _ = write!(std::io::stderr(), "{question}");
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        Some(read.is_ok() && answer.trim_start().starts_with(['y', 'Y']))
    }

    fn end(&mut self, ending: Ending) {
        let code = self.code.unwrap_or_default();
        match ending {
            Ending::Usual => {}
            Ending::Code(least) => self.code = Some(code.max(least)),
            Ending::Counted => self.code = Some(code.saturating_add(1)),
            Ending::Abort(code) => (self.code, self.is_over) = (Some(code), true),
        }
    }

    fn tell(&mut self, Verdict { status, text }: Verdict) {
        if !(self.lenient && status == Status::Warning) {
            self.status = self.status.max(status);
        }
        if !text.is_empty() && !self.mute {
            say(text);
        }
    }
}

/// Nothing is said any more.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Says nothing from now on. A signal is about to end the process: what still goes wrong is no news.
pub(super) fn fall_silent() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Writes a line. Whether anybody can read it changes nothing.
pub(super) fn say(line: impl Display) {
    if !IS_SILENT.load(Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

const PEAK: &str = "; peak memory ";
const MIB: &str = " MiB";
const MIB_LEN: f64 = (1 << 20) as f64;

/// The most memory that this process has held so far, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?;
    Some(kib.parse::<u64>().ok()? << 10)
}

/// The peak memory that the figures in these messages of another process end with.
pub(super) fn peak_memory_in(messages: &str) -> Option<u64> {
    let (_, peak) = messages.rsplit_once(PEAK)?;
    let (mib, _) = peak.split_once(MIB)?;
    Some((mib.parse::<f64>().ok()? * MIB_LEN) as u64)
}

/// The figures of a stream, on one line.
pub(super) struct Figures<'a> {
    pub(super) mode: Mode,
    pub(super) summary: &'a Summary,
}

impl Display for Figures<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Summary { plain_len, coded_len, frames, threads, cpu, .. } = self.summary;
        let (from, to) = match self.mode {
            Mode::Compress => (plain_len, coded_len),
            _ => (coded_len, plain_len),
        };
        let ratio = Ratio { coded_len: *coded_len, plain_len: *plain_len };
        let wall = self.summary.wall.as_secs_f64();
        let speed = *plain_len as f64 / 1e6 / wall.max(1e-9);
        write!(f, "{} -> {} ({} %, {}x) ", human(*from), human(*to), ratio.percent(), ratio.times())?;
        write!(f, "in {wall:.2} s, {speed:.1} MB/s; {frames} frames, {threads} threads; cpu s: ")?;
        let [reader, workers, writer] = [cpu.reader, cpu.workers, cpu.writer].map(|time| time.as_secs_f64());
        write!(f, "reader {reader:.3}, workers {workers:.3}, writer {writer:.3}")?;
        match peak_memory() {
            Some(bytes) => write!(f, "{PEAK}{:.1}{MIB}", bytes as f64 / MIB_LEN),
            None => Ok(()),
        }
    }
}

/// Coded against plain length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
}

impl Ratio {
    /// The coded length in percent of the plain one.
    pub(super) fn percent(self) -> String {
        match self.plain_len {
            0 => "-".into(),
            plain_len => format!("{:.2}", 100.0 * self.coded_len as f64 / plain_len as f64),
        }
    }

    /// How many times the coded length goes into the plain one.
    fn times(self) -> String {
        match (self.coded_len, self.plain_len) {
            (0, _) | (_, 0) => "-".into(),
            (coded_len, plain_len) => format!("{:.2}", plain_len as f64 / coded_len as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::name;
    use super::*;

    #[test]
    fn an_error_outranks_a_warning_whichever_comes_first() {
        let mut report = Report::new(name::own(), Voice { quiet: true, verbose: 0 });
        report.status = Status::Error;
        report.warning("a", "b");
        assert_eq!(report.status(), Status::Error);
    }

    #[test]
    fn peak_memory_is_read_as_it_is_written() {
        let messages = format!("pzcomp: a: 1 B{PEAK}7.0{MIB}\npzcomp: b: 2 B{PEAK}12.5{MIB}\n");
        assert_eq!(peak_memory_in(&messages), Some(25 << 19));
        assert_eq!(peak_memory_in("pzcomp: a: 1 B"), None);
        if cfg!(target_os = "linux") {
            assert!(peak_memory().is_some_and(|bytes| bytes > 1 << 20));
        }
    }

    #[test]
    fn ratios_of_nothing_are_not_numbers() {
        let ratio = |coded_len, plain_len| Ratio { coded_len, plain_len };
        assert_eq!((ratio(22, 0).percent(), ratio(22, 0).times()), ("-".into(), "-".into()));
        assert_eq!((ratio(1, 4).percent(), ratio(1, 4).times()), ("25.00".into(), "4.00".into()));
        assert_eq!(ratio(0, 0).times(), "-");
    }
}
