//! The coder of decompression: each worker has one, and decodes its jobs with it.
//!
//! [`FrameCoder`] takes a span of coded input, which the feeder (`walk.rs`) made a job, and puts out the plain data.
//! For each frame it finds the format, gets that format's decoder, and lets `frames.rs` decode the frame. It returns
//! the report of the job.
//!
//! What the feeder says about a span is a guess. The coder believes the mark of a unit only if the data that it has
//! decoded before can be followed by such a unit ([`Previous::allows`]). If a frame does not end where the span ends,
//! the coder continues into the next span.

use super::frames;
use super::resources::Resources;
use super::walk::tagged;
use crate::error::{Error, Result};
use crate::format::{Accepted, After, Decoder, Format, Reading, SNIFF_LEN, skippable};
use crate::options::{Decode, Unknown};
use engine::{Coder, Emitter, Report, Source, Tag};

/// What a worker has decoded in this job so far.
#[derive(Clone, Copy)]
enum Previous {
    /// Nothing: it is at the start of the job.
    Nothing,
    /// The last data was of this format. The second value is what its decoder knows about the bytes that follow.
    Data(Format, After),
}

impl Previous {
    /// Whether the unit with this tag can begin here.
    fn allows(self, tag: Tag) -> bool {
        let tagged = tagged(tag);
        match self {
            // The job before decides that. If no unit begins here, the job before continues into this span, and nothing
            // of this job counts.
            Self::Nothing => true,
            Self::Data(format, After::Inside(context)) => tagged == Some((format, context)),
            Self::Data(_, After::Outside) => tagged.is_none_or(|(_, context)| context == 0),
            // The inside of a stream of another format cannot begin here.
            Self::Data(format, After::Anything | After::Closed { .. }) => {
                tagged.is_none_or(|(next, context)| context == 0 || next == format)
            }
        }
    }
}

/// Decodes spans of frames of any format.
pub(super) struct FrameCoder {
    decoders: [Option<Box<dyn Decoder>>; Format::COUNT],
    resources: Resources,
    reading: Reading,
    accepted: Accepted,
    unknown: Unknown,
    keep_cut_frames: bool,
    options: Decode,
}

impl FrameCoder {
    /// The coder of a worker. All workers of a stream have the same `reading`.
    pub(super) fn new(resources: &Resources, reading: &Reading, options: &Decode) -> Self {
        let accepted = Accepted::new(options.accept.as_deref());
        let Decode { unknown, keep_cut_frames, .. } = *options;
        let options = options.clone();
        let decoders = Default::default();
        Self {
            decoders,
            resources: *resources,
            reading: reading.clone(),
            accepted,
            unknown,
            keep_cut_frames,
            options,
        }
    }

    /// The decoder of this format, which is made when it is first needed.
    pub(super) fn decoder(&mut self, format: Format) -> Result<&mut dyn Decoder> {
        let slot = &mut self.decoders[format.index()];
        if slot.is_none() {
            *slot = Some(format.codec().decoder(&self.reading, &self.options)?);
        }
        slot.as_deref_mut().map(|decoder| decoder as _).ok_or_else(|| Error::Internal("no decoder".into()))
    }

    /// The format that the bytes `head` begin, if a frame of that format may follow what was decoded before.
    fn sniff(&self, head: &[u8], offset: u64, previous: Previous) -> Option<Format> {
        match previous {
            Previous::Data(format, _) if self.reading.one_format => {
                self.accepted.only(format).sniff(head, offset)
            }
            // Only frames of the first format are read. The feeder knows that format and has marked every unit of it,
            // so an unmarked place at the start of a job is no frame.
            Previous::Nothing if self.reading.one_format && offset > 0 => None,
            Previous::Data(format, _) if format.codec().is_last() => None,
            Previous::Data(..) | Previous::Nothing => self.accepted.sniff(head, offset),
        }
    }

    /// What to do with bytes that begin no format.
    fn unknown(&self, previous: Previous) -> Unknown {
        match previous {
            Previous::Data(format, _) if self.reading.one_format && format.codec().ignores_trailing() => {
                Unknown::Ignore
            }
            Previous::Data(..) | Previous::Nothing => self.unknown,
        }
    }
}

