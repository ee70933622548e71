//! The inverse of the Burrows-Wheeler transform, at eight places of the text at a time.
//!
//! The sorted rotations of a block are linked: each row names the row of the rotation that is one byte further on.
//! Following the links from the row of the text itself costs one cache miss per byte, and each waits for the one
//! before. But the links can be followed from any row. So some hundred rows are marked as starts, and eight *lanes*
//! follow the links side by side, each from a start to the next start that it meets. The *strands* of text that they
//! find are put together at the end. Any input gives some text: masks and lengths bound all places.

/// How many rows there is room for. A power of two, so that a masked link needs no check.
const ROWS: usize = 1 << 20;
/// The row at which lanes without work stay.
const NOWHERE: u32 = ROWS as u32 - 1;
/// The greatest length of a block.
pub(super) const LEN_MAX: usize = 900_000;

/// A row: the byte it begins with, the row that is one byte further on, and whether it is a start.
const LINK_SHIFT: u32 = 8;
const START: u32 = 1 << 31;

const LANES: usize = 8;
/// Room for all that a lane finds. It is no multiple of a page, because all lanes write at the same place in theirs.
const LANE_LEN: usize = LEN_MAX.next_multiple_of(4096) + 512;
/// The least distance of starts in rows, and the greatest number of starts.
const STRAND_LEN: usize = 256;
const STRANDS_MAX: usize = 512;

/// A stretch of the text.
#[derive(Clone, Copy, Default)]
struct Strand {
    lane: usize,
    from: usize,
    len: usize,
    /// The row behind it, which is a start.
    next: u32,
}

/// Memory for the inverse transform.
pub(super) struct Inverse {
    rows: Box<[u32; ROWS]>,
    /// What each lane has found, one lane behind the other.
    lanes: Box<[u8; LANES * LANE_LEN]>,
    strands: Vec<Strand>,
}

/// Memory that the system zeroes page by page, so that unused pages cost nothing. It is never on the stack, which is
/// too small for it in builds without optimisation.
fn boxed<T: Clone + Default, const LEN: usize>(zero: T) -> Option<Box<[T; LEN]>> {
    vec![zero; LEN].into_boxed_slice().try_into().ok()
}

impl Inverse {
    pub(super) fn new() -> Option<Self> {
        Some(Self { rows: boxed(0)?, lanes: boxed(0)?, strands: Vec::with_capacity(STRANDS_MAX) })
    }

    /// Puts the text in place of `last`, the last bytes of its sorted rotations, of which `origin` is
    /// the text itself. There are `counts` of each byte.
    pub(super) fn run(&mut self, last: &mut [u8], origin: u32, counts: &[u32; 256]) {
        self.link(last, counts);
        let spacing = last.len().div_ceil(STRANDS_MAX).max(STRAND_LEN) as u32;
        self.follow(last.len(), origin, spacing);
        self.assemble(last, origin, spacing);
    }

    /// Makes the rows. Neither this nor [`Self::follow`] is inlined, so that their loops have all registers.
    #[inline(never)]
    fn link(&mut self, last: &[u8], counts: &[u32; 256]) {
        let mut sum = 0;
        let mut places = counts.map(|count| {
            sum += count;
            sum - count
        });
        for (row, &byte) in last.iter().enumerate() {
            let place = &mut places[usize::from(byte)];
            // Never out of range; the mask saves the check.
            self.rows[*place as usize & (ROWS - 1)] = (row as u32) << LINK_SHIFT | u32::from(byte);
            *place += 1;
        }
    }

