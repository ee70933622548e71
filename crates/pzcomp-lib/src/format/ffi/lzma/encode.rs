//! The encoders of liblzma: Blocks and Streams of xz, and `.lzma` files.
//!
//! [`BlockEncoder`] codes a whole chunk in one call. [`StreamEncoder`] codes one chunk after another.
//! The dictionary of a Block is no longer than its caller allows, because a longer one costs memory for nothing.

use liblzma_sys as sys;

use super::filters::{Chain, raw_lzma};
use super::{Coded, Failure, LzmaStream, Step, empty_block, succeed};
use crate::format::Then;
use crate::options::{XzFilter, XzLzma};

/// The greatest length of a Block of `plain_len` bytes.
pub(crate) fn block_bound(plain_len: usize) -> usize {
    // SAFETY: takes and returns numbers.
    unsafe { sys::lzma_block_buffer_bound(plain_len) }
}

/// The flag of the extreme variant of a level, to be added to the level.
pub(crate) const EXTREME: u32 = sys::LZMA_PRESET_EXTREME;

/// The memory of an encoder with these filters and a dictionary of at most `dict_max`, as liblzma estimates it.
pub(crate) fn encoder_memory(filters: &[XzFilter], dict_max: u32) -> u64 {
    Chain::new(filters, dict_max).encoder_memory()
}

