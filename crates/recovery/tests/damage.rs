//! Streams with records are damaged at random within the share, and must come back byte for byte. Beyond the share, the
//! report must say so.
//!
//! `RECOVERY_TRIALS` sets how many damages are tried.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Made, Random, made, made_of, mended, mended_beside, protected};
use pzcomp_recovery::{Envelope, Report};

fn trials() -> u64 {
    std::env::var("RECOVERY_TRIALS").ok().and_then(|count| count.parse().ok()).unwrap_or(150)
}

/// Damages a stream by no more than its share. Returns what was done, for the message of a failure.
fn damage(made: &Made, random: &mut Random) -> (Vec<u8>, String) {
    let mut bytes = made.bytes.clone();
    let (shard, parity) = made.least();
    // A burst hits a shard more at each of its ends, and all parity of a record whose head it hits.
    let burst = (parity - parity.div_ceil(6)).saturating_sub(1) * shard + 1;
    let at = random.below(bytes.len());
    let what = match random.below(9) {
        0 => {
            let len = (1 + random.below(burst)).min(bytes.len() - at);
            bytes[at..at + len].iter_mut().for_each(|byte| *byte = random.byte());
            format!("{len} bytes overwritten at {at}")
        }
        1 => {
            let len = burst.min(bytes.len() - at);
            bytes[at..at + len].fill(0);
            format!("{len} bytes zeroed at {at}")
        }
        2 => {
            // Bits in as many shards as there is parity, and one in the records.
            let group = random.pick(&made.groups);
            for _ in 0..group.parity {
                let at = group.data.start + random.below(group.data.len());
                bytes[at] ^= 1 << random.below(8);
            }
            "bits flipped".into()
        }
        3 => {
            bytes[at] ^= 1 << random.below(8);
            format!("a bit flipped at {at}")
        }
        4 => {
            let len = (1 + random.below(burst)).min(bytes.len() - at);
            bytes.drain(at..at + len);
            format!("{len} bytes missing at {at}")
        }
        5 => {
            let new: Vec<u8> = (0..1 + random.below(100_000)).map(|_| random.byte()).collect();
            let len = new.len();
            bytes.splice(at..at, new);
            format!("{len} bytes inserted at {at}")
        }
        6 => {
            let sector = if random.below(2) == 0 { 512 } else { 4096 };
            let count = (parity * shard / (sector + 2 * shard)).min(20);
            let group = random.pick(&made.groups);
            for _ in 0..count {
                let at = (group.data.start + random.below(group.data.len())) / sector * sector;
                let end = (at + sector).min(group.data.end);
                bytes[at.max(group.data.start)..end].fill(0);
            }
            format!("{count} sectors of {sector} bytes zeroed")
        }
        7 => {
            let block = (burst / 2).saturating_sub(shard).min(bytes.len() / 4);
            let (one, other) = (random.below(bytes.len() / 2 - block + 1), bytes.len() / 2);
            let other = other + random.below(bytes.len() - other - block + 1);
            for byte in 0..block {
                bytes.swap(one + byte, other + byte);
            }
            format!("{block} bytes swapped at {one} and {other}")
        }
        _ => {
            let len = random.below(made.cut_max + 1);
            bytes.truncate(bytes.len() - len);
            format!("{len} bytes cut from the end")
        }
    };
    (bytes, what)
}

/// Whether bytes were inserted before the first shard that is left or behind the end, or half as many as there were.
/// Nobody can say that they are no data.
fn is_of_no_stream(report: &Report, made: &Made, what: &str) -> bool {
    let Some((len, at)) = what.split_once(" bytes inserted at ") else {
        return false;
    };
    let (len, at): (usize, usize) = (len.parse().unwrap(), at.parse().unwrap());
    let first = &made.groups[0];
    (at < first.data.start + first.shard_len || at >= made.bytes.len() - 100 || 2 * len >= made.bytes.len())
        && report.gaps.iter().any(|gap| gap.contains("belong to no data"))
}

#[test]
fn a_damage_within_the_share_is_mended() {
    let mut random = Random(74);
    for trial in 0..trials() {
        let made = made(&mut random);
        let (damaged, what) = damage(&made, &mut random);
        let (report, mended) = mended(&damaged);
        if is_of_no_stream(&report, &made, &what) {
            continue;
        }
        assert!(report.is_mendable(), "trial {trial}, {made:?}: {what}: {report:?}");
        assert_eq!(report.is_intact(), damaged == made.bytes, "trial {trial}, {made:?}: {what}: {report:?}");
        assert!(mended == made.bytes, "trial {trial}, {made:?}: {what}: the output differs; {report:?}");
    }
}

