//! What a command line asks for, in terms that are the same for all dialects.
//!
//! A dialect turns its arguments into a [`Request`]. `work` and `list` do what the request asks for. `source`,
//! `target`, `suffix` and `origin` read the fields that concern inputs, outputs, their names and what gzip headers say
//! of them.
//!
//! No flag of any tool occurs here. A difference between two tools is a field of the request, or of one of its parts:
//! [`FileRules`], [`Suffixes`], [`Origin`] and [`Reporting`].

mod files;
mod options;
mod seek;

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub(super) use files::{
    Ask, FileRules, Folder, HardLinks, IndexFile, Origin, OutputLinks, Recompress, Sparse, Suffixes,
};
pub(super) use options::{LzipOptions, Options, XzOptions, ZstdOptions};
use pzcomp::Format;
use pzcomp::salvage::Fill;
use regex::bytes::Regex;
pub(super) use seek::{ExtractTo, Extraction, IndexWork, PlainRange, SeekWork};
use system::facts::Facts;

use super::hash::HashKind;

/// The most bytes of a dictionary that is trained, if the user says nothing else.
pub(super) const DICTIONARY_LEN: usize = 110 << 10;

/// A command line after its dialect has read it.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub(super) task: Task,
    /// An input that is damaged and has recovery records is mended while it is decompressed, or the user is told that
    /// it can be repaired.
    pub(super) mends: bool,
    pub(super) options: Options,
    pub(super) sources: Vec<Source>,
    pub(super) target: Target,
    /// The folder for output files that otherwise would be beside their inputs.
    pub(super) folder: Option<Folder>,
    pub(super) index_file: Option<IndexFile>,
    pub(super) suffixes: Suffixes,
    pub(super) rules: FileRules,
    /// The file of the dictionary. It is not accepted as an input: if the input were removed after it was compressed,
    /// nobody could decompress the output.
    pub(super) dictionary: Option<Facts>,
    /// Decompress an empty input to an empty output. Without this, an empty input is an error.
    pub(super) accept_empty: bool,
    /// Copy a file to decompress that begins with other bytes than these, although it is in no accepted format.
    pub(super) copy_unless: Option<&'static [u8]>,
    /// Decode what was written, or read it again, and compare it with what was to be written.
    pub(super) verify: bool,
    /// Keep the rights that the run does not need.
    pub(super) no_sandbox: bool,
    /// How the data to compress must end.
    pub(super) expected: Option<Expected>,
    /// What the header of a gzip member says of the original file.
    pub(super) origin: Origin,
    /// An input that cannot be decompressed ends the run. The inputs after it are not touched.
    pub(super) stop_at_error: bool,
    pub(super) reporting: Reporting,
}

/// How the data to compress must end.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// The last bytes contain what matches the pattern. Errors show it in this form.
    Tail { pattern: Regex, shown: String },
    /// As a tar archive, with two blocks of zeros.
    Tar,
    /// As an xbstream, with the end of each of its files. That of a backup also has the file that is written last.
    Xbstream { is_backup: bool },
}

/// What is told about a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Reporting {
    pub(super) verbosity: Verbosity,
    /// Print no messages at all. Errors then change the exit status only.
    pub(super) silent: bool,
    /// Warnings do not change the exit status.
    pub(super) ignore_warnings: bool,
    /// Print tables in the form for programs.
    pub(super) robot: bool,
    /// Messages that are printed before the work begins.
    pub(super) notes: Vec<String>,
    /// The file of the record. `-` is standard error.
    pub(super) record: Option<PathBuf>,
    /// The hashes of both sides of each stream.
    pub(super) hashes: Vec<HashKind>,
    /// The file for the hashes of the outputs.
    pub(super) hash_file: Option<PathBuf>,
    pub(super) progress: ShowProgress,
    /// About how long the input is.
    pub(super) size_hint: Option<u64>,
    /// Whether SIGUSR1 makes the program print a line. Otherwise the signal ends it, as it ends most programs.
    pub(super) answers_signal: bool,
}

/// When progress is shown.
#[derive(Clone, Debug, Default)]
pub(super) enum ShowProgress {
    /// If standard error is a terminal, and the output goes to files or nowhere.
    Auto,
    #[default]
    Never,
    Always,
    /// As JSON, one object on each line.
    Json(ProgressLines),
}

