//! Blocks that our own encoder of LZMA2 codes (`crates/lzma`).
//!
//! It serves the levels for which it is faster than liblzma at about the same length. liblzma keeps `--extreme` of the
//! other levels, chains of filters that the caller chose, the layout `Single`, and the Check SHA-256. Which of them
//! codes a Block depends on the settings only. From level 4 on, `slices/` has several threads code one Block.

use std::sync::Arc;
use std::time::Duration;

use pzcomp_lzma::Params;

use super::super::Encoder;
use super::super::ffi::lzma::{Failure, encoder_memory, frame_block};
use super::super::liblzma::internal;
use super::dict_max;
use super::slices::Encoders;
use crate::error::{Error, Result};
use crate::options::{Check, Settings, XzLzma};

/// The levels that our encoder serves with `--extreme`. `crates/lzma/README.md` has the measurements.
const EXTREME_LEVELS: std::ops::RangeInclusive<i32> = 4..=9;

/// The filter for the Block Header and the parameters of the encoder, if it serves these settings.
pub(super) fn params(settings: &Settings) -> Option<(XzLzma, Params)> {
    let serves = (!settings.extreme || EXTREME_LEVELS.contains(&settings.level))
        && settings.xz_filters.is_empty()
        && !settings.is_serial
        && settings.chunk_len <= pzcomp_lzma::Encoder::PLAIN_MAX
        && settings.check != Some(Check::Sha256);
    let level = u8::try_from(settings.level).ok().filter(|_| serves)?;
    let lzma = XzLzma::preset(u32::from(level), settings.extreme)?;
    Some((lzma, Params::preset(level, settings.extreme)))
}

/// Encoders of these levels count as much memory as those of liblzma, although they take a little less. So a memory
/// limit has the same effect as under xz.
const COUNTED_AS_LIBLZMA: std::ops::RangeInclusive<i32> = 0..=6;

/// The memory that is counted for an encoder of these parameters, which is at least what it takes.
pub(super) fn memory(params: &Params, settings: &Settings) -> u64 {
    // A slice can be coded before those in front of it are. Then it has memory of its own.
    let early = params.slice_bound(settings.chunk_len) as u64;
    let own = pzcomp_lzma::Encoder::memory(params, settings.chunk_len) + early;
    if COUNTED_AS_LIBLZMA.contains(&settings.level) {
        own.max(encoder_memory(&super::filters(settings), dict_max(settings.chunk_len)))
    } else {
        own
    }
}

pub(super) struct OwnBlockEncoder {
    /// Those of all workers of the stream.
    encoders: Arc<Encoders>,
    lzma: XzLzma,
    check: u32,
    padding: u64,
    helpers_cpu: Duration,
}

impl OwnBlockEncoder {
    pub(super) fn new(lzma: XzLzma, encoders: Arc<Encoders>, check: u32) -> Self {
        Self { encoders, lzma, check, padding: 0, helpers_cpu: Duration::ZERO }
    }
}

impl Encoder for OwnBlockEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.padding = 0;
        // An empty input becomes a Stream without Blocks.
        if chunk.is_empty() {
            return Ok(0);
        }
        let mut helped = Duration::ZERO;
        let code = |out: &mut [u8]| {
            let (len, cpu) = self.encoders.encode(chunk, out).map_err(Failed::Own)?;
            helped = cpu;
            Ok(len)
        };
        let coded = frame_block(self.lzma, self.check, chunk, dict_max(chunk.len()), out, code)
            .map_err(Failed::error)?;
        self.helpers_cpu += helped;
        self.padding = (coded.len - coded.unpadded_len) as u64;
        Ok(coded.len)
    }

    /// The length of the Block Padding, which the Index does not count.
    fn note(&self) -> u64 {
        self.padding
    }

    fn helpers_cpu(&self) -> Duration {
        self.helpers_cpu
    }
}

