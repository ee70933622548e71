//! What a row of the table is: a promise of the project, or a comparison with a peer, as data.
//!
//! A command is a filter's command line as a user would type it. Its first word `pzcomp` stands
//! for the binary under test; `{in}` and `{out}` stand for files where the row's shape has files.
//! A file that a command line does not name is its stdin or stdout.

use std::fmt;

/// Where a process reads from or writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Pipe,
    File,
}

/// Input and output of the measured process. Files can be read and written at any place by any
/// thread, pipes cannot, so the same work differs by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub input: End,
    pub output: End,
}

pub const PIPE_TO_PIPE: Shape = Shape::new(End::Pipe, End::Pipe);
pub const PIPE_TO_FILE: Shape = Shape::new(End::Pipe, End::File);
pub const FILE_TO_PIPE: Shape = Shape::new(End::File, End::Pipe);
pub const FILE_TO_FILE: Shape = Shape::new(End::File, End::File);

impl Shape {
    const fn new(input: End, output: End) -> Self {
        Self { input, output }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |end| match end {
            End::Pipe => "pipe",
            End::File => "file",
        };
        write!(f, "{}→{}", name(self.input), name(self.output))
    }
}

/// How long a row takes decides how much of the data it gets and how often it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Hundreds of MB/s: all of the data.
    Fast,
    /// Tens of MB/s: the first 64 MiB, in a hurry 32.
    Slow,
    /// A few MB/s: as much as gives both threads the same number of whole blocks of the peer's
    /// size, and few rounds.
    VerySlow { mib: u64, quick_mib: u64 },
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Coding,
    Decoding,
}

/// One side of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// What made the measured process's input from the plain data; None if that is its input.
    pub source: Option<String>,
    /// The measured process.
    pub run: String,
    /// What turns its output back into the plain data; None if it is the plain data.
    pub check: Option<String>,
}

/// A party that compresses with `run`; `check` shows that nothing was lost.
pub fn coding(run: impl Into<String>, check: impl Into<String>) -> Party {
    Party { source: None, run: run.into(), check: Some(check.into()) }
}

/// A party that decompresses with `run` what `source` has compressed.
pub fn decoding(source: impl Into<String>, run: impl Into<String>) -> Party {
    Party { source: Some(source.into()), run: run.into(), check: None }
}

/// What the row is to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// So many times the peer's speed, with an output of at most so many times its size.
    Speed { at_least: f64, size_at_most: Option<f64> },
    /// Peak memory of the process.
    Memory { at_most_mib: u64 },
    /// How many cores the workers could use before the reader or the writer is the limit.
    Cores { at_least: f64 },
    /// No promise: who is ahead?
    Ahead,
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

/// Which runs a row is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// What the project promises.
    Promise,
    /// A comparison with the first peer of its format, at the main level.
    First,
    /// The same with every peer: what data of the second rank is measured by.
    Main,
    /// All levels, all foreign files, one thread.
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
    /// A promise that is measured against a peer.
    pub fn versus(work: &str, shape: Shape, goal: Goal, ours: Party, peer: Party) -> Self {
        Self { peer: Some(peer), ..Self::alone(work, shape, goal, ours) }
    }

    /// A promise that is measured against a fixed figure.
    pub fn alone(work: &str, shape: Shape, goal: Goal, ours: Party) -> Self {
        let (work, pace, tier) = (work.to_owned(), Pace::Fast, Tier::Promise);
        Self { work, shape, pace, ours, peer: None, goal, tier }
    }

    pub fn at_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Ours and, if there is one, the peer.
    pub fn parties(&self) -> impl Iterator<Item = &Party> {
        [Some(&self.ours), self.peer.as_ref()].into_iter().flatten()
    }

    pub fn direction(&self) -> Direction {
        if self.ours.source.is_none() { Direction::Coding } else { Direction::Decoding }
    }

    /// Whether the same processes do the same in both.
    pub fn measures_the_same(&self, other: &Self) -> bool {
        (self.shape, &self.ours, &self.peer) == (other.shape, &other.ours, &other.peer)
            && (self.goal == other.goal || self.peer.is_some())
    }
}

impl Party {
    /// Every command line that it takes to measure and verify it.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        [self.source.as_deref(), Some(self.run.as_str()), self.check.as_deref()].into_iter().flatten()
    }

    /// The measured program.
    pub fn program(&self) -> &str {
        program_of(&self.run)
    }
}

/// The command line, with the one that made its input.
impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{} (file: {source})", self.run),
            None => f.write_str(&self.run),
        }
    }
}

/// The program that a command line starts.
pub fn program_of(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or(line)
}
