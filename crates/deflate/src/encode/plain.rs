//! Blocks without a search for matches: literals only, or literals and repetitions of the byte before.
//!
//! `Encoder::encode` calls [`Parser::parse_plainly`] instead of [`Parser::parse`] for `Search::Runs` and
//! `Search::Nothing`.

use super::Search;
use super::parse::{Parsed, Parser};
use super::symbols::*;
use super::tokens::Token;

impl Parser {
    /// The block that begins at `start`.
    pub(super) fn parse_plainly(&mut self, plain: &[u8], start: usize, search: Search) -> Parsed<'_> {
        let mut tokens = self.room.tokens();
        let mut at = start;
        while at < plain.len() && tokens.has_room() {
            let len = if search == Search::Runs { run(plain, at) } else { 0 };
            if len < LEN_MIN {
                tokens.push(Token::literal(plain[at]));
                at += 1;
            } else {
                tokens.push(Token::of_match(len, 1));
                at += len;
            }
        }
        Parsed::new(tokens.list(), at)
    }
}

/// How often the byte before `at` is repeated from there on, at most as often as a match allows.
fn run(plain: &[u8], at: usize) -> usize {
    let Some(before) = at.checked_sub(1).map(|before| plain[before]) else {
        return 0;
    };
    plain[at..].iter().take(LEN_MAX).take_while(|&&byte| byte == before).count()
}
