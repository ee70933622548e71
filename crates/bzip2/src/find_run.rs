//! The search for runs, which both directions need.
//!
//! The encoder shortens each run of four equal bytes that [`find_run`] finds, and the decoder finds where a count
//! follows. It examines six places at a time.

/// The place of the first four equal bytes.
pub(crate) fn find_run(bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk)
        && let Some(shifted) = bytes.get(at + 1..).and_then(<[u8]>::first_chunk)
    {
        let unequal = u64::from_le_bytes(*eight) ^ u64::from_le_bytes(*shifted);
        // The highest bit of each byte that equals the one behind it.
        let equal = !(((unequal & LOW) + LOW) | unequal | LOW);
        let runs = equal & (equal >> 8) & (equal >> 16);
        if runs != 0 {
            return Some(at + (runs.trailing_zeros() / 8) as usize);
        }
        at += 6;
    }
    bytes[at..].windows(4).position(|four| four.iter().all(|&byte| byte == four[0])).map(|run| at + run)
}
