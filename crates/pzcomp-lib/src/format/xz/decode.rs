//! Decodes Blocks, and whole Streams whose Blocks the walker could not find.
//!
//! The input is the coded bytes of a job. The output goes to the emitter of the job. The context says which Check the
//! Blocks carry; without a context a whole Stream is decoded. liblzma verifies the Check of each Block. The walker
//! verifies the Index, unless a whole Stream is decoded here.

use super::NAME;
use super::header::{BlockHeader, CheckId, STREAM_HEADER_LEN, block_header_len, parse_stream_header};
use crate::error::{Error, Result};
use crate::format::ffi::lzma::{self, Coded};
use crate::format::liblzma::{LzmaFrame, MemoryUse};
use crate::format::serial::FrameErrors;
use crate::format::{After, Decoder, Reading};
use engine::{Emitter, Facts, Source};

/// Decodes a Block if the context states the Check, and a whole Stream otherwise.
pub(super) struct BlockDecoder {
    decoder: lzma::LzmaDecoder,
    reading: Reading,
    /// Whether the Check of the last data could not be verified.
    is_unverified: bool,
    /// Whether the last data was the only Stream that is read.
    is_closed: bool,
}

impl Decoder for BlockDecoder {
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        let check = CheckId::of_context(context)?;
        let header = coded.get(..block_header_len(*coded.first()?)?)?;
        usize::try_from(BlockHeader::parse(header, check)?.plain_len?).ok()
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let header_len = coded.first().and_then(|&byte| block_header_len(byte));
        let (Some(check), Some(header_len)) = (CheckId::of_context(context), header_len) else {
            return false;
        };
        let Some((header, data)) = coded.split_at_checked(header_len) else {
            return false;
        };
        let (ignore_check, (share, _)) = (self.reading.ignore_check, self.reading.lzma());
        if self.admit(check, 0).is_err() {
            return false;
        }
        if self.decoder.begin_block(header, check.id(), !ignore_check, share).is_err() {
            return false;
        }
        let Coded { read, written, state } = self.decoder.code(data, plain);
        self.is_closed = false;
        state == Ok(true) && (read, written) == (data.len(), plain.len())
    }

    fn stated_len(&self, source: &mut Source, context: u8, _: Option<usize>) -> Result<Option<u64>> {
        let is_verified = |check: &CheckId| check.is_known() && check.len() > 0 && !self.reading.ignore_check;
        let Some(check) = CheckId::of_context(context).filter(is_verified) else {
            return Ok(None);
        };
        let header_len = source.gather_inside(1)?.first().and_then(|&byte| block_header_len(byte));
        let Some(header_len) = header_len else { return Ok(None) };
        let header = source.gather_inside(header_len)?.get(..header_len);
        Ok(header.and_then(|header| BlockHeader::parse(header, check)).and_then(|header| header.plain_len))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        match CheckId::of_context(context) {
            Some(check) => self.block(source, out, check),
            None => self.whole_stream(source, out),
        }
    }

    fn after(&self) -> After {
        if self.is_closed { After::Closed { more: None } } else { After::Anything }
    }

    fn facts(&self) -> Facts {
        Facts { is_unverified: self.is_unverified, ..Facts::default() }
    }
}

fn lzma_frame<'a>(reading: &'a Reading, unit: &'static str, start: u64) -> LzmaFrame<'a> {
    LzmaFrame { frame: FrameErrors { format: NAME, unit, start }, reading }
}

impl BlockDecoder {
    pub(super) fn new(reading: Reading) -> Self {
        Self { decoder: lzma::LzmaDecoder::new(), reading, is_unverified: false, is_closed: false }
    }

    /// Refuses a Check that cannot be verified, unless the options allow that.
    fn admit(&mut self, check: CheckId, offset: u64) -> Result<()> {
        let Reading { ignore_check, unknown_check, .. } = self.reading;
        self.is_unverified = !check.is_known() && !ignore_check;
        if self.is_unverified && !unknown_check {
            let what = "the Stream has a CheckId of a kind that this version cannot verify; to decode it without \
                        verification, use xz -dc";
            return Err(Error::unsupported(NAME, offset, what));
        }
        Ok(())
    }

    fn block(&mut self, source: &mut Source, out: &mut Emitter, check: CheckId) -> Result<()> {
        let block = source.offset();
        self.is_closed = false;
        let Some(header_len) = source.gather_inside(1)?.first().and_then(|&byte| block_header_len(byte))
        else {
            return Err(Error::corrupt(NAME, block, "an Index begins there, expected a Block"));
        };
        let Some(header) = source.gather_inside(header_len)?.get(..header_len) else {
            let cut_off = source.gather_inside(header_len)?.len() as u64;
            return Err(Error::Truncated { format: NAME, frame: block, offset: block + cut_off });
        };
        if BlockHeader::parse(header, check).is_none() {
            let what = "the Block Header there is not valid: its fields or its CRC32 are wrong";
            return Err(Error::corrupt(NAME, block, what));
        }
        let header = header.to_vec();
        self.admit(check, block)?;
        let (lzma_frame, verify) = (lzma_frame(&self.reading, "Block", block), !self.reading.ignore_check);
        let memory_use = lzma_frame.begin(&mut self.decoder, source, out, |decoder, memory| {
            decoder.begin_block(&header, check.id(), verify, memory)
        })?;
        source.consume(header_len);
        lzma_frame.decode(&mut self.decoder, source, out)?;
        if memory_use == MemoryUse::All {
            self.decoder = lzma::LzmaDecoder::new();
        }
        Ok(())
    }

    fn whole_stream(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let start = source.offset();
        if let Some(check) = parse_stream_header(source.gather_inside(STREAM_HEADER_LEN)?) {
            self.admit(check, start)?;
        }
        let lzma_frame = lzma_frame(&self.reading, "Stream", start);
        let memory = lzma_frame.most_memory(source, out)?;
        let begun = self.decoder.begin_stream(!self.reading.ignore_check, memory);
        begun.map_err(|failure| lzma_frame.error(failure))?;
        lzma_frame.decode(&mut self.decoder, source, out)?;
        if self.reading.share < self.reading.alone {
            self.decoder = lzma::LzmaDecoder::new();
        }
        self.is_closed = self.reading.single_stream;
        // Stream Padding (section 2.2).
        while !self.is_closed && source.gather(4)?.starts_with(&[0; 4]) {
            source.consume(4);
        }
        Ok(())
    }
}
