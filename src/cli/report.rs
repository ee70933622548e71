//! What the user hears, and the exit status it leaves.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use pzcomp::Summary;

use super::dialect::{Dialect, Native, Verdict};
use super::request::{Mode, Voice};
use super::size::human;
use super::trouble::{Kind, Trouble};

/// How it went; only ever gets worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    #[default]
    Fine,
    Warning,
    Error,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Fine => 0,
            Status::Error => 1,
            Status::Warning => 2,
        })
    }
}

/// The only voice of the program, on standard error.
pub(super) struct Report {
    dialect: &'static dyn Dialect,
    voice: Voice,
    status: Status,
}

impl Report {
    pub(super) fn new(voice: Voice) -> Self {
        Self { dialect: &Native, voice, status: Status::Fine }
    }

    pub(super) fn status(&self) -> Status {
        self.status
    }

    /// Something was not done.
    pub(super) fn error(&mut self, name: impl Display, what: impl Display) {
        self.status = self.status.max(Status::Error);
        say(format_args!("{name}: {what}"));
    }

    /// An input or output is not dealt with.
    pub(super) fn trouble(&mut self, name: &str, trouble: &Trouble) {
        let Verdict { status, words } = self.dialect.verdict(trouble);
        match status {
            Status::Fine => self.remark(name, words),
            Status::Warning => self.warning(name, words),
            Status::Error if matches!(trouble.kind, Kind::Usage(_)) => {
                self.status = Status::Error;
                say(words);
            }
            Status::Error => self.error(name, words),
        }
    }

    /// Something was left out, or is odd though nothing is lost.
    pub(super) fn warning(&mut self, name: impl Display, what: impl Display) {
        self.status = self.status.max(Status::Warning);
        if !self.voice.quiet {
            say(format_args!("{name}: warning: {what}"));
        }
    }

    /// For those who ask.
    pub(super) fn remark(&self, name: impl Display, what: impl Display) {
        if self.voice.verbose > 0 {
            say(format_args!("{name}: {what}"));
        }
    }

    /// For those who ask twice.
    pub(super) fn detail(&self, name: impl Display, what: impl Display) {
        if self.voice.verbose > 1 {
            say(format_args!("{name}: {what}"));
        }
    }

    /// What a stream amounted to.
    pub(super) fn summary(&mut self, name: &str, mode: Mode, summary: &Summary) {
        for warning in &summary.warnings {
            self.warning(name, warning);
        }
        for remark in &summary.remarks {
            self.remark(name, remark);
        }
        if mode == Mode::Test {
            self.remark(name, "OK");
        }
        self.remark(name, Figures { mode, summary });
    }
}

/// Writes a line. Whether anybody can read it changes nothing.
pub(super) fn say(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "pzcomp: {line}");
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
struct Figures<'a> {
    mode: Mode,
    summary: &'a Summary,
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
    use super::*;

    #[test]
    fn an_error_outranks_a_warning_whichever_comes_first() {
        let mut report = Report::new(Voice { quiet: true, verbose: 0 });
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
