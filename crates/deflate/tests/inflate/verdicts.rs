//! Every type of block, every defect, and streams that are just valid.
//!
//! `writer.rs` makes the streams by hand. Each stream and all of its prefixes are decoded by this crate and by zlib-rs,
//! and the verdicts must agree. To add a case, write a stream and state its defect.

use super::writer::{Writer, lens};
use super::*;

/// Decodes a stream and all its prefixes, and compares with zlib. Returns the output or the defect.
fn decode(writer: Writer) -> Result<Vec<u8>, Defect> {
    let coded = writer.finish();
    let mut inflate = Inflate::new();
    for len in 0..coded.len() {
        compare(&mut inflate, &coded[..len]);
    }
    for (step, piece_len) in [(1, 1), (3, 7), (1000, 1), (1, 1000)] {
        compare_steps(&mut inflate, &coded, step, piece_len);
    }
    // Far from the end of the input the other loop decodes.
    let padded = [&coded[..], &[0x55; 64]].concat();
    compare_steps(&mut inflate, &padded, 1, 500);
    let (plain, verdict, defect) = compare(&mut inflate, &coded);
    match defect {
        Some(defect) => Err(defect),
        None => {
            assert_eq!(verdict, Verdict::End(coded.len()));
            Ok(plain)
        }
    }
}

/// Lengths of codes for two literals, the end of a block, and the lengths 3 and 10.
const LITLEN: [(usize, u8); 5] = [(b'a' as usize, 2), (b'b' as usize, 2), (256, 2), (257, 3), (264, 3)];

fn litlen() -> [u8; 265] {
    lens(&LITLEN)
}

#[test]
fn blocks_of_all_kinds_follow_each_other() {
    let writer =
        Writer::new().stored(false, b"").stored(false, b"stored ").fixed(false).text(b"fixed ").end();
    let writer = writer.dynamic(false, &litlen(), &[1, 1]).text(b"abba").symbol(264).distance(1).end();
    let writer = writer.fixed(false).end().stored(true, b"!");
    assert_eq!(decode(writer).unwrap(), b"stored fixed abbabababababa!");
}

#[test]
fn matches_overlap_at_every_short_distance() {
    let text = b"0123456789abcdefghijklmnopqrstuvwxyz";
    for distance in 1..=24 {
        let writer = Writer::new().fixed(true).text(text);
        // Distances by their symbols: section 3.2.5 of RFC 1951.
        let (symbol, extra, bits) = match distance {
            1..=4 => (distance - 1, 0, 0),
            5..=8 => (4 + (distance - 5) / 2, (distance - 5) % 2, 1),
            9..=16 => (6 + (distance - 9) / 4, (distance - 9) % 4, 2),
            _ => (8 + (distance - 17) / 8, (distance - 17) % 8, 3),
        };
        let writer = writer.symbol(285).distance(symbol).bits(extra, bits);
        let writer = writer.symbol(257).distance(symbol).bits(extra, bits).end();
        let mut expected = text.to_vec();
        (0..258 + 3).for_each(|_| expected.push(expected[expected.len() - distance]));
        assert_eq!(decode(writer).unwrap(), expected, "distance {distance}");
    }
}

#[test]
fn length_258_has_two_codes() {
    let writer = Writer::new().fixed(true).text(b"a").symbol(284).bits(31, 5).distance(0);
    assert_eq!(decode(writer.symbol(285).distance(0).end()).unwrap(), [b'a'; 1 + 258 + 258]);
}

#[test]
fn codes_of_fifteen_bits() {
    let mut long = [0; 286];
    (0..14).for_each(|symbol| long[symbol] = symbol as u8 + 1);
    (long[256], long[285]) = (15, 15);
    let mut distances = [0; 30];
    (0..14).for_each(|symbol| distances[29 - symbol] = symbol as u8 + 1);
    (distances[0], distances[1]) = (15, 15);
    let literals: Vec<u8> = (0..14).collect();
    let writer = Writer::new().dynamic(true, &long, &distances).text(&literals).symbol(285).distance(1);
    let writer = writer.text(&literals).symbol(285).distance(0).end();
    assert_eq!(decode(writer).unwrap().len(), 2 * (14 + 258));
}

#[test]
fn the_reserved_block_type() {
    assert_eq!(decode(Writer::new().bits(3 << 1, 3)), Err(Defect::BlockType));
    assert_eq!(decode(Writer::new().fixed(false).text(b"x").end().bits(7, 3)), Err(Defect::BlockType));
}

#[test]
fn a_stored_length_that_its_complement_contradicts() {
    let writer = Writer::new().bits(0, 8).bits(1, 16).bits(!2 & 0xffff, 16).bits(0, 16);
    assert_eq!(decode(writer), Err(Defect::StoredLength));
}

#[test]
fn more_symbols_than_there_are() {
    for (litlen, distance) in [(287, 1), (288, 30), (257, 31), (286, 32)] {
        let writer = Writer::new().dynamic_counts(true, litlen, distance).bits(0, 64);
        assert_eq!(decode(writer), Err(Defect::Counts), "{litlen}, {distance}");
    }
}

/// A dynamic block's header whose code length code has these lengths, in the order of the stream.
fn precode(lens: &[usize]) -> Writer {
    let counts = Writer::new().bits(5, 3).bits(0, 5).bits(0, 5).bits(lens.len() - 4, 4);
    lens.iter().fold(counts, |writer, &len| writer.bits(len, 3))
}

