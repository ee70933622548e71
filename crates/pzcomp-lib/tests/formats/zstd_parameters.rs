//! zstd's parameters that follow the data of a chunk.

use std::fmt::Write;

use crate::common::{compress, pipe, plain::Random};
use pzcomp::Encode;
use zstd_safe::{CCtx, CParameter};

/// The length of a chunk at level 3.
const CHUNK_LEN: usize = 1 << 20;

fn numbers(len: usize) -> Vec<u8> {
    let mut text = String::new();
    for row in 0_u64.. {
        if text.len() >= len {
            break;
        }
        let value = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        writeln!(text, "{row}\t{}.{:03}\t{}", value / 1000, value % 1000, 1_700_000_000 + 7 * row)
            .expect("a string grows");
    }
    text.truncate(len);
    text.into_bytes()
}

fn prose(len: usize) -> Vec<u8> {
    const WORDS: [&str; 8] =
        ["restore ", "three ", "morning ", "backup ", "the ", "of ", "administrator ", "disk "];
    let mut random = Random(7);
    let words = std::iter::repeat_with(|| WORDS[random.below(8) as usize].bytes());
    words.flatten().take(len).collect()
}

/// The frame of libzstd with its parameters of the level.
fn frame(chunk: &[u8], level: i32) -> Vec<u8> {
    let mut context = CCtx::create();
    for parameter in [CParameter::CompressionLevel(level), CParameter::ChecksumFlag(true)] {
        context.set_parameter(parameter).expect("libzstd has these parameters");
    }
    let mut coded = Vec::with_capacity(zstd_safe::compress_bound(chunk.len()));
    context.compress2(&mut coded, chunk).expect("there is room");
    coded
}

#[test]
fn tables_of_numbers_give_shorter_frames_and_other_data_those_of_libzstd() {
    let (table, text) = (numbers(3 * CHUNK_LEN), prose(3 * CHUNK_LEN));
    for level in [2, 3, 4] {
        let options = Encode::zstd(level).index(false).block_size(CHUNK_LEN);
        let of_data = options.clone().build().unwrap();
        let of_level = options.fixed_parameters(true).build().unwrap();
        let by_libzstd =
            |data: &[u8]| data.chunks(CHUNK_LEN).flat_map(|chunk| frame(chunk, level)).collect::<Vec<u8>>();

        assert_eq!(compress(&text, &of_data), by_libzstd(&text), "level {level}: text");
        assert_eq!(compress(&table, &of_level), by_libzstd(&table), "level {level}: the switch");
        let coded = compress(&table, &of_data);
        assert!(coded.len() < by_libzstd(&table).len(), "level {level}: {} bytes", coded.len());
        assert!(pipe("zstd -dcq", &coded) == table, "level {level}");
    }
}

#[test]
fn the_bytes_depend_on_the_chunk_alone() {
    let (table, text) = (numbers(CHUNK_LEN), prose(CHUNK_LEN));
    let chunks = [&table, &text, &table, &table, &text];
    let options = Encode::zstd(3).index(false);
    let one_by_one = chunks.map(|chunk| compress(chunk, &options.clone().build().unwrap())).concat();
    let together = chunks.map(|chunk| &chunk[..]).concat();
    for threads in [1, 4] {
        let options = options.clone().threads(threads).build().unwrap();
        assert!(compress(&together, &options) == one_by_one, "{threads} threads");
    }
}

#[test]
fn dictionaries_windows_and_named_parameters_leave_the_data_aside() {
    let table = numbers(2 * CHUNK_LEN);
    let options = Encode::zstd(3).index(false);
    let dictionary = pzcomp::Dictionary::new(table[..1000].to_vec()).unwrap();
    for options in [
        options.clone().dictionary(dictionary),
        options.clone().window_log(20).block_size(CHUNK_LEN),
        options.parameters([(pzcomp::ZstdParameter::MinMatch, 5)]),
    ] {
        let of_level = options.clone().fixed_parameters(true).build().unwrap();
        assert!(compress(&table, &options.build().unwrap()) == compress(&table, &of_level));
    }
}
