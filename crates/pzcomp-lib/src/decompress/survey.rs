//! The walk through coded input, unit by unit: which units there are, and where they end.
//!
//! [`Survey::walk`] finds the format of each frame, and lets the walker of that format pass its units. The units go
//! to a [`UnitSink`]: the feeder (`walk.rs`) makes jobs of them, and the listing of files drops them. Afterwards the
//! survey has the formats, the number of frames, their lengths and an index, as far as the input states them.
//!
//! A survey decodes nothing, so all its results may be wrong if the input lies.

use crate::error::{Error, Result};
use crate::format::seek_table::Audit;
use crate::format::{
    Accepted, Cursor, Format, Reading, SNIFF_LEN, SNIFF_MIN, Unit, UnitKind, Walker, skippable,
};
use crate::options::{ArchiveEntry, Decode, Unknown};
use crate::summary::Summary;
use engine::Outcome;
use engine::io::Input;

/// Takes the units of coded input: it makes jobs of them, or drops them.
pub(crate) trait UnitSink {
    /// The input, in which the walkers find and pass the units.
    fn cursor(&mut self) -> &mut dyn Cursor;
    /// Takes the next unit. No byte of it has been passed.
    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()>;
    /// Notes that the unit has been passed. Returns its length.
    fn finish(&mut self) -> Result<u64>;
}

/// The result of a walk.
#[derive(Default)]
pub(crate) struct Survey {
    accepted: Accepted,
    unknown: Unknown,
    reading: Reading,
    /// How many workers will decode.
    workers: usize,
    walkers: [Option<Box<dyn Walker>>; Format::COUNT],
    formats: Vec<Format>,
    /// Frames that the walkers could tell apart. Frames in a [`UnitKind::Rest`] are not counted.
    pub(crate) frames: u64,
    /// The plain length of all frames that state it.
    pub(crate) plain_len: u64,
    /// Where the last frame ends.
    pub(crate) end: u64,
    /// Whether some frame does not state its plain length, or its end is not known.
    pub(crate) is_vague: bool,
    /// The check of the first frame.
    pub(crate) check: Option<&'static str>,
    /// Whether there is an index that is right.
    pub(crate) is_indexed: bool,
    /// Whether an index follows the last data.
    ends_indexed: bool,
    expects_end: bool,
    /// Remarks on odd things, although all frames are right.
    pub(crate) remarks: Vec<String>,
    audit: Audit,
    /// The coded length of the current frame so far, and the plain length that it states.
    frame: (u64, Option<u64>),
}

impl Survey {
    /// A survey of what the options accept.
    pub(crate) fn new(options: &Decode) -> Self {
        let accepted = Accepted::new(options.accept.as_deref());
        let reading = Reading::new(options, 1, 0);
        let expects_end = options.expect_end;
        Self { accepted, unknown: options.unknown, reading, expects_end, ..Self::default() }
    }

    /// The formats, in the order of their first frames.
    pub(crate) fn formats(&self) -> Vec<Format> {
        self.formats.clone()
    }

    /// The summary of a stream with `coded_len` bytes of input.
    pub(super) fn summary(&mut self, coded_len: u64, outcome: Outcome) -> Summary {
        Summary {
            format: self.formats.first().copied(),
            coded_len,
            check: self.check.filter(|&check| check != "-"),
            ends_indexed: self.ends_indexed,
            remarks: std::mem::take(&mut self.remarks),
            entries: self.entries(),
            ..outcome.into()
        }
    }

    /// Takes the files of the archives that were passed.
    pub(crate) fn entries(&mut self) -> Vec<ArchiveEntry> {
        self.walkers.iter_mut().flatten().flat_map(|walker| walker.entries()).collect()
    }

