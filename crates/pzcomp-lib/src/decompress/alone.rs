//! Decodes one unit by itself, on the thread of the caller.
//!
//! [`decode_alone`] gets a range of a file or of memory and the format of the unit that begins there. It gives the
//! plain data to a function of the caller as it is decoded, and says where the unit ended. `salvage/` calls it for
//! units that may be damaged.
//!
//! The decoder reads nothing behind the range. Data before an error is given out too, although no check has verified
//! it: the caller decides whether to use it.

use std::ops::Range;

use super::resources::Resources;
use super::walk::tag;
use super::{frame_decoder, plan};
use crate::error::{Error, Result};
use crate::format::{After, Decoder, Format};
use crate::options::Decode;
use engine::io::RandomAccess;
use engine::{Coder, Emitter, Feed, Feeder, INLINE_SLOTS, Plan, Report, Segment, Source};

/// Length of the pieces of output.
const PIECE_LEN: usize = 256 << 10;

/// What came of a unit.
pub(crate) struct Alone {
    /// Offset behind the last byte that the decoder used.
    pub(crate) end: u64,
    /// What the decoder knows about the bytes that follow.
    pub(crate) after: After,
    /// The error of the unit, if it is damaged.
    pub(crate) result: Result<()>,
}

/// Decodes the unit of `format` at the start of `coded`. An error of the unit is in the result; any other error, such
/// as one of `take`, is returned.
///
/// A frame is decoded to its end. Of a format with lone blocks only one block is decoded.
pub(crate) fn decode_alone(
    place: RandomAccess,
    coded: Range<u64>,
    (format, context): (Format, u8),
    options: &Decode,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<Alone> {
    let (in_all, given) = (Resources::within(options)?, options);
    let options = Decode { threads: 1, progress: None, ..options.clone() };
    let resources = Resources::within(&options)?;
    let has_lone_blocks = format.codec().places().has_lone_blocks();
    let decoder = frame_decoder(format, &options)?;
    let mut coder = UnitCoder { decoder, has_lone_blocks, context, end: coded.start };
    let mut feeder = UnitFeeder { coded, format, context };
    let plan = Plan { piece_len: PIECE_LEN, slots: INLINE_SLOTS, ..plan(&resources, &options) };
    let mut take = |bytes: &[u8]| Ok(take(bytes)?);
    let done = engine::run_inline(plan, &mut coder, Some(place), &mut feeder, &mut take);
    let result = match done.map(|done| done.map_err(Error::from)) {
        None => return Err(Error::Internal("one unit was too many".into())),
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) if error.is_of_input() => Err(in_all.in_all(error, 0, given)),
        Some(Err(error)) => return Err(error),
    };
    Ok(Alone { end: coder.end, after: coder.decoder.after(), result })
}

/// Makes one job of the unit.
struct UnitFeeder {
    coded: Range<u64>,
    format: Format,
    context: u8,
}

impl Feeder for UnitFeeder {
    fn feed(&mut self, feed: &Feed) -> engine::Result<()> {
        let next = tag(Some(self.format), self.context);
        feed.open_whole(self.coded.start, Segment::Range(self.coded.clone()), next)
    }
}

/// Decodes one unit, and notes where it ends.
struct UnitCoder {
    decoder: Box<dyn Decoder>,
    /// Whether a block is complete where its decoder pauses.
    has_lone_blocks: bool,
    context: u8,
    /// Where it ends.
    end: u64,
}

impl Coder for UnitCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> engine::Result<Report> {
        let decoder = &mut self.decoder;
        out.frame().begin();
        let mut result = decoder.stream(source, out, self.context);
        // A decoder may pause where other workers could continue.
        while result.is_ok() && !self.has_lone_blocks && matches!(decoder.after(), After::Inside(_)) {
            result = decoder.resume(source, out);
        }
        self.end = source.offset();
        result?;
        Ok(Report { plain_len: out.total(), frames: 1, ..Report::default() })
    }
}
