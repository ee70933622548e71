//! Decodes a part of a member whose window is not known, for two workers: codes first, copies later.
//!
//! Two workers take turns. One knows the window of its part and decodes bytes. The other begins the next part
//! meanwhile: it reads the codes and notes literals and copies ([`Deferred`]). When its window comes, it puts out the
//! literals, makes the copies, and decodes the rest of the part to bytes. Then the first worker gets the window behind
//! it.
//!
//! Only one worker at a time makes copies, so this is of use to a few workers only. More of them decode to markers
//! (`part.rs`). The input is the coded bytes of the part. The output goes to the emitter of the job, and
//! [`super::decoder`], which calls this, gets the CRC-32 and the length of the output.

use pzcomp_deflate::inflate::{Deferred, Inflate, Invalid, Output, Pause, Progress};

use super::trailer::join_crcs;
use super::window;
use crate::error::Result;
use crate::format::ffi::deflate::crc32;
use engine::{Emitter, RunningSum, Source};

/// The memory for literals and copies. If a part has more of them, its decoder waits for the window.
const MEMORY: usize = 4 << 20;

/// After this many coded bytes the decoder looks whether the window is known.
const STEP: usize = 8 << 10;

/// Continues a part whose next match needs the window, which is not known yet, until the window is known, or until the
/// span ends, the input pauses or the memory is full. Then this function waits for the window, and puts everything out.
/// Returns the sum of that output, and the defect of the stream if there is one.
pub(super) fn decode_without_window(
    stream: &mut Inflate,
    deferred: &mut Option<Box<Deferred>>,
    source: &mut Source,
    out: &mut Emitter,
) -> Result<(RunningSum, Option<Invalid>)> {
    let deferred = deferred.get_or_insert_with(|| Box::new(Deferred::new(MEMORY)));
    deferred.take_over(stream);
    let mut invalid = None;
    while !window::is_known(source) {
        let coded = source.gather_until_pause(1, true)?;
        if coded.is_empty() {
            // The input pauses, and what is decoded must leave. Or the part goes on behind the span. Only a job whose
            // start is certain may read there, and this job may not be certain yet.
            break;
        }
        match deferred.run(&coded[..coded.len().min(STEP)]) {
            Ok(Progress { read, pause }) => {
                source.consume(read);
                if pause != Pause::Input {
                    break;
                }
            }
            Err(error) => {
                invalid = Some(error);
                break;
            }
        }
    }
    stream.set_window(window::before(source)?);
    let mut sum = RunningSum::NOTHING;
    loop {
        let (piece, before) = out.room_behind(1)?;
        let mut output = Output::new(piece, before);
        let result = deferred.put_out(stream, &mut output);
        let len = output.filled() - before;
        sum.push(len as u64, crc32(0, &piece[before..before + len]).into(), join_crcs);
        out.commit(len)?;
        match result {
            Ok(true) => return Ok((sum, invalid)),
            Ok(false) => {}
            // The place of the copy in the input is not known any more.
            Err(defect) => return Ok((sum, Some(Invalid { read: 0, defect }))),
        }
    }
}
