//! Coding the symbols of a text: parser, model and prices together.
//!
//! `lzma2.rs` and `lzma1.rs` drive it. The encoder keeps symbols that the parser has chosen and that are not coded yet.

use crate::matches::MatchFinder;
use crate::model::{Context, Model, Symbol};
use crate::parse::{Parser, View};
use crate::price::Prices;
use crate::range::RangeEncoder;
use crate::{Error, Params};

pub(crate) struct Encoder<'a> {
    plain: &'a [u8],
    params: Params,
    finder: MatchFinder,
    parser: Parser,
    model: Model,
    prices: Box<Prices>,
    context: Context,
    /// Up to here the text is coded.
    at: usize,
    symbols: Vec<Symbol>,
    /// How many of the symbols are coded.
    taken: usize,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(plain: &'a [u8], params: Params) -> Result<Self, Error> {
        let finder = MatchFinder::new(plain, params.nice_len, params.dict_len).ok_or(Error::NoMemory)?;
        let model = Model::new();
        let prices = Prices::new(&model, params.dict_len);
        Ok(Self {
            plain,
            params,
            finder,
            parser: Parser::new(params.nice_len),
            model,
            prices,
            context: Context::default(),
            at: 0,
            symbols: Vec::new(),
            taken: 0,
        })
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next symbol, or nothing at the end of the text.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Symbol> {
        if self.taken == self.symbols.len() {
            self.symbols.clear();
            self.taken = 0;
            if self.at < self.plain.len() {
                self.prices.refresh(&self.model);
                let view = View {
                    plain: self.plain,
                    end: self.plain.len(),
                    model: &self.model,
                    prices: &self.prices,
                };
                self.parser.run(&mut self.finder, &view, self.at, self.context, &mut self.symbols);
            }
        }
        self.symbols.get(self.taken).copied()
    }

    /// Codes the symbol that [`Self::next`] gave.
    #[inline]
    pub(crate) fn code(&mut self, range: &mut RangeEncoder<'_>, symbol: Symbol) {
        self.model.encode(range, self.plain, self.at, &self.context, symbol);
        if !symbol.source.is_literal() {
            match symbol.source.as_repeat() {
                None => self.prices.count_match(symbol.source.as_distance()),
                Some(_) => self.prices.count_repeat(),
            }
        }
        self.context = self.context.after(symbol);
        self.at += symbol.len as usize;
        self.taken += 1;
    }

    pub(crate) fn code_end(&mut self, range: &mut RangeEncoder<'_>) {
        self.model.encode_end(range, self.at, &self.context);
    }

    /// Passes over the symbols that are chosen, and begins with a new model behind them.
    pub(crate) fn reset(&mut self) {
        self.at += self.symbols[self.taken..].iter().map(|symbol| symbol.len as usize).sum::<usize>();
        self.taken = self.symbols.len();
        self.model = Model::new();
        self.prices = Prices::new(&self.model, self.params.dict_len);
        self.context = Context::default();
    }
}
