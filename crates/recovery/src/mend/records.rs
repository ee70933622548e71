//! The records of a group and the copies of a table while they are mended: what they are worth, and what is put out in
//! their place.

use std::io;
use std::ops::Range;

use super::{Place, Run};
use crate::copy::Copied;
use crate::find::read_clipped;
use crate::group::{Descriptor, Fingerprint, GroupRecord};
use crate::hashes::hash;
use crate::write::{Source, records_again};
use pzcomp_records::Envelope;
use pzcomp_records::Record;

/// So many bytes at the end of a table, which list the last records of its stream, are at the end of no other table.
const TABLE_END_MIN: usize = 64;

/// What the records of a group are worth.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) list: Option<Vec<Fingerprint>>,
    pub(super) parity: Vec<(usize, Vec<u8>)>,
    /// Records that are as they were written, and at their place.
    pub(super) intact: u64,
}

impl Run<'_> {
    /// Reads all records of a group, and compares them with what should be there.
    pub(super) fn examine(
        &self,
        group: &Descriptor,
        places: &[Place],
        records_at: u64,
    ) -> io::Result<Examined> {
        let (records, lens) = (self.mend.beside.unwrap_or(self.mend.source), group.record_lens());
        let start_len = group.envelope.start_len() as u64;
        let mut examined = Examined::default();
        for place in places {
            let bytes = read_record(records, place.at, lens[place.number] - group.envelope.overhead())?;
            let Some(record) = Record::parse(&bytes) else { continue };
            let Some(found) = GroupRecord::parse(&record) else { continue };
            let expected_len = found.shape.parity.len();
            if examined.list.is_none() {
                examined.list = found.list();
            }
            let before = examined.parity.len();
            examined.parity.extend(found.parity().map(|(number, shard)| (number, shard.to_vec())));
            let at = records_at + lens.iter().take(place.number).sum::<usize>() as u64 + start_len;
            let is_whole = examined.parity.len() - before == expected_len;
            if is_whole
                && at == place.at
                && self.has_envelope(group.envelope, records, place.at, &bytes[..record.stored_len()])?
            {
                examined.intact += 1;
            }
        }
        Ok(examined)
    }

    /// Whether the bytes around a record are right.
    fn has_envelope(
        &self,
        envelope: Envelope,
        records: &dyn Source,
        at: u64,
        record: &[u8],
    ) -> io::Result<bool> {
        let (start, end) = envelope.around(record.len());
        // A cut end is no zeros.
        if at + (record.len() + end.len()) as u64 > records.len() {
            return Ok(false);
        }
        let mut around = vec![0; start.len() + record.len() + end.len()];
        read_clipped(records, &mut around, at as i64 - start.len() as i64)?;
        Ok(around.starts_with(&start) && around.ends_with(end))
    }

    /// Puts out the records of a group: those of the source if they are right, and otherwise new ones.
    pub(super) fn put_records(
        &mut self,
        group: &Descriptor,
        places: &[Place],
        is_damaged: bool,
        data: &[u8],
        records_at: u64,
    ) -> io::Result<()> {
        let is_beside = self.mend.beside.is_some();
        let mut at = records_at;
        let mut put = |run: &mut Self, record: &[u8]| {
            let here = at;
            at += record.len() as u64;
            match (&mut run.sink, is_beside) {
                (Some(sink), true) => sink.beside(record, here),
                (_, false) => run.put(record, here),
                (None, true) => Ok(()),
            }
        };
        if is_damaged {
            return put(self, &records_again(group, data, self.mend.threads, &self.memory)?);
        }
        let (records, lens) = (self.mend.beside.unwrap_or(self.mend.source), group.record_lens());
        let mut places = places.to_vec();
        places.sort_by_key(|place| place.number);
        for place in places {
            let len = lens[place.number] - group.envelope.overhead();
            let bytes = read_record(records, place.at, len)?;
            let len = Record::parse(&bytes).map_or(0, |record| record.stored_len());
            put(self, &group.envelope.wrap(&bytes[..len]))?;
        }
        Ok(())
    }

    /// Puts out the records of a group that cannot be restored. Readers skip zeros in the place of those that are
    /// damaged.
    pub(super) fn put_damaged_records(
        &mut self,
        group: &Descriptor,
        places: &[Place],
        records_at: u64,
    ) -> io::Result<()> {
        if self.mend.beside.is_some() {
            return Ok(());
        }
        let mut at = records_at;
        for (number, len) in group.record_lens().into_iter().enumerate() {
            let place = places.iter().find(|place| place.number == number);
            let content = len - group.envelope.overhead();
            let there = place.map(|place| read_record(self.mend.source, place.at, content)).transpose()?;
            let whole = there.filter(|bytes| bytes.len() == content).unwrap_or_else(|| vec![0; content]);
            self.put(&group.envelope.wrap(&whole), at)?;
            at += len as u64;
        }
        Ok(())
    }

    /// Mends the table at the end of a stream, and the records with its copies. Returns whether foreign bytes are
    /// inside of the table or before it, and its end is directly before `next`.
    pub(super) fn copied(
        &mut self,
        copied: &Copied,
        places: &[Place],
        base: i64,
        out: u64,
        next: i64,
    ) -> io::Result<bool> {
        let (source, lens) = (self.mend.source, copied.record_lens());
        // The table is not longer than the records that were found say, so the memory is bounded by the source.
        if u64::from(copied.len) > source.len() + crate::copy::PART_MAX as u64 * places.len() as u64 {
            self.report.gap("the seek table is lost".into());
            self.sink = None;
            return Ok(false);
        }
        let mut there = vec![0; copied.len as usize];
        read_clipped(source, &mut there, base + copied.offset as i64)?;
        let mut table = there.clone();
        let (mut verified, mut intact) = (vec![false; lens.len()], 0);
        for place in places {
            let len = lens[place.number % lens.len()] - copied.envelope.overhead();
            let bytes = read_record(source, place.at, len)?;
            let Some(record) = Record::parse(&bytes) else { continue };
            let Some((_, number, expected)) = Copied::parse(&record) else { continue };
            let (range, part) = (copied.range(number), number % lens.len());
            let is_right = record.content.len() == range.len() && hash(record.content) == expected;
            if is_right {
                table[range.clone()].copy_from_slice(record.content);
            }
            verified[part] |= is_right || hash(&there[range]) == expected;
            let at = out + copied.record_at(number, &lens) + copied.envelope.start_len() as u64;
            if is_right
                && at == place.at
                && self.has_envelope(copied.envelope, source, place.at, &bytes[..record.stored_len()])?
            {
                intact += 1;
            }
        }
        self.report.damaged_records += (2 * lens.len()) as u64 - intact;
        if verified.contains(&false) {
            self.report.gap("neither the seek table nor a copy of it can be verified".into());
            self.sink = None;
            return Ok(false);
        }
        let is_moved = base != out as i64;
        let differs = |(one, other): &(&u8, &u8)| one != other;
        self.report.damaged_table_len += match is_moved {
            true => u64::from(copied.len),
            false => table.iter().zip(&there).filter(differs).count() as u64,
        };
        let is_same = intact == (2 * lens.len()) as u64 && !is_moved && table == there;
        let parts = (0..2 * lens.len()).map(|number| {
            let at = out + copied.record_at(number, &lens);
            (at..at + lens[number % lens.len()] as u64, Some(number))
        });
        let table_at = out + copied.offset;
        for (range, number) in parts.chain([(table_at..table_at + u64::from(copied.len), None)]) {
            if !(is_same && self.is_noted(range.clone())) {
                let record = number.map(|number| copied.record(number, &table));
                self.put(record.as_ref().unwrap_or(&table), range.start)?;
            }
        }
        let behind = base + copied.offset as i64..next;
        Ok(table != there && self.is_table(behind, &table, &there, copied.offset)?)
    }

    /// Whether a range of the source, which begins with the bytes `there`, is the table of a stream of this length with
    /// foreign bytes in it or before it. Each byte of the table must be there. Nobody can say of many foreign bytes, or
    /// of those before a short end of the table, that they are no data.
    fn is_table(&self, range: Range<i64>, table: &[u8], there: &[u8], len: u64) -> io::Result<bool> {
        let foreign = (range.end - range.start).saturating_sub(table.len() as i64);
        if foreign <= 0 || foreign as u64 > len / 2 {
            return Ok(false);
        }
        let mut last = vec![0; table.len()];
        read_clipped(self.mend.source, &mut last, range.end - table.len() as i64)?;
        let before = table.iter().zip(there).take_while(|(one, other)| one == other).count();
        let behind =
            table.iter().rev().zip(last.iter().rev()).take_while(|(one, other)| one == other).count();
        Ok(behind >= TABLE_END_MIN.min(table.len()) && before + behind >= table.len())
    }
}

/// A record of this length, or what there is of it.
fn read_record(source: &dyn Source, at: u64, len: usize) -> io::Result<Vec<u8>> {
    let len = source.len().saturating_sub(at).min(len as u64);
    let mut bytes = vec![0; len as usize];
    source.read_at(&mut bytes, at)?;
    Ok(bytes)
}
