//! Gives up what a run does not need any more, so that somebody who takes over a decoder reaches little.
//!
//! Each work calls [`keep_files`] at its start, which gives up what is no file if the run will open more files.
//! `coding` calls [`confine`] where both ends of the only stream are open, and works that read one file call
//! [`confine_reader`].
//! `crates/system` has the sandbox, and `-vv` says what is in force. A run that starts a program is confined after the
//! start, and the program is not.

use std::path::Path;

use system::sandbox::{Left, enter};

#[cfg(debug_assertions)]
use super::hostile;
use super::report::Report;
use super::request::{Request, Source, Target};
use super::side;

/// Keeps all files and gives up the rest, if more will be opened and no program is still to be started.
pub(super) fn keep_files(request: &Request, report: &Report) {
    if request.opens_no_more() {
        return;
    }
    if !request.sources.iter().any(|source| matches!(source, Source::Command(_))) {
        confine(Left { files: true, ..Left::default() }, request, report, "all inputs");
    }
}

/// Gives up all files if a run reads this one, writes no other, and has no use for what may be beside it.
pub(super) fn confine_reader(path: Option<&Path>, request: &Request, report: &Report, name: &str) {
    let is_one = request.opens_no_more() && !matches!(request.target, Target::File(_));
    let left = Left { files: !is_one || path.is_some_and(side::has_beside), ..Left::default() };
    if !left.files {
        // The library asks files how many CPUs there are.
        request.options.worker_count();
    }
    confine(left, request, report, name);
    #[cfg(debug_assertions)]
    hostile::act();
}

/// Gives up all that is not left, unless that was done before or the user wants to keep it.
pub(super) fn confine(mut left: Left, request: &Request, report: &Report, name: &str) {
    if request.no_sandbox || !enter(&mut left) || !report.is_of_pzcomp() {
        return;
    }
    report.print_settings(2, name, || {
        let files = match left {
            Left { files: true, .. } => "all files, but",
            Left { output: Some(_), .. } => "no files but the output,",
            _ => "no more files,",
        };
        format!("sandbox: {files} no network, programs or other processes; --no-sandbox keeps them")
    });
}
