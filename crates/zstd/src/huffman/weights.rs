//! The description of a Huffman table: the weight of each symbol (RFC 8878, section 4.2.1).

use crate::bits::{bits_below, stream_top};
use crate::fse::{self, Counts, Entry, read_counts};

/// The longest code. The format says 11. libzstd has always decoded 12, and so does this crate.
pub(crate) const CODE_BITS_MAX: u32 = 12;

/// The greatest accuracy of the table with which weights are coded.
const ACCURACY_LOG_MAX: u32 = 6;

/// The most symbols of a table with which weights are coded, as far as libzstd has room for it.
const SYMBOLS_MAX: usize = 92;

/// The weights of a table.
pub(crate) struct Weights {
    /// A code has `code_bits + 1 - weight` bits. Symbols with weight 0 do not occur.
    pub weights: [u8; 256],
    /// The number of symbols, of which the last one occurs.
    pub symbols: usize,
    /// The length of the longest code.
    pub code_bits: u32,
}

/// The length of the description at the start of `bytes`, if all of it is there.
pub(crate) fn description_len(bytes: &[u8]) -> Option<usize> {
    let head = usize::from(*bytes.first()?);
    let len = 1 + if head >= 128 { (head - 127).div_ceil(2) } else { head };
    (len <= bytes.len()).then_some(len)
}

/// Reads a whole description. None if it is not valid.
pub(crate) fn read_weights(description: &[u8]) -> Option<Weights> {
    let (&head, body) = description.split_first()?;
    let mut weights = [0; 256];
    let mut symbols;
    if head >= 128 {
        symbols = usize::from(head) - 127;
        if body.len() < symbols.div_ceil(2) {
            return None;
        }
        for (pair, &byte) in weights.chunks_exact_mut(2).zip(&body[..symbols.div_ceil(2)]) {
            pair.copy_from_slice(&[byte >> 4, byte & 15]);
        }
        // The second half of the last byte is not a weight if the number is odd.
        weights[symbols] = 0;
    } else {
        symbols = read_coded(body.get(..usize::from(head))?, &mut weights)?;
    }

    let mut total = 0_u32;
    for &weight in &weights[..symbols] {
        if u32::from(weight) > CODE_BITS_MAX {
            return None;
        }
        total += (1 << weight) >> 1;
    }
    if total == 0 {
        return None;
    }
    // The weight of the last symbol fills the code up to a power of two.
    let code_bits = total.ilog2() + 1;
    let rest = (1_u32 << code_bits) - total;
    if code_bits > CODE_BITS_MAX || !rest.is_power_of_two() {
        return None;
    }
    weights[symbols] = rest.ilog2() as u8 + 1;
    symbols += 1;
    let longest = weights[..symbols].iter().filter(|&&weight| weight == 1).count();
    (longest >= 2 && longest % 2 == 0).then_some(Weights { weights, symbols, code_bits })
}

/// Decodes weights that are coded with FSE, by two states that take turns. Gives their number, at most 255.
fn read_coded(bytes: &[u8], weights: &mut [u8; 256]) -> Option<usize> {
    let mut counts = [0; SYMBOLS_MAX];
    let Counts { symbols, accuracy_log, len } = read_counts(bytes, &mut counts)?;
    // libzstd has room for twelve symbols in the greater table.
    let symbols_max = if accuracy_log == ACCURACY_LOG_MAX { 12 } else { SYMBOLS_MAX };
    if accuracy_log > ACCURACY_LOG_MAX || symbols > symbols_max {
        return None;
    }
    let mut parts = [Entry::default(); SYMBOLS_MAX];
    for (symbol, part) in parts[..symbols].iter_mut().enumerate() {
        *part = fse::symbol_part(symbol as u32, 0);
    }
    let mut entries = [Entry::default(); 1 << ACCURACY_LOG_MAX];
    fse::build(&mut entries, &counts[..symbols], accuracy_log, &parts);

    let start = len * 8;
    let mut at = stream_top(bytes).filter(|&top| top >= start)?;
    let mut states = [0_usize; 2];
    for state in &mut states {
        *state = bits_below(bytes, start, at, accuracy_log) as usize;
        at = at.checked_sub(accuracy_log as usize).filter(|&at| at >= start)?;
    }
    let mut filled = 0;
    loop {
        // Two more must fit: this one, and the other state's if the stream ends here.
        if filled > 253 {
            return None;
        }
        let entry = entries[states[0]];
        weights[filled] = entry.base as u8;
        filled += 1;
        let bits = usize::from(entry.state_bits);
        if at - start < bits {
            weights[filled] = entries[states[1]].base as u8;
            return Some(filled + 1);
        }
        states[0] = usize::from(entry.next) + bits_below(bytes, start, at, bits as u32) as usize;
        at -= bits;
        states.swap(0, 1);
    }
}
