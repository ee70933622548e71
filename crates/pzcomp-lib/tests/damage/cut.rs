//! What is written of a zstd frame that the input cuts off, or that does not decode, with and without pauses of the
//! input and on any number of threads. `held.rs` damages frames that carry a check.
//!
//! There is no peer. A `Reader` reads only when all that can be decoded is out, so each of its reads is a pause. To add
//! a case, add a command that writes one frame.

use std::io::Read;

use crate::common::outcome::{dribbled, from_file, from_memory};
use crate::common::{Dribble, pipe, plain};
use pzcomp::{Decode, Error, Reader};

/// The output, and the error if there was one. The input pauses behind each `step` bytes.
fn with_pauses(coded: &[u8], threads: usize, step: usize) -> (Vec<u8>, Option<String>) {
    let mut reader = Reader::new(Dribble::new(coded, step), decode!(Decode::builder(), threads)).unwrap();
    let mut back = Vec::new();
    let result = reader.read_to_end(&mut back);
    (back, result.err().map(|error| error.to_string()))
}

/// Asserts that all ways of reading have the same outcome, and returns it.
fn outcome(what: &str, coded: &[u8]) -> (Vec<u8>, Option<Error>) {
    let (expected, result) = from_memory(coded, 1);
    let verdict = result.err();
    let told = verdict.as_ref().map(ToString::to_string);
    for threads in [1, 2, 4] {
        let ways =
            [("a file", from_file(coded, threads)), ("a reader", dribbled(coded, threads, usize::MAX))];
        let ways =
            ways.map(|(from, (back, result))| (from, back, result.err().map(|error| error.to_string())));
        let pauses = [2, 7].map(|count| {
            let (back, error) = with_pauses(coded, threads, coded.len() / count + 1);
            ("a reader with pauses", back, error)
        });
        for (from, back, error) in ways.into_iter().chain(pauses) {
            let context = format!("{what}, from {from} on {threads} threads");
            assert_eq!(error, told, "{context}");
            assert!(back == expected, "{context}: {} bytes, {} from memory", back.len(), expected.len());
        }
    }
    (expected, verdict)
}

/// Cuts a frame at several places, and returns how much is written in each case.
fn written(command: &str, plain: &[u8]) -> Vec<usize> {
    let coded = pipe(command, plain);
    let cut = |end: usize| {
        let what = format!("{command} cut at {end}");
        let (back, error) = outcome(&what, &coded[..end]);
        assert!(matches!(error, Some(Error::Truncated { .. })), "{what}: {error:?}");
        assert!(plain.starts_with(&back), "{what}: wrong bytes");
        back.len()
    };
    [20, coded.len() / 2, coded.len() - 1].map(cut).to_vec()
}

#[test]
fn pauses_make_no_difference_to_a_cut_frame_that_states_no_length() {
    let plain = plain::text(400_000);
    assert_eq!(written("zstd -q --no-check", &plain), [0, 1 << 17, 3 << 17]);
    assert_eq!(written("zstd -q", &plain), [0, 1 << 17, plain.len()]);
}

#[test]
fn nothing_is_written_of_a_cut_frame_that_states_a_short_length() {
    let plain = plain::text(400_000);
    assert_eq!(written("zstd -q --stream-size=400000 --no-check", &plain), [0; 3]);
    assert_eq!(written("zstd -q --stream-size=400000", &plain), [0; 3]);
}

#[test]
fn nothing_is_written_of_a_frame_without_a_check_that_does_not_decode() {
    let coded = pipe("zstd -q --stream-size=400000 --no-check", &plain::text(400_000));
    let mut refused = 0;
    for at in (0..8).map(|part| 20 + coded.len() / 8 * part) {
        let mut damaged = coded.clone();
        damaged[at..at + 9].fill(0xff);
        if let (back, Some(error)) = outcome(&format!("damage at {at}"), &damaged) {
            assert!(
                matches!(error, Error::Corrupt { is_held: true, .. }) && back.is_empty(),
                "{at}: {error}"
            );
            refused += 1;
        }
    }
    assert!(refused > 0, "no damage was noticed");
}
