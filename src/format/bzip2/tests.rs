//! Whole streams, made by hand or damaged, against libbz2: the same verdict, and the same bytes.

use super::block::{Bits, BlockDecoder, Crc};
use super::{BLOCK_MAGIC, END_MAGIC};
use crate::format::ffi::bzip2::{Compressor, Decompressor};
use crate::{Error, Options, decompress};

/// Bits, the most significant first.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    free: u32,
}

impl Writer {
    fn put(&mut self, count: u32, value: u64) {
        for bit in (0..count).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            *self.bytes.last_mut().unwrap() |= ((value >> bit & 1) as u8) << self.free;
        }
    }

    fn align(&mut self) {
        self.free = 0;
    }
}

/// A stream whose blocks have symbols of eight bits, so that coded data can be anything but 0xff.
struct Stream {
    out: Writer,
    crc: u32,
    blocks: Vec<usize>,
}

const END_SYMBOL: u64 = 0xff;

impl Stream {
    fn new(level: u8) -> Self {
        let mut out = Writer::default();
        b"BZh".iter().chain(&[b'0' + level]).for_each(|&byte| out.put(8, byte.into()));
        Self { out, crc: 0, blocks: Vec::new() }
    }

    /// Adds a block of these symbols.
    fn block(&mut self, symbols: &[u8], origin: u32, is_randomised: bool) {
        // First by itself, to know its CRC.
        let mut alone = Writer::default();
        Self::write(&mut alone, symbols, origin, is_randomised, 0);
        let mut decoder = BlockDecoder::new().unwrap();
        let mut bits = Bits::new(&alone.bytes[6..], 0);
        decoder.decode(&mut bits, 9).unwrap();
        let (mut runs, mut crc) = (decoder.runs(), Crc::new());
        while !runs.is_done() {
            let mut out = vec![0; 1 << 16];
            // By chance it may end in a run without a count: another will do.
            let Ok(filled) = runs.fill(&mut out) else { return };
            crc.update(&out[..filled]);
        }
        self.blocks.push(self.out.bytes.len());
        Self::write(&mut self.out, symbols, origin, is_randomised, crc.value());
        self.crc = self.crc.rotate_left(1) ^ crc.value();
    }

    fn write(out: &mut Writer, symbols: &[u8], origin: u32, is_randomised: bool, crc: u32) {
        out.put(48, BLOCK_MAGIC);
        out.put(32, crc.into());
        out.put(1, is_randomised.into());
        out.put(24, origin.into());
        // All bytes but two are in use.
        out.put(16, 0xffff);
        (0..15).for_each(|_| out.put(16, 0xffff));
        out.put(16, 0xfffc);
        let selectors = (symbols.len() + 1).div_ceil(50);
        out.put(3, 2);
        out.put(15, selectors as u64);
        (0..selectors).for_each(|_| out.put(1, 0));
        for _ in 0..2 {
            out.put(5, 8);
            (0..256).for_each(|_| out.put(1, 0));
        }
        symbols.iter().for_each(|&symbol| out.put(8, symbol.into()));
        out.put(8, END_SYMBOL);
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.put(48, END_MAGIC);
        self.out.put(32, self.crc.into());
        self.out.align();
        self.out.bytes
    }
}

/// Splitmix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Symbols with short runs here and there.
    fn symbols(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|at| if at % 3 == 0 { self.below(255) as u8 } else { 2 + self.below(4) as u8 }).collect()
    }
}

/// What libbz2 makes of streams one after another; nothing if they are not right to the last byte.
fn by_library(mut coded: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut library = Decompressor::new();
    let mut room = vec![0; 1 << 20];
    loop {
        assert!(library.begin());
        loop {
            let (read, written, ended) = library.decompress(coded, &mut room).ok()?;
            coded = &coded[read..];
            plain.extend(&room[..written]);
            if ended {
                break;
            }
            if coded.is_empty() && written == 0 {
                return None;
            }
        }
        if coded.is_empty() {
            return Some(plain);
        }
    }
}

fn by_us(coded: &[u8], threads: usize) -> (Vec<u8>, Result<(), Error>) {
    let mut plain = Vec::new();
    let result = decompress(coded, &mut plain, &Options { threads, ..Options::default() });
    (plain, result.map(drop))
}

