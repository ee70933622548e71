//! Coding the symbols of a text: parser, model and prices together.
//!
//! `lzma2.rs` and [`Encoder::encode_lzma1`] drive it. The encoder keeps its memory from one text to the next, and
//! symbols that the parser has chosen and that are not coded yet.

use std::ops::Range;

use crate::matches::tables::TableFinder;
use crate::matches::{self, Finder, MatchFinder, Sorter, Windows};
use crate::model::{Context, Model, Symbol};
use crate::parse::{Parser, View};
use crate::price::Prices;
use crate::quick::{Limits, Quick};
use crate::range::RangeEncoder;
use crate::{Error, Params, Search, Slices};

/// The memory of all but the finder, rounded up.
const MEMORY: u64 = 1 << 20;

/// Codes one text after another.
pub struct Encoder {
    params: Params,
    model: Model,
    engine: Engine,
    /// The places that are coded next.
    places: Range<usize>,
}

/// What chooses the symbols.
enum Engine {
    Quick(Quick),
    Thorough(Box<Thorough>),
}

/// Looks for the cheapest way through the text.
struct Thorough {
    finder: Finder,
    parser: Parser,
    prices: Box<Prices>,
    symbols: Vec<Symbol>,
    /// How many of the symbols are coded.
    taken: usize,
}

impl Thorough {
    fn new(params: &Params, model: &Model) -> Self {
        let &Params { nice_len, dict_len, search } = params;
        Self {
            finder: match search {
                Search::All => Finder::Tree(Box::new(MatchFinder::new(nice_len, dict_len))),
                _ => Finder::Table(TableFinder::new(nice_len, dict_len)),
            },
            parser: Parser::new(nice_len, dict_len),
            prices: Prices::new(model, dict_len),
            symbols: Vec::new(),
            taken: 0,
        }
    }

    /// Codes symbols up to `end`, or until a limit is reached.
    fn run(
        &mut self,
        model: &mut Model,
        range: &mut RangeEncoder<'_>,
        plain: &[u8],
        (at, context): (&mut usize, &mut Context),
        end: usize,
        limits: Limits,
    ) {
        let Self { finder, parser, prices, symbols, taken } = self;
        loop {
            if *taken == symbols.len() {
                symbols.clear();
                *taken = 0;
                if *at == end {
                    return;
                }
                // Fast levels take older prices.
                match finder {
                    Finder::Tree(_) => prices.refresh::<1>(model),
                    Finder::Table(_) => prices.refresh::<4>(model),
                }
                let view = View { plain, start: *at, end, model, prices };
                parser.run(finder, &view, *context, symbols);
            }
            if limits.are_reached(*at, range) {
                return;
            }
            let symbol = symbols[*taken];
            model.encode(range, plain, *at, context, symbol);
            prices.count(symbol);
            *context = context.after(symbol);
            *at += symbol.len as usize;
            *taken += 1;
        }
    }

    /// Passes over the symbols that are chosen. Returns how many bytes they stand for.
    fn pass(&mut self) -> usize {
        let passed = self.symbols.drain(..).skip(self.taken).map(|symbol| symbol.len as usize).sum();
        self.taken = 0;
        passed
    }
}

impl Encoder {
    /// The longest text that can be coded.
    pub const PLAIN_MAX: usize = matches::TEXT_MAX;

    /// Takes little memory before the first text.
    pub fn new(params: Params) -> Self {
        let model = Model::new();
        let engine = match params.search {
            Search::All | Search::Cheap => Engine::Thorough(Box::new(Thorough::new(&params, &model))),
            Search::Few | Search::First => Engine::Quick(Quick::new(&params, &model)),
        };
        Self { params, model, engine, places: 0..0 }
    }

    /// The memory of an encoder for texts of this length, of a [`Sorter`], and of [`Params::slices`] until that
    /// returns.
    pub fn memory(params: &Params, plain_len: usize) -> u64 {
        MEMORY
            + match params.search {
                Search::All => matches::memory(plain_len, params.dict_len),
                Search::Cheap => TableFinder::memory(plain_len, params.dict_len) as u64,
                Search::Few | Search::First => Quick::memory(params, plain_len) as u64,
            }
    }

    pub(crate) fn params(&self) -> &Params {
        &self.params
    }

    /// Makes tables of the window at a place. [`Self::join_window`] follows.
    pub(crate) fn sort_window(&mut self, plain: &[u8], windows: Windows, start: usize) -> Result<(), Error> {
        if plain.len() > Self::PLAIN_MAX {
            return Err(Error::TooLong);
        }
        self.places = windows.places(start);
        match &mut self.engine {
            Engine::Quick(quick) => quick.begin(plain),
            Engine::Thorough(thorough) => thorough.finder.begin(plain, windows, start),
        }
        .ok_or(Error::NoMemory)
    }

    /// Joins the window to those before it.
    pub(crate) fn join_window(&mut self, plain: &[u8], sorter: Option<&mut Sorter>) -> Result<(), Error> {
        match &mut self.engine {
            Engine::Quick(_) => Ok(()),
            Engine::Thorough(thorough) => thorough.finder.join(plain, sorter).ok_or(Error::NoMemory),
        }
    }

    /// Whether the window is joined to those before it.
    pub(crate) fn is_joined(&self) -> bool {
        matches!(&self.engine, Engine::Thorough(thorough) if thorough.finder.is_joined())
    }

