//! What the tests of the library share.
//!
//! `compress` and `decompress` go from memory to memory, `pipe` and `run` go through another program, `Dribble` is
//! input in small pieces, `plain` makes data, and `outcome` compares numbers of threads and kinds of input.
#![allow(dead_code)] // Each test uses part of it.
#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

/// Options for writing that are valid: `encode!(Encode::gzip(6), threads: 3, memory)` calls these methods of the
/// builder, and builds. The start is a builder, or options that were built.
macro_rules! encode {
    ($base:expr $(, $option:ident $(: $value:expr)?)* $(,)?) => {
        pzcomp::EncodeBuilder::from($base)$(.$option(with!(@value $option $($value)?)))*.build().unwrap()
    };
}

/// The same for reading: `decode!(Decode::builder(), threads: 3)`.
macro_rules! decode {
    ($base:expr $(, $option:ident $(: $value:expr)?)* $(,)?) => {
        pzcomp::DecodeBuilder::from($base)$(.$option(with!(@value $option $($value)?)))*.build().unwrap()
    };
}

/// A value of a struct that other crates cannot write as a literal: `with!(Lz4Blocks { linked: true, ..base })`.
/// Without a base, the other fields have their defaults.
macro_rules! with {
    (@value $field:ident) => { $field };
    (@value $field:ident $value:expr) => { $value };
    ($type:path { $($field:ident $(: $value:expr)?),+ , ..$base:expr }) => {{
        let mut value: $type = $base;
        $(value.$field = with!(@value $field $($value)?);)+
        value
    }};
    ($type:path { $($field:ident $(: $value:expr)?),+ $(,)? }) => {
        with!($type { $($field $(: $value)?),+ , ..<$type>::default() })
    };
}

pub mod old;
pub mod outcome;
pub mod qpress;
#[allow(clippy::duplicate_mod)] // The tests of quicklz load it too.
#[path = "../../crates/deflate/tests/common/random.rs"]
mod random;
#[path = "../../src/bench/text.rs"]
pub mod text;

use std::fs::File;
use std::io::{PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pzcomp::{Compress, Decode, Decompress, Encode, Format, Input, Result, Summary};

/// When a test with random input should end that is run by `make fuzz`; `None` in a run of the tests.
pub fn fuzz_end() -> Option<Instant> {
    let seconds = std::env::var("FUZZ_SECONDS").ok()?;
    Some(Instant::now() + Duration::from_secs(seconds.parse().unwrap()))
}

/// A decompression on this many threads from the pipe that is returned. It ends when the pipe is closed.
pub fn decompressing(threads: usize, output: File) -> (PipeWriter, JoinHandle<Result<Summary>>) {
    let (input, writer) = std::io::pipe().unwrap();
    let input = File::from(OwnedFd::from(input));
    let options = decode!(Decode::builder(), threads);
    (writer, std::thread::spawn(move || Decompress::new(&options).run(&input, &output)))
}

/// Options with small chunks, so that little data is many of them.
pub fn small(format: Format) -> Encode {
    encode!(Encode::builder(format), level: 1, threads: 3, block_size: 40_000)
}

/// The chunk length of these options.
pub fn chunk_len(options: &Encode) -> usize {
    options.compression_needs().unwrap().frame_len as usize
}

/// Compresses from memory to memory.
pub fn compress(data: &[u8], options: &Encode) -> Vec<u8> {
    let (coded, summary) = compress_with(data, options).unwrap();
    assert_eq!(summary.plain_len, data.len() as u64);
    coded
}

/// Compresses anything that reads.
pub fn compress_with(reader: impl Read, options: &Encode) -> Result<(Vec<u8>, Summary)> {
    let mut coded = Vec::new();
    let summary = Compress::new(options).run(Input::reader(reader), &mut coded)?;
    assert_eq!(summary.coded_len, coded.len() as u64);
    Ok((coded, summary))
}

/// Decompresses from memory to memory.
pub fn decompress(coded: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    let summary =
        Decompress::new(&decode!(Decode::builder(), threads: 3)).run(Input::reader(coded), &mut plain)?;
    assert_eq!((summary.plain_len, summary.coded_len), (plain.len() as u64, coded.len() as u64));
    Ok(plain)
}

/// What comes of anything that reads, and how it ends.
pub fn decoded(reader: impl Read, options: &Decode) -> (Vec<u8>, Result<Summary>) {
    let mut plain = Vec::new();
    let result = Decompress::new(options).run(Input::reader(reader), &mut plain);
    (plain, result)
}

/// The same, if it ends well.
pub fn decompress_from(reader: impl Read, options: &Decode) -> Result<Vec<u8>> {
    let (plain, result) = decoded(reader, options);
    result.map(|_| plain)
}

/// Runs a shell command, whatever comes of it.
pub fn run(command: &str, input: &[u8]) -> Output {
    let mut child = Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // Who has seen enough closes the pipe.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

/// Pipes `input` through a shell command that must succeed.
pub fn pipe(command: &str, input: &[u8]) -> Vec<u8> {
    let output = run(command, input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{command}` failed (is it installed? `make test` does that): {stderr}");
    output.stdout
}

/// The bytes with these bits of one of them turned.
pub fn flipped(bytes: &[u8], at: usize, bits: u8) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[at] ^= bits;
    flipped
}

/// Gives its bytes in steps of a few.
pub struct Dribble<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl<'a> Dribble<'a> {
    pub fn new(bytes: &'a [u8], step: usize) -> Self {
        Self { bytes, step }
    }
}

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = self.step.min(out.len()).min(self.bytes.len());
        out[..len].copy_from_slice(&self.bytes[..len]);
        self.bytes = &self.bytes[len..];
        Ok(len)
    }
}

/// Plain data of several kinds, the same for the same length.
pub mod plain {
    use std::io::Write;

    pub use super::random::Random;

    /// Rows of numbers and words, as a dump has them.
    pub fn text(len: usize) -> Vec<u8> {
        let mut random = Random(len as u64 + 1);
        let mut data = Vec::with_capacity(len + 64);
        let mut row = 0_u64;
        while data.len() < len {
            row += 1 + random.below(3);
            let (lat, lon, user) = (random.below(100_000), random.below(1_000_000), random.below(50));
            writeln!(data, "{row}\t40.{lat:05}\t-3.{lon:06}\tuser_{user}").unwrap();
        }
        data.truncate(len);
        data
    }

    /// Bytes that no format makes smaller.
    pub fn random(len: usize) -> Vec<u8> {
        let mut random = Random(len as u64 ^ 0x5eed);
        (0..len).map(|_| random.next() as u8).collect()
    }

    impl Random {
        pub fn below(&mut self, limit: u64) -> u64 {
            self.next() % limit
        }
    }
}

/// Whether tests try all places and combinations in place of some: with `PZCOMP_EXHAUSTIVE` in the environment, as
/// `make test-exhaustive` has it.
pub fn is_exhaustive() -> bool {
    std::env::var_os("PZCOMP_EXHAUSTIVE").is_some()
}

/// Places below `len` at which something is damaged or cut off: the first and the last 128, and every seventh between.
/// If `is_exhaustive`, it is every place.
pub fn places(len: usize) -> impl Iterator<Item = usize> {
    let is_all = is_exhaustive();
    (0..len).filter(move |&at| is_all || at < 128 || at + 128 >= len || at % 7 == 0)
}
