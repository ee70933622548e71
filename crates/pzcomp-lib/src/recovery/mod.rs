//! Recovery records: [`Protect`] writes them for any bytes, and [`Repair`] mends damaged bytes by them.
//!
//! The package `crates/recovery` does the work. This room gives it inputs that can be read from any place, goes on
//! behind sectors that cannot be read (`BadSectorInput`), and says what bytes are that no record covers. The command
//! calls it for `--protect` and `--repair`.
//!
//! ```
//! use pzcomp::Decode;
//! use pzcomp::recovery::{Protect, Repair};
//!
//! let data: Vec<u8> = (0..3000_u32).flat_map(u32::to_le_bytes).collect();
//! let mut records = Vec::new();
//! Protect::new().run(&data, &mut records)?;
//!
//! let mut damaged = data.clone();
//! damaged[1000..1050].fill(0);
//! let mut mended = Vec::new();
//! let report = Repair::new(&Decode::default()).beside(&records).run(&damaged, &mut mended)?;
//! assert!(report.is_mendable() && !report.is_intact());
//! assert_eq!(mended, data);
//! # Ok::<(), pzcomp::Error>(())
//! ```

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::Range;

#[doc(inline)]
pub use pzcomp_recovery::{Brief, DamagedGroup, Protected, Report};
use pzcomp_recovery::{Envelope, Mend, Settings, Share, Sink, brief, mend, protect};

use crate::bad_sectors::BadSectorInput;
use crate::decompress::decompress_io;
use crate::error::{Error, Result};
use crate::format::{Format, SNIFF_LEN};
use crate::options::{Decode, worker_count};
use crate::seekable::spans_max;
use engine::io::{Input, Output, OutputStream};

/// Writes recovery records for any bytes, compressed or not, to be kept beside them.
///
/// The default is 5 % of parity, in groups of 64 MiB, on all cores. A group of 64 MiB with 5 % has 2048 shards of 32
/// KiB, of which any 103 can be restored.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is protected before `run`"]
pub struct Protect {
    settings: Settings,
    threads: usize,
}

impl Default for Protect {
    fn default() -> Self {
        Self { settings: Settings::new(Envelope::Bare), threads: 0 }
    }
}

impl Protect {
    /// Records with the default share.
    pub fn new() -> Self {
        Self::default()
    }

    /// The share of parity in thousandths, from 5 to 1000. Other numbers count as the nearest of these.
    pub fn per_mille(mut self, share: u16) -> Self {
        self.settings.share = Share::per_mille(share.clamp(5, 1000)).unwrap_or(Share::DEFAULT);
        self
    }

    /// The most bytes of a group, from 64 KiB to 64 MiB. Other numbers count as the nearest of these. Memory is a group
    /// and a few MiB for each thread.
    pub fn span(mut self, span: u64) -> Self {
        self.settings.span = usize::try_from(span).unwrap_or(usize::MAX);
        self
    }

    /// The number of threads; 0 is one for each core.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Writes the records of all bytes of the input, which is read once.
    ///
    /// It is an error if the input cannot be read at any place, or if reading or writing fails.
    pub fn run<'i>(&self, input: impl Into<Input<'i>>, mut records: impl Write) -> Result<Protected> {
        let input = input.into();
        let (place, range) = input.random_access().ok_or(Error::NeedsFile)?;
        let source = BadSectorInput::strict(place, range);
        let (mut failed, mut written) = (None, 0);
        let done = protect(&source, self.settings, threads(self.threads), |record| {
            written += record.len() as u64;
            records.write_all(record).map_err(|error| {
                let kind = error.kind();
                failed = Some(error);
                kind.into()
            })
        });
        match (done, failed) {
            (_, Some(error)) => Err(Error::Write { offset: written, source: error }),
            (done, None) => done.map_err(|error| source.read_error(error)),
        }
    }
}

fn threads(wanted: usize) -> NonZeroUsize {
    NonZeroUsize::new(worker_count(wanted)).unwrap_or(NonZeroUsize::MIN)
}

/// Finds what is damaged in a file with recovery records, and mends it.
#[must_use = "nothing is mended before `run`"]
pub struct Repair<'a> {
    /// The options for decompression, by which bytes are judged that no record covers.
    reading: Decode,
    beside: Option<Input<'a>>,
    only_damaged: bool,
}

impl Repair<'_> {
    /// Mends files that have their records inside. The options for decompression are used to judge bytes that no record
    /// covers, and to choose the number of threads.
    pub fn new(options: &Decode) -> Self {
        let reading = Decode { progress: None, max_output: None, drop_cache: false, ..options.clone() };
        Self { reading, beside: None, only_damaged: false }
    }
}

impl<'a> Repair<'a> {
    /// Mends files whose records are these, as [`Protect`] wrote them.
    pub fn beside(self, records: impl Into<Input<'a>>) -> Self {
        Self { beside: Some(records.into()), ..self }
    }

    /// Writes nothing if all of the input is as it was written. So damaged data is read once, without asking first
    /// whether it is damaged.
    pub fn only_damaged(self) -> Self {
        Self { only_damaged: true, ..self }
    }

