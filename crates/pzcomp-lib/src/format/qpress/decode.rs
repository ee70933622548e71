//! Decodes the blocks of a qpress archive.
//!
//! The input is the coded bytes of a job, in which the walker has marked blocks. A block that is at hand completely is
//! decoded in one call; other blocks are gathered first. The Adler-32 is that of the packet, so a block is decoded only
//! after it is verified.

use pzcomp_quicklz::Decoder as PacketDecoder;

use super::NAME;
use super::{BLOCK_HEAD_MAX, BLOCK_HEADER_LEN, BlockHeader, CHOSEN, fault};
use crate::error::{Damage, Error, Result, Size};
use crate::format::Decoder;
use crate::format::ffi::deflate::adler32;
use crate::format::serial::FrameErrors;
use engine::{Emitter, PIECE_LEN, Source};

/// Decodes blocks, one at a time.
pub(super) struct BlockDecoder {
    decoder: PacketDecoder,
    /// The memory that a block may demand.
    share: u64,
    /// Room for a block that is longer than a piece of output.
    plain: Vec<u8>,
}

impl BlockDecoder {
    pub(super) fn new(share: u64) -> Self {
        Self { decoder: PacketDecoder::new(), share, plain: Vec::new() }
    }
}

/// The header of a block that is exactly `coded`.
fn whole_header(coded: &[u8], context: u8) -> Option<BlockHeader> {
    let header = BlockHeader::parse(coded).ok()??;
    (context == CHOSEN && header.block_len() == coded.len()).then_some(header)
}

impl Decoder for BlockDecoder {
    fn plain_len(&self, coded: &[u8], context: u8) -> Option<usize> {
        whole_header(coded, context).map(|header| header.plain_len())
    }

    fn whole(&mut self, coded: &[u8], plain: &mut [u8], context: u8) -> bool {
        let Some(header) = whole_header(coded, context) else { return false };
        let packet = coded.get(BLOCK_HEADER_LEN..).unwrap_or_default();
        adler32(1, packet) == header.adler && self.decoder.decode(packet, plain).is_ok()
    }

    fn stated_len(&self, source: &mut Source, context: u8, _: Option<usize>) -> Result<Option<u64>> {
        let head = source.gather_inside(BLOCK_HEAD_MAX)?;
        let header = BlockHeader::parse(head).ok().flatten().filter(|_| context == CHOSEN);
        Ok(header.map(|header| header.packet.plain_len.into()))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        let frame = FrameErrors { format: NAME, unit: "block", start: source.offset() };
        if context != CHOSEN {
            return Err(Error::Internal("a part of a qpress archive that needs no decoder".into()));
        }
        let head = source.gather_inside(BLOCK_HEAD_MAX)?;
        let offset = frame.start + head.len() as u64;
        let truncated = |offset| Error::Truncated { format: NAME, frame: frame.start, offset };
        let header = BlockHeader::parse(head).map_err(|error| frame.corrupt(fault(error)))?;
        let header = header.ok_or_else(|| truncated(offset))?;
        let needed = header.block_len() as u64 + header.plain_len() as u64;
        if needed > self.share {
            let what = "a block of qpress".into();
            return Err(Error::Memory { what, needed: Size(needed), limit: Size(self.share) });
        }
        let coded = source.gather_inside(header.block_len())?;
        let Some(packet) = coded.get(BLOCK_HEADER_LEN..header.block_len()) else {
            return Err(truncated(frame.start + coded.len() as u64));
        };
        let adler = adler32(1, packet);
        if adler != header.adler {
            let what = format_args!("has the Adler-32 {adler:08x}, expected {:08x}", header.adler);
            return Err(frame.corrupt(what).by(Damage::Check));
        }
        let corrupt = |error| frame.corrupt(fault(error));
        if out.frame().is_held() || header.plain_len() <= PIECE_LEN {
            let room = &mut out.room(header.plain_len())?[..header.plain_len()];
            self.decoder.decode(packet, room).map_err(corrupt)?;
            source.consume(header.block_len());
            return Ok(out.commit(header.plain_len())?);
        }
        self.plain.resize(header.plain_len(), 0);
        self.decoder.decode(packet, &mut self.plain).map_err(corrupt)?;
        source.consume(header.block_len());
        Ok(out.write(&self.plain)?)
    }
}
