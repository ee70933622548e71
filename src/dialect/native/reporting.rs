//! The flags that say what is told about a run besides messages.
//!
//! clap reads them as part of the flags of pzcomp. [`ReportingFlags::reporting`] says what they ask for.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::flags::TALK;
use crate::error::system_text;
use crate::hash::HashKind;
use crate::request::{ProgressLines, Reporting, ShowProgress};
use crate::size;
use system::streams;

#[derive(Debug, Default, Args)]
pub(super) struct ReportingFlags {
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
    /// of each input. Without --hash it is sha256. - is standard output, if no data goes there
    #[arg(
        long, value_name = "FILE", conflicts_with_all = ["list", "range", "index", "bench"], help_heading = TALK
    )]
    hash_file: Option<PathBuf>,

    /// Show progress: a bar, or a line now and then if standard error is no terminal, or with --progress=json lines of
    /// JSON, one each second. The default is a bar
    /// if standard error is a terminal and no data goes to standard output. SIGUSR1 prints a line in any case, but
    /// not on Windows
    #[arg(
        long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "bar", value_enum,
        overrides_with = "no_progress", help_heading = TALK
    )]
    progress: Option<HowProgress>,

    /// Show no progress
    #[arg(long, overrides_with = "progress", help_heading = TALK)]
    no_progress: bool,

    /// Write progress as lines of JSON to the descriptor N, which the caller has opened, as 3 in 3>progress
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..), help_heading = TALK)]
    progress_fd: Option<i32>,

    /// About how long each input is that is no file, as 20G, so that progress can say how much time is left
    #[arg(long, value_name = "SIZE", value_parser = size::parse, help_heading = TALK)]
    size_hint: Option<u64>,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum HowProgress {
    Bar,
    Json,
}

impl ReportingFlags {
    /// Whether hashes are asked for.
    pub(super) fn hashes_anything(&self) -> bool {
        !self.hash.is_empty() || self.hash_file.is_some()
    }

    pub(super) fn reporting(self) -> Result<Reporting, String> {
        let Self { json: record, hash: mut hashes, hash_file, progress, no_progress, progress_fd, size_hint } =
            self;
        if hash_file.is_some() && hashes.is_empty() {
            hashes.push(HashKind::Sha256);
        }
        if hash_file.is_some() && hashes.len() > 1 {
            return Err(
                "--hash-file takes one kind of hash, because sha256sum -c reads only one; give --hash one"
                    .into(),
            );
        }
        let progress = match (progress_fd, progress) {
            _ if no_progress => ShowProgress::Never,
            (Some(number), _) => {
                let opened = streams::descriptor(number).map_err(|error| {
                    let advice = match error.kind() {
                        ErrorKind::Unsupported => "--progress=json writes the lines to standard error".into(),
                        _ => format!("open it, as with {number}>FILE"),
                    };
                    format!(
                        "--progress-fd {number}: cannot use the descriptor: {}; {advice}",
                        system_text(&error)
                    )
                });
                ShowProgress::Json(ProgressLines::Descriptor(Arc::new(opened?)))
            }
            (None, Some(HowProgress::Json)) => ShowProgress::Json(ProgressLines::Stderr),
            (None, Some(HowProgress::Bar)) => ShowProgress::Always,
            (None, None) => ShowProgress::Auto,
        };
        Ok(Reporting {
            record,
            hashes,
            hash_file,
            progress,
            size_hint,
            answers_signal: true,
            ..Reporting::default()
        })
    }
}
