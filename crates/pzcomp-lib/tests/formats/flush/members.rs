//! Members that say how long they are, of which several are decoded at once.
//!
//! pzcomp and bgzip write them; those whose length lies are made by hand. `is_decoded` demands the data on any number
//! of threads, also where a stored length lies.

use super::*;

/// Where each member begins, and how much is before it.
fn places(coded: &[u8]) -> Vec<(usize, usize)> {
    let (mut places, mut at, mut plain_len) = (Vec::new(), 0, 0);
    while at < coded.len() {
        places.push((at, plain_len));
        // The subfield of the size comes first: two letters, its length, and the size.
        let field = &coded[at + 12..];
        at += match &field[..2] {
            b"BC" => 1 + usize::from(u16::from_le_bytes([field[4], field[5]])),
            b"IG" => u32::from_le_bytes([field[4], field[5], field[6], field[7]]) as usize,
            other => panic!("the subfield {other:?}"),
        };
        plain_len += u32::from_le_bytes(coded[at - 4..at].try_into().unwrap()) as usize;
    }
    places
}

/// BGZF, and members of ours that share a job, of which two do, and that fill one alone.
fn files(data: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let ours = |block_size| {
        let options = encode!(Encode::builder(Format::Gzip), level: 6, block_size, index: false);
        compress(data, &options)
    };
    let bgzf = encode!(Encode::builder(Format::Gzip), layout: Layout::Bgzf, index: false);
    vec![
        ("BGZF", compress(data, &bgzf)),
        ("short members", ours(20_000)),
        ("members of 1 MiB", ours(1 << 20)),
        ("members of 3 MiB", ours(3 << 20)),
    ]
}

#[test]
fn members_that_carry_their_sizes() {
    let data = [mixed(), plain::text(2_000_000), mixed()].concat();
    for (what, coded) in files(&data) {
        is_decoded(&coded, &data, what);
        let other = pipe("bgzip -c", &data);
        let mixture = [&coded[..], &other, &pipe("gzip -c", b"between"), &coded].concat();
        is_decoded(&mixture, &[&data[..], &data, b"between", &data].concat(), &format!("{what} and others"));
    }
}

#[test]
fn what_is_wrong_with_one_of_many_leaves_all_before_it() {
    let data = [plain::text(2_500_000), plain::random(300_000), plain::text(1_700_000)].concat();
    let mut random = Random(23);
    for (what, coded) in files(&data) {
        let places = places(&coded);
        let is_long = what.ends_with("MiB");
        for _ in 0..12 {
            let number = random.below(places.len() as u64 - 1) as usize;
            let ((start, plain_len), (end, _)) = (places[number], places[number + 1]);
            // In the stream, its end, the CRC-32, or the length.
            let at = match random.below(4) {
                0 => start + 20 + random.below((end - start - 28) as u64) as usize,
                // The last byte may have bits that mean nothing.
                1 => end - 10,
                2 => end - 8 + random.below(4) as usize,
                _ => end - 4 + random.below(2) as usize,
            };
            let damaged = flipped(&coded, at, 1 << random.below(8));
            let what = format!("{what}: a bit at {at} of the member at {start}");
            let (back, error) = is_refused(&damaged, &what);
            let Error::Corrupt { offset, .. } = error else { panic!("{what}: {error}") };
            assert_eq!(offset, start as u64, "{what}");
            assert!(back.starts_with(&data[..plain_len]), "{what}: {} bytes, {plain_len}", back.len());
            // A long one is put out as it comes.
            assert!(back.len() == plain_len || is_long, "{what}: {} bytes, {plain_len}", back.len());
        }
    }
}
