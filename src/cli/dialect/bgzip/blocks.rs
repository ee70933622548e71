//! What is done to BGZF files as they are: indexing them, and reading from any place.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::PathBuf;

use pzcomp::{Error, Options};

use super::super::super::error::{CliError, Kind};
use super::super::super::inherited::{self, Stream};
use super::super::super::report::Report;
use super::super::super::request::Source;
use super::GZI;

/// A deed, and the files that it is done to.
#[derive(Debug)]
pub(in super::super::super) struct Blocks {
    pub(super) deed: Deed,
    /// The index, where it is not beside the file.
    pub(super) index_name: Option<PathBuf>,
    pub(super) options: Options,
    pub(super) sources: Vec<Source>,
}

#[derive(Debug)]
pub(super) enum Deed {
    /// Writes the index.
    Index,
    /// Writes these plain bytes to standard output.
    Read(Range<u64>),
}

impl Blocks {
    /// Does it to all files; what is wrong with one does not stop the others.
    pub(in super::super::super) fn deal_with(&self, report: &mut Report) {
        for source in &self.sources {
            if let Err(failure) = self.with(source) {
                failure.tell(&source.name(), report);
            }
        }
    }

    fn with(&self, source: &Source) -> Result<(), CliError> {
        let (file, beside) = match source {
            Source::Stdin => {
                let stdin = std::io::stdin().as_fd().try_clone_to_owned();
                (stdin.map(File::from).map_err(CliError::cannot("read"))?, None)
            }
            Source::Path(path) => {
                let mut name = path.clone().into_os_string();
                name.push(GZI);
                (File::open(path).map_err(CliError::cannot("open"))?, Some(PathBuf::from(name)))
            }
        };
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        if !is_file {
            return Err(Kind::Failed("is no file that can be read from any place".into()).into());
        }
        let index_path = self.index_name.as_ref().or(beside.as_ref());
        match &self.deed {
            Deed::Index => {
                let index = pzcomp::bgzf_index(&file).map_err(Kind::Coding)?;
                let Some(path) = index_path else { return Ok(()) };
                let cannot = |error| CliError::cannot("write the index")(error).about(path.display());
                std::fs::write(path, index).map_err(cannot)
            }
            Deed::Read(range) => {
                let index = match index_path.map(std::fs::read) {
                    Some(Ok(index)) => index,
                    // From the first block on, it is made on the way.
                    Some(Err(error)) if range.start == 0 && error.kind() == ErrorKind::NotFound => {
                        pzcomp::bgzf_index(&file).map_err(Kind::Coding)?
                    }
                    None if range.start == 0 => pzcomp::bgzf_index(&file).map_err(Kind::Coding)?,
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
        let stdout = inherited::check(Stream::Output)
            .and_then(|()| std::io::stdout().as_fd().try_clone_to_owned())
            .map(File::from);
        let stdout = stdout.map_err(|error| CliError::cannot("open")(error).about("stdout"))?;
        let read = pzcomp::read_range(file, index, range, stdout, &self.options);
        if read.as_ref().is_err_and(Error::is_broken_pipe) {
            inherited::die_by_sigpipe();
        }
        read.map(drop).map_err(|error| Kind::Coding(error).into())
    }
}
