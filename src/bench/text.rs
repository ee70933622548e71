//! [`text()`]: a sample for measurements if the caller has no data.
//!
//! A length and a seed come in, and bytes go out that compress about as well as a dump of a database. Tests use it too.

use std::io::Write;

/// Makes `len` bytes that compress about as well as a database dump with texts: rows of numbers, names, and sentences
/// of words with unequal frequencies. The same `seed` always gives the same bytes.
pub(crate) fn text(len: usize, seed: u64) -> Vec<u8> {
    let mut data = Vec::with_capacity(len.saturating_add(1024));
    let mut random = Random(seed);
    let words: Vec<String> = (0..4096).map(|_| random.word()).collect();
    let mut id = random.below(1 << 20);
    while data.len() < len {
        id += 1 + random.below(9);
        let (latitude, longitude) = (random.below(180_000_000), random.below(360_000_000));
        let name = &words[random.rank(words.len())];
        // Writing to a vector does not fail.
        let _ = write!(data, "{id}\t{}.{:06}\t", latitude / 1_000_000, latitude % 1_000_000);
        let _ = write!(data, "{}.{:06}\t{name}\t", longitude / 1_000_000, longitude % 1_000_000);
        for _ in 0..random.below(24) {
            data.extend_from_slice(words[random.rank(words.len())].as_bytes());
            data.push(b' ');
        }
        data.push(b'\n');
    }
    data.truncate(len);
    data
}

/// A linear congruential generator. Only its upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) * bound) >> 31
    }

    /// A number below `len`. Small numbers are more frequent than large ones, like the words of a language.
    fn rank(&mut self, len: usize) -> usize {
        let most = (len as f64).ln();
        let rank = (self.below(1 << 30) as f64 / (1 << 30) as f64 * most).exp() as usize;
        rank.min(len) - 1
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 16] = [
            "an", "ber", "co", "der", "en", "fa", "gri", "ho", "il", "ka", "lo", "mi", "nu", "or", "ste",
            "ti",
        ];
        (0..1 + self.below(4)).map(|_| SYLLABLES[self.below(16) as usize]).collect()
    }
}
