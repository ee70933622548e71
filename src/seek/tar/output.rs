//! [`Data`]: the data of regular files, one after the other, as `tar -xO` writes it.

use std::io::Write;

use pzcomp::printable;
use pzcomp::tar::{Kind, Member};

use super::super::write;
use super::Problems;
use super::choice::is_named;
use super::extractor::Take;
use crate::error::CliError;
use crate::tool::Status;

/// So many zeros are written at a time.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

pub(super) struct Data<'a, W> {
    out: &'a mut W,
    problems: &'a mut Problems,
    /// The names that are chosen.
    names: &'a [Vec<u8>],
    /// Whether some data of a member was written, and not all.
    is_within: bool,
}

impl<'a, W: Write> Data<'a, W> {
    pub(super) fn new(out: &'a mut W, problems: &'a mut Problems, names: &'a [Vec<u8>]) -> Self {
        Self { out, problems, names, is_within: false }
    }
}

impl<W: Write + Send> Take for Data<'_, W> {
    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        match member.kind() {
            Kind::File | Kind::Unknown => Ok(true),
            Kind::HardLink => {
                let what = format!(
                    "is another name of '{0}'; extract '{0}', which leads to the data",
                    printable(&member.link)
                );
                self.problems.error(&member.name, what);
                Ok(false)
            }
            kind => {
                let what = match kind {
                    Kind::Symlink => {
                        format!("is a symbolic link to '{}', and has no data", printable(&member.link))
                    }
                    Kind::Directory => return Ok(false),
                    _ => "is no file with data".into(),
                };
                // Wildcards and folders take such members along.
                if is_named(self.names, &member.name) {
                    self.problems.error(&member.name, what);
                }
                Ok(false)
            }
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.is_within = true;
        write(self.out, bytes)
    }

    fn hole(&mut self, mut len: u64) -> Result<(), CliError> {
        self.is_within = true;
        while len > 0 {
            let here = len.min(ZEROS.len() as u64);
            write(self.out, &ZEROS[..here as usize])?;
            len -= here;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), CliError> {
        self.is_within = false;
        Ok(())
    }

    fn give_up(&mut self) -> bool {
        !self.is_within
    }

    fn has_target(&self, _: &Member) -> bool {
        false
    }

    fn problem(&mut self, status: Status, name: &[u8], what: String) {
        self.problems.add(status, name, what);
    }
}
