//! An encoder that writes what it is told to: frames that are valid, and that no sensible encoder would write.

use super::Random;

/// Bits, written forwards from the low end of each byte.
#[derive(Default)]
pub struct Bits {
    bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    pub fn put(&mut self, value: u64, count: u32) {
        for bit in 0..count {
            if self.len.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= ((value >> bit & 1) as u8) << (self.len % 8);
            self.len += 1;
        }
    }

    /// The bytes, with the final 1 bit of a stream that is read backwards.
    pub fn close(mut self) -> Vec<u8> {
        self.put(1, 1);
        self.bytes
    }

    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// An FSE table of an encoder: which states each symbol has.
#[derive(Clone)]
pub struct Fse {
    pub log: u32,
    pub counts: Vec<i16>,
    /// For each symbol its states, as (first state that leads here, width in bits, state).
    symbols: Vec<Vec<(usize, u32, usize)>>,
}

impl Fse {
    pub fn new(counts: &[i16], log: u32) -> Self {
        let size = 1_usize << log;
        let mut table = vec![usize::MAX; size];
        let mut high = size;
        for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count == -1) {
            high -= 1;
            table[high] = symbol;
        }
        let mut at = 0;
        for (symbol, &count) in counts.iter().enumerate() {
            for _ in 0..count.max(0) {
                table[at] = symbol;
                loop {
                    at = (at + (size >> 1) + (size >> 3) + 3) % size;
                    if at < high {
                        break;
                    }
                }
            }
        }
        let mut symbols = vec![Vec::new(); counts.len()];
        let mut next: Vec<usize> = counts.iter().map(|count| count.unsigned_abs().into()).collect();
        for (state, &symbol) in table.iter().enumerate() {
            let number = next[symbol];
            next[symbol] += 1;
            let bits = log - number.ilog2();
            symbols[symbol].push(((number << bits) - size, bits, state));
        }
        Self { log, counts: counts.to_vec(), symbols }
    }

    /// A table with one code.
    pub fn rle(code: usize) -> Self {
        let mut symbols = vec![Vec::new(); code + 1];
        symbols[code].push((0, 0, 0));
        Self { log: 0, counts: Vec::new(), symbols }
    }

    /// Random counts, all symbols of `used` among them.
    pub fn random(random: &mut Random, symbols_max: usize, log_max: u32, used: &[usize]) -> Self {
        loop {
            let log = 5 + random.below(log_max as usize - 4) as u32;
            let size = 1 << log;
            let mut counts = vec![0_i16; symbols_max];
            for &symbol in used {
                counts[symbol] = if random.below(4) == 0 { -1 } else { 1 };
            }
            for count in &mut counts {
                if *count == 0 && random.below(6) == 0 {
                    *count = if random.below(2) == 0 { -1 } else { 1 };
                }
            }
            let sum =
                |counts: &[i16]| counts.iter().map(|count| usize::from(count.unsigned_abs())).sum::<usize>();
            if sum(&counts) > size || sum(&counts) == 0 {
                continue;
            }
            // The rest goes to a few that are not "less than one".
            let mut left = size - sum(&counts);
            let able: Vec<usize> = (0..symbols_max).filter(|&symbol| counts[symbol] > 0).collect();
            if able.is_empty() {
                if left > 0 {
                    continue;
                }
            } else {
                while left > 0 {
                    let more = 1 + random.skewed(left - 1);
                    counts[able[random.below(able.len())]] += more as i16;
                    left -= more;
                }
            }
            while counts.last() == Some(&0) {
                counts.pop();
            }
            return Self::new(&counts, log);
        }
    }

    pub fn describe(&self) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.put(u64::from(self.log - 5), 4);
        let mut remaining = (1_i32 << self.log) + 1;
        let mut symbol = 0;
        while remaining > 1 {
            let width = 32 - (remaining as u32).leading_zeros();
            let short = (1 << width) - 1 - remaining;
            let value = i32::from(self.counts[symbol]) + 1;
            if value < short {
                bits.put(value as u64, width - 1);
            } else if value < 1 << (width - 1) {
                bits.put(value as u64, width);
            } else {
                bits.put((value + short) as u64, width);
            }
            remaining -= i32::from(self.counts[symbol]).abs();
            symbol += 1;
            if value == 1 {
                let zeros = self.counts[symbol..].iter().take_while(|count| **count == 0).count();
                for _ in 0..zeros / 3 {
                    bits.put(3, 2);
                }
                bits.put(zeros as u64 % 3, 2);
                symbol += zeros;
            }
        }
        bits.bytes()
    }

    pub fn has(&self, symbol: usize) -> bool {
        self.symbols.get(symbol).is_some_and(|states| !states.is_empty())
    }

    /// A state of the last symbol.
    fn last(&self, symbol: usize) -> usize {
        self.symbols[symbol][0].2
    }

    /// The state of `symbol` from which a decoder gets to `next`, and the bits that lead there.
    fn before(&self, symbol: usize, next: usize) -> (usize, u64, u32) {
        let &(base, bits, state) = self.symbols[symbol]
            .iter()
            .find(|(base, bits, _)| (*base..base + (1 << bits)).contains(&next))
            .unwrap();
        (state, (next - base) as u64, bits)
    }
}

