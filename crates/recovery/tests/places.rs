//! Records and data at places where they should not be: copies of records inside the data, streams behind other bytes,
//! and streams without their end.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Made, Random, made, mended, mended_if};
use pzcomp_records::{MAGIC, Record};
use pzcomp_recovery::more_follows;

/// Where the records of a stream begin, without their envelopes.
fn records(made: &Made) -> Vec<usize> {
    let is_record = |&at: &usize| Record::parse(&made.bytes[at..]).is_some();
    (0..made.bytes.len() - MAGIC.len())
        .filter(|&at| made.bytes[at..].starts_with(&MAGIC))
        .filter(is_record)
        .collect()
}

#[test]
fn a_sector_of_a_record_that_was_written_over_data_costs_a_few_shards() {
    let (mut random, mut tried) = (Random(3), 0);
    while tried < 100 {
        let made = made(&mut random);
        let group = random.pick(&made.groups).clone();
        let len = group.shard_len.clamp(40, 512);
        // The sector lies in two shards as a rule, and in three of 64 bytes.
        if group.parity < 3 || group.data.len() < 2 * len {
            continue;
        }
        tried += 1;
        let from = *random.pick(&records(&made)) - random.below(40);
        let to = group.data.start + random.below(group.data.len() - len);
        let mut damaged = made.bytes.clone();
        let end = (from + len).min(made.bytes.len());
        damaged.copy_within(from..end, to);
        let (report, whole) = mended(&damaged);
        assert!(report.is_mendable(), "{tried}: {len} bytes from {from} to {to} of {made:?}: {report:?}");
        assert!(whole == made.bytes, "{tried}: {len} bytes from {from} to {to} of {made:?}: {report:?}");
        assert_eq!(report.damaged_records, 0, "{tried}: {len} bytes from {from} to {to} of {made:?}");
    }
}

#[test]
fn bytes_before_a_stream_are_kept_if_bytes_of_the_stream_are_missing() {
    let (mut random, mut tried) = (Random(8), 0);
    while tried < 100 {
        let made = made(&mut random);
        let first = &made.groups[0];
        if first.shards < 4 || first.parity < 2 {
            continue;
        }
        tried += 1;
        let front: Vec<u8> = (0..1 + random.below(9000)).map(|_| random.byte()).collect();
        let whole = [&front[..], &made.bytes].concat();
        let mut damaged = whole.clone();
        // In data, records or the table, but not in the first shard.
        let from = front.len() + first.shard_len;
        let at = from + random.below(whole.len() - from);
        damaged.remove(at);
        let is_front = |range: std::ops::Range<u64>| range == (0..front.len() as u64);
        let (report, mended) = mended_if(&damaged, &is_front);
        assert!(report.is_mendable(), "{tried}: {at} of {} and {made:?}: {report:?}", front.len());
        assert!(mended == whole, "{tried}: {at} of {} and {made:?}: {report:?}", front.len());
    }
}

#[test]
fn groups_before_a_missing_end_are_mended() {
    let (mut random, mut tried) = (Random(21), 0);
    while tried < 60 {
        let made = made(&mut random);
        // The second group has records of its own behind it.
        let [first, second, ..] = &made.groups[..] else { continue };
        if first.data.end == second.data.start {
            continue;
        }
        tried += 1;
        let cut = second.data.start + random.below(second.data.len());
        let mut damaged = made.bytes[..cut].to_vec();
        damaged[first.data.start + random.below(first.data.len())] ^= 1 << random.below(8);
        let (report, left) = mended(&damaged);
        assert!(report.has_records() && !report.is_mendable(), "{tried}: {cut} of {made:?}: {report:?}");
        assert!(!report.is_displaced && report.damaged_shards == 1, "{tried}: {report:?}");
        assert!(left == made.bytes[..cut], "{tried}: {cut} of {made:?}: {report:?}");
    }
}

#[test]
fn streams_that_begin_before_the_source_and_have_no_end_are_told() {
    let (mut random, mut tried) = (Random(34), 0);
    while tried < 20 {
        let (one, other) = (made(&mut random), made(&mut random));
        let [first, second, ..] = &one.groups[..] else { continue };
        if first.data.end == second.data.start {
            continue;
        }
        tried += 1;
        // Only the records of both are left, without the end of the first one.
        let records = &one.bytes[first.data.end..second.data.start];
        let behind = &other.bytes[other.groups[0].data.end..];
        let (report, _) = mended(&[records, behind].concat());
        assert!(!report.is_mendable() && !report.gaps.is_empty(), "{tried}: {report:?}");
    }
}

#[test]
fn the_last_record_says_whether_a_table_follows_and_the_others_that_more_follows() {
    let mut random = Random(34);
    for tried in 0..100 {
        let made = made(&mut random);
        let all = records(&made);
        // Of a run of several groups, the records of the last group say that the stream ends.
        let ends = |&at: &usize| more_follows(&made.bytes[at..]) == Some(false);
        let last = all.iter().rev().take_while(|&at| ends(at)).count();
        assert_eq!(last > 0, made.table_len == 0, "{tried}: {made:?}");
        let before = &all[..all.len() - last];
        let goes_on = |&at: &usize| more_follows(&made.bytes[at..]) == Some(true);
        assert!(before.iter().all(goes_on), "{tried}: {made:?}");
        let mut damaged = made.bytes[all[0]..].to_vec();
        damaged[20] ^= 1;
        assert_eq!(more_follows(&damaged), None, "{tried}");
    }
}
