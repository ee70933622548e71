//! The fast searches: symbols are chosen and coded place by place.
//!
//! [`Quick`] keeps the last places of some hashes. At a place it compares the texts there and at the last four
//! distances with the text here, and takes the match that saves most, beside literals. All but the fastest search look
//! at the next place first.

use crate::matches::tables::{COMPARED, Places, Sizes, Tables, same, whole_len, word_at};
use crate::model::{Context, MATCH_MAX, MATCH_MIN, Model, POSITION_STATES, Source, Symbol, length_state};
use crate::price::{self, Kinds, Prices};
use crate::range::RangeEncoder;
use crate::{Params, Search, work};

/// No match begins within this many bytes of the end.
const MARGIN: usize = 8;
/// After so many bytes without a match, each step passes over one byte more.
const SKIP_SHIFT: u32 = 6;
const SKIP_MAX: usize = 32;

/// No more bytes are coded between two looks at the limits, beside those of a symbol.
const SYMBOLS_MAX: usize = 2 * SKIP_MAX;

/// Limits of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// No symbol begins behind this place.
    pub(crate) plain_end: usize,
    /// No symbol begins if more bytes than this are coded.
    pub(crate) coded_max: usize,
}

impl Limits {
    pub(crate) const NONE: Self = Self { plain_end: usize::MAX, coded_max: usize::MAX };

    #[inline]
    pub(crate) fn are_reached(&self, at: usize, range: &RangeEncoder<'_>) -> bool {
        at > self.plain_end || range.finished_len() > self.coded_max
    }
}

/// Each hash of four bytes has so many places.
const WAYS: usize = 2;

/// Chooses and codes symbols.
pub(crate) struct Quick {
    dict_len: usize,
    nice_len: usize,
    search: Search,
    tables: Tables<WAYS>,
    prices: Box<Prices>,
    literal_cost: u32,
}

#[derive(Clone, Copy)]
struct Found {
    /// How much the symbol saves, in parts of a bit.
    gain: i32,
    symbol: Symbol,
}

const NOTHING: Found = Found { gain: 0, symbol: Symbol { len: 1, source: Source::LITERAL } };

/// The tables of a search. That of hashes of seven bytes is not read by the first.
fn sizes(search: Search) -> Sizes {
    Sizes(match search {
        Search::First => [14, 16, 8],
        _ => [15, 18, 17],
    })
}

/// How many places each search compares.
const COUNTS: [usize; 2] = [3, 4];

/// A byte of a match is worth the price of an average literal times 16, divided by this: what a longer match covers
/// would often have been another match.
const WORTHS: [u32; 2] = [17, 19];

/// A match at a new distance must save this much more, because it displaces one of the last four distances.
const DISPLACEMENT: i32 = 1 << price::PRICE_BITS;

impl Quick {
    pub(crate) fn new(params: &Params, model: &Model) -> Self {
        Self {
            dict_len: params.dict_len,
            nice_len: params.nice_len,
            search: params.search,
            tables: Tables::new(),
            prices: Prices::new(model, params.dict_len),
            literal_cost: 0,
        }
    }

    pub(crate) fn memory(params: &Params, plain_len: usize) -> usize {
        Tables::<WAYS>::memory(plain_len, sizes(params.search))
    }

    /// Begins with a text. Returns nothing if there is no memory.
    pub(crate) fn begin(&mut self, plain: &[u8]) -> Option<()> {
        self.tables.begin(plain.len(), sizes(self.search))
    }

    /// Forgets what the model was.
    pub(crate) fn reset(&mut self, model: &Model) {
        self.prices.update_all(model);
        self.literal_cost = 6 << price::PRICE_BITS << 4;
    }

    /// Codes symbols up to `end`, or until a limit is reached.
    pub(crate) fn run(
        &mut self,
        model: &mut Model,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        (at, context): (&mut usize, &mut Context),
        end: usize,
        limits: Limits,
    ) {
        match self.search {
            Search::First => self.run_as::<0>(model, range, plain, (at, context), end, limits),
            _ => self.run_as::<1>(model, range, plain, (at, context), end, limits),
        }
    }

