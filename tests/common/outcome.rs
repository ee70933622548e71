//! What comes of coded data on any number of threads, from anywhere.
//!
//! `is_decoded` demands the data on 1 to 8 threads, and from a reader, memory and a file. `is_refused` demands an
//! error, and that threads change neither it nor the bytes before it.

use std::io::{Seek, Write};

use pzcomp::{Decode, Decompress, Error, Input, Output};

use super::{Dribble, is_exhaustive};

/// What came of a stream: the output, and the error if there was one.
pub type Outcome = (Vec<u8>, Result<(), Error>);

pub fn dribbled(coded: &[u8], threads: usize, step: usize) -> Outcome {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let result = Decompress::new(&options).run(Input::reader(Dribble::new(coded, step)), &mut back);
    (back, result.map(drop))
}

pub fn from_memory(coded: &[u8], threads: usize) -> Outcome {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let output = Output::Writer(Box::new(&mut back));
    let result = Decompress::new(&options).run(Input::Memory(coded), output);
    (back, result.map(drop))
}

pub fn from_file(coded: &[u8], threads: usize) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(coded).unwrap();
    file.rewind().unwrap();
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let output = Output::Writer(Box::new(&mut back));
    let result = Decompress::new(&options).run(Input::from_file(&file).unwrap(), output);
    (back, result.map(drop))
}

type Decoding = fn(&[u8], usize) -> Outcome;

/// Where coded data can come from, and the numbers of threads that always decode from there. `PZCOMP_EXHAUSTIVE` has
/// all numbers everywhere. Each place has one thread, which takes a path of its own, and several.
const PLACES: [(&str, Decoding, &[usize]); 3] = [
    (
        "a reader",
        |coded, threads| dribbled(coded, threads, [usize::MAX, 70_000, 1777, 300_000][threads % 4]),
        &[1, 2, 3, 8],
    ),
    ("memory", from_memory, &[1, 8]),
    ("a file", from_file, &[1, 3]),
];

/// Asserts that a stream is decoded to `plain` on any number of threads, and from anywhere.
pub fn is_decoded(coded: &[u8], plain: &[u8], what: &str) {
    for (from, decode, some) in PLACES {
        for threads in [1, 2, 3, 8] {
            if some.contains(&threads) || is_exhaustive() {
                let (back, result) = decode(coded, threads);
                assert!(result.is_ok(), "{what} from {from} on {threads} threads: {result:?}");
                assert!(back == plain, "{what} from {from} on {threads} threads: {} bytes", back.len());
            }
        }
    }
}

/// Asserts that there is an error, and that threads make no difference to it or to the bytes before it.
pub fn is_refused(coded: &[u8], what: &str) -> (Vec<u8>, Error) {
    let told = |result: &Result<(), Error>| match result {
        Ok(()) => panic!("{what}: no error"),
        Err(error) => error.to_string(),
    };
    let (back, result) = dribbled(coded, 1, usize::MAX);
    for (threads, step) in [(2, usize::MAX), (3, 70_000)] {
        let several = dribbled(coded, threads, step);
        assert_eq!(told(&several.1), told(&result), "{what} on {threads} threads");
        assert!(several.0 == back, "{what}: {} bytes on {threads} threads, {}", several.0.len(), back.len());
    }
    let alone = from_memory(coded, 1);
    let several = from_memory(coded, 3);
    assert_eq!(told(&several.1), told(&alone.1), "{what} from memory");
    assert!(several.0 == alone.0 && back == alone.0, "{what} from memory: {} bytes", several.0.len());
    (back, result.unwrap_err())
}
