//! The parser: which literals and matches code a text with the fewest bits.
//!
//! [`Parser::run`] looks at a stretch of up to [`RUN_MAX`] places. It knows the cheapest way to each place, and goes
//! from place to place. From each it tries every symbol. It also tries three sequences: a literal and then the last
//! distance; the longest form of each repeat, and the longest match, each followed by a literal and its own distance
//! again. They are often cheap although their first symbol is not. A run ends where all ways meet, or in front of a
//! match that is so long that it is taken at once.
//!
//! A place is passed over if the one behind it is already reached for about the same price: no match is looked for
//! there. Such a place lies inside of a match, and a symbol that begins there is rarely the best.

use std::ops::RangeInclusive;

use crate::matches::{Finder, Match, exact_len, prefetch, shared};
use crate::model::{
    Context, LENGTH_STATES, MATCH_MAX, MATCH_MIN, Model, POSITION_STATES, Source, Symbol, length_state,
};
use crate::price::{self, Kinds, LengthPrices, Prices};
use crate::work;

/// The greatest length of a run, without its last symbol.
pub(crate) const RUN_MAX: usize = 4096;
/// A sequence can lead this far beyond a run.
const BEYOND: usize = 2 * MATCH_MAX as usize + 2;
/// How many places before its turn the texts of a place's matches are asked for.
const AHEAD: usize = 3;
/// Above this length of matches that are taken at once, the caller wants a short output, and fewer places are passed
/// over.
const USUAL_LEN: usize = 64;
/// Above this dictionary length, still fewer places are passed over, because the output became too long.
const USUAL_DICT: usize = 8 << 20;
const INFINITE: u32 = 1 << 30;

/// How a place is reached: by a symbol, or by a symbol, a literal, and a match at the last distance.
#[derive(Clone, Copy)]
struct Way {
    price: u32,
    /// May have no length; then the way has a literal and a match at the last distance.
    first: Symbol,
    /// The length of the match behind the literal, or zero.
    tail: u32,
}

const UNREACHED: Way = Way { price: INFINITE, first: Symbol { len: 0, source: Source::LITERAL }, tail: 0 };

impl Way {
    #[inline]
    fn len(&self) -> usize {
        (self.first.len + if self.tail > 0 { self.tail + 1 } else { 0 }) as usize
    }

    /// The symbols of the way in order. Those without length are none.
    #[inline]
    fn symbols(&self) -> [Symbol; 3] {
        let has_tail = u32::from(self.tail > 0);
        [
            self.first,
            Symbol { len: has_tail, source: Source::LITERAL },
            Symbol { len: self.tail, source: Source::repeat(0) },
        ]
    }
}

/// What a run looks at.
pub(crate) struct View<'a> {
    pub(crate) plain: &'a [u8],
    /// Where the run starts.
    pub(crate) start: usize,
    /// Where the symbols of the run end at the latest.
    pub(crate) end: usize,
    pub(crate) model: &'a Model,
    pub(crate) prices: &'a Prices,
}

/// Finds the symbols of one run after another.
pub(crate) struct Parser {
    ways: Box<[Way]>,
    contexts: Box<[Context]>,
    /// Matches of this length are taken at once.
    nice_len: usize,
    /// Longer matches can be longer than the finder says.
    exact_len: u32,
    /// A place is passed over if the next one costs at most this much more. Less than zero means that it costs less.
    /// The shorter the matches that are taken at once, the more speed counts, and the more places are passed over.
    passed: i32,
}

impl Parser {
    pub(crate) fn new(nice_len: usize, dict_len: usize) -> Self {
        let bit = 1 << price::PRICE_BITS;
        let passed = match (dict_len > USUAL_DICT, nice_len > USUAL_LEN) {
            (true, _) => -bit,
            (false, true) => 0,
            (false, false) => match nice_len {
                ..=20 => 3 * bit,
                21..=24 => 2 * bit,
                _ => bit,
            },
        };
        Self {
            ways: vec![UNREACHED; RUN_MAX + BEYOND].into(),
            contexts: vec![Context::default(); RUN_MAX + 1].into(),
            nice_len,
            exact_len: exact_len(nice_len),
            passed,
        }
    }

    /// Puts the next symbols behind those in `symbols`. There are bytes left in the view.
    pub(crate) fn run(
        &mut self,
        finder: &mut Finder,
        view: &View<'_>,
        context: Context,
        symbols: &mut Vec<Symbol>,
    ) {
        let start = view.start;
        let mut found = find(finder, view, start);
        if let Some(symbol) = self.at_once(view, start, &context, found) {
            symbols.push(symbol);
            return;
        }
        self.contexts[0] = context;
        self.ways[0].price = 0;
        let mut reached = 0;
        let mut at = 0;
        loop {
            if at == 0 || !self.passes(at) {
                if at > 0 {
                    found = find(finder, view, start + at);
                    let most = view.end - start - at;
                    if found.first().is_some_and(|longest| most.min(longest.len as usize) >= self.nice_len) {
                        break;
                    }
                    self.contexts[at] = self.context(at);
                }
                self.step(view, at, &mut reached, found);
            }
            at += 1;
            if at >= reached || at >= RUN_MAX {
                break;
            }
        }
        self.trace(at, symbols);
        self.ways[..=reached].fill(UNREACHED);
    }

