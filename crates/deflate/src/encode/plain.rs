//! Blocks without a search for matches: literals only, or literals and repetitions of the byte before.
//!
//! `Encoder::encode` calls [`Parser::parse_plainly`] instead of [`Parser::parse`] for `Search::Runs` and
//! `Search::Nothing`.

use super::Search;
use super::parse::{LITERALS_MAX, Parsed, Parser, SEQUENCES_MAX, Sequence};
use super::symbols::*;

impl Parser {
    /// The block that begins at `start`.
    pub(super) fn parse_plainly(&mut self, plain: &[u8], start: usize, search: Search) -> Parsed<'_> {
        let Self { sequences, tally, .. } = self;
        tally.clear();
        let (mut at, mut anchor, mut count, mut literals) = (start, start, 0, 0);
        while at < plain.len() && count < SEQUENCES_MAX && literals < LITERALS_MAX {
            let len = if search == Search::Runs { run(plain, at) } else { 0 };
            if len < LEN_MIN {
                tally.litlen[usize::from(plain[at])] += 1;
                (at, literals) = (at + 1, literals + 1);
                continue;
            }
            let slot = dist_slot(1) as usize;
            sequences[count] = Sequence::new(at - anchor, len - LEN_MIN, slot, 1);
            tally.litlen[END_OF_BLOCK + 1 + usize::from(LEN_SLOTS[len - LEN_MIN].slot)] += 1;
            tally.dist[slot] += 1;
            at += len;
            (anchor, count) = (at, count + 1);
        }
        tally.litlen[END_OF_BLOCK] += 1;
        Parsed { sequences: &sequences[..count], tally, end: at }
    }
}

/// How often the byte before `at` is repeated from there on, at most as often as a match allows.
fn run(plain: &[u8], at: usize) -> usize {
    let Some(before) = at.checked_sub(1).map(|before| plain[before]) else {
        return 0;
    };
    plain[at..].iter().take(LEN_MAX).take_while(|&&byte| byte == before).count()
}
