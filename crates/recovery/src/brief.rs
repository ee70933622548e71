//! [`brief`]: how many groups an undamaged file has, and how much parity, for a list of its contents.
//!
//! It goes from the end to the start. The last record of a group has the list, and states where the data of the group
//! begins. The last record before that data belongs to the group before. So a read of a few KiB for each group is
//! enough. The data of the first group of a part begins where the part before ends. The caller knows how long the table
//! there is. The result is what the file claims: nothing but the heads is verified.

use std::io;

use memchr::memmem;

use crate::copy::Copied;
use crate::group::GroupRecord;
use crate::write::Source;
use pzcomp_records::Envelope;
use pzcomp_records::{MAGIC, RECORD_MAX, Record};

/// The most steps, so that a file of tiny groups does not take long.
const STEPS_MAX: usize = 1 << 18;

/// What records of a file there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Brief {
    /// Groups.
    pub groups: u64,
    /// Bytes of data in all groups.
    pub covered_len: u64,
    /// Shards of data.
    pub shards: u64,
    /// Shards of parity.
    pub parity: u64,
    /// Bytes of the records of all groups, with their envelopes.
    pub records_len: u64,
}

/// A record that was found behind others.
enum Step {
    /// The last record of a group.
    Group(Brief, Places),
    /// A record with a copy of the table: where the data or the records before its set end.
    Copy(i64),
}

/// Where other records may end.
struct Places {
    /// Where the records of the group begin.
    records_at: i64,
    /// Where its data begins, if it is in the same file.
    data_at: Option<i64>,
    /// Whether it is the first group of its stream.
    is_first: bool,
}

/// The sums of all records, from the end of the source on. `table_len` says how long the table is that ends at a place.
/// All zero if no record ends there, or if there are too many groups to go through.
pub fn brief(
    source: &(impl Source + ?Sized),
    mut table_len: impl FnMut(u64) -> io::Result<u64>,
) -> io::Result<Brief> {
    let (mut sums, mut buffer, mut guess) = (Brief::default(), Vec::new(), 4096);
    let mut ends = vec![(source.len() - table_len(source.len())?.min(source.len())) as i64];
    for _ in 0..STEPS_MAX {
        let mut step = None;
        for &end in &ends {
            for len in [guess, RECORD_MAX + Envelope::GzipMember.overhead()] {
                if step.is_none() {
                    step = last_before(source, end, len, &mut buffer)?;
                }
            }
        }
        let before = ends.iter().copied().max();
        match step {
            None => return Ok(sums),
            Some(Step::Copy(at)) => {
                ends.retain(|&end| end < at);
                ends.insert(0, at);
            }
            Some(Step::Group(group, places)) => {
                sums.groups += 1;
                sums.covered_len += group.covered_len;
                sums.shards += group.shards;
                sums.parity += group.parity;
                sums.records_len += group.records_len;
                // Groups of one length have lists of one length.
                guess = (group.shards as usize * 12 + 512).min(RECORD_MAX);
                ends = vec![places.records_at];
                if let Some(data_at) = places.data_at {
                    ends.push(data_at);
                    if places.is_first
                        && let Ok(part_end) = u64::try_from(data_at)
                        && part_end <= source.len()
                    {
                        ends.push(data_at.saturating_sub_unsigned(table_len(part_end)?));
                    }
                }
            }
        }
        // Records that are said to be further behind are forged.
        if ends.iter().copied().max() >= before {
            return Ok(sums);
        }
    }
    Ok(Brief::default())
}

