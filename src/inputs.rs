//! The files that a run reads, which no output of it may replace.
//!
//! `target` asks [`Inputs::have`] before a file takes the place of another one: an output, records, an index or the
//! file of hashes. The named inputs and the dictionary are looked up once, when the first file is to be replaced. What
//! is found in folders is known to `source`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use system::facts::{Facts, Identity};

use super::request::{Mode, Request, Source, Target, Task};
use super::side;
use super::suffix::plain_path;

/// The files that a run reads.
#[derive(Debug, Default)]
pub(super) struct Inputs(OnceLock<BTreeSet<Identity>>);

impl Inputs {
    /// Whether this file is one of them. An input that was removed is none any more: another file may have its number.
    pub(super) fn have(&self, file: &Facts, request: &Request) -> bool {
        let found = self.0.get_or_init(|| there(request).collect());
        found.contains(&file.identity()) && there(request).any(|input| input == file.identity())
    }
}

/// The inputs that are there now.
fn there(request: &Request) -> impl Iterator<Item = Identity> {
    let paths = request.sources.iter().filter_map(|source| match source {
        Source::Path(path) if is_read(path, request) => Some(path),
        _ => None,
    });
    let named = paths.filter_map(|path| Facts::at(path).ok());
    named.chain(request.dictionary).filter(Facts::is_file).map(|file| file.identity())
}

/// Whether the run reads a file of this name, if it is named or found.
pub(super) fn is_read(path: &Path, request: &Request) -> bool {
    let is_side = request.rules.pass_over_side_files
        && (request.sources.len() > 1 || request.rules.recursive)
        && side::is_beside(path);
    let makes_file_beside = request.target == Target::Beside && !matches!(request.task, Task::Seek(_));
    let has_suffix = || match request.mode() {
        Mode::Compress => !request.suffixes.excludes(&Source::Path(path.to_owned())),
        Mode::Decompress | Mode::Recode if makes_file_beside => plain_path(path, request).is_some(),
        _ => true,
    };
    !is_side && has_suffix()
}
