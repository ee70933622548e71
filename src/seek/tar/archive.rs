//! [`Archive`]: a tar archive of the chosen members, with their bytes as they are in the archive that they are from.
//!
//! A global pax header says something of all members behind it, and not all of them are copied. So a member of which
//! such a header says something gets a global header of its own, with all that is known of it.

use std::io::Write;

use pzcomp::tar::Member;

use super::super::write;
use super::Problems;
use super::extractor::Take;
use crate::error::CliError;
use crate::tool::Status;

const BLOCK_LEN: usize = 512;

/// Ends an archive.
pub(super) const END: [u8; 2 * BLOCK_LEN] = [0; 2 * BLOCK_LEN];

/// An archive of the members of several archives.
#[derive(Default)]
pub(super) struct Joined {
    /// Whether a global header was written.
    is_global: bool,
    /// Whether an end belongs behind what was written.
    pub(super) has_end: bool,
}

pub(super) struct Archive<'a, W> {
    out: &'a mut W,
    problems: &'a mut Problems,
    joined: &'a mut Joined,
    /// Whether a member was begun, and is not complete.
    is_within: bool,
}

impl<'a, W: Write> Archive<'a, W> {
    pub(super) fn new(out: &'a mut W, problems: &'a mut Problems, joined: &'a mut Joined) -> Self {
        Self { out, problems, joined, is_within: false }
    }
}

impl<W: Write + Send> Take for Archive<'_, W> {
    fn wants_archive(&self) -> bool {
        true
    }

    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        self.is_within = true;
        self.joined.is_global |= member.is_global;
        if self.joined.is_global {
            write(self.out, &global_header(member))?;
        }
        Ok(true)
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        write(self.out, bytes)
    }

    fn end(&mut self) -> Result<(), CliError> {
        self.is_within = false;
        Ok(())
    }

    fn give_up(&mut self) -> bool {
        !self.is_within
    }

    fn problem(&mut self, status: Status, name: &[u8], what: String) {
        self.problems.add(status, name, what);
    }
}

/// A global pax header that says all of this member.
fn global_header(member: &Member) -> Vec<u8> {
    let mut records = Vec::new();
    let mut record = |key: &str, value: &[u8]| {
        // The length counts its own digits.
        let rest = key.len() + value.len() + 3;
        let len = (rest..).find(|len| rest + len.to_string().len() == *len).unwrap_or(rest);
        records.extend(format!("{len} {key}=").into_bytes());
        records.extend(value);
        records.push(b'\n');
    };
    let mtime = match (member.mtime, member.mtime_nanos) {
        (seconds, 0) => seconds.to_string(),
        (seconds @ 0.., nanos) => format!("{seconds}.{nanos:09}"),
        // The fraction counts backwards.
        (seconds, nanos) => format!("-{}.{:09}", -(seconds + 1), 1_000_000_000 - nanos),
    };
    record("path", &member.name);
    if !member.link.is_empty() {
        record("linkpath", &member.link);
    }
    record("mtime", mtime.as_bytes());
    record("uid", member.uid.to_string().as_bytes());
    record("gid", member.gid.to_string().as_bytes());
    record("uname", &member.user);
    record("gname", &member.group);
    let mut header = vec![0; BLOCK_LEN];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, b"pax_global_header");
    put(100, b"0000644\0");
    put(124, format!("{:011o}\0", records.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        g");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header.extend_from_slice(&records);
    header.resize(header.len().next_multiple_of(BLOCK_LEN), 0);
    header
}