    /// The context at a place that is reached.
    #[inline]
    fn context(&self, at: usize) -> Context {
        let way = self.ways[at];
        let before = self.contexts[at - way.len()];
        way.symbols()
            .into_iter()
            .filter(|symbol| symbol.len > 0)
            .fold(before, |context, symbol| context.after(symbol))
    }

    /// Whether a place of the run is passed over. Then no way begins there.
    #[inline]
    fn passes(&self, at: usize) -> bool {
        self.ways[at + 1].price <= self.ways[at].price.saturating_add_signed(self.passed)
    }

    /// Appends the symbols of the cheapest way to `at`.
    #[inline]
    fn trace(&self, at: usize, symbols: &mut Vec<Symbol>) {
        let first = symbols.len();
        let mut at = at;
        while at > 0 {
            let way = self.ways[at];
            symbols.extend(way.symbols().into_iter().rev().filter(|symbol| symbol.len > 0));
            at -= way.len();
        }
        symbols[first..].reverse();
    }

    /// A match that is so long that nothing else is tried.
    #[inline]
    fn at_once(&self, view: &View<'_>, at: usize, context: &Context, found: &[Match]) -> Option<Symbol> {
        let most = (view.end - at).min(MATCH_MAX as usize);
        let (index, len) = (0..4)
            .map(|index| (index, shared(view.plain, at, context.repeats[index], 0, most)))
            .max_by_key(|&(index, len)| (len, 3 - index))?;
        if len >= self.nice_len {
            return Some(Symbol { len: len as u32, source: Source::repeat(index) });
        }
        let &Match { len, distance } = found.first()?;
        let known = most.min(len as usize);
        (known >= self.nice_len).then(|| {
            let len = shared(view.plain, at, distance, known, most);
            Symbol { len: len as u32, source: Source::distance(distance) }
        })
    }

    #[inline]
    fn reach(&mut self, at: usize, reached: &mut usize, way: Way) {
        work::count(1);
        let known = &mut self.ways[at];
        if way.price < known.price {
            *known = way;
            *reached = (*reached).max(at);
        }
    }

    /// Tries symbols of these lengths, and returns the price of the longest. `base` is the price without the length.
    #[inline]
    fn reach_all(
        &mut self,
        at: usize,
        reached: &mut usize,
        lens: RangeInclusive<u32>,
        source: Source,
        base: u32,
        lengths: &LengthPrices,
    ) -> u32 {
        let (from, to) = (*lens.start() as usize, *lens.end() as usize);
        let ways = &mut self.ways[at + from..=at + to];
        let least = MATCH_MIN as usize;
        let lengths = &lengths[from - least..=to - least];
        work::count(ways.len());
        for ((way, length), len) in ways.iter_mut().zip(lengths).zip(from as u32..) {
            let price = base + length;
            if price < way.price {
                *way = Way { price, first: Symbol { len, source }, tail: 0 };
            }
        }
        // Places behind the last one that is reached have no price yet.
        *reached = (*reached).max(at + to);
        base + lengths[to - from]
    }

