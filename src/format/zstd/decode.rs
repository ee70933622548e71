//! Decodes zstd frames with libzstd.
//!
//! The input is the coded bytes of a job. The output goes to the emitter of the job. If all bytes of a frame are at hand,
//! the frame is decoded in one call; otherwise it is decoded as a stream. Before decoding, the decoder checks that the
//! memory limit allows the window of the frame, and that the dictionary which the frame needs is the one given.
//!
//! For a frame that is decoded as a stream, other workers can compute the checksum while this worker decodes
//! (`pipeline/digest.rs`).

use xxhash_rust::xxh64::Xxh64;
use zstd_safe::{DParameter, InBuffer, OutBuffer};

use super::frame::{HEADER_MIN, Header};
use super::{NAME, internal, no_memory};
use crate::error::{Damage, Error, Result, Size};
use crate::format::Decoder;
use crate::format::ffi::zstd::Decompressor;
use crate::options::{Dictionary, Options, ZstdOptions};
use crate::pipeline::{Checksum, Emitter, Source};

/// The memory limit does not apply to the window of a frame with at most this much data, the greatest length of a block.
/// Such a frame is never refused because of its window.
const WINDOWLESS_MAX: u64 = 128 << 10;

pub(super) struct FrameDecoder {
    context: Decompressor,
    /// For frames that are decoded as a stream. It does not verify checksums, because [`FrameDecoder`] does.
    stream: Decompressor,
    /// The longest window that a frame may have if it is decoded as a stream. libzstd then allocates the window.
    memory_limit: u64,
    /// The longest window that a frame may have if it is decoded in one call. The output then serves as the window and no
    /// memory is allocated, so only a limit that the caller set counts.
    window_limit: u64,
    dictionary: Option<Dictionary>,
    ignore_checksums: bool,
}

impl FrameDecoder {
    pub(super) fn new(memory_limit: u64, options: &Options) -> Result<Self> {
        let ZstdOptions { dictionary, ignore_checksums, .. } = options.zstd.clone();
        let prepared = dictionary.as_ref().map(|dictionary| dictionary.for_decoding().ok_or_else(no_memory));
        let prepared = prepared.transpose()?;
        let context = |ignore_checksums| {
            let made = Decompressor::new(prepared.clone()).ok_or_else(no_memory)?;
            let mut context = made.map_err(internal)?;
            // The limit of libzstd is the largest, because `check` compares the window with `memory_limit`: its error says
            // how much memory the frame needs.
            context.set(DParameter::WindowLogMax(31)).map_err(internal)?;
            context.set(DParameter::ForceIgnoreChecksum(ignore_checksums)).map_err(internal)?;
            Ok(context)
        };
        Ok(Self {
            context: context(ignore_checksums)?,
            // The checksum of a long frame is computed beside its decoding.
            stream: context(true)?,
            memory_limit,
            window_limit: options.window_limit.unwrap_or(u64::MAX),
            dictionary,
            ignore_checksums,
        })
    }

    /// Whether the frame needs no dictionary, or needs the dictionary that is given.
    fn has_dictionary(&self, header: &Header) -> bool {
        header.dictionary == 0
            || self.dictionary.as_ref().is_some_and(|dictionary| dictionary.id() == header.dictionary)
    }
}

impl Decoder for FrameDecoder {
    fn plain_len(&self, coded: &[u8], _: u8) -> Option<usize> {
        let header = Header::parse(coded)?;
        let is_allowed = self.has_dictionary(&header) && demand(&header) <= self.window_limit;
        usize::try_from(header.content_len.filter(|_| is_allowed)?).ok()
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], _: u8) -> bool {
        let len = plain.len();
        self.context.frame(coded, plain) == Ok(len)
    }

    fn stated_len(&self, source: &mut Source, _: u8, _: Option<usize>) -> Result<Option<u64>> {
        if self.ignore_checksums {
            return Ok(None);
        }
        let header = gather_header(source)?;
        Ok(header.filter(|header| header.has_checksum).and_then(|header| header.content_len))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = source.offset();
        let header = gather_header(source)?;
        if let Some(header) = &header {
            self.check(header, frame)?;
        }
        let has_checksum = !self.ignore_checksums && header.is_some_and(|header| header.has_checksum);
        if has_checksum {
            out.begin_checksum(Box::new(Xxh64::new(0)));
        }
        self.stream.reset().map_err(internal)?;
        // The last bytes that were read. At the end of the frame they are its checksum.
        let mut last = [0; 4];
        loop {
            out.flush_if_input_pauses(source)?;
            let coded = source.inside()?;
            let ended = coded.is_empty();
            let mut input = InBuffer::around(coded);
            let mut output = OutBuffer::around(out.room(1)?);
            let hint = self.stream.stream(&mut output, &mut input);
            let (read, written) = (input.pos, output.pos());
            for &byte in &coded[read.saturating_sub(4)..read] {
                last = [last[1], last[2], last[3], byte];
            }
            source.consume(read);
            out.commit(written)?;
            match hint {
                Ok(0) => break,
                Ok(_) if ended && written == 0 => {
                    return Err(Error::Truncated { format: NAME, frame, offset: source.offset() });
                }
                Ok(_) => {}
                Err(code) => {
                    let what = zstd_safe::get_error_name(code).to_lowercase();
                    let what = format!("the frame that begins there does not decode: {what}");
                    return Err(Error::corrupt(NAME, frame, what));
                }
            }
        }
        let (stated, found) = (u32::from_le_bytes(last), out.end_checksum()? as u32);
        if has_checksum && stated != found {
            let what =
                format!("the frame that begins there has the checksum {found:08x}, expected {stated:08x}");
            return Err(Error::corrupt(NAME, frame, what).by(Damage::Check));
        }
        Ok(())
    }
}

/// The checksum of a frame that is decoded as a stream.
impl Checksum for Xxh64 {
    fn update(&mut self, bytes: &[u8]) {
        Self::update(self, bytes);
    }

    fn value(&self) -> u64 {
        self.digest()
    }
}

impl FrameDecoder {
    /// Checks that the frame can be decoded with the dictionary and the memory that are given.
    fn check(&self, header: &Header, frame: u64) -> Result<()> {
        if !self.has_dictionary(header) {
            let given = self.dictionary.as_ref().map(Dictionary::id);
            return Err(Error::Dictionary { offset: frame, needed: header.dictionary, given });
        }
        let window_len = demand(header);
        if window_len > self.memory_limit {
            let what = format!("the window of the zstd frame at offset {frame}");
            return Err(Error::Memory { what, needed: Size(window_len), limit: Size(self.memory_limit) });
        }
        Ok(())
    }
}

/// The header of the frame that begins here.
fn gather_header(source: &mut Source) -> Result<Option<Header>> {
    let len = Header::len_at(source.gather_inside(HEADER_MIN)?);
    Ok(Header::parse(source.gather_inside(len)?))
}

/// The memory for the window of a frame.
fn demand(header: &Header) -> u64 {
    match header.content_len {
        Some(..=WINDOWLESS_MAX) => 0,
        Some(len) => len.min(header.window_len),
        None => header.window_len,
    }
}
