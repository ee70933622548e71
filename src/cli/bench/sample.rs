//! What is measured: as much of the input as fits into memory, taken evenly.

use std::fs::{self, File};
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::PathBuf;

use indicatif::ProgressBar;
use pzcomp::Format;

use super::super::error::{CliError, Kind};
use super::super::report::Report;
use super::super::request::Request;
use super::super::size::human;
use super::super::source::{Candidates, Opened, open_stdin};

/// Plain data to measure with.
pub(super) struct Sample {
    pub(super) bytes: Vec<u8>,
    /// How many bytes it stands for.
    pub(super) of: u64,
    /// How many parts of them it consists of.
    pub(super) parts: usize,
    /// The names of the inputs; none if it was generated.
    pub(super) names: Vec<String>,
}

impl Sample {
    /// Data of our own, where there is none.
    pub(super) fn generated(len: u64) -> Self {
        const SEED: u64 = 7;
        let bytes = pzcomp::bench::text(usize::try_from(len).unwrap_or(usize::MAX), SEED);
        Self { of: bytes.len() as u64, bytes, parts: 1, names: Vec::new() }
    }

    /// At most `limit` bytes of the request's inputs; what cannot be opened is reported and left out.
    pub(super) fn take(
        request: &Request,
        limit: u64,
        report: &mut Report,
        progress: &ProgressBar,
    ) -> Result<Self, CliError> {
        let (mut candidates, mut inputs) = (Candidates::new(request), Vec::new());
        while let Some(candidate) = candidates.next(report) {
            let name = candidate.source.name();
            match candidate.open(request).and_then(|opened| Input::new(opened, name.clone())) {
                Ok(input) => {
                    if let Some(format) = input.coded_format() {
                        let advice = "measure what was compressed: pzcomp -dc FILE | pzcomp --bench";
                        report.warning(&name, format_args!("is {format} data already; {advice}"));
                    }
                    inputs.push(input);
                }
                Err(failure) => failure.tell(&name, report),
            }
        }
        if inputs.is_empty() {
            return Err(Kind::Failed("there is nothing to measure: no input could be opened".into()).into());
        }
        let parts = Parts::of(limit);
        let mut sample = match inputs.iter().all(|input| input.len.is_some()) {
            true => parts.evenly(&inputs)?,
            false => parts.thinned(&mut inputs, progress)?,
        };
        if sample.bytes.is_empty() {
            return Err(Kind::Failed("there is nothing to measure: the input is empty".into()).into());
        }
        sample.names = inputs.into_iter().map(|input| input.name).collect();
        Ok(sample)
    }

