//! One bzip2 stream around all blocks: what readers get that stop after the first stream.
//!
//! bzip2, Python and others read what we write with `Layout::Single`; `decoded_by` demands that they find nothing
//! wrong. Add data to `inputs`, or a reader to the list of the first test.

use crate::common::{Dribble, compress, compress_with, decompress, plain, run};
use pzcomp::{Encode, Format, Layout, Member};

fn options(level: i32, threads: usize) -> Encode {
    let layout = Layout::Single(Member::default());
    encode!(Encode::builder(Format::Bzip2), level: level, threads, layout)
}

/// What a tool makes of coded data; it must find nothing wrong.
fn decoded_by(tool: &str, coded: &[u8]) -> Vec<u8> {
    let output = run(tool, coded);
    assert!(output.status.success() && output.stderr.is_empty(), "{tool}: {output:?}");
    output.stdout
}

/// Data of which blocks of all lengths in bits are made, and more than one of a chunk.
fn inputs() -> Vec<Vec<u8>> {
    let fours = (0..500_000_u32).map(|at| (at / 4).wrapping_mul(0x9e37_79b9).to_be_bytes()[0]);
    let mixed = [plain::text(150_000), vec![7; 300_000], plain::random(120_000), plain::text(9)].concat();
    let mut inputs = vec![Vec::new(), b"x".to_vec(), fours.collect(), mixed, plain::random(1_000_000)];
    inputs.extend((0..24).map(|at| plain::text(99_500 + 11 * at)));
    inputs
}

#[test]
fn all_readers_read_it() {
    for input in inputs() {
        for level in [1, 9] {
            let coded = compress(&input, &options(level, 3));
            assert!(decompress(&coded).unwrap() == input, "{} bytes, -{level}", input.len());
            for tool in ["bzip2 -dc", "lbzip2 -dc", "pbzip2 -dc"] {
                assert!(decoded_by(tool, &coded) == input, "{tool}, {} bytes, -{level}", input.len());
            }
        }
    }
}

/// Python's decompressor ends with the stream and says what is left.
#[test]
fn the_first_stream_is_all_there_is() {
    let reader = "python3 -c '
import bz2, sys
first = bz2.BZ2Decompressor()
sys.stdout.buffer.write(first.decompress(sys.stdin.buffer.read()))
sys.exit(len(first.unused_data) != 0 or not first.eof)'";
    for input in inputs() {
        assert!(decoded_by(reader, &compress(&input, &options(1, 2))) == input, "{} bytes", input.len());
    }
}

#[test]
fn it_is_no_longer_than_what_bzip2_makes() {
    let input = plain::text(3_000_000);
    let theirs = decoded_by("bzip2 -c", &input).len();
    let ours = compress(&input, &options(9, 2)).len();
    assert!(ours < theirs + theirs / 1000 + 20, "{ours} against {theirs} bytes");
    assert_eq!(compress(b"", &options(9, 1)), decoded_by("bzip2 -c", b""));
}

#[test]
fn threads_and_the_pace_of_the_input_change_nothing() {
    let input = plain::text(700_000);
    let expected = compress(&input, &options(1, 1));
    for threads in [2, 3] {
        for step in [777, 100_001] {
            let (coded, _) = compress_with(Dribble::new(&input, step), &options(1, threads)).unwrap();
            assert!(coded == expected, "{threads} threads, steps of {step}");
        }
    }
    let by_content = encode!(options(1, 2), rsyncable: true);
    assert!(decompress(&compress(&input, &by_content)).unwrap() == input);
    let in_long_chunks = encode!(options(1, 2), block_size: 500_000);
    assert!(decompress(&compress(&input, &in_long_chunks)).unwrap() == input);
}
