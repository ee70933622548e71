//! Name and time of the file that a gzip member was made of: into its header, and out of it.

use std::ffi::OsStr;
use std::io::Seek;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pzcomp::{Format, Layout, Member, Options};

use super::report::Report;
use super::request::{Mode, Request};
use super::source::Opened;
use super::trouble::{Kind, Trouble};

/// Bytes of a member that are neither data nor name: fixed header, CRC32 and ISIZE.
const FIXED_LEN: u64 = 10 + 8;

/// So much of a file is read for the header: names are short, extra fields below 64 KiB.
const HEAD_LEN: usize = 128 << 10;

/// The options for this input, with what its member says of it; and the length of header and trailer.
/// A pipe has neither name nor time, and standard input no name.
pub(super) fn stored(opened: &Opened, request: &Request, report: &mut Report) -> (Options, u64) {
    let mut options = request.options.clone();
    if request.origin.size && opened.metadata.is_file() {
        match opened.path {
            Some(_) if [Format::ZSTD, Format::LZ4].contains(&options.format) => {
                options.plain_len = Some(opened.metadata.len());
            }
            // lz4 stores the length of a file on standard input as well, zstd does not.
            None if options.format == Format::LZ4 => {
                let read = (&opened.file).stream_position().ok();
                options.plain_len = read.map(|read| opened.metadata.len().saturating_sub(read));
            }
            _ => {}
        }
    }
    if ![Format::GZIP, Format::ZIP].contains(&options.format) {
        return (options, 0);
    }
    let Layout::Single(member) = &mut options.layout else {
        return (options, 0);
    };
    let named = opened.path.as_deref().and_then(Path::file_name).filter(|_| request.origin.name);
    let name = named.or(request.origin.alias.as_deref());
    let mut modified = 0;
    if request.origin.time && opened.metadata.is_file() {
        match u32::try_from(opened.metadata.mtime()) {
            Ok(time @ 1..) => modified = time,
            _ => Trouble::from(Kind::TimeOutOfRange).tell(&opened.name(), report),
        }
    }
    let bytes = |text: &OsStr| text.as_bytes().to_vec();
    *member =
        Member { name: name.map(bytes), modified, comment: request.origin.comment.as_deref().map(bytes) };
    let overhead = overhead_of(member);
    (options, overhead)
}

/// Header and trailer of the first member of coded input, in bytes; 0 if it cannot be looked at.
pub(super) fn overhead(opened: &Opened, request: &Request) -> u64 {
    let member = (request.voice.verbose > 0).then(|| member(opened)).flatten();
    member.map_or(0, |member| overhead_of(&member))
}

/// Header and trailer of a member, in bytes.
pub(super) fn overhead_of(member: &Member) -> u64 {
    let texts = [&member.name, &member.comment].into_iter().flatten();
    FIXED_LEN + texts.map(|text| text.len() as u64 + 1).sum::<u64>()
}

/// The path to decompress to: its last part is the stored name, if that is wanted and there.
pub(super) fn restored(path: PathBuf, opened: &Opened, request: &Request) -> PathBuf {
    let member = request.origin.name.then(|| member(opened)).flatten();
    let stored = member.and_then(|member| member.name);
    // Whatever folders are stored, what is made is beside the input.
    match stored.as_deref().and_then(|stored| Path::new(OsStr::from_bytes(stored)).file_name()) {
        Some(stored) => path.with_file_name(stored),
        None => path,
    }
}

/// The stored time, if that is wanted and there. A gzip file that is compressed again keeps its own.
pub(super) fn restored_time(opened: &Opened, request: &Request) -> Option<SystemTime> {
    let is_restored = request.origin.time && request.mode != Mode::Compress;
    let member = is_restored.then(|| member(opened)).flatten()?;
    (member.modified != 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(member.modified.into()))
}

/// What the header of a file's first member says. What is wrong with it is found out by whoever decodes it;
/// of standard input only before that.
pub(super) fn member(opened: &Opened) -> Option<Member> {
    if !opened.metadata.is_file() {
        return None;
    }
    let mut head = vec![0; HEAD_LEN];
    // Reading may have moved on since; what was opened by its name begins at its start.
    let start = if opened.path.is_some() { 0 } else { (&opened.file).stream_position().ok()? };
    let len = opened.file.read_at(&mut head, start).ok()?;
    Member::read(&head[..len]).ok().flatten()
}