/// Requires that we and libbz2 agree on `coded`; the bytes, if it is right.
fn agreed(coded: &[u8], name: &str) -> Option<Vec<u8>> {
    let expected = by_library(coded);
    let (plain, error) = by_us(coded, 1);
    let several = by_us(coded, 3);
    assert!(plain == several.0, "{name}: threads differ");
    assert_eq!(format!("{error:?}"), format!("{:?}", several.1), "{name}");
    match &expected {
        Some(expected) => assert!(error.is_ok() && plain == *expected, "{name}: {error:?}"),
        None => assert!(error.is_err(), "{name}: no error"),
    }
    expected
}

/// A stream of many small blocks, more than a job takes, and what they hold.
fn many_blocks(count: usize, seed: u64) -> (Stream, Vec<u8>) {
    let mut random = Random(seed);
    let mut stream = Stream::new(1);
    for _ in 0..count {
        let len = 2 + random.below(120) as usize;
        let symbols = random.symbols(len);
        stream.block(&symbols, random.below(len as u64 / 2) as u32, false);
    }
    let probe = Stream {
        out: Writer { bytes: stream.out.bytes.clone(), free: stream.out.free },
        crc: stream.crc,
        blocks: Vec::new(),
    };
    let plain = by_library(&probe.finish()).unwrap();
    (stream, plain)
}

#[test]
fn blocks_at_any_bit_are_decoded_as_libbz2_does() {
    for seed in 0..8 {
        let (stream, plain) = many_blocks(150, seed);
        let coded = stream.finish();
        assert_eq!(agreed(&coded, "many blocks"), Some(plain.clone()));
        let twice = [&coded[..], &coded].concat();
        assert_eq!(agreed(&twice, "twice").map(|both| both.len()), Some(2 * plain.len()));
    }
}

#[test]
fn a_permutation_of_several_rings_repeats_itself() {
    let mut random = Random(3);
    for len in [1, 2, 200, 400, 3_000, 90_000] {
        for _ in 0..4 {
            let mut stream = Stream::new(9);
            let symbols = random.symbols(len);
            let origin = random.below(len.div_ceil(2) as u64) as u32;
            stream.block(&symbols, origin, false);
            assert!(agreed(&stream.finish(), &format!("{len}")).is_some());
        }
    }
}

#[test]
fn randomised_blocks_are_restored() {
    let mut random = Random(4);
    for len in [1, 617, 618, 619, 5_000, 100_000] {
        let mut stream = Stream::new(9);
        let symbols: Vec<u8> = (0..len).map(|_| 2 + random.below(253) as u8).collect();
        stream.block(&symbols, random.below(len) as u32, true);
        stream.block(&symbols[..1], 0, false);
        assert!(agreed(&stream.finish(), &format!("{len}")).is_some());
    }
}

#[test]
fn magic_numbers_in_the_data_of_a_block_do_no_harm() {
    for (magic, count) in [(BLOCK_MAGIC, 48), (END_MAGIC, 48), (0x425a_6839, 32)] {
        for bit in 0..8 {
            let mut random = Random(magic ^ bit);
            let mut stream = Stream::new(2);
            for round in 0..40 {
                let mut symbols = Writer::default();
                for _ in 0..1 + random.below(20) {
                    (0..random.below(60)).for_each(|_| symbols.put(8, 2 + random.below(250)));
                    symbols.put(8 + bit as u32, 0x55 << bit);
                    symbols.put(count, magic);
                    if count == 32 {
                        // The beginning of a stream.
                        symbols.put(48, if round % 2 == 0 { BLOCK_MAGIC } else { END_MAGIC });
                    }
                    symbols.put(16 - bit as u32, 0x5555);
                }
                let symbols: Vec<u8> = symbols.bytes.iter().map(|&byte| byte.clamp(2, 0xfe)).collect();
                stream.block(&symbols, 1, false);
            }
            let coded = stream.finish();
            assert!(coded.len() > 10_000);
            assert!(agreed(&coded, &format!("{magic:x} at {bit}")).is_some());
        }
    }
}

