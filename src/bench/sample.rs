//! The data that `--bench` measures: a sample of the inputs that fits into memory.
//!
//! [`Sample::take`] reads the inputs of the request. If all lengths are known, it takes parts at even distances.
//! Otherwise it reads to the end and thins out the parts that it keeps. [`Sample::generated`] makes text if there is
//! no input. The sample is never longer than its limit.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::PathBuf;

use indicatif::ProgressBar;
use pzcomp::{Format, ReadAt, WINDOW_LIMIT};
use system::place::read_exact_at;

use super::super::error::{CliError, Kind};
use super::super::report::Report;
use super::super::request::Request;
use super::super::size::human;
use super::super::source::{Candidates, OpenInput, open_stdin};
use super::super::tool::Status;

/// Plain data to measure.
pub(super) struct Sample {
    pub(super) bytes: Vec<u8>,
    /// The length of all inputs together.
    pub(super) of: u64,
    /// The number of parts that the sample consists of.
    pub(super) parts: usize,
    /// The length of each part. The last one may be shorter.
    pub(super) part_len: usize,
    /// The names of the inputs. Empty if the sample was generated.
    pub(super) names: Vec<String>,
}

impl Sample {
    /// Generated text of this length.
    pub(super) fn generated(len: u64) -> Self {
        const SEED: u64 = 7;
        let bytes = super::text::text(usize::try_from(len).unwrap_or(usize::MAX), SEED);
        Self { of: bytes.len() as u64, part_len: bytes.len(), bytes, parts: 1, names: Vec::new() }
    }

    /// A sample of at most `limit` bytes of the inputs. An input that cannot be opened is reported and left out. `None`
    /// if none is left. Fails if there is no data, no memory, or if reading fails.
    pub(super) fn take(
        request: &Request,
        limit: u64,
        report: &mut Report,
        progress: &ProgressBar,
    ) -> Result<Option<Self>, CliError> {
        let (mut candidates, mut inputs) = (Candidates::new(request), Vec::new());
        while let Some(candidate) = candidates.next(report) {
            let name = candidate.source.name();
            match candidate.open(request).and_then(|opened| SampleInput::new(opened, name.clone())) {
                Ok(input) => {
                    if let Some(format) = input.coded_format() {
                        let advice = "measure the data itself: pzcomp -dc FILE | pzcomp --bench";
                        report.warning(&name, format_args!("is {format} data already; {advice}"));
                    }
                    inputs.push(input);
                }
                Err(failure) => failure.report(&name, report),
            }
        }
        if inputs.is_empty() && report.status() != Status::Fine {
            return Ok(None);
        }
        let parts = Parts::of(limit);
        let mut sample = match inputs.iter().all(|input| input.len.is_some()) {
            true => parts.take_even_parts(&inputs)?,
            false => parts.take_thinned_parts(&mut inputs, progress)?,
        };
        if sample.bytes.is_empty() {
            return Err(Kind::Failed("cannot measure: there is no data".into()).into());
        }
        sample.names = inputs.into_iter().map(|input| input.name).collect();
        Ok(Some(sample))
    }

    /// As much of the sample as this, in even parts.
    pub(super) fn part(&self, len: usize) -> Cow<'_, [u8]> {
        const PARTS: usize = 8;
        let (all, each) = (&self.bytes, len / PARTS);
        if len >= all.len() || each == 0 {
            return Cow::Borrowed(all);
        }
        let start = |part: usize| (all.len() - each) / (PARTS - 1) * part;
        Cow::Owned((0..PARTS).flat_map(|part| &all[start(part)..][..each]).copied().collect())
    }

    /// Whether the sample shows what a window of this length gains over chunks of `chunk_len` bytes.
    ///
    /// Parts that follow each other in the sample may be far apart in the input, so a frame must not reach from one
    /// into the next. It does not if parts are as long as the window. A sample that is the whole input shows what the
    /// user will get, but there is nothing to gain if the input is hardly longer than a chunk. Generated text has no
    /// long matches.
    pub(super) fn shows_window(&self, window_len: usize, chunk_len: usize) -> bool {
        const CHUNKS_LEAST: usize = 16;
        let is_enough = match self.parts {
            1 => self.bytes.len() / CHUNKS_LEAST >= chunk_len,
            _ => self.part_len.is_multiple_of(window_len),
        };
        is_enough && !self.names.is_empty()
    }

    /// Says in a few words what was sampled.
    pub(super) fn description(&self) -> String {
        let len = human(self.bytes.len() as u64);
        if self.names.is_empty() {
            return format!("{len} of generated text; to measure your own data, run pzcomp --bench FILE");
        }
        let names = match &self.names[..] {
            [one] => printable(one),
            [first, rest @ ..] => format!("{} and {} more", printable(first), rest.len()),
            [] => String::new(),
        };
        match self.bytes.len() as u64 == self.of {
            true => format!("all {len} of {names}"),
            false => format!("{len} of the {} of {names}, in {} even parts", human(self.of), self.parts),
        }
    }
}

