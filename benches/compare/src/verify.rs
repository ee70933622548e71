//! Compares a stream with the plain data.
//!
//! The measurement writes the output of a party to a [`Comparison`]. [`Comparison::finish`] then returns the first
//! difference, or nothing.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// Compares the bytes that are written to it with a file. A hash would be weaker, and could not say where the first
/// difference is.
pub struct Comparison {
    expected: BufReader<File>,
    offset: u64,
    found: Option<String>,
}

impl Comparison {
    pub fn with(expected: &Path) -> Result<Self, String> {
        let file =
            File::open(expected).map_err(|error| format!("cannot open {}: {error}", expected.display()))?;
        Ok(Self { expected: BufReader::with_capacity(128 << 10, file), offset: 0, found: None })
    }

    /// Ends the comparison after the last write. It is an error if bytes differ or are missing.
    pub fn finish(mut self) -> Result<(), String> {
        if let Some(difference) = self.found {
            return Err(difference);
        }
        match self.expected.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(format!("its data ends too early, after {} bytes", self.offset)),
            Err(error) => Err(format!("cannot read the plain data: {error}")),
        }
    }

    fn difference(&mut self, mut bytes: &[u8]) -> io::Result<Option<String>> {
        let mut expected = [0; 16 << 10];
        while !bytes.is_empty() {
            let len = bytes.len().min(expected.len());
            let len = self.expected.read(&mut expected[..len])?;
            if len == 0 {
                let message = format!("its data goes on after byte {}, the end", self.offset);
                return Ok(Some(message));
            }
            let (now, later) = bytes.split_at(len);
            if now != &expected[..len] {
                let equal = now.iter().zip(&expected).take_while(|(a, b)| a == b);
                let at = self.offset + equal.count() as u64;
                return Ok(Some(format!("its data is wrong from byte {at} on")));
            }
            self.offset += len as u64;
            bytes = later;
        }
        Ok(None)
    }
}

impl Write for Comparison {
    /// Takes everything. `finish` reports a difference.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.found.is_none() {
            self.found = self.difference(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workdir::WorkDir;
    use std::fs;

    fn compared(expected: &[u8], found: &[u8]) -> Result<(), String> {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("expected");
        fs::write(&file, expected).expect("room for it");
        let mut comparison = Comparison::with(&file).expect("just written");
        for part in found.chunks(5) {
            comparison.write_all(part).expect("takes everything");
        }
        comparison.finish()
    }

    #[test]
    fn every_difference_is_noticed() {
        let says =
            |found: &[u8], part| compared(b"plain data", found).is_err_and(|error| error.contains(part));
        assert_eq!(compared(b"plain data", b"plain data"), Ok(()));
        assert!(says(b"", "after 0 bytes"));
        assert!(says(b"plain", "after 5 bytes"));
        assert!(says(b"plain data!", "after byte 10"));
        assert!(says(b"plain dAta", "from byte 7 on"));
    }
}