/// A sequence as values: literal length, match length, offset value.
pub type Sequence = (usize, usize, usize);

const LITERAL_BITS: [u32; 36] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15, 16,
];
const MATCH_BITS: [u32; 53] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
    1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];

/// The code of a value, and its extra bits.
fn code(bits: &[u32], value: usize) -> (usize, u64, u32) {
    let mut base = 0;
    for (code, &extra) in bits.iter().enumerate() {
        if value < base + (1 << extra) {
            return (code, (value - base) as u64, extra);
        }
        base += 1 << extra;
    }
    panic!("{value} is too long");
}

/// The codes of literal length, offset and match length, each with its extra bits.
pub fn codes((literals, len, offset): Sequence) -> [(usize, u64, u32); 3] {
    let log = offset.ilog2();
    [
        code(&LITERAL_BITS, literals),
        (log as usize, (offset - (1 << log)) as u64, log),
        code(&MATCH_BITS, len - 3),
    ]
}

/// The stream of sequences.
pub fn sequence_stream(sequences: &[Sequence], tables: [&Fse; 3]) -> Vec<u8> {
    // What a decoder reads first is written last.
    let mut bits = Bits::default();
    let mut states = [0; 3];
    for (number, &sequence) in sequences.iter().enumerate().rev() {
        let codes = codes(sequence);
        if number + 1 == sequences.len() {
            for slot in 0..3 {
                states[slot] = tables[slot].last(codes[slot].0);
            }
        } else {
            for slot in [1, 2, 0] {
                let (state, value, count) = tables[slot].before(codes[slot].0, states[slot]);
                bits.put(value, count);
                states[slot] = state;
            }
        }
        for slot in [0, 2, 1] {
            bits.put(codes[slot].1, codes[slot].2);
        }
    }
    for slot in [2, 1, 0] {
        bits.put(states[slot] as u64, tables[slot].log);
    }
    bits.close()
}

/// A Huffman code: the length of each symbol's code, zero for those without.
#[derive(Clone)]
pub struct Huffman {
    weights: Vec<u8>,
    codes: Vec<(u64, u32)>,
}

