//! Decoding by liblzma for the pipeline, whatever the format around it.

use super::Reading;
use super::ffi::lzma::{Coded, Decoder, Failure};
use super::serial::Frame;
use crate::error::{Error, Result, Size};
use crate::pipeline::{Emitter, Source};

/// What is being decoded, and how.
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) frame: Frame,
    pub(super) reading: Reading,
}

/// How a decoder was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begun {
    /// Within its share of the memory.
    Beside,
    /// With more than its share, while no other worker decodes. Its memory must be given back at the end.
    Alone,
}

impl Job {
    /// Begins to decode by `begin`, which is told how much memory may be used. If the worker's share is too
    /// little, it waits for its turn first: then the jobs before have given their memory back, and those behind
    /// that need as much wait themselves.
    pub(super) fn begin(
        self,
        decoder: &mut Decoder,
        source: &Source,
        out: &mut Emitter,
        mut begin: impl FnMut(&mut Decoder, u64) -> Result<(), Failure>,
    ) -> Result<Begun> {
        let Reading { share, alone, .. } = self.reading;
        match begin(decoder, share) {
            Ok(()) => Ok(Begun::Beside),
            Err(Failure::Limit(needed)) if needed <= alone => {
                *decoder = Decoder::new();
                self.wait_for_turn(source, out)?;
                begin(decoder, alone).map_err(|failure| self.error(failure))?;
                Ok(Begun::Alone)
            }
            Err(failure) => Err(self.error(failure)),
        }
    }

    /// The memory that may be used without knowing how much will be needed.
    pub(super) fn most_memory(self, source: &Source, out: &mut Emitter) -> Result<u64> {
        let Reading { share, alone, .. } = self.reading;
        if share < alone {
            self.wait_for_turn(source, out)?;
        }
        Ok(alone)
    }

    fn wait_for_turn(self, source: &Source, out: &mut Emitter) -> Result<()> {
        // Nothing that is done waits.
        out.flush()?;
        out.begin_frame();
        source.wait_for_turn()
    }

    /// Decodes to the end of what has been begun.
    pub(super) fn decode(self, decoder: &mut Decoder, source: &mut Source, out: &mut Emitter) -> Result<()> {
        self.decode_seen(decoder, source, out, |_| {})
    }

    /// The same, with somebody who sees all that comes out.
    pub(super) fn decode_seen(
        self,
        decoder: &mut Decoder,
        source: &mut Source,
        out: &mut Emitter,
        mut see: impl FnMut(&[u8]),
    ) -> Result<()> {
        let mut pending = false;
        loop {
            // The next span is none of ours as long as there may be more to come of this one.
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
        let Frame { format, unit, start } = self.frame;
        match failure {
            Failure::Data => self.frame.corrupt("does not decode"),
            Failure::Check => self.frame.corrupt("decodes to data that contradicts its Check"),
            Failure::Options => {
                self.frame.unsupported("uses a filter or an option that this version does not know")
            }
            Failure::Limit(needed) => Error::Memory {
                what: format!("the dictionary of the {format} {unit} at offset {start}"),
                needed: Size(needed),
                limit: Size(self.reading.alone),
            },
            Failure::NoMemory | Failure::Program(_) => internal(failure),
        }
    }
}

/// A failure that is no fault of the data.
pub(super) fn internal(failure: Failure) -> Error {
    Error::Internal(match failure {
        Failure::NoMemory => "no memory for a coder of liblzma".into(),
        other => format!("liblzma: {other:?}"),
    })
}