    /// Follows the links from all starts: `origin`, which is strand 0, and each row that is a multiple
    /// of `spacing`, whose quotient is the number of its strand.
    #[inline(never)]
    fn follow(&mut self, len: usize, origin: u32, spacing: u32) {
        let count = (len as u32).div_ceil(spacing);
        self.strands.clear();
        self.strands.resize(count as usize, Strand::default());
        let rows = &mut *self.rows;
        rows[NOWHERE as usize] = NOWHERE << LINK_SHIFT;
        let mut starts = std::iter::once((0, origin)).chain(
            (1..count).map(|strand| (strand as usize, strand * spacing)).filter(|&(_, row)| row != origin),
        );
        rows[origin as usize & (ROWS - 1)] |= START;
        for row in (1..count).map(|strand| strand * spacing) {
            rows[row as usize & (ROWS - 1)] |= START;
        }
        let (lanes, _) = self.lanes.as_chunks_mut::<LANE_LEN>();
        // The memory has eight lanes exactly, so this never fails.
        let Ok(lanes) = <&mut [[u8; LANE_LEN]; LANES]>::try_from(lanes) else { return };
        // What each lane is at: a strand and where in the lane it began.
        let mut at: [Option<(usize, usize)>; LANES] = [None; LANES];
        let mut next = [NOWHERE as usize; LANES];
        let mut done = 0;
        // All start by the same event that later ends a strand.
        let mut ended = [true; LANES];
        // Each step takes at least one row that no lane has been at, so there are not more than rows.
        while done < LANE_LEN {
            let mut working = 0;
            for lane in 0..LANES {
                let mut row = rows[next[lane]];
                if ended[lane] {
                    if let Some((strand, from)) = at[lane] {
                        self.strands[strand] =
                            Strand { lane, from, len: done - from, next: next[lane] as u32 };
                    }
                    at[lane] = starts.next().map(|(strand, start)| {
                        row = rows[start as usize & (ROWS - 1)] & !START;
                        (strand, done)
                    });
                    if at[lane].is_none() {
                        row = rows[NOWHERE as usize];
                    }
                }
                working += usize::from(at[lane].is_some());
                lanes[lane][done] = row as u8;
                next[lane] = (row >> LINK_SHIFT) as usize & (ROWS - 1);
            }
            done += 1;
            if working == 0 {
                break;
            }
            while done < LANE_LEN {
                // Loops, for `map` of an array is a call here.
                let mut here = [0; LANES];
                let mut any = 0;
                for lane in 0..LANES {
                    here[lane] = rows[next[lane] & (ROWS - 1)];
                    any |= here[lane];
                }
                if any & START != 0 {
                    for lane in 0..LANES {
                        ended[lane] = here[lane] & START != 0;
                    }
                    break;
                }
                for lane in 0..LANES {
                    lanes[lane][done] = here[lane] as u8;
                    next[lane] = (here[lane] >> LINK_SHIFT) as usize;
                }
                done += 1;
            }
        }
    }

    /// Puts the strands together. Rows that make no single ring, as in a block that repeats itself or
    /// is damaged, lead back to the first strand before all of the text is there.
    fn assemble(&self, text: &mut [u8], origin: u32, spacing: u32) {
        let (mut strand, mut filled) = (0, 0);
        while filled < text.len() {
            let Strand { lane, from, len, next } = self.strands[strand];
            let len = len.min(text.len() - filled);
            text[filled..filled + len].copy_from_slice(&self.lanes[lane * LANE_LEN + from..][..len]);
            filled += len;
            strand = if next == origin { 0 } else { (next / spacing) as usize };
            if len == 0 {
                // No strand is empty.
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The transform by definition, of short texts.
    fn forward(text: &[u8]) -> (Vec<u8>, u32) {
        let mut rows: Vec<usize> = (0..text.len()).collect();
        let rotation = |start: usize| text[start..].iter().chain(&text[..start]);
        rows.sort_by(|&a, &b| rotation(a).cmp(rotation(b)));
        let origin = rows.iter().position(|&row| row == 0).unwrap();
        (rows.iter().map(|&row| text[(row + text.len() - 1) % text.len()]).collect(), origin as u32)
    }

    fn back(last: &[u8], origin: u32) -> Vec<u8> {
        let mut counts = [0; 256];
        last.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        let mut text = last.to_vec();
        Inverse::new().unwrap().run(&mut text, origin, &counts);
        text
    }

    /// The inverse by definition.
    fn plain_back(last: &[u8], origin: u32) -> Vec<u8> {
        let mut rows: Vec<usize> = (0..last.len()).collect();
        rows.sort_by_key(|&row| last[row]);
        let mut row = origin as usize;
        (0..last.len())
            .map(|_| {
                row = rows[row];
                last[row]
            })
            .collect()
    }

    #[test]
    fn texts_come_back() {
        for len in [1, 2, 3, 255, 256, 257, 511, 513, 3_000] {
            for kinds in [1, 2, 26] {
                let text: Vec<u8> = (0..len)
                    .map(|at: u32| b'a' + (at.wrapping_mul(2_654_435_761) >> 24) as u8 % kinds)
                    .collect();
                let (last, origin) = forward(&text);
                assert_eq!(back(&last, origin), text, "{len} of {kinds}");
            }
            let repeated = b"abcab".repeat(len as usize);
            let (last, origin) = forward(&repeated);
            assert_eq!(back(&last, origin), repeated);
        }
    }

    #[test]
    fn what_is_no_transform_gives_what_the_definition_gives() {
        for len in [1_usize, 7, 300, 5_000] {
            let last: Vec<u8> =
                (0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 23) as u8 & 31).collect();
            for origin in [0, len / 3, len / 2, len - 1] {
                assert_eq!(back(&last, origin as u32), plain_back(&last, origin as u32), "{len} {origin}");
            }
        }
    }
}
