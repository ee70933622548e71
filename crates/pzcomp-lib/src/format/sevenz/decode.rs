//! Decodes folders of an archive, and parts of LZMA2 folders.
//!
//! The input is the coded bytes of a job, in which the walker has marked units. The [`Archive`] says of which folder a
//! unit is. Of a part of an LZMA2 folder the mark says where its plain data begins in that of the folder, and the
//! decoder finds its end in the headers of its chunks. So no decoder waits until the walker has passed its unit.
//!
//! A unit must have exactly the length that the archive or its chunks state, coded and plain. The files in it and their
//! CRC-32 are compared behind the pipeline.

use std::sync::Arc;

use pzcomp_deflate::inflate::Inflate;

use super::NAME;
use super::archive::{Archive, PackedFolder};
use super::chunks::{CHUNK_HEADER_MAX, Chunk, next_chunk};
use super::coding::{Coding, dict_len};
use crate::error::{Damage, Error, Result};
use crate::format::deflated::inflate;
use crate::format::ffi::lzma::{Coded, Failure, LzmaDecoder};
use crate::format::liblzma::{LzmaFrame, MemoryUse};
use crate::format::serial::FrameErrors;
use crate::format::{After, Decoder, Reading};
use engine::{Emitter, Source};

/// Decodes units, one at a time.
pub(super) struct FolderDecoder {
    archive: Arc<Archive>,
    reading: Reading,
    lzma: LzmaDecoder,
    inflate: Inflate,
}

impl FolderDecoder {
    pub(super) fn new(archive: Arc<Archive>, reading: Reading) -> Self {
        Self { archive, reading, lzma: LzmaDecoder::new(), inflate: Inflate::new() }
    }

    /// Decodes LZMA or LZMA2 that `begin` begins with the memory limit which it gets.
    fn decode_lzma(
        &mut self,
        frame: FrameErrors,
        part: Part,
        (source, out): (&mut Source, &mut Emitter),
        begin: impl FnMut(&mut LzmaDecoder, u64) -> Result<(), Failure>,
    ) -> Result<()> {
        let lzma = LzmaFrame { frame, reading: &self.reading };
        let memory = lzma.begin(&mut self.lzma, source, out, begin)?;
        let result = run(lzma, &mut self.lzma, part, source, out);
        if memory == MemoryUse::All {
            self.lzma = LzmaDecoder::new();
        }
        result
    }

    fn decode_deflate(
        &mut self,
        frame: FrameErrors,
        folder: PackedFolder,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<()> {
        let mut plain_len = 0_u64;
        inflate(&mut self.inflate, frame, source, out, |plain| plain_len += plain.len() as u64)?;
        if source.offset() != folder.end {
            return Err(wrong_coded(frame));
        }
        if plain_len == folder.plain_len { Ok(()) } else { Err(wrong_plain(frame, folder.plain_len)) }
    }
}

impl Decoder for FolderDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let start = source.offset();
        let folder = self.archive.folder_at(start)?;
        let mut frame = FrameErrors { format: NAME, unit: "folder", start };
        match folder.coding {
            Coding::Copy => copy(frame, folder, source, out),
            Coding::Deflate => self.decode_deflate(frame, folder, source, out),
            Coding::Lzma { properties, dict_len: stated } => {
                let PackedFolder { plain_len, output_len, .. } = folder;
                let dict_len = dict_len(stated, plain_len);
                self.decode_lzma(frame, Part { folder, output_len }, (source, out), |decoder, limit| {
                    decoder.begin_lzma(properties, dict_len, plain_len, limit)
                })
            }
            Coding::Lzma2 { dict_len: stated } => {
                let mark = source.units().marked_here();
                let mark =
                    mark.ok_or_else(|| Error::Internal("a part of a 7z archive is not marked".into()))?;
                if start > folder.start {
                    frame.unit = "part of a folder";
                }
                // A part is at most as long as the rest of the folder. How long it is, the decoder need not know: in an
                // archive that 7z makes, parts are as long as the dictionary or longer, but for the last one.
                let dict_len = dict_len(stated, folder.plain_len.saturating_sub(mark.plain_at));
                let output_len = folder.output_len.saturating_sub(mark.plain_at);
                self.decode_lzma(frame, Part { folder, output_len }, (source, out), |decoder, limit| {
                    decoder.begin_lzma2(dict_len, limit)
                })
            }
            Coding::Bzip2 => Err(Error::Internal("a folder that another decoder decodes".into())),
        }
    }

    fn after(&self) -> After {
        After::Outside
    }
}

