//! Helpers for tests of blocks: streams made by hand, a simple reader of streams, and libbz2-rs to compare with.
//!
//! The tests of pzcomp and the target `bzip2_blocks` of `fuzz/` include this file by its path, so it uses only the
//! public API.

#![allow(dead_code)] // Each user needs some of it.
#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

#[path = "../../../deflate/tests/common/random.rs"]
mod random;

use std::io::Write;

use bzip2::write::BzEncoder;
use bzip2::{Compression, Decompress, Status};
use pzcomp_bzip2::decode::{BitReader, BlockDecoder, Runs};
use pzcomp_bzip2::{BLOCK_MAGIC, Crc, END_MAGIC, join_crcs};

pub use random::Random;

/// Bits, the most significant first.
#[derive(Clone, Default)]
pub struct Bits {
    pub bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    pub fn put(&mut self, count: u32, value: u64) {
        for bit in (0..count).rev() {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            self.free -= 1;
            *self.bytes.last_mut().unwrap() |= ((value >> bit & 1) as u8) << self.free;
        }
    }
}

/// A stream whose blocks have symbols of eight bits, so that coded data can be anything but 0xff.
#[derive(Clone)]
pub struct Made {
    out: Bits,
    crc: u32,
    /// The byte in which each block begins.
    pub blocks: Vec<usize>,
}

const END_SYMBOL: u64 = 0xff;

impl Made {
    pub fn new(level: u8) -> Self {
        let mut out = Bits::default();
        b"BZh".iter().chain(&[b'0' + level]).for_each(|&byte| out.put(8, byte.into()));
        Self { out, crc: 0, blocks: Vec::new() }
    }

    /// Adds a block of these symbols.
    pub fn block(&mut self, symbols: &[u8], origin: u32, is_randomised: bool) {
        // The block is first made alone, to find its CRC.
        let mut alone = Bits::default();
        Self::write(&mut alone, symbols, origin, is_randomised, 0);
        let mut decoder = BlockDecoder::new().unwrap();
        decoder.decode(&mut BitReader::new(&alone.bytes[6..], 0), 9).unwrap();
        // By chance a block may end in a run without a count. It is left out.
        let Some((_, crc)) = data(decoder.runs(), usize::MAX) else { return };
        self.blocks.push(self.out.bytes.len());
        Self::write(&mut self.out, symbols, origin, is_randomised, crc);
        self.crc = join_crcs(self.crc, crc, 1);
    }

    fn write(out: &mut Bits, symbols: &[u8], origin: u32, is_randomised: bool, crc: u32) {
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

    pub fn finish(mut self) -> Vec<u8> {
        self.out.put(48, END_MAGIC);
        self.out.put(32, self.crc.into());
        self.out.bytes
    }
}

/// A stream of many small blocks, and the data that they hold.
pub fn many_blocks(count: usize, seed: u64) -> (Made, Vec<u8>) {
    let mut random = Random(seed);
    let mut stream = Made::new(1);
    for _ in 0..count {
        let len = 2 + random.below(120) as usize;
        let symbols = random.symbols(len);
        stream.block(&symbols, random.below(len as u64 / 2) as u32, false);
    }
    let plain = by_library(&stream.clone().finish()).unwrap();
    (stream, plain)
}

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Symbols with short runs here and there.
    pub fn symbols(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|at| if at % 3 == 0 { self.below(255) as u8 } else { 2 + self.below(4) as u8 }).collect()
    }

    /// Damages a stream at up to three places.
    pub fn damage(&mut self, coded: &[u8]) -> Vec<u8> {
        let mut damaged = coded.to_vec();
        for _ in 0..1 + self.below(3) {
            let at = self.below(damaged.len() as u64 * 8);
            match self.below(4) {
                0 => damaged[at as usize / 8] = self.next() as u8,
                1 => drop(damaged.remove(at as usize / 8)),
                _ => damaged[at as usize / 8] ^= 0x80 >> (at % 8),
            }
        }
        damaged
    }
}

/// Text that libbz2 codes with several codes and selectors.
pub fn text() -> Vec<u8> {
    let mut random = Random(9);
    let text: Vec<u8> =
        (0..3_000).flat_map(|_| [b'a' + random.below(4) as u8, b'0' + random.below(9) as u8]).collect();
    [&text[..], &[b'x'; 700], &text[..100]].concat()
}

/// The data of a block and its CRC, or nothing if a run has no count. The data ends after about `limit` bytes.
pub fn data(mut runs: Runs, limit: usize) -> Option<(Vec<u8>, u32)> {
    let (mut plain, mut crc, mut piece) = (Vec::new(), Crc::new(), vec![0; 1 << 16]);
    while !runs.is_done() && plain.len() < limit {
        let filled = runs.fill(&mut piece).ok()?;
        crc.update(&piece[..filled]);
        plain.extend_from_slice(&piece[..filled]);
    }
    Some((plain, crc.value()))
}

/// Decodes streams one after another, block by block, to about `limit` bytes. Returns the data of all blocks that are
/// right, and what is wrong behind them.
pub fn by_blocks(coded: &[u8], limit: usize) -> (Vec<u8>, Result<(), String>) {
    let mut plain = Vec::new();
    let result = read_blocks(coded, limit, &mut plain);
    (plain, result)
}

fn read_blocks(coded: &[u8], limit: usize, plain: &mut Vec<u8>) -> Result<(), String> {
    let mut decoder = BlockDecoder::new().map_err(|error| error.to_string())?;
    let mut rest = coded;
    loop {
        let &[b'B', b'Z', b'h', digit @ b'1'..=b'9', ..] = rest else { return Err("no header".into()) };
        let mut bits = BitReader::new(&rest[4..], 0);
        let mut sum = 0;
        loop {
            let magic = u64::from(bits.take(24)) << 24 | u64::from(bits.take(24));
            if magic == END_MAGIC {
                break;
            }
            if magic != BLOCK_MAGIC {
                return Err("neither a block nor the end".into());
            }
            let claimed = decoder.decode(&mut bits, digit - b'0').map_err(|error| error.to_string())?;
            let left = limit - plain.len();
            let (block, crc) = data(decoder.runs(), left).ok_or("a run without a count")?;
            if block.len() >= left {
                return Err("the limit".into());
            }
            if crc != claimed {
                return Err("a block with another CRC".into());
            }
            plain.extend(block);
            sum = join_crcs(sum, crc, 1);
        }
        if bits.take(32) != sum || bits.is_overrun() {
            return Err("a stream with another CRC".into());
        }
        rest = &rest[4 + bits.position().div_ceil(8) as usize..];
        if rest.is_empty() {
            return Ok(());
        }
    }
}

/// Decodes streams one after another with libbz2-rs. Returns nothing if they are not right to the last byte.
pub fn by_library(mut coded: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    loop {
        let mut library = Decompress::new(false);
        loop {
            plain.reserve(1 << 20);
            let (read, written) = (library.total_in(), plain.len());
            let status = library.decompress_vec(coded, &mut plain).ok()?;
            coded = &coded[(library.total_in() - read) as usize..];
            if status == Status::StreamEnd {
                break;
            }
            if coded.is_empty() && plain.len() == written {
                return None;
            }
        }
        if coded.is_empty() {
            return Some(plain);
        }
    }
}

/// Codes a stream of this level with libbz2-rs.
pub fn compress_by_library(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}