/// Where lines for programs go.
#[derive(Clone, Debug)]
pub(super) enum ProgressLines {
    Stderr,
    /// A descriptor that the caller has opened.
    Descriptor(Arc<File>),
}

/// What is done with each input, and what that needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Task {
    #[default]
    Compress,
    Decompress,
    /// Decompress, and compress again in the format of the options.
    Recode,
    Test,
    List,
    /// Decompress or test, and skip what is damaged.
    Salvage(SalvageWork),
    /// Decompress, test, recode or list the compressed members of a stream.
    Members(MemberStream, Mode),
    /// Read from any place, or make what that needs.
    Seek(SeekWork),
    /// Write recovery records, or mend by them.
    Recovery(RecoveryWork),
    /// Make a dictionary of zstd, which has at most so many bytes, of short inputs.
    Train(usize),
}

/// What becomes of the data of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Plain data is read, and mostly coded.
    Compress,
    /// Coded data, or part of it, is decoded.
    Decompress,
    /// Coded data is decoded and coded again.
    Recode,
    /// Coded data is read, and goes nowhere.
    Test,
    /// A table is printed.
    List,
}

impl Task {
    /// Whether the inputs must be regular files, because they are read from any place.
    pub(super) fn needs_file(&self) -> bool {
        match self {
            Self::Seek(work) => !matches!(work, SeekWork::Members | SeekWork::Extract(_)),
            Self::Recovery(_) | Self::Salvage(_) => true,
            _ => false,
        }
    }

    /// The name for programs.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Salvage(SalvageWork { only_test: false, .. }) => "salvage",
            Self::Seek(SeekWork::Index(_)) => "index",
            Self::Recovery(RecoveryWork::Protect { .. }) => "protect",
            Self::Recovery(RecoveryWork::Repair) => "repair",
            Self::Train(_) => "train",
            task => match task.mode() {
                Mode::Compress => "compress",
                Mode::Recode => "recode",
                Mode::Decompress => "decompress",
                Mode::Test => "test",
                Mode::List => "list",
            },
        }
    }

    pub(super) fn mode(&self) -> Mode {
        let decodes = |only_test| if only_test { Mode::Test } else { Mode::Decompress };
        match self {
            Self::Compress | Self::Train(_) => Mode::Compress,
            Self::Recode => Mode::Recode,
            Self::Decompress | Self::Seek(SeekWork::Ranges(_) | SeekWork::Extract(_)) => Mode::Decompress,
            Self::Test | Self::Seek(SeekWork::Index(_) | SeekWork::VerifyIndex) | Self::Recovery(_) => {
                Mode::Test
            }
            Self::List | Self::Seek(SeekWork::Frames | SeekWork::Members) => Mode::List,
            Self::Salvage(work) => decodes(work.only_test),
            Self::Members(_, mode) => *mode,
        }
    }
}

impl From<Mode> for Task {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Compress => Self::Compress,
            Mode::Decompress => Self::Decompress,
            Mode::Recode => Self::Recode,
            Mode::Test => Self::Test,
            Mode::List => Self::List,
        }
    }
}

impl Mode {
    /// Whether the output is coded.
    pub(super) fn writes_coded(self) -> bool {
        matches!(self, Self::Compress | Self::Recode)
    }
}

/// A stream of members, some of which are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberStream {
    /// It is decompressed or tested.
    Xbstream,
    Mydumper,
}

/// How a damaged input is salvaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SalvageWork {
    /// What is written in place of lost data.
    pub(super) fill: Fill,
    /// Also write data that no check has verified.
    pub(super) keep_unverified: bool,
    /// Write only the report.
    pub(super) only_test: bool,
}

/// What is done with recovery records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecoveryWork {
    /// Write records beside each input: so many thousandths of parity, for each span of so many bytes.
    Protect { share: Option<u16>, span: Option<u64> },
    /// Verify each input by the records beside it.
    Check,
    /// Mend each input.
    Repair,
}

/// Where input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    Path(PathBuf),
    /// The standard output of this program with these arguments.
    Command(Vec<OsString>),
}

/// Where output goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Target {
    /// The output of each file goes to a file beside it. The output of standard input goes to standard output.
    #[default]
    Beside,
    /// All outputs go to standard output, one after the other.
    Stdout,
    /// All outputs go to this file, one after the other.
    File(PathBuf),
}

