//! What symbols cost, in parts of a bit.
//!
//! A price is the logarithm of a probability. Prices of bits come from a table; those of lengths and distances are sums
//! that are kept, and computed again after some matches. `parse.rs` adds them up.

use crate::model::{
    ALIGN_BITS, LENGTH_STATES, Lengths, LiteralTrees, MATCH_MAX, MATCH_MIN, Model, NEAR, POSITION_STATES,
    SLOT_DIRECT, Symbol, near_tree, slot, slot_base,
};
use crate::range::PROBABILITY_BITS;

/// A bit costs `1 << PRICE_BITS`.
pub(crate) const PRICE_BITS: u32 = 6;
/// Probabilities share a price if they differ in the lowest bits only.
const DROPPED_BITS: u32 = 4;
const STEPS: usize = 1 << (PROBABILITY_BITS - DROPPED_BITS);

/// The price of each step of probabilities.
static BIT: [u16; STEPS] = bit_prices();

const fn bit_prices() -> [u16; STEPS] {
    let mut prices = [0; STEPS];
    let mut step = 0;
    while step < STEPS {
        // The logarithm, bit by bit: a square doubles it.
        let mut value = ((step as u64) << DROPPED_BITS) + (1 << (DROPPED_BITS - 1));
        let mut whole = 0;
        let mut at = 0;
        while at < PRICE_BITS {
            value *= value;
            whole *= 2;
            while value >= 1 << 16 {
                value >>= 1;
                whole += 1;
            }
            at += 1;
        }
        // The value is below 1 << 16 now; its own whole bits are what is left.
        let left = 63 - value.leading_zeros();
        let log = whole + left;
        let most = PROBABILITY_BITS << PRICE_BITS;
        prices[step] = if log < most { (most - log) as u16 } else { 1 };
        step += 1;
    }
    prices
}

/// The price of a bit.
#[inline]
pub(crate) fn bit(probability: u16, bit: bool) -> u32 {
    let flipped = u32::from(probability) ^ (u32::from(bit).wrapping_neg() & ((1 << PROBABILITY_BITS) - 1));
    u32::from(BIT[(flipped >> DROPPED_BITS) as usize & (STEPS - 1)])
}

fn tree<const LEN: usize>(tree: &[u16; LEN], value: u32) -> u32 {
    let mut price = 0;
    let mut node = value as usize + LEN;
    while node > 1 {
        price += bit(tree[node >> 1], node & 1 == 1);
        node >>= 1;
    }
    price
}

fn reverse_tree(tree: &[u16], value: u32, count: u32) -> u32 {
    let (mut price, mut node) = (0, 1);
    for at in 0..count {
        let one = value >> at & 1;
        price += bit(tree[node - 1], one == 1);
        node = node << 1 | one as usize;
    }
    price
}

/// The price of a literal behind a literal.
#[inline]
pub(crate) fn literal(trees: &LiteralTrees, byte: u8) -> u32 {
    let symbol = u32::from(byte) | 0x100;
    (0..8).map(|shift| bit(trees[(symbol >> (shift + 1)) as usize], symbol >> shift & 1 == 1)).sum()
}

/// The price of a literal behind a match. `hint` is the byte at the last distance.
#[inline]
pub(crate) fn matched_literal(trees: &LiteralTrees, byte: u8, hint: u8) -> u32 {
    let (mut hint, mut offset, mut price) = (u32::from(hint), 0x100, 0);
    let symbol = u32::from(byte) | 0x100;
    for shift in (0..8).rev() {
        hint <<= 1;
        let node = offset + (hint & offset) + (symbol >> (shift + 1));
        let one = symbol >> shift & 1;
        price += bit(trees[node as usize], one == 1);
        offset &= if one == 1 { hint } else { !hint };
    }
    price
}

/// Prices of what depends on the state and the position only.
#[derive(Clone, Copy)]
pub(crate) struct Kinds<'a> {
    model: &'a Model,
    state: usize,
    position_state: usize,
    /// The price of a literal, without its byte.
    pub(crate) literal: u32,
    matched: u32,
}

impl<'a> Kinds<'a> {
    #[inline]
    pub(crate) fn new(model: &'a Model, state: usize, position_state: usize) -> Self {
        let is_match = model.is_match[state][position_state];
        let (literal, matched) = (bit(is_match, false), bit(is_match, true));
        Self { model, state, position_state, literal, matched }
    }

    /// The price of a match, without its length and distance.
    #[inline]
    pub(crate) fn a_match(self) -> u32 {
        self.matched + bit(self.model.is_repeat[self.state], false)
    }

    #[inline]
    pub(crate) fn repeat(self) -> u32 {
        self.matched + bit(self.model.is_repeat[self.state], true)
    }

    #[inline]
    pub(crate) fn short(self) -> u32 {
        self.repeat()
            + bit(self.model.is_not_first[self.state], false)
            + bit(self.model.is_long[self.state][self.position_state], false)
    }

    /// The price of a match at one of the last distances, without its length.
    #[inline]
    pub(crate) fn long(self, index: usize) -> u32 {
        let Self { model, state, .. } = self;
        let later = bit(model.is_not_first[state], index > 0);
        self.repeat()
            + later
            + match index {
                0 => bit(model.is_long[state][self.position_state], true),
                1 => bit(model.is_not_second[state], false),
                _ => bit(model.is_not_second[state], true) + bit(model.is_fourth[state], index > 2),
            }
    }
}

