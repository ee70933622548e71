//! The map of a source: where its frames are, so that any place of it can be read.
//!
//! [`open`] makes it of the file or the file object that Python gives. `decoder.rs` makes one when it first seeks.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pzcomp::{Decode, Index, Progress, Seekable};

use crate::detached::Detached;
use crate::settings::Reading;
use crate::source::Source;

/// An index beside a file: its bytes, its path, or a file object.
#[derive(FromPyObject)]
pub(crate) enum IndexSource {
    #[pyo3(transparent)]
    Bytes(Vec<u8>),
    #[pyo3(transparent)]
    Path(PathBuf),
    #[pyo3(transparent)]
    Object(Py<PyAny>),
}

impl IndexSource {
    pub(crate) fn open(&self) -> io::Result<Index> {
        let index = match self {
            Self::Bytes(bytes) => Index::open(Arc::new(bytes.clone())),
            Self::Path(path) => Index::open(Arc::new(std::fs::File::open(path)?)),
            Self::Object(file) => {
                let source = Python::attach(|py| Source::new(file.bind(py), false))?;
                Index::open(Arc::new(source))
            }
        };
        index.map_err(io::Error::from)
    }
}

/// A source, and where its frames are.
pub(crate) type Map = Arc<Detached<Seekable<Source>>>;

/// The source of a file, and its map.
pub(crate) fn open(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    is_ours: bool,
    (reading, index): (Reading, Option<IndexSource>),
    progress: &Progress,
) -> PyResult<(Source, Map)> {
    let (source, options, start) =
        (Source::new(file, is_ours)?, reading.cancelled_by(progress)?, reading.start);
    let map = py.detach(|| seekable(&source, index.as_ref(), &options));
    map.map_err(|error| source.error(error, start)).map(|map| (source, map))
}

pub(crate) fn seekable(source: &Source, index: Option<&IndexSource>, options: &Decode) -> io::Result<Map> {
    let opened = match index {
        Some(index) => Seekable::with_index(source.clone(), index.open()?, options),
        None => Seekable::with_options(source.clone(), options),
    };
    opened.map(|seekable| Arc::new(Detached::new(seekable))).map_err(io::Error::from)
}
