//! Valid frames that libzstd's encoder would not write.

mod common;

use common::encoder::{block, header};
use common::generate::generate;
use common::{Random, Setting, compare, decode_beside};

/// How many frames, and how long their blocks may be. Miri takes few and short ones.
const FRAMES: usize = if cfg!(miri) { 4 } else { 1500 };
const BLOCKS: [usize; 4] = if cfg!(miri) { [60, 200, 300, 400] } else { [60, 1000, 20_000, 1 << 17] };

/// `PZCOMP_ZSTD_ROUNDS=100` tries a hundred times as many frames, others each time.
fn rounds() -> u64 {
    std::env::var("PZCOMP_ZSTD_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

#[test]
fn frames_of_every_kind_of_block_and_table() {
    let setting = Setting::default();
    let rounds = rounds();
    let mut random = Random(rounds);
    let mut previous = (header(0, None, false), Vec::new());
    previous.0.extend(block(0, 0, &[], true));
    for number in 0..FRAMES * rounds as usize {
        let block_max = BLOCKS[number % 4];
        let (coded, plain) = generate(&mut random, block_max);
        let slack = random.skewed(200);
        let what = format!("frame {number}");
        let ours = compare(&coded, plain.len() + slack, &setting, &what);
        assert!(ours.as_ref() == Ok(&plain), "{what}: {:?}", ours.err());
        let (a, b) = decode_beside(&coded, plain.len(), &previous.0, &setting);
        assert!(a == Ok(plain.clone()) && b == Ok(previous.1.clone()), "{what}, and the one before at once");
        previous = (coded, plain);
    }
}

#[test]
fn damaged_frames_of_every_kind() {
    let setting = Setting::default();
    let rounds = rounds();
    let mut random = Random(rounds + 1000);
    let mut accepted = 0;
    for number in 0..2 * FRAMES * rounds as usize {
        let (mut coded, plain) = generate(&mut random, BLOCKS[number % 3].min(5000));
        for _ in 0..=random.below(3) {
            let at = random.below(coded.len());
            match random.below(4) {
                0 => coded[at] = random.next() as u8,
                1 => coded[at] ^= 1 << random.below(8),
                2 => drop(coded.remove(at)),
                _ => coded.insert(at, random.next() as u8),
            }
        }
        let verdict = compare(&coded, 2 * plain.len() + (300 << 10), &setting, &format!("frame {number}"));
        accepted += usize::from(verdict.is_ok());
    }
    assert!(accepted > 50 || cfg!(miri), "{accepted} frames were damaged where it does not show");
}