    /// The places of the window.
    pub(crate) fn window(&self) -> Range<usize> {
        self.places.clone()
    }

    /// Begins with part of a text. It starts where the window does, and symbols refer to all of the text before.
    pub(crate) fn begin<'a>(&'a mut self, plain: &'a [u8], part: Range<usize>) -> Coding<'a> {
        if let Engine::Thorough(thorough) = &mut self.engine {
            thorough.pass();
        }
        let mut coding =
            Coding { encoder: self, plain, context: Context::default(), at: part.start, end: part.end };
        coding.reset();
        coding
    }

    /// Codes `plain` as LZMA with a mark at the end into the front of `out`, and returns the coded length. Nothing is
    /// written before or behind it. LZMA stores nothing: what does not compress becomes up to 5 % longer.
    pub fn encode_lzma1(&mut self, plain: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let Slices(windows) = self.params().slices(plain);
        self.sort_window(plain, windows, 0)?;
        self.join_window(plain, None)?;
        let mut coding = self.begin(plain, 0..plain.len());
        let mut range = RangeEncoder::new(out);
        coding.run(&mut range, Limits::NONE);
        coding.check()?;
        coding.code_end(&mut range);
        range.finish().ok_or(Error::NoRoom)
    }
}

/// A part of a text that is being coded.
pub(crate) struct Coding<'a> {
    encoder: &'a mut Encoder,
    plain: &'a [u8],
    context: Context,
    /// Up to here the text is coded.
    at: usize,
    /// Where the part ends.
    end: usize,
}

impl Coding<'_> {
    /// An error if there was too little memory to find all matches: then the coded text is right, but may be longer.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.encoder.engine {
            Engine::Thorough(thorough) if thorough.finder.has_failed() => Err(Error::NoMemory),
            _ => Ok(()),
        }
    }

    pub(crate) fn end(&self) -> usize {
        self.end
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Codes symbols to the end of the part, or until a limit is reached.
    pub(crate) fn run(&mut self, range: &mut RangeEncoder<'_>, limits: Limits) {
        let Encoder { model, engine, .. } = &mut *self.encoder;
        let place = (&mut self.at, &mut self.context);
        match engine {
            Engine::Quick(quick) => quick.run(model, range, self.plain, place, self.end, limits),
            Engine::Thorough(thorough) => thorough.run(model, range, self.plain, place, self.end, limits),
        }
    }

    /// Codes the mark of the end.
    pub(crate) fn code_end(&mut self, range: &mut RangeEncoder<'_>) {
        self.encoder.model.encode_end(range, self.at, &self.context);
    }

    /// Passes over the symbols that are chosen, and begins with a new model behind them.
    pub(crate) fn reset(&mut self) {
        let Encoder { model, engine, .. } = &mut *self.encoder;
        model.reset();
        match engine {
            Engine::Quick(quick) => quick.reset(model),
            Engine::Thorough(thorough) => {
                self.at += thorough.pass();
                thorough.prices.update_all(model);
            }
        }
        self.context = Context::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lzma2_bound, work};

    const LEN: usize = 200_000;

    fn fibonacci() -> Vec<u8> {
        let (mut one, mut two) = (b"a".to_vec(), b"ab".to_vec());
        while two.len() < LEN {
            let next = [&two[..], &one].concat();
            one = std::mem::replace(&mut two, next);
        }
        two
    }

    /// Every `step`th byte, and nearly all matches end there.
    fn interrupted(mut text: Vec<u8>, step: usize) -> Vec<u8> {
        text.iter_mut()
            .step_by(step)
            .enumerate()
            .for_each(|(index, byte)| *byte = ((index * index) >> 3) as u8);
        text
    }

    /// A place takes a bounded number of steps, whatever the text.
    #[test]
    fn the_worst_texts_take_bounded_work() {
        let half = vec![b'a'; LEN / 2];
        let noise: Vec<u8> = (0..LEN as u64)
            .map(|index| {
                (index.wrapping_mul(index ^ 0x5bd1_e995).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
            })
            .collect();
        let period: Vec<u8> = noise[..9001].iter().copied().cycle().take(LEN).collect();
        let texts = [
            ("Fibonacci word", fibonacci()),
            ("a run on both sides of a letter", [&half[..], b"b", &half].concat()),
            ("noise of two letters", noise.iter().map(|byte| byte >> 7).collect()),
            ("long period", period.clone()),
            ("interrupted runs", interrupted(vec![b'a'; LEN], 61)),
            ("interrupted Fibonacci word", interrupted(fibonacci(), 61)),
            ("interrupted periods", interrupted(period, 63)),
            ("noise", noise),
            ("zeros", vec![0; LEN]),
        ];
        // The shorter dictionary has windows, and matches before them.
        let thorough = [(16, 1 << 20), (64, 1 << 20), (273, 1 << 20), (64, 127 << 10), (273, 127 << 10)]
            .map(|(nice_len, dict_len)| Params { dict_len, nice_len, search: Search::All });
        let fast = [0, 1, 2, 3].map(|level| Params::preset(level, false));
        for params in thorough.into_iter().chain(fast) {
            let mut encoder = Encoder::new(params);
            for (name, text) in &texts {
                work::take();
                encoder.encode_lzma2(text, &mut vec![0; lzma2_bound(text.len())]).unwrap();
                let steps = work::take() / text.len();
                assert!(steps < 200, "{steps} steps for each byte: {name}, {params:?}");
            }
        }
    }
}
