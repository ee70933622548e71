//! What is measured: as much of the input as fits into memory, taken evenly.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, FileTypeExt};

use indicatif::ProgressBar;
use pzcomp::Format;

use super::super::report::Report;
use super::super::request::Request;
use super::super::size::human;
use super::super::source::{Candidates, Opened, open_stdin};
use super::super::trouble::{Kind, Trouble};

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

    /// At most `limit` bytes of the request's inputs; what cannot be read is reported and left out.
    pub(super) fn take(
        request: &Request,
        limit: u64,
        report: &mut Report,
        progress: &ProgressBar,
    ) -> Result<Self, Trouble> {
        let (mut candidates, mut inputs, mut names) = (Candidates::new(request), Vec::new(), Vec::new());
        while let Some(candidate) = candidates.next(report) {
            match candidate.open(request) {
                Ok(opened) => {
                    names.push(candidate.source.name());
                    inputs.push(opened);
                }
                Err(trouble) => trouble.tell(&candidate.source.name(), report),
            }
        }
        let parts = Parts::of(limit);
        let mut sample = match inputs.iter().all(has_length) {
            true => parts.evenly(&inputs)?,
            false => parts.thinned(&inputs, progress)?,
        };
        if sample.bytes.is_empty() {
            return Err(Kind::Failed("there is nothing to measure: the input is empty".into()).into());
        }
        if let Some(format) = Format::sniff(&sample.bytes) {
            let advice = "measure what was compressed: pzcomp -dc FILE | pzcomp --bench";
            report.warning(names.join(", "), format_args!("this is {format} data already; {advice}"));
        }
        sample.names = names;
        Ok(sample)
    }

    /// What was sampled, in one sentence.
    pub(super) fn description(&self) -> String {
        let len = human(self.bytes.len() as u64);
        if self.names.is_empty() {
            return format!("{len} of generated text; your own data will differ: pzcomp --bench FILE");
        }
        let names = match &self.names[..] {
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
            [] => String::new(),
        };
        match self.bytes.len() as u64 == self.of {
            true => format!("all {len} of {names}"),
            false => format!("{len} of the {} of {names}, in {} even parts", human(self.of), self.parts),
        }
    }
}

/// Whether it can be read at any place, and how far is known.
fn has_length(opened: &Opened) -> bool {
    opened.metadata.is_file() && opened.metadata.len() > 0
}

/// Whether something is connected to standard input that a sample can be taken of.
pub(super) fn stdin_has_data(request: &Request) -> bool {
    open_stdin(request).is_ok_and(|stdin| {
        let kind = stdin.metadata.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
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
        Self { limit, len: (limit / 16).clamp(64 << 10, 16 << 20).min(limit) }
    }

    /// Parts at even distances, of files whose lengths are known.
    fn evenly(self, inputs: &[Opened]) -> Result<Sample, Trouble> {
        let of = inputs.iter().map(|input| input.metadata.len()).sum();
        let (count, len) = match of <= self.limit as u64 {
            true => (1, of as usize),
            false => (self.limit / self.len, self.len),
        };
        let mut bytes = Vec::with_capacity(count * len);
        for part in 0..count as u64 {
            let gaps = u128::from(count.max(2) as u64 - 1);
            let start = u128::from(of - len as u64) * u128::from(part) / gaps;
            read_across(inputs, start as u64, len, &mut bytes)?;
        }
        Ok(Sample { bytes, of, parts: count, names: Vec::new() })
    }

    /// Every part at first, then every second, every fourth and so on as the input turns out longer:
    /// from half the limit to all of it when the end comes.
    fn thinned(self, inputs: &[Opened], progress: &ProgressBar) -> Result<Sample, Trouble> {
        let most = (self.limit / self.len).max(2);
        let (mut kept, mut spare): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        let (mut stride, mut of) = (1, 0);
        for number in 0_u64.. {
            let mut part = spare.pop().unwrap_or_default();
            part.clear();
            read_on(inputs, self.len, &mut part)?;
            of += part.len() as u64;
            progress.set_position(of);
            let ended = part.len() < self.len;
            if number % stride != 0 || part.is_empty() {
                spare.push(part);
            } else {
                kept.push(part);
            }
            if ended {
                break;
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
        }
        kept.truncate(most);
        Ok(Sample {
            bytes: kept.concat(),
            of,
            parts: if stride == 1 { 1 } else { kept.len() },
            names: Vec::new(),
        })
    }
}

/// Appends `len` bytes from offset `start` of all inputs, one after the other.
fn read_across(inputs: &[Opened], mut start: u64, len: usize, bytes: &mut Vec<u8>) -> Result<(), Trouble> {
    let end = bytes.len() + len;
    for input in inputs {
        let input_len = input.metadata.len();
        if start >= input_len {
            start -= input_len;
            continue;
        }
        let filled = bytes.len();
        let wanted = (input_len - start).min((end - filled) as u64) as usize;
        bytes.resize(filled + wanted, 0);
        // A file that has been cut meanwhile is named.
        input.file.read_exact_at(&mut bytes[filled..], start).map_err(|error| cannot_read(input, &error))?;
        start = 0;
        if bytes.len() == end {
            break;
        }
    }
    Ok(())
}

/// Appends the next `len` bytes of all inputs, fewer only at the end of the last.
fn read_on(inputs: &[Opened], len: usize, bytes: &mut Vec<u8>) -> Result<(), Trouble> {
    for input in inputs {
        let mut file: &File = &input.file;
        while bytes.len() < len {
            match file.by_ref().take((len - bytes.len()) as u64).read_to_end(bytes) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(input, &error)),
            }
        }
    }
    Ok(())
}

fn cannot_read(input: &Opened, error: &std::io::Error) -> Trouble {
    let name = input.path.as_ref().map_or("stdin".into(), |path| path.display().to_string());
    Trouble::from(Kind::Failed(format!("cannot read: {error}"))).about(name)
}