/// A name without control characters, which a terminal might obey, and without characters that end a line or change the
/// direction of writing.
fn printable(name: &str) -> String {
    let misleads = |c: char| {
        c.is_control()
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    name.chars().map(|c| if misleads(c) { '\u{fffd}' } else { c }).collect()
}

/// An input to take a sample of.
struct SampleInput {
    name: String,
    /// The path to open it again. Files are not all kept open, because there may be thousands.
    path: Option<PathBuf>,
    /// The open file, if it can only be read once from its beginning to its end.
    file: Option<File>,
    /// The length, if it can be read at any offset.
    len: Option<u64>,
}

impl SampleInput {
    fn new(opened: OpenInput, name: String) -> Result<Self, CliError> {
        let OpenInput { file, facts, path, .. } = opened;
        // Files of pseudo file systems can state the length 0 and still hold data.
        let is_empty = facts.len() == 0 && ReadAt::read_at(&file, &mut [0], 0).is_ok_and(|read| read == 0);
        let len = (facts.is_file() && (facts.len() > 0 || is_empty)).then_some(facts.len());
        let keep = len.is_none() || path.is_none();
        Ok(Self { name, path, file: keep.then_some(file), len })
    }

    /// The format of compressed input, if its first bytes can be read without moving the position.
    fn coded_format(&self) -> Option<Format> {
        let mut head = [0; 16];
        self.len?;
        let read = self.with_file(|file| ReadAt::read_at(file, &mut head, 0)).ok()?;
        Format::sniff(&head[..read])
    }

    /// The open file at its current position.
    fn stream(&mut self) -> Result<&File, CliError> {
        if self.file.is_none() {
            self.file = Some(self.with_file(File::try_clone)?);
        }
        self.file.as_ref().ok_or_else(|| Kind::Failed("cannot read the input again".into()).into())
    }

    /// Calls `act` with the file, which is opened if it is not open. Errors name the input.
    fn with_file<T>(&self, act: impl FnOnce(&File) -> io::Result<T>) -> Result<T, CliError> {
        let acted = match (&self.file, &self.path) {
            (Some(file), _) => act(file),
            (None, Some(path)) => File::open(path).and_then(|file| act(&file)),
            (None, None) => Err(ErrorKind::NotFound.into()),
        };
        acted.map_err(|error| CliError::cannot("read")(error).about(&self.name))
    }
}

/// Whether standard input has data to sample: it is neither a terminal nor /dev/null.
pub(super) fn stdin_has_data(request: &Request) -> bool {
    open_stdin(request).is_ok_and(|stdin| !stdin.facts.is_null() && !stdin.file.is_terminal())
}

/// With fewer parts than this, a sample would depend too much on where they are.
const WINDOWS_LEAST: usize = 8;

/// The length of a sample and of its parts. Parts are long, because compressors find most repetitions nearby. Samples
/// with room for [`WINDOWS_LEAST`] parts of [`WINDOW_LIMIT`] consist of such parts, so that they show what the option
/// `--long` gains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    limit: usize,
    len: usize,
}

impl Parts {
    fn of(limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        const WINDOW_LEN: usize = WINDOW_LIMIT as usize;
        let len =
            if limit / WINDOW_LEN >= WINDOWS_LEAST { WINDOW_LEN } else { (limit / 16).clamp(1, 16 << 20) };
        Self { limit, len }
    }

