//! Reads numbers as xz takes them: with a unit, in per cent of the memory, or `max`.
//!
//! The functions take the value of an option and return a number or the message of xz.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::time::Duration;

use system::memory::total;

use crate::size;

/// The highest number of threads that xz takes.
const THREADS_MAX: u64 = 16_384;

/// The greatest length of a Block that xz takes.
const BLOCK_SIZE_MAX: u64 = u64::MAX >> 1;

/// A longer time has the same effect.
const TIMEOUT_MAX: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reads a number with or without a unit.
pub(super) fn parse(text: &OsStr) -> Result<u64, String> {
    match text.to_str() {
        Some("max") => Ok(u64::MAX),
        Some(text) => size::parse(text).map_err(|what| format!("{text}: {what}")),
        None => Err(format!("{}: Value is not a non-negative decimal integer", text.display())),
    }
}

/// Reads a limit in bytes or in per cent of the memory of the machine. Returns `None` for no limit.
pub(super) fn memory(text: &OsStr) -> Result<Option<u64>, String> {
    let limit = match text.to_str().and_then(|text| text.strip_suffix('%')) {
        Some(percent) => match parse(OsStr::new(percent))? {
            percent @ 1..=100 => {
                total().ok_or_else(|| {
                    format!("{}: the system does not tell how much memory it has", text.display())
                })? / 100
                    * percent
            }
            _ => return Err(format!("{}: Value must be in the range [1, 100]", text.display())),
        },
        None => parse(text)?,
    };
    Ok((!matches!(limit, 0 | u64::MAX)).then_some(limit))
}

/// Reads the length of Blocks. It is as near to that as pzcomp can make it. Returns `None` for 0, which stands for the
/// usual length.
pub(super) fn block_size(text: &OsStr) -> Result<Option<usize>, String> {
    /// What pzcomp can make.
    const LENGTHS: RangeInclusive<u64> = 4 << 10..=1 << 30;
    match parse(text)? {
        0 => Ok(None),
        len @ 1..=BLOCK_SIZE_MAX => Ok(Some(len.clamp(*LENGTHS.start(), *LENGTHS.end()) as usize)),
        _ => Err(format!("Value of the option 'block-size' must be in the range [0, {BLOCK_SIZE_MAX}]")),
    }
}

/// Reads a time in milliseconds. Returns `None` for 0, which stands for no limit.
pub(super) fn timeout(text: &OsStr) -> Result<Option<Duration>, String> {
    let milliseconds = parse(text)?;
    Ok((milliseconds > 0).then(|| Duration::from_millis(milliseconds).min(TIMEOUT_MAX)))
}

/// Reads a number of threads. A `+` in front of it has no effect in pzcomp.
pub(super) fn threads(text: &OsStr) -> Result<usize, String> {
    let plain = text.to_str().and_then(|text| text.strip_prefix('+')).map_or(text, OsStr::new);
    match parse(plain)? {
        threads @ 0..=THREADS_MAX => Ok(threads as usize),
        _ => Err(format!("Value of the option 'threads' must be in the range [0, {THREADS_MAX}]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_bytes_or_a_part_of_the_memory() {
        let limit = |text: &str| memory(OsStr::new(text));
        assert_eq!((limit("0"), limit("max")), (Ok(None), Ok(None)));
        assert_eq!(limit("64KiB"), Ok(Some(64 << 10)));
        for wrong in ["", "foo", "-1", "0%", "101%", "%"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
        let half = limit("50%").unwrap_or_default();
        assert!(half.is_some_and(|half| half > 1 << 20), "{half:?}");
    }

    #[test]
    fn blocks_are_as_near_to_the_asked_length_as_can_be() {
        let len = |text: &str| block_size(OsStr::new(text));
        assert_eq!((len("0"), len("1"), len("4097")), (Ok(None), Ok(Some(4096)), Ok(Some(4097))));
        assert_eq!((len("3GiB"), len("9223372036854775807")), (Ok(Some(1 << 30)), Ok(Some(1 << 30))));
        assert!(len("max").is_err() && len("many").is_err());
    }

    #[test]
    fn threads_are_numbers_with_or_without_a_sign() {
        let number = |text: &str| threads(OsStr::new(text)).ok();
        assert_eq!((number("0"), number("4"), number("+1")), (Some(0), Some(4), Some(1)));
        assert_eq!((number("16385"), number("many"), number("")), (None, None, None));
    }
}
