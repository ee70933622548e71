//! The first step of coding: a run of four to 255 equal bytes becomes four bytes and a count of more.
//!
//! [`shorten`] does it for a block. [`BlockFill`] counts, without writing, how many bytes of input fill a block, for
//! callers that cut their input before they code it. Both agree for every input.

use crate::find_run;

/// The greatest length of a run.
const RUN_MAX: usize = 255;
/// The length of a shortened run, with its count.
const RUN_LEN: usize = 5;

/// Puts the first bytes of `plain` into `out` with their runs shortened, as many as have room. Returns how many bytes
/// of `plain` they are, and how many bytes of `out` they take.
pub(super) fn shorten(plain: &[u8], out: &mut [u8]) -> (usize, usize) {
    let (mut at, mut len) = (0, 0);
    while at < plain.len() {
        let rest = &plain[at..];
        let before = find_run(&rest[..rest.len().min(out.len() - len + RUN_LEN)]);
        let copied = before.unwrap_or(rest.len()).min(out.len() - len);
        out[len..][..copied].copy_from_slice(&rest[..copied]);
        (at, len) = (at + copied, len + copied);
        if before != Some(copied) {
            break;
        }
        let room = &mut out[len..];
        let byte = plain[at];
        if room.len() < RUN_LEN {
            let copied = room.len().min(3);
            room[..copied].fill(byte);
            return (at + copied, len + copied);
        }
        let run = plain[at..].iter().take(RUN_MAX).take_while(|&&next| next == byte).count();
        room[..4].fill(byte);
        room[4] = (run - 4) as u8;
        (at, len) = (at + run, len + RUN_LEN);
    }
    (at, len)
}

/// Counts how many bytes of input fill a block, whose runs are shortened. The input may come in parts.
///
/// ```
/// use pzcomp_bzip2::encode::BlockFill;
///
/// let mut fill = BlockFill::new(10);
/// assert_eq!(fill.find(b"abc"), None);
/// // Six equal bytes take five, and two more fit.
/// assert_eq!(fill.find(b"zzzzzzdefg"), Some(8));
/// ```
#[derive(Clone, Debug)]
pub struct BlockFill {
    room: usize,
    /// The last byte, and how many times it came in a row: 0 at first.
    last: u8,
    run: usize,
}

impl BlockFill {
    /// Counts for a block that holds so many bytes.
    pub fn new(room: usize) -> Self {
        Self { room, last: 0, run: 0 }
    }

    /// Takes the next bytes. Returns how many of them the block has room for, or nothing if it has room for all.
    pub fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if self.run > 0 && bytes[at] == self.last && self.run < RUN_MAX {
                // Within a run.
                let takes = match self.run {
                    1..=2 => 1,
                    3 => 2,
                    _ => 0,
                };
                self.room = match self.room.checked_sub(takes) {
                    Some(room) => room,
                    None => return Some(at),
                };
                (self.run, at) = (self.run + 1, at + 1);
                continue;
            }
            // Up to the next run, or what may be the beginning of one, each byte takes one.
            let rest = &bytes[at..];
            let before = find_run(rest).unwrap_or(rest.len().saturating_sub(3));
            let passed = before.max(1);
            if passed > self.room {
                return Some(at + self.room);
            }
            self.room -= passed;
            at += passed;
            self.last = bytes[at - 1];
            self.run = rest[..passed].iter().rev().take_while(|&&byte| byte == self.last).count();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Runs;

    /// The definition, byte by byte.
    fn plainly(plain: &[u8], limit: usize) -> usize {
        let (mut len, mut run, mut last) = (0, 0_u32, None);
        for (at, &byte) in plain.iter().enumerate() {
            run = if last == Some(byte) && run < 255 { run + 1 } else { 1 };
            last = Some(byte);
            len += match run {
                1..=3 => 1,
                4 => 2,
                _ => 0,
            };
            if len > limit {
                return at;
            }
        }
        plain.len()
    }

    fn texts() -> Vec<Vec<u8>> {
        let mut texts: Vec<Vec<u8>> = (0..520).map(|len| vec![7; len]).collect();
        let mut state = 1_u32;
        for _ in 0..300 {
            let mut text = Vec::new();
            for _ in 0..20 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let len = if state >> 28 == 0 { state >> 22 & 1023 } else { state >> 20 & 7 };
                text.extend(vec![(state >> 9) as u8 & 1; len as usize]);
            }
            texts.push(text);
        }
        texts
    }

    #[test]
    fn as_many_bytes_are_taken_as_have_room() {
        for text in texts() {
            for limit in (1..14).chain([100, 259, 1000]) {
                let taken = plainly(&text, limit);
                let mut out = vec![0; limit];
                let (of_all, len) = shorten(&text, &mut out);
                assert_eq!(of_all, taken, "{text:?} in {limit}");
                for step in [1, 3, 4, 5, 9, 1000] {
                    let mut fill = BlockFill::new(limit);
                    let mut parts = text.chunks(step).enumerate();
                    let found = parts.find_map(|(part, bytes)| Some(part * step + fill.find(bytes)?));
                    assert_eq!(found.unwrap_or(text.len()), taken, "{text:?} in {limit}, steps of {step}");
                }
                let mut runs = Runs::new(&out[..len]);
                let mut back = vec![0; taken + 1];
                assert_eq!(runs.fill(&mut back), Ok(taken));
                assert_eq!(back[..taken], text[..taken]);
            }
        }
    }
}
