//! The probabilities of LZMA, and how literals and matches are coded with them.
//!
//! The parser reads the probabilities to know what symbols cost; the encoder codes symbols and adapts them. `lc` is 3,
//! `lp` is 0 and `pb` is 2, as in all presets of xz and in lzip.

use crate::range::{HALF, Out, Range, RangeEncoder};

/// Literals depend on this many high bits of the byte before.
const LITERAL_CONTEXT_BITS: u32 = 3;
/// Matches and lengths depend on the lowest bits of the position.
pub(crate) const POSITION_BITS: u32 = 2;
pub(crate) const POSITION_STATES: usize = 1 << POSITION_BITS;
/// `lc`, `lp` and `pb` in one byte.
pub(crate) const PROPERTIES: u8 = ((POSITION_BITS * 5) * 9 + LITERAL_CONTEXT_BITS) as u8;

pub(crate) const MATCH_MIN: u32 = 2;
pub(crate) const MATCH_MAX: u32 = 273;
/// The distance, less one, of the match that marks the end.
pub(crate) const END_DISTANCE: u32 = u32::MAX;

const STATES: usize = 12;
/// Slots from this one on have bits with chances of a half.
pub(crate) const SLOT_DIRECT: u32 = 14;
/// Distances below this one, less one, belong to slots with bits of their own in the model.
pub(crate) const NEAR: usize = 1 << (SLOT_DIRECT / 2);
/// The lowest bits of far distances are in the model too.
pub(crate) const ALIGN_BITS: u32 = 4;
/// The slot depends on the length, up to this number of lengths.
pub(crate) const LENGTH_STATES: usize = 4;

/// Which kinds of symbols came last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct State(u8);

impl State {
    #[inline]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0 & 15).min(STATES - 1)
    }

    /// Whether the last symbol was a literal.
    #[inline]
    pub(crate) fn is_literal(self) -> bool {
        self.0 < 7
    }

    #[inline]
    pub(crate) fn after_literal(self) -> Self {
        const NEXT: [u8; 16] = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5, 0, 0, 0, 0];
        Self(NEXT[usize::from(self.0 & 15)])
    }

    #[inline]
    pub(crate) fn after_match(self) -> Self {
        Self(if self.is_literal() { 7 } else { 10 })
    }

    #[inline]
    pub(crate) fn after_repeat(self) -> Self {
        Self(if self.is_literal() { 8 } else { 11 })
    }

    #[inline]
    pub(crate) fn after_short(self) -> Self {
        Self(if self.is_literal() { 9 } else { 11 })
    }
}

/// Where a symbol takes its bytes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Source(u32);

impl Source {
    pub(crate) const LITERAL: Self = Self(u32::MAX);

    /// One of the last four distances. With length 1 and the first of them, it is the short repeat.
    #[inline]
    pub(crate) fn repeat(index: usize) -> Self {
        Self(index as u32)
    }

    /// A distance, less one.
    #[inline]
    pub(crate) fn distance(distance: u32) -> Self {
        Self(distance + 4)
    }

    #[inline]
    pub(crate) fn is_literal(self) -> bool {
        self == Self::LITERAL
    }

    #[inline]
    pub(crate) fn as_repeat(self) -> Option<usize> {
        (self.0 < 4).then_some(self.0 as usize)
    }

    #[inline]
    pub(crate) fn as_distance(self) -> u32 {
        self.0.wrapping_sub(4)
    }
}

/// A literal or a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    pub(crate) len: u32,
    pub(crate) source: Source,
}

/// The state and the last four distances, less one each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context {
    pub(crate) state: State,
    pub(crate) repeats: [u32; 4],
}

impl Context {
    /// The context behind a symbol.
    #[inline]
    pub(crate) fn after(&self, symbol: Symbol) -> Self {
        let (state, [a, b, c, d]) = (self.state, self.repeats);
        if symbol.source.is_literal() {
            return Self { state: state.after_literal(), ..*self };
        }
        let repeats = match symbol.source.as_repeat() {
            Some(0) if symbol.len == 1 => return Self { state: state.after_short(), ..*self },
            Some(0) => [a, b, c, d],
            Some(1) => [b, a, c, d],
            Some(2) => [c, a, b, d],
            Some(_) => [d, a, b, c],
            None => {
                let repeats = [symbol.source.as_distance(), a, b, c];
                return Self { state: state.after_match(), repeats };
            }
        };
        Self { state: state.after_repeat(), repeats }
    }
}

