//! Blocks that are made of random instructions, whose data is known, and what is wrong with damaged ones.
//!
//! There is no peer. `lzo_block` and `lzf_block` write instructions and note the data that these stand for, byte by
//! byte. The tests of pzcomp decode the files of lzop and liblzf.

#[path = "../../deflate/tests/common/random.rs"]
mod random;

use pzcomp_lzo::{Error, lzf, lzo1x};
use random::Random;

impl Random {
    fn below(&mut self, limit: u64) -> usize {
        (self.next() % limit) as usize
    }

    /// Up to `most`, and mostly short.
    fn distance(&mut self, most: u64) -> usize {
        let limit = [8, 40, most][self.below(3)];
        1 + self.below(limit)
    }

    /// Mostly short, sometimes long.
    fn len(&mut self, least: usize, most: usize) -> usize {
        let span = most - least;
        let limit = [4, 20, 300, span + 1][self.below(4)].min(span + 1);
        least + self.below(limit as u64)
    }
}

#[derive(Default)]
struct Block {
    coded: Vec<u8>,
    plain: Vec<u8>,
}

impl Block {
    fn literals(&mut self, random: &mut Random, len: usize) {
        for _ in 0..len {
            let byte = random.below(256) as u8;
            self.coded.push(byte);
            self.plain.push(byte);
        }
    }

    fn repeat(&mut self, distance: usize, len: usize) {
        for _ in 0..len {
            self.plain.push(self.plain[self.plain.len() - distance]);
        }
    }
}

/// A length as a field of the first byte, or behind it.
fn length(coded: &mut Vec<u8>, first: u8, field_max: usize, len: usize) {
    if (1..=field_max).contains(&len) {
        coded.push(first | len as u8);
        return;
    }
    coded.push(first);
    let mut left = len - field_max;
    while left > 255 {
        coded.push(0);
        left -= 255;
    }
    coded.push(left as u8);
}

fn lzo_block(random: &mut Random, instructions: usize) -> Block {
    let mut block = Block::default();
    // The number of literals of the last instruction.
    let mut before = 0;
    if random.below(2) == 0 {
        let len = 1 + random.below(238);
        block.coded.push(17 + len as u8);
        block.literals(random, len);
        before = len.min(4);
    }
    for _ in 0..instructions {
        if before == 0 && (block.plain.is_empty() || random.below(2) == 0) {
            let len = random.len(4, 3000);
            length(&mut block.coded, 0, 15, len - 3);
            block.literals(random, len);
            before = 4;
            continue;
        }
        let here = block.plain.len();
        let after = random.below(4);
        let kind = random.below(4);
        let (distance, len);
        if kind == 0 && before > 0 {
            let (least, most) = if before == 4 { (2049, 2048 + 1024) } else { (1, 1024) };
            if here < least {
                continue;
            }
            distance = least + random.below((most.min(here) - least + 1) as u64);
            len = if before == 4 { 3 } else { 2 };
            let place = distance - least;
            block.coded.extend([((place & 3) << 2 | after) as u8, (place >> 2) as u8]);
        } else if kind == 1 {
            distance = random.distance(2048).min(here);
            len = 3 + random.below(6);
            let place = distance - 1;
            block.coded.extend([((len - 1) << 5 | (place & 7) << 2 | after) as u8, (place >> 3) as u8]);
        } else if kind == 2 && here > 16384 {
            distance = 16385 + random.below(((here - 16384).min(32767)) as u64);
            len = random.len(3, 2000);
            let place = distance - 16384;
            length(&mut block.coded, 16 | (place >> 14 << 3) as u8, 7, len - 2);
            block.coded.extend((((place & 0x3fff) << 2 | after) as u16).to_le_bytes());
        } else {
            distance = random.distance(16384).min(here);
            len = random.len(3, 5000);
            length(&mut block.coded, 32, 31, len - 2);
            block.coded.extend((((distance - 1) << 2 | after) as u16).to_le_bytes());
        }
        block.repeat(distance, len);
        block.literals(random, after);
        before = after;
    }
    block.coded.extend([0x11, 0, 0]);
    block
}

