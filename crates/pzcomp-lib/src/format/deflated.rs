//! Decodes a DEFLATE stream inside another format, in bounded memory.
//!
//! The decoders of zlib and zip call [`inflate`]. The input comes from the source of the job, and the plain data goes
//! to its emitter. The stream begins at the source, so it refers to nothing before it. The caller reads the header
//! before the stream and compares the checksum behind it.

use pzcomp_deflate::inflate::{Inflate, Output, Pause};

use super::serial::FrameErrors;
use crate::error::{Error, Result};
use engine::{Emitter, Source};

/// Decodes the stream that begins at the source, to its end. `see` gets all plain data, for a checksum.
pub(super) fn inflate(
    stream: &mut Inflate,
    frame: FrameErrors,
    source: &mut Source,
    out: &mut Emitter,
    mut see: impl FnMut(&[u8]),
) -> Result<()> {
    stream.reset();
    loop {
        out.flush_if_input_pauses(source)?;
        let coded = source.inside()?;
        let ended = coded.is_empty();
        let (piece, before) = out.room_behind(1)?;
        let mut output = Output::new(piece, before);
        let progress = stream.run(coded, &mut output);
        let filled = output.filled();
        see(&piece[before..filled]);
        out.commit(filled - before)?;
        match progress {
            Ok(progress) => {
                source.consume(progress.read);
                match progress.pause {
                    Pause::End => return Ok(()),
                    Pause::Input if ended => return Err(frame.truncated(source)),
                    Pause::Input | Pause::Output => {}
                    Pause::Window => {
                        return Err(Error::Internal("a stream from its start has no window".into()));
                    }
                }
            }
            Err(invalid) => {
                let (offset, unit) = (source.offset() + invalid.read as u64, frame.unit);
                let what = format!(
                    "the DEFLATE stream of the {unit} that begins there is not valid at offset {offset}: {}",
                    invalid.defect
                );
                return Err(Error::corrupt(frame.format, frame.start, what));
            }
        }
    }
}
