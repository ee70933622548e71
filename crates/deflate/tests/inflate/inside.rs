//! Decoding that begins inside a stream, at a block that the block finder has found.
//!
//! The streams come from zlib-rs. The decoder begins at each block that is found, without the window. With the markers
//! replaced, its output must be the rest of the plain data.

use super::common::text;
use super::resume::coded;
use super::{Boundary, Defect, Inflate, Output, Pause};
use pzcomp_deflate::inflate::{
    BlockFinder, Deferred, HEADER_MAX, Marked, Resolver, are_bytes, continue_with_bytes,
    continue_with_markers,
};

/// Decodes a stream up to a block that begins at this boundary. Returns the length of the output.
fn before(coded: &[u8], plain: &[u8], boundary: Boundary) -> usize {
    let mut memory = vec![0; plain.len() + 1000];
    let mut inflate = Inflate::<u8>::new();
    let mut output = Output::new(&mut memory, 0);
    inflate.run(coded, &mut output).unwrap();
    let at = output.filled();
    assert_eq!(inflate.boundary(), Some(boundary), "a block begins there");
    assert!(memory[..at] == plain[..at]);
    at
}

/// A stream, its plain data, and a block in it: its boundary, and where it begins in both.
fn inside() -> (Vec<u8>, Vec<u8>, Boundary, usize, usize) {
    let plain = text(700_000);
    let coded = coded(&plain, 6);
    let place = BlockFinder::default().find(&coded[1..]).unwrap() + 8;
    let (boundary, from) = Boundary::at(&coded, place);
    let at = before(&coded[..from], &plain, boundary);
    (plain, coded, boundary, from, at)
}

#[test]
fn blocks_are_found_and_decoded_without_what_is_before() {
    let plain = text(700_000);
    // Level 1 of zlib-rs has fixed blocks only.
    for level in [3, 6, 9] {
        let coded = coded(&plain, level);
        let (mut finder, mut resolver) = (BlockFinder::default(), Resolver::new());
        let (mut from, mut found) = (0, 0);
        while let Some(place) = finder.find(&coded[from + 1..]) {
            let (boundary, len) = Boundary::at(&coded[from + 1..], place);
            from += 1 + len;
            found += 1;
            let at = before(&coded[..from], &plain, boundary);
            let (mut stream, mut marked) = (Inflate::new(), Inflate::new());
            stream.reset_inside(boundary);
            continue_with_markers(&mut marked, &mut stream);
            let mut symbols = vec![Marked::default(); plain.len()];
            // As far as there is room, to go on as bytes from there.
            let room = (plain.len() - at).min(100_000);
            let mut output = Output::new(&mut symbols[..room], 0);
            let progress = marked.run(&coded[from..], &mut output).unwrap();
            let filled = output.filled();
            let symbols = &symbols[..filled];
            resolver.set(&plain[..at]);
            assert_eq!(resolver.known(symbols), symbols.len());
            let mut bytes = vec![0; symbols.len()];
            resolver.resolve(symbols, &mut bytes);
            assert!(bytes == plain[at..at + bytes.len()], "level {level}, from {from}");
            continue_with_bytes(&mut stream, &mut marked, Some(&resolver));
            bytes.resize(plain.len() - at + 1000, 0);
            let mut output = Output::new(&mut bytes, room);
            assert_eq!(stream.run(&coded[from + progress.read..], &mut output).unwrap().pause, Pause::End);
            let filled = output.filled();
            assert!(bytes[..filled] == plain[at..], "level {level}, from {from}, as bytes");
        }
        assert!(found >= 4, "level {level}: {found}");
    }
}

#[test]
fn nothing_is_found_where_a_header_might_be_cut_off() {
    let coded = coded(&text(300_000), 6);
    let mut finder = BlockFinder::default();
    let place = finder.find(&coded).unwrap();
    let end = place / 8 + 1 + HEADER_MAX;
    assert_eq!(finder.find(&coded[..end]), Some(place));
    for len in 0..end {
        assert_eq!(finder.find(&coded[..len]), None, "{len} of {end}");
    }
}

#[test]
fn little_looks_like_a_block_that_is_none() {
    let mut random = super::Random(1);
    let noise: Vec<u8> = std::iter::repeat_with(|| random.next() as u8).take(4 << 20).collect();
    assert_eq!(BlockFinder::default().find(&noise), None);
    for byte in [0, 0xff, 0xaa, 0x24] {
        assert_eq!(BlockFinder::default().find(&[byte; 100_000]), None, "{byte:#x}");
    }
}

#[test]
fn markers_before_the_beginning_stand_for_nothing() {
    let (plain, coded, boundary, from, at) = inside();
    let (mut stream, mut marked) = (Inflate::new(), Inflate::new());
    stream.reset_inside(boundary);
    continue_with_markers(&mut marked, &mut stream);
    let mut symbols = vec![Marked::default(); plain.len()];
    let mut output = Output::new(&mut symbols, 0);
    marked.run(&coded[from..], &mut output).unwrap();
    let filled = output.filled();
    let symbols = &symbols[..filled];
    assert!(!are_bytes(symbols));
    let mut resolver = Resolver::new();
    for len in [0, 1, 100, 5000] {
        resolver.set(&plain[at - len..at]);
        let known = resolver.known(symbols);
        assert!(known < symbols.len());
        let mut bytes = vec![0; known];
        resolver.resolve(&symbols[..known], &mut bytes);
        assert!(bytes == plain[at..at + known], "{len} before");
    }
}

