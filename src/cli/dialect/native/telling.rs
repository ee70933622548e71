//! The flags that say what is told about a run besides messages.
//!
//! clap reads them as part of the flags of pzcomp. [`TellingFlags::telling`] says what they ask for.

use std::path::PathBuf;

use clap::Args;

use super::TALK;
use crate::cli::request::Telling;

#[derive(Debug, Default, Args)]
pub(super) struct TellingFlags {
    /// Write a record of the run to FILE when it ends, as JSON on one line: sizes, times, for what the run waited,
    /// warnings and errors, also if it fails; docs/json.md describes it. - is standard error. An earlier record is
    /// replaced, and any other file with -f only. With --bench, write the results to FILE, as docs/bench.schema.json
    /// describes them; - is standard output
    #[arg(long, value_name = "FILE", help_heading = TALK)]
    pub(super) json: Option<PathBuf>,
}

impl TellingFlags {
    pub(super) fn telling(self) -> Result<Telling, String> {
        Ok(Telling { record: self.json })
    }
}