/// The memory of a decoder, in the same way.
pub(crate) fn decoder_memory(filters: &[XzFilter], dict_max: u32) -> u64 {
    Chain::new(filters, dict_max).decoder_memory()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodedBlock {
    pub(crate) len: usize,
    /// The length without Block Padding, as the Index states it.
    pub(crate) unpadded_len: usize,
}

/// Codes Blocks whose headers carry both sizes.
pub(crate) struct BlockEncoder {
    stream: LzmaStream,
    /// The last filter is LZMA.
    filters: Vec<XzFilter>,
    /// Check ID.
    check: u32,
}

impl BlockEncoder {
    pub(crate) fn new(filters: Vec<XzFilter>, check: u32) -> Self {
        Self { stream: LzmaStream::new(), filters, check }
    }

    /// Codes `plain` into the front of `out`, which must be at least [`block_bound`] long.
    ///
    /// The header states the sizes, so it is written last, into room that is left for it. `stream_encoder_mt.c` of
    /// liblzma does the same.
    pub(crate) fn encode(
        &mut self,
        plain: &[u8],
        dict_max: u32,
        out: &mut [u8],
    ) -> Result<CodedBlock, Failure> {
        let bound = block_bound(plain.len());
        let Some(out) = out.get_mut(..bound).filter(|_| bound > 0) else {
            return Err(Failure::Program(sys::LZMA_BUF_ERROR));
        };
        let mut chain = Chain::new(&self.filters, dict_max);
        let mut filters = chain.raw();
        let mut block = empty_block();
        block.check = self.check;
        // The greatest values for which the header must have room.
        block.compressed_size = bound as u64;
        block.uncompressed_size = plain.len() as u64;
        block.filters = filters.as_mut_ptr();
        // All calls use one pointer, because liblzma keeps it and writes the sizes through it.
        let block = &raw mut block;
        // SAFETY: `block`, the filters that it points to and their options live until the end of this function, and
        // `chain` is not touched meanwhile.
        succeed(unsafe { sys::lzma_block_header_size(block) })?;
        // SAFETY: as above, and nothing else accesses `block`.
        let header_len = unsafe { (*block).header_size } as usize;
        // SAFETY: as above. The stream points to `block` until it is initialised again. It is not used before that
        // once this function has returned.
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
                // SAFETY: as above. `out` has room for the header, whose size was asked for above.
                succeed(unsafe { sys::lzma_block_header_encode(block, out.as_mut_ptr()) })?;
            }
            // There is no room, because the data is incompressible. As uncompressed chunks it fits.
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

/// Writes a Block of LZMA2 that another encoder codes: `code` gets the room for the coded data, and returns its length.
/// The Check is none, CRC-32 or CRC-64; the other arguments are those of [`BlockEncoder`].
pub(crate) fn frame_block<E: From<Failure>>(
    filter: XzLzma,
    check: u32,
    plain: &[u8],
    dict_max: u32,
    out: &mut [u8],
    code: impl FnOnce(&mut [u8]) -> Result<usize, E>,
) -> Result<CodedBlock, E> {
    let bound = block_bound(plain.len());
    let no_room = || Failure::Program(sys::LZMA_BUF_ERROR);
    let out = out.get_mut(..bound).filter(|_| bound > 0).ok_or_else(no_room)?;
    let mut chain = Chain::new(&[XzFilter::Lzma(filter)], dict_max);
    let mut filters = chain.raw();
    let mut block = empty_block();
    block.check = check;
    block.compressed_size = bound as u64;
    block.uncompressed_size = plain.len() as u64;
    block.filters = filters.as_mut_ptr();
    // SAFETY: `block`, the filters that it points to and their options live until the end of this function, and `chain`
    // is not touched meanwhile.
    succeed(unsafe { sys::lzma_block_header_size(&mut block) })?;
    let header_len = block.header_size as usize;
    let data = out.get_mut(header_len..).ok_or_else(no_room)?;
    let data_len = code(data)?;
    block.compressed_size = data_len as u64;
    let end = header_len + data_len;
    let padded = end.next_multiple_of(4);
    // SAFETY: the length is that of the slice.
    let crc32 = || unsafe { sys::lzma_crc32(plain.as_ptr(), plain.len(), 0) };
    // SAFETY: as above.
    let crc64 = || unsafe { sys::lzma_crc64(plain.as_ptr(), plain.len(), 0) };
    let (sum, sum_len) = match check {
        sys::LZMA_CHECK_NONE => (0, 0),
        sys::LZMA_CHECK_CRC32 => (u64::from(crc32()), 4),
        sys::LZMA_CHECK_CRC64 => (crc64(), 8),
        _ => return Err(Failure::Options.into()),
    };
    let sum = &sum.to_le_bytes()[..sum_len];
    let tail = out.get_mut(end..padded + sum.len()).ok_or_else(no_room)?;
    let (padding, place) = tail.split_at_mut(padded - end);
    padding.fill(0);
    place.copy_from_slice(sum);
    // SAFETY: as above. `out` has room for the header, whose size was asked for above.
    succeed(unsafe { sys::lzma_block_header_encode(&block, out.as_mut_ptr()) })?;
    // SAFETY: as above.
    let unpadded_len = unsafe { sys::lzma_block_unpadded_size(&block) } as usize;
    Ok(CodedBlock { len: padded + sum.len(), unpadded_len })
}

/// Codes a Stream of one Block, or a `.lzma` file.
pub(crate) struct StreamEncoder(LzmaStream);

impl StreamEncoder {
    /// A Stream of these filters with the Check of this ID.
    pub(crate) fn new(filters: &[XzFilter], check: u32) -> Result<Self, Failure> {
        let (mut stream, mut chain) = (LzmaStream::new(), Chain::new(filters, u32::MAX));
        // SAFETY: the stream is valid; the filters and their options are read during the call only.
        succeed(unsafe { sys::lzma_stream_encoder(&mut stream.0, chain.raw().as_ptr(), check) })?;
        Ok(Self(stream))
    }

    /// A `.lzma` file.
    pub(crate) fn alone(options: &XzLzma) -> Result<Self, Failure> {
        let (mut stream, options) = (LzmaStream::new(), raw_lzma(options));
        // SAFETY: the stream is valid; the options are read during the call only.
        succeed(unsafe { sys::lzma_alone_encoder(&mut stream.0, &options) })?;
        Ok(Self(stream))
    }

    /// Codes as much as the input and the output allow. `then` says what follows `plain`. The state is true when all of
    /// it is coded, if a flush or the end follows. A flush ends the Block.
    pub(crate) fn code(&mut self, plain: &[u8], then: Then, coded: &mut [u8]) -> Coded {
        let action = match then {
            Then::More => sys::LZMA_RUN,
            Then::Flush => sys::LZMA_FULL_FLUSH,
            Then::End => sys::LZMA_FINISH,
        };
        let Step { read, written, ret } = self.0.code(plain, coded, action);
        let state = match ret {
            sys::LZMA_OK | sys::LZMA_BUF_ERROR => Ok(false),
            sys::LZMA_STREAM_END => Ok(true),
            other => Err(Failure::of(other)),
        };
        Coded { read, written, state }
    }
}
