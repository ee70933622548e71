//! The sequences section of a block (RFC 8878, section 3.1.1.3.2): repeated offsets, and the three tables that
//! sequences are decoded with.

mod careful;
pub(crate) mod codes;
mod decode;
#[cfg(not(pzcomp_safe))]
pub(crate) mod fast;
mod layout;
mod resolve;

use std::hint::select_unpredictable;

use codes::Kind;
pub(crate) use decode::{Lane, Stage, WIDE, decode_one, decode_two, pack, unpack};
pub(crate) use layout::SequencesLayout;
pub(crate) use resolve::resolve;

use crate::Error;
use crate::context::FseDescription;
use crate::fse::{self, read_counts};

/// All new offsets of packed sequences are less.
const KNOWN_END: u32 = 1 << 30;

/// The three offsets that can be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offsets {
    first: u32,
    second: u32,
    third: u32,
}

impl Offsets {
    pub const fn new([first, second, third]: [u32; 3]) -> Self {
        Self { first, second, third }
    }

    /// The three before a block of which nothing else is known. They stay longer than [`KNOWN_END`], and so does what
    /// is one less, as often as a block can have that.
    pub const fn unknown() -> Self {
        Self::new([1 << 31; 3])
    }

    /// Whether none of the three depends on [`Self::unknown`].
    pub const fn are_known(self) -> bool {
        self.first < KNOWN_END && self.second < KNOWN_END && self.third < KNOWN_END
    }

    /// Finds the offset of a sequence, and moves it to the front.
    ///
    /// The values 1 to 3 stand for one of the three, or, if the sequence has no literals, for the next one; the last of
    /// these is one less than the first. All other values are a new offset plus three. There are no branches: which of
    /// these a sequence has can rarely be predicted. A result of zero, or one that wrapped, is not valid.
    #[inline(always)]
    pub fn resolve(&mut self, value: u32, has_literals: bool) -> u32 {
        let Self { first, second, third } = *self;
        // The numbers 0, 1 and 2 are the three offsets. All others are new.
        let number = value.wrapping_sub(u32::from(has_literals));
        let new = select_unpredictable(value > 3, value.wrapping_sub(3), first.wrapping_sub(1));
        let offset = select_unpredictable(number == 2, third, new);
        let offset = select_unpredictable(number == 1, second, offset);
        self.first = select_unpredictable(number == 0, first, offset);
        self.second = select_unpredictable(number == 0, second, first);
        self.third = select_unpredictable(number > 1, second, third);
        self.first
    }
}

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
    pub entries: Box<[fse::Entry; ENTRIES]>,
    /// The accuracies, in the order of [`SequencesLayout::KINDS`].
    pub accuracy_logs: [u32; 3],
    /// Some code of the table of offsets has 30 or 31 bits: its value does not fit in a packed sequence.
    pub has_wide_offsets: bool,
    built_from: [Option<FseDescription>; 3],
}

impl SequenceTables {
    pub fn new() -> Self {
        Self {
            entries: Box::new([fse::Entry::default(); ENTRIES]),
            accuracy_logs: [0; 3],
            has_wide_offsets: false,
            built_from: [const { None }; 3],
        }
    }

    /// Makes the tables those of the descriptions.
    pub fn build(&mut self, descriptions: [&FseDescription; 3]) -> Result<(), Error> {
        let places = [0, OFFSETS, MATCH_LENGTHS];
        for (slot, kind) in SequencesLayout::KINDS.into_iter().enumerate() {
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
fn build(entries: &mut [fse::Entry], kind: Kind, description: &FseDescription) -> Result<u32, Error> {
    match description {
        FseDescription::None => Err(Error::NoFseTable),
        FseDescription::Predefined => {
            let (counts, accuracy_log) = kind.default_counts();
            fse::build(entries, counts, accuracy_log, kind.parts());
            Ok(accuracy_log)
        }
        FseDescription::Rle(code) => {
            let part = *kind.parts().get(usize::from(*code)).ok_or(Error::RleCode)?;
            fse::build_rle(entries, part);
            Ok(0)
        }
        FseDescription::Described { .. } => {
            let mut counts = [0; 53];
            let counts = &mut counts[..kind.codes()];
            let read = read_counts(description.bytes(), counts).ok_or(Error::FseTable)?;
            if read.accuracy_log > kind.accuracy_log_max() {
                return Err(Error::FseTable);
            }
            fse::build(entries, &counts[..read.symbols], read.accuracy_log, kind.parts());
            Ok(read.accuracy_log)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Offsets;

    #[test]
    fn all_codes_move_the_offsets_as_the_format_says() {
        let cases = [
            (1, true, 10, [10, 20, 30]),
            (2, true, 20, [20, 10, 30]),
            (3, true, 30, [30, 10, 20]),
            (1, false, 20, [20, 10, 30]),
            (2, false, 30, [30, 10, 20]),
            (3, false, 9, [9, 10, 20]),
            (4, true, 1, [1, 10, 20]),
            (4, false, 1, [1, 10, 20]),
            (u32::MAX, true, u32::MAX - 3, [u32::MAX - 3, 10, 20]),
        ];
        for (value, has_literals, offset, after) in cases {
            let mut offsets = Offsets::new([10, 20, 30]);
            assert_eq!(offsets.resolve(value, has_literals), offset, "{value} {has_literals}");
            assert_eq!(offsets, Offsets::new(after), "{value} {has_literals}");
        }
    }
}