    /// Says what is damaged, and whether it can be mended.
    ///
    /// It is an error if the input cannot be read at any place, or if it cannot be read at all. Parts of it that cannot
    /// be read are damage.
    pub fn examine<'i>(&self, input: impl Into<Input<'i>>) -> Result<Report> {
        self.mend(input.into(), None)
    }

    /// Writes the whole data as it was, and says what was damaged. If [`Report::is_mendable`] denies it, the output is
    /// not the whole data. If [`Report::is_displaced`] denies it too, all data that is left is at its place, and only
    /// groups in [`Report::damaged`] that lack parity, and the rest of a file that was cut, are as damaged as before.
    pub fn run<'i, 'o>(&self, input: impl Into<Input<'i>>, output: impl Into<Output<'o>>) -> Result<Report> {
        let mut sink = Outputs { data: InOrder::new(output.into()), beside: InOrder::new(Output::Nothing) };
        self.mend(input.into(), Some(&mut sink))
    }

    /// Like [`Self::run`], and also writes the records beside the data as they were.
    ///
    /// ```
    /// use pzcomp::Decode;
    /// use pzcomp::recovery::{Protect, Repair};
    ///
    /// let (data, mut records) = ([7; 5000], Vec::new());
    /// Protect::new().run(&data, &mut records)?;
    /// let (mut damaged, mut mended, mut mended_records) = (records.clone(), Vec::new(), Vec::new());
    /// damaged[0] = 0;
    /// let repair = Repair::new(&Decode::default()).beside(&damaged);
    /// repair.run_with_records(&data, &mut mended, &mut mended_records)?;
    /// assert_eq!(mended_records, records);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn run_with_records<'i, 'o, 'r>(
        &self,
        input: impl Into<Input<'i>>,
        output: impl Into<Output<'o>>,
        records: impl Into<Output<'r>>,
    ) -> Result<Report> {
        let mut sink = Outputs { data: InOrder::new(output.into()), beside: InOrder::new(records.into()) };
        self.mend(input.into(), Some(&mut sink))
    }

    /// Sums up the recovery records of a file by a few reads, without verifying them: for a list of its contents. All
    /// sums are 0 if it has none.
    ///
    /// It is an error if the input cannot be read at any place, or if it cannot be read at all.
    pub fn summarise<'i>(&self, input: impl Into<Input<'i>>) -> Result<Brief> {
        let input = input.into();
        let records = self.beside.as_ref().unwrap_or(&input);
        let (place, range) = records.random_access().ok_or(Error::NeedsFile)?;
        let source = BadSectorInput::strict(place, range.clone());
        let mut format = None;
        if self.beside.is_none() {
            let mut head = [0; SNIFF_LEN];
            let read = place.read_at(&mut head, range.start)?;
            format = Format::sniff(&head[..read]);
        }
        // The last record of a part ends where the table of the part begins.
        let mut failed = None;
        let table_len = |end: u64| {
            let part = range.start..range.start + end;
            let places = format.map(|format: Format| format.codec().places());
            let len = places.map(|places| places.index_len(place, &part, spans_max(&self.reading)));
            len.unwrap_or(Ok(None)).map(Option::unwrap_or_default).map_err(|error| {
                failed = Some(error);
                io::ErrorKind::Other.into()
            })
        };
        let sums = brief(&source, table_len);
        match failed {
            Some(error) => Err(error),
            None => sums.map_err(|error| source.read_error(error)),
        }
    }

    fn mend(&self, input: Input, sink: Option<&mut Outputs>) -> Result<Report> {
        let (place, range) = input.random_access().ok_or(Error::NeedsFile)?;
        let source = BadSectorInput::new(place, range.clone());
        let beside = match &self.beside {
            Some(records) => {
                let (place, range) = records.random_access().ok_or(Error::NeedsFile)?;
                Some(BadSectorInput::new(place, range))
            }
            None => None,
        };
        let is_whole = |part: Range<u64>| self.is_whole(&source, part);
        let work = Mend {
            source: &source,
            beside: beside.as_ref().map(|beside| beside as _),
            is_whole: &is_whole,
            threads: threads(self.reading.worker_count()),
            only_damaged: self.only_damaged,
        };
        let Some(sink) = sink else { return mend(&work, None).map_err(|error| source.read_error(error)) };
        let done = mend(&work, Some(&mut *sink));
        let ended = [&mut sink.data, &mut sink.beside].map(InOrder::finish);
        ended.into_iter().collect::<Result<()>>()?;
        done.map_err(|error| source.read_error(error))
    }

    /// Whether bytes that no record covers are whole frames.
    fn is_whole(&self, source: &BadSectorInput, part: Range<u64>) -> bool {
        let input = Input::At { source, start: part.start, end: part.end };
        decompress_io(input, Output::Nothing, &self.reading).is_ok()
    }
}

impl pzcomp_recovery::Source for BadSectorInput<'_> {
    fn len(&self) -> u64 {
        BadSectorInput::len(self)
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.fill_at(bytes, at)
    }
}

/// Where the mended data and records go.
struct Outputs<'a> {
    data: InOrder<'a>,
    beside: InOrder<'a>,
}

impl Sink for Outputs<'_> {
    fn data(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.data.put(bytes, at)
    }

    fn beside(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.beside.put(bytes, at)
    }
}

/// An output that is written in order. What comes early waits: it is a few records only.
struct InOrder<'a> {
    output: OutputStream<'a>,
    waiting: BTreeMap<u64, Vec<u8>>,
    failed: Option<Error>,
}

impl<'a> InOrder<'a> {
    fn new(output: Output<'a>) -> Self {
        Self { output: OutputStream::new(output, false), waiting: BTreeMap::new(), failed: None }
    }

    fn put(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        if at != self.output.written() {
            self.waiting.insert(at, bytes.to_vec());
            return Ok(());
        }
        self.write(bytes)?;
        while let Some(next) = self.waiting.remove(&self.output.written()) {
            self.write(&next)?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes).map_err(|error| {
            self.failed = Some(error.into());
            io::ErrorKind::Other.into()
        })
    }

    /// Ends the output. An error of an earlier write is returned here.
    fn finish(&mut self) -> Result<()> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(self.output.finish()?),
        }
    }
}
