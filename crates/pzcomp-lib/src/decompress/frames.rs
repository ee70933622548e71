//! The three ways to decode a frame: several whole frames at once, one whole frame, or a frame as a stream.
//!
//! A frame is *whole* if all of it is at hand and it can be decoded in one call. The coder (`coder.rs`) calls [`whole`]
//! if the length of the frame is known and short, and [`stream`] if that did not succeed. The input comes from the
//! source of the job, and the output goes to its emitter.
//!
//! A whole frame counts only if all its checks are right. If they are not, nothing is consumed, and decoding the
//! frame again as a stream says what is wrong and where.

use super::resources::WHOLE_PLAIN_MAX;
use crate::error::{Damage, Error, Result};
use crate::format::{Decoder, WHOLES_MAX, Whole};
use engine::{Emitter, PIECE_LEN, Source};

/// Decodes a whole frame, and perhaps more whole frames behind it. Returns how many were decoded. 0 if the frame
/// cannot be decoded whole.
pub(super) fn whole(
    decoder: &mut dyn Decoder,
    source: &mut Source,
    out: &mut Emitter,
    len: usize,
    context: u8,
) -> Result<u64> {
    if decoder.together_max() > 0 {
        let done = wholes(decoder, source, out, context)?;
        if done > 0 {
            return Ok(done as u64);
        }
    }
    let at_hand = source.gather(len)?;
    let Some(coded) = at_hand.get(..len) else {
        return Ok(0);
    };
    let Some(plain_len) = decoder.plain_len(coded, context).filter(|&plain_len| plain_len <= WHOLE_PLAIN_MAX)
    else {
        return Ok(0);
    };
    let room = out.room(plain_len)?;
    let done = decoder.whole(coded, &mut room[..plain_len], context);
    if done {
        source.consume(len);
        out.commit(plain_len)?;
    } else {
        // The call for room may have begun another piece, so the start of the frame is noted again.
        out.frame().begin();
    }
    Ok(done.into())
}

/// Decodes the whole frames from here on together, if there are several. Returns how many were decoded.
fn wholes(decoder: &mut dyn Decoder, source: &mut Source, out: &mut Emitter, context: u8) -> Result<usize> {
    let mut lens = [0; WHOLES_MAX];
    let count = source.units().whole(&mut lens);
    if count < 2 {
        return Ok(0);
    }
    let lens = &lens[..count];
    let longest = decoder.together_max().min(WHOLE_PLAIN_MAX);
    let first = source.gather(lens[0])?.get(..lens[0]);
    if first.and_then(|frame| decoder.plain_len(frame, context)).is_none_or(|stated| stated > longest) {
        return Ok(0);
    }
    let mut coded = source.gather(lens.iter().sum())?;
    let mut plain_lens = [0; WHOLES_MAX];
    let (mut count, mut plain_len) = (0, 0);
    let mut rest = coded;
    for (&len, place) in lens.iter().zip(&mut plain_lens) {
        let Some((frame, behind)) = rest.split_at_checked(len) else { break };
        let Some(stated) = decoder.plain_len(frame, context).filter(|&stated| stated <= longest) else {
            break;
        };
        // Two frames may be longer together than a piece. Otherwise the frames fit into one piece.
        if plain_len + stated > if count < 2 { WHOLE_PLAIN_MAX } else { PIECE_LEN } {
            break;
        }
        (*place, rest) = (stated, behind);
        (count, plain_len) = (count + 1, plain_len + stated);
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
        // The next frame must find as much room as it would behind one frame alone.
        out.frame().end_piece()?;
    }
    if done == 0 {
        // The call for room may have begun another piece, so the start of the frame is noted again.
        out.frame().begin();
    }
    Ok(done)
}

/// Decodes a frame as a stream. A short frame with a check is held until it is verified. So if such a frame is
/// damaged, the output ends before it.
pub(super) fn stream(
    name: &'static str,
    decoder: &mut dyn Decoder,
    source: &mut Source,
    out: &mut Emitter,
    (context, coded_len): (u8, Option<usize>),
) -> Result<()> {
    let frame = source.offset();
    let stated = decoder.stated_len(source, context, coded_len)?;
    let stated = stated.and_then(|len| usize::try_from(len).ok()).filter(|&len| len <= WHOLE_PLAIN_MAX);
    if let Some(stated) = stated {
        out.frame().hold(stated)?;
    }
    let result = decoder.stream(source, out, context);
    if let Some(stated) = out.frame().exceeded() {
        let what = format!("the frame that begins there holds more than the {stated} bytes that it states");
        return Err(Error::corrupt(name, frame, what).by(Damage::Length));
    }
    result.and_then(|()| Ok(out.frame().release()?))
}

/// Passes a skippable frame.
pub(super) fn skip(source: &mut Source, len: u64) -> Result<()> {
    let frame = source.offset();
    if source.skip(len)? {
        return Ok(());
    }
    Err(Error::Truncated { format: "skippable", frame, offset: source.offset() })
}
