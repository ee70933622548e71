//! [`Data`]: the data of regular files, one after the other, as `tar -xO` writes it.

use std::io::Write;

use pzcomp::printable;
use pzcomp::tar::{Kind, Member};

use super::super::write;
use super::Problems;
use super::extractor::Take;
use crate::cli::error::CliError;

/// So many zeros are written at a time.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

pub(super) struct Data<'a, W> {
    out: &'a mut W,
    problems: &'a mut Problems,
}

impl<'a, W: Write> Data<'a, W> {
    pub(super) fn new(out: &'a mut W, problems: &'a mut Problems) -> Self {
        Self { out, problems }
    }
}

impl<W: Write + Send> Take for Data<'_, W> {
    fn begin(&mut self, member: &Member) -> Result<bool, CliError> {
        match member.kind() {
            Kind::File => Ok(true),
            Kind::HardLink => {
                let what = format!(
                    "is another name of '{0}', which has the data; extract '{0}'",
                    printable(&member.link)
                );
                self.problems.error(&member.name, what);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        write(self.out, bytes)
    }

    fn hole(&mut self, mut len: u64) -> Result<(), CliError> {
        while len > 0 {
            let here = len.min(ZEROS.len() as u64);
            write(self.out, &ZEROS[..here as usize])?;
            len -= here;
        }
        Ok(())
    }
}
