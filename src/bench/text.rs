//! [`text()`]: a sample for measurements if the caller has no data.
//!
//! A length and a seed come in, and bytes go out that compress about as well as a dump of a database. Tests use it too.

use std::io::Write;

/// Makes `len` bytes that compress about as well as a database dump with texts: rows of numbers, names, and sentences
/// of words with unequal frequencies. The same `seed` always gives the same bytes.
///
/// ```
/// use pzcomp::bench::text;
/// assert_eq!(text(1000, 7).len(), 1000);
/// assert_eq!(text(1000, 7), text(1000, 7));
/// assert_ne!(text(1000, 7), text(1000, 8));
/// ```
pub fn text(len: usize, seed: u64) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_the_same_every_time_and_as_long_as_asked_for() {
        assert_eq!(text(100_000, 7), text(100_000, 7));
        assert_ne!(text(1000, 7), text(1000, 8));
        assert_eq!(text(0, 7).len(), 0);
        assert_eq!(text(1001, 7).len(), 1001);
    }

    #[test]
    fn text_compresses_like_a_dump() -> crate::Result<()> {
        let (data, mut coded) = (text(1 << 20, 7), Vec::new());
        let options = crate::Encode { threads: 1, ..Default::default() };
        crate::Compress::new(&options).run(&data, &mut coded)?;
        let percent = coded.len() * 100 / data.len();
        assert!((25..60).contains(&percent), "{percent} %");
        Ok(())
    }
}
