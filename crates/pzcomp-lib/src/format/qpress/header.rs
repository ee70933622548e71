//! The fields between the packets of a qpress archive.
//!
//! The walker, the decoder and `piece.rs` parse them here. All lengths are claims.

use pzcomp_quicklz as quicklz;

pub(super) const MAGIC: [u8; 8] = *b"qpress10";
/// The magic number and the chunk length.
pub(super) const ARCHIVE_HEADER_LEN: usize = 16;
/// With this a block begins.
pub(super) const BLOCK_MAGIC: [u8; 8] = *b"NEWBNEWB";
/// With this a file ends. Eight bytes follow that mean nothing.
pub(super) const END_MAGIC: [u8; 8] = *b"ENDSENDS";
pub(super) const END_LEN: usize = 16;
/// The magic number, the plain offset and the Adler-32.
pub(super) const BLOCK_HEADER_LEN: usize = 20;
/// So many bytes are enough for the headers of a block and of its packet.
pub(super) const BLOCK_HEAD_MAX: usize = BLOCK_HEADER_LEN + quicklz::HEADER_MAX;
/// The letter and the length before a name.
pub(super) const NAME_HEADER_LEN: usize = 5;
/// No longer name is accepted.
pub(super) const NAME_MAX: usize = 64 << 10;

/// The context of a block in a file that is chosen.
pub(super) const CHOSEN: u8 = 1;
/// The context of a block in a file that is passed over. The decoder never gets such a block.
pub(super) const PASSED: u8 = 2;

/// The header of a block and of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) offset: u64,
    pub(super) adler: u32,
    pub(super) packet: quicklz::Header,
}

impl BlockHeader {
    /// Parses the header of the block that begins with these bytes, and that of its packet. Nothing if the bytes are
    /// too few, or if no block begins there.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, quicklz::Error> {
        let Some(rest) = bytes.strip_prefix(&BLOCK_MAGIC) else { return Ok(None) };
        let Some((offset, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let Some((adler, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let packet = quicklz::Header::parse(rest)?;
        let (offset, adler) = (u64::from_le_bytes(*offset), u32::from_le_bytes(*adler));
        Ok(packet.map(|packet| Self { offset, adler, packet }))
    }

    /// The length of the block with its header.
    pub(super) fn block_len(&self) -> usize {
        BLOCK_HEADER_LEN + self.packet.coded_len as usize
    }

    /// The length of the plain data.
    pub(super) fn plain_len(&self) -> usize {
        self.packet.plain_len as usize
    }
}

/// The most plain data of a block, as the header of the archive that begins with these bytes states it.
pub(super) fn chunk_len(head: &[u8]) -> Option<u64> {
    head.strip_prefix(&MAGIC)?.first_chunk().map(|len| u64::from_le_bytes(*len))
}

/// What the error of a packet says of its block.
pub(super) fn fault(error: quicklz::Error) -> String {
    match error {
        quicklz::Error::Invalid(what) => format!("has a packet that {what}"),
        error => format!("does not decode: {error}"),
    }
}
