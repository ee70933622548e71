//! Coding the symbols of a text: parser, model and prices together.
//!
//! `lzma2.rs` and `lzma1.rs` drive it. The encoder keeps its memory from one text to the next, and symbols that the
//! parser has chosen and that are not coded yet.

use std::ops::Range;

use crate::matches::{self, MatchFinder, Sorter, Windows};
use crate::model::{Context, Model, Symbol};
use crate::parse::{Parser, View};
use crate::price::Prices;
use crate::range::RangeEncoder;
use crate::{Error, Params};

/// The memory of all but the finder, rounded up.
const MEMORY: u64 = 1 << 20;

/// Codes one text after another.
pub struct Encoder {
    params: Params,
    finder: MatchFinder,
    parser: Parser,
    model: Model,
    prices: Box<Prices>,
    symbols: Vec<Symbol>,
}

impl Encoder {
    /// The longest text that can be coded.
    pub const PLAIN_MAX: usize = matches::TEXT_MAX;

    /// Takes little memory before the first text.
    pub fn new(params: Params) -> Self {
        let model = Model::new();
        Self {
            params,
            finder: MatchFinder::new(params.nice_len, params.dict_len),
            parser: Parser::new(params.nice_len, params.dict_len),
            prices: Prices::new(&model, params.dict_len),
            model,
            symbols: Vec::new(),
        }
    }

    /// The memory of an encoder for texts of this length, of a [`Sorter`], and of [`Params::slices`] until that
    /// returns.
    pub fn memory(params: &Params, plain_len: usize) -> u64 {
        let dict_len = params.dict_len;
        matches::memory(plain_len, dict_len) + MEMORY
    }

    pub(crate) fn params(&self) -> &Params {
        &self.params
    }

    /// Makes tables of the window at a place. [`Self::join_window`] follows.
    pub(crate) fn sort_window(&mut self, plain: &[u8], windows: Windows, start: usize) -> Result<(), Error> {
        if plain.len() > Self::PLAIN_MAX {
            return Err(Error::TooLong);
        }
        self.finder.begin(plain, windows, start).ok_or(Error::NoMemory)
    }

    /// Joins the window to those before it.
    pub(crate) fn join_window(&mut self, plain: &[u8], sorter: Option<&mut Sorter>) -> Result<(), Error> {
        self.finder.join(plain, sorter).ok_or(Error::NoMemory)
    }

    /// Whether the window is joined to those before it.
    pub(crate) fn is_joined(&self) -> bool {
        self.finder.is_joined()
    }

    /// The places of the window.
    pub(crate) fn window(&self) -> Range<usize> {
        self.finder.places().clone()
    }

    /// Begins with part of a text. It starts where the window does, and symbols refer to all of the text before.
    pub(crate) fn begin<'a>(&'a mut self, plain: &'a [u8], part: Range<usize>) -> Coding<'a> {
        self.symbols.clear();
        let mut coding = Coding {
            encoder: self,
            plain,
            context: Context::default(),
            at: part.start,
            end: part.end,
            taken: 0,
        };
        coding.reset();
        coding
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
    /// How many of the symbols are coded.
    taken: usize,
}

impl Coding<'_> {
    /// An error if there was too little memory to find all matches: then the coded text is right, but may be longer.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.encoder.finder.has_failed() { Err(Error::NoMemory) } else { Ok(()) }
    }

    pub(crate) fn end(&self) -> usize {
        self.end
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next symbol, or nothing at the end of the part.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Symbol> {
        let Encoder { finder, parser, model, prices, symbols, .. } = &mut *self.encoder;
        if self.taken == symbols.len() {
            symbols.clear();
            self.taken = 0;
            if self.at < self.end {
                prices.refresh(model);
                let view = View { plain: self.plain, start: self.at, end: self.end, model, prices };
                parser.run(finder, &view, self.context, symbols);
            }
        }
        symbols.get(self.taken).copied()
    }

    /// Codes the symbol that [`Self::next`] gave.
    #[inline]
    pub(crate) fn code(&mut self, range: &mut RangeEncoder<'_>, symbol: Symbol) {
        let Encoder { model, prices, .. } = &mut *self.encoder;
        model.encode(range, self.plain, self.at, &self.context, symbol);
        if !symbol.source.is_literal() {
            match symbol.source.as_repeat() {
                None => prices.count_match(symbol.source.as_distance()),
                Some(_) => prices.count_repeat(),
            }
        }
        self.context = self.context.after(symbol);
        self.at += symbol.len as usize;
        self.taken += 1;
    }

    /// Codes the mark of the end.
    pub(crate) fn code_end(&mut self, range: &mut RangeEncoder<'_>) {
        self.encoder.model.encode_end(range, self.at, &self.context);
    }

    /// Passes over the symbols that are chosen, and begins with a new model behind them.
    pub(crate) fn reset(&mut self) {
        let Encoder { model, prices, symbols, .. } = &mut *self.encoder;
        self.at += symbols[self.taken..].iter().map(|symbol| symbol.len as usize).sum::<usize>();
        self.taken = symbols.len();
        model.reset();
        prices.update_all(model);
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
        for (nice_len, dict_len) in
            [(16, 1 << 20), (64, 1 << 20), (273, 1 << 20), (64, 127 << 10), (273, 127 << 10)]
        {
            let mut encoder = Encoder::new(Params { dict_len, nice_len });
            for (name, text) in &texts {
                work::take();
                encoder.encode_lzma2(text, &mut vec![0; lzma2_bound(text.len())]).unwrap();
                let steps = work::take() / text.len();
                assert!(steps < 200, "{steps} steps for each byte: {name}, {nice_len}, {dict_len}");
            }
        }
    }
}
