//! Decompresses archives whose list of files is at their end.
//!
//! [`archive_in`] recognises such an archive in an input that can be read from any place. [`decode`] reads the list,
//! runs the pipeline over the folders of the archive, and passes its output through an [`EntrySink`]. The sink sees the
//! plain data of all folders in order. It divides the data into files, compares the CRC-32 of each, and passes on the
//! files that were chosen. So the workers need to know nothing of files. A *folder* of an archive is a stretch of plain
//! data that is coded together, and may hold many files.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Instant;

use super::coder::FrameCoder;
use super::decompressor::{Take, alone, in_slots};
use super::resources::{Resources, WHOLE_PLAIN_MAX};
use super::walk::Walk;
use super::{Survey, ends, plan};
use crate::error::{Damage, Error, Result};
use crate::format::archive::{ArchiveFormat, Contents, OpenArchive, Stretch};
use crate::format::{Accepted, Format, Reading, SNIFF_LEN, crc32};
use crate::options::{Decode, EntryChoice};
use crate::summary::Summary;
use engine::io::{Input, Output, OutputStream, RandomAccess};
use engine::{Coder, Facts, Outcome, Plan, Tap, Taps, thread_cpu};

/// An archive, and where it is.
pub(crate) struct FoundArchive<'a> {
    pub(crate) format: Format,
    reader: &'static dyn ArchiveFormat,
    place: RandomAccess<'a>,
    range: Range<u64>,
}

/// The archive in this input, if it is one of this kind.
pub(crate) fn archive_in<'a>(input: &Input<'a>, options: &Decode) -> Result<Option<FoundArchive<'a>>> {
    let Some((place, range)) = input.random_access() else { return Ok(None) };
    let format = format_at(place, &range, options)?;
    let found = format.and_then(|format| Some((format, format.codec().archive()?)));
    Ok(found.map(|(format, reader)| FoundArchive { format, reader, place, range }))
}

/// The format that begins in this range.
fn format_at(place: RandomAccess, range: &Range<u64>, options: &Decode) -> Result<Option<Format>> {
    let mut head = [0; SNIFF_LEN];
    let len = usize::try_from(range.end - range.start).unwrap_or(SNIFF_LEN).min(SNIFF_LEN);
    let len = place.read_at(&mut head[..len], range.start)?;
    Ok(Accepted::new(options.accept.as_deref()).sniff(&head[..len], 0))
}

/// Fails if a file is chosen in an input that is no archive of files, as far as this is known before it is decoded.
pub(crate) fn check_choice(input: &Input, options: &Decode) -> Result<()> {
    let Some((place, range)) = input.random_access().filter(|_| options.entry.is_demanded()) else {
        return Ok(());
    };
    match format_at(place, &range, options)? {
        Some(format) if !format.has_entries() => Err(no_archive(format, 0)),
        _ => Ok(()),
    }
}

/// The error of data in which no file can be chosen.
pub(super) fn no_archive(format: Format, offset: u64) -> Error {
    let what = "it is no archive of files such as qpress and 7z, so none can be chosen here; leave the choice out, or \
                extract a member of a tar archive by decompressing it";
    Error::unsupported(format.name(), offset, what)
}

/// What the archive in this range says of itself.
pub(crate) fn list_archive(found: FoundArchive, choice: &EntryChoice) -> Result<Summary> {
    let FoundArchive { format, reader, place, range } = found;
    let coded_len = range.end - range.start;
    let archive = reader.list(place, range, choice)?;
    Ok(Summary {
        format: Some(format),
        plain_len: archive.entries.iter().fold(0, |sum, entry| entry.plain_len.saturating_add(sum)),
        coded_len,
        frames: archive.folder_count,
        check: Some(archive.check()),
        entries: archive.entries,
        ..Summary::default()
    })
}

/// Decompresses the files of an archive that the options choose.
pub(super) fn decode(
    input: Input,
    found: FoundArchive,
    output: Output,
    resources: &Resources,
    options: &Decode,
    taps: Taps,
) -> Result<(Summary, Survey, Facts)> {
    let FoundArchive { format, reader, place, range } = found;
    let archive = reader.open(place, range.clone(), &options.entry)?;
    let Taps { input: input_tap, output: output_tap } = taps;
    std::thread::scope(|scope| {
        let showing = input_tap.map(|tap| {
            let show = move || show(place, range, tap);
            Builder::new().name("tap".into()).spawn_scoped(scope, show)
        });
        let done = run(input, place, (format, &archive), (output, output_tap), resources, options);
        if let Some(showing) = showing {
            let shown = showing.map_err(|source| Error::Threads { source })?.join();
            shown.map_err(|_| Error::Internal("a tap has failed".into()))??;
        }
        done
    })
}

