//! The header of the sequences section: how many sequences, and with which tables.

use std::ops::Range;

use super::codes::{Kind, MATCH_LEN_MIN};
use crate::Error;
use crate::context::FseDescription;
use crate::fse::read_counts;

/// Where the table of a kind of codes comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mode {
    Predefined,
    /// One code, always.
    Rle(u8),
    /// A description at this place of the block.
    Described(Range<usize>),
    /// The table of the block before that has sequences.
    Repeat,
}

impl Mode {
    /// The description, unless the table is that of an earlier block.
    pub fn description(&self, block: &[u8]) -> Option<FseDescription> {
        match self {
            Self::Predefined => Some(FseDescription::Predefined),
            Self::Rle(code) => Some(FseDescription::Rle(*code)),
            Self::Described(place) => FseDescription::described(&block[place.clone()]),
            Self::Repeat => None,
        }
    }
}

/// Where everything of a sequences section is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SequencesLayout {
    pub count: usize,
    /// For literal lengths, offsets and match lengths, in the order of the format.
    pub modes: [Mode; 3],
    /// Where the stream of codes begins. It ends with the block.
    pub stream: usize,
}

impl SequencesLayout {
    /// The kinds in the order in which a section describes them.
    pub const KINDS: [Kind; 3] = [Kind::LiteralLength, Kind::Offset, Kind::MatchLength];

    /// Reads the headers of the section that begins at `at`.
    pub fn parse(block: &[u8], mut at: usize, block_len_max: usize) -> Result<Self, Error> {
        let mut next = || {
            let byte = block.get(at).copied().ok_or(Error::SequencesHeader);
            at += 1;
            byte.map(usize::from)
        };
        let count = match next()? {
            few @ 0..128 => few,
            255 => (next()? | next()? << 8) + 0x7F00,
            high => (high - 128) << 8 | next()?,
        };
        let mut modes = [Mode::Repeat, Mode::Repeat, Mode::Repeat];
        if count == 0 {
            let layout = Self { count, modes, stream: at };
            return if at == block.len() { Ok(layout) } else { Err(Error::TrailingBytes) };
        }
        // Each sequence decodes to a match at least, so no valid block has more.
        if count > block_len_max / MATCH_LEN_MIN {
            return Err(Error::TooManySequences);
        }
        let bits = next()?;
        if bits & 3 != 0 {
            return Err(Error::SequencesHeader);
        }
        for ((mode, kind), shift) in modes.iter_mut().zip(Self::KINDS).zip([6, 4, 2]) {
            *mode = match bits >> shift & 3 {
                0 => Mode::Predefined,
                1 => {
                    let code = *block.get(at).ok_or(Error::SequencesHeader)?;
                    if usize::from(code) >= kind.codes() {
                        return Err(Error::RleCode);
                    }
                    at += 1;
                    Mode::Rle(code)
                }
                2 => {
                    let mut counts = [0; 53];
                    let rest = block.get(at..).unwrap_or_default();
                    let read = read_counts(rest, &mut counts[..kind.codes()]).ok_or(Error::FseTable)?;
                    if read.accuracy_log > kind.accuracy_log_max() {
                        return Err(Error::FseTable);
                    }
                    let place = at..at + read.len;
                    at = place.end;
                    Mode::Described(place)
                }
                _ => Mode::Repeat,
            };
        }
        Ok(Self { count, modes, stream: at })
    }
}
