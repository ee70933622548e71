//! Texts that the LZMA encoder codes come back from liblzma, with any dictionary and any room.
//!
//! The dictionaries are small, so that short texts have several windows. One encoder serves two texts.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../crates/lzma/tests/common/mod.rs"]
mod liblzma;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use liblzma::round_trip;
use pzcomp_fuzz::Part;
use pzcomp_lzma::{Encoder, Params, Search};

#[derive(Arbitrary, Debug)]
struct Case<'a> {
    dict_len: u16,
    nice_len: u8,
    texts: [Vec<Part<'a>>; 2],
    raw: &'a [u8],
}

fuzz_target!(|case: Case| {
    let Case { dict_len, nice_len, texts, raw } = case;
    let nice_len = match nice_len {
        low @ ..200 => 2 + usize::from(low),
        high => 273 - usize::from(255 - high),
    };
    const SEARCHES: [Search; 4] = [Search::All, Search::First, Search::Few, Search::Cheap];
    let search = SEARCHES[usize::from(dict_len) % SEARCHES.len()];
    let params = Params { dict_len: 4096 + 2 * usize::from(dict_len), nice_len, search };
    let mut encoder = Encoder::new(params);
    for parts in texts {
        let mut plain = Vec::new();
        for part in parts.iter().take(6) {
            part.append(&mut plain, 30_000);
            // Bytes of libFuzzer, which it changes with care.
            plain.extend_from_slice(&raw[..raw.len().min(64)]);
        }
        plain.extend_from_slice(raw);
        round_trip(&mut encoder, &params, &plain);
    }
});