/// The model of lengths.
#[derive(Clone)]
pub(crate) struct Lengths {
    pub(crate) is_not_low: u16,
    pub(crate) is_high: u16,
    pub(crate) low: [[u16; 8]; POSITION_STATES],
    pub(crate) middle: [[u16; 8]; POSITION_STATES],
    pub(crate) high: [u16; 256],
}

impl Lengths {
    fn new() -> Self {
        Self { is_not_low: HALF, is_high: HALF, low: [[HALF; _]; _], middle: [[HALF; _]; _], high: [HALF; _] }
    }

    #[inline(always)]
    fn encode(&mut self, range: &mut Range, out: &mut Out<'_>, position_state: usize, len: u32) {
        let len = len - MATCH_MIN;
        range.bit(out, &mut self.is_not_low, len >= 8);
        if len < 8 {
            return range.tree(out, &mut self.low[position_state], len);
        }
        range.bit(out, &mut self.is_high, len >= 16);
        if len < 16 {
            range.tree(out, &mut self.middle[position_state], len - 8);
        } else {
            range.tree(out, &mut self.high, len - 16);
        }
    }
}

/// The probabilities of three trees for each context: one for plain literals, and two for those behind a match, where
/// the byte at the last distance is known to be wrong.
pub(crate) type LiteralTrees = [u16; 0x300];

/// All probabilities.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) literals: Box<[LiteralTrees]>,
    pub(crate) is_match: [[u16; POSITION_STATES]; STATES],
    pub(crate) is_repeat: [u16; STATES],
    pub(crate) is_not_first: [u16; STATES],
    pub(crate) is_not_second: [u16; STATES],
    pub(crate) is_fourth: [u16; STATES],
    pub(crate) is_long: [[u16; POSITION_STATES]; STATES],
    pub(crate) slots: [[u16; 64]; LENGTH_STATES],
    pub(crate) near: [u16; NEAR],
    pub(crate) align: [u16; 1 << ALIGN_BITS],
    pub(crate) match_lengths: Lengths,
    pub(crate) repeat_lengths: Lengths,
}

/// The slot of a distance, less one: its two highest bits, and how many bits follow.
#[inline]
pub(crate) fn slot(distance: u32) -> u32 {
    if distance < 4 {
        return distance;
    }
    let high = 31 - distance.leading_zeros();
    high * 2 + (distance >> (high - 1) & 1)
}

/// How many bits follow the slot, and the least distance, less one, of the slot.
#[inline]
pub(crate) fn slot_base(slot: u32) -> (u32, u32) {
    if slot < 4 {
        return (0, slot);
    }
    let bits = (slot >> 1) - 1;
    (bits, (2 | slot & 1) << bits)
}

/// Where the bits of a near slot begin in [`Model::near`].
#[inline]
pub(crate) fn near_tree(slot: u32) -> usize {
    (slot_base(slot).1 - slot) as usize
}

impl Model {
    pub(crate) fn new() -> Self {
        Self {
            literals: vec![[HALF; 0x300]; 1 << LITERAL_CONTEXT_BITS].into(),
            is_match: [[HALF; _]; _],
            is_repeat: [HALF; _],
            is_not_first: [HALF; _],
            is_not_second: [HALF; _],
            is_fourth: [HALF; _],
            is_long: [[HALF; _]; _],
            slots: [[HALF; _]; _],
            near: [HALF; _],
            align: [HALF; _],
            match_lengths: Lengths::new(),
            repeat_lengths: Lengths::new(),
        }
    }

    /// Makes all probabilities a half again.
    pub(crate) fn reset(&mut self) {
        let literals = std::mem::take(&mut self.literals);
        *self = Self { literals, ..Self::new() };
        self.literals.as_flattened_mut().fill(HALF);
    }

    /// The trees for a literal behind `before`.
    #[inline]
    pub(crate) fn literal_trees(&self, before: u8) -> &LiteralTrees {
        &self.literals[usize::from(before >> (8 - LITERAL_CONTEXT_BITS))]
    }

    /// Codes the symbol that begins at `at` in `plain`, in the context before it.
    #[inline]
    pub(crate) fn encode(
        &mut self,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        at: usize,
        context: &Context,
        symbol: Symbol,
    ) {
        if symbol.source.is_literal() {
            self.encode_literal(range, plain, at, context);
        } else {
            self.encode_copy(range, at, context, symbol);
        }
    }

