//! Decodes sequences one by one, with every check. It serves the ends of each stream, where the fast loop cannot read
//! whole words, and the few sequences that take more bits than a word has.

use super::decode::{Lane, WIDE, pack};
use super::{MATCH_LENGTHS, OFFSETS, SequenceTables};
use crate::Error;
use crate::bits::{bits_at, stream_top};
use crate::fse::Entry;

/// Reads `count` bits below the lane's position. No more than 31, which is what the longest field has.
fn take(lane: &mut Lane, block: &[u8], count: u64) -> Result<u64, Error> {
    // The fast loop may have read below the start.
    lane.at =
        lane.at.checked_sub(count as usize).filter(|&at| at >= lane.start).ok_or(Error::SequenceStream)?;
    Ok(bits_at(block, lane.at, count as u32))
}

/// Finds the end of the stream that begins at `start`, and reads the first states.
pub(crate) fn begin(
    block: &[u8],
    start: usize,
    count: usize,
    tables: &SequenceTables,
) -> Result<Lane, Error> {
    let start = start * 8;
    let at = stream_top(block).filter(|&top| top >= start).ok_or(Error::SequenceStream)?;
    let mut lane = Lane { start, at, states: [0; 3], done: 0, count };
    for slot in 0..3 {
        lane.states[slot] = take(&mut lane, block, u64::from(tables.accuracy_logs[slot]))? as usize;
    }
    Ok(lane)
}

/// Decodes the lane's next sequence. The last one has no state bits.
pub(crate) fn step(
    lane: &mut Lane,
    block: &[u8],
    tables: &SequenceTables,
    wide: &mut Vec<u32>,
) -> Result<u64, Error> {
    let [literal_length, offset, match_length] = lane.states;
    let literal_length = tables.entries[literal_length];
    let offset = tables.entries[OFFSETS + offset];
    let match_length = tables.entries[MATCH_LENGTHS + match_length];

    let value = |lane: &mut Lane, entry: Entry| {
        Ok(u64::from(entry.base) + take(lane, block, u64::from(entry.extra_bits))?)
    };
    let mut offset_value = value(lane, offset)?;
    let match_extra = value(lane, match_length)?;
    let literals = value(lane, literal_length)?;
    if tables.has_wide_offsets && offset_value >= WIDE {
        wide.push(offset_value as u32);
        offset_value = WIDE;
    }
    lane.done += 1;
    if lane.done < lane.count {
        for (slot, entry) in [(0, literal_length), (2, match_length), (1, offset)] {
            let bits = take(lane, block, u64::from(entry.state_bits))?;
            lane.states[slot] = usize::from(entry.next) + bits as usize;
        }
    }
    Ok(pack([literals, match_extra, offset_value]))
}
