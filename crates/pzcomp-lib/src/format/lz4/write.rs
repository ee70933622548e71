//! Writes the kinds of lz4 frames that are not our default.
//!
//! liblz4 makes frames of small blocks, of linked blocks, without a checksum or with more checksums, and one frame
//! around all chunks. [`LegacyEncoder`] makes the blocks of a legacy frame. `mod.rs` chooses the encoder from the
//! settings ([`is_plain`]).
//!
//! A chunk gives exactly one frame, except in a single frame, which one worker codes from start to end.

use super::super::ffi::lz4::{Compressor, FrameCompressor, FrameStyle};
use super::super::serial::StatedLen;
use super::{NAME, block_id, effort};
use crate::error::{Error, Result};
use crate::format::{Encoder, SerialEncoder, Then};
use crate::options::{Check, Lz4Blocks, Settings};
use engine::Emitter;

/// The longest frame header.
const HEADER_MAX: usize = 19;

/// The end mark and the checksum.
const END_MAX: usize = 8;

/// Whether frames are those that we write by default. They do not need the library's frames.
pub(super) fn is_plain(settings: &Settings) -> bool {
    !settings.is_serial && settings.check.is_none() && settings.lz4 == Lz4Blocks::default()
}

/// The greatest length of a frame of the library, or of what it makes of a chunk.
pub(super) fn bound(settings: &Settings) -> usize {
    HEADER_MAX + style(settings).bound(settings.chunk_len) + END_MAX
}

/// The greatest length of a frame that is made in one call, with blocks of any length.
fn whole_bound(plain_len: usize) -> usize {
    const BLOCK_MIN: usize = 64 << 10;
    // Before a block stands its length, and behind it may stand a checksum.
    HEADER_MAX + plain_len + (plain_len / BLOCK_MIN + 2) * 8 + END_MAX
}

fn style(settings: &Settings) -> FrameStyle {
    FrameStyle {
        effort: effort(settings),
        block_id: settings.lz4.id.unwrap_or_else(|| block_id(settings.chunk_len)),
        linked: settings.lz4.linked,
        block_checksums: settings.lz4.checksums,
        content_checksum: settings.check != Some(Check::None),
    }
}

/// Frames made by the library: one for each chunk, or one around all chunks.
pub(super) struct LibraryEncoder {
    compressor: FrameCompressor,
    /// The greatest length of one output.
    bound: usize,
    /// The plain length that the header of a single frame states. 0 if it states none.
    plain_len: u64,
    /// Of a single frame.
    stated: StatedLen,
    /// A frame has been begun.
    is_inside: bool,
}

impl LibraryEncoder {
    pub(super) fn new(settings: &Settings) -> Result<Self> {
        let compressor =
            FrameCompressor::new(style(settings)).ok_or(Error::NoMemory { what: "an lz4 encoder" })?;
        Ok(Self {
            compressor,
            bound: bound(settings),
            plain_len: settings.plain_len.unwrap_or(0),
            stated: StatedLen::new(settings.plain_len),
            is_inside: false,
        })
    }
}

fn internal(name: String) -> Error {
    Error::Internal(format!("lz4: {name}"))
}

impl Encoder for LibraryEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let mut len = self.compressor.begin(chunk.len() as u64, out).map_err(internal)?;
        len += self.compressor.update(chunk, &mut out[len..]).map_err(internal)?;
        Ok(len + self.compressor.end(&mut out[len..]).map_err(internal)?)
    }
}

impl SerialEncoder for LibraryEncoder {
    fn encode(&mut self, chunk: &[u8], then: Then, out: &mut Emitter) -> Result<()> {
        self.stated.pass(chunk.len(), then == Then::End, NAME)?;
        // Nothing is waiting in the library if the frame is only this chunk.
        let is_whole = !self.is_inside && then == Then::End;
        let bound = if is_whole { self.bound.min(whole_bound(chunk.len())) } else { self.bound };
        let room = out.room(bound)?;
        let mut len = 0;
        if !self.is_inside {
            len = self.compressor.begin(self.plain_len, room).map_err(internal)?;
            self.is_inside = true;
        }
        len += self.compressor.update(chunk, &mut room[len..]).map_err(internal)?;
        len += match then {
            Then::More => 0,
            Then::Flush => self.compressor.flush(&mut room[len..]).map_err(internal)?,
            Then::End => self.compressor.end(&mut room[len..]).map_err(internal)?,
        };
        Ok(out.commit(len)?)
    }
}

/// Blocks of a legacy frame: the coded length, u32, and the block.
pub(super) struct LegacyEncoder(pub(super) Compressor);

impl Encoder for LegacyEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        if chunk.is_empty() {
            return Ok(0);
        }
        let (size, body) = out.split_at_mut(4);
        let len = self.0.compress(chunk, body).ok_or_else(|| internal("a block outgrew its bound".into()))?;
        size.copy_from_slice(&(len as u32).to_le_bytes());
        Ok(4 + len)
    }
}