/// Shows all bytes of the input to a tap.
fn show(place: RandomAccess, range: Range<u64>, mut tap: Tap) -> Result<()> {
    let mut buffer = vec![0; 1 << 20];
    let mut at = range.start;
    while at < range.end {
        let len = usize::try_from(range.end - at).unwrap_or(buffer.len()).min(buffer.len());
        let len = place.read_at(&mut buffer[..len], at)?;
        if len == 0 {
            return Err(Error::Shrank { expected: range.end, found: at });
        }
        tap(&buffer[..len]);
        at += len as u64;
    }
    Ok(())
}

/// Decompresses the files on this thread.
pub(super) fn decode_inline(
    coded: &[u8],
    found: FoundArchive,
    take: Take,
    resources: &Resources,
    options: &Decode,
) -> Result<Summary> {
    let (started, cpu) = (Instant::now(), thread_cpu());
    let FoundArchive { format, reader, place, range } = found;
    let archive = reader.open(place, range.clone(), &options.entry)?;
    let output = Output::Writer(Box::new(Taker(take)));
    let mut sink = EntrySink::new((format, archive.contents()), (output, None), options);
    let folders =
        Folders { format, archive: &archive, reading: &resources.reading(options), resources, options };
    let total = in_slots(|slots| {
        let (mut walk, mut coder) = (folders.walk(Input::Memory(coded)), folders.coder());
        let plan = Plan { output_max: None, slots, ..plan(resources, options) };
        let mut take = |bytes: &[u8]| Ok(sink.take(bytes)?);
        engine::run_inline(plan, &mut coder, Some(place), &mut walk, &mut take)
    })?;
    let outcome = alone(total, started, cpu);
    sink.end()?;
    Ok(sink.summary(format, coded.len() as u64, outcome))
}

/// A writer to something that takes bytes.
struct Taker<'a>(Take<'a>);

impl Write for Taker<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The folders of an archive, and how they are decoded.
struct Folders<'a> {
    format: Format,
    archive: &'a Arc<dyn OpenArchive>,
    reading: &'a Reading,
    resources: &'a Resources,
    options: &'a Decode,
}

impl Folders<'_> {
    fn coder(&self) -> FrameCoder {
        let decoder = self.archive.clone().decoder(self.reading);
        FrameCoder::new(self.resources, self.reading, self.options).with_decoder(self.format, decoder)
    }

    fn walk<'i>(&self, input: Input<'i>) -> Walk<'i> {
        let walker = self.archive.clone().walker(self.resources.workers, self.reading);
        // The walker has applied the choice. The survey must not apply it to frames that may follow.
        let all = Decode { entry: EntryChoice::All, expect_end: false, ..self.options.clone() };
        Walk::new(input, &all, self.resources.workers).with_walker(self.format, walker)
    }
}

/// Runs the pipeline over the folders.
fn run(
    input: Input,
    place: RandomAccess,
    (format, archive): (Format, &Arc<dyn OpenArchive>),
    (output, tap): (Output, Option<Tap>),
    resources: &Resources,
    options: &Decode,
) -> Result<(Summary, Survey, Facts)> {
    let folders = Folders { format, archive, reading: &resources.reading(options), resources, options };
    let contents = archive.contents();
    let mut walk = folders.walk(input);
    let mut sink = EntrySink::new((format, contents), (output, tap), options);
    let to_sink = Output::Writer(Box::new(&mut sink));
    let coders = (0..resources.workers).map(|_| Box::new(folders.coder()) as Box<dyn Coder>).collect();
    let ends = ends(Some(place), to_sink, options, Taps::default());
    // The sink counts the files that were chosen.
    let plan = Plan { output_max: None, ..plan(resources, options) };
    let outcome = engine::run(plan, coders, ends, &mut walk);
    let ended = sink.end();
    let outcome = match (outcome, sink.failure.take()) {
        // A failure of the sink comes before an error of the input behind it.
        (Err(engine::Error::Write { .. }), Some(failure)) => return Err(failure),
        (outcome, _) => outcome?,
    };
    ended?;
    let (survey, coded_len) = walk.into_survey();
    let summary = sink.summary(format, coded_len, outcome);
    let facts = Facts { is_unverified: summary.unverified, ..Facts::default() };
    Ok((summary, survey, facts))
}