#[test]
fn a_code_length_code_that_is_not_complete() {
    for lens in [&[1, 1, 1, 0][..], &[1, 0, 0, 0], &[0, 0, 0, 7], &[2, 2, 2, 0], &[7; 19], &[1, 1, 1, 1, 1]] {
        assert_eq!(decode(precode(lens).bits(0, 64)), Err(Defect::Precode), "{lens:?}");
    }
    // A code without symbols can say no length. That is clear as soon as it is read, whatever follows.
    for lens in [&[0; 4][..], &[0; 7], &[0; 19]] {
        assert_eq!(decode(precode(lens)), Err(Defect::Precode), "{lens:?}");
        assert_eq!(decode(precode(lens).bits(usize::MAX, 64)), Err(Defect::Precode), "{lens:?}");
    }
}

#[test]
fn a_repeat_without_anything_before_it_or_of_too_much() {
    // Codes 0 for a repeated length (16), and 1 for many zeros (18).
    let writer = || precode(&[1, 0, 1, 0]);
    assert_eq!(decode(writer().bits(0, 3)), Err(Defect::Repeat));
    let zeros = |writer: Writer, times: usize| writer.bits(1, 1).bits(times - 11, 7);
    assert_eq!(decode(zeros(zeros(writer(), 138), 138)), Err(Defect::Repeat));
    let writer = zeros(zeros(writer(), 138), 117).bits(0, 1).bits(1, 2);
    assert_eq!(decode(writer), Err(Defect::Repeat));
}

#[test]
fn no_end_of_block() {
    let litlen = lens::<257>(&[(0, 1), (1, 1)]);
    assert_eq!(decode(Writer::new().dynamic(true, &litlen, &[1, 1])), Err(Defect::NoEndOfBlock));
}

#[test]
fn literals_and_lengths_whose_code_is_not_complete() {
    for wrong in [&[(0, 2), (256, 2)][..], &[(0, 1), (1, 1), (256, 1)], &[(256, 2)], &[(0, 1), (256, 15)]] {
        let writer = Writer::new().dynamic(true, &lens::<257>(wrong), &[1, 1]);
        assert_eq!(decode(writer.bits(0, 64)), Err(Defect::LitlenCode), "{wrong:?}");
    }
}

#[test]
fn a_single_code_may_be_the_end_of_a_block() {
    let end = lens::<257>(&[(256, 1)]);
    assert_eq!(decode(Writer::new().dynamic(true, &end, &[0]).end()).unwrap(), b"");
    assert_eq!(decode(Writer::new().dynamic(true, &end, &[0]).bits(1, 1)), Err(Defect::LitlenSymbol));
}

#[test]
fn distances_whose_code_is_not_complete() {
    for wrong in [&[2, 2][..], &[1, 1, 1], &[2], &[1, 2], &[15; 30]] {
        let writer = Writer::new().dynamic(true, &litlen(), wrong);
        assert_eq!(decode(writer.bits(0, 64)), Err(Defect::DistanceCode), "{wrong:?}");
    }
}

#[test]
fn a_single_distance_or_none_is_allowed() {
    let writer = |distances| Writer::new().dynamic(true, &litlen(), distances).text(b"ab");
    assert_eq!(decode(writer(&[0, 1]).symbol(257).distance(1).end()).unwrap(), b"ababa");
    assert_eq!(decode(writer(&[0, 1]).symbol(257).bits(1, 1)), Err(Defect::DistanceSymbol));
    assert_eq!(decode(writer(&[0]).end()).unwrap(), b"ab");
    assert_eq!(decode(writer(&[0]).symbol(257).bits(0, 1)), Err(Defect::DistanceSymbol));
    assert_eq!(decode(writer(&[0]).symbol(257).bits(1, 1)), Err(Defect::DistanceSymbol));
}

#[test]
fn symbols_that_never_occur() {
    for symbol in [286, 287] {
        let writer = Writer::new().fixed(true).text(b"abc").symbol(symbol);
        assert_eq!(decode(writer), Err(Defect::LitlenSymbol), "{symbol}");
    }
    for symbol in [30, 31] {
        let writer = Writer::new().fixed(true).text(b"abc").symbol(257).distance(symbol);
        assert_eq!(decode(writer), Err(Defect::DistanceSymbol), "{symbol}");
    }
}

#[test]
fn a_distance_to_before_the_beginning() {
    let writer = |text| Writer::new().fixed(true).text(text).symbol(257).distance(3).end();
    assert_eq!(decode(writer(b"abcd")).unwrap(), b"abcdabc");
    assert_eq!(decode(writer(b"abc")), Err(Defect::Distance));
    assert_eq!(decode(writer(b"")), Err(Defect::Distance));
}

#[test]
fn a_distance_to_before_the_beginning_is_not_into_the_stream_before() {
    let mut inflate: Inflate = Inflate::new();
    let mut memory = [0; 2000];
    let first = Writer::new().stored(true, b"what came before").finish();
    let second = Writer::new().fixed(true).text(b"abc").symbol(257).distance(3).end().finish();
    for padding in [0, 100] {
        inflate.reset();
        let mut output = Output::new(&mut memory, 0);
        inflate.run(&first, &mut output).unwrap();
        inflate.reset();
        let result = inflate.run(&[&second[..], &vec![0; padding]].concat(), &mut output);
        assert_eq!(result.unwrap_err().defect, Defect::Distance);
    }
}
