//! The two operations on BGZF files that are neither compression nor decompression: making an index (`-r`), and
//! reading a range of plain bytes (`-b`, `-s`).
//!
//! `bgzip` makes a [`BgzfTask`] from the command line, and `main` runs it. The library does the work. The files
//! must be regular files, because both operations read at any offset.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::PathBuf;

use pzcomp::{BlockingWriter, Error};

use super::GZI;
use crate::error::{CliError, Kind};
use crate::pending::PendingFiles;
use crate::report::Report;
use crate::request::{Options, Source};
use crate::target::Destination;
use system::streams::{self, Stream};
use system::{handle, signals};

/// An operation, and the files for it.
#[derive(Debug)]
pub(crate) struct BgzfTask {
    pub(super) operation: BgzfOperation,
    /// The file of the index, if it is not beside the data.
    pub(super) index_name: Option<PathBuf>,
    pub(crate) options: Options,
    pub(super) sources: Vec<Source>,
}

/// What is done with each file.
#[derive(Debug)]
pub(super) enum BgzfOperation {
    /// Write the index.
    MakeIndex,
    /// Write these plain bytes to standard output.
    ReadRange(Range<u64>),
}

impl BgzfTask {
    /// Does the operation for all files. An error in one file does not stop the others.
    pub(crate) fn run(&self, report: &mut Report) {
        for source in &self.sources {
            if let Err(failure) = self.run_on(source) {
                failure.report(&source.name(), report);
            }
        }
    }

    fn run_on(&self, source: &Source) -> Result<(), CliError> {
        let (file, beside) = match source {
            Source::Stdin | Source::Command(_) => {
                (streams::copy(Stream::Input).map_err(CliError::cannot("read"))?, None)
            }
            Source::Path(path) => {
                let mut name = path.clone().into_os_string();
                name.push(GZI);
                (File::open(path).map_err(CliError::cannot("open"))?, Some(PathBuf::from(name)))
            }
        };
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(Kind::Failed(
                "is not a regular file, so it cannot be read at any offset; copy it to a file first".into(),
            )
            .into());
        }
        let index_path = self.index_name.as_ref().or(beside.as_ref());
        match &self.operation {
            BgzfOperation::MakeIndex => {
                let index = pzcomp::bgzf::index(&file).map_err(Kind::Library)?;
                let Some(path) = index_path else { return Ok(()) };
                Destination::aside(path, &PendingFiles::default())?.hold("write the index", &index, false)
            }
            BgzfOperation::ReadRange(range) => {
                let index = match index_path.map(std::fs::read) {
                    Some(Ok(index)) => index,
                    // Reading from the start needs no index file: the index is made from the blocks.
                    Some(Err(error)) if range.start == 0 && error.kind() == ErrorKind::NotFound => {
                        pzcomp::bgzf::index(&file).map_err(Kind::Library)?
                    }
                    None if range.start == 0 => pzcomp::bgzf::index(&file).map_err(Kind::Library)?,
                    Some(Err(_)) => {
                        let path = index_path.map(|path| path.display().to_string()).unwrap_or_default();
                        return Err(Kind::Failed(format!("Could not load index: {path}")).into());
                    }
                    None => {
                        let what = "The -b option requires -I when reading from stdin";
                        return Err(Kind::Failed(what.into()).into());
                    }
                };
                self.read(&file, &index, range.clone())
            }
        }
    }

    fn read(&self, file: &File, index: &[u8], range: Range<u64>) -> Result<(), CliError> {
        let stdout = streams::file(Stream::Output);
        let stdout = stdout.map_err(|error| CliError::cannot("open")(error).about("stdout"))?;
        let read = pzcomp::bgzf::read_range(
            file,
            index,
            range,
            BlockingWriter::new(handle::of(stdout)),
            &self.options.decode().map_err(Kind::Library)?,
        );
        if read.as_ref().is_err_and(Error::is_broken_pipe) {
            signals::die_by_sigpipe();
        }
        read.map_err(Kind::Library)?;
        streams::settle(stdout).map_err(|error| CliError::cannot("write")(error).about("stdout"))
    }
}
