//! Random valid frames: every kind of block, literals and table, in every order.

use super::Random;
use super::encoder::{
    Fse, Huffman, Sequence, block, codes, header, huffman_literals_header, plain_literals_header,
    sequence_stream,
};

/// The default tables.
fn predefined(slot: usize) -> Fse {
    const LITERALS: [i16; 36] = [
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1,
        -1, -1, -1,
    ];
    const OFFSETS: [i16; 29] =
        [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];
    const MATCHES: [i16; 53] = [
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ];
    match slot {
        0 => Fse::new(&LITERALS, 6),
        1 => Fse::new(&OFFSETS, 5),
        _ => Fse::new(&MATCHES, 6),
    }
}

/// What a frame's blocks hand on to the next.
struct Frame {
    plain: Vec<u8>,
    offsets: [usize; 3],
    huffman: Option<Huffman>,
    tables: [Option<Fse>; 3],
    window: usize,
}

/// A random frame, and what it decodes to.
pub fn generate(random: &mut Random, block_max: usize) -> (Vec<u8>, Vec<u8>) {
    let window_byte = random.below(5 * 8) as u8;
    let window = (1 << (10 + window_byte / 8)) / 8 * (8 + usize::from(window_byte % 8));
    let mut frame =
        Frame { plain: Vec::new(), offsets: [1, 4, 8], huffman: None, tables: [None, None, None], window };
    let block_max = block_max.min(window).min(128 << 10);
    let blocks = 1 + random.below(6);
    let mut body = Vec::new();
    for number in 0..blocks {
        let is_last = number + 1 == blocks;
        let len = random.skewed(block_max);
        match random.below(8) {
            0 => {
                let bytes: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
                body.extend(block(0, len, &bytes, is_last));
                frame.plain.extend(bytes);
            }
            1 => {
                let byte = random.next() as u8;
                body.extend(block(1, len, &[byte], is_last));
                frame.plain.resize(frame.plain.len() + len, byte);
            }
            _ => {
                let start = frame.plain.len();
                let coded = compressed(&mut frame, random, len);
                if coded.len() <= block_max && coded.len() >= 2 {
                    body.extend(block(2, coded.len(), &coded, is_last));
                } else {
                    // Too long for a block. It is simpler to end here than to take everything back.
                    frame.plain.truncate(start);
                    body.extend(block(0, 0, &[], true));
                    break;
                }
            }
        }
    }
    let has_checksum = random.below(2) == 0;
    let stated = (random.below(2) == 0).then_some(frame.plain.len() as u64);
    let mut coded = header(window_byte, stated, has_checksum);
    coded.extend(body);
    if has_checksum {
        coded.extend((xxhash_rust::xxh64::xxh64(&frame.plain, 0) as u32).to_le_bytes());
    }
    (coded, frame.plain)
}

/// Chooses literals and sequences, executes them, and codes them.
fn compressed(frame: &mut Frame, random: &mut Random, len: usize) -> Vec<u8> {
    let start = frame.plain.len();
    let alphabet = 1 + random.skewed(255);
    let low = random.below(257 - alphabet);
    let mut literals = Vec::new();
    let mut sequences: Vec<Sequence> = Vec::new();
    let few = random.below(3) == 0;
    loop {
        let left = len - (frame.plain.len() - start);
        let count = if random.below(3) == 0 { 0 } else { random.skewed(left.min(70_000)) };
        for _ in 0..count {
            // Skewed, so that Huffman codes have something to do.
            let byte = (low + random.skewed(alphabet - 1)) as u8;
            literals.push(byte);
            frame.plain.push(byte);
        }
        let (left, produced) = (left - count, frame.plain.len());
        let reach = produced.min(frame.window);
        if left < 3 || reach == 0 || few && sequences.len() > 3 || random.below(400) == 0 {
            break;
        }
        let repeated = random.below(3) + 1;
        let slot = repeated - 1 + usize::from(count == 0);
        let offset = if slot < 3 { frame.offsets[slot] } else { frame.offsets[0] - 1 };
        let (value, offset) = if random.below(2) == 0 && (1..=reach).contains(&offset) {
            (repeated, offset)
        } else {
            let offset = 1 + random.skewed(reach - 1);
            (offset + 3, offset)
        };
        let moved = if value > 3 { 2 } else { slot.min(2) };
        frame.offsets[..=moved].rotate_right(1);
        frame.offsets[0] = offset;
        let match_len = 3 + random.skewed(left - 3);
        for _ in 0..match_len {
            frame.plain.push(frame.plain[frame.plain.len() - offset]);
        }
        sequences.push((count, match_len, value));
    }

    let mut bytes = code_literals(frame, random, &literals);
    match sequences.len() {
        few @ 0..128 => bytes.push(few as u8),
        some @ 128..0x7F00 => bytes.extend([128 + (some >> 8) as u8, some as u8]),
        many => bytes.extend([255, (many - 0x7F00) as u8, ((many - 0x7F00) >> 8) as u8]),
    }
    if !sequences.is_empty() {
        code_sequences(frame, random, &sequences, &mut bytes);
    }
    bytes
}

