//! Two streams decoded at once: each has the same result as alone.
//!
//! Streams of several kinds are decoded beside each other, whole, cut and damaged. `compare/pair.rs` makes the
//! comparison.

use super::Random;
use super::common::text;
use super::compare::assert_as_alone;
use super::resume::coded;

#[test]
fn streams_of_all_kinds_beside_each_other() {
    let part = if cfg!(miri) { 500 } else { 1 };
    let plain = [text(300_000 / part), vec![7; 200_000 / part], text(1000 / part)].concat();
    let mut random = Random(11);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.next() as u8).take(100_000 / part).collect();
    let all = [coded(&plain, 6), coded(&plain, 1), coded(&noise, 6), coded(&plain[..5], 9), vec![3, 0]];
    // Miri takes the first stream beside each other one.
    for (at, first) in all.iter().enumerate().take(if cfg!(miri) { 1 } else { all.len() }) {
        for (behind, second) in all.iter().enumerate() {
            let what = format!("{at} and {behind}");
            assert_as_alone([first, second], [usize::MAX; 2], [(1 << 20) / part; 2], &what);
            assert_as_alone([first, second], [1000, 70_000], [50_000 / part, 3333], &what);
        }
    }
}

#[test]
fn what_is_wrong_with_one_does_not_touch_the_other() {
    let good = coded(&text(200_000), 6);
    let mut random = Random(12);
    for round in 0..60 {
        let mut bad = coded(&text(150_000), 6);
        if round % 3 == 0 {
            bad.truncate(random.below(bad.len()));
        } else {
            let at = random.below(bad.len());
            bad[at] ^= 1 << random.below(8);
        }
        let steps = [usize::MAX, 1 + random.below(40_000)];
        let pieces = [1000 + random.below(100_000), 1000 + random.below(100_000)];
        assert_as_alone([&bad, &good], steps, pieces, &format!("round {round}, the first"));
        assert_as_alone([&good, &bad], steps, pieces, &format!("round {round}, the second"));
    }
}
