//! The chunks of LZMA2: how long a chunk is, and where a part of a folder ends.
//!
//! The walker and the decoder of a folder both read the headers of its chunks, with [`next_chunk`]. So they agree where
//! a part ends: before the next chunk that resets the dictionary, or at the end of the folder. The walker divides the
//! folder there, and the decoder finds the same place by itself. It needs no word of the walker, which may not be there
//! yet.

/// The header of a chunk of any kind has at most so many bytes.
pub(super) const CHUNK_HEADER_MAX: usize = 6;

/// A chunk of LZMA2, with its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
}

/// The chunk that begins with the bytes `head`, where the folder has `left` bytes more. Nothing if another part begins
/// there, or if the folder ends there.
///
/// The end mark is a chunk too. If it is no valid chunk, all that is left of the folder is one, and its decoder says
/// what is wrong.
pub(super) fn next_chunk(head: &[u8], left: u64, is_first: bool) -> Option<Chunk> {
    if left == 0 {
        return None;
    }
    let (coded_len, plain_len) = match *head {
        [1 | 0xe0..=0xff, ..] if !is_first => return None,
        [control @ 0x80..=0xff, p1, p0, c1, c0, ..] => {
            let plain_len = u64::from(control & 0x1f) << 16 | u64::from(p1) << 8 | u64::from(p0);
            let header_len = if control >= 0xc0 { 6 } else { 5 };
            (header_len + (u64::from(c1) << 8 | u64::from(c0)) + 1, plain_len + 1)
        }
        [1 | 2, l1, l0, ..] => {
            let plain_len = (u64::from(l1) << 8 | u64::from(l0)) + 1;
            (3 + plain_len, plain_len)
        }
        _ => (left, 0),
    };
    Some(Chunk { coded_len: coded_len.min(left), plain_len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_the_length_that_its_header_states() {
        let chunk = |coded_len, plain_len| Some(Chunk { coded_len, plain_len });
        for (head, expected) in [
            (&[1, 0, 0, 9, 9, 9][..], chunk(4, 1)),
            (&[2, 0xff, 0xff, 9, 9, 9], chunk(3 + (1 << 16), 1 << 16)),
            (&[0x80, 0, 0, 0, 0, 9], chunk(6, 1)),
            (&[0x9f, 0xff, 0xff, 0xff, 0xff, 9], chunk(5 + (1 << 16), 1 << 21)),
            (&[0xc1, 0, 4, 1, 2, 9], chunk(6 + 259, (1 << 16) + 5)),
            (&[0xff, 0xff, 0xff, 0, 0, 9], chunk(7, 1 << 21)),
            // The end mark, a control byte that does not exist, and a header that is cut off.
            (&[0, 1, 2, 3, 4, 5], chunk(1 << 20, 0)),
            (&[3, 1, 2, 3, 4, 5], chunk(1 << 20, 0)),
            (&[0x80, 0, 0], chunk(1 << 20, 0)),
            (&[], chunk(1 << 20, 0)),
        ] {
            assert_eq!(next_chunk(head, 1 << 20, true), expected, "{head:?}");
            let resets = matches!(head, [1 | 0xe0.., ..]);
            assert_eq!(next_chunk(head, 1 << 20, false), expected.filter(|_| !resets), "{head:?}");
            assert!(next_chunk(head, 3, true).is_some_and(|chunk| chunk.coded_len == 3), "{head:?}");
            assert_eq!(next_chunk(head, 0, true), None);
        }
    }
}
