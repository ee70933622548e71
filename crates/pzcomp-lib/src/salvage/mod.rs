//! Salvage: decompresses the intact data of a damaged file, and reports what is lost.
//!
//! ```text
//! Salvage ─▶ Salvager ─▶ Scout: what begins here?     Trials: does it decode?     OutputStream: write it
//!                └─────▶ Known, Search: where does decoding go on behind damage?
//! ```
//!
//! [`Salvage::run`] first verifies the input as [`crate::decompress`] would. If nothing is wrong, it decompresses the
//! input in the usual way. Otherwise the `Salvager` works through it unit by unit. A unit is written only after all of
//! it is verified, unless the options say otherwise. The parts of a gzip member that states no size are the exception:
//! the report lists them as not verified.
//!
//! The time is bounded by the account in `effort.rs`: at most 20 bytes are examined for each coded byte, and trial
//! decodes make at most 20 bytes for each coded byte and each plain byte that is kept, plus a constant. The scout
//! counts the bytes that it looks at, and `trial.rs` and `format/gzip/` count those that they decode. They ask before
//! they begin. The scout remembers what it has seen (`memory.rs`), so that ordinary input stays far below the limits.
//! The places that were refused are in [`SalvageReport::untried`].

mod blocks;
mod cursor;
mod memory;
mod parts;
mod report;
mod salvager;
mod scout;
mod search;
mod trial;

use engine::io::{Input, Output, OutputStream, RandomAccess};
pub use report::{LostRange, SalvageReport, SalvagedRange};
use salvager::Salvager;
use scout::Scout;

use crate::bad_sectors::BadSectorInput;
use crate::decompress::{Resources, decompress_io};
use crate::effort::Effort;
#[doc(hidden)]
pub use crate::effort::SalvageEffort;
use crate::error::{Error, Result, Size, hex};
use crate::format::probe::{Candidate, Here, Offsets, Place};
use crate::format::{Format, SNIFF_LEN};
use crate::options::Decode;
use crate::summary::Summary;

/// What is written in place of lost data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fill {
    /// Nothing: the data behind it follows at once.
    #[default]
    Nothing,
    /// As many zeros as plain bytes are lost, if their number is known. So the data behind it keeps its offsets.
    Zero,
}

/// Decompresses what is intact of a damaged input, and says what was kept and what was lost.
///
/// Frames that decode and whose checks are right are written in order. Other bytes are skipped and reported. An input
/// without damage is decompressed as by [`Decompress`](crate::Decompress), and the report [is
/// whole](SalvageReport::is_whole). The input is read more than once, so it must be a file, memory, or a source that
/// can be read at any place.
///
/// A gzip member whose header states no size is salvaged in parts: up to the block in which the damage is seen, and
/// from the next block on before which 32 KiB are known. Its checksum cannot be compared then, so these parts are in
/// [`SalvageReport::unverified`], although they are always written.
///
/// ```
/// use pzcomp::salvage::Salvage;
/// use pzcomp::{Decode, Encode};
///
/// let plain: Vec<u8> = (0..3000_u32).flat_map(u32::to_le_bytes).collect();
/// let mut coded = pzcomp::compress(&plain, &Encode::zstd(3).block_size(4096).build()?)?;
/// coded[1000] ^= 1;
///
/// let mut kept = Vec::new();
/// let report = Salvage::new(&Decode::default()).run(&coded, &mut kept)?;
/// assert_eq!((report.frames, report.lost_len()), (2, Some(4096)));
/// assert_eq!(kept, plain[4096..]);
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "nothing is salvaged before `run`"]
pub struct Salvage {
    /// The options for decompression: threads, memory and the accepted formats.
    reading: Decode,
    fill: Fill,
    keep_unverified: bool,
}

impl Salvage {
    /// To salvage with these options for decompression: threads, memory, the accepted formats, and the progress.
    pub fn new(options: &Decode) -> Self {
        Self { reading: options.clone(), ..Self::default() }
    }

    /// What is written in place of lost data. The default is nothing.
    pub fn fill(self, fill: Fill) -> Self {
        Self { fill, ..self }
    }

    /// Whether to write also what decodes of a damaged frame before the damage is seen, and all of a frame whose check
    /// is wrong. The report lists it as not verified: some of it may be wrong. The default is false.
    pub fn keep_unverified(self, keep: bool) -> Self {
        Self { keep_unverified: keep, ..self }
    }

