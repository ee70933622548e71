//! Decodes folders of an archive, and parts of LZMA2 folders.
//!
//! The input is the coded bytes of a job, in which the walker has marked units. What the decoder must know of a unit is in
//! the [`Archive`], by the offset of the unit. A unit must have exactly the length that the archive states, coded and
//! plain. The files in it and their CRC-32 are compared behind the pipeline.

use std::sync::Arc;

use pzcomp_deflate::inflate::Inflate;

use super::NAME;
use super::archive::{Archive, PackedFolder, Part};
use super::coding::{Coding, dict_len};
use crate::error::{Damage, Error, Result};
use crate::format::deflated::inflate;
use crate::format::ffi::lzma::{Coded, Failure, LzmaDecoder};
use crate::format::liblzma::{LzmaFrame, MemoryUse};
use crate::format::serial::Frame;
use crate::format::{After, Decoder, Reading};
use crate::pipeline::{Emitter, Source};

/// Decodes units, one at a time.
pub(crate) struct FolderDecoder {
    archive: Arc<Archive>,
    reading: Reading,
    lzma: LzmaDecoder,
    inflate: Inflate,
}

impl FolderDecoder {
    pub(crate) fn new(archive: Arc<Archive>, reading: Reading) -> Self {
        Self { archive, reading, lzma: LzmaDecoder::new(), inflate: Inflate::new() }
    }

    /// Decodes LZMA or LZMA2 that was begun with the dictionary length and the memory limit which `begin` gets.
    fn decode_lzma(
        &mut self,
        frame: Frame,
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
        frame: Frame,
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
        let mut frame = Frame { format: NAME, unit: "folder", start };
        let whole = Part {
            coded_len: folder.end - folder.start,
            plain_len: folder.plain_len,
            output_len: folder.output_len,
            has_end: true,
        };
        match folder.coding {
            Coding::Copy => copy(frame, whole, source, out),
            Coding::Deflate => self.decode_deflate(frame, folder, source, out),
            Coding::Lzma { properties, dict_len: stated } => {
                let dict_len = dict_len(stated, whole.plain_len);
                self.decode_lzma(frame, whole, (source, out), |decoder, limit| {
                    decoder.begin_lzma(properties, dict_len, whole.plain_len, limit)
                })
            }
            Coding::Lzma2 { dict_len: stated } => {
                let part = self.archive.part_at(start);
                let part =
                    part.ok_or_else(|| Error::Internal("a part of a 7z archive is not known".into()))?;
                if start > folder.start {
                    frame.unit = "part of a folder";
                }
                let dict_len = dict_len(stated, part.plain_len);
                self.decode_lzma(frame, part, (source, out), |decoder, limit| {
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

/// Runs the decoder to the end of a unit, or until all that is wanted of the unit is put out.
fn run(
    lzma: LzmaFrame,
    decoder: &mut LzmaDecoder,
    part: Part,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<()> {
    let frame = lzma.frame;
    let (mut coded_left, mut plain_left) = (part.coded_len, part.output_len);
    let is_whole = part.output_len == part.plain_len;
    loop {
        if plain_left == 0 && !is_whole {
            return if source.skip(coded_left)? { Ok(()) } else { Err(frame.truncated(source)) };
        }
        let coded = if coded_left == 0 { &[] } else { source.inside()? };
        let has_input = !coded.is_empty();
        let coded = &coded[..usize::try_from(coded_left).unwrap_or(coded.len()).min(coded.len())];
        let room = out.room(1)?;
        let room_len = usize::try_from(plain_left).unwrap_or(room.len()).min(room.len());
        let Coded { read, written, state } = decoder.code(coded, &mut room[..room_len]);
        source.consume(read);
        out.commit(written)?;
        coded_left -= read as u64;
        plain_left -= written as u64;
        match state {
            Ok(false) if read + written > 0 => {}
            // LZMA without an end mark ends too: with a code of 0, which only valid data has there.
            Ok(is_end) if coded_left == 0 && plain_left == 0 && (is_end || !part.has_end) => return Ok(()),
            Ok(false) if coded_left > 0 && !has_input => return Err(frame.truncated(source)),
            Ok(_) if plain_left == 0 => return Err(wrong_coded(frame)),
            Ok(_) => return Err(wrong_plain(frame, part.plain_len)),
            Err(failure) => return Err(lzma.error(failure)),
        }
    }
}

/// Puts out data that is not packed.
fn copy(frame: Frame, part: Part, source: &mut Source, out: &mut Emitter) -> Result<()> {
    let mut left = part.output_len;
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
    let behind = part.coded_len - part.output_len;
    if source.skip(behind)? { Ok(()) } else { Err(frame.truncated(source)) }
}

/// The error of a unit whose coded data does not end where the archive says.
fn wrong_coded(frame: Frame) -> Error {
    frame.corrupt("does not end where the header of the archive says").by(Damage::Length)
}

/// The error of a unit that holds another length of data than the archive says.
fn wrong_plain(frame: Frame, stated: u64) -> Error {
    frame
        .corrupt(format_args!("does not hold {stated} bytes of data, as the archive states"))
        .by(Damage::Length)
}
