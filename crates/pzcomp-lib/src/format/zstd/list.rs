//! Lists the frames of a zstd file from their headers.
//!
//! The input is a file that can be read at any offset. The length in each block header leads to the next block, and so
//! to the next frame. The command `zstd -l` calls [`zstd_frames`]. No block is decoded, so the lengths that a header
//! states are only claims.

use std::fs::File;

use pzcomp_zstd::{BLOCK_HEADER_LEN, FRAME_HEADER_LEN_MAX};

use super::NAME;
use super::frame::{block, header};
use crate::error::{Damage, Error, Result};
use crate::format::skippable;
use engine::io::RandomAccess;

const CHECKSUM_LEN: usize = 4;

/// A frame of a zstd file, as its headers state it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZstdFrame {
    /// Offset in the file.
    pub offset: u64,
    /// Bytes from the magic number to the end of the frame.
    pub coded_len: u64,
    /// Whether the frame is skippable. Such a frame has none of the following.
    pub is_skippable: bool,
    /// Bytes of the window that the decoder needs.
    pub window_len: u64,
    /// Bytes of plain data, if the header states them.
    pub content_len: Option<u64>,
    /// The number of the dictionary that the decoder needs; 0 if none is stated.
    pub dictionary_id: u32,
    /// The lower half of the XXH64 of the plain data, if the frame has a checksum.
    pub checksum: Option<u32>,
}

/// Lists the frames of a zstd file in their order (RFC 8878, section 3).
///
/// The list ends before bytes that begin no frame. An item is an error, and the list ends after it, if the file cannot
/// be read, if it ends within a frame, or if a block has the reserved type.
///
/// ```
/// let file = tempfile::tempfile()?;
/// pzcomp::Compress::new(&pzcomp::Encode::default()).run(&[7; 20_000], &file)?;
/// let frames = pzcomp::inspect::zstd_frames(&file).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(frames[0].content_len, Some(20_000));
/// // The seek table at the end is a skippable frame.
/// assert_eq!((frames.len(), frames[1].is_skippable), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn zstd_frames(file: &File) -> impl Iterator<Item = Result<ZstdFrame>> + '_ {
    let place = RandomAccess::File(file);
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let frame = frame_at(place, next?).transpose()?;
        next = frame.as_ref().ok().map(|frame| frame.offset + frame.coded_len);
        Some(frame)
    })
}

/// Reads the frame at `offset`. Returns `None` if no frame begins there.
fn frame_at(place: RandomAccess, offset: u64) -> Result<Option<ZstdFrame>> {
    let mut bytes = [0; FRAME_HEADER_LEN_MAX];
    let len = place.read_at(&mut bytes, offset)?;
    let head = &bytes[..len];
    let file_len = place.len(offset)?;
    let cut = || Error::Truncated { format: NAME, frame: offset, offset: file_len };
    let mut frame = ZstdFrame { offset, ..ZstdFrame::default() };
    let end = if let Some(contents) = skippable::sniff(head) {
        frame.is_skippable = true;
        offset + skippable::HEADER_LEN as u64 + u64::from(contents)
    } else if head.starts_with(&super::MAGIC) {
        let header = header(head).ok_or_else(cut)?;
        frame.window_len = header.window_size;
        frame.content_len = header.content_size;
        frame.dictionary_id = header.dictionary_id.unwrap_or_default();
        let end = end_of_blocks(place, offset, offset + header.header_len as u64)?.ok_or_else(cut)?;
        if header.has_checksum {
            let mut checksum = [0; CHECKSUM_LEN];
            place.read_at(&mut checksum, end)?;
            frame.checksum = Some(u32::from_le_bytes(checksum));
            end + CHECKSUM_LEN as u64
        } else {
            end
        }
    } else {
        return Ok(None);
    };
    if end > file_len {
        return Err(cut());
    }
    frame.coded_len = end - offset;
    Ok(Some(frame))
}

/// The offset behind the last block of the frame at `frame`, whose first block is at `offset`. Returns `None` if the
/// file ends in a block header.
fn end_of_blocks(place: RandomAccess, frame: u64, mut offset: u64) -> Result<Option<u64>> {
    loop {
        let mut header = [0; BLOCK_HEADER_LEN];
        if place.read_at(&mut header, offset)? < BLOCK_HEADER_LEN {
            return Ok(None);
        }
        let Some((len, is_last)) = block(header) else {
            let what = "a block has the reserved type".into();
            return Err(Error::Corrupt {
                format: NAME,
                offset: frame,
                what,
                damage: Damage::Form,
                is_held: false,
            });
        };
        offset += len;
        if is_last {
            return Ok(Some(offset));
        }
    }
}
