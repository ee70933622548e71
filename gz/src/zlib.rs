//! zlib: inflate and deflate of the library of the system, which codes what is short, and its constants.
//!
//! The library is a dependency of ours, so a program has it in memory in any case.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;

use crate::fault::Fault;
use crate::memory::{self, Room};

pub(crate) const OK: c_int = 0;
pub(crate) const STREAM_END: c_int = 1;
const NEED_DICT: c_int = 2;
pub(crate) const ERRNO: c_int = -1;
pub(crate) const STREAM_ERROR: c_int = -2;
pub(crate) const DATA_ERROR: c_int = -3;
pub(crate) const MEM_ERROR: c_int = -4;
pub(crate) const BUF_ERROR: c_int = -5;

pub(crate) const NO_FLUSH: c_int = 0;
pub(crate) const FINISH: c_int = 4;
pub(crate) const BLOCK: c_int = 5;

pub(crate) const FILTERED: i32 = 1;
pub(crate) const HUFFMAN_ONLY: i32 = 2;
pub(crate) const RLE: i32 = 3;
pub(crate) const FIXED: i32 = 4;
pub(crate) const DEFAULT_STRATEGY: i32 = 0;
pub(crate) const DEFAULT_LEVEL: i32 = -1;

const DEFLATED: c_int = 8;
/// The largest window, in a gzip member.
const GZIP_WINDOW: c_int = 15 + 16;
const MEM_LEVEL: c_int = 8;
/// zlib compares the first character with its own version.
const VERSION: &CStr = c"1.2.0";

/// `z_stream` of zlib.h.
#[repr(C)]
struct Stream {
    next_in: *const u8,
    avail_in: c_uint,
    total_in: c_ulong,
    next_out: *mut u8,
    avail_out: c_uint,
    total_out: c_ulong,
    msg: *const c_char,
    state: *mut c_void,
    allocate: *mut c_void,
    free: *mut c_void,
    opaque: *mut c_void,
    data_type: c_int,
    adler: c_ulong,
    reserved: c_ulong,
}

unsafe extern "C" {
    fn inflateInit2_(stream: *mut Stream, window: c_int, version: *const c_char, size: c_int) -> c_int;
    fn inflateReset(stream: *mut Stream) -> c_int;
    fn inflate(stream: *mut Stream, flush: c_int) -> c_int;
    fn inflateEnd(stream: *mut Stream) -> c_int;
    fn deflateInit2_(
        stream: *mut Stream,
        level: c_int,
        method: c_int,
        window: c_int,
        memory: c_int,
        strategy: c_int,
        version: *const c_char,
        size: c_int,
    ) -> c_int;
    fn deflateReset(stream: *mut Stream) -> c_int;
    fn deflateParams(stream: *mut Stream, level: c_int, strategy: c_int) -> c_int;
    fn deflate(stream: *mut Stream, flush: c_int) -> c_int;
    fn deflateEnd(stream: *mut Stream) -> c_int;
}

/// zlib's state points back to the stream, so the stream stays where it is.
fn new_stream() -> Box<Stream> {
    let null = ptr::null_mut();
    Box::new(Stream {
        next_in: ptr::null(),
        avail_in: 0,
        total_in: 0,
        next_out: ptr::null_mut(),
        avail_out: 0,
        total_out: 0,
        msg: ptr::null(),
        state: null,
        allocate: null,
        free: null,
        opaque: null,
        data_type: 0,
        adler: 0,
        reserved: 0,
    })
}

fn short(len: usize) -> c_uint {
    c_uint::try_from(len).unwrap_or(c_uint::MAX)
}

/// What a step used of its input and made of output.
pub(crate) struct Step {
    pub(crate) used: usize,
    pub(crate) made: usize,
    code: c_int,
}

impl Step {
    pub(crate) fn is_end(&self) -> bool {
        self.code == STREAM_END
    }
}

impl Stream {
    /// Calls `work` with input and room, and leaves no pointer to them.
    fn step(&mut self, input: &[u8], room: &mut Room, work: impl FnOnce(&mut Self) -> c_int) -> Step {
        let (input_len, room_len) = (short(input.len()), short(room.len()));
        (self.next_in, self.avail_in) = (input.as_ptr(), input_len);
        (self.next_out, self.avail_out) = (room.as_mut_ptr().cast(), room_len);
        let code = work(self);
        let step = Step {
            used: (input_len - self.avail_in.min(input_len)) as usize,
            made: (room_len - self.avail_out.min(room_len)) as usize,
            code,
        };
        (self.next_in, self.next_out) = (ptr::null(), ptr::null_mut());
        step
    }
}

/// Decodes one gzip member after the other.
pub(crate) struct Inflate(Box<Stream>);

