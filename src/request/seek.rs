//! What a request says of frames, ranges and indexes.

use std::fmt::Display;
use std::path::PathBuf;

use pzcomp::IndexFormat;

use super::super::size;

/// Work that needs to know where the frames of an input are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum SeekWork {
    /// Print a table of the frames.
    Frames,
    /// Write these ranges of the plain data.
    Ranges(Vec<PlainRange>),
    /// Make an index beside each input.
    Index(IndexWork),
    /// Compare the index beside each input with all of the input.
    VerifyIndex,
    /// Print a line for each member of the tar archives.
    Members,
    /// Write members of the tar archives.
    Extract(Extraction),
}

/// Which members of a tar archive are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Extraction {
    /// Names and patterns. All members if there are none.
    pub(in super::super) names: Vec<Vec<u8>>,
    pub(in super::super) to: ExtractTo,
}

/// Where members of a tar archive go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum ExtractTo {
    /// The data of regular files goes to the output, one after the other.
    Output,
    /// They become files in this folder.
    Folder(PathBuf),
    /// They go to the output as a tar archive.
    Tar,
}

/// The index to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct IndexWork {
    pub(in super::super) format: IndexFormat,
    /// The plain bytes between two restart points of a gzip member.
    pub(in super::super) interval: u64,
}

/// A range of the plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct PlainRange {
    pub(in super::super) start: u64,
    /// The offset of the first byte behind the range. `None` is the end of the data.
    pub(in super::super) end: Option<u64>,
}

impl PlainRange {
    /// The range that `text` names: `A-B` without the byte B, `A+LEN`, or `A-` up to the end.
    pub(in super::super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || "expected a range such as 0-4K, 1M+512 or 1G-".to_owned();
        let (at, sign) =
            text.char_indices().find(|(_, sign)| matches!(sign, '-' | '+')).ok_or_else(expected)?;
        let (start, end) = (size::parse(&text[..at])?, &text[at + 1..]);
        let end = match (sign, end) {
            ('-', "") => None,
            ('-', end) => Some(size::parse(end)?),
            (_, len) => {
                let end = start.checked_add(size::parse(len)?);
                Some(end.ok_or_else(|| "the end of the range does not fit into 64 bits".to_owned())?)
            }
        };
        match end {
            Some(end) if end < start => Err(format!("the range ends at {end}, before its start {start}")),
            _ => Ok(Self { start, end }),
        }
    }
}

impl Display for PlainRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-", self.start)?;
        self.end.map_or(Ok(()), |end| write!(f, "{end}"))
    }
}
