//! Frames decoded as they come, in bounded memory.

use xxhash_rust::xxh32::{Xxh32, xxh32};

use super::super::ffi::lz4::{FrameDecompressor, decompress};
use super::{Header, LEGACY_BLOCK_LEN, LEGACY_CODED_MAX, LEGACY_MAGIC, NAME, STORED};
use crate::error::{Error, Result};
use crate::pipeline::{Checksum, Emitter, Source};

impl Checksum for Xxh32 {
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }

    fn value(&self) -> u64 {
        self.digest().into()
    }
}

fn truncated(frame: u64, offset: u64) -> Error {
    Error::Truncated { format: NAME, frame, offset }
}

fn first_u32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Decodes a frame of independent blocks, block by block into the output: the library would put each
/// block into memory of its own first. The content's checksum is left to whoever has time.
pub(super) fn independent(source: &mut Source, out: &mut Emitter, frame: u64, header: &Header) -> Result<()> {
    let corrupt = |what: String| Error::corrupt(NAME, frame, what);
    source.consume(header.len);
    let before = out.total();
    if header.content_checksum {
        out.begin_checksum(Box::new(Xxh32::new(0)));
    }
    loop {
        let block = source.offset();
        let head = source.gather_inside(4)?;
        let size = first_u32(head).ok_or_else(|| truncated(frame, block + head.len() as u64))?;
        if size == 0 {
            source.consume(4);
            break;
        }
        let len = header.block(size).ok_or_else(|| {
            let (said, most) = (size & !STORED, header.block_max);
            corrupt(format!("the block at offset {block} says it has {said} bytes, expected at most {most}"))
        })?;
        let end = 4 + len as usize;
        // Another size follows every block: it comes along.
        let coded = source.gather_inside(end + 4)?;
        let body = coded.get(4..end).ok_or_else(|| truncated(frame, block + coded.len() as u64))?;
        let (body, check) = body.split_at((size & !STORED) as usize);
        if header.block_checksums && first_u32(check) != Some(xxh32(body, 0)) {
            return Err(corrupt(format!(
                "the block at offset {block} does not have the XXH32 it should have"
            )));
        }
        let room = &mut out.room(header.block_max as usize)?[..header.block_max as usize];
        let decoded = if size & STORED == 0 {
            decompress(body, room)
        } else {
            room[..body.len()].copy_from_slice(body);
            Some(body.len())
        };
        let decoded =
            decoded.ok_or_else(|| corrupt(format!("the block at offset {block} does not decode")))?;
        source.consume(end);
        out.commit(decoded)?;
    }
    let found = out.total() - before;
    if let Some(said) = header.content_len.filter(|&said| said != found) {
        return Err(corrupt(format!("the frame that begins there holds {found} bytes, expected {said}")));
    }
    if header.content_checksum {
        let found = out.end_checksum() as u32;
        let mut said = [0; 4];
        if !source.read_exact(&mut said)? {
            return Err(truncated(frame, source.offset()));
        }
        let said = u32::from_le_bytes(said);
        if said != found {
            let what = format!("the frame that begins there has the XXH32 {found:08x}, expected {said:08x}");
            return Err(corrupt(what));
        }
    }
    Ok(())
}

/// Decodes any frame with the library, which keeps the window that linked blocks need.
pub(super) fn linked(
    library: &mut FrameDecompressor,
    source: &mut Source,
    out: &mut Emitter,
    frame: u64,
) -> Result<()> {
    library.reset();
    loop {
        let coded = source.inside()?;
        let ended = coded.is_empty();
        let done = library.decompress(coded, out.room(1)?);
        let (read, written, whole) = done.map_err(|name| {
            let what = name.replace('_', " ");
            Error::corrupt(NAME, frame, format!("the frame that begins there does not decode: {what}"))
        })?;
        source.consume(read);
        out.commit(written)?;
        if whole {
            return Ok(());
        }
        if ended && written == 0 {
            return Err(truncated(frame, source.offset()));
        }
    }
}

/// Decodes a legacy frame, with `memory` for a block: they are longer than a piece of output.
pub(super) fn legacy(source: &mut Source, out: &mut Emitter, frame: u64, memory: &mut Vec<u8>) -> Result<()> {
    source.consume(LEGACY_MAGIC.len());
    memory.resize(LEGACY_BLOCK_LEN, 0);
    loop {
        let block = source.offset();
        let head = source.gather_inside(4)?;
        if head.is_empty() {
            return Ok(());
        }
        let size = first_u32(head);
        if size.is_some_and(|size| size > LEGACY_CODED_MAX) {
            return Ok(());
        }
        let end = 4 + size.unwrap_or(0) as usize;
        let coded = source.gather_inside(end)?;
        if coded.len() < end {
            return Err(truncated(frame, block + coded.len() as u64));
        }
        let len = decompress(&coded[4..end], memory).ok_or_else(|| {
            Error::corrupt(NAME, frame, format!("the legacy block at offset {block} does not decode"))
        })?;
        source.consume(end);
        out.write(&memory[..len])?;
    }
}
