//! Numbers, words, and dates of UTC as text, for all generators.
//!
//! The functions append to a buffer. With `format!` the generators would spend most of their time there.

use crate::random::{Random, Weighted};

/// Appends `number` in decimal, with zeros in front up to `width` digits.
pub fn push_padded(out: &mut Vec<u8>, mut number: u64, width: usize) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    while number > 0 {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[start.min(digits.len() - width)..]);
}

/// Appends `number` in decimal.
pub fn push_number(out: &mut Vec<u8>, number: u64) {
    push_padded(out, number, 1);
}

/// Appends a fixed-point number with `places` digits behind the point. `units` counts units of the last digit.
pub fn push_fixed(out: &mut Vec<u8>, units: i64, places: u32) {
    if units < 0 {
        out.push(b'-');
    }
    let one = 10_u64.pow(places);
    push_number(out, units.unsigned_abs() / one);
    out.push(b'.');
    push_padded(out, units.unsigned_abs() % one, places as usize);
}

/// Appends a invented name of `low..high` letters, digits and underscores.
pub fn push_name(out: &mut Vec<u8>, random: &mut Random, low: u64, high: u64) {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789_";
    for _ in 0..random.between(low, high) {
        out.push(random.one_of(ALPHABET));
    }
}

/// Invented words. As in every language, some are used much more often than others: here the first ones.
pub struct Words {
    words: Vec<Vec<u8>>,
    frequency: Weighted,
}

impl Words {
    /// Makes a vocabulary of `len` words.
    pub fn new(random: &mut Random, len: usize) -> Self {
        const STARTS: [&str; 24] = [
            "b", "br", "c", "ch", "d", "f", "fl", "g", "h", "l", "m", "n", "p", "pl", "qu", "r", "s", "sh",
            "st", "t", "th", "tr", "v", "w",
        ];
        const MIDDLES: [&str; 10] = ["a", "e", "i", "o", "u", "ea", "ou", "ai", "e", "o"];
        const ENDS: [&str; 14] = ["", "", "n", "s", "t", "r", "ly", "nt", "st", "ck", "ng", "l", "d", "th"];
        let words = (0..len)
            .map(|rank| {
                let mut word = Vec::new();
                // Frequent words are short.
                for _ in 0..random.between(1, if rank < len / 16 { 2 } else { 4 }) {
                    word.extend_from_slice(random.one_of(&STARTS).as_bytes());
                    word.extend_from_slice(random.one_of(&MIDDLES).as_bytes());
                }
                word.extend_from_slice(random.one_of(&ENDS).as_bytes());
                word
            })
            .collect();
        Self { words, frequency: Weighted::zipf(len) }
    }

    /// Appends `count` words with spaces between them.
    pub fn push(&self, out: &mut Vec<u8>, random: &mut Random, count: u64) {
        for i in 0..count {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(&self.words[self.frequency.draw(random)]);
        }
    }
}

/// Seconds since 1970 of the first day of 2007, at which the generated histories begin.
pub const START_OF_2007: u64 = 1_167_609_600;

/// Appends `2010-10-20 19:45:39` for a number of seconds since 1970.
pub fn push_time(out: &mut Vec<u8>, seconds: u64) {
    push_date(out, seconds / 86_400);
    let second = seconds % 86_400;
    for (mark, value) in [(b' ', second / 3600), (b':', second / 60 % 60), (b':', second % 60)] {
        out.push(mark);
        push_two_digits(out, value);
    }
}

/// Appends `2010-10-20` for a number of days since 1970.
pub fn push_date(out: &mut Vec<u8>, days: u64) {
    let (year, month, day) = date_of(days);
    push_two_digits(out, year / 100);
    push_two_digits(out, year % 100);
    for value in [month, day] {
        out.push(b'-');
        push_two_digits(out, value);
    }
}

fn push_two_digits(out: &mut Vec<u8>, value: u64) {
    out.push(b'0' + (value / 10) as u8);
    out.push(b'0' + (value % 10) as u8);
}

/// Year, month and day of a number of days since 1970. The algorithm is Howard Hinnant's `civil_from_days`.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        push(&mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn numbers_are_written_as_printf_would() {
        assert_eq!(text(|out| push_number(out, 0)), "0");
        assert_eq!(text(|out| push_number(out, u64::MAX)), u64::MAX.to_string());
        assert_eq!(text(|out| push_padded(out, 7, 3)), "007");
        assert_eq!(text(|out| push_fixed(out, -29_715_008, 7)), "-2.9715008");
        assert_eq!(text(|out| push_fixed(out, -5, 2)), "-0.05");
    }

    #[test]
    fn times_follow_the_calendar() {
        for (seconds, expected) in [
            (START_OF_2007, "2007-01-01 00:00:00"),
            (951_868_799, "2000-02-29 23:59:59"),
            (951_868_800, "2000-03-01 00:00:00"),
            (1_798_761_599, "2026-12-31 23:59:59"),
        ] {
            let mut out = Vec::new();
            push_time(&mut out, seconds);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