/// Divides the output of all folders into files, verifies them, and passes on those that were chosen.
///
/// A short file that has a CRC-32 is held until it is verified.
struct EntrySink<'a> {
    output: OutputStream<'a>,
    /// The name of the format.
    format: &'static str,
    contents: &'a Contents,
    /// The number of the stretch that comes next, or that is being passed.
    stretch: usize,
    /// How much of it was passed, and the CRC-32 of that.
    passed: u64,
    crc: u32,
    held: Vec<u8>,
    tap: Option<Tap<'a>>,
    /// Why the sink has refused data.
    failure: Option<Error>,
}

impl<'a> EntrySink<'a> {
    fn new(
        (format, contents): (Format, &'a Contents),
        (output, tap): (Output<'a>, Option<Tap<'a>>),
        options: &Decode,
    ) -> Self {
        let mut output = OutputStream::new(output, options.sparse);
        output.limit(options.max_output);
        Self {
            output,
            format: format.name(),
            contents,
            stretch: 0,
            passed: 0,
            crc: 0,
            held: Vec::new(),
            tap,
            failure: None,
        }
    }

    /// Takes the next plain data.
    fn take(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let Some(&stretch) = self.contents.stretches.get(self.stretch) else {
                let folder = self.contents.stretches.last().map_or(0, |last| last.folder);
                let what = "the folder that begins there holds more data than the archive states";
                return Err(Error::corrupt(self.format, folder, what).by(Damage::Length));
            };
            let left = stretch.len - self.passed;
            let (now, later) = bytes.split_at(usize::try_from(left).unwrap_or(bytes.len()).min(bytes.len()));
            bytes = later;
            self.passed += now.len() as u64;
            if stretch.is_chosen {
                self.take_chosen(stretch, now)?;
            }
            if self.passed == stretch.len {
                (self.stretch, self.passed, self.crc) = (self.stretch + 1, 0, 0);
            }
        }
        Ok(())
    }

    fn take_chosen(&mut self, stretch: Stretch, bytes: &[u8]) -> Result<()> {
        let is_last = self.passed == stretch.len;
        let Some(expected) = stretch.crc else { return self.put_out(bytes) };
        self.crc = crc32(self.crc, bytes);
        let is_held = stretch.len <= WHOLE_PLAIN_MAX as u64;
        if is_last && self.crc != expected {
            let name = self.contents.entries.get(stretch.entry).map_or("", |entry| &entry.name);
            let found = self.crc;
            let what = format!(
                "the file '{name}', in the folder that begins there, has the CRC-32 {found:08x}, expected {expected:08x}"
            );
            let error = Error::corrupt(self.format, stretch.folder, what);
            return Err(error.by(Damage::Check).of_held(is_held));
        }
        if !is_held || is_last && self.held.is_empty() {
            return self.put_out(bytes);
        }
        self.held.extend_from_slice(bytes);
        if is_last {
            let held = std::mem::take(&mut self.held);
            self.put_out(&held)?;
            self.held = held;
            self.held.clear();
        }
        Ok(())
    }

    fn put_out(&mut self, bytes: &[u8]) -> Result<()> {
        let before = self.output.written();
        let result = self.output.write_all(bytes);
        if let Some(tap) = &mut self.tap {
            tap(&bytes[..(self.output.written() - before) as usize]);
        }
        Ok(result?)
    }

    /// The summary of the archive.
    fn summary(&self, format: Format, coded_len: u64, outcome: Outcome) -> Summary {
        Summary {
            format: Some(format),
            plain_len: self.output.written(),
            coded_len,
            frames: self.contents.folder_count,
            check: Some(self.contents.check()).filter(|&check| check != "-"),
            entries: self.contents.entries.clone(),
            unverified: !self.contents.is_checked(),
            // The list of its files is the end.
            ends_indexed: true,
            ..outcome.into()
        }
    }

    /// Ends the output. It is an error if data is missing, but the error of the pipeline says more if there is one.
    fn end(&mut self) -> Result<()> {
        let finished = self.output.finish();
        if let Some(stretch) = self.contents.stretches.get(self.stretch) {
            let what = "the folder that begins there holds less data than the archive states";
            return Err(Error::corrupt(self.format, stretch.folder, what).by(Damage::Length));
        }
        Ok(finished?)
    }
}

impl Write for EntrySink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.take(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.failure = Some(error);
                Err(io::Error::other("a file of the archive is damaged, or cannot be written"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
