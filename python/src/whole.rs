//! The functions that take all of their input at once: `compress`, `decompress`, `frames`, `read_at`, `write_index`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::inspect::List;
use pzcomp::tar::{Kind, Member};
use pzcomp::{
    Compress, Decode, Decompress, Error, Frame, Index, IndexFormat, Input, Output, Progress, ReadAt, Seekable,
};

use crate::errors::of_library;
use crate::map::{IndexSource, open};
use crate::memory::{Buffer, Growing};
use crate::settings::{Reading, Writing};
use crate::signals;
use crate::source::Source;

/// Compressed data is assumed to hold this many times as much plain data, if it does not say how much.
const USUAL_RATIO: u64 = 4;
/// A length that a header claims is believed up to this ratio. It is the greatest of DEFLATE. The memory of a result
/// grows if there is more.
const BELIEVED_RATIO: u64 = 1032;
/// A file up to this length is read into memory, because short memory is decompressed without threads.
const SHORT_CODED: u64 = 64 << 10;
/// Input up to this length is compressed on the thread of the caller.
const SHORT: usize = 1 << 20;

/// How much plain data this input probably has. Nothing is decoded.
fn hint_of(input: Input, tail: &[u8]) -> usize {
    let listing = List::default().run(input).ok();
    let Some(listing) = listing else { return 0 };
    let coded = listing.coded_len;
    let believed = coded.saturating_mul(BELIEVED_RATIO);
    let isize = match (listing.plain_len, &listing.formats[..], tail) {
        (Some(len), ..) => Some(len),
        // A gzip file of one member ends with its length.
        (None, [pzcomp::Format::Gzip, ..], &[a, b, c, d]) => {
            Some(u64::from(u32::from_le_bytes([a, b, c, d]))).filter(|&len| len >= coded / 2)
        }
        _ => None,
    };
    let len = isize.filter(|&len| len <= believed).unwrap_or(coded.saturating_mul(USUAL_RATIO));
    usize::try_from(len).unwrap_or(0)
}

/// How much plain data a source probably has.
pub(crate) fn hint(source: &Source) -> usize {
    let Source::File(file) = source else { return 0 };
    let Ok(len) = file.metadata().map(|metadata| metadata.len()) else { return 0 };
    let mut tail = [0; 4];
    let read = ReadAt::read_at(&**file, &mut tail, len.saturating_sub(4)).unwrap_or(0);
    hint_of(Input::File { file, start: 0, len }, &tail[..read])
}

/// Decodes all of a source, and returns the length of the plain data.
pub(crate) fn decode(source: &Source, options: &Decode, plain: &Growing) -> Result<u64, Error> {
    let failed = |source| Error::Read { offset: 0, source };
    let input = match source {
        Source::File(file) => {
            let len = file.metadata().map_err(failed)?.len();
            if len <= SHORT_CODED {
                let mut coded = Vec::new();
                source.in_order().map_err(failed)?.read_to_end(&mut coded).map_err(failed)?;
                return memory(&coded, plain, options);
            }
            Input::File { file, start: 0, len }
        }
        Source::Pipe(file) => Input::Fd(system::handle::of(file)),
        Source::Object(_) => Input::Reader(Box::new(source.in_order().map_err(failed)?)),
    };
    Decompress::new(options).run(input, Output::At(plain)).map(|summary| summary.plain_len)
}

/// Decodes memory, and returns the length of the plain data. Short memory is decoded without threads.
fn memory(coded: &[u8], plain: &Growing, options: &Decode) -> Result<u64, Error> {
    Decompress::new(options).run(coded, Output::At(plain)).map(|summary| summary.plain_len)
}

#[pyfunction]
pub(crate) fn decompress<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    reading: Reading,
) -> PyResult<Bound<'py, PyBytes>> {
    let (buffer, options) = (Buffer::of(data)?, reading.options()?);
    let coded = buffer.bytes();
    let tail = coded.get(coded.len().saturating_sub(4)..).unwrap_or_default();
    let plain = Growing::new(py, py.detach(|| hint_of(Input::Memory(coded), tail)))?;
    match coded.len() as u64 <= SHORT_CODED {
        true => py.detach(|| memory(coded, &plain, &options)).map(drop),
        false => cancellable(py, |progress| {
            Decompress::new(&options).progress(progress).run(coded, Output::At(&plain)).map(drop)
        })?,
    }
    .map_err(|error| of_library(error.behind(reading.start)))?;
    plain.finish(py)
}

#[pyfunction]
pub(crate) fn compress<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    writing: Writing,
) -> PyResult<Bound<'py, PyBytes>> {
    let (buffer, options) = (Buffer::of(data)?, writing.options()?);
    let plain = buffer.bytes();
    if plain.len() <= SHORT {
        let coded = py.detach(|| pzcomp::compress(plain, &options)).map_err(of_library)?;
        return Ok(PyBytes::new(py, &coded));
    }
    let coded = Growing::new(py, plain.len() / USUAL_RATIO as usize)?;
    cancellable(py, |progress| {
        Compress::new(&options).progress(progress).run(Input::Memory(plain), Output::At(&coded))
    })?
    .map_err(of_library)?;
    coded.finish(py)
}

/// Does long work that a signal can cancel.
fn cancellable<T: Send>(py: Python<'_>, work: impl FnOnce(&Progress) -> T + Send) -> PyResult<T> {
    let progress = Progress::default();
    signals::run(py, &progress, || work(&progress))
}

