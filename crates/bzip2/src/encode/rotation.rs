//! The least of all rotations of a text.
//!
//! `sort.rs` turns a text to its least rotation before it sorts suffixes, because then their order is that of the
//! rotations. [`least`] finds the place, and the period of a text that repeats itself. Few places of ordinary data
//! begin with its least eight bytes, so mostly these are compared; a linear algorithm does the rest.

/// How many bytes are compared at a time. So many of its first bytes follow the text.
pub(super) const WORD_LEN: usize = 8;
/// Candidates that are compared one by one.
const CANDIDATES_MAX: usize = 1 << 10;

/// The first place where the least rotation begins, and after how many bytes the text repeats itself. That is its
/// length if it is no power of a shorter word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Least {
    pub(super) start: usize,
    pub(super) period: usize,
}

/// The least rotation of the first `len` bytes, at least one, which are followed by at least [`WORD_LEN`]
/// bytes of their repetition.
pub(super) fn least(text: &[u8], len: usize, candidates: &mut Vec<u32>) -> Least {
    candidates.clear();
    let mut best = u64::MAX;
    for (at, window) in text[..len + WORD_LEN - 1].windows(WORD_LEN).enumerate() {
        let word = window.first_chunk().map_or(0, |word| u64::from_be_bytes(*word));
        if word <= best {
            if word < best {
                best = word;
                candidates.clear();
            }
            candidates.push(at as u32);
            if candidates.len() > CANDIDATES_MAX {
                return least_of_any(&text[..len]);
            }
        }
    }
    let text = &text[..len];
    least_of(text, candidates).unwrap_or_else(|| least_of_any(text))
}

/// The least of these rotations, or nothing if two are the same or take long to tell apart.
fn least_of(text: &[u8], candidates: &[u32]) -> Option<Least> {
    let (&first, others) = candidates.split_first()?;
    let mut start = first as usize;
    let mut effort = text.len();
    for &other in others {
        let (a, b) = (start, other as usize);
        // `a` is before `b`, so `b` reaches the end of the text first.
        let to_end = text.len() - b;
        let common = common_len(&text[a..a + to_end], &text[b..]);
        effort = effort.checked_sub(common)?;
        if common < to_end {
            if text[b + common] < text[a + common] {
                start = b;
            }
        } else {
            // This is rare, and the linear algorithm can do it.
            return None;
        }
    }
    Some(Least { start, period: text.len() })
}

/// How many first bytes of two slices of the same length are the same.
fn common_len(a: &[u8], b: &[u8]) -> usize {
    let mut len = 0;
    while let Some((a, b)) = a[len..].first_chunk().zip(b[len..].first_chunk::<8>()) {
        let unequal = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if unequal != 0 {
            return len + (unequal.trailing_zeros() / 8) as usize;
        }
        len += 8;
    }
    len + a[len..].iter().zip(&b[len..]).take_while(|(a, b)| a == b).count()
}

/// The least of all rotations in linear time. Of two candidates the greater is dropped, with all places behind it that
/// lie inside the part that both have in common (Shiloach, "Fast canonization of circular strings", 1981).
fn least_of_any(text: &[u8]) -> Least {
    let len = text.len();
    let wrap = |at: usize| if at >= len { at - len } else { at };
    let (mut a, mut b, mut common) = (0, 1, 0);
    while a < len && b < len && common < len {
        let (of_a, of_b) = (text[wrap(a + common)], text[wrap(b + common)]);
        if of_a == of_b {
            common += 1;
            continue;
        }
        if of_a > of_b {
            a += common + 1;
        } else {
            b += common + 1;
        }
        if a == b {
            b += 1;
        }
        common = 0;
    }
    let period = if common == len { a.abs_diff(b) } else { len };
    Least { start: a.min(b), period }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &[u8]) -> Vec<u8> {
        text.iter().cycle().take(text.len() + WORD_LEN).copied().collect()
    }

    fn check(text: &[u8]) {
        let len = text.len();
        let rotation = |start: usize| [&text[start..], &text[..start]].concat();
        let Least { start, period } = least(&padded(text), len, &mut Vec::new());
        assert_eq!(rotation(start), (0..len).map(rotation).min().unwrap(), "{text:?}");
        let first = (1..=len).find(|&period| len.is_multiple_of(period) && rotation(period % len) == text);
        assert_eq!(Some(period), first, "{text:?}");
        assert_eq!(least_of_any(text), Least { start, period }, "{text:?}");
    }

    #[test]
    fn the_least_of_all_short_words_is_found() {
        for letters in [2_usize, 3] {
            for len in 1..=if letters == 2 { 13 } else { 8 } {
                for word in 0..letters.pow(len) {
                    let letter = |at| (word / letters.pow(at) % letters) as u8;
                    check(&(0..len).map(letter).collect::<Vec<u8>>());
                }
            }
        }
    }

    #[test]
    fn long_repetitions_and_powers_are_found() {
        let unit: Vec<u8> = (0..37_u32).map(|at| (at * at % 11) as u8).collect();
        let mut text = unit.repeat(30);
        check(&text);
        text.push(0);
        check(&text);
        text.extend(unit.repeat(3));
        check(&text);
        check(&[&[5; 300][..], &[4], &[5; 200]].concat());
    }
}