#[test]
fn a_damage_of_a_file_or_of_the_records_beside_it_is_mended() {
    let mut random = Random(14);
    for trial in 0..trials() {
        let (made, beside) = protected(&mut random);
        let (damaged, what) = damage(&made, &mut random);
        let (report, mended, new_beside) = mended_beside(&damaged, &beside);
        assert!(report.is_mendable(), "trial {trial}, {made:?}: {what}: {report:?}");
        assert!(mended == made.bytes, "trial {trial}, {made:?}: {what}: {report:?}");
        assert!(new_beside == beside);

        let mut cut = beside.clone();
        let at = random.below(cut.len());
        match random.below(3) {
            0 => cut[at] ^= 1 << random.below(8),
            1 => drop(cut.drain(at..(at + 60).min(beside.len()))),
            _ => drop(cut.splice(at..at, [1, 2, 3])),
        }
        let (report, mended, new_beside) = mended_beside(&made.bytes, &cut);
        assert!(
            report.is_mendable() && !report.is_intact(),
            "trial {trial}: {} bytes of {} records changed at {at}: {report:?}",
            cut.len(),
            beside.len()
        );
        assert!(
            mended == made.bytes && new_beside == beside,
            "trial {trial}: records changed at {at}: {report:?}"
        );
    }
}

#[test]
fn an_undamaged_stream_is_intact() {
    let mut random = Random(3);
    for _ in 0..trials() / 5 {
        let made = made(&mut random);
        let (report, mended) = mended(&made.bytes);
        assert!(report.is_intact() && report.is_mendable(), "{made:?}: {report:?}");
        assert!(mended == made.bytes);
        let (made, beside) = protected(&mut random);
        let (report, mended, new_beside) = mended_beside(&made.bytes, &beside);
        assert!(report.is_intact() && mended == made.bytes && new_beside == beside, "{made:?}: {report:?}");
    }
}

#[test]
fn streams_that_follow_each_other_are_mended_part_by_part() {
    let (mut random, mut refused) = (Random(54), 0);
    for trial in 0..trials() / 3 {
        let parts = [made(&mut random), made(&mut random)];
        let again = random.below(2) == 0;
        let third = if again { parts[1].bytes.clone() } else { made(&mut random).bytes };
        let whole = [&parts[0].bytes[..], &parts[1].bytes, &third].concat();
        let (one, first) = damage(&parts[0], &mut random);
        let (other, second) = damage(&parts[1], &mut random);
        let (report, mended) = mended(&[one, other, third].concat());
        // Of very short parts it cannot always be seen where they begin.
        let is_of_no_stream =
            is_of_no_stream(&report, &parts[0], &first) || is_of_no_stream(&report, &parts[1], &second);
        refused += u64::from(!report.is_mendable() && !is_of_no_stream);
        assert!(
            !report.is_mendable() || mended == whole,
            "trial {trial}: {first}; {second}: {report:?} {parts:?}"
        );
    }
    assert!(refused <= trials() / 60 + 1, "{refused} of {} were not mended", trials() / 3);
}

#[test]
fn a_stream_that_is_stored_inside_another_one_is_data() {
    let (mut random, mut refused) = (Random(94), 0);
    for _ in 0..trials() / 5 {
        let inner = made(&mut random);
        let outer = made_of(&mut random, [b"frame", &inner.bytes[..]].concat());
        let (damaged, what) = damage(&outer, &mut random);
        if what.contains("inserted") {
            // With more new bytes than data, it cannot be seen what was inside of what. A format refuses what it
            // recognises there.
            continue;
        }
        let (report, mended) = mended(&damaged);
        refused += u64::from(!report.is_mendable());
        assert!(!report.is_mendable() || mended == outer.bytes, "{what}: {report:?}");
    }
    assert!(refused <= trials() / 100 + 1, "{refused} of {} were not mended", trials() / 5);
}

