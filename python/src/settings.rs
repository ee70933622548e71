//! The arguments of Python functions as options of the library.

use crate::context::Dictionary;
use crate::errors::of_library;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pzcomp::{
    Check, Decode, DecodeBuilder, Encode, EncodeBuilder, Format, Member, Progress, Recovery, Tar, Unknown,
};

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

/// How to read: the format that is accepted, or `xz,lzma` or `lzma,lzma` for files of several streams, and the
/// resources.
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
    pub(crate) fn options(&self) -> PyResult<Decode> {
        self.builder()?.build().map_err(of_library)
    }

    /// The options of work that this progress can cancel.
    pub(crate) fn cancelled_by(&self, progress: &Progress) -> PyResult<Decode> {
        self.builder()?.progress(progress.clone()).build().map_err(of_library)
    }

    fn builder(&self) -> PyResult<DecodeBuilder> {
        let mut options = Decode::builder().threads(self.threads.unwrap_or(0));
        options = match self.format.as_deref() {
            None => options,
            // With zstd in the list, .lzma data is recognised behind other data too. Otherwise it would be dropped
            // there.
            Some("xz,lzma") => options.accept(&[Format::Xz, Format::Lzma, Format::Zstd]),
            Some("lzma,lzma") => options.accept(&[Format::Lzma, Format::Zstd]),
            Some(name) => options.accept(&[format(name)?]),
        };
        if let Some(bytes) = self.memory {
            options = options.memory(bytes);
        }
        if let Some(bytes) = self.max_output {
            options = options.max_output(bytes);
        }
        if let Some(Dictionary(dictionary)) = &self.dictionary {
            options = options.dictionary(dictionary.clone());
        }
        if self.ignores_rest {
            options = options.unknown(Unknown::Ignore);
        }
        Ok(options)
    }
}

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
    /// The share of recovery records in thousandths.
    #[pyo3(item)]
    recovery: Option<u16>,
    /// Whether the data is a tar archive. If that is not known, the data tells.
    #[pyo3(item)]
    tar: Option<bool>,
}

impl Writing {
    pub(crate) fn options(&self) -> PyResult<Encode> {
        self.builder()?.build().map_err(of_library)
    }

    /// The options of work that this progress can cancel.
    pub(crate) fn cancelled_by(&self, progress: &Progress) -> PyResult<Encode> {
        self.builder()?.progress(progress.clone()).build().map_err(of_library)
    }

    fn builder(&self) -> PyResult<EncodeBuilder> {
        let mut options = Encode::builder(format(&self.format)?)
            .threads(self.threads.unwrap_or(0))
            .index(self.index)
            .extreme(self.extreme);
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(bytes) = self.memory {
            options = options.memory(bytes);
        }
        if let Some(len) = self.block_size {
            options = options.block_size(len);
        }
        options = match &self.layout[..] {
            "frames" => options,
            "single" => {
                let member = Member::new().with_modified(self.modified);
                options.member(match &self.name {
                    Some(name) => member.with_name(name.clone()),
                    None => member,
                })
            }
            "bgzf" => options.bgzf(),
            "pzstd" => options.pzstd(),
            "alone" => options.alone(),
            other => {
                let what = format!(
                    "no layout has the name {other:?}; the layouts are frames, single, bgzf, pzstd and alone"
                );
                return Err(PyValueError::new_err(what));
            }
        };
        options = match self.check.as_deref() {
            None => options,
            Some("none") => options.check(Check::None),
            Some("crc32") => options.check(Check::Crc32),
            Some("crc64") => options.check(Check::Crc64),
            Some("sha256") => options.check(Check::Sha256),
            Some(other) => {
                let what =
                    format!("no check has the name {other:?}; the checks are none, crc32, crc64 and sha256");
                return Err(PyValueError::new_err(what));
            }
        };
        if let Some(Dictionary(dictionary)) = &self.dictionary {
            options = options.dictionary(dictionary.clone());
        }
        if let Some(per_mille) = self.recovery {
            let mut recovery = Recovery::default();
            recovery.per_mille = per_mille;
            options = options.recovery(recovery);
        }
        Ok(options.tar(match self.tar {
            None => Tar::Auto,
            Some(true) => Tar::Always,
            Some(false) => Tar::Never,
        }))
    }
}

/// Checks options before a file is opened, so that wrong ones do not empty it.
#[pyfunction]
pub(crate) fn check_writing(writing: Writing) -> PyResult<()> {
    writing.options().map(drop)
}
