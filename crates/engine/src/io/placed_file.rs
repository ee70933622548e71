//! [`PlacedFile`]: a regular file as an output, written at offsets by any number of threads.
//!
//! The sink of the pipeline and [`OutputStream`](super::OutputStream) write to it. If zeros are to become holes, a
//! block of the file system that gets only zeros is not written. A hole reads as zeros, but only where the file had no
//! data before. So holes are made only behind the end of the file.

use std::fs::File;
use std::io::{Error, Result, Seek, SeekFrom};

use system::place::write_all_at;

/// The length of a block of usual file systems. Shorter holes would save nothing.
const BLOCK: usize = 4 << 10;

static ZEROS: [u8; BLOCK] = [0; BLOCK];

/// A file, and the offset in it at which the output starts.
#[derive(Clone, Copy)]
pub struct PlacedFile<'a> {
    file: &'a File,
    start: u64,
    holes: bool,
}

impl<'a> PlacedFile<'a> {
    /// A file to which an output is written from `start` on.
    pub fn new(file: &'a File, start: u64) -> Self {
        Self { file, start, holes: false }
    }

    /// The same file, with holes in place of zeros if they are `wanted` and nothing of the file would be overwritten.
    pub fn with_holes(self, wanted: bool) -> Self {
        let is_behind =
            || self.file.metadata().is_ok_and(|there| there.is_file() && there.len() <= self.start);
        Self { holes: wanted && is_behind(), ..self }
    }

    /// Whether bytes behind the end can be written before those in between. Programs that serve files for FUSE, as for
    /// a store of objects, may not take that. Nothing is lost by the order: there the system writes one piece at a
    /// time.
    pub(crate) fn takes_any_order(self) -> bool {
        !system::file::is_of_fuse(self.file)
    }

    /// Writes at an offset of the output.
    pub fn write_all_at(self, bytes: &[u8], at: u64) -> Result<()> {
        let mut at = self.start + at;
        if !self.holes {
            return write_all_at(self.file, bytes, at);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let (run, is_zero) = run_of_blocks(rest, at);
            if !is_zero && let Err(refusal) = write_all_at(self.file, &rest[..run], at) {
                self.fill_up_to(at, refusal)?;
                write_all_at(self.file, &rest[..run], at)?;
            }
            (rest, at) = (&rest[run..], at + run as u64);
        }
        Ok(())
    }

    /// Takes back what is behind this offset of the output.
    pub fn cut(self, at: u64) -> Result<()> {
        self.file.set_len(self.start + at)
    }

    /// Makes a hole at the end part of the file, so that the file can be read up to this offset of the output.
    pub fn extend(self, len: u64) -> Result<()> {
        if self.holes && self.file.metadata()?.len() < self.start + len {
            let end = self.start + len;
            return self.file.set_len(end).or_else(|refusal| self.fill_up_to(end, refusal));
        }
        Ok(())
    }

    /// Writes the zeros of a hole at the end of the file, which the file system has refused to make. That is only done
    /// where nothing else writes to the file meanwhile, so that no data is overwritten.
    fn fill_up_to(self, end: u64, refusal: Error) -> Result<()> {
        let len = self.file.metadata()?.len();
        if self.takes_any_order() || len >= end {
            return Err(refusal);
        }
        let mut at = len;
        while at < end {
            let run = usize::try_from(end - at).unwrap_or(usize::MAX).min(ZEROS.len());
            write_all_at(self.file, &ZEROS[..run], at)?;
            at += run as u64;
        }
        Ok(())
    }

    /// Ends an output of this length, complete or not. The offset of the file
    /// is moved behind the output, because another process may share the open file.
    pub fn finish(self, len: u64) -> Result<()> {
        self.extend(len)?;
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.start + len)).map(drop)
    }
}

/// The length of the blocks at the start of `bytes` that are all zero, or that all have something else. `at` is the
/// offset in the file.
fn run_of_blocks(bytes: &[u8], at: u64) -> (usize, bool) {
    let first = BLOCK - (at % BLOCK as u64) as usize;
    let is_zero = |block: &[u8]| *block == ZEROS[..block.len()];
    let mut run = first.min(bytes.len());
    let kind = is_zero(&bytes[..run]);
    while run < bytes.len() {
        let end = bytes.len().min(run + BLOCK);
        if is_zero(&bytes[run..end]) != kind {
            break;
        }
        run = end;
    }
    (run, kind)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn any_division_of_any_zeros_reads_as_it_was_written() {
        let mut data = vec![0; 50_000];
        for at in [0, 5_000, 8_191, 8_192, 20_479, 20_480, 36_000] {
            data[at] = 1;
        }
        data.extend(vec![0; 30_000]);
        for start in [0, 1, 4_095, 4_096, 5_000] {
            for step in [1_000, 4_096, 7_777, 80_000] {
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&vec![7; start]).unwrap();
                let placed = PlacedFile::new(&file, start as u64).with_holes(true);
                let pieces: Vec<_> = data.chunks(step).enumerate().collect();
                // Workers write in any order.
                for (number, piece) in pieces.into_iter().rev() {
                    placed.write_all_at(piece, (number * step) as u64).unwrap();
                }
                placed.finish(data.len() as u64).unwrap();
                assert_eq!(file.stream_position().unwrap(), (start + data.len()) as u64);
                file.rewind().unwrap();
                let mut found = Vec::new();
                file.read_to_end(&mut found).unwrap();
                assert!(found[..start].iter().all(|&byte| byte == 7), "{start} {step}");
                assert!(found[start..] == data, "{start} {step}");
            }
        }
    }

    #[test]
    fn zeros_overwrite_data_that_is_there() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 20_000]).unwrap();
        let placed = PlacedFile::new(&file, 0).with_holes(true);
        placed.write_all_at(&[0; 10_000], 0).unwrap();
        placed.finish(10_000).unwrap();
        file.rewind().unwrap();
        let mut found = Vec::new();
        file.read_to_end(&mut found).unwrap();
        assert!(found[..10_000].iter().all(|&byte| byte == 0) && found[10_000..] == [7; 10_000]);
    }
}
