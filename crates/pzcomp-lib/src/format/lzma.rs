//! LZMA alone, the `.lzma` format that is older than xz. `doc/lzma-file-format.txt` of the xz project specifies it.
//!
//! ```text
//! properties(1)   dictionary size(4)   plain length(8, all ones if not known)   LZMA
//! ```
//!
//! pzcomp reads it here; `xz/` writes it. The format has no magic number and no check, and nothing can follow the
//! data. So it is recognised only at the start of the input, if the header is one that encoders write. One worker gets
//! the whole input.

use super::ffi::lzma;
use super::liblzma::LzmaFrame;
use super::serial::{FrameErrors, RestWalker};
use super::{After, Codec, Decoder, Format, Info, Reading, Starts, Walker};
use crate::error::{Error, Result};
use crate::options::Decode;
use engine::{Emitter, Source};

const NAME: &str = "lzma";
/// The greatest properties byte, (pb × 5 + lp) × 9 + lc: `pb` and `lp` are at most 4, and `lc` is at most 8.
const PROPERTIES_MAX: u8 = (4 * 5 + 4) * 9 + 8;
/// Headers that encoders write state a length below 256 GiB, or none.
const PLAIN_LEN_BITS: u32 = 38;

static INFO: Info = Info::read_only(NAME, &[(".lzma", ""), (".tlz", ".tar")]);

pub(super) struct Lzma;

impl Codec for Lzma {
    fn info(&self) -> &'static Info {
        &INFO
    }

    /// A dictionary length must be 2^n or 2^n + 2^(n - 1). `head` lacks the highest byte of the plain length.
    fn sniff(&self, head: &[u8]) -> bool {
        let &[properties, d0, d1, d2, d3, l0, l1, l2, l3, l4, l5, l6, ..] = head else {
            return false;
        };
        let dictionary = u32::from_le_bytes([d0, d1, d2, d3]);
        let known =
            matches!(dictionary >> dictionary.trailing_zeros().min(31), 1 | 3) || dictionary == u32::MAX;
        let plain_len = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, 0]);
        properties <= PROPERTIES_MAX
            && known
            && (plain_len >> PLAIN_LEN_BITS == 0 || plain_len == u64::MAX >> 8)
    }

    fn starts(&self) -> Starts {
        Starts::First
    }

    /// The tool zstd reads LZMA behind other frames, so this is done if the caller names zstd too.
    fn starts_behind(&self, named: &[Format]) -> bool {
        named.contains(&Format::Zstd)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(RestWalker { check: "-" })
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(StreamDecoder { decoder: lzma::LzmaDecoder::new(), reading: reading.clone() }))
    }
}

struct StreamDecoder {
    decoder: lzma::LzmaDecoder,
    reading: Reading,
}

impl Decoder for StreamDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "stream", start: source.offset() };
        let lzma_frame = LzmaFrame { frame, reading: &self.reading };
        let memory = lzma_frame.most_memory(source, out)?;
        self.decoder.begin_alone(memory).map_err(|failure| lzma_frame.error(failure))?;
        lzma_frame.decode(&mut self.decoder, source, out)?;
        let Reading { one_format, single_stream, .. } = self.reading;
        if one_format && !single_stream && !source.gather(1)?.is_empty() {
            // The data before is complete and stays written.
            out.frame().begin();
            let what = "there are bytes behind the end of the stream, expected the end of the input";
            return Err(Error::corrupt(NAME, source.offset(), what));
        }
        Ok(())
    }

    fn after(&self) -> After {
        if self.reading.single_stream { After::Closed { more: None } } else { After::Anything }
    }
}