impl Huffman {
    /// A random code for at least these symbols, and the last one.
    pub fn random(random: &mut Random, used: &[u8], bits_max: u32) -> Self {
        let mut symbols: Vec<usize> = used.iter().map(|&symbol| symbol.into()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        while symbols.len() < 2 {
            let more = random.below(250);
            if !symbols.contains(&more) {
                symbols.push(more);
            }
        }
        symbols.sort_unstable();
        // Leaves are split until there are enough: a full code.
        let mut lengths = vec![0_u32];
        while lengths.len() < symbols.len() {
            let open: Vec<usize> = (0..lengths.len()).filter(|&leaf| lengths[leaf] < bits_max).collect();
            let leaf = open[random.below(open.len())];
            lengths[leaf] += 1;
            lengths.push(lengths[leaf]);
        }
        let longest = *lengths.iter().max().unwrap();
        let mut weights = vec![0; symbols.last().unwrap() + 1];
        for (&symbol, &length) in symbols.iter().zip(&lengths) {
            weights[symbol] = (longest + 1 - length) as u8;
        }
        let mut codes = vec![(0, 0); weights.len()];
        let mut at = 0_u64;
        for weight in 1..=longest as u8 {
            for (symbol, _) in weights.iter().enumerate().filter(|(_, it)| **it == weight) {
                codes[symbol] = (at >> (weight - 1), longest + 1 - u32::from(weight));
                at += 1 << (weight - 1);
            }
        }
        Self { weights, codes }
    }

    /// The description: weights as they are if there are few, or coded with FSE.
    pub fn describe(&self, random: &mut Random) -> Vec<u8> {
        let stated = &self.weights[..self.weights.len() - 1];
        if stated.len() <= 128 && (random.below(2) == 0 || stated.len() < 3) {
            let mut bytes = vec![127 + stated.len() as u8];
            bytes.extend(stated.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)));
            return bytes;
        }
        // Only the smaller table may have a weight of 12.
        let (symbols, log_max) = if stated.contains(&12) { (13, 5) } else { (12, 6) };
        let used: Vec<usize> = (0..symbols).filter(|&weight| stated.contains(&(weight as u8))).collect();
        loop {
            let table = Fse::random(random, symbols, log_max, &used);
            if table.counts.iter().any(|&count| count >= (1 << table.log) - 1) {
                continue;
            }
            // Two states take turns. A decoder stops when one of them has no bits left.
            let mut bits = Bits::default();
            let len = stated.len();
            let mut states = [0; 2];
            states[(len - 1) % 2] = table.last(stated[len - 1].into());
            // The last but one symbol's state needs bits that are not there: any state of it with bits will do.
            let Some(&(_, _, state)) =
                table.symbols[usize::from(stated[len - 2])].iter().find(|(_, bits, _)| *bits > 0)
            else {
                continue;
            };
            states[(len - 2) % 2] = state;
            for number in (0..len - 2).rev() {
                let (state, value, count) = table.before(stated[number].into(), states[number % 2]);
                bits.put(value, count);
                states[number % 2] = state;
            }
            bits.put(states[1] as u64, table.log);
            bits.put(states[0] as u64, table.log);
            let mut body = table.describe();
            body.extend(bits.close());
            if body.len() < 128 {
                let mut bytes = vec![body.len() as u8];
                bytes.extend(body);
                return bytes;
            }
            if stated.len() <= 128 {
                return self.describe(random);
            }
        }
    }

    pub fn stream(&self, literals: &[u8]) -> Vec<u8> {
        let mut bits = Bits::default();
        for &literal in literals.iter().rev() {
            let (code, count) = self.codes[usize::from(literal)];
            bits.put(code, count);
        }
        bits.close()
    }

    pub fn has(&self, literals: &[u8]) -> bool {
        literals.iter().all(|&it| self.codes.get(usize::from(it)).is_some_and(|code| code.1 > 0))
    }
}

/// A block with its header.
pub fn block(kind: u32, size: usize, content: &[u8], is_last: bool) -> Vec<u8> {
    let header = u32::from(is_last) | kind << 1 | (size as u32) << 3;
    let mut bytes = header.to_le_bytes()[..3].to_vec();
    bytes.extend_from_slice(content);
    bytes
}

/// A frame header with a window descriptor.
pub fn header(window: u8, content_size: Option<u64>, has_checksum: bool) -> Vec<u8> {
    let mut bytes = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    let size_code = if content_size.is_some() { 0xC0 } else { 0 };
    bytes.extend([size_code | u8::from(has_checksum) << 2, window]);
    bytes.extend(
        content_size
            .map(u64::to_le_bytes)
            .unwrap_or_default()
            .iter()
            .take(8 * usize::from(content_size.is_some())),
    );
    bytes
}

/// The header of a literals section of the kinds raw and RLE.
pub fn plain_literals_header(kind: u8, len: usize, random: &mut Random) -> Vec<u8> {
    let least = if len < 32 {
        0
    } else if len < 4096 {
        1
    } else {
        2
    };
    match least.max(random.below(3)) {
        0 => vec![kind | (len as u8) << 3],
        1 => (u16::from(kind) | 1 << 2 | (len as u16) << 4).to_le_bytes().to_vec(),
        _ => (u32::from(kind) | 3 << 2 | (len as u32) << 4).to_le_bytes()[..3].to_vec(),
    }
}

/// The header of a Huffman coded literals section. None if no size format has room for the lengths.
pub fn huffman_literals_header(
    kind: u8,
    len: usize,
    coded: usize,
    is_four: bool,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let most = len.max(coded);
    let least = if most < 1024 {
        usize::from(is_four)
    } else if most < 1 << 14 {
        2
    } else {
        3
    };
    if most >= 1 << 18 || !is_four && least > 0 {
        return None;
    }
    let format = if is_four { least.max(1 + random.below(3)) } else { 0 };
    let width = [10, 10, 14, 18][format];
    let word = u64::from(kind) | (format as u64) << 2 | (len as u64) << 4 | (coded as u64) << (4 + width);
    Some(word.to_le_bytes()[..[3, 3, 4, 5][format]].to_vec())
}
