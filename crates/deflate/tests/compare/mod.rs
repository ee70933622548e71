//! The decoder compared with zlib-rs (through flate2) and with libdeflate.
//!
//! The functions take a stream that may be valid or not, decode it with all decoders, and panic if these disagree
//! about the bytes, the verdict or the end of the stream. The tests of the decoder use them, and the target
//! `inflate` of `fuzz/` includes this file by its path. So they use only the public API.

#![allow(dead_code)] // Each user needs some of it.
#![allow(clippy::unwrap_used)] // A comparison that cannot be made fails.

mod pair;

use flate2::{Decompress, FlushDecompress, Status};
use libdeflater::Decompressor;
use pzcomp_deflate::inflate::{Defect, Inflate, Output, Pause};

pub use pair::assert_as_alone;

/// The verdict on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The stream ends after so many bytes.
    End(usize),
    /// The input ends before the stream does.
    Truncated,
    /// The stream is not valid.
    Invalid,
}

/// Decodes a stream with zlib-rs.
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

/// Decodes a stream with the decoder of this crate: the input comes in steps and the output goes into pieces of these
/// lengths.
pub fn ours(
    inflate: &mut Inflate,
    coded: &[u8],
    step: usize,
    piece_len: usize,
) -> (Vec<u8>, Verdict, Option<Defect>) {
    inflate.reset();
    let mut plain = Vec::new();
    // A byte that stands out if the decoder reads memory that it has not filled.
    let mut piece = vec![0xa5; piece_len];
    let (mut at, mut filled) = (0, 0);
    loop {
        let end = coded.len().min((at / step + 1) * step);
        let mut output = Output::new(&mut piece, filled);
        let result = inflate.run(&coded[at..end], &mut output);
        let before = filled;
        filled = output.filled();
        plain.extend_from_slice(&piece[before..filled]);
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
                assert_eq!(at, end, "all input is read before the decoder asks for more");
                // The decoder looks at the last bits of a byte when it gets no more input.
                if progress.read == 0 {
                    return (plain, Verdict::Truncated, None);
                }
            }
            Pause::Window => panic!("a decoder that began at the start of a stream misses no window"),
            Pause::Output => {
                assert_eq!(filled, piece.len(), "the piece is full before the decoder asks for another");
                piece.fill(0xa5);
                filled = 0;
            }
        }
    }
}

/// Asserts that all decoders agree on a stream. Returns its bytes, the verdict and the defect.
///
/// In one case the verdicts differ. If the code of the code lengths is empty, zlib reads all code lengths before it
/// says so, and calls a stream cut short that ends among them. This decoder refuses the code at once.
pub fn compare(inflate: &mut Inflate, coded: &[u8]) -> (Vec<u8>, Verdict, Option<Defect>) {
    let (plain, verdict) = zlib(coded);
    let whole = ours(inflate, coded, usize::MAX, plain.len() + 1000);
    let is_early = whole.2 == Some(Defect::Precode) && verdict == Verdict::Truncated;
    assert!(whole.1 == verdict || is_early, "{verdict:?}, {:?} after {} bytes", whole.2, whole.0.len());
    assert!(whole.0 == plain, "{} bytes differ from {}", whole.0.len(), plain.len());
    // Miri calls no C.
    if let (Verdict::End(len), false) = (verdict, cfg!(miri)) {
        let mut back = vec![0; plain.len()];
        let back_len = Decompressor::new().deflate_decompress(&coded[..len], &mut back);
        assert!(back_len == Ok(plain.len()) && back == plain, "libdeflate has other bytes: {back_len:?}");
    }
    whole
}

/// Asserts that all decoders agree on a stream, and that the lengths of steps and pieces make no difference.
pub fn compare_steps(inflate: &mut Inflate, coded: &[u8], step: usize, piece_len: usize) {
    let whole = compare(inflate, coded);
    let stepped = ours(inflate, coded, step, piece_len);
    assert_eq!((stepped.1, stepped.2), (whole.1, whole.2), "steps of {step}, pieces of {piece_len}");
    assert!(stepped.0 == whole.0, "other bytes in steps of {step}, pieces of {piece_len}");
}
