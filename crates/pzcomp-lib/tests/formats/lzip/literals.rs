//! LZMA of nothing but literals, both ways, so that coded bytes can be chosen and the data be made to fit.
//!
//! After the LZMA specification of 7-Zip, with `lc` 3, `lp` 0 and `pb` 2. Behind literals alone the state is 0.

/// Probabilities are of 2048.
const HALF: u16 = 1024;
const RANGE_MIN: u32 = 1 << 24;

/// What adapts: whether a match follows, by position, and literals, by the byte before.
pub struct Model {
    is_match: [u16; 4],
    literals: Vec<[u16; 256]>,
    at: usize,
    last: u8,
}

impl Model {
    pub fn new() -> Self {
        Self { is_match: [HALF; 4], literals: vec![[HALF; 256]; 8], at: 0, last: 0 }
    }

    fn pass(&mut self, byte: u8) {
        (self.at, self.last) = (self.at + 1, byte);
    }
}

fn adapt(probability: &mut u16, bit: u32) {
    match bit {
        0 => *probability += (2048 - *probability) >> 5,
        _ => *probability -= *probability >> 5,
    }
}

pub struct Encoder {
    low: u64,
    range: u32,
    cache: u8,
    pending: u64,
    coded: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Self {
        Self { low: 0, range: u32::MAX, cache: 0, pending: 1, coded: Vec::new() }
    }

    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.coded.push(self.cache.wrapping_add(carry));
            for _ in 1..self.pending {
                self.coded.push(0xff_u8.wrapping_add(carry));
            }
            (self.cache, self.pending) = ((self.low >> 24) as u8, 0);
        }
        self.pending += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn bit(&mut self, probability: &mut u16, bit: u32) {
        let bound = (self.range >> 11) * u32::from(*probability);
        match bit {
            0 => self.range = bound,
            _ => (self.low, self.range) = (self.low + u64::from(bound), self.range - bound),
        }
        adapt(probability, bit);
        while self.range < RANGE_MIN {
            self.range <<= 8;
            self.shift();
        }
    }

    pub fn literal(&mut self, model: &mut Model, byte: u8) {
        self.bit(&mut model.is_match[model.at % 4], 0);
        let tree = &mut model.literals[usize::from(model.last >> 5)];
        let mut node = 1;
        for place in (0..8).rev() {
            let bit = u32::from(byte >> place & 1);
            self.bit(&mut tree[node], bit);
            node = node << 1 | bit as usize;
        }
        model.pass(byte);
    }

    /// The match of length 2 at the distance of all ones, whose bits have not been adapted to.
    pub fn end_marker(&mut self, model: &mut Model) {
        self.bit(&mut model.is_match[model.at % 4], 1);
        // No repetition; length: low, three zeros; slot: six ones.
        for bit in [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1] {
            self.bit(&mut { HALF }, bit);
        }
        for _ in 0..26 {
            self.range >>= 1;
            self.low += u64::from(self.range);
            while self.range < RANGE_MIN {
                self.range <<= 8;
                self.shift();
            }
        }
        for _ in 0..4 {
            self.bit(&mut { HALF }, 1);
        }
    }

    pub fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.coded
    }
}

pub struct Decoder<'a> {
    code: u32,
    range: u32,
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    pub fn new(coded: &'a [u8]) -> Self {
        let code = u32::from_be_bytes(coded[1..5].try_into().unwrap());
        Self { code, range: u32::MAX, rest: &coded[5..] }
    }

    /// Coded bytes that have not been read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    fn bit(&mut self, probability: &mut u16) -> u32 {
        if self.range < RANGE_MIN {
            let (&byte, rest) = self.rest.split_first().unwrap_or((&0, &[]));
            (self.range, self.code, self.rest) = (self.range << 8, self.code << 8 | u32::from(byte), rest);
        }
        let bound = (self.range >> 11) * u32::from(*probability);
        let bit = u32::from(self.code >= bound);
        match bit {
            0 => self.range = bound,
            _ => (self.code, self.range) = (self.code - bound, self.range - bound),
        }
        adapt(probability, bit);
        bit
    }

    /// The next literal; nothing if a match comes next.
    pub fn literal(&mut self, model: &mut Model) -> Option<u8> {
        if self.bit(&mut model.is_match[model.at % 4]) == 1 {
            return None;
        }
        let tree = &mut model.literals[usize::from(model.last >> 5)];
        let mut node = 1;
        while node < 256 {
            node = node << 1 | self.bit(&mut tree[node]) as usize;
        }
        model.pass(node as u8);
        Some(node as u8)
    }
}
