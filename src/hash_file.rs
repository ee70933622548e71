//! The file of hashes that `sha256sum -c` reads: `--hash-file`.
//!
//! `work` opens a [`HashFile`] before it opens an input, adds a line for each output that is complete, and completes
//! the file at the end. A line names the output as the command line does, so it is checked in the same folder. If the
//! output is standard output, its name is `-`, which stands for the standard input of `sha256sum -c`.
//!
//! `--hash-file -` is standard output. `side` has made sure that no data goes there.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::{CliError, Kind};
use super::hash::HashKind;
use super::pending::PendingFiles;
use super::report::Report;
use super::request::Request;
use super::side::is_stdout;
use super::target::Destination;
use system::streams;

/// The file, while it is made.
pub(super) struct HashFile {
    path: PathBuf,
    /// The file, if it has its name already.
    made: Option<Destination>,
    lines: Vec<u8>,
}

impl HashFile {
    /// Finds out whether the file can be made, if the request asks for one.
    pub(super) fn open(
        request: &Request,
        report: &mut Report,
        pending_files: &PendingFiles,
    ) -> Result<Option<Self>, CliError> {
        let Some(path) = &request.reporting.hash_file else { return Ok(None) };
        if is_stdout(path) {
            return Ok(Some(Self { path: path.clone(), made: None, lines: Vec::new() }));
        }
        if !request.rules.force && fs::symlink_metadata(path).is_ok() {
            let what = "exists; name another file with --hash-file, or use -f to overwrite it";
            return Err(CliError::from(Kind::Failed(what.into())).about(path.display()));
        }
        let tried = Destination::named(path, None, request, report, pending_files)?;
        let made = match tried.has_name() {
            true => Some(tried),
            // Only a trial. If the file stayed, it could be found as an input.
            false => {
                tried.discard(report);
                None
            }
        };
        Ok(Some(Self { path: path.clone(), made, lines: Vec::new() }))
    }

    /// Adds the hashes of an output. Without a path it is standard output or standard input.
    pub(super) fn add(&mut self, path: Option<&Path>, hashes: &[(HashKind, String)]) {
        let name = path.map_or(&b"-"[..], |path| path.as_os_str().as_encoded_bytes());
        for (kind, digits) in hashes {
            let mut escaped = Vec::with_capacity(name.len());
            for &byte in name {
                match byte {
                    b'\\' => escaped.extend(b"\\\\"),
                    b'\n' => escaped.extend(b"\\n"),
                    b'\r' => escaped.extend(b"\\r"),
                    byte => escaped.push(byte),
                }
            }
            if escaped.len() > name.len() {
                self.lines.push(b'\\');
            }
            self.lines.extend(kind.prefix().bytes().chain(digits.bytes()).chain(*b"  ").chain(escaped));
            self.lines.push(b'\n');
        }
    }

    /// Writes the file. If there are no hashes, there is no file.
    pub(super) fn complete(self, request: &Request, report: &mut Report, pending_files: &PendingFiles) {
        let Self { path, made, lines } = self;
        if lines.is_empty() {
            return;
        }
        if is_stdout(&path) {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(&lines).and_then(|()| stdout.flush());
            if let Err(error) = written.and_then(|()| streams::settle(&stdout)) {
                CliError::cannot("write the hashes")(error).about("stdout").report("--hash-file", report);
            }
            return;
        }
        let destination = match made {
            Some(made) => Ok(made),
            None => Destination::named(&path, None, request, report, pending_files),
        };
        let written = destination.and_then(|file| file.hold("write the hashes", &lines, request.rules.sync));
        if let Err(failure) = written {
            failure.report("--hash-file", report);
        }
    }
}