fn lzf_block(random: &mut Random, instructions: usize) -> Block {
    let mut block = Block::default();
    for _ in 0..instructions {
        if block.plain.is_empty() || random.below(2) == 0 {
            let len = 1 + random.below(32);
            block.coded.push(len as u8 - 1);
            block.literals(random, len);
            continue;
        }
        let distance = random.distance(8192).min(block.plain.len());
        let len = random.len(3, 264);
        let place = distance - 1;
        match len - 2 {
            field @ ..7 => block.coded.push((field << 5 | place >> 8) as u8),
            field => block.coded.extend([(7 << 5 | place >> 8) as u8, (field - 7) as u8]),
        }
        block.coded.push(place as u8);
        block.repeat(distance, len);
    }
    block
}

type Decode = fn(&[u8], &mut [u8]) -> Result<usize, Error>;
type Make = fn(&mut Random, usize) -> Block;

const FORMATS: [(Decode, Make); 2] = [(lzo1x::decompress, lzo_block), (lzf::decompress, lzf_block)];

#[test]
fn instructions_of_all_kinds_decode_into_room_of_just_their_length_and_more() {
    for (decode, make) in FORMATS {
        for seed in 0..400 {
            let mut random = Random(seed);
            let count = 1 + random.below(200);
            let Block { coded, plain } = make(&mut random, count);
            for more in [0, 1, 7, 100] {
                let mut room = vec![0xa5; plain.len() + more];
                assert_eq!(decode(&coded, &mut room), Ok(plain.len()), "seed {seed}");
                assert!(room[..plain.len()] == plain, "seed {seed}");
            }
        }
    }
}

#[test]
fn too_little_room_is_an_error_at_every_length() {
    for (decode, make) in FORMATS {
        let Block { coded, plain } = make(&mut Random(7), 20);
        for len in 0..plain.len() {
            assert_eq!(decode(&coded, &mut vec![0; len]), Err(Error::Room), "{len} of {}", plain.len());
        }
    }
}

#[test]
fn a_block_cut_anywhere_gives_an_error_or_the_start_of_the_data() {
    for (decode, make) in FORMATS {
        let Block { coded, plain } = make(&mut Random(3), 60);
        for len in 0..coded.len() {
            let mut room = vec![0; plain.len()];
            match decode(&coded[..len], &mut room) {
                // LZF has no end mark.
                Ok(filled) => assert!(decode as usize == FORMATS[1].0 as usize && filled < plain.len()),
                Err(error) => assert_eq!(error, Error::Truncated, "cut at {len}"),
            }
        }
    }
}

#[test]
fn bytes_behind_the_end_of_lzo_are_an_error() {
    let Block { mut coded, plain } = lzo_block(&mut Random(5), 9);
    coded.push(0);
    assert_eq!(lzo1x::decompress(&coded, &mut vec![0; plain.len()]), Err(Error::Trailing));
}

#[test]
fn a_distance_before_the_start_is_an_error() {
    // Three literals, and a repeat from the distance 4.
    assert_eq!(lzf::decompress(&[2, 1, 2, 3, 1 << 5, 3], &mut [0; 100]), Err(Error::Distance));
    let coded = [17 + 4, 1, 2, 3, 4, 0b0101_0000, 0, 0x11, 0, 0];
    assert_eq!(lzo1x::decompress(&coded, &mut [0; 100]), Err(Error::Distance));
}

#[test]
fn damaged_blocks_never_panic_and_fill_no_more_than_the_room() {
    for (decode, make) in FORMATS {
        for seed in 0..3000 {
            let mut random = Random(seed);
            let Block { mut coded, plain } = make(&mut random, 12);
            for _ in 0..1 + random.below(4) {
                let at = random.below(coded.len() as u64);
                coded[at] = [0, 0xff, 0x11, random.below(256) as u8][random.below(4)];
            }
            let mut room = vec![0; plain.len() + random.below(50)];
            if let Ok(len) = decode(&coded, &mut room) {
                assert!(len <= room.len());
            }
        }
    }
}