/// A folder, or a part of an LZMA2 folder, which refers to nothing before it.
#[derive(Clone, Copy)]
struct Part {
    folder: PackedFolder,
    /// How much of the plain data of the folder is put out from here on. The part may have more or less.
    output_len: u64,
}

impl Part {
    /// The next chunk, or nothing at the end of the part. LZMA has no chunks, so the whole folder is one.
    fn next_chunk(self, source: &mut Source, is_first: bool) -> Result<Option<Chunk>> {
        let left = self.folder.end.saturating_sub(source.offset());
        if !matches!(self.folder.coding, Coding::Lzma2 { .. }) {
            let plain_len = self.folder.plain_len;
            return Ok((left > 0 && is_first).then_some(Chunk { coded_len: left, plain_len }));
        }
        if left == 0 {
            return Ok(None);
        }
        // Reads far ahead if nothing is at hand. The walker ends a span where a part ends, so nothing is looked at
        // behind the span.
        source.available()?;
        let head = source.gather(left.min(CHUNK_HEADER_MAX as u64) as usize)?;
        Ok(if head.is_empty() { None } else { next_chunk(head, left, is_first) })
    }
}

/// Runs the decoder to the end of a unit, or until all that is wanted of the folder is put out.
fn run(
    lzma: LzmaFrame,
    decoder: &mut LzmaDecoder,
    part: Part,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<()> {
    let frame = lzma.frame;
    // What is left of the chunk, the plain length of all chunks up to its end, and how much of that is put out.
    let (mut coded_left, mut plain_len, mut put_out) = (0, 0_u64, 0_u64);
    let mut is_over = false;
    loop {
        if coded_left == 0 && !is_over {
            match part.next_chunk(source, source.offset() == frame.start)? {
                Some(chunk) => (coded_left, plain_len) = (chunk.coded_len, plain_len + chunk.plain_len),
                None => is_over = true,
            }
        }
        let wanted = plain_len.min(part.output_len);
        if put_out == wanted && wanted < plain_len {
            if !source.skip(std::mem::take(&mut coded_left))? {
                return Err(frame.truncated(source));
            }
            if is_over {
                return Ok(());
            }
            continue;
        }
        let coded = if coded_left == 0 { &[] } else { source.inside()? };
        let has_input = !coded.is_empty();
        let coded = &coded[..usize::try_from(coded_left).unwrap_or(coded.len()).min(coded.len())];
        let room = out.room(1)?;
        let room_len = usize::try_from(wanted - put_out).unwrap_or(room.len()).min(room.len());
        let Coded { read, written, state } = decoder.code(coded, &mut room[..room_len]);
        source.consume(read);
        out.commit(written)?;
        coded_left -= read as u64;
        put_out += written as u64;
        let is_done = is_over && coded_left == 0 && put_out == wanted;
        // The end of a folder is marked, that of another part is not.
        let has_end = source.offset() == part.folder.end;
        match state {
            Ok(false) if read + written > 0 => {}
            // LZMA without an end mark ends too: with a code of 0, which only valid data has there.
            Ok(is_end) if is_done && (is_end || !has_end) => return Ok(()),
            // The end mark was read. The next chunk is the end.
            Ok(true) if coded_left == 0 && !is_over => {}
            Ok(false) if coded_left > 0 && !has_input => return Err(frame.truncated(source)),
            Ok(_) if put_out == wanted => return Err(wrong_coded(frame)),
            Ok(_) => return Err(wrong_plain(frame, plain_len)),
            Err(failure) => return Err(lzma.error(failure)),
        }
    }
}

/// Puts out data that is not packed.
fn copy(frame: FrameErrors, folder: PackedFolder, source: &mut Source, out: &mut Emitter) -> Result<()> {
    let mut left = folder.output_len;
    while left > 0 {
        let bytes = source.inside()?;
        if bytes.is_empty() {
            return Err(frame.truncated(source));
        }
        let len = usize::try_from(left).unwrap_or(bytes.len()).min(bytes.len());
        out.write(&bytes[..len])?;
        source.consume(len);
        left -= len as u64;
    }
    let behind = folder.plain_len - folder.output_len;
    if source.skip(behind)? { Ok(()) } else { Err(frame.truncated(source)) }
}

/// The error of a unit whose coded data does not end where the archive says.
fn wrong_coded(frame: FrameErrors) -> Error {
    frame.corrupt("does not end where the header of the archive says").by(Damage::Length)
}

/// The error of a unit that holds another length of data than the archive says.
fn wrong_plain(frame: FrameErrors, stated: u64) -> Error {
    frame
        .corrupt(format_args!("does not hold {stated} bytes of data, as the archive states"))
        .by(Damage::Length)
}
