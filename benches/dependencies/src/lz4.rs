//! LZ4 blocks: liblz4 against lz4_flex.
//!
//! [`contests`] takes the data and returns a contest for compression and one for decompression. Both libraries decode
//! the blocks of liblz4.

use lz4::block::{compress_bound, compress_to_buffer, decompress_to_buffer};

use crate::Result;
use crate::contest::{Contest, timed};

const OURS: &str = "liblz4";
const OTHER: &str = "lz4_flex";

/// Length of a block: the longest of the format.
const BLOCK_LEN: usize = 4 << 20;

pub fn contests(data: &[u8]) -> Result<Vec<Contest<'_>>> {
    let bound = compress_bound(BLOCK_LEN)?;
    let mut blocks = Vec::new();
    for block in data.chunks(BLOCK_LEN) {
        let mut coded = vec![0; bound];
        let len = compress_to_buffer(block, None, false, &mut coded)?;
        coded.truncate(len);
        blocks.push((coded, block.len()));
    }
    let same = blocks.clone();
    let (mut coded, mut plain) = (vec![0; bound], vec![0; BLOCK_LEN]);
    let mut other_coded = vec![0; lz4_flex::block::get_maximum_output_size(BLOCK_LEN)];
    let mut other_plain = vec![0; BLOCK_LEN];
    Ok(vec![
        Contest {
            work: "lz4 -1".into(),
            ours: (
                OURS,
                Box::new(move || {
                    timed(|| {
                        data.chunks(BLOCK_LEN)
                            .map(|block| Ok(compress_to_buffer(block, None, false, &mut coded)?))
                            .sum()
                    })
                }),
            ),
            other: (
                OTHER,
                Box::new(move || {
                    timed(|| {
                        data.chunks(BLOCK_LEN)
                            .map(|block| Ok(lz4_flex::block::compress_into(block, &mut other_coded)?))
                            .sum()
                    })
                }),
            ),
        },
        Contest {
            work: "lz4 -d".into(),
            ours: (
                OURS,
                Box::new(move || {
                    timed(|| {
                        blocks
                            .iter()
                            .map(|(coded, len)| {
                                Ok(decompress_to_buffer(coded, Some(i32::try_from(*len)?), &mut plain)?)
                            })
                            .sum()
                    })
                }),
            ),
            other: (
                OTHER,
                Box::new(move || {
                    timed(|| {
                        same.iter()
                            .map(|(coded, _)| Ok(lz4_flex::block::decompress_into(coded, &mut other_plain)?))
                            .sum()
                    })
                }),
            ),
        },
    ])
}
