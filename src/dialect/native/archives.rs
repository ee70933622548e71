//! The flags that concern archives: which file of one is decoded.
//!
//! [`ArchiveFlags`] are part of the flags of pzcomp. [`ArchiveFlags::entry`] makes the choice for the options, or
//! refuses a combination.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};
use pzcomp::{EntryChoice, Tar};

use super::flags::MODE;
use crate::request::{ExtractTo, Extraction, MemberStream, Mode, SeekWork, Task};

/// The flags for archives.
#[derive(Debug, Default, Args)]
pub(super) struct ArchiveFlags {
    /// With -d, -t and --to: take the file NAME of a qpress or 7z archive, as -l prints it. Without this option, -d
    /// takes the first file, and -t verifies all files. Of all other files, -d takes the member NAME of the tar archive
    /// inside, or all members in the folder NAME, and writes their data to standard output. NAME may have the wildcards
    /// *, ? and [...], and the option may be given several times. Only the frames with these members are read, if the
    /// file or an index beside it lists them
    #[arg(
        long, value_name = "NAME", allow_hyphen_values = true, action = ArgAction::Append,
        conflicts_with_all = ["list", "exec", "bench", "index"], help_heading = MODE
    )]
    pub(super) extract: Vec<OsString>,

    /// With -d: write the members that --extract names, or all members of a tar archive, to files in DIR, with their
    /// modes and times. No name leads out of DIR, and no file is overwritten without -f
    #[arg(
        long, value_name = "DIR", value_hint = ValueHint::DirPath,
        conflicts_with_all = ["list", "exec", "bench", "index", "test", "to", "stdout", "output", "rm"], help_heading = MODE
    )]
    pub(super) extract_to: Option<PathBuf>,

    /// With -d: write a tar archive of the members that --extract names to standard output or to the file of -o
    #[arg(
        long, conflicts_with_all = ["list", "exec", "bench", "index", "test", "to", "rm", "extract_to"], help_heading = MODE
    )]
    pub(super) extract_tar: bool,

    /// With -l: print the members of the tar archive in each file, as tar -tv does. If the file or an index beside it
    /// lists them, no data is read. To compress: the data must be a tar archive, and zstd, gzip and lz4 output lists
    /// its members. Without this option such a list is written if the data begins as a tar archive
    #[arg(long, overrides_with = "no_tar", help_heading = MODE)]
    pub(super) tar: bool,

    /// Write no list of the members of a tar archive
    #[arg(long, overrides_with = "tar", help_heading = MODE)]
    no_tar: bool,

    /// With -d, -t and --to: take the file number N of a qpress or 7z archive, in the order of -l, which begins with 1.
    /// For names that several files have, and names that cannot be typed
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with_all = ["extract", "list", "exec", "bench", "index"], help_heading = MODE
    )]
    pub(super) extract_number: Option<u64>,

    /// With -d, -t or -l: the input is an xbstream, as mariadb-backup --stream=xbstream writes it. Decompress its
    /// members with the suffixes .qp, .zst and .lz4, on all cores, and write an xbstream of plain files for mbstream
    /// -x. -l lists the members with their sizes, also those of an xbstream that was compressed as a whole
    #[arg(
        long,
        conflicts_with_all = ["extract", "extract_number", "extract_to", "extract_tar", "tar", "exec", "bench", "to", "verify", "hash", "hash_file", "sparse", "buffer"],
        help_heading = MODE
    )]
    pub(super) xbstream: bool,

    /// With -d, -t, --to or -l: the input is a stream of mydumper --stream. Decompress its members with names that end
    /// with .zst, .gz or .lz4, for myloader --stream, or bring them to another format, or list them. What is made of a
    /// member is in memory until its length is known: at most half of -M, or 4 GiB
    #[arg(
        long,
        conflicts_with_all = ["xbstream", "extract", "extract_number", "extract_to", "extract_tar", "tar", "exec", "bench", "verify", "hash", "hash_file", "sparse", "buffer"],
        help_heading = MODE
    )]
    pub(super) mydumper: bool,
}

impl ArchiveFlags {
    /// Whether data to compress is taken for a tar archive.
    pub(super) fn tar(&self) -> Tar {
        match (self.tar, self.no_tar) {
            (true, _) => Tar::Always,
            (_, true) => Tar::Never,
            _ => Tar::Auto,
        }
    }

    /// The work on the members of a tar archive, if the flags ask for it.
    pub(super) fn members(&self, mode: Mode) -> Option<SeekWork> {
        let to = match (&self.extract_to, self.extract_tar) {
            (Some(folder), _) => ExtractTo::Folder(folder.clone()),
            (None, true) => ExtractTo::Tar,
            (None, false) if !self.extract.is_empty() => ExtractTo::Output,
            _ => return (mode == Mode::List && self.tar).then_some(SeekWork::Members),
        };
        let names = self.extract.iter().map(|name| name.as_encoded_bytes().to_vec()).collect();
        (mode == Mode::Decompress).then_some(SeekWork::Extract(Extraction { names, to }))
    }

    /// The work on the members of a stream, if the flags ask for it.
    pub(super) fn streamed(&self, mode: Mode) -> Option<Task> {
        let stream = match (self.xbstream, self.mydumper) {
            (true, _) => MemberStream::Xbstream,
            (_, true) => MemberStream::Mydumper,
            _ => return None,
        };
        Some(Task::Members(stream, mode))
    }

    /// Which files of an archive are decoded. Places in the plain data are those of one file.
    pub(super) fn entry(&self, task: &Task) -> EntryChoice {
        let is_place = matches!(task, Task::Seek(work) if *work != SeekWork::Members);
        match (&self.extract[..], self.extract_number) {
            ([name, ..], _) => EntryChoice::named(name.as_encoded_bytes()),
            ([], Some(number)) => EntryChoice::Number(number),
            ([], None) if !is_place && matches!(task.mode(), Mode::Test | Mode::List) => EntryChoice::All,
            ([], None) => EntryChoice::First,
        }
    }
}