#[test]
fn a_damage_beyond_the_share_is_counted() {
    let mut random = Random(14);
    // At least 50, and 500 in make recovery-trial.
    for trial in 0..(trials() / 3).min(500) {
        let data = (0..1 + random.below(400_000)).map(|_| random.byte()).collect();
        let made = made_of(&mut random, data);
        let group = random.pick(&made.groups).clone();
        let lost = group.parity + 1 + random.below(group.shards - group.parity.min(group.shards - 1));
        let lost = lost.min(group.shards);
        let mut bytes = made.bytes.clone();
        for shard in 0..lost {
            bytes[group.data.start + shard * group.shard_len] ^= 0x55;
        }
        let (report, _) = mended(&bytes);
        let lacking = lost.saturating_sub(group.parity) as u64;
        assert_eq!(report.is_mendable(), lacking == 0, "trial {trial}: {report:?}");
        let found = report.damaged.first().map(|group| (group.offset, group.damaged, group.lacking));
        assert_eq!(found, Some((group.data.start as u64, lost as u64, lacking)), "trial {trial}: {report:?}");
    }
}

/// A search at every place hashes what looks like a shard that is missing. Equal shards must not use up its effort, or
/// shards behind them are not found.
#[test]
fn shards_behind_many_equal_ones_are_found() {
    let mut random = Random(27);
    for period in [1, 64, 1000] {
        let pattern: Vec<u8> = (0..period).map(|_| random.byte()).collect();
        let equal = pattern.iter().copied().cycle().take(2_000_000);
        let data: Vec<u8> =
            equal.chain((0..2_000_000).map(|at| (at as u64).wrapping_mul(random.next()) as u8)).collect();
        let mut beside = Vec::new();
        let share = pzcomp_recovery::Share::per_mille(50).unwrap();
        let settings = pzcomp_recovery::Settings { share, ..pzcomp_recovery::Settings::new(Envelope::Bare) };
        let done = pzcomp_recovery::protect(&data[..], settings, std::num::NonZeroUsize::MIN, |record| {
            beside.extend_from_slice(record);
            Ok(())
        });
        let parity = done.unwrap().parity;
        let mut damaged = data.clone();
        // In each part between two of these places, the shards are moved by another distance.
        let places = 6;
        for place in (0..places).rev() {
            damaged.remove(2_000_000 + place * 300_000);
        }
        damaged[1_000_000] ^= 1;
        let (report, mended, _) = mended_beside(&damaged, &beside);
        assert!(report.is_mendable() && mended == data, "a period of {period}: {report:?}");
        assert!(report.damaged_shards <= 2 * places as u64 + 1 && parity > 2 * places as u64, "{report:?}");
    }
}

/// Equal shards fit at many places. Those that are where they were written are not counted as moved.
#[test]
fn equal_shards_of_a_file_that_was_cut_are_not_moved() {
    let (data, mut beside) = (vec![0; 1_000_000], Vec::new());
    let settings = pzcomp_recovery::Settings::new(Envelope::Bare);
    pzcomp_recovery::protect(&data[..], settings, std::num::NonZeroUsize::MIN, |record| {
        beside.extend_from_slice(record);
        Ok(())
    })
    .unwrap();
    let mut damaged = data.clone();
    damaged.truncate(980_000);
    damaged[500_000] = 1;
    let (report, mended, _) = mended_beside(&damaged, &beside);
    assert!(report.is_mendable() && mended == data, "{report:?}");
    // 20,000 bytes are 5 shards and the short one at the end, which fits before the cut.
    assert!(report.damaged_shards + report.moved_shards <= 7, "{report:?}");
}

/// A file of several whole groups, as backups are. It takes a second or two, so only `make recovery-trial` runs it.
#[test]
fn a_damage_of_a_long_file_is_mended() {
    if trials() < 2000 {
        return;
    }
    let mut random = Random(300);
    let data: Vec<u8> = (0..300 << 17).flat_map(|_| random.next().to_le_bytes()).collect();
    let mut beside = Vec::new();
    let settings = pzcomp_recovery::Settings::new(Envelope::Bare);
    let two = std::num::NonZeroUsize::new(2).unwrap();
    let done = pzcomp_recovery::protect(&data[..], settings, two, |record| {
        beside.extend_from_slice(record);
        Ok(())
    });
    assert_eq!((data.len(), done.unwrap().groups), (300 << 20, 5));
    let mut damaged = data.clone();
    // Bursts of the whole share in a group, bits in another one, and missing and new bytes between.
    damaged[10_000..10_000 + 101 * 32_768].fill(0);
    (0..100).for_each(|_| damaged[(70 << 20) + random.below(50 << 20)] ^= 1);
    damaged.drain(150 << 20..(150 << 20) + 1000);
    damaged.splice(200 << 20..200 << 20, [1, 2, 3]);
    damaged.truncate(damaged.len() - 1_000_000);
    let (report, mended, _) = mended_beside(&damaged, &beside);
    assert!(report.is_mendable() && mended == data, "{report:?}");
    assert!(report.damaged_shards > 180 && report.damaged_shards < 102 + 100 + 40, "{report:?}");
}

