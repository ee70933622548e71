//! Input and output in steps of any length, and windows across pieces.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::super::Symbol;
use super::writer::Writer;
use super::*;

fn coded(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// Text with matches near and far.
fn text(len: usize) -> Vec<u8> {
    let mut random = Random(len as u64);
    let mut text = Vec::with_capacity(len + 100);
    while text.len() < len {
        let line = format!("{}\tthe {}th of {}\n", text.len(), random.below(40), random.next() % 1000);
        text.extend_from_slice(line.as_bytes());
    }
    text.truncate(len);
    text
}

#[test]
fn a_small_stream_cut_at_every_byte_and_into_every_length() {
    let mut inflate = Inflate::new();
    for (len, level) in [(1, 6), (700, 0), (700, 1), (1500, 9)] {
        let coded = coded(&text(len), level);
        for step in 1..coded.len() + 1 {
            compare_steps(&mut inflate, &coded, step, 1 + step % 5);
            compare_steps(&mut inflate, &coded, step, 1000);
        }
        for piece_len in 1..len + 2 {
            compare_steps(&mut inflate, &coded, usize::MAX, piece_len);
            compare_steps(&mut inflate, &coded, 1 + piece_len % 7, piece_len);
        }
    }
}

#[test]
fn what_follows_a_stream_is_not_read() {
    let mut inflate = Inflate::new();
    for len in 0..200 {
        let plain = text(len);
        let body = coded(&plain, 6);
        for tail in [1, 8, 100] {
            let both = [&body[..], &vec![0xff; tail]].concat();
            for step in [1, 2, 3, 7, 8, 9, usize::MAX] {
                let (found, verdict, _) = ours(&mut inflate, &both, step, plain.len().max(1));
                assert!(found == plain);
                assert_eq!(verdict, Verdict::End(body.len()), "{len} bytes, steps of {step}");
            }
        }
    }
}

#[test]
fn a_stream_that_fills_the_memory_ends_with_it() {
    let mut inflate: Inflate = Inflate::new();
    for len in [1, 100, 5000] {
        let (plain, mut memory) = (text(len), vec![0; len]);
        let body = coded(&plain, 6);
        inflate.reset();
        let mut output = Output::new(&mut memory, 0);
        let progress = inflate.run(&body, &mut output).unwrap();
        assert_eq!((progress.read, progress.pause), (body.len(), Pause::End));
        assert_eq!(memory, plain);
    }
}

#[test]
fn matches_reach_a_whole_window_back_across_pieces() {
    let plain = text(40_000);
    let start: Vec<u8> = plain[..super::super::WINDOW_LEN].to_vec();
    let mut writer = Writer::new().stored(false, &start).fixed(true);
    for _ in 0..200 {
        // 32,768 back, and 258 long.
        writer = writer.symbol(285).distance(29).bits(8191, 13);
    }
    let coded = writer.end().finish();
    let mut inflate = Inflate::new();
    for piece_len in [1, 100, 1000, 32_767, 32_768, 32_769, 33_000, 65_536, 70_000] {
        compare_steps(&mut inflate, &coded, usize::MAX, piece_len);
        compare_steps(&mut inflate, &coded, 1 + piece_len % 1000, piece_len);
    }
}

#[test]
fn pieces_of_all_lengths_about_the_window() {
    let plain = text(300_000);
    let mut inflate = Inflate::new();
    for level in [1, 6, 9] {
        let coded = coded(&plain, level);
        for piece_len in [300, 4096, 30_000, 32_768, 50_000, 65_537, 100_000, 300_000] {
            for step in [13, 1000, 20_000, usize::MAX] {
                compare_steps(&mut inflate, &coded, step, piece_len);
            }
        }
    }
}

#[test]
fn a_decoder_is_as_new_after_any_stream() {
    let mut inflate = Inflate::new();
    let whole = coded(&text(3000), 6);
    let fixed = Writer::new().fixed(true).text(b"fixed").end().finish();
    for cut in 0..whole.len() {
        ours(&mut inflate, &whole[..cut], usize::MAX, 500);
        compare(&mut inflate, &fixed);
        compare(&mut inflate, &whole);
    }
}

/// A symbol that is not a byte.
impl Symbol for u16 {
    fn literal(byte: u8) -> Self {
        0x100 | Self::from(byte)
    }
}

#[test]
fn symbols_need_not_be_bytes() {
    let plain = [text(50_000), vec![7; 5000], b"abc".repeat(1000), text(50_000)].concat();
    let mut inflate = Inflate::<u16>::new();
    let mut memory = vec![0; 40_000];
    for level in [0, 1, 6] {
        let coded = coded(&plain, level);
        inflate.reset();
        let (mut symbols, mut at) = (Vec::new(), 0);
        loop {
            let mut output = Output::new(&mut memory, 0);
            let progress = inflate.run(&coded[at..], &mut output).unwrap();
            symbols.extend_from_slice(&output.memory[..output.filled]);
            at += progress.read;
            if progress.pause == Pause::End {
                break;
            }
        }
        assert!(symbols.iter().copied().eq(plain.iter().map(|&byte| u16::literal(byte))));
    }
}
