//! What becomes an [`Input`] or an [`Output`] by itself: slices, vectors, files, boxed streams, and values that are
//! read or written at offsets.
//!
//! Callers pass such a value to a run. A conversion cannot fail. If a file does not say what it is, it is read or
//! written in order. If a source does not state its length, reading it is the error.

use std::fs::File;
use std::io::{Error, Read, Result, Write};

use system::handle;

use super::{Input, Output, ReadAt, WriteAt};

impl<'a> Input<'a> {
    /// Any reader. The thread of the caller reads it in order.
    pub fn reader(reader: impl Read + 'a) -> Self {
        Self::Reader(Box::new(reader))
    }
}

impl<'a> From<&'a [u8]> for Input<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Memory(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Input<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Memory(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Input<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Memory(bytes)
    }
}

/// The file from its current offset, as by [`Input::from_file`].
impl<'a> From<&'a File> for Input<'a> {
    fn from(file: &'a File) -> Self {
        Self::from_file(file).unwrap_or_else(|_| Self::Fd(handle::of(file)))
    }
}

impl<'a> From<Box<dyn Read + 'a>> for Input<'a> {
    fn from(reader: Box<dyn Read + 'a>) -> Self {
        Self::Reader(reader)
    }
}

/// All bytes of the source.
impl<'a> From<&'a dyn ReadAt> for Input<'a> {
    fn from(source: &'a dyn ReadAt) -> Self {
        match source.size() {
            Ok(end) => Self::At { source, start: 0, end },
            Err(error) => Self::reader(Failed(Some(error))),
        }
    }
}

/// A source that does not state its length.
struct Failed(Option<Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> Result<usize> {
        Err(self.0.take().unwrap_or_else(|| Error::other("the length of the source is not known")))
    }
}

impl<'a> Output<'a> {
    /// Any writer. A thread of its own writes to it in order.
    pub fn writer(writer: impl Write + Send + 'a) -> Self {
        Self::Writer(Box::new(writer))
    }
}

/// The output is appended to the vector.
impl<'a> From<&'a mut Vec<u8>> for Output<'a> {
    fn from(vector: &'a mut Vec<u8>) -> Self {
        Self::writer(vector)
    }
}

/// Memory that holds all of the output.
impl<'a> From<&'a mut [u8]> for Output<'a> {
    fn from(memory: &'a mut [u8]) -> Self {
        Self::Memory(memory)
    }
}

/// The file from its current offset on, as by [`Output::from_file`].
impl<'a> From<&'a File> for Output<'a> {
    fn from(file: &'a File) -> Self {
        Self::from_file(file).unwrap_or_else(|_| Self::writer(file))
    }
}

impl<'a> From<Box<dyn Write + Send + 'a>> for Output<'a> {
    fn from(writer: Box<dyn Write + Send + 'a>) -> Self {
        Self::Writer(writer)
    }
}

impl<'a> From<&'a dyn WriteAt> for Output<'a> {
    fn from(target: &'a dyn WriteAt) -> Self {
        Self::At(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lost;

    impl ReadAt for Lost {
        fn read_at(&self, _: &mut [u8], _: u64) -> Result<usize> {
            Ok(0)
        }

        fn size(&self) -> Result<u64> {
            Err(Error::other("the tape is lost"))
        }
    }

    #[test]
    fn a_source_without_a_length_fails_when_it_is_read() {
        let Input::Reader(mut reader) = Input::from(&Lost as &dyn ReadAt) else { panic!("it has a length") };
        let error = reader.read(&mut [0; 1]).unwrap_err();
        assert_eq!(error.to_string(), "the tape is lost");
        assert!(reader.read(&mut [0; 1]).is_err());
    }

    #[test]
    fn a_file_is_placed_and_a_pipe_is_read_in_order() {
        let file = tempfile::tempfile().unwrap();
        (&file).write_all(b"three").unwrap();
        assert!(matches!(Input::from(&file), Input::File { start: 5, len: 5, .. }));
        assert!(matches!(Output::from(&file), Output::File { start: 5, .. }));
        let null = File::open(if cfg!(windows) { "NUL" } else { "/dev/null" }).unwrap();
        assert!(matches!(Input::from(&null), Input::Fd(_)));
        assert!(matches!(Output::from(&null), Output::Writer(_)));
    }
}
