//! Copies literals and matches into the plain data.
//!
//! The decoder calls these functions with places that it has checked. Short copies are done in blocks of 16 bytes,
//! which may write behind their end as long as there is room: what is written there is written again later. Every
//! access is checked by the compiler.

/// The length of the blocks.
const BLOCK: usize = 16;

/// At least this many bytes of room behind the end of a copy make it fast.
pub(crate) const SPARE: usize = 2 * BLOCK;

/// Copies `len` bytes, at most [`SPARE`], from the front of `coded` to the place `at`.
#[inline(always)]
pub(crate) fn literals(plain: &mut [u8], at: usize, coded: &[u8], len: usize) -> Option<()> {
    match (plain.get_mut(at..at + SPARE), coded.get(..SPARE)) {
        (Some(to), Some(from)) => {
            to[..BLOCK].copy_from_slice(&from[..BLOCK]);
            if len > BLOCK {
                to[BLOCK..].copy_from_slice(&from[BLOCK..]);
            }
        }
        _ => plain.get_mut(at..at + len)?.copy_from_slice(coded.get(..len)?),
    }
    Some(())
}

/// Copies `len` bytes from the place `from` to the place `at`, which is behind it. The two may overlap: then the bytes
/// repeat.
#[inline(always)]
pub(crate) fn matched(plain: &mut [u8], from: usize, at: usize, len: usize) -> Option<()> {
    let distance = at - from;
    if distance >= BLOCK && at + len + BLOCK <= plain.len() {
        let mut done = 0;
        while done < len {
            let block: [u8; BLOCK] = *plain.get(from + done..)?.first_chunk()?;
            *plain.get_mut(at + done..)?.first_chunk_mut()? = block;
            done += BLOCK;
        }
        return Some(());
    }
    near(plain, from, at, len)
}

/// A match that overlaps itself, or that is near the end.
fn near(plain: &mut [u8], from: usize, at: usize, len: usize) -> Option<()> {
    plain.get(..at + len)?;
    if at - from >= len {
        plain.copy_within(from..from + len, at);
        return Some(());
    }
    // Each round copies all whole repetitions so far, so the distance doubles.
    let mut done = 0;
    while done < len {
        let step = (at + done - from).min(len - done);
        plain.copy_within(from..from + step, at + done);
        done += step;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_repeat_what_they_overlap() {
        for len in 1..300 {
            for distance in 3..40 {
                for spare in [0, 1, 15, 16, 40] {
                    let start: Vec<u8> = (0..50).collect();
                    let mut expected = start.clone();
                    for _ in 0..len {
                        expected.push(expected[expected.len() - distance]);
                    }
                    let mut plain = start;
                    plain.resize(50 + len + spare, 0);
                    matched(&mut plain, 50 - distance, 50, len).unwrap();
                    assert_eq!(plain[..50 + len], expected, "{len} bytes from {distance} before");
                }
            }
        }
    }

    #[test]
    fn literals_are_copied_with_and_without_room() {
        let coded: Vec<u8> = (1..60).collect();
        for len in 0..=31 {
            for (room, have) in [(31, 31), (31, 59), (60, 31), (60, 59)] {
                let mut plain = vec![0; 3 + room];
                literals(&mut plain, 3, &coded[..have], len).unwrap();
                assert_eq!(plain[3..3 + len], coded[..len]);
            }
        }
    }
}
