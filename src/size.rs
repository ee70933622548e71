//! Numbers of bytes, rates, times and percentages, as users type and read them.
//!
//! The parsers take the value of an option and return a number or a sentence that says what was expected. [`human`]
//! formats a number of bytes for messages and tables. The flags of pzcomp and of some dialects use the parsers.

use std::time::Duration;

const UNITS: [(&str, u32); 5] = [("B", 0), ("K", 10), ("M", 20), ("G", 30), ("T", 40)];

/// Returns the number of bytes that `text` names: `4096`, `12B`, `64K`, `4MiB`, `1g`. All units are powers of 1024,
/// also `KB`. Fails if there is no number, if the unit is unknown, or if the result does not fit into 64 bits.
pub(super) fn parse(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err("expected a size such as 65536, 64K, 4MiB or 1G".into());
    }
    let shift = shift(unit)
        .ok_or_else(|| format!("unknown unit '{unit}'; expected B, K, M, G or T, as in 64K or 4MiB"))?;
    let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    size.ok_or_else(|| "the size does not fit into 64 bits; the largest is 18446744073709551615".into())
}

/// The power of two of a unit, without regard to case. Without a unit it is 0.
fn shift(unit: &str) -> Option<u32> {
    let unit = unit.to_ascii_uppercase();
    let named = |&&(name, _): &&(&str, u32)| match unit.strip_prefix(name) {
        Some(rest) => rest.is_empty() || name != "B" && matches!(rest, "B" | "IB"),
        None => name == "B" && unit.is_empty(),
    };
    UNITS.iter().find(named).map(|&(_, shift)| shift)
}

/// Returns the bytes per second that `text` names: `300MB/s`, `1.5GiB/s`, `10Gbit/s`, `100Mbps`. Here `M` is 10^6, as
/// usual for rates, and `Mi` is 2^20. A small `b` is a bit. Fails if the rate is not above zero.
pub(super) fn parse_rate(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a rate; expected one such as 300MB/s, 1.5GiB/s or 10Gbit/s");
    let rate = text.trim();
    let rate = rate.strip_suffix("/s").or_else(|| rate.strip_suffix("ps")).unwrap_or(rate);
    let number_len = rate.len() - rate.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = rate.split_at(number_len);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let unit = unit.trim();
    let (prefix, bytes) = match unit.strip_suffix("bit").or_else(|| unit.strip_suffix('b')) {
        Some(prefix) => (prefix, 1.0 / 8.0),
        None => (unit.strip_suffix('B').unwrap_or(unit), 1.0),
    };
    let factor = match prefix.to_ascii_lowercase().as_str() {
        "k" => 1e3,
        "m" => 1e6,
        "g" => 1e9,
        "ki" => 1024.0,
        "mi" => 1024.0 * 1024.0,
        "gi" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let rate = number * factor * bytes;
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(wrong()) }
}

/// Returns the time that `text` names: `200ms`, `2s`, `1.5s` or `1m`. Fails without a unit, and outside of 1 ms to a
/// day.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not a time; expected one from 1ms to 24h, such as 200ms, 2s or 1m");
    let number_len = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(number_len);
    let seconds = match unit.trim() {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    match number.parse::<f64>() {
        Ok(number) if (0.001..=86_400.0).contains(&(number * seconds)) => {
            Ok(Duration::from_secs_f64(number * seconds))
        }
        _ => Err(wrong()),
    }
}

/// Returns the fraction that `text` names in percent: 0.25 for `25%`. Fails outside of 0 to 100.
pub(super) fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim();
    let number = number.strip_suffix('%').unwrap_or(number).trim_end().parse::<f64>();
    match number {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent / 100.0),
        _ => {
            Err(format!("'{text}' is not a percentage; expected a number above 0 and up to 100, such as 25%"))
        }
    }
}

/// Formats `bytes` in the largest unit of which there is at least one, with one decimal.
pub(super) fn human(bytes: u64) -> String {
    match UNITS.iter().rev().find(|&&(_, shift)| shift > 0 && bytes >= 1 << shift) {
        Some((unit, shift)) => format!("{:.1} {unit}iB", bytes as f64 / (1_u64 << shift) as f64),
        None => format!("{bytes} B"),
    }
}

/// A number of things in words: 1 frame, 2 frames.
pub(super) fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_binary_however_the_unit_is_spelled() {
        for text in ["64K", "64k", "64KB", "64KiB", "64kib", "65536", "65536B"] {
            assert_eq!(parse(text), Ok(65536), "{text}");
        }
        assert_eq!(parse("12B"), Ok(12));
        assert_eq!(parse("4MiB"), Ok(4 << 20));
        assert_eq!(parse("1g"), Ok(1 << 30));
        assert_eq!(parse("2T"), Ok(2 << 40));
        assert_eq!(parse("0"), Ok(0));
    }

    #[test]
    fn rates_are_decimal_unless_they_say_otherwise() {
        for (text, bytes) in [
            ("300MB/s", 300e6),
            ("300M", 300e6),
            ("0.3 GB/s", 300e6),
            ("300000kB/s", 300e6),
            ("1GiB/s", 1_073_741_824.0),
            ("10Gbit/s", 1.25e9),
            ("100Mbps", 12.5e6),
            ("10Gb/s", 1.25e9),
            ("100MBps", 100e6),
        ] {
            assert_eq!(parse_rate(text), Ok(bytes), "{text}");
        }
        for text in ["", "300", "fast", "-1MB/s", "0MB/s", "1.2.3MB/s", "3TB/s", "MB/s", "1MBB/s"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_a_unit() {
        for (text, ms) in
            [("200ms", 200), ("1s", 1000), ("1.5 s", 1500), ("2m", 120_000), ("24h", 86_400_000)]
        {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "200", "ms", "0ms", "0.5ms", "-1s", "1.2.3s", "25h", "1d", "infs"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn percentages_are_parts_of_a_hundred() {
        assert_eq!(parse_percent("25%"), Ok(0.25));
        assert_eq!(parse_percent("12.5"), Ok(0.125));
        for text in ["", "%", "-1%", "0", "a", "inf", "25%%", "200%"] {
            assert!(parse_percent(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nonsense_and_overflow_are_refused() {
        for text in [
            "",
            "K",
            "-1",
            "1.5M",
            "4 M",
            "4X",
            "4KK",
            "4iB",
            "4BB",
            "4MiBs",
            "0x10",
            "18446744073709551616",
            "99999999T",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn human_sizes_have_one_decimal_above_a_kibibyte() {
        assert_eq!(human(0), "0 B");
        assert_eq!(human(1023), "1023 B");
        assert_eq!(human(1024), "1.0 KiB");
        assert_eq!(human(256 << 20), "256.0 MiB");
        assert_eq!(human(u64::MAX), "16777216.0 TiB");
    }
}
