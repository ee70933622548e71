//! bzip2 on one thread, on several, and block by block, compared with libbz2-rs.
//!
//! The input is any bytes, or a stream of blocks that is built and then damaged, or data that pzcomp compresses.
//! libbz2-rs must read the streams of pzcomp.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../crates/bzip2/tests/common/mod.rs"]
mod blocks;

use arbitrary::Arbitrary;
use bzip2::{Decompress, Status};
use libfuzzer_sys::fuzz_target;
use pzcomp::{Compress, Encode, Format, Input};
use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC};
use pzcomp_fuzz::{Damage, End, Feed, LIMIT, Outcome, Part, by_us, compare_threads};

static BZIP2: [Format; 1] = [Format::Bzip2];
/// The first bytes of a stream.
const HEADER: &[u8] = b"BZh9";

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes {
        feed: Feed,
        is_headed: bool,
        is_repaired: bool,
        bytes: &'a [u8],
    },
    Built {
        feed: Feed,
        level: u8,
        chunk: u8,
        is_single: bool,
        damage: [Option<Damage>; 3],
        is_repaired: bool,
        parts: Vec<Part<'a>>,
    },
}

/// What libbz2 makes of streams one after another, and of the zeros behind them.
fn by_library(coded: &[u8]) -> Outcome {
    let (mut plain, mut rest) = (Vec::new(), coded);
    let mut end = End::Failed("the input ends".into());
    loop {
        let mut library = Decompress::new(false);
        let has_ended = loop {
            plain.reserve(1 << 20);
            let (read, written) = (library.total_in() as usize, plain.len());
            match library.decompress_vec(&rest[read..], &mut plain) {
                Ok(Status::StreamEnd) => break true,
                Ok(_) if plain.len() > LIMIT => break false,
                Ok(_) if library.total_in() as usize > read || plain.len() > written => {}
                Ok(_) => break false,
                Err(error) => {
                    end = End::Failed(error.to_string());
                    break false;
                }
            }
        };
        rest = &rest[library.total_in() as usize..];
        let is_whole = has_ended && rest.iter().all(|&byte| byte == 0);
        if plain.len() > LIMIT {
            return (plain, End::Full);
        } else if is_whole || !has_ended {
            return (plain, if is_whole { End::Whole } else { end });
        }
    }
}

/// Asserts that all agree on a stream; what we make of it.
fn compare(coded: &[u8], feed: Feed) -> Outcome {
    let alone = by_us(coded, &BZIP2, 1, Feed::Memory);
    let (plain, end) = by_library(coded);
    match (&alone.1, &end) {
        (End::Whole, End::Whole) => assert!(alone.0 == plain, "{} bytes, {}", alone.0.len(), plain.len()),
        // A block leaves when its CRC is right, where the library has let go of it byte by byte.
        (End::Full | End::Failed(_), End::Full) | (End::Failed(_), End::Failed(_)) => {
            assert!(plain.starts_with(&alone.0), "{} bytes, {}", alone.0.len(), plain.len());
        }
        ends => panic!("{ends:?}"),
    }
    compare_threads(coded, &BZIP2, feed, &alone);
    compare_blocks(coded, &plain, &end);
    alone
}

/// Asserts that the block decoder alone comes to what the library came to.
fn compare_blocks(coded: &[u8], plain: &[u8], end: &End) {
    let (by_blocks, result) = blocks::by_blocks(coded, LIMIT);
    let is_same = by_blocks.starts_with(plain) || plain.starts_with(&by_blocks);
    assert!(is_same, "{} bytes by blocks, {}", by_blocks.len(), plain.len());
    match end {
        // It takes the zeros that may be behind the streams for none.
        End::Whole => assert!(by_blocks == plain, "{result:?}"),
        End::Failed(_) => assert!(result.is_err(), "{} bytes", by_blocks.len()),
        End::Full => {}
    }
}

/// The CRC that we say is right, put where the other is.
fn repair(coded: &mut [u8], error: &str) -> bool {
    let words = error.split(|char: char| !char.is_ascii_hexdigit()).filter(|word| word.len() == 8);
    let sums: Vec<u32> = words.filter_map(|word| u32::from_str_radix(word, 16).ok()).collect();
    let &[right, claimed] = &sums[..] else { return false };
    let mut last: u128 = 0;
    for bit in 0..coded.len() * 8 {
        last = last << 1 | u128::from(coded[bit / 8] >> (7 - bit % 8) & 1);
        let magic = (last >> 32) as u64 & ((1 << 48) - 1);
        if last as u32 == claimed && matches!(magic, BLOCK_MAGIC | END_MAGIC) {
            for back in (0..32).filter(|back| (right ^ claimed) >> back & 1 == 1) {
                coded[(bit - back) / 8] ^= 0x80 >> ((bit - back) % 8);
            }
            return true;
        }
    }
    false
}

/// Compares a stream, also with its CRCs made right, which no damage does.
fn compare_repaired(mut coded: Vec<u8>, feed: Feed, is_repaired: bool) {
    for _ in 0..4 {
        let (_, end) = compare(&coded, feed);
        match end {
            End::Failed(error) if is_repaired && repair(&mut coded, &error) => {}
            _ => return,
        }
    }
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { feed, is_headed, is_repaired, bytes } => {
        let coded = if is_headed {
            [HEADER, &BLOCK_MAGIC.to_be_bytes()[2..], bytes].concat()
        } else {
            bytes.to_vec()
        };
        compare_repaired(coded, feed, is_repaired);
    }
    Case::Built { feed, level, chunk, is_single, damage, is_repaired, parts } => {
        let mut plain = Vec::new();
        parts.iter().take(5).for_each(|part| part.append(&mut plain, 150_000));
        let options = Encode::bzip2(1 + i32::from(level % 9)).threads(2);
        // Mostly short chunks, so that little data is several blocks.
        let options = if chunk % 8 > 0 { options.block_size(4096 << (chunk % 8 / 2)) } else { options };
        let options = if is_single { options.single() } else { options }.build().unwrap();
        let mut coded = Vec::new();
        Compress::new(&options).run(Input::reader(&plain[..]), &mut coded).unwrap();
        let alone = compare(&coded, feed);
        assert!(alone == (plain, End::Whole), "{:?}", alone.1);
        if damage.iter().flatten().map(|damage| damage.apply(&mut coded)).count() > 0 {
            compare_repaired(coded, feed, is_repaired);
        }
    }
});
