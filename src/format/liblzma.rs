//! Decoding by liblzma for the pipeline, whatever the format around it.

use super::ffi::lzma::{Coded, Decoder, Failure};
use super::serial::Frame;
use crate::error::{Error, Result, Size};
use crate::pipeline::{Emitter, Source};

/// What is being decoded, and within which memory.
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) frame: Frame,
    pub(super) memory_limit: u64,
}

impl Job {
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
            Failure::UnsupportedCheck => Error::Unsupported {
                format,
                offset: start,
                what: "the Stream has a Check of a kind that this version cannot verify; `xz -dc` decodes it without verifying".into(),
            },
            Failure::Limit(needed) => Error::Memory {
                what: format!("the dictionary of the {format} {unit} at offset {start}"),
                needed: Size(needed),
                limit: Size(self.memory_limit),
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
