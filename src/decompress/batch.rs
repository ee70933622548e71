//! Whole frames that are decoded at once.

use super::WHOLE_PLAIN_MAX;
use crate::error::Result;
use crate::format::{Decoder, WHOLES_MAX, Whole};
use crate::pipeline::{Emitter, PIECE_LEN, Source};

/// Decodes whole frames from here on together, if there are several; how many were decoded.
pub(super) fn wholes(
    decoder: &mut dyn Decoder,
    source: &mut Source,
    out: &mut Emitter,
    context: u8,
) -> Result<usize> {
    let mut lens = [0; WHOLES_MAX];
    let count = source.units(&mut lens);
    if count < 2 {
        return Ok(0);
    }
    let lens = &lens[..count];
    let mut coded = source.gather(lens.iter().sum())?;
    let mut plain_lens = [0; WHOLES_MAX];
    let (mut count, mut plain_len) = (0, 0);
    let mut rest = coded;
    for (&len, place) in lens.iter().zip(&mut plain_lens) {
        let Some((frame, behind)) = rest.split_at_checked(len) else { break };
        let Some(claimed) = decoder.plain_len(frame, context).filter(|&claimed| claimed <= WHOLE_PLAIN_MAX)
        else {
            break;
        };
        // Two may be longer together than what is put out at once.
        if plain_len + claimed > if count < 2 { WHOLE_PLAIN_MAX } else { PIECE_LEN } {
            break;
        }
        (*place, rest) = (claimed, behind);
        (count, plain_len) = (count + 1, plain_len + claimed);
    }
    if count < 2 {
        return Ok(0);
    }
    let mut room = &mut out.room(plain_len)?[..plain_len];
    let mut frames: [Whole; WHOLES_MAX] = std::array::from_fn(|_| Whole::default());
    for ((frame, &len), &plain_len) in frames[..count].iter_mut().zip(lens).zip(&plain_lens) {
        (frame.coded, coded) = coded.split_at(len);
        (frame.plain, room) = room.split_at_mut(plain_len);
    }
    let done = decoder.wholes(&mut frames[..count]);
    source.consume(lens[..done].iter().sum());
    out.commit(plain_lens[..done].iter().sum())?;
    if plain_len > PIECE_LEN {
        // What comes now finds as much room as it would behind one frame alone.
        out.end_piece()?;
    }
    if done == 0 {
        // To make room another piece may have been begun.
        out.begin_frame();
    }
    Ok(done)
}