    #[inline(always)]
    fn run_as<const KIND: u32>(
        &mut self,
        model: &mut Model,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        (at_out, context_out): (&mut usize, &mut Context),
        end: usize,
        limits: Limits,
    ) {
        let limits = Limits { coded_max: limits.coded_max - SYMBOLS_MAX, ..limits };
        let (mut at, mut context) = (*at_out, *context_out);
        let last = end.saturating_sub(MARGIN);
        let mut anchor = at;
        let mut now: Option<Found> = None;
        while at < end && !limits.are_reached(at, range) {
            let found = match now.take() {
                _ if at >= last => NOTHING,
                Some(found) => found,
                None => self.find::<KIND>(model, plain, at, &context, end),
            };
            let len = found.symbol.len as usize;
            let (mut noted, mut singles) = (at + 1, 0);
            if found.gain <= 0 {
                let skip = ((at - anchor) >> SKIP_SHIFT).min(SKIP_MAX);
                singles = 1 + skip.min(last.saturating_sub(at + 1));
            } else if len < self.nice_len && at + 1 < last {
                let after = Context { state: context.state.after_literal(), ..context };
                let next = self.find::<KIND>(model, plain, at + 1, &after, end);
                noted += 1;
                if next.gain > found.gain {
                    (singles, now) = (1, Some(next));
                }
            }
            if singles > 0 {
                for _ in 0..singles {
                    self.code_single(model, range, plain, at, &mut context);
                    at += 1;
                }
                continue;
            }
            let to = at + len;
            model.encode_copy(range, at, &context, found.symbol);
            self.prices.count(found.symbol);
            self.prices.refresh::<16>(model);
            context = context.after(found.symbol);
            at = to;
            if KIND == 0 {
                let few = to.min(noted + 8);
                (noted..few).for_each(|place| self.tables.note(plain, place));
                (few.max(to - 2)..to).for_each(|place| self.tables.note(plain, place));
            } else {
                (noted..to).for_each(|place| self.tables.note(plain, place));
            }
            anchor = at;
        }
        (*at_out, *context_out) = (at, context);
    }

    /// Codes a literal, or a short repeat if that is cheaper.
    #[inline(always)]
    fn code_single(
        &mut self,
        model: &mut Model,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        at: usize,
        context: &mut Context,
    ) {
        let distance = context.repeats[0] as usize;
        if at > distance && plain[at] == plain[at - 1 - distance] {
            let kinds = Kinds::new(model, context.state.index(), at % POSITION_STATES);
            if kinds.short() < kinds.literal + self.literal_cost / 16 {
                let symbol = Symbol { len: 1, source: Source::repeat(0) };
                model.encode_copy(range, at, context, symbol);
                *context = context.after(symbol);
                return;
            }
        }
        self.learn(model, plain, at);
        model.encode_literal(range, plain, at, context);
        context.state = context.state.after_literal();
    }

    /// The symbol at a place that saves most, and notes the place.
    #[inline(always)]
    fn find<const KIND: u32>(
        &mut self,
        model: &Model,
        plain: &[u8],
        at: usize,
        context: &Context,
        end: usize,
    ) -> Found {
        let Some(word) = word_at(plain, at) else { return NOTHING };
        work::count(1);
        let here = at as u32;
        let Places { short, middle: [first, second], long } = self.tables.replace(word, at);
        let places = [short, first, second, long];
        let count = COUNTS[KIND as usize];
        let (mut distances, mut lens) = ([0; 4], [0; 4]);
        let mut repeat = 0;
        for index in 0..4 {
            // The longest repeat, and the first of them.
            let len = same(plain, at, word, context.repeats[index]);
            repeat = repeat.max(len << 2 | (3 - index as u32));
        }
        let mut longest = repeat >> 2;
        for index in 0..count {
            let distance = here.wrapping_sub(places[index]).wrapping_sub(1);
            let len = same(plain, at, word, distance);
            let len = if (distance as usize) < self.dict_len { len } else { 0 };
            (distances[index], lens[index]) = (distance, len);
            longest = longest.max(len);
        }
        if longest < MATCH_MIN {
            return NOTHING;
        }
        let most = (end - at).min(MATCH_MAX as usize);
        let position_state = at % POSITION_STATES;
        let kinds = Kinds::new(model, context.state.index(), position_state);
        let cost = self.literal_cost / WORTHS[KIND as usize];
        let mut best = NOTHING;
        let (mut len, index) = (repeat >> 2, 3 - (repeat & 3) as usize);
        if len >= MATCH_MIN {
            len = whole_len(plain, at, context.repeats[index], len, most);
            let lengths = &self.prices.repeat_lengths[position_state];
            let price = kinds.long(index) + lengths[(len - MATCH_MIN) as usize];
            let gain = (len * cost) as i32 - price as i32;
            if gain > 0 {
                best = Found { gain, symbol: Symbol { len, source: Source::repeat(index) } };
            }
        }
        let base = kinds.a_match();
        for index in 0..count {
            let (mut len, distance) = (lens[index], distances[index]);
            if len < MATCH_MIN.max(best.symbol.len.min(COMPARED)) {
                continue;
            }
            len = whole_len(plain, at, distance, len, most);
            if len <= best.symbol.len {
                continue;
            }
            let lengths = &self.prices.match_lengths[position_state];
            let price = base
                + lengths[(len - MATCH_MIN) as usize]
                + self.prices.distance(length_state(len), distance);
            let gain = (len * cost) as i32 - price as i32 - DISPLACEMENT;
            if gain > best.gain {
                best = Found { gain, symbol: Symbol { len, source: Source::distance(distance) } };
            }
        }
        best
    }

    /// Learns what literals cost, from some of them.
    #[inline(always)]
    fn learn(&mut self, model: &Model, plain: &[u8], at: usize) {
        if at.is_multiple_of(8) && at > 0 {
            let cost = price::literal(model.literal_trees(plain[at - 1]), plain[at]);
            let average = self.literal_cost as i32;
            self.literal_cost = (average + ((cost << 4) as i32 - average) / 64) as u32;
        }
    }
}
