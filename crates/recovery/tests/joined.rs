//! Equal streams that follow each other have equal records. Records are lost, and each stream must get its own back.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Random, made_of, mended};

/// Where records begin in a stream.
fn records(bytes: &[u8]) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x9bPZR")).collect()
}

/// Streams from one group of a few bytes to several groups.
fn stream(random: &mut Random) -> Vec<u8> {
    let most = *random.pick(&[40, 3000, 200_000, 400_000]);
    let len = 1 + random.below(most);
    let data = (0..len).map(|_| random.byte()).collect();
    made_of(random, data).bytes
}

#[test]
fn each_lost_record_of_equal_streams_is_made_again() {
    let mut random = Random(34);
    for _ in 0..5 {
        let stream = stream(&mut random);
        for count in [2, 3, 4] {
            let whole = stream.repeat(count);
            let all = records(&whole);
            let step = all.len().div_ceil(40);
            for &at in all.iter().skip(random.below(step)).step_by(step) {
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                let (report, mended) = mended(&damaged);
                let what = format!("{count} streams of {}, the record at {at}: {report:?}", stream.len());
                assert!(report.is_mendable() && mended == whole, "{what}");
                assert_eq!((report.streams, report.damaged_records), (count as u64, 1), "{what}");
            }
        }
    }
}

#[test]
fn equal_streams_that_lost_other_records_are_mended() {
    let mut random = Random(43);
    for trial in 0..40 {
        let (stream, count) = (stream(&mut random), 2 + random.below(4));
        let whole = stream.repeat(count);
        let (mut damaged, places) = (whole.clone(), records(&stream));
        let mut lost = Vec::new();
        for part in 0..count {
            if random.below(3) > 0 {
                let at = *random.pick(&places);
                lost.push((part, at));
                damaged[part * stream.len() + at] ^= 1;
            }
        }
        let (report, mended) = mended(&damaged);
        let what = format!("trial {trial}, {count} streams of {}, lost {lost:?}: {report:?}", stream.len());
        assert!(report.is_mendable() && mended == whole, "{what}");
        assert_eq!((report.streams, report.damaged_records), (count as u64, lost.len() as u64), "{what}");
    }
}
