//! Decodes frames that one worker decodes from start to end, in bounded memory: frames of linked blocks, and legacy
//! frames.
//!
//! The decoder of lz4 (`mod.rs`) calls these functions with the source and the emitter of a job. Linked blocks refer
//! to the blocks before them, so such a frame cannot be shared. An input that ends inside a frame is an error that
//! names the frame.

use super::super::ffi::lz4::{FrameDecompressor, decompress};
use super::{LEGACY_BLOCK_LEN, LEGACY_CODED_MAX, LEGACY_MAGIC, NAME};
use crate::error::{Error, Result};
use engine::{Emitter, Source};

/// The shortest header of a frame.
const HEADER_MIN: usize = 7;

pub(super) fn truncated(frame: u64, offset: u64) -> Error {
    Error::Truncated { format: NAME, frame, offset }
}

pub(super) fn first_u32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Decodes any frame with the library. The library keeps the window that linked blocks need.
pub(super) fn linked(
    library: &mut FrameDecompressor,
    source: &mut Source,
    out: &mut Emitter,
    frame: u64,
) -> Result<()> {
    library.reset();
    let mut needed = HEADER_MIN;
    loop {
        out.flush_if_input_pauses(source)?;
        let coded = source.inside()?;
        let ended = coded.is_empty();
        // The output of a call that fails is lost. So a call gets one block, and the output before an error does not
        // depend on how many bytes are at hand.
        let coded = &coded[..coded.len().min(needed)];
        let done = library.decompress(coded, out.room(1)?);
        let (read, written, next) = done.map_err(|name| {
            let what = name.replace('_', " ");
            Error::corrupt(NAME, frame, format!("the frame that begins there does not decode: {what}"))
        })?;
        source.consume(read);
        out.commit(written)?;
        if next == 0 {
            return Ok(());
        }
        needed = next;
        if ended && written == 0 {
            return Err(truncated(frame, source.offset()));
        }
    }
}

/// Decodes a legacy frame. `memory` is for one block, because these blocks are longer than a piece of output.
pub(super) fn legacy(source: &mut Source, out: &mut Emitter, frame: u64, memory: &mut Vec<u8>) -> Result<()> {
    source.consume(LEGACY_MAGIC.len());
    loop {
        let block = source.offset();
        out.flush_if_input_pauses(source)?;
        // The walker finds the end of a legacy frame by the same sizes, so the frame ends where its span ends.
        if source.gather(1)?.is_empty() {
            return Ok(());
        }
        let head = source.gather_inside(4)?;
        let size = first_u32(head);
        if size.is_some_and(|size| size > LEGACY_CODED_MAX) {
            return Ok(());
        }
        let end = 4 + size.unwrap_or(0) as usize;
        let coded = source.gather_inside(end)?;
        if coded.len() < end {
            return Err(truncated(frame, block + coded.len() as u64));
        }
        // A coded byte makes 255 plain bytes at most.
        let room = (end * 256).min(LEGACY_BLOCK_LEN);
        if memory.len() < room {
            memory.resize(room, 0);
        }
        let len = decompress(&coded[4..end], memory).ok_or_else(|| {
            Error::corrupt(NAME, frame, format!("the legacy block at offset {block} does not decode"))
        })?;
        source.consume(end);
        out.write(&memory[..len])?;
    }
}