    /// What was sampled, in one sentence.
    pub(super) fn description(&self) -> String {
        let len = human(self.bytes.len() as u64);
        if self.names.is_empty() {
            return format!("{len} of generated text; your own data will differ: pzcomp --bench FILE");
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

/// A name that does nothing to a terminal.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Something to take a sample of.
struct Input {
    name: String,
    /// Where it can be opened again; files are not all held open, there may be thousands.
    path: Option<PathBuf>,
    /// What can only be read once, from the beginning to the end.
    file: Option<File>,
    /// The length of what can be read at any place.
    len: Option<u64>,
}

impl Input {
    fn new(opened: Opened, name: String) -> Result<Self, CliError> {
        let Opened { file, metadata, path } = opened;
        // Files of pseudo file systems say they are empty and are not.
        let is_empty = metadata.len() == 0 && file.read_at(&mut [0], 0).is_ok_and(|read| read == 0);
        let len = (metadata.is_file() && (metadata.len() > 0 || is_empty)).then_some(metadata.len());
        let keep = len.is_none() || path.is_none();
        Ok(Self { name, path, file: keep.then_some(file), len })
    }

    /// The format that it is in, if it is compressed and that can be seen without reading on in it.
    fn coded_format(&self) -> Option<Format> {
        let mut head = [0; 16];
        self.len?;
        let read = self.with_file(|file| file.read_at(&mut head, 0)).ok()?;
        Format::sniff(&head[..read])
    }

    /// The file, read from where it was left.
    fn stream(&mut self) -> Result<&File, CliError> {
        if self.file.is_none() {
            self.file = Some(self.with_file(File::try_clone)?);
        }
        self.file.as_ref().ok_or_else(|| Kind::Failed("cannot read it".into()).into())
    }

    fn with_file<T>(&self, act: impl FnOnce(&File) -> io::Result<T>) -> Result<T, CliError> {
        let acted = match (&self.file, &self.path) {
            (Some(file), _) => act(file),
            (None, Some(path)) => File::open(path).and_then(|file| act(&file)),
            (None, None) => Err(ErrorKind::NotFound.into()),
        };
        acted.map_err(|error| CliError::cannot("read")(error).about(&self.name))
    }
}

/// Whether something is connected to standard input that a sample is to be taken of: not a terminal,
/// and not the device that is empty.
pub(super) fn stdin_has_data(request: &Request) -> bool {
    let null = fs::metadata("/dev/null").map(|null| null.rdev()).ok();
    open_stdin(request).is_ok_and(|stdin| {
        let is_null = stdin.metadata.file_type().is_char_device() && Some(stdin.metadata.rdev()) == null;
        !is_null && !stdin.file.is_terminal()
    })
}

/// How a sample is made up: long stretches, because what compressors find is near by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    limit: usize,
    len: usize,
}

impl Parts {
    fn of(limit: u64) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        Self { limit, len: (limit / 16).clamp(1, 16 << 20) }
    }

    /// Memory for a sample of `len` bytes.
    fn memory(len: usize) -> Result<Vec<u8>, CliError> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| {
            let len = human(len as u64);
            Kind::Failed(format!("there is no memory for a sample of {len}; --bench-sample takes less"))
        })?;
        Ok(bytes)
    }

    /// Parts at even distances, of files whose lengths are known.
    fn evenly(self, inputs: &[Input]) -> Result<Sample, CliError> {
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
            read_across(inputs, start as u64, len, &mut bytes)?;
        }
        Ok(Sample { bytes, of, parts: count, names: Vec::new() })
    }

    /// Every part at first, then every second, every fourth and so on as the input turns out longer:
    /// from half the limit to all of it when the end comes.
    fn thinned(self, inputs: &mut [Input], progress: &ProgressBar) -> Result<Sample, CliError> {
        let most = self.limit / self.len;
        let (mut kept, mut spare): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        let (mut stride, mut of) = (1, 0);
        for number in 0_u64.. {
            let mut part = spare.pop().unwrap_or_default();
            part.clear();
            read_on(inputs, self.len, &mut part)?;
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
        // Each goes as it is copied: the sample is not held twice.
        kept.into_iter().for_each(|part| bytes.extend(part));
        Ok(Sample { bytes, of, parts, names: Vec::new() })
    }
}

/// Appends `len` bytes from offset `start` of all inputs, one after the other.
fn read_across(inputs: &[Input], mut start: u64, len: usize, bytes: &mut Vec<u8>) -> Result<(), CliError> {
    let end = bytes.len() + len;
    for input in inputs {
        let input_len = input.len.unwrap_or(0);
        if start >= input_len {
            start -= input_len;
            continue;
        }
        let filled = bytes.len();
        let wanted = (input_len - start).min((end - filled) as u64) as usize;
        bytes.resize(filled + wanted, 0);
        // A file that has been cut meanwhile is named.
        input.with_file(|file| file.read_exact_at(&mut bytes[filled..], start))?;
        start = 0;
        if bytes.len() == end {
            break;
        }
    }
    Ok(())
}

/// Appends the next `len` bytes of all inputs, fewer only at the end of the last.
fn read_on(inputs: &mut [Input], len: usize, bytes: &mut Vec<u8>) -> Result<(), CliError> {
    for input in inputs {
        while bytes.len() < len {
            let wanted = (len - bytes.len()) as u64;
            match input.stream()?.take(wanted).read_to_end(bytes) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(CliError::cannot("read")(error).about(&input.name)),
            }
        }
    }
    Ok(())
}
