//! The decoder of liblzma: Blocks and Streams of xz, `.lzma` files, and LZMA with nothing around it.
//!
//! A caller begins one of these with a memory limit, and then calls [`LzmaDecoder::code`] until the end is reached. A
//! decoder serves one frame after another, also after a failure.

use std::ptr;

use liblzma_sys as sys;

use super::filters::{RawChain, TERMINATOR};
use super::{Coded, Failure, LzmaStream, Step, chain, empty_block, lzma_options, succeed};

/// Decodes Blocks, Streams and LZMA alone.
pub(crate) struct LzmaDecoder {
    // Declared first, so that it is dropped before the block that it may point to.
    stream: LzmaStream,
    block: BlockPointer,
    /// Whether a Block is being decoded.
    in_block: bool,
}

impl LzmaDecoder {
    pub(crate) fn new() -> Self {
        Self {
            stream: LzmaStream::new(),
            block: BlockPointer(Box::into_raw(Box::new(empty_block()))),
            in_block: true,
        }
    }

    /// Begins a Block. `header` is its whole Block Header. The coded bytes that follow the header go to [`Self::code`].
    ///
    /// If the header states a plain length, the dictionary is made no longer than that, because no match can reach
    /// farther back. A Check of an unknown kind is not verified; the caller decides whether to accept it.
    pub(crate) fn begin_block(
        &mut self,
        header: &[u8],
        check: u32,
        verify: bool,
        memory_limit: u64,
    ) -> Result<(), Failure> {
        let header_len = (usize::from(*header.first().unwrap_or(&0)) + 1) * 4;
        if header_len == 4 || header.len() != header_len {
            return Err(Failure::Program(sys::LZMA_PROG_ERROR));
        }
        let mut filters = Filters::new();
        let block = self.block.0;
        // SAFETY: `self` owns `block`, which is valid. The coder before may point to it, but it is not running.
        unsafe {
            *block = empty_block();
            (*block).version = 1;
            (*block).header_size = header_len as u32;
            (*block).check = check;
            (*block).filters = filters.0.as_mut_ptr();
        }
        // SAFETY: `block` is valid and has room for the filters. The header has the length that it states. This call
        // sets `ignore_check` to false.
        succeed(unsafe { sys::lzma_block_header_decode(block, ptr::null(), header.as_ptr()) })?;
        // SAFETY: `block` is valid.
        filters.limit_dictionary(unsafe { (*block).uncompressed_size });
        // SAFETY: the call above has filled in the chain, which ends with its terminator.
        let memory = unsafe { sys::lzma_raw_decoder_memusage(filters.0.as_ptr()) };
        if memory == u64::MAX {
            return Err(Failure::Options);
        }
        if memory > memory_limit {
            return Err(Failure::Limit(memory));
        }
        // SAFETY: `block` is valid.
        unsafe { (*block).ignore_check = (!verify).into() };
        // SAFETY: `block` lives as long as the stream; the filters are used during this call only.
        let ret = unsafe { sys::lzma_block_decoder(&mut self.stream.0, block) };
        // SAFETY: `block` is valid. From here on it must not point to the filters, because they are dropped.
        unsafe { (*block).filters = ptr::null_mut() };
        self.in_block = true;
        succeed(ret)
    }

    /// Begins a Stream, from its Stream Header on. With `verify` its Check is verified, if its kind is known.
    pub(crate) fn begin_stream(&mut self, verify: bool, memory_limit: u64) -> Result<(), Failure> {
        self.in_block = false;
        let flags = if verify { 0 } else { sys::LZMA_IGNORE_CHECK };
        // SAFETY: the stream is valid.
        succeed(unsafe { sys::lzma_stream_decoder(&mut self.stream.0, memory_limit, flags) })
    }

    /// Begins a `.lzma` file, from its header on.
    pub(crate) fn begin_alone(&mut self, memory_limit: u64) -> Result<(), Failure> {
        self.in_block = false;
        // SAFETY: the stream is valid.
        succeed(unsafe { sys::lzma_alone_decoder(&mut self.stream.0, memory_limit) })
    }

