//! [`Places`]: the places in the files of a format at which decoding can begin, as far as the format knows them.
//!
//! `seekable/`, `inspect.rs` and `salvage/` ask, through [`Codec::places`](super::Codec::places). The answers are lists
//! of frames, plain lengths, and whether a decoder can begin at a place. A format that states nothing beyond the
//! headers of its frames has [`HeadersOnly`]. All numbers are claims of the file: the caller compares them with the
//! frames.

use std::ops::Range;

use super::Cursor;
use super::restart::Restarts;
use crate::error::Result;
use engine::Facts;
use engine::io::RandomAccess;

/// A frame as a list in the file, or its own trailer, states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedFrame {
    pub(crate) coded: Range<u64>,
    pub(crate) plain_len: u64,
    /// What a decoder must know of the place where the frame begins. 0 if nothing.
    pub(crate) context: u8,
}

/// The frames of a file, which account for every byte of it.
pub(crate) struct Listed {
    /// The frames in the order of the file.
    pub(crate) frames: Box<dyn Iterator<Item = ListedFrame>>,
    /// Whether an index lists them, beside what the frames state themselves.
    pub(crate) is_index: bool,
    /// The name of the check of the first frame, if it is known without its header.
    pub(crate) check: Option<&'static str>,
}

/// A frame whose plain length is to be verified.
pub(crate) struct Stated {
    pub(crate) frame: ListedFrame,
    /// Whether an index in the file states the length.
    pub(crate) is_listed: bool,
    /// Whether all frames but the last state this length, and this one is not the last.
    pub(crate) is_equal: bool,
}

/// What a format knows of the places in its files.
pub(crate) trait Places: Sync {
    /// The length of the index in the file that ends where `range` does, if one does and it has at most `most` entries.
    fn index_len(&self, place: RandomAccess, range: &Range<u64>, most: usize) -> Result<Option<u64>> {
        let _ = (place, range, most);
        Ok(None)
    }

    /// The frames that fill `range`, if an index or their trailers list them, and there are at most `most`.
    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        let _ = (place, range, most);
        Ok(None)
    }

    /// Whether frames state their plain length at their end.
    fn has_len_at_end(&self) -> bool {
        false
    }

    /// The plain length of the frame that fills `coded`, from the end of the frame.
    fn len_at_end(&self, place: RandomAccess, coded: &Range<u64>) -> Result<Option<u64>> {
        let _ = (place, coded);
        Ok(None)
    }

    /// What the frames in `range` state besides their lengths, read without decoding them.
    fn facts(&self, place: RandomAccess, range: Range<u64>) -> Result<Facts> {
        let _ = (place, range);
        Ok(Facts::default())
    }

    /// Whether decoding would refuse the file if this length were wrong. `None` if the usual rules tell: two statements
    /// that agree are enough, or one statement that is the same in all frames. The cursor is at the start of the frame.
    fn vouches(&self, place: RandomAccess, cursor: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        let _ = (place, cursor, stated);
        Ok(None)
    }

    /// Whether a decoder can begin at the offset `at` with this context, and `next` can be the context of what follows.
    /// A decoder that gets another context would miss what only a job before it knows.
    fn may_begin(&self, at: u64, context: u8, next: u8) -> bool {
        let _ = at;
        context == 0 && next == 0
    }

    /// How decoding begins inside a frame, if an index beside the file can say where.
    fn restarts(&self) -> Option<&'static dyn Restarts> {
        None
    }

    /// Whether each block of a stream is decoded by itself. A decoder that stops inside a stream has then decoded a
    /// whole block, and the context of the block behind it is part of what is known of a block.
    fn has_lone_blocks(&self) -> bool {
        false
    }

    /// Leaves the end of a stream out of `coded`, which is the last block of the stream and what follows it. Returns
    /// the context of what was left out.
    fn leave_out_end(&self, place: RandomAccess, coded: &mut Range<u64>, context: u8) -> Result<u8> {
        let _ = (place, coded, context);
        Ok(0)
    }
}

/// The places of a format that states nothing beyond the headers of its frames.
pub(crate) struct HeadersOnly;

impl Places for HeadersOnly {}

/// The last `len` bytes of `range`, if there are so many.
pub(super) fn last_bytes(place: RandomAccess, range: &Range<u64>, len: u64) -> Result<Option<Vec<u8>>> {
    let at = range.end.checked_sub(len).filter(|&at| at >= range.start);
    let (Some(at), Ok(len)) = (at, usize::try_from(len)) else { return Ok(None) };
    let mut bytes = vec![0; len];
    let read = place.read_at(&mut bytes, at)?;
    Ok((read == len).then_some(bytes))
}
