//! [`Patient`]: an input that goes on behind sectors that cannot be read.
//!
//! The system refuses a whole read if one sector in it is bad. Then shorter reads are tried, down to one sector, and zeros
//! take the place of what cannot be read: its hash is wrong, so it counts as damaged. `Repair` uses it; `Protect` uses a
//! strict one, because records of zeros would be wrong.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::Mutex;

use pzcomp_recovery::Source;
use rustix::io::Errno;

use crate::error::Error;
use engine::io::{RandomAccess, ReadAt};

/// The lengths that are tried if a read fails: a page and a sector.
const STEPS: [usize; 2] = [4096, 512];

/// A range of an input.
pub(super) struct Patient<'a> {
    place: RandomAccess<'a>,
    range: Range<u64>,
    is_strict: bool,
    /// The first error of the input.
    failed: Mutex<Option<Error>>,
}

impl<'a> Patient<'a> {
    pub(super) fn new(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        Self { place, range, is_strict: false, failed: Mutex::new(None) }
    }

    /// An input of which every byte must be readable.
    pub(super) fn strict(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        Self { is_strict: true, ..Self::new(place, range) }
    }

    /// The error of the input that was met, or this one.
    pub(super) fn read_error(&self, error: io::Error) -> Error {
        let failed = self.failed.lock().ok().and_then(|mut failed| failed.take());
        failed.unwrap_or(Error::Read { offset: 0, source: error })
    }

    /// Fills `bytes`. Where nothing can be read, with zeros.
    fn fill(&self, bytes: &mut [u8], at: u64, steps: &[usize]) -> Result<(), Error> {
        let start = self.range.start + at;
        match self.place.read_at(bytes, start).map_err(Error::from) {
            Ok(read) if read == bytes.len() => Ok(()),
            Ok(read) => Err(Error::Shrank { expected: self.range.end, found: start + read as u64 }),
            Err(Error::Read { source, .. }) if !self.is_strict && is_bad_sector(&source) => {
                let Some((&step, steps)) = steps.split_first() else {
                    bytes.fill(0);
                    return Ok(());
                };
                // Reads end where sectors do.
                let mut from = 0;
                while from < bytes.len() {
                    let here = start + from as u64;
                    let to = (from + step - (here % step as u64) as usize).min(bytes.len());
                    self.fill(&mut bytes[from..to], at + from as u64, steps)?;
                    from = to;
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

fn is_bad_sector(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}

impl Source for Patient<'_> {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.fill(bytes, at, &STEPS).map_err(|error| {
            let kind = match &error {
                Error::Read { source, .. } => source.kind(),
                _ => ErrorKind::UnexpectedEof,
            };
            if let Ok(mut failed) = self.failed.lock() {
                failed.get_or_insert(error);
            }
            kind.into()
        })
    }
}

impl ReadAt for Patient<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.len().saturating_sub(offset);
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        Source::read_at(self, &mut buffer[..len], offset).map(|()| len)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len())
    }
}
