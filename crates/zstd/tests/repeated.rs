//! Repeated offsets, in blocks that are valid and in blocks that are not. Stage 1 resolves those that do not depend on
//! the block before, and stage 2 the others. The verdict must be that of a decoder with one stage.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::encoder::{Fse, Sequence, block, codes, header, sequence_stream};
use common::{Random, Setting, compare, decode_in_pieces};
use pzcomp_zstd::{BLOCK_HEADER_LEN, Block, Ring, TableContext};
use pzcomp_zstd::{
    BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Error, Executor, Format, FrameHeader,
};

/// A compressed block of these literals and sequences.
fn compressed(literals: &[u8], sequences: &[Sequence], is_last: bool) -> Vec<u8> {
    let table = |slot: usize, symbols: usize| {
        let mut counts = vec![0; symbols];
        sequences.iter().for_each(|&sequence| counts[codes(sequence)[slot].0] = 1_i16);
        let last = codes(sequences[0])[slot].0;
        counts[last] += 64 - counts.iter().sum::<i16>();
        while counts.last() == Some(&0) {
            counts.pop();
        }
        Fse::new(&counts, 6)
    };
    let tables = [table(0, 36), table(1, 32), table(2, 53)];
    let mut content = (literals.len() << 4 | 0b1100).to_le_bytes()[..3].to_vec();
    content.extend(literals);
    match sequences.len() {
        few @ 0..128 => content.push(few as u8),
        some => content.extend([128 + (some >> 8) as u8, some as u8]),
    }
    content.push(0xA8);
    tables.iter().for_each(|table| content.extend(table.describe()));
    content.extend(sequence_stream(sequences, [&tables[0], &tables[1], &tables[2]]));
    block(2, content.len(), &content, is_last)
}

/// Decodes a block as the format describes it. None if an offset is not valid.
fn execute(
    plain: &mut Vec<u8>,
    offsets: &mut [usize; 3],
    mut literals: &[u8],
    sequences: &[Sequence],
    window: usize,
) -> Option<()> {
    for &(count, len, value) in sequences {
        let (head, rest) = literals.split_at(count);
        plain.extend(head);
        literals = rest;
        let slot = value - 1 + usize::from(count == 0);
        let (offset, moved) = match (value, slot) {
            (4.., _) => (value - 3, 2),
            (_, 0..=2) => (offsets[slot], slot),
            _ => (offsets[0] - 1, 2),
        };
        if offset == 0 || offset > plain.len().min(window) {
            return None;
        }
        offsets[..=moved].rotate_right(1);
        offsets[0] = offset;
        for _ in 0..len {
            plain.push(plain[plain.len() - offset]);
        }
    }
    plain.extend(literals);
    Some(())
}

/// A frame of random blocks, the output of those before the first wrong one, and whether there is one. If `is_long`,
/// other blocks come first, and the ring goes round behind them. Of their output only the last window is given.
fn generate(random: &mut Random, is_long: bool) -> (Vec<u8>, Vec<u8>, bool) {
    let window_byte = [0, 8, 3 << 3][random.below(3)];
    let window = 1024 << (window_byte >> 3);
    let (mut coded, mut plain, mut offsets) = (header(window_byte, None, false), Vec::new(), [1, 4, 8]);
    if is_long {
        let mut left = (4 << 20) + window - random.below(3000);
        while left > 0 {
            let bytes: Vec<u8> = (0..left.min(window)).map(|_| random.next() as u8).collect();
            coded.extend(block(0, bytes.len(), &bytes, false));
            left -= bytes.len();
            plain.extend(bytes);
        }
        plain.drain(..plain.len() - window);
    }
    // Most frames are valid, and some are wrong in a late block.
    let wrong = random.below(3) * random.below(200);
    let blocks = 1 + random.below(12);
    for number in 0..blocks {
        let (mut literals, mut sequences) = (Vec::new(), Vec::new());
        let (mut room, new) = (1000, random.below(5));
        for _ in 0..=random.below(60) {
            let (count, len) = (random.skewed(4), 3 + random.skewed(40));
            if room < count + len {
                break;
            }
            room -= count + len;
            let (mut probe, mut probed) = (plain.clone(), offsets);
            literals.extend((0..count).map(|_| random.next() as u8));
            sequences.extend((0..20).find_map(|_| {
                let value = match random.below(4) < new {
                    true if is_long => 4 + random.below(window + window / 8),
                    true => 4 + random.skewed(window),
                    false => 1 + random.below(3),
                };
                let mut all: Vec<Sequence> = sequences.clone();
                all.push((count, len, value));
                probe.truncate(plain.len());
                probed.copy_from_slice(&offsets);
                let is_valid = execute(&mut probe, &mut probed, &literals, &all, window).is_some();
                (is_valid || wrong > 0 && random.below(wrong) == 0).then_some((count, len, value))
            }));
            if literals.len() > sequences.iter().map(|sequence| sequence.0).sum() {
                // No value was found. These are the literals behind the last sequence.
                break;
            }
        }
        if sequences.is_empty() {
            literals = vec![7, 8, 9, 10, 11];
            sequences = vec![(5, 3, 4)];
        }
        coded.extend(compressed(&literals, &sequences, number + 1 == blocks));
        let before = plain.len();
        if execute(&mut plain, &mut offsets, &literals, &sequences, window).is_none() {
            plain.truncate(before);
            return (coded, plain, true);
        }
    }
    (coded, plain, false)
}

