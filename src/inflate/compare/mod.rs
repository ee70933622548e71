//! The decoder held to zlib's verdicts (those of zlib-rs, through flate2): for the tests, and for fuzz/.

mod pair;

use flate2::{Decompress, FlushDecompress, Status};

use crate::format::ffi::deflate::Decompressor;

use super::{Defect, Inflate, Output, Pause};
pub(crate) use pair::is_as_alone;

/// What came of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It ended after so many bytes.
    End(usize),
    Truncated,
    Invalid,
}

/// What zlib makes of a stream.
fn zlib(coded: &[u8]) -> (Vec<u8>, Verdict) {
    let mut stream = Decompress::new(false);
    let mut plain = Vec::new();
    loop {
        plain.reserve(64 << 10);
        let (read, written) = (stream.total_in() as usize, plain.len());
        match stream.decompress_vec(&coded[read..], &mut plain, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return (plain, Verdict::End(stream.total_in() as usize)),
            Ok(_) if stream.total_in() as usize == read && plain.len() == written => {
                return (plain, Verdict::Truncated);
            }
            Ok(_) => {}
            Err(_) => {
                plain.truncate(stream.total_out() as usize);
                return (plain, Verdict::Invalid);
            }
        }
    }
}

/// What we make of it, when the input comes in steps and the output goes into pieces of these lengths.
pub(super) fn ours(
    inflate: &mut Inflate,
    coded: &[u8],
    step: usize,
    piece_len: usize,
) -> (Vec<u8>, Verdict, Option<Defect>) {
    inflate.reset();
    let mut plain = Vec::new();
    // What is not filled shows where it is read.
    let mut piece = vec![0xa5; piece_len];
    let (mut at, mut filled) = (0, 0);
    loop {
        let end = coded.len().min((at / step + 1) * step);
        let mut output = Output::new(&mut piece, filled);
        let result = inflate.run(&coded[at..end], &mut output);
        plain.extend_from_slice(&output.memory[filled..output.filled]);
        filled = output.filled;
        let progress = match result {
            Ok(progress) => progress,
            Err(invalid) => {
                assert!(at + invalid.read <= coded.len());
                return (plain, Verdict::Invalid, Some(invalid.defect));
            }
        };
        at += progress.read;
        match progress.pause {
            Pause::End => return (plain, Verdict::End(at), None),
            Pause::Input => {
                assert_eq!(at, end, "all input is read before there is a call for more");
                // What is left of a byte is looked at when nothing comes any more.
                if progress.read == 0 {
                    return (plain, Verdict::Truncated, None);
                }
            }
            Pause::Window => panic!("a stream begun at its start has all that was before"),
            Pause::Output => {
                assert_eq!(filled, piece.len(), "the piece is filled before there is a call for another");
                piece.fill(0xa5);
                filled = 0;
            }
        }
    }
}

/// Asserts that we make of a stream what zlib makes of it; the bytes, the verdict, and what is wrong.
pub(super) fn compare(inflate: &mut Inflate, coded: &[u8]) -> (Vec<u8>, Verdict, Option<Defect>) {
    let (plain, verdict) = zlib(coded);
    let whole = ours(inflate, coded, usize::MAX, plain.len() + 1000);
    assert_eq!(whole.1, verdict, "{:?} after {} bytes", whole.2, whole.0.len());
    assert!(whole.0 == plain, "{} bytes differ from {}", whole.0.len(), plain.len());
    if let Verdict::End(len) = verdict {
        let mut back = vec![0; plain.len()];
        let is_whole =
            Decompressor::new().is_some_and(|mut one| one.decompress_exactly(&coded[..len], &mut back));
        assert!(is_whole && back == plain, "libdeflate has something else");
    }
    whole
}

/// Asserts that it makes no difference in what steps input comes and output goes.
pub(crate) fn compare_steps(inflate: &mut Inflate, coded: &[u8], step: usize, piece_len: usize) {
    let whole = compare(inflate, coded);
    let stepped = ours(inflate, coded, step, piece_len);
    assert_eq!((stepped.1, stepped.2), (whole.1, whole.2), "steps of {step}, pieces of {piece_len}");
    assert!(stepped.0 == whole.0, "other bytes in steps of {step}, pieces of {piece_len}");
}
