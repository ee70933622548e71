//! [`BadSectorInput`]: an input that goes on behind sectors that cannot be read.
//!
//! The system refuses a whole read if one sector in it is bad. Then shorter reads are tried, down to one sector, and
//! zeros take the place of what cannot be read. The input notes these sectors ([`BadSectorInput::lacks`]), because
//! zeros are no data: a caller must verify what it makes of them, or lose it. `Repair` compares hashes, and `Salvage`
//! refuses frames without a check there. `Protect` uses a strict input, because records of zeros would be wrong.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use engine::io::{RandomAccess, ReadAt};
use system::place;

/// The lengths that are tried if a read fails: a page and a sector.
const STEPS: [usize; 2] = [4096, 512];

/// With more ranges than this that cannot be read, the medium is given up.
const RANGES_MAX: usize = 1 << 20;

/// A range of an input.
pub(crate) struct BadSectorInput<'a> {
    place: RandomAccess<'a>,
    range: Range<u64>,
    is_strict: bool,
    /// The first error of the input.
    failed: Mutex<Option<Error>>,
    /// The ranges that could not be read, by their starts. They do not touch each other.
    lacking: Mutex<BTreeMap<u64, u64>>,
}

impl<'a> BadSectorInput<'a> {
    pub(crate) fn new(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        Self {
            place,
            range,
            is_strict: false,
            failed: Mutex::new(None),
            lacking: Mutex::new(BTreeMap::new()),
        }
    }

    /// The error of the input that was met, or this one.
    pub(crate) fn read_error(&self, error: io::Error) -> Error {
        let failed = self.failed.lock().ok().and_then(|mut failed| failed.take());
        failed.unwrap_or(Error::Read { offset: 0, source: error })
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// The first range of these bytes that could not be read when it was asked for.
    pub(crate) fn lacks(&self, bytes: &Range<u64>) -> Option<Range<u64>> {
        let lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        let before = lacking.range(..=bytes.start).next_back().filter(|&(_, &end)| end > bytes.start);
        let (&start, &end) = before.or_else(|| lacking.range(bytes.start..bytes.end).next())?;
        (!bytes.is_empty()).then_some(start..end)
    }

    /// Fills `bytes`, which are in the input.
    pub(crate) fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> Result<()> {
        self.fill(bytes, at, &STEPS)
    }

    /// Fills `bytes`. Where nothing can be read, with zeros.
    fn fill(&self, bytes: &mut [u8], at: u64, steps: &[usize]) -> Result<()> {
        let start = self.range.start + at;
        // A medium takes seconds to refuse a sector, so no sector is tried twice.
        if self.lacks(&(at..at + bytes.len() as u64)).is_none() {
            match self.place.read_at(bytes, start).map_err(Error::from) {
                Ok(read) if read == bytes.len() => return Ok(()),
                Ok(read) => {
                    return Err(Error::Shrank { expected: self.range.end, found: start + read as u64 });
                }
                Err(Error::Read { source, .. }) if !self.is_strict && place::is_bad_sector(&source) => {}
                Err(error) => return Err(error),
            }
        }
        let Some((&step, steps)) = steps.split_first() else {
            bytes.fill(0);
            return self.note(at..at + bytes.len() as u64);
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

    /// Notes a range that cannot be read.
    fn note(&self, mut range: Range<u64>) -> Result<()> {
        let mut lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        if lacking.len() >= RANGES_MAX {
            return Err(Error::Read { offset: range.start, source: place::refusal_of_sector() });
        }
        while let Some((&start, &end)) = lacking.range(..=range.end).next_back()
            && end >= range.start
        {
            range = start.min(range.start)..end.max(range.end);
            lacking.remove(&start);
        }
        lacking.insert(range.start, range.end);
        Ok(())
    }
}

impl<'a> BadSectorInput<'a> {
    /// An input of which every byte must be readable.
    #[cfg_attr(not(feature = "recovery"), allow(dead_code))]
    pub(crate) fn strict(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        Self { is_strict: true, ..Self::new(place, range) }
    }

    /// Like [`Self::read_exact_at`] for callers that know only errors of the system. [`Self::read_error`] has the whole
    /// one.
    pub(crate) fn fill_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.read_exact_at(bytes, at).map_err(|error| {
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

impl ReadAt for BadSectorInput<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.len().saturating_sub(offset);
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        self.fill_at(&mut buffer[..len], offset).map(|()| len)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input of sevens in which some bytes are on bad sectors.
    struct Bad(Vec<Range<u64>>, Mutex<u64>);

    impl ReadAt for Bad {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let here = offset..offset + buffer.len() as u64;
            if self.0.iter().any(|bad| bad.start < here.end && here.start < bad.end) {
                *self.1.lock().unwrap() += 1;
                return Err(place::refusal_of_sector());
            }
            buffer.fill(7);
            Ok(buffer.len())
        }

        fn size(&self) -> io::Result<u64> {
            Ok(100_000)
        }
    }

    #[test]
    fn sectors_that_cannot_be_read_are_zeros_and_noted_and_tried_once() {
        let bad = Bad(vec![5000..5001, 9000..9100, 99_999..100_000], Mutex::new(0));
        let input = BadSectorInput::new(RandomAccess::Source(&bad), 100..100_000);
        let mut bytes = vec![1; 99_900];
        input.read_exact_at(&mut bytes, 0).unwrap();
        let expected: [Range<u64>; 3] =
            [4608 - 100..5120 - 100, 8704 - 100..9216 - 100, 99_840 - 100..99_900];
        for (at, byte) in bytes.iter().enumerate() {
            let is_bad = expected.iter().any(|bad| bad.contains(&(at as u64)));
            assert_eq!(*byte, if is_bad { 0 } else { 7 }, "{at}");
        }
        let mut from = 0;
        for range in &expected {
            assert_eq!(input.lacks(&(from..99_900)), Some(range.clone()));
            assert_eq!(input.lacks(&(range.start + 1..range.start + 2)), Some(range.clone()));
            from = range.end;
        }
        assert_eq!((input.lacks(&(0..4508)), input.lacks(&(5020..8604))), (None, None));
        let tries = *bad.1.lock().unwrap();
        input.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(tries, *bad.1.lock().unwrap());

        let strict = BadSectorInput::strict(RandomAccess::Source(&bad), 0..100_000);
        assert!(strict.read_exact_at(&mut bytes, 0).is_err());
    }
}
