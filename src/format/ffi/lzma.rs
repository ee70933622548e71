//! liblzma without its pointers: Blocks of the .xz format, coded and decoded by coders that keep
//! their memory from one Block to the next.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;

use liblzma_sys as sys;

/// How liblzma fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The data contradicts its format.
    Data,
    /// The data is not what its Check was calculated from.
    Check,
    /// The data asks for a filter or an option that this liblzma does not have.
    Options,
    /// The data carries a Check that this liblzma cannot calculate.
    UnsupportedCheck,
    /// The data demands so many bytes of memory, more than it was allowed.
    Limit(u64),
    /// The system has no memory.
    NoMemory,
    /// The function was misused, or does what its documentation does not say.
    Program(u32),
}

impl Failure {
    fn of(ret: sys::lzma_ret) -> Self {
        match ret {
            sys::LZMA_DATA_ERROR | sys::LZMA_FORMAT_ERROR => Self::Data,
            sys::LZMA_OPTIONS_ERROR => Self::Options,
            sys::LZMA_UNSUPPORTED_CHECK => Self::UnsupportedCheck,
            sys::LZMA_MEM_ERROR => Self::NoMemory,
            other => Self::Program(other),
        }
    }
}

fn succeed(ret: sys::lzma_ret) -> Result<(), Failure> {
    if ret == sys::LZMA_OK { Ok(()) } else { Err(Failure::of(ret)) }
}

// ---- Encoding ----

/// The greatest length of a Block of `plain_len` bytes.
pub(crate) fn block_bound(plain_len: usize) -> usize {
    // SAFETY: takes and returns numbers.
    unsafe { sys::lzma_block_buffer_bound(plain_len) }
}

/// Added to a level: more time for a little less output.
pub(crate) const EXTREME: u32 = sys::LZMA_PRESET_EXTREME;

/// The length of the dictionary of a preset, which is a level and possibly [`EXTREME`].
pub(crate) fn preset_dict_len(preset: u32) -> u32 {
    lzma_options(preset, None).dict_size
}

/// The memory of an encoder, as liblzma estimates it.
pub(crate) fn encoder_memory(preset: u32, dict_len: u32) -> u64 {
    let mut options = lzma_options(preset, Some(dict_len));
    let filters = lzma2_chain(&mut options);
    // SAFETY: the chain ends with its terminator, and its options live until the end of this function.
    unsafe { sys::lzma_raw_encoder_memusage(filters.as_ptr()) }
}

fn lzma_options(preset: u32, dict_len: Option<u32>) -> sys::lzma_options_lzma {
    // SAFETY: numbers and pointers, all of which may be zero.
    let mut options: sys::lzma_options_lzma = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: `options` is valid for writes. An unknown preset leaves zeros, which no encoder accepts.
    unsafe { sys::lzma_lzma_preset(&mut options, preset) };
    options.dict_size = dict_len.unwrap_or(options.dict_size);
    options
}

/// A filter chain of LZMA2 alone; it is good for as long as nobody touches the options.
fn lzma2_chain(options: &mut sys::lzma_options_lzma) -> [sys::lzma_filter; 2] {
    let options = ptr::from_mut(options).cast::<c_void>();
    [
        sys::lzma_filter { id: sys::LZMA_FILTER_LZMA2, options },
        sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: ptr::null_mut() },
    ]
}

/// A coded Block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodedBlock {
    pub(crate) len: usize,
    /// The length without Block Padding, as the Index has it.
    pub(crate) unpadded_len: usize,
}

/// Codes Blocks with LZMA2, whose headers carry both sizes.
pub(crate) struct BlockEncoder {
    stream: Stream,
    preset: u32,
    /// Check ID.
    check: u32,
}

impl BlockEncoder {
    pub(crate) fn new(preset: u32, check: u32) -> Self {
        Self { stream: Stream::new(), preset, check }
    }

