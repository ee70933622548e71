//! Prefix codes of limited length, and their bits (RFC 1951, 3.2.2).
//!
//! [`code_lengths`] takes how often each symbol occurs and returns the length of each symbol's code. The encoder
//! calls it for the three codes of a block, and so can encoders of other formats: bzip2 allows more bits, but has
//! no larger alphabet. It allocates nothing.

/// The greatest number of symbols. No alphabet of DEFLATE has more.
pub const SYMBOLS_MAX: usize = 288;
const SYMBOL_BITS: u32 = 9;
const LENGTH_LIMIT: usize = 15;

/// Sets `lengths` to the code lengths of a complete code of at most `limit` bits. The code is optimal if the limit
/// does not bind, else nearly so.
///
/// At least two symbols get a code, whether they occur or not, so that the code is complete. Symbols that do not
/// occur otherwise have the length 0.
///
/// `freqs` says how often each symbol occurs: at most [`SYMBOLS_MAX`] numbers whose sum is below 2^23. `lengths` has
/// two places at least, and one for each symbol. The limit is at most 30, and 2^limit no less than the number of
/// symbols. The function panics or makes a useless code if this does not hold.
///
/// ```
/// let mut lengths = [0; 5];
/// pzcomp_deflate::huffman::code_lengths(&[40, 10, 0, 5, 5], 15, &mut lengths);
/// assert_eq!(lengths, [1, 2, 0, 3, 3]);
/// ```
pub fn code_lengths(freqs: &[u32], limit: u32, lengths: &mut [u8]) {
    lengths.fill(0);
    let mut nodes = [0_u32; SYMBOLS_MAX];
    let mut used = 0;
    for (symbol, &freq) in freqs.iter().enumerate() {
        nodes[used] = freq << SYMBOL_BITS | symbol as u32;
        used += usize::from(freq > 0);
    }
    if used < 2 {
        let only = if used == 1 { nodes[0] as usize & ((1 << SYMBOL_BITS) - 1) } else { 0 };
        lengths[only] = 1;
        lengths[usize::from(only == 0)] = 1;
        return;
    }
    let nodes = &mut nodes[..used];
    nodes.sort_unstable();
    let mut symbols = [0_u16; SYMBOLS_MAX];
    for (symbol, node) in symbols.iter_mut().zip(nodes.iter_mut()) {
        *symbol = (*node & ((1 << SYMBOL_BITS) - 1)) as u16;
        *node >>= SYMBOL_BITS;
    }
    let mut counts = depths(nodes);
    limit_depths(&mut counts, limit as usize);
    // The rarest symbols come first and get the longest codes.
    let mut rest = &symbols[..used];
    for (length, &count) in counts.iter().enumerate().rev() {
        let (now, later) = rest.split_at((count as usize).min(rest.len()));
        now.iter().for_each(|&symbol| lengths[usize::from(symbol)] = length as u8);
        rest = later;
    }
}

/// The number of leaves of the Huffman tree at each depth, for at least two weights in rising order.
///
/// The algorithm of Moffat and Katajainen works in place: a slot holds a weight, then a parent, then a depth. Leaves
/// deeper than 31 count as 31, which no limit allows.
fn depths(nodes: &mut [u32]) -> [u32; 32] {
    let last = nodes.len() - 1;
    let (mut leaf, mut inner) = (0, 0);
    for next in 0..last {
        let mut weight = 0;
        for _ in 0..2 {
            if leaf > last || (inner < next && nodes[inner] < nodes[leaf]) {
                weight += nodes[inner];
                nodes[inner] = next as u32;
                inner += 1;
            } else {
                weight += nodes[leaf];
                leaf += 1;
            }
        }
        nodes[next] = weight;
    }
    // The root is the last of the inner nodes.
    nodes[last - 1] = 0;
    for node in (0..last - 1).rev() {
        nodes[node] = nodes[nodes[node] as usize] + 1;
    }
    let mut counts = [0; 32];
    let (mut depth, mut open, mut node) = (0_usize, 1_u32, last);
    while open > 0 {
        let mut inner = 0;
        while node > 0 && nodes[node - 1] as usize == depth {
            inner += 1;
            node -= 1;
        }
        counts[depth.min(31)] += open - inner;
        open = 2 * inner;
        depth += 1;
    }
    counts
}

/// Moves leaves up until none is deeper than `limit`. Each step pairs a leaf from the bottom with the deepest leaf
/// above it, which costs the least.
fn limit_depths(counts: &mut [u32; 32], limit: usize) {
    let deep: u32 = counts[limit + 1..].iter().sum();
    if deep == 0 {
        return;
    }
    counts[limit + 1..].fill(0);
    counts[limit] += deep;
    let space: u32 = (1..=limit).map(|length| counts[length] << (limit - length)).sum();
    for _ in 1 << limit..space {
        let Some(length) = (1..limit).rev().find(|&length| counts[length] > 0) else { return };
        counts[length] -= 1;
        counts[length + 1] += 2;
        counts[limit] -= 1;
    }
}

/// The codes that belong to `lengths`, as DEFLATE writes them: first bit lowest.
pub(crate) fn codes(lengths: &[u8], codes: &mut [u16]) {
    let mut next = [0_u32; LENGTH_LIMIT + 1];
    for &length in lengths {
        next[usize::from(length) & LENGTH_LIMIT] += 1;
    }
    next[0] = 0;
    let mut code = 0;
    for count in &mut next {
        let first = code;
        code = (code + *count) << 1;
        *count = first;
    }
    for (code, &length) in codes.iter_mut().zip(lengths) {
        let next = &mut next[usize::from(length) & LENGTH_LIMIT];
        // A length of zero shifts everything out.
        *code = ((*next as u16).reverse_bits() as u32 >> (16 - u32::from(length))) as u16;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_the_specification() {
        // RFC 1951, 3.2.2: lengths 3, 3, 3, 3, 3, 2, 4, 4 have the codes 010 … 110, 00, 1110, 1111.
        let mut got = [0; 8];
        codes(&[3, 3, 3, 3, 3, 2, 4, 4], &mut got);
        assert_eq!(got, [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111]);
    }
}