/// Stage 1 of all blocks, the last one first; then stage 2, through a ring.
fn in_two_stages(coded: &[u8]) -> (Vec<u8>, Result<(), Error>) {
    let frame = FrameHeader::parse(coded, Format::Magic).unwrap().unwrap();
    let (mut at, mut tables, mut blocks) = (frame.header_len, TableContext::new(), Vec::new());
    while at < coded.len() {
        let header = BlockHeader::parse(*coded[at..].first_chunk().unwrap(), frame.block_len_max()).unwrap();
        at += BLOCK_HEADER_LEN;
        let bytes = &coded[at..at + header.coded_len()];
        at += bytes.len();
        blocks.push((header.kind, bytes, tables));
        if header.kind == BlockKind::Compressed {
            tables.scan(bytes, frame.block_len_max()).unwrap();
        }
    }
    let mut decoder = BlockDecoder::new();
    let mut decoded: Vec<DecodedBlock> = blocks.iter().map(|_| DecodedBlock::new()).collect();
    for ((kind, bytes, tables), decoded) in blocks.iter().zip(&mut decoded).rev() {
        if *kind == BlockKind::Raw {
            continue;
        }
        decoder.decode(CodedBlock { bytes, tables, block_len_max: frame.block_len_max() }, decoded).unwrap();
    }
    let (mut executor, mut ring, mut plain) = (Executor::new(&frame, None), Ring::new(), Vec::new());
    for ((kind, bytes, _), decoded) in blocks.iter().zip(&decoded) {
        let block = if *kind == BlockKind::Raw { Block::Raw(bytes) } else { Block::Decoded(decoded) };
        if let Err(error) = ring.run(&mut executor, block) {
            return (plain, Err(error));
        }
        plain.extend(ring.fresh());
        ring.forget_fresh();
    }
    (plain, Ok(()))
}

#[test]
fn random_repeats_have_the_verdict_of_one_stage() {
    let (mut random, mut wrong) = (Random(33), 0);
    for number in 0..1500 {
        let (coded, plain, is_wrong) = generate(&mut random, false);
        let what = format!("frame {number}");
        // The reference stops at the first wrong block, and so does the frame.
        let (ours, verdict) = in_two_stages(&coded);
        assert!(ours == plain, "{what}: the output before an error counts too");
        assert_eq!(verdict, if is_wrong { Err(Error::OffsetTooFar) } else { Ok(()) }, "{what}");
        if is_wrong {
            wrong += 1;
            let pieces = decode_in_pieces(&coded, &Setting::default(), || 100);
            assert_eq!(pieces, Err(Some(Error::OffsetTooFar)), "{what}");
        } else {
            assert_eq!(compare(&coded, plain.len() + 100, &Setting::default(), &what), Ok(plain), "{what}");
        }
    }
    assert!((300..1200).contains(&wrong), "{wrong} frames are wrong");
}

#[test]
fn an_offset_of_zero_is_an_error_wherever_it_is_resolved() {
    let first = (4, 3, 1 + 3);
    // One less than an offset of one, as the first sequence of a block, or behind three new offsets; then more of them.
    let zero = [(0, 3, 3)];
    let known = [(1, 3, 4 + 3), (1, 3, 2 + 3), (1, 3, 1 + 3), (0, 3, 3)];
    let again = [(1, 3, 4 + 3), (1, 3, 2 + 3), (1, 3, 1 + 3), (0, 3, 3), (0, 3, 3), (1, 9, 1), (0, 3, 3)];
    for sequences in [&zero[..], &known, &again] {
        let mut coded = header(0, None, false);
        coded.extend(compressed(b"abcd", &[first], false));
        coded.extend(compressed(b"abcdefgh", sequences, true));
        assert_eq!(in_two_stages(&coded), (b"abcdddd".to_vec(), Err(Error::OffsetTooFar)));
        let verdict = compare(&coded, 1000, &Setting::default(), &"an offset of zero");
        assert_eq!(verdict, Err(Some(Error::OffsetTooFar)));
    }
}

#[test]
fn matches_reach_back_over_the_end_of_a_ring() {
    let (mut random, mut wrong) = (Random(34), 0);
    for number in 0..60 {
        let (coded, plain, is_wrong) = generate(&mut random, true);
        let (ours, verdict) = in_two_stages(&coded);
        assert!(ours.ends_with(&plain), "frame {number}");
        assert_eq!(verdict, if is_wrong { Err(Error::OffsetTooFar) } else { Ok(()) }, "frame {number}");
        wrong += usize::from(is_wrong);
    }
    assert!((1..50).contains(&wrong), "{wrong} frames are wrong");
}