    /// Codes `plain` into the front of `out`, which must have the length of the bound.
    ///
    /// The header, which carries the sizes, is written last into room kept for it: this is what
    /// `stream_encoder_mt.c` of liblzma does.
    pub(crate) fn encode(
        &mut self,
        plain: &[u8],
        dict_len: u32,
        out: &mut [u8],
    ) -> Result<CodedBlock, Failure> {
        let bound = block_bound(plain.len());
        let Some(out) = out.get_mut(..bound).filter(|_| bound > 0) else {
            return Err(Failure::Program(sys::LZMA_BUF_ERROR));
        };
        let mut options = lzma_options(self.preset, Some(dict_len));
        let mut filters = lzma2_chain(&mut options);
        let mut block = empty_block();
        block.check = self.check;
        // The greatest values that the header must have room for.
        block.compressed_size = bound as u64;
        block.uncompressed_size = plain.len() as u64;
        block.filters = filters.as_mut_ptr();
        // One pointer for all calls: liblzma keeps it, and writes the sizes through it.
        let block = &raw mut block;
        // SAFETY: `block` and the filters it points to live until the end of this function.
        succeed(unsafe { sys::lzma_block_header_size(block) })?;
        // SAFETY: as above, and nobody else accesses `block`.
        let header_len = unsafe { (*block).header_size } as usize;
        // SAFETY: as above. The stream holds on to `block` only until it is initialised again, and
        // is not used before that once this function returns.
        succeed(unsafe { sys::lzma_block_encoder(&mut self.stream.0, block) })?;
        let (mut read, mut written) = (0, header_len);
        let ret = loop {
            let step = self.stream.code(&plain[read..], &mut out[written..], sys::LZMA_FINISH);
            read += step.read;
            written += step.written;
            if step.ret != sys::LZMA_OK || written == bound {
                break step.ret;
            }
        };
        match ret {
            sys::LZMA_STREAM_END => {
                // SAFETY: as above; `out` has room for the header, whose size was asked for above.
                succeed(unsafe { sys::lzma_block_header_encode(block, out.as_mut_ptr()) })?;
            }
            // No room left, because the data is incompressible: its form in uncompressed chunks fits.
            sys::LZMA_OK | sys::LZMA_BUF_ERROR => {
                written = 0;
                // SAFETY: as above; the lengths are those of the slices.
                succeed(unsafe {
                    sys::lzma_block_uncomp_encode(
                        block,
                        plain.as_ptr(),
                        plain.len(),
                        out.as_mut_ptr(),
                        &mut written,
                        bound,
                    )
                })?;
            }
            other => return Err(Failure::of(other)),
        }
        // SAFETY: as above.
        let unpadded_len = unsafe { sys::lzma_block_unpadded_size(block) } as usize;
        Ok(CodedBlock { len: written, unpadded_len })
    }
}

/// Codes a Stream of one Block, or a file in the `.lzma` format.
pub(crate) struct StreamEncoder(Stream);

impl StreamEncoder {
    /// A Stream with the Check of this ID; `.lzma`, which has none, without.
    pub(crate) fn new(preset: u32, check: Option<u32>) -> Result<Self, Failure> {
        let mut stream = Stream::new();
        let options = lzma_options(preset, None);
        // SAFETY: the stream is valid; the options are read during the call only.
        succeed(unsafe {
            match check {
                Some(check) => sys::lzma_easy_encoder(&mut stream.0, preset, check),
                None => sys::lzma_alone_encoder(&mut stream.0, &options),
            }
        })?;
        Ok(Self(stream))
    }

    /// Codes what it can; with `finish`, whatever is given is the rest of all.
    pub(crate) fn code(&mut self, plain: &[u8], finish: bool, coded: &mut [u8]) -> Coded {
        let action = if finish { sys::LZMA_FINISH } else { sys::LZMA_RUN };
        let Step { read, written, ret } = self.0.code(plain, coded, action);
        let state = match ret {
            sys::LZMA_OK | sys::LZMA_BUF_ERROR => Ok(false),
            sys::LZMA_STREAM_END => Ok(true),
            other => Err(Failure::of(other)),
        };
        Coded { read, written, state }
    }
}

/// What a step of coding or decoding did.
pub(crate) struct Coded {
    /// Bytes of input used up.
    pub(crate) read: usize,
    /// Bytes put out.
    pub(crate) written: usize,
    /// Whether the end has been reached.
    pub(crate) state: Result<bool, Failure>,
}

// ---- Decoding ----

/// Decodes Blocks, Streams and LZMA alone.
pub(crate) struct Decoder {
    // Dropped before the block that it may point to.
    stream: Stream,
    block: BlockPointer,
    /// It is a Block that is being decoded, and nothing else.
    in_block: bool,
}

impl Decoder {
    pub(crate) fn new() -> Self {
        Self {
            stream: Stream::new(),
            block: BlockPointer(Box::into_raw(Box::new(empty_block()))),
            in_block: true,
        }
    }

