//! Offsets of more than a gigabyte, which do not fit in a packed sequence. It takes three gigabytes of memory, so it
//! runs only if it is asked for: `cargo test -p pzcomp-zstd --test far -- --ignored`.

mod common;

use common::encoder::{Fse, block, codes, header, sequence_stream};
use common::{Setting, compare};

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