#[test]
fn a_stream_cut_anywhere_ends_with_its_last_whole_block() {
    for (blocks, step) in [(5, 1), (90, 31)] {
        let (stream, plain) = many_blocks(blocks, 5);
        let coded = stream.finish();
        for len in (10..coded.len()).step_by(step) {
            let (back, error) = by_us(&coded[..len], 2);
            assert!(plain.starts_with(&back), "{len}");
            let is_cut = matches!(error, Err(Error::Truncated { offset, .. }) if offset == len as u64);
            assert!(is_cut, "{len}: {error:?}");
        }
    }
}

#[test]
fn damage_is_reported_with_its_block_after_all_before_it() {
    let (stream, plain) = many_blocks(150, 6);
    let blocks = stream.blocks.clone();
    let coded = stream.finish();
    for (at, &start) in blocks.iter().enumerate().step_by(7) {
        let mut damaged = coded.clone();
        // The CRC it claims.
        damaged[start + 7] ^= 0x10;
        let (back, error) = by_us(&damaged, 2);
        assert!(back == many_blocks(at, 6).1, "all before block {at}, and nothing of it");
        let Err(Error::Corrupt { offset, what, .. }) = error else { panic!("{error:?}") };
        assert!(offset.abs_diff(start as u64) <= 1, "{offset} for {start}");
        assert!(what.starts_with(&format!("block {} of its stream", at + 1)), "{what}");
    }
    let mut damaged = coded;
    let last = damaged.len() - 2;
    damaged[last] ^= 4;
    let (back, error) = by_us(&damaged, 2);
    assert!(back == plain && matches!(error, Err(Error::Corrupt { .. })), "{error:?}");
}

/// Damages `coded` many times over, and compares verdicts.
fn damage(coded: &[u8], plain: &[u8], rounds: u64, seed: u64) {
    let mut random = Random(seed);
    for round in 0..rounds {
        let state = random.0;
        let mut damaged = coded.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(damaged.len() as u64 * 8);
            match random.below(4) {
                0 => damaged[at as usize / 8] = random.next() as u8,
                1 => drop(damaged.remove(at as usize / 8)),
                _ => damaged[at as usize / 8] ^= 0x80 >> (at % 8),
            }
        }
        if damaged.starts_with(b"BZh") {
            agreed(&damaged, &format!("round {round}, state {state}"));
            assert!(plain.starts_with(&by_us(&damaged, 2).0), "round {round}, state {state}");
        }
    }
}

#[test]
fn damaged_blocks_are_refused_as_libbz2_does() {
    let rounds = if std::env::var_os("FUZZ_SECONDS").is_some() { 20_000 } else { 400 };
    let (stream, plain) = many_blocks(70, 7);
    damage(&stream.finish(), &plain, rounds, 8);
    // Codes and selectors as an encoder makes them.
    let mut random = Random(9);
    let text: Vec<u8> =
        (0..3_000).flat_map(|_| [b'a' + random.below(4) as u8, b'0' + random.below(9) as u8]).collect();
    let text = [&text[..], &[b'x'; 700], &text[..100]].concat();
    let mut coded = vec![0; 20_000];
    let len = Compressor::default().compress(1, &text, &mut coded).unwrap();
    damage(&coded[..len], &text, rounds, 10);
}

#[test]
fn long_runs_are_verified_before_they_are_put_out() {
    // Some 20 MiB in one block, of which only the last byte is other.
    let mut text = vec![b'r'; 20 << 20];
    text.push(b'.');
    let mut coded = vec![0; 100_000];
    let len = Compressor::default().compress(9, &text, &mut coded).unwrap();
    coded.truncate(len);
    assert!(agreed(&coded, "runs") == Some(text));
    coded[11] ^= 1;
    let (back, error) = by_us(&coded, 2);
    assert!(back.is_empty() && error.is_err());
}

#[test]
fn levels_bound_what_a_block_holds() {
    let mut random = Random(11);
    let symbols: Vec<u8> = (0..100_001).map(|_| 2 + random.below(253) as u8).collect();
    for (level, len, is_right) in [(1, 100_000, true), (1, 100_001, false), (2, 100_001, true)] {
        let mut stream = Stream::new(level);
        stream.block(&symbols[..len], 0, false);
        assert_eq!(agreed(&stream.finish(), &format!("{level} {len}")).is_some(), is_right);
    }
}