    /// Begins a Block with its whole header; what is coded then is what follows the header.
    ///
    /// If the header claims a plain length, the dictionary is not made longer than that: no match can
    /// reach farther back.
    pub(crate) fn begin_block(
        &mut self,
        header: &[u8],
        check: u32,
        memory_limit: u64,
    ) -> Result<(), Failure> {
        let header_len = (usize::from(*header.first().unwrap_or(&0)) + 1) * 4;
        if header_len == 4 || header.len() != header_len {
            return Err(Failure::Program(sys::LZMA_PROG_ERROR));
        }
        // SAFETY: takes a number. Not all numbers are known.
        if unsafe { sys::lzma_check_is_supported(check) } == 0 {
            return Err(Failure::UnsupportedCheck);
        }
        let mut filters = Filters::new();
        let block = self.block.0;
        // SAFETY: `block` is ours and valid. The old coder may hold on to it, but is not running.
        unsafe {
            *block = empty_block();
            (*block).version = 1;
            (*block).header_size = header_len as u32;
            (*block).check = check;
            (*block).filters = filters.0.as_mut_ptr();
        }
        // SAFETY: `block` is valid and has room for the filters; the header has the length it says.
        succeed(unsafe { sys::lzma_block_header_decode(block, ptr::null(), header.as_ptr()) })?;
        // SAFETY: `block` is valid.
        filters.limit_dictionary(unsafe { (*block).uncompressed_size });
        // SAFETY: the chain was filled in and ends with its terminator.
        let memory = unsafe { sys::lzma_raw_decoder_memusage(filters.0.as_ptr()) };
        if memory == u64::MAX {
            return Err(Failure::Options);
        }
        if memory > memory_limit {
            return Err(Failure::Limit(memory));
        }
        // SAFETY: `block` lives as long as the stream; the filters are used during this call only.
        let ret = unsafe { sys::lzma_block_decoder(&mut self.stream.0, block) };
        // SAFETY: `block` is valid. It must not point to filters that are gone.
        unsafe { (*block).filters = ptr::null_mut() };
        self.in_block = true;
        succeed(ret)
    }

    /// Begins a Stream, of which everything is still to come.
    pub(crate) fn begin_stream(&mut self, memory_limit: u64) -> Result<(), Failure> {
        self.in_block = false;
        // SAFETY: the stream is valid.
        succeed(unsafe {
            sys::lzma_stream_decoder(&mut self.stream.0, memory_limit, sys::LZMA_TELL_UNSUPPORTED_CHECK)
        })
    }

    /// Begins a stream of LZMA alone, of which everything is still to come.
    pub(crate) fn begin_alone(&mut self, memory_limit: u64) -> Result<(), Failure> {
        self.in_block = false;
        // SAFETY: the stream is valid.
        succeed(unsafe { sys::lzma_alone_decoder(&mut self.stream.0, memory_limit) })
    }

    /// Decodes what it can.
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

    /// Whether the Check of the Block was the last that was read.
    fn in_check(&self) -> bool {
        // SAFETY: the pointer is valid, and the coder is not running. It writes the true size there at
        // the end of the data, if the header does not say it.
        let data_len = unsafe { (*self.block.0).compressed_size };
        self.in_block
            && data_len.checked_next_multiple_of(4).is_some_and(|padded| self.stream.0.total_in > padded)
    }
}

/// A block that a coder points to, so that it must stay in its place.
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
struct Filters([sys::lzma_filter; FILTERS_MAX + 1]);

const FILTERS_MAX: usize = sys::LZMA_FILTERS_MAX as usize;

impl Filters {
    fn new() -> Self {
        Self([sys::lzma_filter { id: sys::LZMA_VLI_UNKNOWN, options: ptr::null_mut() }; FILTERS_MAX + 1])
    }

    fn limit_dictionary(&mut self, plain_len: u64) {
        for filter in self.0.iter().take_while(|filter| filter.id != sys::LZMA_VLI_UNKNOWN) {
            if filter.id == sys::LZMA_FILTER_LZMA2 && !filter.options.is_null() {
                let options = filter.options.cast::<sys::lzma_options_lzma>();
                let most = u32::try_from(plain_len).unwrap_or(u32::MAX).max(sys::LZMA_DICT_SIZE_MIN);
                // SAFETY: these are the options that liblzma allocates for this filter, and only their
                // dictionary size is sure to be initialised.
                unsafe { (*options).dict_size = (*options).dict_size.min(most) };
            }
        }
    }
}