fn code_literals(frame: &mut Frame, random: &mut Random, literals: &[u8]) -> Vec<u8> {
    let len = literals.len();
    let is_run = literals.iter().all(|byte| Some(byte) == literals.first()) && len > 0;
    let four = len >= 6 && 3 * len.div_ceil(4) <= len && random.below(3) > 0;
    if is_run && random.below(2) == 0 {
        let mut bytes = plain_literals_header(1, len, random);
        bytes.push(literals[0]);
        return bytes;
    }
    if random.below(5) > 0 {
        let known = frame.huffman.clone().filter(|huffman| huffman.has(literals) && random.below(2) == 0);
        let mut content = Vec::new();
        let kind = if known.is_some() { 3 } else { 2 };
        let huffman = known.unwrap_or_else(|| {
            let bits_max = 9 + random.below(4) as u32;
            let huffman = Huffman::random(random, literals, bits_max);
            content = huffman.describe(random);
            huffman
        });
        if four {
            let streams: Vec<Vec<u8>> =
                literals.chunks(len.div_ceil(4)).map(|part| huffman.stream(part)).collect();
            let missing = 4 - streams.len();
            for stream in &streams[..3.min(streams.len())] {
                content.extend((stream.len() as u16).to_le_bytes());
            }
            content.extend(streams.concat());
            // Six literals leave nothing for the fourth stream, which then is a final 1 bit.
            content.extend(vec![1; missing]);
        } else {
            content.extend(huffman.stream(literals));
        }
        if let Some(mut bytes) = huffman_literals_header(kind, len, content.len(), four, random)
            && bytes.len() + content.len() >= 5
        {
            bytes.extend(content);
            frame.huffman = Some(huffman);
            return bytes;
        }
    }
    let mut bytes = plain_literals_header(0, len, random);
    bytes.extend(literals);
    bytes
}

fn code_sequences(frame: &mut Frame, random: &mut Random, sequences: &[Sequence], bytes: &mut Vec<u8>) {
    let mut modes = 0;
    let mut descriptions = Vec::new();
    let mut tables = Vec::new();
    for slot in 0..3 {
        let mut used: Vec<usize> = sequences.iter().map(|&sequence| codes(sequence)[slot].0).collect();
        used.sort_unstable();
        used.dedup();
        let has_all = |table: &Fse| used.iter().all(|&code| table.has(code));
        let known = frame.tables[slot].clone().filter(has_all);
        let (symbols_max, log_max) = [(36, 9), (32, 8), (53, 9)][slot];
        let (mode, table) = match random.below(4) {
            0 if has_all(&predefined(slot)) => (0, predefined(slot)),
            1 if used.len() == 1 => (1, Fse::rle(used[0])),
            3 if known.is_some() => (3, known.unwrap()),
            _ => (2, Fse::random(random, symbols_max, log_max, &used)),
        };
        if mode == 1 {
            descriptions.push(used[0] as u8);
        } else if mode == 2 {
            descriptions.extend(table.describe());
        }
        modes |= mode << (6 - 2 * slot);
        frame.tables[slot] = Some(table.clone());
        tables.push(table);
    }
    bytes.push(modes);
    bytes.extend(descriptions);
    bytes.extend(sequence_stream(sequences, [&tables[0], &tables[1], &tables[2]]));
}
