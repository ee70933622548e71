//! Valid frames that libzstd's encoder would not write.

mod common;

use common::encoder::{Fse, block, codes, header, sequence_stream};
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

/// Such offsets do not fit in a packed sequence. `cargo test -p pzcomp-zstd --test generated -- --ignored` runs it.
#[test]
#[ignore = "takes three gigabytes of memory"]
fn offsets_of_more_than_a_gigabyte() {
    let first: Vec<u8> = (0..200).collect();
    let mut coded = header(21 << 3, None, true);
    let mut plain = first.clone();
    coded.extend(block(0, first.len(), &first, false));
    while plain.len() < (1 << 30) + 1000 {
        coded.extend(block(1, 128 << 10, b"x", false));
        plain.resize(plain.len() + (128 << 10), b'x');
    }
    // A new offset, the same again after a literal, and one less than it without literals.
    let offset = plain.len();
    let sequences =
        [(0, 20, offset + 3), (1, 30, 1), (0, 9, 3), (0, 5, offset - 200 + 3), (1, 7, offset + 3)];
    for (literals, len, from) in
        [(0, 20, offset), (1, 30, offset), (0, 9, offset - 1), (0, 5, offset - 200), (1, 7, offset)]
    {
        plain.extend(&b"y"[..literals]);
        for _ in 0..len {
            plain.push(plain[plain.len() - from]);
        }
    }
    let counts = |slot: usize, symbols: usize, log: u32| {
        let used: Vec<usize> = sequences.iter().map(|&sequence| codes(sequence)[slot].0).collect();
        let mut counts: Vec<i16> = (0..symbols).map(|symbol| i16::from(used.contains(&symbol))).collect();
        let left = (1 << log) - counts.iter().sum::<i16>();
        counts[used[0]] += left;
        while counts.last() == Some(&0) {
            counts.pop();
        }
        Fse::new(&counts, log)
    };
    let tables = [counts(0, 36, 5), counts(1, 32, 5), counts(2, 53, 6)];
    let mut content = vec![2 << 3, b'y', b'y', sequences.len() as u8, 0xA8];
    tables.iter().for_each(|table| content.extend(table.describe()));
    content.extend(sequence_stream(&sequences, [&tables[0], &tables[1], &tables[2]]));
    coded.extend(block(2, content.len(), &content, true));
    coded.extend((xxhash_rust::xxh64::xxh64(&plain, 0) as u32).to_le_bytes());
    let ours = compare(&coded, plain.len(), &Setting::default(), &"far offsets");
    assert!(ours.as_ref() == Ok(&plain), "{:?}", ours.err());
}