    /// Salvages the input into the output.
    ///
    /// Sectors that cannot be read are damage. It is an error if the input cannot be read at any place, if the output
    /// cannot be written, or if no frame is found although every place was tried. It is also an error if the damaged
    /// data is one stream that cannot be divided, as in a `.lzma` or `.Z` file.
    pub fn run<'i, 'o>(
        &self,
        input: impl Into<Input<'i>>,
        output: impl Into<Output<'o>>,
    ) -> Result<SalvageReport> {
        self.run_with_effort(input.into(), output.into(), &mut SalvageEffort::default())
    }

    /// Like [`Self::run`], and also says how much was examined and decoded, even if there is an error. For tests of the
    /// bounds of [`SalvageEffort`]. Of an input without damage nothing is counted, nor is the first attempt to
    /// decompress it.
    #[doc(hidden)]
    pub fn run_with_effort(
        &self,
        input: Input,
        output: Output,
        effort: &mut SalvageEffort,
    ) -> Result<SalvageReport> {
        let Some((place, range)) = input.random_access() else {
            return Err(Error::NeedsFile);
        };
        // Attempts are bounded by other means. What is written is counted.
        let max_output = self.reading.max_output;
        let unlimited = Decode { max_output: None, ..self.reading.clone() };
        let options = &Self { reading: unlimited, ..self.clone() };
        let part = BadSectorInput::new(place, range);
        // The system's error, and not that of the format that met it.
        let of_input = |error| match error {
            Error::Read { source, .. } => part.read_error(source),
            error => error,
        };
        options.run_on(&part, output, max_output, effort).map_err(of_input)
    }

    /// Salvages an input that goes on behind sectors that cannot be read. The options have no limit of the output.
    fn run_on(
        &self,
        part: &BadSectorInput,
        output: Output,
        max_output: Option<u64>,
        effort: &mut SalvageEffort,
    ) -> Result<SalvageReport> {
        let (options, len) = (self, part.len());
        let whole = || Input::At { source: part, start: 0, end: len };
        let quiet = Decode { progress: None, ..options.reading.clone() };
        let error = match decompress_io(whole(), Output::Nothing, &quiet) {
            // What cannot be read was taken for zeros, and not every format would see that.
            Ok(_) if let Some(lacking) = part.lacks(&(0..len)) => {
                Error::Read { offset: lacking.start, source: system::place::refusal_of_sector() }
            }
            Ok(_) => {
                let limited = Decode { max_output, ..options.reading.clone() };
                let summary = decompress_io(whole(), output, &limited)?;
                return Ok(undamaged(summary, len));
            }
            Err(error) if !error.is_of_input() => return Err(error),
            Err(error) => error,
        };
        let place = RandomAccess::Source(part);
        let threads = Resources::within(&options.reading)?.workers;
        let account = Effort::new(len);
        let scout = Scout::new(place, len, &account, &options.reading);
        let mut output = OutputStream::new(output, false);
        output.limit(max_output);
        let report =
            Salvager::new(scout, part, output, options, threads).and_then(|salvager| salvager.run(&error));
        *effort = account.sum();
        let mut report = match report {
            // More memory may be all that is needed.
            Ok(report) if matches!(error, Error::Memory { .. }) && report.is_for_memory() => {
                return Err(error);
            }
            Err(Error::Unsupported { .. }) if matches!(error, Error::Memory { .. }) => return Err(error),
            report => report?,
        };
        if report.formats.is_empty() && report.untried.is_empty() {
            let mut head = [0; SNIFF_LEN];
            let read = place.read_at(&mut head, 0)?;
            return Err(Error::NotCompressed { found: hex(&head[..read]) });
        }
        report.summary = Summary {
            format: report.formats.first().copied(),
            plain_len: report.written,
            coded_len: report.coded_len,
            frames: report.frames,
            threads,
            ..Summary::default()
        };
        Ok(report)
    }
}

/// The report of an input without damage.
fn undamaged(summary: Summary, coded_len: u64) -> SalvageReport {
    let mut report = SalvageReport {
        coded_len,
        written: summary.plain_len,
        frames: summary.frames,
        formats: summary.format.into_iter().collect(),
        ..SalvageReport::default()
    };
    report.keep(0..coded_len, 0..summary.plain_len);
    report.summary = summary;
    report
}