/// How much is printed on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Verbosity {
    /// Warnings are not printed. They still change the exit status.
    pub(super) quiet: bool,
    /// 0: nothing more. 1: figures and remarks as well. 2: settings as well.
    pub(super) verbose: u8,
}

impl Verbosity {
    /// Another `-v`.
    pub(super) fn raise(&mut self) {
        self.verbose = self.verbose.saturating_add(1);
    }
}

impl Request {
    /// The inputs of these names. `-` is standard input. Without names, standard input is the only input.
    pub(super) fn sources_of(files: Vec<OsString>) -> Vec<Source> {
        let source = |file: OsString| if file == "-" { Source::Stdin } else { Source::Path(file.into()) };
        match files.is_empty() {
            true => vec![Source::Stdin],
            false => files.into_iter().map(source).collect(),
        }
    }

    pub(super) fn mode(&self) -> Mode {
        self.task.mode()
    }

    /// Whether an input that is short and at hand is coded on the thread that asks, which starts no other thread.
    /// Everything else that can be wished of a stream needs the pipeline.
    pub(super) fn takes_short(&self) -> bool {
        let Self { options, reporting, .. } = self;
        matches!(self.task, Task::Compress | Task::Decompress | Task::Test)
            && !(self.verify || self.rules.fifos || options.idle || options.drop_cache)
            && (self.expected.is_none() && reporting.hashes.is_empty() && options.recovery.is_none())
            && (options.memory.is_none() && options.buffer == 0 && options.adapt.is_none())
    }

    /// Whether a run needs no file but its only input and its output, when both are open.
    pub(super) fn opens_no_more(&self) -> bool {
        let Self { options, reporting, .. } = self;
        let is_such = match &self.task {
            Task::Compress | Task::Decompress | Task::Recode | Task::Test => true,
            // The tables of other names have local times, and the rules of the time zone are in a file.
            Task::List | Task::Members(_, Mode::List) => self.mends,
            Task::Seek(SeekWork::Frames | SeekWork::Ranges(_) | SeekWork::Members) => true,
            Task::Seek(SeekWork::Extract(extraction)) => !matches!(extraction.to, ExtractTo::Folder(_)),
            _ => false,
        };
        is_such
            && matches!(self.sources[..], [_])
            && !(self.rules.recursive || self.rules.fifos || options.idle)
            && (self.index_file.is_none() && reporting.hash_file.is_none() && reporting.record.is_none())
    }

    /// Whether no output goes to standard output.
    pub(super) fn makes_files(&self) -> bool {
        match &self.target {
            _ if self.mode() == Mode::Test => true,
            Target::File(_) => true,
            Target::Beside => self.sources.iter().all(|source| matches!(source, Source::Path(_))),
            Target::Stdout => false,
        }
    }
}

impl Suffixes {
    /// Whether the name of the input has one of the excluded suffixes.
    pub(super) fn excludes(&self, source: &Source) -> bool {
        let Source::Path(path) = source else { return false };
        let name = path.as_os_str().as_encoded_bytes();
        // A dot at the start of the path begins no suffix.
        let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0);
        dot.is_some_and(|dot| self.excluded.iter().any(|suffix| suffix.as_bytes() == &name[dot..]))
    }
}

impl Source {
    /// Whether the input exists.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::Stdin | Self::Command(_) => true,
            Self::Path(path) => path.exists(),
        }
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::Path(path) => path.display().to_string(),
            Self::Command(command) => {
                command.first().map_or_else(String::new, |program| program.display().to_string())
            }
        }
    }
}

/// What to measure, and where the results go.
#[derive(Clone, Debug)]
pub(crate) struct BenchRequest {
    /// The inputs, the options of the library, and how much is printed.
    pub(crate) request: Request,
    /// Whether inputs were named. If not, standard input is measured only if it has data.
    pub(crate) named: bool,
    pub(crate) formats: Vec<Format>,
    pub(crate) levels: Vec<i32>,
    /// For each point.
    pub(crate) time: Duration,
    pub(crate) sample_len: Option<u64>,
    pub(crate) demand: Demand,
    pub(crate) json: Option<PathBuf>,
    pub(crate) csv: Option<PathBuf>,
    pub(crate) plot: Option<PathBuf>,
}

/// The speed and the size that are demanded. `None` demands nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// The least number of plain bytes that are compressed in a second.
    pub(crate) speed: Option<f64>,
    /// The greatest coded length, divided by the plain length.
    pub(crate) ratio: Option<f64>,
}
