//! Decodes with liblzma for the pipeline. xz, lzip and `.lzma` use it.
//!
//! The input is the source of a job, and the output goes to its emitter. [`LzmaFrame`] gives a liblzma decoder its
//! memory, runs it to the end of a frame, and turns its failures into errors that name the frame.
//!
//! A worker uses at most its share of the memory, unless its job is the head.

use super::Reading;
use super::ffi::lzma::{Coded, Failure, LzmaDecoder};
use super::serial::FrameErrors;
use crate::error::{Error, Result, Size};
use engine::{Emitter, Source};

/// A frame that liblzma decodes, and the options for it.
#[derive(Clone, Copy)]
pub(super) struct LzmaFrame<'a> {
    pub(super) frame: FrameErrors,
    pub(super) reading: &'a Reading,
}

/// How much of the memory a frame uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryUse {
    /// At most the share of the worker. Other workers decode at the same time.
    Share,
    /// More than the share. No other worker decodes such a frame meanwhile, and the memory must be freed at the end.
    All,
}

impl LzmaFrame<'_> {
    /// Calls `begin` with the memory that may be used.
    ///
    /// If the worker's share is too little, this waits until the job is the head and tries again with all the memory.
    /// Then the jobs before have freed their memory, and later jobs that need as much wait too.
    pub(super) fn begin(
        self,
        decoder: &mut LzmaDecoder,
        source: &Source,
        out: &mut Emitter,
        mut begin: impl FnMut(&mut LzmaDecoder, u64) -> Result<(), Failure>,
    ) -> Result<MemoryUse> {
        let (share, alone) = self.reading.lzma();
        match begin(decoder, share) {
            Ok(()) => Ok(MemoryUse::Share),
            Err(Failure::Limit(needed)) if needed <= alone => {
                *decoder = LzmaDecoder::new();
                self.wait_for_turn(source, out)?;
                begin(decoder, alone).map_err(|failure| self.error(failure))?;
                Ok(MemoryUse::All)
            }
            Err(failure) => Err(self.error(failure)),
        }
    }

    /// The memory that a frame may use if its need is not known before. Waits until all of it is free.
    pub(super) fn most_memory(self, source: &Source, out: &mut Emitter) -> Result<u64> {
        let (share, alone) = self.reading.lzma();
        if share < alone {
            self.wait_for_turn(source, out)?;
        }
        Ok(alone)
    }

    fn wait_for_turn(self, source: &Source, out: &mut Emitter) -> Result<()> {
        // Output that is complete leaves before the wait.
        out.flush()?;
        out.frame().begin();
        Ok(source.relay.wait_for_turn()?)
    }

    /// Decodes to the end of the frame.
    pub(super) fn decode(
        self,
        decoder: &mut LzmaDecoder,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<()> {
        self.decode_with(decoder, source, out, |_| {})
    }

    /// Decodes to the end of the frame. `see` gets all output, for a checksum.
    pub(super) fn decode_with(
        self,
        decoder: &mut LzmaDecoder,
        source: &mut Source,
        out: &mut Emitter,
        mut see: impl FnMut(&[u8]),
    ) -> Result<()> {
        let mut pending = false;
        loop {
            // As long as the decoder may have output for this span, it must not get bytes of the next span.
            out.flush_if_input_pauses(source)?;
            let coded = if pending { source.available()? } else { source.inside()? };
            let ended = coded.is_empty() && !pending;
            let room = out.room(1)?;
            let room_len = room.len();
            let Coded { read, written, state } = decoder.code(coded, room);
            see(&room[..written]);
            source.consume(read);
            out.commit(written)?;
            pending = written == room_len;
            match state {
                Ok(true) => return Ok(()),
                Ok(false) if ended && written == 0 => return Err(self.frame.truncated(source)),
                Ok(false) => {}
                Err(failure) => return Err(self.error(failure)),
            }
        }
    }

    pub(super) fn error(self, failure: Failure) -> Error {
        let FrameErrors { format, unit, start } = self.frame;
        match failure {
            Failure::Data => self.frame.corrupt("does not decode"),
            Failure::Check => self.frame.corrupt("does not match its Check when decoded"),
            Failure::Options => self
                .frame
                .unsupported("uses a filter or an option that this version of liblzma does not have"),
            Failure::Limit(needed) => Error::Memory {
                what: format!("the dictionary of the {format} {unit} at offset {start}"),
                needed: Size(needed.saturating_sub(self.reading.lzma_more)),
                limit: Size(self.reading.alone),
            },
            Failure::NoMemory | Failure::Program(_) => internal(failure),
        }
    }
}

/// The error for a failure whose cause is not the data.
pub(super) fn internal(failure: Failure) -> Error {
    match failure {
        Failure::NoMemory => Error::NoMemory { what: "an encoder or decoder of liblzma" },
        other => Error::Internal(format!("liblzma: {other:?}")),
    }
}