impl Salvager<'_> {
    /// The same place, as a block of a file that is not wanted, if a block begins there that cannot be of the first
    /// file: its data would be before what was written.
    fn same_file(&self, place: Place) -> Result<Place> {
        let Some(offsets) = self.scout.offsets(place) else { return Ok(place) };
        let offset = offsets.offset(&self.scout, place)?;
        let is_other = offset.zip(self.plain).is_some_and(|(offset, plain)| offset < plain);
        Ok(if is_other { offsets.unwanted(place) } else { place })
    }

    /// How many plain bytes are missing before the block that begins there, if it is of the same file. `stated` is the
    /// length that the header of a damaged block states, which its check does not confirm.
    fn gap(&self, offsets: &dyn Offsets, next: Place, stated: Option<u64>) -> Result<Option<u64>> {
        let Some(block_len) = offsets.block_len(&self.scout, next)? else { return Ok(stated) };
        let stated = stated.filter(|&stated| stated <= block_len);
        let Some(offset) = offsets.offset(&self.scout, next)? else { return Ok(stated) };
        let format = next.inside.map(|(format, _)| format);
        let most = self.scout.most_plain(format, self.scout.len);
        let gap = self.plain.and_then(|plain| offset.checked_sub(plain)).filter(|&gap| gap <= most);
        let is_one_block = gap == Some(block_len) && stated != Some(0);
        if gap.is_some() && (gap == stated || is_one_block || self.is_confirmed(offsets, next, offset)?) {
            return Ok(gap);
        }
        Ok(stated)
    }

    /// Notes blocks that are missing before this block, which is intact.
    fn missing_before(&mut self, block: &Candidate) -> Result<()> {
        let Some(offsets) = self.scout.offsets(block.start) else { return Ok(()) };
        let Some(gap @ 1..) = self.gap(offsets, block.start, Some(0))? else { return Ok(()) };
        let at = block.start.at;
        let why = "the blocks before the block that begins there are missing";
        self.lose(at..at, Some(gap), 0, why.into())
    }

    /// Whether the block behind the block at `place` has the offset at which that block ends.
    fn is_confirmed(&self, offsets: &dyn Offsets, place: Place, offset: u64) -> Result<bool> {
        let Here::Candidate(Candidate { claim: Some(claim), plain_len: Some(plain_len), .. }) =
            self.scout.look(place)?
        else {
            return Ok(false);
        };
        let next = offsets.offset(&self.scout, claim)?;
        Ok(next.is_some() && next == offset.checked_add(plain_len))
    }
}

/// What is known of a loss before the next place is found.
struct Fault {
    why: String,
    /// The plain length that the damaged unit states.
    plain_len: Option<u64>,
    /// Where the header of the damaged unit says that it ends.
    claim: Option<Place>,
    /// Whether the input seems to be cut off there.
    is_cut: bool,
    /// The format of the damaged unit.
    format: Option<Format>,
    /// A plain length that decoding has refuted. Whatever else states the same length is wrong too.
    wrong_len: Option<u64>,
    /// How much memory must be allowed to decode the unit, which may be intact.
    memory_needed: Option<Size>,
}

impl Fault {
    /// A loss of which only the reason is known.
    fn of(why: &str) -> Self {
        Self {
            why: why.into(),
            plain_len: None,
            claim: None,
            is_cut: false,
            format: None,
            wrong_len: None,
            memory_needed: None,
        }
    }
}

/// What is wrong, without advice.
fn why(error: &Error) -> String {
    match error {
        Error::Corrupt { what, .. } | Error::Unsupported { what, .. } => what.clone(),
        Error::Unfinished { .. } => {
            "the input ends there, and its recovery records say that more follows".into()
        }
        Error::Truncated { .. } => "the input ends inside the frame that begins there".into(),
        error => error.to_string(),
    }
}

/// The error of a format in which nothing can be found behind damage.
fn undividable(format: Format) -> Error {
    let what = "its data is one stream that cannot be divided, so nothing behind the damage can be found; decompress it \
                without salvaging to get what is before the damage";
    Error::unsupported(format.name(), 0, what)
}