/// The record that ends at `end`, if so many bytes before it hold all of it.
fn last_before(
    source: &(impl Source + ?Sized),
    end: i64,
    len: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Step>> {
    let Some(end) = u64::try_from(end).ok().filter(|&end| end <= source.len()) else { return Ok(None) };
    let start = end.saturating_sub(len as u64);
    buffer.resize((end - start) as usize, 0);
    source.read_at(buffer, start)?;
    let step = |at: usize| {
        let record = Record::parse(&buffer[at..])?;
        let ends = |envelope: Envelope| {
            at + record.stored_len() + envelope.around(record.stored_len()).1.len() == buffer.len()
        };
        let here = (start + at as u64) as i64;
        if let Some(found) = GroupRecord::parse(&record) {
            let (group, lens) = (found.group, found.group.record_lens());
            let is_last = found.number + 1 == lens.len() && ends(group.envelope);
            let records_len: usize = lens.iter().sum();
            let records_at = end as i64 - records_len as i64;
            let data_at = records_at - i64::from(group.gap) - group.geometry.len() as i64;
            let sums = Brief {
                groups: 1,
                covered_len: group.geometry.len() as u64,
                shards: group.geometry.shards() as u64,
                parity: group.geometry.parity() as u64,
                records_len: records_len as u64,
            };
            // The records of a `.pzr` follow each other without data.
            let data_at = (group.envelope != Envelope::Bare).then_some(data_at);
            let places = Places { records_at, data_at, is_first: group.offset == 0 };
            return is_last.then_some(Step::Group(sums, places));
        }
        let (copied, number, _) = Copied::parse(&record)?;
        let lens = copied.record_lens();
        let behind = copied.envelope.start_len() + record.stored_len();
        let is_in_set = here - copied.envelope.start_len() as i64 + behind as i64 <= end as i64;
        let before: usize = lens.iter().take(number % lens.len().max(1) + 1).sum();
        (is_in_set && ends(copied.envelope)).then_some(Step::Copy(end as i64 - before as i64))
    };
    Ok(memmem::rfind_iter(buffer, &MAGIC).find_map(step))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{Recorder, Settings, Share, protect};

    #[test]
    fn all_groups_are_counted_from_the_end() {
        let share = Share::per_mille(100).unwrap();
        for envelope in [Envelope::Skippable, Envelope::GzipMember] {
            let settings = Settings { share, span: 64 << 10, envelope };
            let mut recorder = Recorder::new(settings, NonZeroUsize::MIN);
            let (mut bytes, mut data_len) = (Vec::new(), 0);
            let mut put = |part: &[u8]| {
                bytes.extend_from_slice(part);
                Ok(())
            };
            for frame in [30_000, 30_000, 10, 300_000, 4000, 64_000] {
                let data: Vec<u8> = (0..frame).map(|at: u32| (at.wrapping_mul(at) >> 3) as u8).collect();
                recorder.write(&data, &mut put).unwrap();
                recorder.frame(data.len() as u64);
                data_len += data.len();
            }
            let table = vec![3; 100_000];
            recorder.finish(&table, &mut put).unwrap();
            bytes.extend(&table);
            let found = brief(&bytes[..], |_| Ok(table.len() as u64)).unwrap();
            assert_eq!(found.covered_len, data_len as u64);
            assert!(found.records_len > data_len as u64 / 10 && found.groups >= 7, "{found:?}");
            assert!(
                found.parity * 10 >= found.shards && found.parity * 10 < found.shards + 10 * found.groups
            );
            let joined = [&bytes[..], &bytes].concat();
            let twice = brief(&joined[..], |_| Ok(table.len() as u64)).unwrap();
            assert_eq!((twice.groups, twice.covered_len), (2 * found.groups, 2 * found.covered_len));
            assert_eq!(brief(&bytes[..], |_| Ok(99_999)).unwrap(), Brief::default());

            let mut beside = Vec::new();
            let done = protect(&bytes[..], settings, NonZeroUsize::MIN, |record| {
                beside.extend_from_slice(record);
                Ok(())
            });
            let (done, found) = (done.unwrap(), brief(&beside[..], |_| Ok(0)).unwrap());
            assert_eq!((found.groups, found.records_len), (done.groups, done.records_len));
        }
    }
}