/// Why there is no Block.
enum Failed {
    Own(pzcomp_lzma::Error),
    Frame(Failure),
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        Self::Frame(failure)
    }
}

impl Failed {
    fn error(self) -> Error {
        match self {
            Self::Own(pzcomp_lzma::Error::NoMemory) => Error::NoMemory { what: "the LZMA encoder" },
            Self::Own(other) => Error::Internal(other.to_string()),
            Self::Frame(failure) => internal(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CheckId, Xz};
    use super::*;
    use crate::format::WritingCodec;
    use crate::format::ffi::lzma::{Coded, LzmaDecoder, block_bound};
    use crate::options::{Encode, Layout, XzFilter};

    fn settings(change: impl FnOnce(&mut Encode)) -> Settings {
        let mut options = Encode { format: crate::Format::Xz, ..Encode::default() };
        change(&mut options);
        options.settings().unwrap()
    }

    #[test]
    fn liblzma_keeps_what_our_encoder_does_not_serve() {
        let serves = |change: fn(&mut Encode)| params(&settings(change)).is_some();
        assert!(serves(|_| {}));
        assert!(serves(|options| (options.level, options.extreme) = (Some(5), true)));
        assert!(serves(|options| options.level = Some(4)));
        assert!(serves(|options| options.level = Some(0)));
        assert!(!serves(|options| (options.level, options.extreme) = (Some(3), true)));
        assert!(serves(|options| (options.level, options.extreme) = (Some(9), true)));
        assert!(!serves(|options| options.check = Some(Check::Sha256)));
        assert!(!serves(|options| options.layout = Layout::Single(Default::default())));
        assert!(!serves(|options| {
            options.xz_filters = vec![XzFilter::Lzma(XzLzma::preset(6, false).unwrap())];
        }));
    }

    /// The limits of users are made for liblzma, and the notes of xz state its memory.
    #[test]
    fn our_encoder_takes_no_more_memory_than_liblzma() {
        for level in 0..=9 {
            for block_len in [1 << 20, 3 << 20, 8 << 20, 11 << 20, 24 << 20, 500 << 20] {
                let settings = settings(|options| {
                    (options.level, options.block_size) = (Some(level), Some(block_len));
                });
                let (_, params) = params(&settings).unwrap();
                let liblzma = encoder_memory(&super::super::filters(&settings), dict_max(settings.chunk_len));
                let own = memory(&params, &settings);
                assert!(own <= liblzma, "-{level}, Blocks of {block_len} bytes: {own}, liblzma {liblzma}");
                if level == 9 && block_len > 64 << 20 {
                    assert!(own < liblzma / 2, "{own}, liblzma {liblzma}");
                }
            }
        }
    }

    #[test]
    fn liblzma_decodes_our_blocks_with_every_check() {
        let text = b"three in the morning ".repeat(3000);
        let noise: Vec<u8> = (0..9000_u32).map(|index| (index.wrapping_mul(index * 31) >> 9) as u8).collect();
        for check in [Check::None, Check::Crc32, Check::Crc64] {
            let settings = settings(|options| options.check = Some(check));
            let mut encoder = Xz.encoder(&settings).unwrap();
            for plain in [&text[..], b"x", &text[..50], &noise, &text] {
                let mut out = vec![0; block_bound(plain.len())];
                let len = encoder.encode(plain, &mut out).unwrap();
                assert_eq!(len % 4, 0);
                let (header, data) = out[..len].split_at((usize::from(out[0]) + 1) * 4);
                let (mut decoder, mut back) = (LzmaDecoder::new(), vec![0; plain.len() + 1]);
                decoder.begin_block(header, CheckId::wanted(Some(check)).id(), true, u64::MAX).unwrap();
                let Coded { read, written, state } = decoder.code(data, &mut back);
                assert_eq!((read, written, state), (data.len(), plain.len(), Ok(true)));
                assert!(back[..written] == *plain);
            }
            assert_eq!(encoder.encode(b"", &mut []).unwrap(), 0);
        }
    }
}
