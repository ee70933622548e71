//! The flags that users of gzip, xz and zstd look for, in one spelling for all formats.
//!
//! clap reads them as part of the flags of pzcomp, and [`Flags::request`](super::flags::Flags) makes the request.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pzcomp::Check;

use super::super::xz::{NameList, sources};
use super::flags::{CODING, FILES, MODE};
use crate::request::{DICTIONARY_LEN, Request, Source, Task};
use crate::size;

#[derive(Debug, Default, Args)]
pub(super) struct HabitFlags {
    /// Compress: the default
    #[arg(short = 'z', long, overrides_with_all = ["decompress", "test", "list"], help_heading = MODE)]
    compress: bool,

    /// Write the output files to DIR, which exists; with -r, to the same folders in DIR as those of their inputs
    #[arg(
        long, value_name = "DIR", value_hint = clap::ValueHint::DirPath,
        conflicts_with_all = ["output", "stdout", "test", "list", "exec", "bench", "index", "protect", "repair"], help_heading = FILES
    )]
    pub(super) output_dir: Option<PathBuf>,

    /// Also take the files with the names in FILE, one on each line; - is standard input
    #[arg(
        id = "names", long = "files", value_name = "FILE", conflicts_with_all = ["names0", "exec"], help_heading = FILES
    )]
    names: Option<OsString>,

    /// The same, with a null byte behind each name, as find -print0 writes them
    #[arg(id = "names0", long = "files0", value_name = "FILE", conflicts_with = "exec", help_heading = FILES)]
    names0: Option<OsString>,

    /// Do not compress files with suffixes of compressed formats, such as .gz, .jpg and .mp4
    #[arg(long, help_heading = FILES)]
    pub(super) exclude_compressed: bool,

    /// With -d: give the file the name and the time that its gzip header states. With -F gzip --one-member: store both
    /// there
    #[arg(short = 'N', long, overrides_with = "no_name", help_heading = FILES)]
    pub(super) name: bool,

    /// Neither store nor restore name and time: the default
    #[arg(short = 'n', long, overrides_with = "name", help_heading = FILES)]
    no_name: bool,

    /// With zstd: compress with this dictionary, or with -d decompress with it. --train makes one
    #[arg(short = 'D', long, value_name = "FILE", conflicts_with = "bench", help_heading = CODING)]
    pub(super) dictionary: Option<PathBuf>,

    /// Make a dictionary of many short FILEs for -D, and write it to the file of -o. Of each FILE the first 128 KiB
    /// count, and 256 MiB of all
    #[arg(long, requires = "output", conflicts_with_all = ["dictionary", "exec", "bench", "to"], help_heading = MODE)]
    pub(super) train: bool,

    /// With --train: the most bytes of the dictionary [default: 110K]
    #[arg(long, value_name = "SIZE", value_parser = size::parse, requires = "train", help_heading = CODING)]
    pub(super) max_dict: Option<u64>,

    /// Let the content decide where blocks end, so that rsync finds unchanged parts
    #[arg(long, help_heading = CODING)]
    pub(super) rsyncable: bool,

    /// The check of xz data: crc32, crc64 or sha256 [default: crc64]
    #[arg(long, value_name = "NAME", value_parser = checks(), overrides_with = "no_check", help_heading = CODING)]
    checksum: Option<Check>,

    /// Write no check of the data. Damage may then go unnoticed
    #[arg(long, overrides_with = "checksum", help_heading = CODING)]
    no_check: bool,
}

impl HabitFlags {
    /// The task, if a dictionary is to be made.
    pub(super) fn training(&self) -> Option<Task> {
        let most = self.max_dict.map_or(DICTIONARY_LEN, |most| usize::try_from(most).unwrap_or(usize::MAX));
        self.train.then_some(Task::Train(most))
    }

    /// The check of the output, if it is not the usual one.
    pub(super) fn check(&self) -> Option<Check> {
        self.checksum.or(self.no_check.then_some(Check::None))
    }

    /// The inputs: those of the command line, and those in the list.
    pub(super) fn sources(&self, files: Vec<OsString>) -> Result<Vec<Source>, String> {
        let lists = [(&self.names, b'\n'), (&self.names0, 0)];
        match lists.into_iter().find_map(|(path, end)| Some((path.as_ref()?, end))) {
            Some((path, end)) => {
                let path = Some(path.clone()).filter(|path| path != "-");
                sources(files, NameList { path, end }).map_err(|what| format!("--files: {what}"))
            }
            None => Ok(Request::sources_of(files)),
        }
    }
}

/// Takes the names of checks.
fn checks() -> impl TypedValueParser<Value = Check> {
    PossibleValuesParser::new(["crc32", "crc64", "sha256"]).map(|name| match &*name {
        "crc32" => Check::Crc32,
        "sha256" => Check::Sha256,
        _ => Check::Crc64,
    })
}
