//! The flags that say what is told about a run besides messages.
//!
//! clap reads them as part of the flags of pzcomp. [`TellingFlags::telling`] says what they ask for.

use std::path::PathBuf;

use clap::Args;

use super::TALK;
use crate::cli::hash::HashKind;
use crate::cli::request::Telling;

#[derive(Debug, Default, Args)]
pub(super) struct TellingFlags {
    /// Write a record of the run to FILE when it ends, as JSON on one line: sizes, times, for what the run waited,
    /// warnings and errors, also if it fails; docs/json.md describes it. - is standard error. An earlier record is
    /// replaced, and any other file with -f only. With --bench, write the results to FILE, as docs/bench.schema.json
    /// describes them; - is standard output
    #[arg(long, value_name = "FILE", help_heading = TALK)]
    pub(super) json: Option<PathBuf>,

    /// Hash the plain and the coded data of each stream while it passes: sha256, blake3 or xxh3, or a list of them. The
    /// hashes are printed on standard error, unless --json or --hash-file has them
    #[arg(
        long, value_name = "LIST", value_delimiter = ',', value_enum,
        conflicts_with_all = ["list", "range", "index", "bench"], help_heading = TALK
    )]
    hash: Vec<HashKind>,

    /// Write the hash of each output to FILE, in the form that sha256sum -c, b3sum -c or xxhsum -c reads; with -t, that
    /// of each input. Without --hash it is sha256
    #[arg(
        long, value_name = "FILE", conflicts_with_all = ["list", "range", "index", "bench"], help_heading = TALK
    )]
    hash_file: Option<PathBuf>,
}

impl TellingFlags {
    pub(super) fn telling(self) -> Result<Telling, String> {
        let Self { json: record, hash: mut hashes, hash_file } = self;
        if hash_file.is_some() && hashes.is_empty() {
            hashes.push(HashKind::Sha256);
        }
        if hash_file.is_some() && hashes.len() > 1 {
            return Err(
                "--hash-file takes one kind of hash, because sha256sum -c reads only one; give --hash one"
                    .into(),
            );
        }
        Ok(Telling { record, hashes, hash_file })
    }
}
