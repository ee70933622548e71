//! Executes sequences one by one, with slices. It serves the end of the output, where there is no room to write too much,
//! and blocks with offsets that do not fit in a packed sequence.

use super::{Cursor, Reach, Target};
use crate::Error;
use crate::block::DecodedBlock;
use crate::sequences::codes::MATCH_LEN_MIN;
use crate::sequences::{WIDE, unpack};

/// Executes all sequences that are left.
pub(crate) fn run(
    cursor: &mut Cursor,
    block: &DecodedBlock,
    target: &mut Target<'_>,
    reach: Reach,
) -> Result<(), Error> {
    let mut wide = block.wide().iter();
    for &sequence in &block.sequences()[cursor.sequence..] {
        let (literal_length, match_extra, value) = unpack(sequence);
        let mut value = value as u32;
        if block.has_wide_offsets && u64::from(value) == WIDE {
            value = wide.next().copied().unwrap_or_default();
        }
        let literals = &block.literals()[cursor.literal..][..literal_length];
        target.plain[cursor.to..][..literal_length].copy_from_slice(literals);
        cursor.literal += literal_length;
        cursor.to += literal_length;
        let offset = cursor.offsets.resolve(value, literal_length > 0);
        let done = cursor.to - target.filled;
        if !reach.allows(u64::from(offset), done) {
            return Err(Error::OffsetTooFar);
        }
        let len = match_extra + MATCH_LEN_MIN;
        copy_match(target, cursor.to, offset as usize, len)?;
        cursor.to += len;
        cursor.sequence += 1;
    }
    Ok(())
}

/// Copies a match to `plain[to..to + len]`.
pub(crate) fn copy_match(target: &mut Target<'_>, to: usize, offset: usize, len: usize) -> Result<(), Error> {
    let mut done = 0;
    if offset > to {
        // The match begins before `plain`, and may end in it.
        let from = target.before.len().checked_sub(offset - to).ok_or(Error::OffsetTooFar)?;
        done = len.min(offset - to);
        target.plain[to..to + done].copy_from_slice(&target.before[from..from + done]);
    }
    while done < len {
        // What lies between source and target grows with each round, so short offsets take few rounds.
        let (at, from) = (to + done, to + done - offset.min(to + done));
        let most = (at - from).min(len - done);
        target.plain.copy_within(from..from + most, at);
        done += most;
    }
    Ok(())
}
