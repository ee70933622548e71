//! Input and output in steps of any length, and matches across pieces.
//!
//! The decoder stops and continues at any place, also at a flush inside the stream. The output must be that of one
//! call. The function that makes streams serves the other files of this folder too.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, FlushCompress};

use super::common::text;
use super::writer::Writer;
use super::*;
use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
use pzcomp_deflate::inflate::{Invalid, Marked, WINDOW_LEN};

pub(super) fn coded(plain: &[u8], level: u32) -> Vec<u8> {
    if cfg!(miri) {
        // The encoder of zlib-rs 0.6.8 frees itself while it is borrowed, which Miri refuses.
        let mut coded = vec![0; coded_bound(plain.len())];
        let len = Encoder::new(Search::Quick).encode(plain, &mut coded, End::Final).unwrap();
        coded.truncate(len);
        return coded;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
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
    let start: Vec<u8> = plain[..WINDOW_LEN].to_vec();
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

/// Decodes from inside a stream, where a block begins with a whole byte, in steps and pieces. The decoder gets the
/// window `before` when it asks. Returns the output, and whether it asked.
fn inside(coded: &[u8], before: &[u8], step: usize, piece_len: usize) -> Result<(Vec<u8>, bool), Invalid> {
    let mut inflate = Inflate::new();
    inflate.reset_inside(Boundary::WHOLE_BYTE);
    let (mut plain, mut asked) = (Vec::new(), false);
    let mut piece = vec![0xa5; piece_len];
    let (mut at, mut filled) = (0, 0);
    loop {
        let end = coded.len().min(step.saturating_add(at));
        let mut output = Output::new(&mut piece, filled);
        let progress = inflate.run(&coded[at..end], &mut output)?;
        let end = output.filled();
        plain.extend_from_slice(&piece[filled..end]);
        filled = end % piece_len;
        at += progress.read;
        match progress.pause {
            Pause::End => return Ok((plain, asked)),
            Pause::Window => {
                assert!(!asked, "it has been told");
                asked = true;
                inflate.set_window(before);
            }
            Pause::Input | Pause::Output => assert!(at < coded.len() || progress.pause == Pause::Output),
        }
    }
}

/// A stream that is flushed after each of these parts, and where what follows a part begins.
fn flushed(parts: &[Vec<u8>], flush: FlushCompress) -> (Vec<u8>, Vec<usize>) {
    let mut encoder = Compress::new(Compression::new(6), false);
    let mut coded = Vec::with_capacity(4 * parts.concat().len() + 1000);
    let mut ends = Vec::new();
    for part in parts {
        encoder.compress_vec(part, &mut coded, flush).unwrap();
        ends.push(coded.len());
    }
    encoder.compress_vec(&[], &mut coded, FlushCompress::Finish).unwrap();
    (coded, ends)
}

#[test]
fn a_stream_can_be_taken_up_where_it_was_flushed() {
    let parts: Vec<Vec<u8>> = [3000, 100, 70_000, 31_000, 1, 40_000].map(text).to_vec();
    let plain = parts.concat();
    for (flush, refers) in [(FlushCompress::Sync, true), (FlushCompress::Full, false)] {
        let (coded, ends) = flushed(&parts, flush);
        let mut at = 0;
        for (part, end) in parts.iter().zip(ends) {
            at += part.len();
            let before = &plain[at.saturating_sub(WINDOW_LEN)..at];
            for (step, piece_len) in
                [(usize::MAX, plain.len() + 1000), (1, 1000), (777, 40_000), (5000, 3), (100_000, 32_768)]
            {
                let (found, asked) = inside(&coded[end..], before, step, piece_len).unwrap();
                assert!(found == plain[at..], "from {at}, steps of {step}, pieces of {piece_len}");
                assert_eq!(asked, refers && at < plain.len(), "from {at}");
            }
        }
    }
}

#[test]
fn nothing_is_before_what_was_before() {
    // Three literals, and a match ten back.
    let coded = Writer::new().fixed(true).text(b"abc").symbol(257).distance(6).bits(1, 2).end().finish();
    let (plain, asked) = inside(&coded, b"0123456789", usize::MAX, 100).unwrap();
    assert!(asked);
    assert_eq!(plain, b"abc345");
    for len in 0..7 {
        let error = inside(&coded, &b"0123456"[..len], usize::MAX, 100).unwrap_err();
        assert_eq!(error.defect, Defect::Distance, "{len} before");
    }
    assert_eq!(inside(&coded, b"0123456", 1, 1).unwrap().0, b"abc012");
}

#[test]
fn it_is_known_where_blocks_end_with_a_byte() {
    let (coded, ends) = flushed(&[text(500), text(300)], FlushCompress::Sync);
    let (mut inflate, mut memory) = (Inflate::<u8>::new(), vec![0; 1000]);
    for end in 0..coded.len() {
        inflate.reset();
        inflate.run(&coded[..end], &mut Output::new(&mut memory, 0)).unwrap();
        // An empty block is four bytes, behind the byte with its header.
        let expected = end == 0 || ends.contains(&end);
        assert_eq!(inflate.boundary() == Some(Boundary::WHOLE_BYTE), expected, "after {end} bytes");
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

#[test]
fn symbols_need_not_be_bytes() {
    let plain = [text(50_000), vec![7; 5000], b"abc".repeat(1000), text(50_000)].concat();
    let mut inflate = Inflate::<Marked>::new();
    let mut memory = vec![Marked::default(); 40_000];
    for level in [0, 1, 6] {
        let coded = coded(&plain, level);
        inflate.reset();
        let (mut symbols, mut at) = (Vec::new(), 0);
        loop {
            let mut output = Output::new(&mut memory, 0);
            let progress = inflate.run(&coded[at..], &mut output).unwrap();
            let filled = output.filled();
            symbols.extend_from_slice(&memory[..filled]);
            at += progress.read;
            if progress.pause == Pause::End {
                break;
            }
        }
        assert!(symbols.iter().map(|symbol| symbol.byte()).eq(plain.iter().map(|&byte| Some(byte))));
    }
}
