//! Parts of a file for many machines: where they are, how one is decoded, and how one is compressed.
//!
//! `pzcomp/_splits.py` and `pzcomp/distributed/` call the functions. The library divides and joins.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::parts::Part;
use pzcomp::{Progress, Seekable};

use crate::errors::{of_io_behind, of_library};
use crate::map::{IndexSource, open};
use crate::memory::Buffer;
use crate::settings::{Reading, Writing};
use crate::whole::range;

/// A part: the start and end of its coded bytes, its plain offset and length, its format, whether it is a file by
/// itself, the front of its index, and the start and end of its windows.
type PartTuple<'py> = (u64, u64, u64, Option<u64>, Option<&'static str>, bool, Bound<'py, PyBytes>, u64, u64);

/// The length of a frame in the lists of frames: two numbers of 8 bytes.
const FRAME_LEN: usize = 16;

/// Divides a file into parts of about `size` plain bytes.
#[pyfunction]
#[pyo3(signature = (file, reading, size, ahead, index=None))]
pub(crate) fn parts<'py>(
    py: Python<'py>,
    file: &Bound<'py, PyAny>,
    reading: Reading,
    size: u64,
    ahead: bool,
    index: Option<IndexSource>,
) -> PyResult<Vec<PartTuple<'py>>> {
    let (source, map) = open(py, file, false, (reading, index), &Progress::default())?;
    let parts = py.detach(|| map.parts(size, ahead)).map_err(|error| source.error(error.into(), 0))?;
    let tuple = |part: Part| {
        let Part { coded, plain_offset, plain_len, format, is_file, index, windows, .. } = part;
        let format = format.map(|format| format.name());
        let index = PyBytes::new(py, &index);
        (coded.start, coded.end, plain_offset, plain_len, format, is_file, index, windows.start, windows.end)
    };
    Ok(parts.into_iter().map(tuple).collect())
}

/// The plain data of a part that is no file: `length` bytes from `offset` on, or fewer at its end.
#[pyfunction]
pub(crate) fn read_part<'py>(
    py: Python<'py>,
    coded: &Bound<'py, PyAny>,
    index: Vec<u8>,
    reading: Reading,
    offset: u64,
    length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (buffer, progress) = (Buffer::of(coded)?, Progress::default());
    let (bytes, options) = (buffer.bytes(), reading.cancelled_by(&progress)?);
    let opened = py.detach(|| Seekable::of_part(bytes.to_vec(), index, &options)).map_err(of_library)?;
    range(py, &progress, &opened, (offset, length), |error| of_io_behind(error, reading.start))
}

/// The frames of a part that is compressed by itself, without an index; and their coded and plain lengths, as numbers
/// of 8 bytes.
#[pyfunction]
pub(crate) fn compress_part<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    writing: Writing,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (buffer, options) = (Buffer::of(data)?, writing.options()?);
    let plain = buffer.bytes();
    let part = py.detach(|| pzcomp::parts::compress_part(plain, &options)).map_err(of_library)?;
    let frames: Vec<u8> = part
        .frames
        .iter()
        .flat_map(|&(coded, plain)| [coded.to_le_bytes(), plain.to_le_bytes()].concat())
        .collect();
    Ok((PyBytes::new(py, &part.coded), PyBytes::new(py, &frames)))
}

/// The bytes behind the last part: the index of all frames, whose lengths are as [`compress_part`] gives them.
#[pyfunction]
pub(crate) fn joined_index<'py>(
    py: Python<'py>,
    frames: &Bound<'py, PyAny>,
    writing: Writing,
) -> PyResult<Bound<'py, PyBytes>> {
    let (buffer, options) = (Buffer::of(frames)?, writing.options()?);
    let bytes = buffer.bytes();
    if bytes.len() % FRAME_LEN != 0 {
        let what =
            format!("a list of frames has {FRAME_LEN} bytes for each, but this one has {}", bytes.len());
        return Err(PyValueError::new_err(what));
    }
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let frames = bytes.chunks_exact(FRAME_LEN).map(|frame| (number(frame), number(&frame[8..])));
    let index = py.detach(|| pzcomp::parts::joined_index(frames, &options)).map_err(of_library)?;
    Ok(PyBytes::new(py, &index))
}
