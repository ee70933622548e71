//! Whether a text is little but long repeats.

/// A repeat of this length is a long one.
const LONG: usize = 512;
/// Less than this part of the text may lie outside of long repeats.
const PART: usize = 16;
const HASH_BITS: u32 = 14;

/// Whether nearly all of a text lies in long repeats with distances up to `distance_max`.
///
/// [`crate::Encoder`] sorts the whole text before it codes. An encoder that passes over long matches is faster for such
/// texts. For other texts this looks at little more than a sixteenth.
pub fn is_repetitive(plain: &[u8], distance_max: usize) -> bool {
    let mut seen = vec![0; 1 << HASH_BITS];
    let (mut at, mut left) = (0, plain.len() / PART);
    while let Some(bytes) = plain.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let hash = u64::from_le_bytes(*bytes).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - HASH_BITS);
        // Zero means that nothing was seen.
        let before = std::mem::replace(&mut seen[hash as usize], at + 1);
        let distance = at + 1 - before;
        let len = if before > 0 && distance <= distance_max {
            plain[at..].iter().zip(&plain[at - distance..]).take_while(|(a, b)| a == b).count()
        } else {
            0
        };
        if len >= LONG {
            at += len;
        } else if left == 0 {
            return false;
        } else {
            at += 1;
            left -= 1;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_must_be_long_near_and_nearly_everywhere() {
        let noise: Vec<u8> = (0..20_000_u64)
            .map(|index| {
                (index.wrapping_mul(index ^ 0x5bd1_e995).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
            })
            .collect();
        let short = |len: usize| noise.chunks(len).flat_map(|part| [part, part]).flatten().copied().collect();
        let period: Vec<u8> = noise[..5000].iter().copied().cycle().take(200_000).collect();
        let half: Vec<u8> = [&period[..], &noise].concat();
        let zeros = vec![0; 100_000];
        let all_short: Vec<u8> = short(300);
        assert!(is_repetitive(&zeros, 4096));
        assert!(is_repetitive(&period, 5000));
        assert!(!is_repetitive(&period, 4999));
        assert!(!is_repetitive(&half, 5000));
        assert!(!is_repetitive(&all_short, 5000));
        assert!(!is_repetitive(&noise, 5000));
    }
}
