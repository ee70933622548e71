//! One gzip member around all chunks: what readers get that stop after the first member.
//!
//! The peers are flate2, which stops there, and gzip. `first_member` reads as such a reader does. Add data to `inputs`,
//! which has lengths around those of chunks.

use std::io::Read;

use crate::common::plain;
use crate::common::{Dribble, compress, decoded, pipe};
use pzcomp::{Compress, Decode, Encode, Format, Input, Layout, Member};

fn options(level: i32, threads: usize) -> Encode {
    let layout = Layout::Single(Member::default());
    encode!(Encode::builder(Format::Gzip), level: level, threads, block_size: 8192, layout)
}

/// The first member, and what is behind it.
fn first_member(coded: &[u8]) -> (Vec<u8>, usize) {
    let mut decoder = flate2::bufread::GzDecoder::new(coded);
    let mut plain = Vec::new();
    decoder.read_to_end(&mut plain).unwrap();
    (plain, decoder.into_inner().len())
}

/// Whatever makes blocks of different kinds, of lengths around the chunk's and its multiples.
fn inputs() -> Vec<Vec<u8>> {
    let mixed = [plain::text(20_000), plain::random(20_000), vec![0; 20_000], plain::text(9_000)].concat();
    let lens = [0, 1, 8191, 8192, 8193, 16_383, 16_384, 16_385, 40_000, mixed.len()];
    let of_all = |data: &Vec<u8>| lens.map(|len| data[..len.min(data.len())].to_vec());
    [mixed, plain::random(65_536), vec![b'a'; 65_536], plain::text(65_536)].iter().flat_map(of_all).collect()
}

#[test]
fn the_first_member_is_all_there_is() {
    for level in 1..=12 {
        for input in inputs() {
            let coded = compress(&input, &options(level, 3));
            let (plain, rest) = first_member(&coded);
            assert!(plain == input && rest == 0, "-{level}, {} bytes", input.len());
        }
    }
}

#[test]
fn what_fits_a_chunk_is_as_short_as_any_member() {
    let input = plain::text(8000);
    let coded = compress(&input, &options(6, 1));
    // The header without a name has ten bytes, ours of a member with its size twenty.
    let members = encode!(options(6, 1), layout: Layout::Frames, index: false);
    assert_eq!(coded.len() + 10, compress(&input, &members).len());
    assert_eq!(compress(b"", &options(6, 1)).len(), 20);
}

#[test]
fn headers_are_those_of_gzip() {
    let member = with!(Member { name: Some(b"dump.sql".to_vec()), modified: 0x0102_0304, comment: None });
    let coded = compress(b"x", &encode!(options(9, 1), layout: Layout::Single(member)));
    assert_eq!(coded[..10], [0x1f, 0x8b, 8, 8, 4, 3, 2, 1, 2, 3]);
    assert_eq!(coded[10..19], *b"dump.sql\0");
    assert_eq!(compress(b"x", &options(6, 1))[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
}

#[test]
fn threads_and_reads_change_nothing() {
    let input = plain::text(100_000);
    let coded = compress(&input, &options(6, 1));
    for threads in [2, 5] {
        assert!(compress(&input, &options(6, threads)) == coded);
    }
    let mut dribbled = Vec::new();
    Compress::new(&options(6, 2)).run(Input::reader(Dribble::new(&input, 777)), &mut dribbled).unwrap();
    assert!(dribbled == coded);
}

#[test]
fn it_counts_as_one_frame() {
    let input = plain::text(100_000);
    let mut coded = Vec::new();
    let summary = Compress::new(&options(6, 2)).run(Input::reader(&input[..]), &mut coded).unwrap();
    assert_eq!((summary.frames, summary.plain_len, summary.coded_len), (1, 100_000, coded.len() as u64));
    let (plain, summary) = decoded(&coded[..], &Decode::default());
    let summary = summary.unwrap();
    assert_eq!((summary.frames, plain == input), (1, true));
}

#[test]
fn gzip_itself_finds_nothing_wrong() {
    for input in inputs() {
        let coded = compress(&input, &options(6, 2));
        assert!(pipe("gzip -dc", &coded) == input, "{} bytes", input.len());
    }
}

#[test]
fn other_formats_have_no_names() {
    let member = with!(Member { name: Some(b"dump".to_vec()), ..Member::default() });
    let error = Encode::bzip2(1).member(member).build().unwrap_err();
    assert!(
        error.to_string().starts_with("bzip2 cannot be written with a file name or a modification time"),
        "{error}"
    );
}
