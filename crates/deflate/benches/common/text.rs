//! Text for the benches of `pzcomp-deflate` and `pzcomp-bzip2`, which include this file by its path.
//!
//! The text is rows of numbers and words, as in a dump of a database. The same length gives the same text.

/// Text of `len` bytes.
pub fn text(len: usize) -> Vec<u8> {
    const WORDS: [&str; 8] =
        ["river", "bridge", "footway", "survey 2010", "residential", "yes", "no", "name"];
    let mut state = 1_u64;
    let mut next = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let mut text = Vec::new();
    let mut id = 1_000_000;
    while text.len() < len {
        id += 1 + next(9);
        let (latitude, longitude) = (next(180_000_000), next(360_000_000));
        let (key, value) = (WORDS[next(8) as usize], WORDS[next(8) as usize]);
        text.extend_from_slice(format!("{id}\t{latitude}\t{longitude}\t{key}={value}\n").as_bytes());
    }
    text.truncate(len);
    text
}