    /// Tries every symbol at a place of the run.
    #[inline]
    fn step(&mut self, view: &View<'_>, at: usize, reached: &mut usize, found: &[Match]) {
        let &View { plain, start, end, model, prices } = view;
        let place = start + at;
        let position_state = place % POSITION_STATES;
        let price = self.ways[at].price;
        let context = self.contexts[at];
        let kinds = Kinds::new(model, context.state.index(), position_state);
        let most = (end - place).min(MATCH_MAX as usize);

        let byte = plain[place];
        let before = if place > 0 { plain[place - 1] } else { 0 };
        let last = context.repeats[0] as usize;
        // At the start of a stream the distances refer to nothing.
        let hint = if place > last { plain[place - 1 - last] } else { !byte };
        let trees = model.literal_trees(before);
        let literal = price
            + kinds.literal
            + if context.state.is_literal() {
                price::literal(trees, byte)
            } else {
                price::matched_literal(trees, byte, hint)
            };
        let one = Symbol { len: 1, source: Source::LITERAL };
        let literal_is_best = literal < self.ways[at + 1].price;
        self.reach(at + 1, reached, Way { price: literal, first: one, tail: 0 });
        if byte == hint {
            let short = Symbol { len: 1, source: Source::repeat(0) };
            self.reach(at + 1, reached, Way { price: price + kinds.short(), first: short, tail: 0 });
        } else if literal_is_best {
            let nothing = Symbol { len: 0, source: Source::LITERAL };
            self.tail(view, at, reached, &context, nothing, literal);
        }
        if most < MATCH_MIN as usize {
            return;
        }

        let mut matches_from = MATCH_MIN;
        // A match that ends here could go on, so another one at its distance is not better.
        let goes_on = byte == hint && !context.state.is_literal();
        for (index, &distance) in context.repeats.iter().enumerate() {
            let len = shared(plain, place, distance, 0, most) as u32;
            if len < MATCH_MIN {
                continue;
            }
            if index == 0 && goes_on {
                matches_from = len + 1;
                continue;
            }
            let source = Source::repeat(index);
            let base = price + kinds.long(index);
            let lengths = &prices.repeat_lengths[position_state];
            let price = self.reach_all(at, reached, MATCH_MIN..=len, source, base, lengths);
            if index == 0 {
                matches_from = len + 1;
            }
            self.after(view, at, reached, &context, Symbol { len, source }, price);
        }

        let base = price + kinds.a_match();
        let lengths = &prices.match_lengths[position_state];
        let mut len = matches_from;
        for (index, &found) in found.iter().enumerate().rev() {
            // The tree knows the text behind the end too.
            let mut found = Match { len: found.len.min(most as u32), ..found };
            if index == 0 && found.len > self.exact_len {
                found.len = shared(plain, place, found.distance, found.len as usize, most) as u32;
            }
            if found.len < len {
                continue;
            }
            let source = Source::distance(found.distance);
            // The distance costs the same for all but the shortest lengths.
            while len < MATCH_MIN + LENGTH_STATES as u32 - 1 && len < found.len {
                let base = base + prices.distance(length_state(len), found.distance);
                self.reach_all(at, reached, len..=len, source, base, lengths);
                len += 1;
            }
            let base = base + prices.distance(length_state(len), found.distance);
            let price = self.reach_all(at, reached, len..=found.len, source, base, lengths);
            len = found.len + 1;
            if index == 0 {
                self.after(view, at, reached, &context, Symbol { len: found.len, source }, price);
            }
        }
    }

    /// Tries a literal behind `first`, and then the distance of `first` again.
    #[inline]
    fn after(
        &mut self,
        view: &View<'_>,
        at: usize,
        reached: &mut usize,
        context: &Context,
        first: Symbol,
        price: u32,
    ) {
        let &View { plain, start, end, model, .. } = view;
        let place = start + at + first.len as usize;
        if place + 2 >= end {
            return;
        }
        let context = context.after(first);
        let from = place - 1 - context.repeats[0] as usize;
        // Two bytes at least behind the literal.
        if plain[place + 1] != plain[from + 1] || plain[place + 2] != plain[from + 2] {
            return;
        }
        let trees = model.literal_trees(plain[place - 1]);
        let is_match = model.is_match[context.state.index()][place % POSITION_STATES];
        let price =
            price + price::bit(is_match, false) + price::matched_literal(trees, plain[place], plain[from]);
        self.tail(view, at, reached, &context, first, price);
    }

    /// Tries the last distance behind a literal that stands behind `first`. `price` includes the literal, and `context`
    /// is the one before it.
    #[inline]
    fn tail(
        &mut self,
        view: &View<'_>,
        at: usize,
        reached: &mut usize,
        context: &Context,
        first: Symbol,
        price: u32,
    ) {
        let &View { plain, start, end, model, prices } = view;
        let place = start + at + first.len as usize + 1;
        let most = end.saturating_sub(place).min(self.nice_len);
        let len = shared(plain, place, context.repeats[0], 0, most) as u32;
        if len < MATCH_MIN {
            return;
        }
        let state = context.state.after_literal();
        let position_state = place % POSITION_STATES;
        let kinds = Kinds::new(model, state.index(), position_state);
        let price = price + kinds.long(0) + prices.repeat_lengths[position_state][(len - MATCH_MIN) as usize];
        let to = place + len as usize - start;
        self.reach(to, reached, Way { price, first, tail: len });
    }
}

/// The matches at `at`, from the longest on. They may reach behind the end of the view.
#[inline]
fn find<'a>(finder: &'a mut Finder, view: &View<'_>, at: usize) -> &'a [Match] {
    finder.advance(view.plain, at);
    // `Parser::after` will look at the bytes behind the longest match.
    let ahead = at + AHEAD;
    if let Some(found) = finder.at(ahead).first() {
        prefetch(view.plain, (ahead + found.len as usize).wrapping_sub(found.distance as usize));
    }
    finder.at(at)
}
