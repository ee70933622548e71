//! Finite state entropy, the arithmetic code of zstd (RFC 8878, section 4.1): the description of a table,
//! and the table that it makes.

use crate::bits::bits_at;

/// What a description says, except the counts, which the caller's array holds.
pub(crate) struct Counts {
    /// The number of symbols that the description covers. The last one occurs.
    pub symbols: usize,
    /// The table has two to the power of this many states.
    pub accuracy_log: u32,
    /// The length of the description in bytes.
    pub len: usize,
}

/// Reads the description at the start of `bytes`. A count of −1 stands for "less than one": one state, which is the
/// last one left. The length of `counts` is the greatest number of symbols. None if the description is not valid.
pub(crate) fn read_counts(bytes: &[u8], counts: &mut [i16]) -> Option<Counts> {
    counts.fill(0);
    let accuracy_log = bits_at(bytes, 0, 4) as u32 + 5;
    if accuracy_log > 15 {
        return None;
    }
    let mut at = 4;
    // What a symbol can take, with the zero flags of its run, is read from one word most of the time.
    let mut word = bits_at(bytes, 0, 56);
    let mut word_at = 0;
    // One more than the states that are not given away yet.
    let mut remaining = (1 << accuracy_log) + 1;
    let mut width = accuracy_log + 1;
    let mut symbol = 0;
    while remaining > 1 {
        // The values below `short` take one bit less.
        let half = 1 << (width - 1);
        let short = 2 * half - 1 - remaining;
        if at - word_at > 56 - 24 {
            (word, word_at) = (bits_at(bytes, at, 56), at);
        }
        let bits = (word >> (at - word_at)) as i32 & (2 * half - 1);
        let mut value = bits & (half - 1);
        if value < short {
            at += width as usize - 1;
        } else {
            if bits >= half {
                value = bits - short;
            }
            at += width as usize;
        }
        let count = value - 1;
        *counts.get_mut(symbol)? = count as i16;
        symbol += 1;
        remaining -= count.abs();
        while remaining > 1 && remaining < 1 << (width - 1) {
            width -= 1;
        }
        if count == 0 {
            // Two bits say how many symbols with zero follow; three says that another two bits come.
            loop {
                let zeros = bits_at(bytes, at, 2) as usize;
                at += 2;
                symbol += zeros;
                if zeros < 3 {
                    break;
                }
            }
            if symbol >= counts.len() {
                return None;
            }
        }
    }
    let len = at.div_ceil(8);
    (len <= bytes.len()).then_some(Counts { symbols: symbol, accuracy_log, len })
}

/// What a state stands for: a value, and the next state. Both are partly in the stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(8))]
pub(crate) struct Entry {
    /// How many bits of the stream are added to `next`.
    pub state_bits: u8,
    /// How many bits of the stream are added to `base`.
    pub extra_bits: u8,
    /// The next state.
    pub next: u16,
    /// The value, or the symbol.
    pub base: u32,
}

/// The part of an entry that depends on the symbol only.
pub(crate) const fn symbol_part(base: u32, extra_bits: u8) -> Entry {
    Entry { state_bits: 0, extra_bits, next: 0, base }
}

/// Fills `table[..1 << accuracy_log]`. `parts` has the [`symbol_part`] of each symbol. `counts` has an entry for each
/// symbol and adds up to the length of the table, as [`read_counts`] makes sure.
pub(crate) fn build(table: &mut [Entry], counts: &[i16], accuracy_log: u32, parts: &[Entry]) {
    let size = 1_usize << accuracy_log;
    let table = &mut table[..size];
    let mask = size - 1;
    let mut symbols = [0_u8; 512];
    // Each symbol as often as it occurs. Runs are written eight at a time, so there is room behind.
    let mut runs = [0_u8; 512 + 8];
    let mut filled = 0;
    let mut next = [0_u16; 256];
    let mut high = size;
    for (symbol, &count) in counts.iter().enumerate() {
        next[symbol] = count.unsigned_abs();
        if count < 0 {
            high -= 1;
            symbols[high] = symbol as u8;
        }
        for at in (0..count.max(0) as usize).step_by(8) {
            runs[filled + at..][..8].fill(symbol as u8);
        }
        filled += count.max(0) as usize;
    }
    // The symbols that occur less than once have the last states. All others are spread over the states below: a step
    // that leads to a state above is made, and takes no symbol.
    let lows = symbols;
    let step = (size >> 1) + (size >> 3) + 3;
    let mut at = 0;
    let mut taken = 0;
    for _ in 0..size {
        symbols[at] = runs[taken];
        taken += usize::from(at < high);
        at = (at + step) & mask;
    }
    symbols[high..size].copy_from_slice(&lows[high..size]);
    for (entry, &symbol) in table.iter_mut().zip(&symbols) {
        let symbol = usize::from(symbol);
        let number = u32::from(next[symbol]);
        next[symbol] += 1;
        let bits = accuracy_log - number.ilog2();
        let base = (number << bits) - size as u32;
        *entry = Entry { state_bits: bits as u8, next: base as u16, ..parts[symbol] };
    }
}

/// Fills the one state of an RLE table: the same code again and again.
pub(crate) fn build_rle(table: &mut [Entry], part: Entry) {
    table[0] = part;
}