impl Coder for FrameCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> engine::Result<Report> {
        let mut report = Report::default();
        let start = source.offset();
        let mut previous = Previous::Nothing;
        loop {
            match previous {
                // Inside a frame, output that left because the worker waits would depend on the time.
                Previous::Data(_, After::Inside(_)) => out.flush_if_input_pauses(source)?,
                _ => out.flush_before_wait(source)?,
            }
            let unit = source.unit()?.filter(|mark| previous.allows(mark.tag));
            if source.available()?.is_empty() {
                if previous.allows(source.end().unwrap_or_default()) {
                    break;
                }
                if source.more()? {
                    continue;
                }
                // The input has ended inside a stream. The decoder of the stream reports that.
            }
            let known = unit.and_then(|mark| tagged(mark.tag));
            let (format, context) = match (previous, known) {
                (Previous::Data(format, After::Inside(context)), _) => (format, context),
                (_, Some(known)) => known,
                _ => {
                    // No unit is marked here, so this span need not end where a frame ends: `gather_inside` also reads
                    // behind the span.
                    let offset = source.offset();
                    let head = source.gather_inside(SNIFF_LEN)?;
                    if let Some(len) = self.accepted.skippable(head) {
                        frames::skip(source, skippable::HEADER_LEN as u64 + u64::from(len))?;
                        continue;
                    }
                    match self.sniff(head, offset, previous) {
                        Some(format) => (format, 0),
                        None => {
                            report.trailing = self.unknown(previous).pass(&self.accepted, source, out)?;
                            if matches!(previous, Previous::Data(format, _) if format.codec().is_last()) {
                                report.trailing.unread = report.trailing.garbage;
                            }
                            break;
                        }
                    }
                }
            };
            let continues = matches!(previous, Previous::Data(_, After::Inside(_)));
            let unit_start = source.offset();
            let decoder = self.decoder(format)?;
            if !continues {
                out.frame().begin();
            }
            let done = match unit.and_then(|mark| mark.coded_len) {
                Some(len) => frames::whole(decoder, source, out, len as usize, context)?,
                None => 0,
            };
            let result = match continues {
                _ if done > 0 => Ok(()),
                true => decoder.resume(source, out),
                false => {
                    let coded_len = unit.and_then(|mark| mark.coded_len).map(|len| len as usize);
                    let name = format.codec().info().name;
                    frames::stream(name, decoder, source, out, (context, coded_len))
                }
            };
            if let Err(error) = result {
                // What happens to the output of the frame that has not left yet:
                //
                // | has part of the frame left? | the frame is cut off                  | the frame is damaged |
                // |-----------------------------|---------------------------------------|----------------------|
                // | no: short or held           | drop, or with `keep_cut_frames` write | drop                 |
                // | yes: long                   | write                                 | write                |
                //
                // The rest of a long frame is as good as the part that has left. How much that part is depends on
                // which threads were faster. So all that was decoded before the error is written.
                let error = error.of_held(out.frame().is_held());
                if !(matches!(error, Error::Truncated { .. }) && self.keep_cut_frames) {
                    out.frame().take_back();
                }
                let taken = self.reading.rings.taken();
                return Err(self.resources.in_all(error, taken, &self.options).into());
            }
            // An index may name a format that does not begin there.
            if !continues && source.offset() == unit_start {
                return Err(
                    Error::corrupt(format.codec().info().name, unit_start, "no frame begins there").into()
                );
            }
            let after = decoder.after();
            previous = Previous::Data(format, after);
            report.frames += if done > 0 { done } else { decoder.frames() };
            report.facts = report.facts.then(decoder.facts());
            if let After::Closed { more } = after {
                out.flush()?;
                report.trailing = self.unknown.pass_closed(more, format.codec().info().name, source)?;
                break;
            }
        }
        report.plain_len = out.total();
        report.coded_len = source.offset() - start;
        Ok(report)
    }
}
