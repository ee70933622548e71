//! A gzFile: its public start, and the stream behind it.
//!
//! The macro gzgetc of zlib.h takes bytes from the public start between calls. So each call of a reading stream begins
//! with [`Reading::catch_up`] and ends with [`Handle::show`]. The pointer of the caller is never used: only the
//! number of bytes that are left counts.

use std::ffi::{CStr, c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use rustix::fs::SeekFrom;

use crate::descriptor::Descriptor;
use crate::fault::{Fault, Noted};
use crate::mode::{Mode, Way};
use crate::reading::Reading;
use crate::writing::Writing;
use crate::zlib::STREAM_ERROR;

/// The default of gzbuffer.
const BUFFER: usize = 8192;

/// `gzFile_s` of zlib.h, and what is behind it.
#[repr(C)]
pub(crate) struct Handle {
    have: c_uint,
    next: *mut u8,
    pos: i64,
    /// [`MARK`]. A file of zlib has the mode there, a small number, and the descriptor.
    pub(crate) mark: u64,
    stream: Stream,
}

/// What a file of ours is known by.
pub(crate) const MARK: u64 = u64::from_ne_bytes(*b"pzcompgz");

pub(crate) enum Stream {
    Reading(Box<Reading>),
    Writing(Box<Writing>),
}

/// What both directions have.
pub(crate) struct Base {
    pub(crate) file: Descriptor,
    path: Vec<u8>,
    /// The size of the buffer, or 0 if there is none yet, and the size that it will have.
    pub(crate) size: usize,
    pub(crate) wanted: usize,
    /// The file has plain data.
    pub(crate) is_direct: bool,
    /// The position in the plain data.
    pub(crate) pos: i64,
    /// How far gzseek asked to go, at the next call that reads or writes.
    pub(crate) skip: Option<i64>,
    pub(crate) noted: Noted,
}

/// A call has failed, and the stream has noted why.
#[derive(Debug)]
pub(crate) struct Failed;

impl Base {
    pub(crate) fn note(&mut self, fault: Fault) -> Failed {
        self.noted.note(&self.path, fault);
        Failed
    }

    pub(crate) fn tell(&self) -> i64 {
        self.pos + self.skip.unwrap_or(0)
    }

    /// gzbuffer: -1 after the first use.
    pub(crate) fn set_buffer(&mut self, size: c_uint) -> c_int {
        if self.size != 0 || size > c_uint::MAX / 2 {
            return -1;
        }
        self.wanted = (size as usize).max(2);
        0
    }
}

impl Stream {
    pub(crate) fn base(&mut self) -> &mut Base {
        match self {
            Self::Reading(reading) => &mut reading.base,
            Self::Writing(writing) => &mut writing.base,
        }
    }
}

impl Handle {
    /// Opens a path, or takes a descriptor that the caller gives away. An error is a number for errno.
    pub(crate) fn open(
        path: &CStr,
        given: Option<Descriptor>,
        mode: &CStr,
    ) -> Result<Box<Self>, Option<i32>> {
        let Some(mode) = Mode::of(mode.to_bytes()) else {
            if let Some(file) = given {
                file.leave();
            }
            return Err(None);
        };
        let file = match given {
            Some(file) => file,
            None => Descriptor::open(path, mode.flags()).map_err(|error| Some(error.raw_os_error()))?,
        };
        if mode.way == Way::Append {
            // For gzoffset.
            let _ = file.seek(SeekFrom::End(0));
        }
        let base = Base {
            file,
            path: path.to_bytes().to_vec(),
            size: 0,
            wanted: BUFFER,
            is_direct: mode.is_direct || mode.way == Way::Read,
            pos: 0,
            skip: None,
            noted: Noted::default(),
        };
        let stream = match mode.way {
            Way::Read => Stream::Reading(Box::new(Reading::new(base))),
            Way::Write | Way::Append => Stream::Writing(Box::new(Writing::new(base, &mode))),
        };
        Ok(Box::new(Self { have: 0, next: ptr::null_mut(), pos: 0, mark: MARK, stream }))
    }

    /// Does the work of a call. If the work panics, the stream is broken, and the result is `refused`.
    pub(crate) fn call<R>(&mut self, refused: R, work: impl FnOnce(&mut Stream) -> R) -> R {
        if let Stream::Reading(reading) = &mut self.stream {
            reading.catch_up(self.have as usize, self.pos);
        }
        let stream = &mut self.stream;
        let result = catch_unwind(AssertUnwindSafe(|| work(stream))).unwrap_or_else(|_| {
            let base = self.stream.base();
            base.note(Fault::new(STREAM_ERROR, "internal error: the library panicked; please report this"));
            refused
        });
        self.show();
        result
    }

    /// Makes the bytes at hand public.
    fn show(&mut self) {
        match &mut self.stream {
            Stream::Reading(reading) => {
                let at_hand = reading.at_hand();
                self.have = at_hand.len() as c_uint;
                self.next = at_hand.as_mut_ptr();
                self.pos = reading.base.pos;
            }
            Stream::Writing(writing) => self.pos = writing.base.pos,
        }
    }

    pub(crate) fn into_stream(mut self) -> Stream {
        if let Stream::Reading(reading) = &mut self.stream {
            reading.catch_up(self.have as usize, self.pos);
        }
        self.stream
    }

    pub(crate) fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }
}