    /// Codes a match or a repeat.
    #[inline]
    pub(crate) fn encode_copy(
        &mut self,
        range: &mut RangeEncoder<'_>,
        at: usize,
        context: &Context,
        symbol: Symbol,
    ) {
        let mut local = range.range;
        self.encode_copy_in(&mut local, &mut range.out, at, context, symbol);
        range.range = local;
    }

    #[inline(always)]
    fn encode_copy_in(
        &mut self,
        range: &mut Range,
        out: &mut Out<'_>,
        at: usize,
        context: &Context,
        symbol: Symbol,
    ) {
        let (state, position_state) = (context.state.index(), at & (POSITION_STATES - 1));
        range.bit(out, &mut self.is_match[state][position_state], true);
        let Some(index) = symbol.source.as_repeat() else {
            range.bit(out, &mut self.is_repeat[state], false);
            return self.encode_match(range, out, position_state, symbol.len, symbol.source.as_distance());
        };
        range.bit(out, &mut self.is_repeat[state], true);
        range.bit(out, &mut self.is_not_first[state], index > 0);
        if index == 0 {
            range.bit(out, &mut self.is_long[state][position_state], symbol.len > 1);
            if symbol.len == 1 {
                return;
            }
        } else {
            range.bit(out, &mut self.is_not_second[state], index > 1);
            if index > 1 {
                range.bit(out, &mut self.is_fourth[state], index > 2);
            }
        }
        self.repeat_lengths.encode(range, out, position_state, symbol.len);
    }

    /// Codes the mark of the end, which stands at `at`.
    pub(crate) fn encode_end(&mut self, range: &mut RangeEncoder<'_>, at: usize, context: &Context) {
        let (state, position_state) = (context.state.index(), at & (POSITION_STATES - 1));
        let (mut local, out) = (range.range, &mut range.out);
        local.bit(out, &mut self.is_match[state][position_state], true);
        local.bit(out, &mut self.is_repeat[state], false);
        self.encode_match(&mut local, out, position_state, MATCH_MIN, END_DISTANCE);
        range.range = local;
    }

    /// Codes a literal.
    #[inline(always)]
    pub(crate) fn encode_literal(
        &mut self,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        at: usize,
        context: &Context,
    ) {
        let (mut local, out) = (range.range, &mut range.out);
        let (state, position_state) = (context.state.index(), at & (POSITION_STATES - 1));
        local.bit(out, &mut self.is_match[state][position_state], false);
        let before = if at == 0 { 0 } else { plain[at - 1] };
        let trees = &mut self.literals[usize::from(before >> (8 - LITERAL_CONTEXT_BITS))];
        let symbol = u32::from(plain[at]) | 0x100;
        if context.state.is_literal() {
            for shift in (0..8).rev() {
                let node = (symbol >> (shift + 1)) as usize & 0xFF;
                local.bit(out, &mut trees[node], symbol >> shift & 1 == 1);
            }
        } else {
            // As long as the bits are those of the byte at the last distance, they use the trees for that byte.
            let mut hint = u32::from(plain[at - 1 - context.repeats[0] as usize]);
            let mut offset = 0x100;
            for shift in (0..8).rev() {
                hint <<= 1;
                let node = (offset & 0x100) + (hint & offset & 0x100) + (symbol >> (shift + 1) & 0xFF);
                let bit = symbol >> shift & 1;
                local.bit(out, &mut trees[node as usize], bit == 1);
                offset &= if bit == 1 { hint } else { !hint };
            }
        }
        range.range = local;
    }

    #[inline(always)]
    fn encode_match(
        &mut self,
        range: &mut Range,
        out: &mut Out<'_>,
        position_state: usize,
        len: u32,
        distance: u32,
    ) {
        self.match_lengths.encode(range, out, position_state, len);
        let slot = slot(distance);
        range.tree(out, &mut self.slots[length_state(len)], slot);
        let (bits, base) = slot_base(slot);
        let rest = distance - base;
        if bits == 0 {
        } else if slot < SLOT_DIRECT {
            range.reverse_tree(out, &mut self.near[near_tree(slot)..], rest, bits);
        } else {
            range.direct(out, rest >> ALIGN_BITS, bits - ALIGN_BITS);
            range.reverse_tree(out, &mut self.align, rest & ((1 << ALIGN_BITS) - 1), ALIGN_BITS);
        }
    }
}

/// The context of the slot for a length.
#[inline]
pub(crate) fn length_state(len: u32) -> usize {
    ((len - MATCH_MIN) as usize).min(LENGTH_STATES - 1)
}
