//! libbz2-rs: bzip2 streams made and decoded, for tests to compare our own coders with.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

use libbz2_rs_sys as sys;

/// Blocks of memory that a stream has given back, for the next.
#[derive(Default)]
struct Memory {
    free: Vec<(NonNull<u8>, Layout)>,
    lent: Vec<(NonNull<u8>, Layout)>,
}

impl Memory {
    fn lend(&mut self, len: usize) -> Option<NonNull<u8>> {
        let at = self.free.iter().position(|(_, layout)| layout.size() == len);
        let block = match at {
            Some(at) => self.free.swap_remove(at),
            None => {
                let layout = Layout::from_size_align(len.max(1), 16).ok()?;
                // SAFETY: the layout's size is not zero.
                (NonNull::new(unsafe { alloc_zeroed(layout) })?, layout)
            }
        };
        self.lent.push(block);
        Some(block.0)
    }

    fn give_back(&mut self, address: *mut u8) {
        if let Some(at) = self.lent.iter().position(|(block, _)| block.as_ptr() == address) {
            self.free.push(self.lent.swap_remove(at));
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for (block, layout) in self.free.drain(..).chain(self.lent.drain(..)) {
            // SAFETY: it was allocated by `lend` with this layout, and is in one of the lists once.
            unsafe { dealloc(block.as_ptr(), layout) }
        }
    }
}

/// What the library calls for memory: `count` things of `len` bytes.
unsafe extern "C" fn allocate(memory: *mut c_void, count: c_int, len: c_int) -> *mut c_void {
    // SAFETY: the stream's `opaque` is the `Memory` of its owner, which lives longer and is not in
    // use elsewhere while the library runs.
    let memory = unsafe { &mut *memory.cast::<Memory>() };
    let len = usize::try_from(count).ok().zip(usize::try_from(len).ok()).and_then(|(a, b)| a.checked_mul(b));
    len.and_then(|len| memory.lend(len)).map_or(ptr::null_mut(), |block| block.as_ptr().cast())
}

unsafe extern "C" fn release(memory: *mut c_void, address: *mut c_void) {
    // SAFETY: as in `allocate`.
    unsafe { &mut *memory.cast::<Memory>() }.give_back(address.cast());
}

fn new_stream(memory: &mut Memory) -> sys::bz_stream {
    sys::bz_stream {
        next_in: ptr::null(),
        avail_in: 0,
        total_in_lo32: 0,
        total_in_hi32: 0,
        next_out: ptr::null_mut(),
        avail_out: 0,
        total_out_lo32: 0,
        total_out_hi32: 0,
        state: ptr::null_mut(),
        bzalloc: Some(allocate),
        bzfree: Some(release),
        opaque: ptr::from_mut(memory).cast(),
    }
}

/// A compressor of whole chunks.
#[derive(Default)]
pub(crate) struct Compressor {
    memory: Box<Memory>,
}

// SAFETY: its memory is its own, and no stream is open between calls.
unsafe impl Send for Compressor {}

impl Compressor {
    /// Codes `plain` as one stream of this level into `coded`; its length, or the library's status.
    pub(crate) fn compress(&mut self, level: i32, plain: &[u8], coded: &mut [u8]) -> Result<usize, c_int> {
        let (Ok(plain_len), Ok(room)) = (u32::try_from(plain.len()), u32::try_from(coded.len())) else {
            return Err(sys::BZ_PARAM_ERROR);
        };
        let mut stream = new_stream(&mut self.memory);
        // SAFETY: the stream is initialised first, stays where it is, and is ended once; input and
        // output are given with the lengths of their slices, which do not overlap.
        unsafe {
            let status = sys::BZ2_bzCompressInit(&mut stream, level, 0, 0);
            if status != sys::BZ_OK {
                return Err(status);
            }
            (stream.next_in, stream.avail_in) = (plain.as_ptr().cast(), plain_len);
            (stream.next_out, stream.avail_out) = (coded.as_mut_ptr().cast(), room);
            let status = sys::BZ2_bzCompress(&mut stream, sys::BZ_FINISH);
            let left = stream.avail_out;
            sys::BZ2_bzCompressEnd(&mut stream);
            if status == sys::BZ_STREAM_END { Ok((room - left) as usize) } else { Err(status) }
        }
    }
}

/// A decompressor of streams that come in pieces: what our own is compared with.
pub(crate) struct Decompressor {
    memory: Box<Memory>,
    /// The library remembers its address.
    stream: Box<sys::bz_stream>,
    is_open: bool,
}

impl Decompressor {
    pub(crate) fn new() -> Self {
        let mut memory = Box::<Memory>::default();
        let stream = Box::new(new_stream(&mut memory));
        Self { memory, stream, is_open: false }
    }

    /// Begins a stream; false without memory.
    pub(crate) fn begin(&mut self) -> bool {
        self.end();
        *self.stream = new_stream(&mut self.memory);
        // SAFETY: the stream is new, and stays in its box until it is ended.
        self.is_open = unsafe { sys::BZ2_bzDecompressInit(&mut *self.stream, 0, 0) } == sys::BZ_OK;
        self.is_open
    }

    /// Decodes on: bytes read, bytes written, and whether the stream has ended. Otherwise what is wrong.
    pub(crate) fn decompress(
        &mut self,
        coded: &[u8],
        plain: &mut [u8],
    ) -> Result<(usize, usize, bool), &'static str> {
        if !self.is_open {
            return Err("no stream was begun");
        }
        let most = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let (coded_len, room) = (most(coded.len()), most(plain.len()));
        let stream = &mut *self.stream;
        (stream.next_in, stream.avail_in) = (coded.as_ptr().cast(), coded_len);
        (stream.next_out, stream.avail_out) = (plain.as_mut_ptr().cast(), room);
        // SAFETY: the stream is open and in its place; input and output are given with lengths not
        // greater than those of their slices, which do not overlap.
        let status = unsafe { sys::BZ2_bzDecompress(stream) };
        let done = ((coded_len - stream.avail_in) as usize, (room - stream.avail_out) as usize);
        match status {
            sys::BZ_OK => Ok((done.0, done.1, false)),
            sys::BZ_STREAM_END => Ok((done.0, done.1, true)),
            sys::BZ_DATA_ERROR => Err("a block or its checksum is wrong"),
            sys::BZ_DATA_ERROR_MAGIC => Err("what should be a block begins as none"),
            sys::BZ_MEM_ERROR => Err("there is no memory for it"),
            _ => Err("the library refuses it"),
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            // SAFETY: the stream is open, and is ended once.
            unsafe { sys::BZ2_bzDecompressEnd(&mut *self.stream) };
        }
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        self.end();
    }
}