const LENGTHS: usize = (MATCH_MAX - MATCH_MIN + 1) as usize;

/// The prices of all lengths, from the least on.
pub(crate) type LengthPrices = [u32; LENGTHS];

/// The prices that are sums of many bits.
pub(crate) struct Prices {
    pub(crate) match_lengths: [LengthPrices; POSITION_STATES],
    pub(crate) repeat_lengths: [LengthPrices; POSITION_STATES],
    near: [[u32; NEAR]; LENGTH_STATES],
    /// With the bits that have chances of a half.
    slots: [[u32; 64]; LENGTH_STATES],
    align: [u32; 1 << ALIGN_BITS],
    slots_used: usize,
    dear: Dear,
}

/// How many symbols were coded since prices were computed.
#[derive(Default)]
struct Dear {
    matches: u32,
    far: u32,
    lengths: u32,
    repeats: u32,
}

impl Prices {
    /// For a model, and distances up to `distance_max`.
    pub(crate) fn new(model: &Model, distance_max: usize) -> Box<Self> {
        let farthest = u32::try_from(distance_max.max(1) - 1).unwrap_or(u32::MAX);
        let mut prices = Box::new(Self {
            match_lengths: [[0; _]; _],
            repeat_lengths: [[0; _]; _],
            near: [[0; _]; _],
            slots: [[0; _]; _],
            align: [0; _],
            slots_used: slot(farthest) as usize + 1,
            dear: Dear::default(),
        });
        prices.update_all(model);
        prices
    }

    /// Computes all prices.
    pub(crate) fn update_all(&mut self, model: &Model) {
        self.update_distances(model);
        self.update_align(model);
        update_lengths(&mut self.match_lengths, &model.match_lengths);
        update_lengths(&mut self.repeat_lengths, &model.repeat_lengths);
        self.dear = Dear::default();
    }

    /// Counts a symbol that is coded.
    #[inline]
    pub(crate) fn count(&mut self, symbol: Symbol) {
        if symbol.source.is_literal() {
            return;
        }
        if symbol.source.as_repeat().is_some() {
            self.dear.repeats += 1;
        } else {
            self.dear.matches += 1;
            self.dear.lengths += 1;
            self.dear.far += u32::from(symbol.source.as_distance() as usize >= NEAR);
        }
    }

    /// Computes those prices again that are too old.
    #[inline]
    pub(crate) fn refresh<const PATIENCE: u32>(&mut self, model: &Model) {
        if self.dear.matches >= 64 * PATIENCE {
            self.update_distances(model);
            self.dear.matches = 0;
        }
        if self.dear.far >= 16 * PATIENCE {
            self.update_align(model);
            self.dear.far = 0;
        }
        if self.dear.lengths >= 128 * PATIENCE {
            update_lengths(&mut self.match_lengths, &model.match_lengths);
            self.dear.lengths = 0;
        }
        if self.dear.repeats >= 128 * PATIENCE {
            update_lengths(&mut self.repeat_lengths, &model.repeat_lengths);
            self.dear.repeats = 0;
        }
    }

    /// The price of a distance, less one, without the length.
    #[inline]
    pub(crate) fn distance(&self, length_state: usize, distance: u32) -> u32 {
        if (distance as usize) < NEAR {
            self.near[length_state][distance as usize]
        } else {
            let align = distance as usize & ((1 << ALIGN_BITS) - 1);
            self.slots[length_state][slot(distance) as usize & 63] + self.align[align]
        }
    }

    fn update_distances(&mut self, model: &Model) {
        let mut rests = [0; NEAR];
        for (distance, rest) in rests.iter_mut().enumerate().skip(4) {
            let slot = slot(distance as u32);
            let (bits, base) = slot_base(slot);
            *rest = reverse_tree(&model.near[near_tree(slot)..], distance as u32 - base, bits);
        }
        for (trees, (slots, near)) in model.slots.iter().zip(self.slots.iter_mut().zip(&mut self.near)) {
            for (slot, price) in slots.iter_mut().enumerate().take(self.slots_used) {
                let slot = slot as u32;
                *price = tree(trees, slot);
                if slot >= SLOT_DIRECT {
                    *price += (slot_base(slot).0 - ALIGN_BITS) << PRICE_BITS;
                }
            }
            for (distance, (price, rest)) in near.iter_mut().zip(rests).enumerate() {
                *price = slots[slot(distance as u32) as usize] + rest;
            }
        }
    }

    fn update_align(&mut self, model: &Model) {
        for (value, price) in self.align.iter_mut().enumerate() {
            *price = reverse_tree(&model.align, value as u32, ALIGN_BITS);
        }
    }
}

fn update_lengths(prices: &mut [LengthPrices; POSITION_STATES], model: &Lengths) {
    let (low, not_low) = (bit(model.is_not_low, false), bit(model.is_not_low, true));
    let (middle, high) = (not_low + bit(model.is_high, false), not_low + bit(model.is_high, true));
    let highs: [u32; 256] = std::array::from_fn(|value| high + tree(&model.high, value as u32));
    for (state, prices) in prices.iter_mut().enumerate() {
        for value in 0..8 {
            prices[value] = low + tree(&model.low[state], value as u32);
            prices[8 + value] = middle + tree(&model.middle[state], value as u32);
        }
        prices[16..].copy_from_slice(&highs);
    }
}
