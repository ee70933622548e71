//! Gives up what a run does not need any more, so that somebody who takes over a decoder reaches little.
//!
//! `work` calls [`keep_files`] where a run will open more files, and `coding` calls [`confine`] where both ends of the
//! only stream are open. `crates/system` has the sandbox, and `-vv` says what is in force. A run that starts a program
//! is confined after the start, and the program is not.

use system::sandbox::{Left, enter};

use super::report::Report;
use super::request::{Request, Source};

/// Keeps all files and gives up the rest, unless a program is still to be started.
pub(super) fn keep_files(request: &Request, report: &Report) {
    if !request.sources.iter().any(|source| matches!(source, Source::Command(_))) {
        confine(Left { files: true, ..Left::default() }, request, report, "all inputs");
    }
}

/// Gives up all that is not left, unless that was done before or the user wants to keep it.
pub(super) fn confine(mut left: Left, request: &Request, report: &Report, name: &str) {
    if request.no_sandbox || !enter(&mut left) {
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
