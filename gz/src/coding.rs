//! How a file is written: as it is, by deflate of zlib, or parallel.
//!
//! ```text
//! gathered ──▶ parallel     much data without a flush: one member on all cores
//!     └──────▶ inline       a flush or the end of a short file
//! inline ────▶ parallel     much data after the last flush: another member
//! any ───────▶ gathered     the end of a member
//! ```

use std::ffi::c_int;

use crate::fault::Fault;
use crate::handle::Failed;
use crate::parallel::Encoding;
use crate::settings::settings;
use crate::writing::Writing;
use crate::zlib::{Deflate, ERRNO, FINISH, NO_FLUSH};

pub(crate) struct Coder {
    state: State,
    /// The inline encoder, which further members use again.
    deflate: Option<Box<Deflate>>,
}

enum State {
    /// Nothing of the member is written yet.
    Gathered(Vec<u8>),
    /// Plain bytes since the last flush, or since the parallel encoder could not begin.
    Inline(u64),
    Parallel(Box<Encoding>),
}

impl Default for Coder {
    fn default() -> Self {
        Self { state: State::Gathered(Vec::new()), deflate: None }
    }
}

impl Coder {
    /// Nothing waits here.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.state, State::Gathered(gathered) if gathered.is_empty())
    }

    /// Later data is coded in another way.
    pub(crate) fn set(&mut self, level: i32, strategy: i32) {
        match (&self.state, &mut self.deflate) {
            (State::Inline(_), Some(deflate)) => deflate.set(level, strategy),
            _ => self.deflate = None,
        }
    }
}

impl Writing {
    /// Codes bytes, all of them before it returns if there is a flush.
    pub(crate) fn code(&mut self, bytes: &[u8], flush: c_int) -> Result<(), Failed> {
        if self.is_broken {
            let fault = Fault::new(ERRNO, "an earlier write failed, and its data is lost");
            return Err(self.base.note(fault));
        }
        let coded = match self.base.is_direct {
            true => self.base.file.write_all(bytes).map_err(Fault::from),
            false => self.compress(bytes, flush),
        };
        coded.map_err(|fault| {
            self.is_broken = true;
            self.base.note(fault)
        })
    }

    fn compress(&mut self, bytes: &[u8], flush: c_int) -> Result<(), Fault> {
        match &mut self.coder.state {
            State::Gathered(gathered) if flush == NO_FLUSH => {
                let len = gathered.len() as u64 + bytes.len() as u64;
                if len < settings().inline.max(1) {
                    gathered.try_reserve(bytes.len()).map_err(|_| Fault::memory())?;
                    gathered.extend_from_slice(bytes);
                    return Ok(());
                }
                let gathered = std::mem::take(gathered);
                match self.encoding() {
                    Some(mut encoding) => {
                        encoding.write(&gathered)?;
                        encoding.write(bytes)?;
                        self.coder.state = State::Parallel(Box::new(encoding));
                        Ok(())
                    }
                    None => {
                        self.begin_inline(&gathered)?;
                        self.deflate(bytes, NO_FLUSH)
                    }
                }
            }
            State::Gathered(gathered) => {
                // No further member without data.
                if self.is_ended && gathered.is_empty() && bytes.is_empty() {
                    return Ok(());
                }
                let gathered = std::mem::take(gathered);
                self.begin_inline(&gathered)?;
                self.inline(bytes, flush)
            }
            State::Inline(_) => self.inline(bytes, flush),
            State::Parallel(encoding) => {
                encoding.write(bytes)?;
                match flush {
                    NO_FLUSH => Ok(()),
                    // The level changes after a block, and for this encoder with another member.
                    FINISH | crate::zlib::BLOCK => {
                        encoding.finish()?;
                        self.end();
                        Ok(())
                    }
                    _ => encoding.flush(),
                }
            }
        }
    }

    fn end(&mut self) {
        self.coder.state = State::Gathered(Vec::new());
        self.is_ended = true;
    }

    /// A parallel encoder, if this file can have one.
    fn encoding(&mut self) -> Option<Encoding> {
        if !Encoding::is_possible(self.level, self.strategy) {
            return None;
        }
        Encoding::begin(self.base.file.copy().ok()?, self.level, self.strategy)
    }

    fn begin_inline(&mut self, gathered: &[u8]) -> Result<(), Fault> {
        match &mut self.coder.deflate {
            Some(deflate) => deflate.reset(),
            None => {
                let deflate = Deflate::new(self.level, self.strategy, self.base.size)?;
                self.coder.deflate = Some(Box::new(deflate));
            }
        }
        self.coder.state = State::Inline(0);
        self.deflate(gathered, NO_FLUSH)
    }

    fn deflate(&mut self, bytes: &[u8], flush: c_int) -> Result<(), Fault> {
        let file = &self.base.file;
        match &mut self.coder.deflate {
            Some(deflate) => deflate.run(bytes, flush, |out| Ok(file.write_all(out)?)),
            None => Ok(()),
        }
    }

    fn inline(&mut self, bytes: &[u8], flush: c_int) -> Result<(), Fault> {
        self.deflate(bytes, flush)?;
        let State::Inline(since) = &mut self.coder.state else { return Ok(()) };
        *since = if flush == NO_FLUSH { *since + bytes.len() as u64 } else { 0 };
        if flush == FINISH {
            self.end();
        } else if *since >= settings().inline.max(1) {
            *since = 0;
            if let Some(encoding) = self.encoding() {
                self.deflate(&[], FINISH)?;
                self.coder.state = State::Parallel(Box::new(encoding));
            }
        }
        Ok(())
    }
}