/// Bytes inside of the table or before it are no data, also if there are more of them than bytes in the table.
#[test]
fn bytes_that_are_inserted_into_the_table_are_left_out() {
    let (mut random, mut tried) = (Random(1180), 0);
    while tried < 12 {
        let data: Vec<u8> = (0..400_000).map(|_| random.byte()).collect();
        let made = made_of(&mut random, data);
        let table_len = made.table_len;
        if table_len < 100 {
            continue;
        }
        tried += 1;
        let table = made.bytes.len() - table_len;
        let behind = made_of(&mut random, b"another stream".to_vec()).bytes;
        for at in [table, table + 1, table + random.below(table_len - 63), made.bytes.len() - 64] {
            for len in [1, 5000, 37_737] {
                let mut bytes = made.bytes.clone();
                bytes.splice(at..at, (0..len).map(|_| random.byte()));
                for behind in [&[], &behind[..]] {
                    let (report, mended) = mended(&[&bytes[..], behind].concat());
                    let what =
                        format!("{len} bytes at {at} of {made:?}, {} behind: {report:?}", behind.len());
                    assert!(report.is_mendable() && !report.is_intact(), "{what}");
                    assert!(mended == [&made.bytes[..], behind].concat(), "{what}");
                }
            }
        }
        // Behind the table they may be damaged data, also if the table is damaged too.
        let mut bytes = made.bytes.clone();
        bytes.extend((0..500).map(|_| random.byte()));
        assert!(!mended(&bytes).0.is_mendable());
        bytes[table + 2] ^= 1;
        assert!(!mended(&bytes).0.is_mendable());
    }
}

/// A gzip member ends with zeros, and zeros are read behind the end of a file.
#[test]
fn an_end_of_zeros_that_is_cut_is_noticed() {
    let mut random = Random(61);
    for _ in 0..30 {
        let made = made_of(&mut random, b"a short stream".repeat(9));
        for len in 1..=made.cut_max.min(9) {
            let cut = &made.bytes[..made.bytes.len() - len];
            let (report, mended) = mended(cut);
            assert!(report.is_mendable() && !report.is_intact(), "{len} of {made:?}: {report:?}");
            assert!(mended == made.bytes, "{len} of {made:?}: {report:?}");
        }
    }
}

#[test]
fn records_of_an_envelope_are_not_taken_for_those_of_a_file_beside() {
    let made = made(&mut Random(14));
    assert_ne!(made.envelope, Envelope::Bare);
    let (report, _, _) = mended_beside(&made.bytes, &made.bytes);
    assert!(!report.has_records());
}

#[test]
fn damage_to_a_head_leaves_the_other_list() {
    let data: Vec<u8> = (0..261_u32).map(|at| (at * 7) as u8).collect();
    for share in [5, 1000] {
        let mut beside = Vec::new();
        let share = pzcomp_recovery::Share::per_mille(share).unwrap();
        let settings = pzcomp_recovery::Settings { share, ..pzcomp_recovery::Settings::new(Envelope::Bare) };
        pzcomp_recovery::protect(&data[..], settings, std::num::NonZeroUsize::MIN, |record| {
            beside.extend_from_slice(record);
            Ok(())
        })
        .unwrap();
        for at in 0..50 {
            for (drained, new) in [(1, vec![0x77]), (1, vec![]), (0, vec![1, 2, 3])] {
                let mut changed = beside.clone();
                changed.splice(at..at + drained, new);
                let (report, mended, new_beside) = mended_beside(&data, &changed);
                assert!(report.is_mendable() && mended == data && new_beside == beside, "{at}: {report:?}");
            }
        }
    }
}

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