    /// Memory for a sample of `len` bytes.
    fn memory(len: usize) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| {
            let len = human(len as u64);
            Kind::Failed(format!("not enough memory for a sample of {len}; use a smaller --bench-sample"))
        })?;
        Ok(bytes)
    }

    /// Takes parts at even distances from inputs whose lengths are known.
    fn take_even_parts(self, inputs: &[SampleInput]) -> Result<Sample, CliError> {
        let lens = inputs.iter().filter_map(|input| input.len);
        let of = lens.fold(0, u64::saturating_add);
        let (count, len) = match of <= self.limit as u64 {
            true => (1, of as usize),
            false => (self.limit / self.len, self.len),
        };
        let mut bytes = Self::memory(count * len)?;
        for part in 0..count as u64 {
            let gaps = u128::from(count.max(2) as u64 - 1);
            let start = u128::from(of - len as u64) * u128::from(part) / gaps;
            read_at_offset(inputs, start as u64, len, &mut bytes)?;
        }
        Ok(Sample { bytes, of, parts: count, part_len: len, names: Vec::new() })
    }

    /// Takes parts from inputs of unknown length. It keeps every part at first. When more than the limit is kept, it
    /// drops every second part, and from then on keeps every second, fourth, eighth part and so on. At the end
    /// between half the limit and the whole limit is kept.
    fn take_thinned_parts(
        self,
        inputs: &mut [SampleInput],
        progress: &ProgressBar,
    ) -> Result<Sample, CliError> {
        let most = self.limit / self.len;
        let (mut kept, mut spare): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        let (mut stride, mut of) = (1, 0);
        for number in 0_u64.. {
            let mut part = spare.pop().unwrap_or_default();
            part.clear();
            read_next(inputs, self.len, &mut part)?;
            of += part.len() as u64;
            progress.set_message(format!("reading, {}", human(of)));
            let ended = part.len() < self.len;
            if number % stride != 0 || part.is_empty() {
                spare.push(part);
            } else {
                kept.push(part);
            }
            if kept.len() > most {
                let mut position = 0;
                let is_odd = |_: &mut Vec<u8>| {
                    position += 1;
                    position % 2 == 0
                };
                spare.extend(kept.extract_if(.., is_odd));
                stride *= 2;
            }
            if ended {
                break;
            }
        }
        let mut bytes = Self::memory(kept.iter().map(Vec::len).sum())?;
        let parts = if stride == 1 { 1 } else { kept.len() };
        // Each part is freed after it is copied, so that the sample is not held twice.
        kept.into_iter().for_each(|part| bytes.extend(part));
        let part_len = if parts == 1 { bytes.len() } else { self.len };
        Ok(Sample { bytes, of, parts, part_len, names: Vec::new() })
    }
}

/// Appends `len` bytes from offset `start` of all inputs together.
fn read_at_offset(
    inputs: &[SampleInput],
    mut start: u64,
    len: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), CliError> {
    let end = bytes.len() + len;
    for input in inputs {
        let input_len = input.len.unwrap_or(0);
        if start >= input_len {
            start -= input_len;
            continue;
        }
        let filled = bytes.len();
        let missing = (input_len - start).min((end - filled) as u64) as usize;
        bytes.resize(filled + missing, 0);
        // If the file has become shorter since, the error names it.
        input.with_file(|file| read_exact_at(file, &mut bytes[filled..], start))?;
        start = 0;
        if bytes.len() == end {
            break;
        }
    }
    Ok(())
}

/// Appends the next `len` bytes of all inputs together; fewer only at the end of the last input.
fn read_next(inputs: &mut [SampleInput], len: usize, bytes: &mut Vec<u8>) -> Result<(), CliError> {
    for input in inputs {
        while bytes.len() < len {
            let missing = (len - bytes.len()) as u64;
            match input.stream()?.take(missing).read_to_end(bytes) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(CliError::cannot("read")(error).about(&input.name)),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_large_samples_are_windows() {
        let len = |limit| Parts::of(limit).len;
        assert_eq!([1, 64 << 20, 1023 << 20].map(len), [1, 4 << 20, 16 << 20]);
        assert_eq!([1 << 30, 4 << 30].map(len), [WINDOW_LIMIT as usize; 2]);
    }

    #[test]
    fn a_window_is_shown_by_a_whole_input_or_by_parts_that_it_fits_into() {
        let shows = |len, parts, part_len, window_len| {
            let names = vec!["a".into()];
            Sample { bytes: vec![0; len], of: 0, parts, part_len, names }.shows_window(window_len, 10)
        };
        assert!(shows(160, 1, 160, 1000) && !shows(159, 1, 159, 1000));
        assert!(shows(500, 5, 100, 100) && shows(500, 5, 100, 50));
        assert!(!shows(500, 5, 100, 80) && !shows(500, 5, 100, 200));
        assert!(!Sample::generated(1000).shows_window(100, 10));
    }
}
