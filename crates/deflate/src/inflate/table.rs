//! Prefix codes as lookup tables (RFC 1951, 3.2.2).
//!
//! [`build`] takes the code lengths of an alphabet and the meanings of its symbols, and fills a table that is
//! indexed with the next bits of the stream. Codes longer than the root of the table continue in subtables behind
//! it. It refuses the codes that zlib refuses. `code.rs` calls it for each block.

use super::code::{Entry, LITLEN_SYMBOLS};

const CODE_LEN_MAX: usize = 15;

/// The use of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Litlen,
    Distance,
    Precode,
}

/// Numbers of codes, by their length.
type Counts = [u16; CODE_LEN_MAX + 1];

/// Fills the table of the code with these lengths, whose symbols mean `meanings`. Returns false if the code is
/// not valid.
///
/// Complete codes are valid. As in zlib, a code of literals or distances may also have one code of one bit, or
/// none at all.
pub(super) fn build(
    kind: Kind,
    lens: &[u8],
    meanings: &[Entry],
    root_bits: u32,
    table: &mut [Entry],
) -> bool {
    let mut counts: Counts = [0; CODE_LEN_MAX + 1];
    for &len in lens {
        counts[usize::from(len & 15)] += 1;
    }
    counts[0] = 0;
    // How much of the space of all codes is left, counted in codes of the current length.
    let mut left = 1_i32;
    // The place of the first symbol of each length, when the symbols are sorted by length.
    let mut places = [0_u16; CODE_LEN_MAX + 2];
    for len in 1..=CODE_LEN_MAX {
        left = 2 * left - i32::from(counts[len]);
        if left < 0 {
            return false;
        }
        places[len + 1] = places[len] + counts[len];
    }
    let used = places[CODE_LEN_MAX + 1];
    if left > 0 {
        if used > counts[1] || kind == Kind::Precode {
            return false;
        }
        // Bits that are no code are an error where they occur.
        let root = &mut table[..1 << root_bits];
        root.fill(Entry::nothing(1));
        if let Some(symbol) = lens.iter().position(|&len| len == 1) {
            let entry = meanings[symbol].with_len(1);
            root.iter_mut().step_by(2).for_each(|place| *place = entry);
        }
        return true;
    }
    // Symbols without a code are put behind the others. A branch that skips them would be hard to predict.
    places[0] = used;
    let mut sorted = [0_u16; LITLEN_SYMBOLS];
    for (symbol, &len) in lens.iter().enumerate() {
        let place = &mut places[usize::from(len & 15)];
        sorted[usize::from(*place)] = symbol as u16;
        *place += 1;
    }
    let entries = sorted[..usize::from(used)].iter().map(|&symbol| meanings[usize::from(symbol)]);
    let mut filler = Filler { table, root_bits, code: 0, entries };
    if kind == Kind::Litlen {
        filler.fill_root::<true>(&counts);
    } else {
        filler.fill_root::<false>(&counts);
    }
    filler.fill_subtables(&counts);
    true
}

/// Fills the table of a complete code, from short codes to long ones.
struct Filler<'a, I> {
    table: &'a mut [Entry],
    root_bits: u32,
    /// The next code, its first bit lowest, as it comes in the stream.
    code: usize,
    /// The meanings of the codes, in the order of the codes.
    entries: I,
}

impl<I: Iterator<Item = Entry>> Filler<'_, I> {
    /// Fills the part that the first bits index; with `PAIRS`, entries hold two literals where they can.
    fn fill_root<const PAIRS: bool>(&mut self, counts: &Counts) {
        let mut literals = Literals::default();
        // The table is made for codes of one bit, and doubled from length to length.
        let mut end = 1;
        for len in 1..=self.root_bits {
            self.table.copy_within(..end, end);
            end *= 2;
            for _ in 0..counts[len as usize] {
                let Some(entry) = self.entries.next() else { return };
                let entry = entry.with_len(len);
                self.table[self.code] = entry;
                if PAIRS && entry.is_literal() {
                    literals.push(self.code, entry);
                }
                self.advance(len);
            }
            if PAIRS {
                literals.end_of_len(len);
                literals.pairs(len, &mut self.table[..end]);
            }
        }
    }

    fn fill_subtables(&mut self, counts: &Counts) {
        let root_len = 1 << self.root_bits;
        let (mut prefix, mut start, mut end) = (usize::MAX, root_len, root_len);
        for len in self.root_bits + 1..=CODE_LEN_MAX as u32 {
            let len_in_subtable = len - self.root_bits;
            for remaining in (1..=usize::from(counts[len as usize])).rev() {
                let Some(entry) = self.entries.next() else { return };
                if self.code & (root_len - 1) != prefix {
                    prefix = self.code & (root_len - 1);
                    let bits = self.subtable_bits(len, remaining, counts);
                    start = end;
                    end += 1 << bits;
                    self.table[prefix] = Entry::subtable(start, bits, self.root_bits);
                }
                let entry = entry.with_len(len_in_subtable);
                let first = start + (self.code >> self.root_bits);
                let places = self.table[first..end].iter_mut().step_by(1 << len_in_subtable);
                places.for_each(|place| *place = entry);
                self.advance(len);
            }
        }
    }

    /// How many bits index the subtable whose first code has the length `len`, of which there are
    /// `remaining`: enough for its longest code.
    fn subtable_bits(&self, len: u32, remaining: usize, counts: &Counts) -> u32 {
        let mut bits = len - self.root_bits;
        let mut used = remaining;
        while used < 1 << bits {
            bits += 1;
            used = 2 * used + usize::from(counts[(self.root_bits + bits) as usize]);
        }
        bits
    }

    /// Moves on to the next code of the same length, or to the first longer code if this was the last.
    #[inline(always)]
    fn advance(&mut self, len: u32) {
        // One is added at the last bit, and carries towards the first.
        let zeros = !self.code & ((1 << len) - 1);
        if let Some(highest) = zeros.checked_ilog2() {
            let bit = 1 << highest;
            self.code = self.code & (bit - 1) | bit;
        }
    }
}

/// The literals whose codes fit into the root, in the order of their codes.
struct Literals {
    codes: [(u16, Entry); 256],
    /// For each length, where its literals end.
    ends: [u16; CODE_LEN_MAX + 1],
    len: u16,
}

impl Default for Literals {
    fn default() -> Self {
        Self { codes: [(0, Entry::default()); 256], ends: [0; CODE_LEN_MAX + 1], len: 0 }
    }
}

impl Literals {
    #[inline(always)]
    fn push(&mut self, code: usize, entry: Entry) {
        self.codes[usize::from(self.len & 255)] = (code as u16, entry);
        self.len += 1;
    }

    fn end_of_len(&mut self, len: u32) {
        self.ends[len as usize & CODE_LEN_MAX] = self.len;
    }

    fn of_len(&self, len: u32) -> &[(u16, Entry)] {
        let end = |len| usize::from(self.ends[len as usize & CODE_LEN_MAX]);
        &self.codes[end(len - 1)..end(len)]
    }

    /// Writes the pairs whose codes have `len` bits together. They replace the entries of their first literals.
    fn pairs(&self, len: u32, table: &mut [Entry]) {
        for first_len in 1..len {
            let seconds = self.of_len(len - first_len);
            for &(first_code, first) in self.of_len(first_len) {
                for &(second_code, second) in seconds {
                    let code = usize::from(first_code) | usize::from(second_code) << first_len;
                    table[code] = Entry::pair(first, second);
                }
            }
        }
    }
}
