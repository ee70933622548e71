//! The rows of the table as data: a row is a promise of the project, or a comparison with a peer.
//!
//! `rows/` makes the rows, `plan.rs` chooses from them, and `measure.rs` runs them. A command line is written as a user
//! would type it. The word `pzcomp` at its start stands for the binary under test. `{in}` and `{out}` stand for files,
//! if the shape of the row has files. If a command line does not name such a file, it is its stdin or stdout. Commands
//! with ` | ` between them are a pipeline.

use std::fmt;

/// The name by which command lines call the binary under test.
pub const OURS: &str = "pzcomp";

/// The name of the older binary.
pub const BEFORE: &str = "pzcomp-before";

/// One end of a process: its input or its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Pipe,
    /// A pipe of the size that the system gives, whose other side moves 32 KiB at once. Container engines have such
    /// pipes to and from the program that unpacks a layer.
    Copied,
    File,
    /// `/dev/null`, which takes the output without a copy. Only an output can be null.
    Null,
}

const ENDS: [(End, &str); 4] =
    [(End::Pipe, "pipe"), (End::Copied, "32K pipe"), (End::File, "file"), (End::Null, "null")];

/// Input and output of the measured process. Any thread can read and write a file at any place, but not a pipe. So the
/// same work has different speeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub input: End,
    pub output: End,
}

pub const PIPE_TO_PIPE: Shape = Shape { input: End::Pipe, output: End::Pipe };
pub const PIPE_TO_FILE: Shape = Shape { input: End::Pipe, output: End::File };
pub const FILE_TO_PIPE: Shape = Shape { input: End::File, output: End::Pipe };

impl Shape {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let end = |name| ENDS.into_iter().find(|(_, known)| *known == name).map(|(end, _)| end);
        let (input, output) = text.split_once('→')?;
        Some(Self { input: end(input)?, output: end(output)? })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |end| ENDS.into_iter().find(|(known, _)| *known == end).map_or("", |(_, name)| name);
        write!(f, "{}→{}", name(self.input), name(self.output))
    }
}

/// The speed of a row. It decides how much of the data the row gets, and how often it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Hundreds of MB/s: all of the data.
    Fast,
    /// Tens of MB/s: the first 64 MiB, or 32 MiB with `--quick`.
    Slow,
    /// A few MB/s: few rounds, and so much data that both threads get the same number of whole blocks of the peer's
    /// size.
    VerySlow { mib: u64, quick_mib: u64 },
}

/// One side of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// The command that makes the input from the plain data. None if the plain data is the input.
    pub source: Option<String>,
    /// The measured command.
    pub run: String,
    /// The command that turns the output back into the plain data. None if the output is the plain data.
    pub check: Option<String>,
}

/// A party that compresses with `run`. `check` decompresses its output.
pub fn coding(run: impl Into<String>, check: impl Into<String>) -> Party {
    Party { source: None, run: run.into(), check: Some(check.into()) }
}

/// A party that decompresses with `run` the output of `source`.
pub fn decoding(source: impl Into<String>, run: impl Into<String>) -> Party {
    Party { source: Some(source.into()), run: run.into(), check: None }
}

/// The goal of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// At least this many times the peer's speed, with an output of at most this many times its size.
    Speed { at_least: f64, size_at_most: Option<f64> },
    /// Peak memory of the process.
    Memory { at_most_mib: u64 },
    /// The number of cores that the workers could use before the reader or the writer is the limit.
    Cores { at_least: f64 },
    /// No promise. The row shows which program is ahead.
    Ahead,
}

impl Goal {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (what, size) =
            text.split_once(", size ≤ ").map_or((text, None), |(what, size)| (what, Some(size)));
        if let Some(speed) = what.strip_prefix("speed ≥ ") {
            let size_at_most = size.map(str::parse).transpose().ok()?;
            return Some(Self::Speed { at_least: speed.parse().ok()?, size_at_most });
        }
        if let Some(cores) = what.strip_prefix("cores ≥ ") {
            return Some(Self::Cores { at_least: cores.parse().ok()? });
        }
        let mib = what.strip_prefix("peak ≤ ")?.strip_suffix(" MiB")?;
        Some(Self::Memory { at_most_mib: mib.parse().ok()? })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Speed { at_least, size_at_most: None } => write!(f, "speed ≥ {at_least}"),
            Self::Speed { at_least, size_at_most: Some(most) } => {
                write!(f, "speed ≥ {at_least}, size ≤ {most}")
            }
            Self::Memory { at_most_mib } => write!(f, "peak ≤ {at_most_mib} MiB"),
            Self::Cores { at_least } => write!(f, "cores ≥ {at_least}"),
            Self::Ahead => f.write_str("ahead"),
        }
    }
}

/// The rank of a row. It decides which sets have the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A promise of the project.
    Promise,
    /// A comparison with the first peer of its format, at the main level.
    First,
    /// A comparison with any other peer, at the main level. Data of the second rank has the rows up to this one.
    Main,
    /// All other levels, foreign files and numbers of threads.
    Full,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub work: String,
    pub shape: Shape,
    pub pace: Pace,
    pub ours: Party,
    pub peer: Option<Party>,
    pub goal: Goal,
    pub tier: Tier,
}

impl Row {
    /// The row with an older pzcomp in the place of the peer.
    pub fn against_before(self) -> Self {
        let commands = commands_of(&self.ours.run).map(|command| match command.strip_prefix(OURS) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => format!("{BEFORE}{rest}"),
            _ => command.to_owned(),
        });
        let run = commands.collect::<Vec<_>>().join(" | ");
        let peer = Some(Party { run, ..self.ours.clone() });
        Self { peer, goal: Goal::Ahead, ..self }
    }

    /// pzcomp and, if the row has one, the peer.
    pub fn parties(&self) -> impl Iterator<Item = &Party> {
        [Some(&self.ours), self.peer.as_ref()].into_iter().flatten()
    }

    /// Whether pzcomp compresses the plain data.
    pub fn is_coding(&self) -> bool {
        self.ours.source.is_none()
    }

    /// Whether both rows run the same processes.
    pub fn measures_the_same(&self, other: &Self) -> bool {
        (self.shape, &self.ours, &self.peer) == (other.shape, &other.ours, &other.peer)
            && (self.goal == other.goal || self.peer.is_some())
    }

    /// The row in one line, as `--list` prints it and `--rows` searches it.
    pub fn summary(&self) -> String {
        let parties: Vec<_> = self.parties().map(ToString::to_string).collect();
        format!("{}, {}: {}; {}", self.work, self.shape, parties.join(" against "), self.goal)
    }
}

impl Party {
    /// Reads `SOURCE > RUN < CHECK`.
    pub fn parse(text: &str) -> Self {
        let (source, rest) =
            text.split_once(" > ").map_or((None, text), |(source, rest)| (Some(source), rest));
        let (run, check) = rest.split_once(" < ").map_or((rest, None), |(run, check)| (run, Some(check)));
        Self { source: source.map(str::to_owned), run: run.to_owned(), check: check.map(str::to_owned) }
    }

    /// All command lines that are needed to measure and verify this party.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        [self.source.as_deref(), Some(self.run.as_str()), self.check.as_deref()].into_iter().flatten()
    }
}

/// Prints the command line, and the command that made its input.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{} (file: {source})", self.run),
            None => f.write_str(&self.run),
        }
    }
}

/// The commands of a pipeline. A line without ` | ` is one command.
pub fn commands_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(" | ")
}

/// The program that a command line starts first.
pub fn program_of(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or(line)
}
