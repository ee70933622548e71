//! The description of an FSE table: how often each symbol occurs in it.

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
