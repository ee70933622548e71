//! [`Output`]: where the bytes of a stream go.
//!
//! A caller gives an `Output` to the library, and the sink of the pipeline writes to it. If the output has offsets, as
//! a file or memory, the workers write to it themselves. An [`OutputStream`] is an output that one thread writes in
//! order.

use std::fs::File;
use std::io::{Error as SystemError, ErrorKind, Seek, SeekFrom, Write};

use system::facts::Facts;
use system::handle;

use super::{BlockingWriter, PlacedFile, WriteAt};
use crate::error::{Error, Result};

/// Where bytes go. Workers write regular files and memory themselves, each at its own offset.
///
/// ```
/// # use pzcomp_engine::io as pzcomp;
/// use pzcomp::Output;
///
/// let file = tempfile::tempfile()?;
/// assert!(matches!(Output::from_file(&file)?, Output::File { start: 0, .. }));
///
/// let mut coded = Vec::new();
/// let _ = Output::Writer(Box::new(&mut coded));
/// # Ok::<(), std::io::Error>(())
/// ```
#[non_exhaustive]
pub enum Output<'a> {
    /// Any writer. A thread of its own writes to it in order.
    Writer(Box<dyn Write + Send + 'a>),
    /// A regular file, from `start` on.
    File {
        /// The file, open for writing and not for appending.
        file: &'a File,
        /// Offset of the first byte to write.
        start: u64,
    },
    /// Memory. The workers fill it. It is an error if the output is longer.
    Memory(&'a mut [u8]),
    /// A value of the caller that is written at offsets, such as memory that grows. The workers write to it.
    At(&'a dyn WriteAt),
    /// Nowhere. The data is only checked.
    Nothing,
}

impl<'a> Output<'a> {
    /// The fastest way to write to this file from its current offset: at offsets if it is a regular file, and in order
    /// otherwise. An error of the system is returned.
    pub fn from_file(file: &'a File) -> std::io::Result<Self> {
        // The system ignores offsets if a file is open for appending.
        if Facts::of(file)?.is_file() && !system::place::appends(file)? {
            return Ok(Self::File { file, start: (&*file).stream_position()? });
        }
        system::pipe::grow(handle::of(file));
        Ok(Self::Writer(Box::new(BlockingWriter::new(handle::of(file)))))
    }

    /// The same output, which one thread writes in order if it is a file.
    pub fn in_order(self) -> Result<Self> {
        let Self::File { mut file, start } = self else { return Ok(self) };
        file.seek(SeekFrom::Start(start)).map_err(|source| Error::Write { offset: 0, source })?;
        Ok(Self::Writer(Box::new(file)))
    }
}

/// An output that one thread writes in order.
pub struct OutputStream<'a> {
    output: Output<'a>,
    /// The file, if the output is one.
    file: Option<PlacedFile<'a>>,
    written: u64,
    /// The most bytes that are written.
    max: Option<u64>,
}

impl<'a> OutputStream<'a> {
    /// An output. If it is a file, `holes` says whether zeros become holes.
    pub fn new(output: Output<'a>, holes: bool) -> Self {
        let file = match output {
            Output::File { file, start } => Some(PlacedFile::new(file, start).with_holes(holes)),
            _ => None,
        };
        Self { output, file, written: 0, max: None }
    }

    /// Limits what is written, or lifts the limit. Where a byte more would be written, there is an error.
    pub fn limit(&mut self, max: Option<u64>) {
        self.max = max;
    }

    /// Bytes that were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes behind what was written. An error says how far it came.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(allowed) = self.max else { return self.write_allowed(bytes) };
        let room = usize::try_from(allowed.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let (bytes, more) = bytes.split_at(room.min(bytes.len()));
        self.write_allowed(bytes)?;
        if more.is_empty() { Ok(()) } else { Err(Error::OutputLimit { allowed }) }
    }

    fn write_allowed(&mut self, bytes: &[u8]) -> Result<()> {
        let wrote = match &mut self.output {
            Output::Writer(writer) => {
                write_at(writer, bytes, self.written)?;
                Ok(())
            }
            Output::Memory(memory) => match std::mem::take(memory) {
                room if room.len() < bytes.len() => {
                    Err(SystemError::new(ErrorKind::WriteZero, "the memory for the output is full"))
                }
                room => {
                    let (now, later) = room.split_at_mut(bytes.len());
                    now.copy_from_slice(bytes);
                    *memory = later;
                    Ok(())
                }
            },
            Output::At(target) => target.write_all_at(bytes, self.written),
            Output::File { .. } | Output::Nothing => {
                self.file.map_or(Ok(()), |file| file.write_all_at(bytes, self.written))
            }
        };
        wrote.map_err(|source| Error::Write { offset: self.written, source })?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Writes so many zeros.
    pub fn write_zeros(&mut self, mut len: u64) -> Result<()> {
        if matches!(self.output, Output::Nothing) && self.max.is_none() {
            self.written += len;
            return Ok(());
        }
        let zeros = [0; 64 << 10];
        while len > 0 {
            let step = usize::try_from(len).unwrap_or(zeros.len()).min(zeros.len());
            self.write_all(&zeros[..step])?;
            len -= step as u64;
        }
        Ok(())
    }

    /// Makes everything that was written readable in a file.
    pub fn settle(&self) -> std::io::Result<()> {
        self.file.map_or(Ok(()), |file| file.extend(self.written))
    }

    /// Takes back the last bytes of a file. Other outputs stay as they are.
    pub fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.written -= len.min(self.written);
        self.file.map_or(Ok(()), |file| file.cut(self.written))
    }

    /// Ends the output, complete or not. The offset of a file is moved behind the output.
    pub fn finish(&mut self) -> Result<()> {
        let ended = match &mut self.output {
            Output::Writer(writer) => writer.flush(),
            Output::File { .. } | Output::Memory(_) | Output::At(_) | Output::Nothing => {
                self.file.map_or(Ok(()), |file| file.finish(self.written))
            }
        };
        ended.map_err(|source| Error::Write { offset: self.written, source })
    }
}

/// Writes to a writer that is at this offset. An error says how far it came.
pub fn write_at(writer: &mut (impl Write + ?Sized), mut bytes: &[u8], mut at: u64) -> Result<()> {
    while !bytes.is_empty() {
        match writer.write(bytes) {
            Ok(0) => return Err(Error::Write { offset: at, source: ErrorKind::WriteZero.into() }),
            Ok(len) => (bytes, at) = (&bytes[len..], at + len as u64),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::Write { offset: at, source }),
        }
    }
    Ok(())
}
