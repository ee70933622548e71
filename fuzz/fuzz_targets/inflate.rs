//! Any bytes as a DEFLATE stream: the verdict and the bytes of zlib, in steps of any length, and beside another stream.
//! The build without unsafe loops does the same.
//!
//! The input has four bytes and a stream. The bytes say how long the steps and the pieces are, where the second stream
//! begins, and how both are decoded.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../crates/deflate/tests/compare/mod.rs"]
mod compare;

use compare::{assert_as_alone, compare_steps};
use libfuzzer_sys::fuzz_target;
use pzcomp_deflate::inflate::Inflate;

/// A length. Short and long lengths are equally likely.
fn length(byte: u8) -> usize {
    match byte {
        0xff => 1 << 20,
        byte => usize::from(byte % 16 + 1) << (byte / 16),
    }
}

/// Asserts that two streams decoded at once have the same outcome as each alone.
fn pair(streams: [&[u8]; 2], steps: [usize; 2], pieces: [usize; 2]) {
    assert_as_alone(streams, steps, pieces, "two streams at once");
}

/// What a build of the decoder makes of a stream: in pieces of this length, with its copies deferred, and from a block
/// inside of it, without the window. These are the results and the bytes. How far the input was read before a defect
/// was seen depends on the build.
#[cfg(fuzzing)]
macro_rules! outcome {
    ($deflate:ident, $coded:expr, $piece_len:expr) => {{
        use $deflate::inflate::{
            BlockFinder, Boundary, Deferred, Inflate, Marked, Output, Pause, Resolver, WINDOW_LEN,
            continue_with_markers,
        };
        let (coded, piece_len): (&[u8], usize) = ($coded, $piece_len);
        let (mut results, mut plain) = (Vec::new(), Vec::new());
        let (mut inflate, mut piece, mut read) = (Inflate::<u8>::new(), vec![0; piece_len], 0);
        loop {
            let mut output = Output::new(&mut piece, 0);
            let result = inflate.run(&coded[read..], &mut output);
            let filled = output.filled();
            plain.extend_from_slice(&piece[..filled]);
            results.push(format!("{:?}", result.map_err(|invalid| invalid.defect)));
            match result {
                Ok(progress) if progress.pause == Pause::Output => read += progress.read,
                _ => break,
            }
        }
        let (mut stream, mut deferred) = (Inflate::new(), Deferred::new(piece_len));
        deferred.take_over(&mut stream);
        results.push(format!("{:?}", deferred.run(coded).map_err(|invalid| invalid.defect)));
        let mut memory = vec![0; 1 << 20];
        let mut output = Output::new(&mut memory, 0);
        results.push(format!("{:?}", deferred.put_out(&mut stream, &mut output)));
        let filled = output.filled();
        plain.extend_from_slice(&memory[..filled]);
        if let Some(place) = BlockFinder::default().find(coded) {
            let (boundary, from) = Boundary::at(coded, place);
            let (mut stream, mut marked) = (Inflate::new(), Inflate::new());
            stream.reset_inside(boundary);
            continue_with_markers(&mut marked, &mut stream);
            let mut symbols = vec![Marked::default(); 1 << 18];
            let mut output = Output::new(&mut symbols, 0);
            let result = marked.run(&coded[from..], &mut output).map_err(|invalid| invalid.defect);
            results.push(format!("{place}: {result:?}"));
            let filled = output.filled();
            let mut resolver = Resolver::new();
            resolver.set(&Vec::from_iter((0..WINDOW_LEN).map(|at| (at * at >> 5) as u8)));
            memory.truncate(filled);
            resolver.resolve(&symbols[..filled], &mut memory);
            plain.append(&mut memory);
        }
        (results, plain)
    }};
}

fuzz_target!(|data: &[u8]| {
    let Some((&[step, piece, split, how], coded)) = data.split_first_chunk() else { return };
    // The output is up to a thousand times as long as the input. Very short pieces would take too long.
    let (step, piece_len) = (length(step), length(piece).max(coded.len() / 64));
    let (first, second) = coded.split_at(coded.len() * usize::from(split) / 256);
    match how % 4 {
        0 => compare_steps(&mut Inflate::new(), coded, step, piece_len),
        // With room, where the loop for two streams runs, and in pieces.
        1 => pair([coded, second], [usize::MAX; 2], [64 << 10; 2]),
        2 => pair([second, coded], [step, usize::MAX], [piece_len, 3333]),
        _ => pair([first, second], [usize::MAX, step], [40_000, piece_len]),
    }
    #[cfg(fuzzing)]
    if how & 4 != 0 {
        let fast = outcome!(pzcomp_deflate, coded, piece_len);
        let safe = outcome!(pzcomp_deflate_safe, coded, piece_len);
        assert_eq!(fast.0, safe.0);
        assert!(fast == safe);
    }
});
