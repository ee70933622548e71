//! Executes sequences one by one, with slices. It serves the end of the output, where there is no room to write too
//! much, and blocks with offsets that do not fit in a packed sequence.

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
        let done = cursor.to - target.filled();
        target.split().1[done..][..literal_length].copy_from_slice(literals);
        cursor.literal += literal_length;
        cursor.to += literal_length;
        let is_resolved = cursor.sequence >= block.resolved_from();
        let offset = if is_resolved { value } else { cursor.offsets.resolve(value, literal_length > 0) };
        let done = done + literal_length;
        if !reach.allows(u64::from(offset), done) {
            return Err(Error::OffsetTooFar);
        }
        let len = match_extra + MATCH_LEN_MIN;
        copy_match(target, done, offset as usize, len)?;
        cursor.to += len;
        cursor.sequence += 1;
    }
    Ok(())
}

/// Copies a match to `room[to..to + len]`, where the room is what lies behind the filled bytes of the target.
pub(crate) fn copy_match(target: &mut Target<'_>, to: usize, offset: usize, len: usize) -> Result<(), Error> {
    let before = target.before();
    let (filled, room) = target.split();
    let mut done = 0;
    // The match may begin before the output, go on in the filled bytes, and end in the room.
    for (part, behind) in [(before, filled.len() + to), (filled, to)] {
        if done < len && offset > behind + done {
            let from = part.len().checked_sub(offset - behind - done).ok_or(Error::OffsetTooFar)?;
            let most = (part.len() - from).min(len - done);
            room[to + done..][..most].copy_from_slice(&part[from..][..most]);
            done += most;
        }
    }
    if done < len {
        // What lies between source and target grows with each round, so short offsets take few rounds.
        let from = (to + done).checked_sub(offset).ok_or(Error::OffsetTooFar)?;
        while done < len {
            let most = (to + done - from).min(len - done);
            room.copy_within(from..from + most, to + done);
            done += most;
        }
    }
    Ok(())
}
