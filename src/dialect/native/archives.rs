//! The flags that concern archives: which file of one is decoded.
//!
//! [`ArchiveFlags`] are part of the flags of pzcomp. [`ArchiveFlags::entry`] makes the choice for the options, or
//! refuses a combination.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};
use pzcomp::{EntryChoice, Tar};

use super::flags::MODE;
use crate::request::{ExtractTo, Extraction, Mode, SeekWork};

/// The flags for archives.
#[derive(Debug, Args)]
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
    extract: Vec<OsString>,

    /// With -d: write the members that --extract names, or all members of a tar archive, to files in DIR, with their
    /// modes and times. No name leads out of DIR, and no file is overwritten without -f
    #[arg(
        long, value_name = "DIR", value_hint = ValueHint::DirPath,
        conflicts_with_all = ["list", "exec", "bench", "index", "test", "to", "stdout", "output", "rm"], help_heading = MODE
    )]
    extract_to: Option<PathBuf>,

    /// With -d: write a tar archive of the members that --extract names to standard output or to the file of -o
    #[arg(
        long, conflicts_with_all = ["list", "exec", "bench", "index", "test", "to", "rm", "extract_to"], help_heading = MODE
    )]
    extract_tar: bool,

    /// With -l: print the members of the tar archive in each file, as tar -tv does. If the file or an index beside it
    /// lists them, no data is read. To compress: the data must be a tar archive, and zstd, gzip and lz4 output lists
    /// its members. Without this option such a list is written if the data begins as a tar archive
    #[arg(long, overrides_with = "no_tar", help_heading = MODE)]
    tar: bool,

    /// Write no list of the members of a tar archive
    #[arg(long, overrides_with = "tar", help_heading = MODE)]
    no_tar: bool,

    /// With -d, -t and --to: take the file number N of a qpress or 7z archive, in the order of -l, which begins with 1.
    /// For names that several files have, and names that cannot be typed
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with_all = ["extract", "list", "exec", "bench", "index"], help_heading = MODE
    )]
    extract_number: Option<u64>,

    /// With -d or -t: the input is an xbstream, as mariadb-backup --stream=xbstream writes it. Decompress its members
    /// whose names end with .qp, .zst or .lz4, on all cores, and write an xbstream of plain files for mbstream -x
    #[arg(
        long,
        conflicts_with_all = ["extract", "extract_number", "extract_to", "extract_tar", "tar", "list", "exec", "bench", "to", "verify", "hash", "hash_file", "sparse", "buffer"],
        help_heading = MODE
    )]
    xbstream: bool,
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

    /// The work on the members of a tar archive, if the flags ask for it. `is_special` says that another flag asks for
    /// special work.
    pub(super) fn members(&self, mode: Mode, is_special: bool) -> Result<Option<SeekWork>, String> {
        // An empty name would be the folder of all members, and a script may have meant a variable that is not set.
        if self.extract.iter().any(|name| name.as_bytes().iter().all(|&byte| byte == b'/')) {
            return Err("--extract needs the name of a member; '.' takes all members of a tar archive".into());
        }
        let to = match (&self.extract_to, self.extract_tar) {
            (Some(folder), _) => Some(ExtractTo::Folder(folder.clone())),
            (None, true) => Some(ExtractTo::Tar),
            (None, false) => None,
        };
        if to.is_some() && mode != Mode::Decompress {
            return Err("--extract-to and --extract-tar need -d".into());
        }
        if is_special && (to.is_some() || mode == Mode::List && self.tar) {
            return Err("--tar, --extract-to and --extract-tar cannot be used with --frames, --range, --salvage, --protect \
                        or --repair"
                .into());
        }
        if mode == Mode::List && self.tar {
            return Ok(Some(SeekWork::Members));
        }
        if self.extract.len() > 1 && (mode != Mode::Decompress || is_special) {
            return Err("several --extract need -d: they name members of a tar archive".into());
        }
        let to = to.or_else(|| (!self.extract.is_empty()).then_some(ExtractTo::Output));
        let names = self.extract.iter().map(|name| name.as_bytes().to_vec()).collect();
        let work = to.filter(|_| mode == Mode::Decompress && !is_special);
        Ok(work.map(|to| SeekWork::Extract(Extraction { names, to })))
    }

    /// Whether the inputs are xbstreams. `is_special` says that another flag asks for special work.
    pub(super) fn is_xbstream(&self, mode: Mode, is_special: bool) -> Result<bool, String> {
        if self.xbstream && !matches!(mode, Mode::Decompress | Mode::Test) {
            return Err("--xbstream needs -d or -t: it decompresses the members of an xbstream".into());
        }
        if self.xbstream && is_special {
            return Err("--xbstream cannot be used with --salvage, --frames, --range or --index".into());
        }
        Ok(self.xbstream)
    }

    /// Which files of an archive are decoded. `is_seek` says that places in the plain data are asked for, which are
    /// those of one file.
    pub(super) fn entry(&self, mode: Mode, is_seek: bool, is_salvage: bool) -> Result<EntryChoice, String> {
        let choice = match (&self.extract[..], self.extract_number) {
            ([name, ..], _) => EntryChoice::named(name.as_bytes()),
            ([], Some(number)) => EntryChoice::Number(number),
            ([], None) => {
                let is_all = matches!(mode, Mode::Test | Mode::List) && !is_seek;
                return Ok(if is_all { EntryChoice::All } else { EntryChoice::First });
            }
        };
        if mode == Mode::Compress {
            return Err("--extract needs -d, -t or --to: it names a file in an archive".into());
        }
        if is_salvage {
            return Err(
                "--salvage cannot be used with --extract: it takes all of the data, or the first file of a \
                        qpress or 7z archive. For a tar archive: pzcomp -d --salvage -c FILE | tar -x NAME"
                    .into(),
            );
        }
        Ok(choice)
    }
}
