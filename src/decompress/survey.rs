//! The walk through coded input, unit by unit: what is there, and where it ends.

use crate::error::{Error, Result};
use crate::format::{Accepted, Cursor, Format, Reading, SNIFF_LEN, Unit, UnitKind, Walker, skippable};
use crate::index::Audit;
use crate::options::{Options, Unknown};

/// Where units pass by: to the workers, or to nobody.
pub(crate) trait UnitSink {
    /// Says what comes next; nothing of it has passed.
    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()>;
    /// Says that it has passed; its length.
    fn finish(&mut self) -> u64;
    fn as_cursor(&mut self) -> &mut dyn Cursor;
}

/// What a walk has found.
#[derive(Default)]
pub(crate) struct Survey {
    accepted: Accepted,
    unknown: Unknown,
    reading: Reading,
    /// Who will decode.
    workers: usize,
    walkers: [Option<Box<dyn Walker>>; Format::COUNT],
    formats: Vec<Format>,
    /// Frames that were told from each other; none of those in a [`UnitKind::Rest`].
    pub(crate) frames: u64,
    /// The plain length of all frames, as far as they say it themselves.
    pub(crate) plain_len: u64,
    /// Where the last frame ends.
    pub(crate) end: u64,
    /// Some frame does not say its plain length, or where it ends.
    pub(crate) is_vague: bool,
    /// The check of the first frame.
    pub(crate) check: Option<&'static str>,
    /// There is an index, and it is right.
    pub(crate) is_indexed: bool,
    /// What is odd though all frames are right.
    pub(crate) remarks: Vec<String>,
    audit: Audit,
    /// The coded length of the frame as far as it has been walked through, and the plain length it claims.
    frame: (u64, Option<u64>),
}

impl Survey {
    /// A survey of what the options accept.
    pub(crate) fn new(options: &Options) -> Self {
        let accepted = Accepted::new(options.accept);
        let reading = Reading::new(options, 1, 0);
        Self { accepted, unknown: options.unknown, reading, ..Self::default() }
    }

    /// The formats in the order of their first frames.
    pub(crate) fn formats(&self) -> Vec<Format> {
        self.formats.clone()
    }

    /// The same for so many workers.
    pub(crate) fn for_workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// Walks to the end of the input.
    pub(crate) fn walk(&mut self, sink: &mut dyn UnitSink) -> Result<()> {
        let mut inside: Option<Format> = None;
        loop {
            let cursor = sink.as_cursor();
            let start = cursor.offset();
            // A frame may end before so many bytes come.
            let head = if inside.is_none() { cursor.peek(SNIFF_LEN)? } else { &[] };
            if head.is_empty() && inside.is_none() {
                let is_empty = start == 0 && !matches!(self.unknown, Unknown::Copy | Unknown::CopyWhole);
                return if is_empty { Err(Error::Empty) } else { Ok(()) };
            }
            if inside.is_none() && self.accepted.skippable(head).is_some() {
                sink.begin(Unit::SKIP, None)?;
                match skippable::pass(sink.as_cursor(), &mut self.audit)? {
                    Some(Ok(())) => self.is_indexed = true,
                    Some(Err(remark)) => self.remarks.push(remark),
                    None => {}
                }
                continue;
            }
            let Some(format) = inside.or_else(|| self.accepted.sniff(head, start)) else {
                self.is_vague = true;
                sink.begin(Unit::rest("-"), None)?;
                return sink.as_cursor().take_rest();
            };
            if self.reading.one_format {
                self.accepted = self.accepted.only(format);
            }
            let (workers, reading) = (self.workers, &self.reading);
            let walker = self.walkers[usize::from(format.0)]
                .get_or_insert_with(|| format.codec().walker(workers, reading));
            let unit = walker.unit(cursor)?;
            sink.begin(unit, Some(format))?;
            walker.pass(sink.as_cursor())?;
            inside = walker.is_inside().then_some(format);
            let coded_len = sink.finish();
            if unit.has_data() {
                self.end = sink.as_cursor().offset();
            }
            self.note(format, unit, coded_len, inside.is_some());
        }
    }

    /// Notes a unit that has passed, and whether the stream goes on behind it.
    fn note(&mut self, format: Format, unit: Unit, coded_len: u64, goes_on: bool) {
        self.is_indexed |= unit.kind == UnitKind::Index;
        if !self.formats.contains(&format) {
            self.formats.push(format);
        }
        if !unit.has_data() {
            return;
        }
        if unit.kind == UnitKind::Part && unit.context != 0 {
            // More of the frame before.
            self.frame.0 += coded_len;
        } else {
            self.frame = (coded_len, unit.plain_len);
            self.check.get_or_insert(unit.check);
            self.frames += u64::from(unit.kind == UnitKind::Frame);
            match unit.plain_len {
                Some(plain_len) => self.plain_len = self.plain_len.saturating_add(plain_len),
                None => self.is_vague = true,
            }
        }
        if !goes_on {
            let (coded_len, plain_len) = self.frame;
            self.audit.frame(coded_len, plain_len);
        }
    }
}