impl Drop for Filters {
    fn drop(&mut self) {
        // SAFETY: the options are null or allocated by liblzma, with the same default allocator.
        unsafe { sys::lzma_filters_free(self.0.as_mut_ptr(), ptr::null()) };
    }
}

// ---- What both have in common ----

fn empty_block() -> sys::lzma_block {
    // SAFETY: numbers and pointers, all of which may be zero.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// A coder of liblzma with its memory. It points to no buffer while it is not running.
struct Stream(sys::lzma_stream);

// SAFETY: it owns what it points to, and liblzma ties nothing to a thread.
unsafe impl Send for Stream {}

struct Step {
    read: usize,
    written: usize,
    ret: sys::lzma_ret,
}

impl Stream {
    fn new() -> Self {
        // SAFETY: this is `LZMA_STREAM_INIT`: null pointers and zeros.
        Self(unsafe { MaybeUninit::zeroed().assume_init() })
    }

    fn code(&mut self, input: &[u8], output: &mut [u8], action: sys::lzma_action) -> Step {
        self.0.next_in = input.as_ptr();
        self.0.avail_in = input.len();
        self.0.next_out = output.as_mut_ptr();
        self.0.avail_out = output.len();
        // SAFETY: the pointers are good for the lengths given, for the time of this call.
        let ret = unsafe { sys::lzma_code(&mut self.0, action) };
        let (read, written) = (input.len() - self.0.avail_in, output.len() - self.0.avail_out);
        self.0.next_in = ptr::null();
        self.0.avail_in = 0;
        self.0.next_out = ptr::null_mut();
        self.0.avail_out = 0;
        Step { read, written, ret }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is initialised, as `LZMA_STREAM_INIT` at the least.
        unsafe { sys::lzma_end(&mut self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(encoder: &mut BlockEncoder, plain: &[u8]) -> Vec<u8> {
        let mut out = vec![0; block_bound(plain.len())];
        let coded = encoder.encode(plain, 1 << 16, &mut out).unwrap();
        assert_eq!(coded.len, coded.unpadded_len.next_multiple_of(4));
        out.truncate(coded.len);
        out
    }

    fn decode(decoder: &mut Decoder, coded: &[u8], memory_limit: u64) -> Result<Vec<u8>, Failure> {
        let (header, mut rest) = coded.split_at((usize::from(coded[0]) + 1) * 4);
        decoder.begin_block(header, sys::LZMA_CHECK_CRC64, memory_limit)?;
        let mut plain = vec![0; 1 << 17];
        let mut filled = 0;
        loop {
            let Coded { read, written, state } = decoder.code(rest, &mut plain[filled..]);
            rest = &rest[read..];
            filled += written;
            if state? {
                break;
            }
            assert!(read + written > 0, "neither an end nor an error");
        }
        assert!(rest.is_empty());
        plain.truncate(filled);
        Ok(plain)
    }

    #[test]
    fn coders_serve_block_after_block_even_after_failures() {
        let text = b"three in the morning ".repeat(3000);
        let mut seed = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .take(1 << 17)
        .collect();
        let (mut encoder, mut decoder) = (BlockEncoder::new(1, sys::LZMA_CHECK_CRC64), Decoder::new());
        for plain in [&text[..], &noise, b"", b"x", &text] {
            let coded = encode(&mut encoder, plain);
            assert_eq!(decode(&mut decoder, &coded, u64::MAX).unwrap(), plain);
            let mut wrong = coded.clone();
            *wrong.last_mut().unwrap() ^= 1;
            assert_eq!(decode(&mut decoder, &wrong, u64::MAX), Err(Failure::Check));
            assert!(matches!(decode(&mut decoder, &coded, 1000), Err(Failure::Limit(1001..))));
            wrong[9] ^= 1;
            assert_eq!(
                decode(&mut decoder, &wrong, u64::MAX),
                Err(Failure::Data),
                "the header has its own CRC32"
            );
        }
    }

    #[test]
    fn room_below_the_bound_is_refused() {
        let mut out = vec![0; block_bound(100) - 1];
        assert_eq!(
            BlockEncoder::new(6, sys::LZMA_CHECK_CRC64).encode(&[0; 100], 4096, &mut out),
            Err(Failure::Program(sys::LZMA_BUF_ERROR))
        );
    }
}