    /// The same survey for this many workers.
    pub(crate) fn for_workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    /// Walks to the end of the input.
    pub(crate) fn walk(&mut self, sink: &mut dyn UnitSink) -> Result<()> {
        let mut inside: Option<Format> = None;
        loop {
            if let Some(format) = inside
                && let Some(walker) = &mut self.walkers[format.index()]
                && !walker.continues(sink.cursor())?
            {
                inside = None;
            }
            let start = sink.cursor().offset();
            // Inside a stream no head is needed. The stream may end before that many bytes come, so nothing waits for
            // them.
            let head = if inside.is_none() { self.peek_head(sink.cursor(), start)? } else { &[] };
            if head.is_empty() && inside.is_none() {
                let is_empty = start == 0 && !matches!(self.unknown, Unknown::Copy | Unknown::CopyWhole);
                return if is_empty { Err(Error::Empty) } else { Ok(()) };
            }
            if inside.is_none() && self.accepted.skippable(head).is_some() {
                sink.begin(Unit::SKIP, None)?;
                match skippable::pass(sink.cursor(), &mut self.audit)? {
                    Some(Ok(())) => (self.is_indexed, self.ends_indexed) = (true, true),
                    Some(Err(remark)) => self.remarks.push(remark),
                    None => {}
                }
                continue;
            }
            let Some(format) = inside.or_else(|| self.accepted.sniff(head, start)) else {
                (self.is_vague, self.ends_indexed) = (true, false);
                sink.begin(Unit::rest("-"), None)?;
                return sink.cursor().take_rest();
            };
            if self.reading.entry.is_demanded() && !format.has_entries() {
                return Err(no_archive(format, start));
            }
            if self.reading.one_format {
                self.accepted = self.accepted.only(format);
            }
            let (workers, reading) = (self.workers, &self.reading);
            let walker =
                self.walkers[format.index()].get_or_insert_with(|| format.codec().walker(workers, reading));
            let unit = walker.unit(sink.cursor())?;
            sink.begin(unit, Some(format))?;
            walker.pass(sink.cursor())?;
            inside = walker.is_inside().then_some(format);
            let coded_len = sink.finish()?;
            if unit.has_data() {
                self.end = sink.cursor().offset();
            }
            self.note(format, unit, coded_len, inside.is_some());
        }
    }

    /// Whether the input, which ends at `end`, is a whole stream as far as its recovery records tell, and its index if
    /// one is expected.
    pub(super) fn ended(&self, end: u64) -> Result<()> {
        match () {
            () if self.audit.awaits_more => Err(Error::Unfinished { offset: end }),
            () if self.expects_end && !self.ends_indexed => Err(Error::NoEnd { offset: end }),
            () => Ok(()),
        }
    }

    /// The bytes that tell the format of the next frame. Not more are waited for than the shortest frame has.
    fn peek_head<'a>(&self, cursor: &'a mut dyn Cursor, start: u64) -> Result<&'a [u8]> {
        let format = self.accepted.sniff(cursor.peek(SNIFF_MIN)?, start);
        let is_enough = format.is_some_and(|format| format.codec().sniff_len() <= SNIFF_MIN);
        cursor.peek(if is_enough { SNIFF_MIN } else { SNIFF_LEN })
    }

    /// Notes a unit that has been passed, and whether the stream continues behind it.
    fn note(&mut self, format: Format, unit: Unit, coded_len: u64, continues: bool) {
        let is_index = unit.kind == UnitKind::Index;
        self.is_indexed |= is_index;
        self.ends_indexed = is_index || self.ends_indexed && !unit.has_data();
        self.audit.follows(unit.more_follows);
        if !self.formats.contains(&format) {
            self.formats.push(format);
        }
        if !unit.has_data() {
            return;
        }
        if unit.kind == UnitKind::Part && unit.context != 0 {
            // The unit continues the frame before.
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
        if !continues {
            let (coded_len, plain_len) = self.frame;
            self.audit.frame(coded_len, plain_len);
        }
    }
}

/// Fails if a file is chosen in an input that is no archive of files, as far as this is known before it is decoded.
pub(crate) fn check_choice(input: &Input, options: &Decode) -> Result<()> {
    let Some((place, range)) = input.random_access().filter(|_| options.entry.is_demanded()) else {
        return Ok(());
    };
    let mut head = [0; SNIFF_LEN];
    let len = usize::try_from(range.end - range.start).unwrap_or(SNIFF_LEN).min(SNIFF_LEN);
    let len = place.read_at(&mut head[..len], range.start)?;
    match Accepted::new(options.accept.as_deref()).sniff(&head[..len], 0) {
        Some(format) if !format.has_entries() => Err(no_archive(format, 0)),
        _ => Ok(()),
    }
}

/// The error of data in which no file can be chosen.
fn no_archive(format: Format, offset: u64) -> Error {
    let what = "it is no archive of files such as qpress, so none can be chosen here; leave the choice out, or extract a \
                member of a tar archive by decompressing it";
    Error::unsupported(format.name(), offset, what)
}
