//! The three tables that a block's sequences are decoded with.

use super::codes::Kind;
use crate::Error;
use crate::context::FseDescription;
use crate::fse::{read_counts, table};

/// Where the tables of offsets and match lengths begin. Literal lengths come first.
pub(crate) const OFFSETS: usize = 512;
pub(crate) const MATCH_LENGTHS: usize = 512 + 256;
/// The number of entries of all three.
pub(crate) const ENTRIES: usize = 512 + 256 + 512;
const _: () = assert!(1 << Kind::LiteralLength.accuracy_log_max() <= OFFSETS);
const _: () = assert!(1 << Kind::Offset.accuracy_log_max() <= MATCH_LENGTHS - OFFSETS);
const _: () = assert!(1 << Kind::MatchLength.accuracy_log_max() <= ENTRIES - MATCH_LENGTHS);

/// The tables, and the descriptions that they were built from, so that they are not built twice.
pub(crate) struct SequenceTables {
    /// All three in one array: a decoder needs one register to find them.
    pub entries: Box<[table::Entry; ENTRIES]>,
    /// The accuracies, in the order of [`super::SequencesLayout::KINDS`].
    pub accuracy_logs: [u32; 3],
    /// Some code of the table of offsets has 30 or 31 bits: its value does not fit in a packed sequence.
    pub has_wide_offsets: bool,
    built_from: [Option<FseDescription>; 3],
}

impl SequenceTables {
    pub fn new() -> Self {
        Self {
            entries: Box::new([table::Entry::default(); ENTRIES]),
            accuracy_logs: [0; 3],
            has_wide_offsets: false,
            built_from: [const { None }; 3],
        }
    }

    /// Makes the tables those of the descriptions.
    pub fn build(&mut self, descriptions: [&FseDescription; 3]) -> Result<(), Error> {
        let places = [0, OFFSETS, MATCH_LENGTHS];
        for (slot, kind) in super::SequencesLayout::KINDS.into_iter().enumerate() {
            let description = descriptions[slot];
            if self.built_from[slot].as_ref() == Some(description) {
                continue;
            }
            self.built_from[slot] = None;
            let entries = &mut self.entries[places[slot]..];
            self.accuracy_logs[slot] = build(entries, kind, description)?;
            self.built_from[slot] = Some(*description);
            if kind == Kind::Offset {
                let used = &self.entries[OFFSETS..][..1 << self.accuracy_logs[slot]];
                self.has_wide_offsets = used.iter().any(|entry| entry.extra_bits >= 30);
            }
        }
        Ok(())
    }
}

/// Fills one table and gives its accuracy.
fn build(entries: &mut [table::Entry], kind: Kind, description: &FseDescription) -> Result<u32, Error> {
    match description {
        FseDescription::None => Err(Error::NoFseTable),
        FseDescription::Predefined => {
            let (counts, accuracy_log) = kind.default_counts();
            table::build(entries, counts, accuracy_log, kind.parts());
            Ok(accuracy_log)
        }
        FseDescription::Rle(code) => {
            let part = *kind.parts().get(usize::from(*code)).ok_or(Error::RleCode)?;
            table::build_rle(entries, part);
            Ok(0)
        }
        FseDescription::Described { .. } => {
            let mut counts = [0; 53];
            let counts = &mut counts[..kind.codes()];
            let read = read_counts(description.bytes(), counts).ok_or(Error::FseTable)?;
            if read.accuracy_log > kind.accuracy_log_max() {
                return Err(Error::FseTable);
            }
            table::build(entries, &counts[..read.symbols], read.accuracy_log, kind.parts());
            Ok(read.accuracy_log)
        }
    }
}
