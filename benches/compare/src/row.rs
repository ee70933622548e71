//! What a row of the table is: one promise of the project, as data.
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
    /// Tens of MB/s: the first 64 MiB.
    Slow,
    /// A few MB/s: as much as gives both threads the same number of whole blocks of the peer's
    /// size, and few rounds.
    VerySlow { mib: u64, quick_mib: u64 },
}

/// One side of a row.
#[derive(Clone, Copy, Debug)]
pub struct Party {
    /// What made the measured process's input from the plain data; None if that is its input.
    pub source: Option<&'static str>,
    /// The measured process.
    pub run: &'static str,
    /// What turns its output back into the plain data; None if it is the plain data.
    pub check: Option<&'static str>,
}

/// A party that compresses with `run`; `check` shows that nothing was lost.
pub const fn coding(run: &'static str, check: &'static str) -> Party {
    Party { source: None, run, check: Some(check) }
}

/// A party that decompresses with `run` what `source` has compressed.
pub const fn decoding(source: &'static str, run: &'static str) -> Party {
    Party { source: Some(source), run, check: None }
}

/// What the row promises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// So many times the peer's speed, with an output of at most so many times its size.
    Speed { at_least: f64, size_at_most: Option<f64> },
    /// Peak memory of the process.
    Memory { at_most_mib: u64 },
    /// How many cores the workers could use before the reader or the writer is the limit.
    Cores { at_least: f64 },
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
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub work: &'static str,
    pub shape: Shape,
    pub pace: Pace,
    pub ours: Party,
    pub peer: Option<Party>,
    pub goal: Goal,
}

impl Row {
    /// A row that measures against a peer.
    pub fn versus(work: &'static str, shape: Shape, goal: Goal, ours: Party, peer: Party) -> Self {
        Self { peer: Some(peer), ..Self::alone(work, shape, goal, ours) }
    }

    /// A row that measures against a fixed figure.
    pub fn alone(work: &'static str, shape: Shape, goal: Goal, ours: Party) -> Self {
        Self { work, shape, pace: Pace::Fast, ours, peer: None, goal }
    }

    pub fn at_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Ours and, if there is one, the peer.
    pub fn parties(&self) -> impl Iterator<Item = Party> + use<> {
        [Some(self.ours), self.peer].into_iter().flatten()
    }
}

impl Party {
    /// Every command line that it takes to measure and verify it.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.source, Some(self.run), self.check].into_iter().flatten()
    }
}
