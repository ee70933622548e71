//! The flags that concern archives: which file of one is decoded.
//!
//! [`ArchiveFlags`] are part of the flags of pzcomp. [`ArchiveFlags::entry`] makes the choice for the options, or refuses
//! a combination.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use clap::Args;
use pzcomp::EntryChoice;

use super::flags::MODE;
use crate::cli::request::Mode;

/// The flags for archives.
#[derive(Debug, Args)]
pub(super) struct ArchiveFlags {
    /// With -d, -t and --to: take the file NAME of a qpress or 7z archive, as -l prints it. Without this option, -d takes
    /// the first file, and -t verifies all files
    #[arg(
        long, value_name = "NAME", allow_hyphen_values = true, conflicts_with_all = ["list", "exec", "bench", "index"],
        help_heading = MODE
    )]
    extract: Option<OsString>,

    /// With -d, -t and --to: take the file number N of a qpress or 7z archive, in the order of -l, which begins with 1. For
    /// names that several files have, and names that cannot be typed
    #[arg(
        long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with_all = ["extract", "list", "exec", "bench", "index"], help_heading = MODE
    )]
    extract_number: Option<u64>,

    /// With -d or -t: the input is an xbstream, as mariadb-backup --stream=xbstream writes it. Decompress its members
    /// whose names end with .qp, .zst or .lz4, on all cores, and write an xbstream of plain files for mbstream -x
    #[arg(
        long,
        conflicts_with_all = ["extract", "extract_number", "list", "exec", "bench", "to", "verify", "hash", "hash_file", "sparse", "buffer"],
        help_heading = MODE
    )]
    xbstream: bool,
}

impl ArchiveFlags {
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

    /// Which files of an archive are decoded. `is_seek` says that places in the plain data are asked for, which are those of
    /// one file.
    pub(super) fn entry(&self, mode: Mode, is_seek: bool, is_salvage: bool) -> Result<EntryChoice, String> {
        let choice = match (&self.extract, self.extract_number) {
            (Some(name), _) => EntryChoice::named(name.as_bytes()),
            (None, Some(number)) => EntryChoice::Number(number),
            (None, None) => {
                let is_all = matches!(mode, Mode::Test | Mode::List) && !is_seek;
                return Ok(if is_all { EntryChoice::All } else { EntryChoice::First });
            }
        };
        if mode == Mode::Compress {
            return Err("--extract needs -d, -t or --to: it names a file in an archive".into());
        }
        if is_salvage {
            return Err("--salvage cannot be used with --extract: behind damage, names are lost. It takes \
                        the first file"
                .into());
        }
        Ok(choice)
    }
}
