//! Name, time and size of the original file, as headers of gzip, zip, zstd and lz4 store them.
//!
//! [`compression_options`] puts them into the options for compression. [`restored_path`] and [`restored_time`] take
//! them out of the header of a gzip member for decompression. `work`, `list` and the tables of gzip and pigz call this
//! file. A stored name never leads out of the folder of the input.

use std::ffi::OsStr;
use std::io::Seek;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pzcomp::{Format, Layout, Member, ReadAt};

use super::error::{CliError, Kind};
use super::request::{Mode, Options, Request};
use super::source::OpenInput;
use super::suffix::{coded_path, plain_path};

/// Length of the parts of a gzip member that are neither data nor text: the fixed header, the CRC-32 and the length.
const FIXED_LEN: u64 = 10 + 8;

/// The bytes of a file that are read for its header. Extra fields are below 64 KiB, and names are short.
const HEAD_LEN: usize = 128 << 10;

/// What is said of an input whose length stands in the header, if it has another length than the system states.
pub(super) fn misstated(opened: &OpenInput, request: &Request) -> Option<String> {
    let stated = opened.facts.len();
    let seen = opened.file.size().ok().filter(|_| request.origin.size && opened.facts.is_file())?;
    let what =
        format!("the system stated {stated} bytes, and it has {seen} now; let a pipe have it, as with cat");
    (seen != stated).then_some(what)
}

/// Returns the options for compressing this input, with what its header says of the original file, and the length of
/// header and trailer. A pipe has neither name nor time, and a file on standard input has no name.
pub(super) fn compression_options(
    opened: &OpenInput,
    request: &Request,
    complain: impl FnOnce(CliError),
) -> (Options, u64) {
    let mut options = request.options.clone();
    if request.origin.size && opened.facts.is_file() {
        match (options.format, &opened.path) {
            // zstd refuses an input of another length than the system states.
            (Format::Zstd, Some(_)) => options.plain_len = Some(opened.facts.len()),
            // lz4 corrects the length, and also stores that of a file on standard input.
            (Format::Lz4, _) => options.plain_len = opened.rest().ok().and_then(|rest| rest.size().ok()),
            _ => {}
        }
    }
    if ![Format::Gzip, Format::Zip].contains(&options.format) {
        return (options, 0);
    }
    let Layout::Single(member) = &mut options.layout else {
        return (options, 0);
    };
    let named = opened.path.as_deref().and_then(Path::file_name).filter(|_| request.origin.name);
    let name = named.or(request.origin.alias.as_deref());
    let mut modified = 0;
    if request.origin.time && opened.facts.is_file() {
        match u32::try_from(opened.facts.modified().seconds) {
            Ok(time @ 1..) => modified = time,
            _ => complain(Kind::TimeOutOfRange.into()),
        }
    }
    let bytes = |text: &OsStr| text.as_encoded_bytes().to_vec();
    member.name = name.map(bytes);
    member.modified = modified;
    member.comment = request.origin.comment.as_deref().map(bytes);
    let overhead = overhead_of(member);
    (options, overhead)
}

/// Length of header and trailer of the first member of coded input. Returns 0 if the header cannot be read, or if no
/// message needs the length.
pub(super) fn overhead(opened: &OpenInput, request: &Request) -> u64 {
    let member = (request.reporting.verbosity.verbose > 0).then(|| member(opened)).flatten();
    member.map_or(0, |member| overhead_of(&member))
}

/// Length of header and trailer of a member.
pub(super) fn overhead_of(member: &Member) -> u64 {
    let texts = [&member.name, &member.comment].into_iter().flatten();
    FIXED_LEN + texts.map(|text| text.len() as u64 + 1).sum::<u64>()
}

/// The path of the output beside an input. Nothing if the input has no known suffix.
pub(super) fn path_beside(path: &Path, opened: &OpenInput, request: &Request) -> Option<PathBuf> {
    match request.mode() {
        Mode::Compress => Some(coded_path(path, request)),
        Mode::Recode => Some(coded_path(&plain_path(path, request)?, request)),
        _ => Some(restored_path(plain_path(path, request)?, opened, request)),
    }
}

/// The path to decompress to. If the request restores names and the header has one, the last part of `path` is
/// replaced by that name.
fn restored_path(path: PathBuf, opened: &OpenInput, request: &Request) -> PathBuf {
    let member = request.origin.name.then(|| member(opened)).flatten();
    let stored = member.and_then(|member| member.name).map(system::name::from_bytes);
    // Folders in the stored name are ignored: the output is always beside the input.
    match stored.as_deref().and_then(system::name::of_file) {
        Some(stored) => path.with_file_name(stored),
        None => path,
    }
}

/// The stored time, if the request restores times and the header has one. A gzip file that is compressed again keeps
/// its own time.
pub(super) fn restored_time(opened: &OpenInput, request: &Request) -> Option<SystemTime> {
    let is_restored = request.origin.time && request.mode() != Mode::Compress;
    let member = is_restored.then(|| member(opened)).flatten()?;
    (member.modified != 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(member.modified.into()))
}

/// Reads the header of the first member of a regular file. Returns `None` if there is none or if it is damaged: the
/// decoder reports damage. For standard input this must be called before decoding, because decoding moves the
/// position.
pub(super) fn member(opened: &OpenInput) -> Option<Member> {
    if !opened.facts.is_file() {
        return None;
    }
    let mut head = vec![0; HEAD_LEN];
    // Decoding may have moved the position of the file. A file that was opened by its name begins at 0.
    let start = if opened.path.is_some() { 0 } else { (&opened.file).stream_position().ok()? };
    let len = ReadAt::read_at(&opened.file, &mut head, start).ok()?;
    Member::read(&head[..len]).ok().flatten()
}