#[test]
fn a_decoder_whose_stream_was_taken_over_has_ended() {
    let plain = text(100_000);
    let coded = coded(&plain, 6);
    let (mut stream, mut memory) = (Inflate::new(), vec![0; plain.len()]);
    let mut output = Output::new(&mut memory, 0);
    let read = stream.run(&coded[..1000], &mut output).unwrap().read;
    Deferred::new(1 << 20).take_over(&mut stream);
    let filled = output.filled();
    let progress = stream.run(&coded[read..], &mut output).unwrap();
    assert_eq!((progress.pause, output.filled()), (Pause::End, filled));
}

#[test]
fn what_comes_behind_markers_reaches_no_further_than_the_beginning() {
    let (plain, coded, boundary, from, at) = inside();
    let (mut stream, mut marked, mut resolver) = (Inflate::new(), Inflate::new(), Resolver::new());
    let mut symbols = vec![Marked::default(); plain.len()];
    for len in [100, 5000] {
        // What another stream left in the table must not be found there either.
        resolver.set(&plain[..at]);
        resolver.set(&plain[at - len..at]);
        let mut begin = |room: usize, symbols: &mut [Marked]| {
            stream.reset_inside(boundary);
            continue_with_markers(&mut marked, &mut stream);
            let mut output = Output::new(&mut symbols[..room], 0);
            marked.run(&coded[from..], &mut output).unwrap().read
        };
        begin(plain.len() - at, &mut symbols);
        let known = resolver.known(&symbols);
        assert!(known + len < 32 << 10, "{known} symbols");
        let read = begin(known, &mut symbols);
        continue_with_bytes(&mut stream, &mut marked, Some(&resolver));
        let mut bytes = vec![0; plain.len()];
        let mut output = Output::new(&mut bytes, 0);
        let invalid = stream.run(&coded[from + read..], &mut output).unwrap_err();
        assert_eq!((invalid.defect, output.filled()), (Defect::Distance, 0), "{len} before");
    }
}

/// Continues a stream at a block with [`Deferred`], and with bytes where that ends. `room` is how much output it gets
/// at a time, and `steps` how much input. Returns the output, and the defect if there is one.
fn deferred(
    (coded, boundary, window): (&[u8], Boundary, &[u8]),
    memory: usize,
    (room, steps): (usize, usize),
) -> (Vec<u8>, Option<Defect>) {
    let (mut stream, mut deferred) = (Inflate::new(), Deferred::new(memory));
    stream.reset_inside(boundary);
    deferred.take_over(&mut stream);
    let (mut read, mut plain, mut piece) = (0, Vec::new(), vec![0; room]);
    while read < coded.len() {
        let progress = deferred.run(&coded[read..coded.len().min(read + steps)]).unwrap();
        read += progress.read;
        if progress.pause != Pause::Input {
            break;
        }
    }
    stream.set_window(window);
    loop {
        let mut output = Output::new(&mut piece, 0);
        let done = deferred.put_out(&mut stream, &mut output);
        let filled = output.filled();
        plain.extend_from_slice(&piece[..filled]);
        match done {
            Ok(true) => break,
            Ok(false) => assert_eq!(filled, room),
            Err(defect) => return (plain, Some(defect)),
        }
    }
    loop {
        let mut output = Output::new(&mut piece, 0);
        let progress = stream.run(&coded[read..], &mut output).unwrap();
        let filled = output.filled();
        plain.extend_from_slice(&piece[..filled]);
        read += progress.read;
        if progress.pause == Pause::End {
            return (plain, None);
        }
    }
}

#[test]
fn deferred_copies_give_what_bytes_give() {
    let mut random = super::Random(7);
    let literals = std::iter::repeat_with(|| random.next() as u8 & 63).take(300_000).collect::<Vec<_>>();
    let zeros = [&text(200_000)[..], &vec![0; 300_000], &text(200_000)].concat();
    for (plain, level) in
        [(text(700_000), 6), (text(700_000), 9), ([literals, text(300_000)].concat(), 6), (zeros, 6)]
    {
        let coded = coded(&plain, level);
        let place = BlockFinder::default().find(&coded[1..]).unwrap() + 8;
        let (boundary, from) = Boundary::at(&coded, place);
        let at = before(&coded[..from], &plain, boundary);
        let inside = (&coded[from..], boundary, &plain[..at]);
        for memory in [0, 7, 8, 100, 1000, 70_000, 4 << 20] {
            for (room, steps) in [(1, 1 << 13), (300, 7), (10_000, 1 << 20), (1 << 20, 1 << 13)] {
                let (output, defect) = deferred(inside, memory, (room, steps));
                assert_eq!(defect, None);
                assert!(output == plain[at..], "{memory} bytes of memory, {room} of room, level {level}");
            }
        }
    }
}

#[test]
fn deferred_copies_reach_no_further_than_the_beginning() {
    let (plain, coded, boundary, from, at) = inside();
    let mut lens = Vec::new();
    for len in [0, 1, 100, 5000, 20_000] {
        let inside = (&coded[from..], boundary, &plain[at - len..at]);
        let outputs = [1, 1000, 1 << 20].map(|room| deferred(inside, 4 << 20, (room, 1 << 13)));
        for (output, defect) in &outputs {
            assert_eq!(*defect, Some(Defect::Distance), "{len} before");
            assert!(output == &outputs[0].0 && output[..] == plain[at..at + output.len()], "{len} before");
        }
        lens.push(outputs[0].0.len());
    }
    assert!(lens.is_sorted(), "{lens:?}");
}
