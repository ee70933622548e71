//! Compares a stream with the plain data.
//!
//! The measurement writes the output of a party to a [`Comparison`]. [`Comparison::finish`] then returns the first
//! difference, or nothing. A hash would be weaker, and could not say where the first difference is.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// Compares the bytes that are written to it with a file.
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
        match (self.found, self.expected.read(&mut [0])) {
            (Some(difference), _) => Err(difference),
            (None, Ok(0)) => Ok(()),
            (None, Ok(_)) => Err(format!("its data ends too early, after {} bytes", self.offset)),
            (None, Err(error)) => Err(format!("cannot read the plain data: {error}")),
        }
    }
}

impl Write for Comparison {
    /// Takes everything. `finish` reports a difference.
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        let (all, mut expected) = (bytes.len(), [0; 16 << 10]);
        while self.found.is_none() && !bytes.is_empty() {
            let len = bytes.len().min(expected.len());
            let len = self.expected.read(&mut expected[..len])?;
            let (now, later) = bytes.split_at(len);
            let equal = now.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            self.offset += equal as u64;
            if len == 0 {
                self.found = Some(format!("its data goes on after byte {}, the end", self.offset));
            } else if equal < len {
                self.found = Some(format!("its data is wrong from byte {} on", self.offset));
            }
            bytes = later;
        }
        Ok(all)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workdir::WorkDir;

    #[test]
    fn every_difference_is_noticed() {
        let dir = WorkDir::new(None, 0).expect("a temporary folder");
        let file = dir.file("expected");
        std::fs::write(&file, b"plain data").expect("room for it");
        for (found, says) in [
            ("plain data", None),
            ("", Some("after 0 bytes")),
            ("plain", Some("after 5 bytes")),
            ("plain data!", Some("after byte 10")),
            ("plain dAta", Some("from byte 7 on")),
        ] {
            let mut comparison = Comparison::with(&file).expect("just written");
            for part in found.as_bytes().chunks(5) {
                comparison.write_all(part).expect("takes everything");
            }
            let said = comparison.finish().err();
            assert_eq!(said.is_some(), says.is_some(), "{found}: {said:?}");
            assert!(said.unwrap_or_default().contains(says.unwrap_or_default()), "{found}");
        }
    }
}
