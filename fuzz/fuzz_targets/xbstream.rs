//! An xbstream of any bytes, or of chunks in any order: the same verdict and the same bytes on any number of threads.
//!
//! Chunks are made of files with known data. A stream that has each chunk of each file in order, and its end, must give
//! the plain files.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../tests/common/qpress.rs"]
#[allow(dead_code)] // The tests use all of it.
mod streams;

use std::sync::LazyLock;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pzcomp::{Decode, Encode, Format, Input, Output};
use pzcomp_fuzz::Damage;
use streams::{archive, chunk, end, files};

/// A file of a stream: its path, its bytes there, and the path and the bytes of the plain file.
struct File {
    path: &'static str,
    coded: Vec<u8>,
    plain_path: &'static str,
    plain: Vec<u8>,
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let plain: Vec<u8> = (0..3000_u32).flat_map(|number| (number / 7 * number % 251).to_le_bytes()).collect();
    let options = |format| Encode::builder(format).block_size(4096).build().unwrap();
    let coded = |format| pzcomp::compress(&plain, &options(format)).unwrap();
    let file = |path, coded: Vec<u8>, plain_path| File { path, coded, plain_path, plain: plain.clone() };
    vec![
        file("a.qp", archive(&plain, 1, 4096), "a"),
        file("folder/b.zst", coded(Format::Zstd), "folder/b"),
        file("c.lz4", coded(Format::Lz4), "c"),
        file("plain", plain.clone(), "plain"),
        file("a", plain.clone(), "a"),
    ]
});

#[derive(Arbitrary, Debug)]
enum Then {
    /// A chunk with the next bytes of the file.
    Next,
    /// These bytes do not come.
    Skip,
    /// These bytes come, and will come again.
    Again,
    End,
}

#[derive(Arbitrary, Debug)]
struct Step {
    file: u8,
    len: u16,
    then: Then,
}

#[derive(Arbitrary, Debug)]
enum Case<'a> {
    Bytes { bytes: &'a [u8] },
    Made { steps: Vec<Step>, is_finished: bool, damage: [Option<Damage>; 3] },
}

/// A file while its chunks are written.
#[derive(Clone, Copy, Default)]
struct State {
    /// Where the next chunk begins, and how many bytes have come.
    place: usize,
    sent: usize,
    is_begun: bool,
    is_ended: bool,
}

/// The stream of these steps. If it is right, also the plain files.
#[allow(clippy::type_complexity)]
fn made(steps: &[Step], is_finished: bool) -> (Vec<u8>, Option<Vec<(String, Vec<u8>)>>) {
    let (mut stream, mut is_right) = (Vec::new(), true);
    let mut states = [State::default(); 5];
    let mut put = |number: usize, state: &mut State, len: usize| {
        let file = &FILES[number];
        let until = file.coded.len().min(state.place + len);
        stream.extend(chunk(file.path, state.place, &file.coded[state.place..until]));
        is_right &= state.place == state.sent && !state.is_ended;
        (state.sent, state.is_begun) = (until, true);
        until
    };
    let mut ends = Vec::new();
    for Step { file, len, then } in steps.iter().take(200) {
        let number = usize::from(*file) % FILES.len();
        let state = &mut states[number];
        match then {
            Then::Next => state.place = put(number, state, usize::from(*len)),
            Then::Again => drop(put(number, state, usize::from(*len))),
            Then::Skip => state.place = FILES[number].coded.len().min(state.place + usize::from(*len)),
            Then::End => ends.push(number),
        }
    }
    let is_finished = is_finished || ends.len() == FILES.len();
    for number in 0..FILES.len() {
        let state = &mut states[number];
        if is_finished && state.is_begun {
            put(number, state, FILES[number].coded.len());
        }
    }
    for (number, state) in states.iter_mut().enumerate() {
        if state.is_begun && (is_finished || ends.contains(&number)) {
            stream.extend(end(FILES[number].path));
            state.is_ended = true;
        }
    }
    let mut plain = Vec::new();
    for (file, state) in FILES.iter().zip(states).filter(|(_, state)| state.is_begun) {
        // Files that are not compressed may be of any length.
        let is_plain = file.path == file.plain_path;
        is_right &= state.is_ended && (is_plain || state.sent == file.coded.len());
        let content = if is_plain { file.coded[..state.sent].to_vec() } else { file.plain.clone() };
        plain.push((file.plain_path.to_owned(), content));
    }
    plain.sort();
    // The first and the last file have one plain path. A stream without a chunk is none.
    let are_one_path = states[0].is_begun && states[4].is_begun;
    is_right &= !stream.is_empty() && !are_one_path;
    (stream, is_right.then_some(plain))
}

fn decompress(stream: &[u8], threads: usize) -> (Vec<u8>, Result<(), String>) {
    let options = Decode::builder().threads(threads).build().unwrap();
    let mut back = Vec::new();
    let output = Output::Writer(Box::new(&mut back));
    let result = pzcomp::xbstream::decompress(Input::Memory(stream), output, &options);
    (back, result.map(drop).map_err(|error| pzcomp_fuzz::message(&error)))
}

/// Asserts that threads make no difference. Returns the output on one thread, if the stream is right.
fn compare(stream: &[u8]) -> Option<Vec<u8>> {
    let (alone, several) = (decompress(stream, 1), decompress(stream, 3));
    assert_eq!(alone.1, several.1);
    assert!(alone.1.is_err() || alone.0 == several.0, "other bytes on three threads");
    assert!(alone.1.is_ok() || files(&alone.0).is_none(), "an output that passes for a whole stream");
    alone.1.is_ok().then_some(alone.0)
}

fuzz_target!(|case: Case| match case {
    Case::Bytes { bytes } => {
        compare(bytes);
    }
    Case::Made { steps, is_finished, damage } => {
        let (mut stream, plain) = made(&steps, is_finished);
        let back = compare(&stream);
        assert_eq!(back.is_some(), plain.is_some());
        if let (Some(back), Some(plain)) = (back, plain) {
            let mut found = files(&back).expect("the output is a stream");
            found.sort();
            assert!(found == plain, "other files");
        }
        if damage.iter().flatten().next().is_some() {
            damage.iter().flatten().for_each(|damage| damage.apply(&mut stream));
            compare(&stream);
        }
    }
});
