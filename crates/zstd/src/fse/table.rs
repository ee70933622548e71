//! Decoding tables of FSE.

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
/// symbol and adds up to the length of the table, as [`super::read_counts`] makes sure.
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
