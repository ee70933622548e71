//! Decodes one unit by itself, on the thread of the caller.
//!
//! [`decode_alone`] gets a range of a file or of memory and the format of the unit that begins there. It gives the plain
//! data to a function of the caller as it is decoded, and says where the unit ended. `salvage/` calls it for frames that
//! may be damaged.
//!
//! The decoder reads nothing behind the range. Data before an error is given out too, although no check has verified it:
//! the caller decides what it is worth.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::resources::Resources;
use super::walk::tag;
use super::{ReportTotal, frame_decoder, plan};
use crate::error::{Error, Result};
use crate::format::{After, Decoder, Format};
use crate::io::{Output, RandomAccess};
use crate::options::Options;
use crate::pipeline::{
    self, Coder, Emitter, Feed, Feeder, INLINE_SLOTS, Plan, Report, Segment, Source, Take,
};

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

/// Decodes the unit of `format` at the start of `coded`. An error of the unit is in the result; any other error, such as
/// one of `take`, is returned.
///
/// A frame is decoded to its end. Of a format with lone blocks only one block is decoded.
pub(crate) fn decode_alone(
    place: RandomAccess,
    coded: Range<u64>,
    (format, context): (Format, u8),
    options: &Options,
    take: Take,
) -> Result<Alone> {
    let options = Options { threads: 1, progress: None, ..options.clone() };
    let resources = Resources::within(&options)?;
    let decoder = Mutex::new(Some(frame_decoder(format, &options)?));
    let has_lone_blocks = format.codec().places().has_lone_blocks();
    let seen = Arc::new(Mutex::new((coded.start, After::Anything)));
    let coder = || {
        let decoder = decoder.lock().unwrap_or_else(PoisonError::into_inner).take();
        Box::new(UnitCoder { decoder, has_lone_blocks, context, seen: seen.clone() }) as Box<dyn Coder>
    };
    let plan =
        plan(Some(place), Output::Nothing, &resources, Box::new(ReportTotal::default()), &options, coder);
    let plan = Plan { slots: INLINE_SLOTS, piece_len: PIECE_LEN, ..plan };
    let done = pipeline::run_inline(plan, &mut UnitFeeder { coded, format, context }, take);
    let (end, after) = *seen.lock().unwrap_or_else(PoisonError::into_inner);
    let result = match done {
        None => return Err(Error::Internal("one unit was too many".into())),
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) if error.is_of_input() => Err(error),
        Some(Err(error)) => return Err(error),
    };
    Ok(Alone { end, after, result })
}

/// Makes one job of the unit.
struct UnitFeeder {
    coded: Range<u64>,
    format: Format,
    context: u8,
}

impl Feeder for UnitFeeder {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        let next = tag(Some(self.format), self.context);
        feed.open_whole(self.coded.start, Segment::Range(self.coded.clone()), next)
    }
}

/// Decodes one unit, and notes where it ends.
struct UnitCoder {
    decoder: Option<Box<dyn Decoder>>,
    /// Whether a block is complete where its decoder pauses.
    has_lone_blocks: bool,
    context: u8,
    seen: Arc<Mutex<(u64, After)>>,
}

impl Coder for UnitCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let Some(decoder) = &mut self.decoder else {
            return Err(Error::Internal("no decoder".into()));
        };
        out.begin_frame();
        let mut result = decoder.stream(source, out, self.context);
        // A decoder may pause where other workers could continue.
        while result.is_ok() && !self.has_lone_blocks && matches!(decoder.after(), After::Inside(_)) {
            result = decoder.resume(source, out);
        }
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = (source.offset(), decoder.after());
        result?;
        Ok(Report { plain_len: out.total(), frames: 1, ..Report::default() })
    }
}
