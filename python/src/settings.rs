//! The arguments of Python functions as options of the library.

use crate::context::Dictionary;
use crate::errors::of_library;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pzcomp::{Check, Format, Layout, Member, Options, OptionsBuilder, Unknown, ZstdOptions};

/// The formats that have a name here.
const EACH: [Format; 12] = [
    Format::Zstd,
    Format::Gzip,
    Format::Lz4,
    Format::Xz,
    Format::Bzip2,
    Format::Lzip,
    Format::Lzma,
    Format::Zlib,
    Format::Zip,
    Format::Lzw,
    Format::Pack,
    Format::Lzh,
];

fn format(name: &str) -> PyResult<Format> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = EACH.iter().map(|format| format.name()).collect();
        PyValueError::new_err(format!(
            "no format has the name {name:?}; the formats are {}",
            names.join(", ")
        ))
    })
}

/// The suffixes of files, each with the name of its format.
#[pyfunction]
pub(crate) fn suffixes() -> Vec<(&'static str, &'static str)> {
    let of = |format: &Format| {
        let name = format.name();
        format.suffixes().iter().map(move |(suffix, _)| (*suffix, name)).collect::<Vec<_>>()
    };
    EACH.iter().flat_map(of).collect()
}

/// How to read: the format that is accepted, or `xz,lzma` or `lzma,lzma` for files of several streams, and the resources.
#[derive(Clone, FromPyObject)]
pub(crate) struct Reading {
    #[pyo3(item)]
    format: Option<String>,
    #[pyo3(item)]
    threads: Option<usize>,
    #[pyo3(item)]
    memory: Option<u64>,
    /// Whether bytes behind the data that belong to no format are dropped. Otherwise they are an error.
    #[pyo3(item)]
    ignores_rest: bool,
    /// Where the data begins in its file. Errors have the offsets of the file.
    #[pyo3(item)]
    pub(crate) start: u64,
    /// The most plain bytes.
    #[pyo3(item)]
    max_output: Option<u64>,
    #[pyo3(item)]
    dictionary: Option<Dictionary>,
}

impl Reading {
    pub(crate) fn options(&self) -> PyResult<Options> {
        let mut options = Options::builder().build_unchecked();
        match self.format.as_deref() {
            None => {}
            // With zstd in the list, .lzma data is recognised behind other data too. Otherwise it would be dropped there.
            Some("xz,lzma") => options.accept = Some(vec![Format::Xz, Format::Lzma, Format::Zstd]),
            Some("lzma,lzma") => options.accept = Some(vec![Format::Lzma, Format::Zstd]),
            Some(name) => options.accept = Some(vec![format(name)?]),
        }
        options.threads = self.threads.unwrap_or(0);
        options.memory = self.memory;
        options.max_output = self.max_output;
        if let Some(Dictionary(dictionary)) = &self.dictionary {
            options.zstd = ZstdOptions::new().with_dictionary(dictionary.clone());
        }
        if self.ignores_rest {
            options.unknown = Unknown::Ignore;
        }
        OptionsBuilder::from(options).build_for_reading().map_err(of_library)
    }
}

/// How to write.
#[derive(Clone, FromPyObject)]
pub(crate) struct Writing {
    #[pyo3(item)]
    format: String,
    #[pyo3(item)]
    level: Option<i32>,
    #[pyo3(item)]
    threads: Option<usize>,
    #[pyo3(item)]
    memory: Option<u64>,
    #[pyo3(item)]
    block_size: Option<usize>,
    #[pyo3(item)]
    index: bool,
    #[pyo3(item)]
    layout: String,
    #[pyo3(item)]
    check: Option<String>,
    #[pyo3(item)]
    extreme: bool,
    /// What the header of a gzip member states about the file.
    #[pyo3(item)]
    name: Option<Vec<u8>>,
    #[pyo3(item)]
    modified: u32,
    #[pyo3(item)]
    dictionary: Option<Dictionary>,
}

impl Writing {
    pub(crate) fn options(&self) -> PyResult<Options> {
        let mut options = Options::builder().build_unchecked();
        options.format = format(&self.format)?;
        options.level = self.level;
        options.threads = self.threads.unwrap_or(0);
        options.memory = self.memory;
        options.block_size = self.block_size;
        options.index = self.index;
        options.extreme = self.extreme;
        options.layout = match &self.layout[..] {
            "frames" => Layout::Frames,
            "single" => {
                let member = Member::new().with_modified(self.modified);
                Layout::Single(match &self.name {
                    Some(name) => member.with_name(name.clone()),
                    None => member,
                })
            }
            "bgzf" => Layout::Bgzf,
            "pzstd" => Layout::Pzstd,
            "alone" => Layout::Alone,
            other => {
                let what = format!(
                    "no layout has the name {other:?}; the layouts are frames, single, bgzf, pzstd and alone"
                );
                return Err(PyValueError::new_err(what));
            }
        };
        options.check = match self.check.as_deref() {
            None => None,
            Some("none") => Some(Check::None),
            Some("crc32") => Some(Check::Crc32),
            Some("crc64") => Some(Check::Crc64),
            Some("sha256") => Some(Check::Sha256),
            Some(other) => {
                let what =
                    format!("no check has the name {other:?}; the checks are none, crc32, crc64 and sha256");
                return Err(PyValueError::new_err(what));
            }
        };
        if let Some(Dictionary(dictionary)) = &self.dictionary {
            options.zstd = ZstdOptions::new().with_dictionary(dictionary.clone());
        }
        OptionsBuilder::from(options).build().map_err(of_library)
    }
}

/// Checks options before a file is opened, so that wrong ones do not empty it.
#[pyfunction]
pub(crate) fn check_writing(writing: Writing) -> PyResult<()> {
    writing.options().map(drop)
}
