//! [`Comparison`]: compares the plain data that was decoded with the checksums of the data that was read.
//!
//! `mod.rs` makes it the output of the second decompression. The data comes in the order of the stream, in slices of
//! any length. The checksum of a chunk is there before the output of the chunk is, so a comparison never waits.

use std::io::{Error as SystemError, Result as SystemResult, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::compress::{PlainSum, PlainSums};
use crate::error::{Error, Result};
use crate::summary::{Summary, Trailing};

/// Takes the decoded data in order.
pub(super) struct Comparison<'a> {
    sums: &'a PlainSums,
    /// Offset of the next byte.
    at: u64,
    chunk: Option<Chunk>,
    /// What is wrong.
    failure: Option<String>,
}

/// A chunk that is being decoded.
struct Chunk {
    start: u64,
    expected: PlainSum,
    left: u64,
    found: Xxh3,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(sums: &'a PlainSums) -> Self {
        Self { sums, at: 0, chunk: None, failure: None }
    }

    /// The judgement, with the result of decoding.
    pub(super) fn verdict(self, decoded: Result<Summary>) -> Result<Summary> {
        let wrong = |what| Err(Error::NotVerified { what });
        if let Some(what) = self.failure {
            return wrong(what);
        }
        match decoded {
            // Nothing was learnt about the output.
            Err(error @ (Error::Memory { .. } | Error::NoMemory { .. } | Error::Threads { .. })) => {
                Err(error)
            }
            Err(Error::Read { offset, source }) => {
                wrong(format!("it cannot be read again at offset {offset}: {source}"))
            }
            Err(error) => wrong(format!("decoding it fails with: {error}")),
            Ok(summary) if summary.trailing != Trailing::default() => {
                wrong("other bytes follow its last frame".into())
            }
            Ok(summary) => match summary.remarks.first() {
                // An index that does not fit the frames is a remark for other readers.
                Some(remark) => wrong(remark.clone()),
                None => Ok(summary),
            },
        }
    }

    /// Takes bytes of one chunk. Returns how many.
    fn take(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let at = self.at;
        let chunk = match &mut self.chunk {
            Some(chunk) => chunk,
            None => {
                let expected = self.sums.take(at);
                let expected = expected
                    .ok_or_else(|| format!("it has plain data from offset {at} on that was never read"))?;
                let chunk = Chunk { start: at, expected, left: expected.len, found: Xxh3::new() };
                self.chunk.insert(chunk)
            }
        };
        let len = usize::try_from(chunk.left).unwrap_or(usize::MAX).min(bytes.len());
        chunk.found.update(&bytes[..len]);
        chunk.left -= len as u64;
        self.at += len as u64;
        if chunk.left == 0 {
            let (start, is_equal) = (chunk.start, chunk.found.digest128() == chunk.expected.sum);
            self.chunk = None;
            if !is_equal {
                let end = self.at;
                return Err(format!(
                    "its plain bytes from offset {start} to {end} are not those that were read"
                ));
            }
        }
        Ok(len)
    }
}

impl Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> SystemResult<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.take(bytes).map_err(|what| {
            let error = SystemError::other(what.clone());
            self.failure.get_or_insert(what);
            error
        })
    }

    fn flush(&mut self) -> SystemResult<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(noted: &[&[u8]], decoded: &[&[u8]]) -> std::result::Result<u64, String> {
        let (sums, mut at) = (PlainSums::default(), 0);
        for chunk in noted {
            sums.note(at, chunk);
            at += chunk.len() as u64;
        }
        let mut comparison = Comparison::new(&sums);
        let wrote = decoded.iter().try_for_each(|bytes| comparison.write_all(bytes));
        let at = comparison.at;
        let decoded = wrote.map(|()| Summary::default()).map_err(|source| Error::Write { offset: 0, source });
        comparison.verdict(decoded).map(|_| at).map_err(|error| error.to_string())
    }

    #[test]
    fn the_same_data_is_right_however_it_is_divided() {
        assert_eq!(
            compared(&[b"three", b"in", b"the morning"], &[b"threeint", b"he ", b"", b"morning"]),
            Ok(18)
        );
        assert_eq!(compared(&[], &[]), Ok(0));
        assert_eq!(compared(&[b"", b"a", b""], &[b"a"]), Ok(1));
    }

    #[test]
    fn data_that_differs_is_named_with_its_place() {
        let found = compared(&[b"three", b"in"], &[b"three", b"on"]).unwrap_err();
        assert!(found.contains("from offset 5 to 7 are not"), "{found}");
        let found = compared(&[b"three"], &[b"threein"]).unwrap_err();
        assert!(found.contains("from offset 5 on that was never read"), "{found}");
        // The chunks are the same, but their order is not.
        let found = compared(&[b"ab", b"cd"], &[b"cdab"]).unwrap_err();
        assert!(found.contains("from offset 0 to 2 are not"), "{found}");
    }
}