    /// Begins LZMA with nothing around it, which ends with an end marker: `lc` is 3, `lp` is 0 and `pb` is 2.
    pub(crate) fn begin_raw(&mut self, dict_len: u32, memory_limit: u64) -> Result<(), Failure> {
        // All presets have these `lc`, `lp` and `pb`.
        let options = lzma_options(sys::LZMA_PRESET_DEFAULT, Some(dict_len));
        self.begin_filter(sys::LZMA_FILTER_LZMA1, options, memory_limit)
    }

    fn begin_filter(
        &mut self,
        id: sys::lzma_vli,
        mut options: sys::lzma_options_lzma,
        memory_limit: u64,
    ) -> Result<(), Failure> {
        self.in_block = false;
        let filters = chain(id, &mut options);
        // SAFETY: the chain ends with its terminator, and its options live until the end of this function.
        let memory = unsafe { sys::lzma_raw_decoder_memusage(filters.as_ptr()) };
        if memory == u64::MAX {
            return Err(Failure::Options);
        }
        if memory > memory_limit {
            return Err(Failure::Limit(memory));
        }
        // SAFETY: as above; both are read during the call only.
        succeed(unsafe { sys::lzma_raw_decoder(&mut self.stream.0, filters.as_ptr()) })
    }

    /// Decodes as much as the input and the output allow.
    pub(crate) fn code(&mut self, coded: &[u8], plain: &mut [u8]) -> Coded {
        let Step { read, written, ret } = self.stream.code(coded, plain, sys::LZMA_RUN);
        let state = match ret {
            sys::LZMA_OK | sys::LZMA_BUF_ERROR => Ok(false),
            sys::LZMA_STREAM_END => Ok(true),
            // SAFETY: the stream is valid and initialised.
            sys::LZMA_MEMLIMIT_ERROR => Err(Failure::Limit(unsafe { sys::lzma_memusage(&self.stream.0) })),
            sys::LZMA_DATA_ERROR if self.in_check() => Err(Failure::Check),
            other => Err(Failure::of(other)),
        };
        Coded { read, written, state }
    }

    /// Whether the Check of the Block was the last thing that was read.
    fn in_check(&self) -> bool {
        // SAFETY: the pointer is valid, and the coder is not running. If the header does not state the coded length,
        // liblzma writes it there at the end of the data.
        let data_len = unsafe { (*self.block.0).compressed_size };
        self.in_block
            && data_len.checked_next_multiple_of(4).is_some_and(|padded| self.stream.0.total_in > padded)
    }
}

/// A block that a coder points to, so it must not move.
struct BlockPointer(*mut sys::lzma_block);

// SAFETY: it owns what it points to.
unsafe impl Send for BlockPointer {}

impl Drop for BlockPointer {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from `Box::into_raw`.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// Filters decoded from a header, whose options liblzma allocated.
struct Filters(RawChain);

impl Filters {
    fn new() -> Self {
        Self([TERMINATOR; _])
    }

    fn limit_dictionary(&mut self, plain_len: u64) {
        for filter in self.0.iter().take_while(|filter| filter.id != sys::LZMA_VLI_UNKNOWN) {
            if filter.id == sys::LZMA_FILTER_LZMA2 && !filter.options.is_null() {
                let options = filter.options.cast::<sys::lzma_options_lzma>();
                let most = u32::try_from(plain_len).unwrap_or(u32::MAX).max(sys::LZMA_DICT_SIZE_MIN);
                // SAFETY: liblzma allocates such options for this filter. Only their dictionary length is sure to be
                // initialised.
                unsafe { (*options).dict_size = (*options).dict_size.min(most) };
            }
        }
    }
}

impl Drop for Filters {
    fn drop(&mut self) {
        // SAFETY: the options are null, or liblzma allocated them with the same default allocator.
        unsafe { sys::lzma_filters_free(self.0.as_mut_ptr(), ptr::null()) };
    }
}
