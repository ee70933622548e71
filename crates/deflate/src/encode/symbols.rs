//! The alphabets of RFC 1951, 3.2.5: the symbol and the extra bits of each length and distance.
//!
//! The parser counts symbols by these tables, and the block writer writes them.

pub(super) const END_OF_BLOCK: usize = 256;
pub(super) const LITLEN_SYMBOLS: usize = 286;
pub(super) const DIST_SYMBOLS: usize = 30;
/// The length of tables with an entry for each distance symbol. It is a power of two.
pub(super) const DIST_SLOTS: usize = 32;
pub(super) const LEN_MIN: usize = 3;
pub(super) const LEN_MAX: usize = 258;

/// Extra bits of the length symbols, which follow the end of block.
pub(super) const LEN_EXTRA_BITS: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];

/// The symbol and the extra bits of a match length.
#[derive(Clone, Copy)]
pub(super) struct LenSlot {
    /// Its symbol, counted from the first length symbol.
    pub(super) slot: u8,
    pub(super) extra_bits: u8,
    pub(super) extra: u8,
}

/// The entries, by length less [`LEN_MIN`].
pub(super) static LEN_SLOTS: [LenSlot; 256] = {
    let mut slots = [LenSlot { slot: 28, extra_bits: 0, extra: 0 }; 256];
    let (mut slot, mut len) = (0, 0);
    while slot < 28 {
        let mut extra = 0;
        // The greatest length has its own symbol, although the symbol before has a value left for it.
        while extra < 1 << LEN_EXTRA_BITS[slot] && len < 255 {
            slots[len] = LenSlot { slot: slot as u8, extra_bits: LEN_EXTRA_BITS[slot], extra };
            extra += 1;
            len += 1;
        }
        slot += 1;
    }
    slots
};

/// The symbol of a distance and its extra bits. The first two distances have one symbol each; then each power of two
/// has two symbols.
#[inline(always)]
pub(super) fn dist_slot(dist: u32) -> (u32, u32) {
    let less = dist.wrapping_sub(1);
    let extra_bits = 30 - (less | 2).leading_zeros();
    ((less >> extra_bits) + 2 * extra_bits, less & ((1 << extra_bits) - 1))
}

/// How many extra bits a distance symbol has.
pub(super) const fn dist_extra_bits(slot: u32) -> u32 {
    (slot >> 1).saturating_sub(1)
}