/// A frame: its coded offset and length, its plain offset and length, its format, and whether it is a file by itself.
pub(crate) type FrameTuple = (u64, u64, u64, Option<u64>, Option<&'static str>, bool);

pub(crate) fn tuple(frame: Frame) -> FrameTuple {
    let format = frame.format.map(|format| format.name());
    (frame.coded_offset, frame.coded_len, frame.plain_offset, frame.plain_len, format, frame.is_file)
}

/// A member of a tar archive: its name, kind, size, mode, time with nanoseconds, numbers and names of owner and group,
/// the target of a link, the offset of its data, and whether it is sparse.
pub(crate) type MemberTuple = (
    Cow<'static, [u8]>,
    &'static str,
    u64,
    u32,
    (i64, u32),
    (u64, u64),
    (Cow<'static, [u8]>, Cow<'static, [u8]>),
    Cow<'static, [u8]>,
    u64,
    bool,
);

pub(crate) fn member(member: Member) -> MemberTuple {
    let kind = match member.kind() {
        Kind::File => "file",
        Kind::HardLink => "hard link",
        Kind::Symlink => "symbolic link",
        Kind::CharDevice => "character device",
        Kind::BlockDevice => "block device",
        Kind::Directory => "directory",
        Kind::Fifo => "fifo",
        _ => "other",
    };
    (
        member.name.into(),
        kind,
        member.size,
        member.mode,
        (member.mtime, member.mtime_nanos),
        (member.uid, member.gid),
        (member.user.into(), member.group.into()),
        member.link.into(),
        member.data,
        member.is_sparse,
    )
}

#[pyfunction]
#[pyo3(signature = (file, is_ours, reading, index=None))]
pub(crate) fn frames(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    is_ours: bool,
    reading: Reading,
    index: Option<IndexSource>,
) -> PyResult<Vec<FrameTuple>> {
    let (_, map) = open(py, file, is_ours, (reading, index), &Progress::default())?;
    Ok(py.detach(|| map.frames().map(tuple).collect()))
}

/// The plain bytes from `offset` on, at most `length` of them. `failed` makes the exception of an error.
pub(crate) fn range<'py, S: ReadAt + 'static>(
    py: Python<'py>,
    progress: &Progress,
    seekable: &Seekable<S>,
    (offset, length): (u64, usize),
    failed: impl FnOnce(io::Error) -> PyErr,
) -> PyResult<Bound<'py, PyBytes>> {
    // If the length is known, no memory is asked for that is not needed.
    let left = seekable.len().map(|len| len.saturating_sub(offset));
    let most = left.and_then(|left| usize::try_from(left).ok()).unwrap_or(usize::MAX);
    let length = length.min(most);
    let plain = Growing::new(py, length.min(RANGE_STEP))?;
    let fill = || plain.fill(length, |room, at| seekable.read_at(room, offset + at));
    // To start a thread takes longer than a short range. If the length is not known, all data before the range may have
    // to be decoded.
    let filled = match left.is_some() && length <= SHORT {
        true => py.detach(fill),
        false => signals::run(py, progress, fill)?,
    };
    filled.map_err(failed)?;
    plain.finish(py)
}

/// How much of a range is read at a time.
const RANGE_STEP: usize = 16 << 20;

#[pyfunction]
#[pyo3(signature = (file, is_ours, reading, offset, length, index=None))]
pub(crate) fn read_at<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    is_ours: bool,
    reading: Reading,
    offset: u64,
    length: usize,
    index: Option<IndexSource>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (progress, start) = (Progress::default(), reading.start);
    let (source, map) = open(py, file, is_ours, (reading, index), &progress)?;
    range(py, &progress, &map, (offset, length), |error| source.error(error, start))
}

/// Closes a file that was written. Some systems tell only then that it could not be stored, and dropping it would not
/// say so.
pub(crate) fn close(py: Python<'_>, file: File) -> PyResult<()> {
    Ok(py.detach(|| system::handle::close(file))?)
}

/// Makes an index of the file at `path` in the new file at `to`.
#[pyfunction]
pub(crate) fn write_index(
    py: Python<'_>,
    path: PathBuf,
    to: PathBuf,
    reading: Reading,
    kind: &str,
    interval: u64,
) -> PyResult<()> {
    let format = match kind {
        "pzi" => IndexFormat::Pzi,
        "gzidx" => IndexFormat::Gzidx,
        "gzi" => IndexFormat::Gzi,
        other => {
            let what = format!("no index has the format {other:?}; the formats are pzi, gzidx and gzi");
            return Err(PyValueError::new_err(what));
        }
    };
    let progress = Progress::default();
    let options = reading.cancelled_by(&progress)?;
    let written = signals::run(py, &progress, || -> Result<File, Error> {
        let failed = |source| Error::Read { offset: 0, source };
        let file = File::open(path).map_err(failed)?;
        let not_written = |source| Error::Write { offset: 0, source };
        let mut out = BufWriter::new(File::create(&to).map_err(not_written)?);
        match format {
            IndexFormat::Gzi => out.write_all(&pzcomp::bgzf::index(&file)?).map_err(not_written)?,
            format => Index::build_with_interval(&file, interval, &options)?.write_to(format, &mut out)?,
        }
        out.into_inner().map_err(|error| not_written(error.into_error()))
    })?;
    close(py, written.map_err(of_library)?)
}