impl Inflate {
    pub(crate) fn new() -> Result<Self, Fault> {
        let mut stream = new_stream();
        let size = size_of::<Stream>() as c_int;
        // SAFETY: the stream is as zlib.h wants it, and its allocator is that of zlib.
        match unsafe { inflateInit2_(&raw mut *stream, GZIP_WINDOW, VERSION.as_ptr(), size) } {
            OK => Ok(Self(stream)),
            _ => Err(Fault::memory()),
        }
    }

    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream was initialised.
        unsafe { inflateReset(&raw mut *self.0) };
    }

    /// Decodes until the input or the room ends. Input counts as used in an error too.
    pub(crate) fn step(&mut self, input: &[u8], room: &mut Room) -> (Step, Result<(), Fault>) {
        // SAFETY: the stream was initialised; input and room last as long as the call, and zlib only writes to the
        // room.
        let step = self.0.step(input, room, |stream| unsafe { inflate(stream, NO_FLUSH) });
        let result = match step.code {
            STREAM_ERROR | NEED_DICT => {
                Err(Fault::new(STREAM_ERROR, "internal error: inflate stream corrupt"))
            }
            MEM_ERROR => Err(Fault::memory()),
            DATA_ERROR => Err(Fault::new(DATA_ERROR, self.message())),
            _ => Ok(()),
        };
        (step, result)
    }

    fn message(&self) -> String {
        match self.0.msg.is_null() {
            true => "compressed data error".to_owned(),
            // SAFETY: a message of zlib is a constant text.
            false => unsafe { CStr::from_ptr(self.0.msg) }.to_string_lossy().into_owned(),
        }
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised, and is not used again.
        unsafe { inflateEnd(&raw mut *self.0) };
    }
}

/// Codes gzip members. Its output waits in a buffer until that is full or flushed.
pub(crate) struct Deflate {
    stream: Box<Stream>,
    out: Vec<u8>,
    filled: usize,
    written: usize,
}

impl Deflate {
    pub(crate) fn new(level: i32, strategy: i32, buffer: usize) -> Result<Self, Fault> {
        let mut stream = new_stream();
        let (size, version) = (size_of::<Stream>() as c_int, VERSION.as_ptr());
        let at = &raw mut *stream;
        // SAFETY: the stream is as zlib.h wants it, and its allocator is that of zlib.
        match unsafe { deflateInit2_(at, level, DEFLATED, GZIP_WINDOW, MEM_LEVEL, strategy, version, size) } {
            OK => Ok(Self { stream, out: vec![0; buffer], filled: 0, written: 0 }),
            _ => Err(Fault::memory()),
        }
    }

    /// Begins another member.
    pub(crate) fn reset(&mut self) {
        // SAFETY: the stream was initialised.
        unsafe { deflateReset(&raw mut *self.stream) };
    }

    /// Codes all of the input. `write` gets the output.
    pub(crate) fn run(
        &mut self,
        mut input: &[u8],
        flush: c_int,
        mut write: impl FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut is_over = false;
        loop {
            if self.filled == self.out.len() || flush != NO_FLUSH && (flush != FINISH || is_over) {
                write(&self.out[self.written..self.filled])?;
                self.written = self.filled;
                if self.filled == self.out.len() {
                    (self.filled, self.written) = (0, 0);
                }
            }
            // No flush before the end of an input that zlib cannot take at once.
            let wish = if short(input.len()) as usize == input.len() { flush } else { NO_FLUSH };
            let (stream, filled) = (&mut self.stream, self.filled);
            let step = memory::fill(&mut self.out[filled..], |room| {
                // SAFETY: the stream was initialised; input and room last as long as the call.
                stream.step(input, room, |stream| unsafe { deflate(stream, wish) })
            });
            if step.code == STREAM_ERROR {
                return Err(Fault::new(STREAM_ERROR, "internal error: deflate stream corrupt"));
            }
            is_over = step.is_end();
            input = &input[step.used..];
            self.filled += step.made;
            if step.made == 0 && input.is_empty() {
                return Ok(());
            }
        }
    }

    /// Later input is coded in another way. What was given so far was flushed before.
    pub(crate) fn set(&mut self, level: i32, strategy: i32) {
        let (stream, filled) = (&mut self.stream, self.filled);
        let step = memory::fill(&mut self.out[filled..], |room| {
            // SAFETY: the stream was initialised; the room lasts as long as the call. Values that zlib does not know
            // change nothing.
            stream.step(&[], room, |stream| unsafe { deflateParams(stream, level, strategy) })
        });
        self.filled += step.made;
    }
}

impl Drop for Deflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised, and is not used again.
        unsafe { deflateEnd(&raw mut *self.stream) };
    }
}
