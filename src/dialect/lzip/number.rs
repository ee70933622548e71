//! Reads numbers as lzip takes them: with decimal units such as `k` or binary units such as `Ki`.
//!
//! [`parse`] takes the value of an option and its range, and returns the number or the message of lzip. `Args` calls
//! it for the options `-n` and `-B`.

use std::ffi::OsStr;
use std::ops::RangeInclusive;

/// The limits of the plain length of a member.
pub(super) const DATA_SIZES: RangeInclusive<u64> = 8 << 10..=1 << 30;

pub(super) const THREADS_MAX: u64 = 1 << 16;

/// Reads the value of an option. Fails with the message of lzip if it is not a number, has an unknown unit, or is
/// outside of the range.
pub(super) fn parse(text: &OsStr, option: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let bad = || format!("Bad or missing numerical argument in option '-{option}'.");
    let text = text.to_str().ok_or_else(bad)?;
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(bad());
    }
    let factor =
        factor(unit).ok_or_else(|| format!("Bad multiplier in numerical argument of option '-{option}'."))?;
    let number = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.filter(|number| range.contains(number)).ok_or_else(|| {
        let (lowest, highest) = (limit_text(*range.start()), limit_text(*range.end()));
        format!("Numerical argument out of limits [{lowest},{highest}] in option '-{option}'.")
    })
}

fn factor(unit: &str) -> Option<u64> {
    let unit = unit.strip_suffix('B').unwrap_or(unit);
    let (base, unit) = match unit.strip_suffix('i') {
        Some(unit) => (1024_u64, unit),
        None => (1000, unit),
    };
    Some(match unit {
        "" if base == 1000 => 1,
        "k" if base == 1000 => base,
        "K" if base == 1024 => base,
        "M" => base.pow(2),
        "G" => base.pow(3),
        "T" => base.pow(4),
        _ => return None,
    })
}

/// A limit in the largest binary unit that leaves a whole number.
fn limit_text(number: u64) -> String {
    let units = [(30, "Gi"), (20, "Mi"), (10, "Ki")];
    let unit = units.into_iter().find(|(shift, _)| number >> shift > 0 && number.is_multiple_of(1 << shift));
    unit.map_or_else(|| number.to_string(), |(shift, name)| format!("{}{name}", number >> shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal_or_binary() {
        let size = |text: &str| parse(OsStr::new(text), "B", DATA_SIZES);
        for (text, expected) in [
            ("8192", 8192),
            ("100k", 100_000),
            ("100kB", 100_000),
            ("8Ki", 8192),
            ("8KiB", 8192),
            ("1GiB", 1 << 30),
        ] {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        let limits = "Numerical argument out of limits [8Ki,1Gi] in option '-B'.";
        for text in ["1", "8191", "2GiB", "99999999999999999999"] {
            assert_eq!(size(text), Err(limits.into()), "{text}");
        }
        for text in ["", "x", "-1"] {
            assert_eq!(size(text), Err("Bad or missing numerical argument in option '-B'.".into()), "{text}");
        }
        for text in ["1K", "1ki", "1x", "1i"] {
            assert_eq!(
                size(text),
                Err("Bad multiplier in numerical argument of option '-B'.".into()),
                "{text}"
            );
        }
    }
}
