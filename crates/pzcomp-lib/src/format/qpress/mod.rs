//! qpress, the `.qp` format of the program `qpress`. xtrabackup wrote it until version 8.0.34, and mariadb-backup
//! writes it with `--compress`. Its only description is a comment in the source of the program.
//!
//! ```text
//! qpress10  chunk length(8)   { D name | U | F name  blocks  ENDSENDS zeros(8) }
//! name:   length(4)  bytes  0
//! block:  NEWBNEWB  plain offset(8)  Adler-32 of the packet(4)  QuickLZ packet
//! ```
//!
//! Numbers are little endian. `D` and `U` enter and leave a folder, `F` begins a file. pzcomp only reads the format.
//!
//! An archive may hold several files; [`EntryChoice`] says which of them are decoded. A packet states both of its
//! lengths, so the walker ([`walk`]) goes from block to block, and verifies everything between the packets: each block
//! is a frame of its own, and everything else is passed without a decoder. The decoder ([`decode`]) verifies the
//! Adler-32 of a packet and decodes it with `crates/quicklz`. [`piece()`] says what begins behind damage, for
//! `salvage/`.

mod decode;
mod probe;
mod walk;

use decode::BlockDecoder;
use engine::io::RandomAccess;
use probe::ArchiveProbe;
use pzcomp_quicklz as quicklz;
use walk::ArchiveWalker;

use super::places::{Places, Stated};
use super::probe::Probe;
use super::{Codec, Cursor, Decoder, Info, Reading, Starts, Walker};
use crate::error::Result;
use crate::options::Decode;

const NAME: &str = "qpress";
/// The name of the check of each block.
pub(crate) const CHECK: &str = "Adler32";

pub(super) struct Qpress;

impl Codec for Qpress {
    fn info(&self) -> &'static Info {
        static INFO: Info = Info::read_only(NAME, &[(".qp", "")]);
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn starts(&self) -> Starts {
        Starts::First
    }

    fn has_entries(&self) -> bool {
        true
    }

    fn walker(&self, _: usize, reading: &Reading) -> Box<dyn Walker> {
        Box::new(ArchiveWalker::new(reading.entry.clone()))
    }

    fn probe(&self, reading: &Reading) -> Option<Box<dyn Probe>> {
        Some(Box::new(ArchiveProbe::new(&reading.entry)))
    }

    fn places(&self) -> &'static dyn Places {
        &Qpress
    }

    fn decoder(&self, reading: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(BlockDecoder::new(reading.share)))
    }
}

impl Places for Qpress {
    /// The walker has compared the length with the header of the next block, which states its plain offset.
    fn vouches(&self, _: RandomAccess, _: &mut dyn Cursor, _: &Stated) -> Result<Option<bool>> {
        Ok(Some(true))
    }

    fn may_begin(&self, _: u64, context: u8, next: u8) -> bool {
        context == CHOSEN && next == 0
    }
}

const MAGIC: [u8; 8] = *b"qpress10";
/// The magic number and the chunk length.
const ARCHIVE_HEADER_LEN: usize = 16;
/// With this a block begins.
const BLOCK_MAGIC: [u8; 8] = *b"NEWBNEWB";
/// With this a file ends. Eight bytes follow that mean nothing.
const END_MAGIC: [u8; 8] = *b"ENDSENDS";
const END_LEN: usize = 16;
/// The magic number, the plain offset and the Adler-32.
const BLOCK_HEADER_LEN: usize = 20;
/// So many bytes are enough for the headers of a block and of its packet.
const BLOCK_HEAD_MAX: usize = BLOCK_HEADER_LEN + quicklz::HEADER_MAX;
/// The letter and the length before a name.
const NAME_HEADER_LEN: usize = 5;
/// No longer name is accepted.
const NAME_MAX: usize = 64 << 10;

/// The context of a block in a file that is chosen.
const CHOSEN: u8 = 1;
/// The context of a block in a file that is passed over. The decoder never gets such a block.
const PASSED: u8 = 2;

/// The header of a block and of its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockHeader {
    offset: u64,
    adler: u32,
    packet: quicklz::Header,
}

impl BlockHeader {
    /// Parses the header of the block that begins with these bytes, and that of its packet. Nothing if the bytes are
    /// too few, or if no block begins there.
    fn parse(bytes: &[u8]) -> Result<Option<Self>, quicklz::Error> {
        let Some(rest) = bytes.strip_prefix(&BLOCK_MAGIC) else { return Ok(None) };
        let Some((offset, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let Some((adler, rest)) = rest.split_first_chunk() else { return Ok(None) };
        let packet = quicklz::Header::parse(rest)?;
        let (offset, adler) = (u64::from_le_bytes(*offset), u32::from_le_bytes(*adler));
        Ok(packet.map(|packet| Self { offset, adler, packet }))
    }

    /// The length of the block with its header.
    fn block_len(&self) -> usize {
        BLOCK_HEADER_LEN + self.packet.coded_len as usize
    }

    /// The length of the plain data.
    fn plain_len(&self) -> usize {
        self.packet.plain_len as usize
    }
}

/// The most plain data of a block, as the header of the archive that begins with these bytes states it.
fn chunk_len(head: &[u8]) -> Option<u64> {
    head.strip_prefix(&MAGIC)?.first_chunk().map(|len| u64::from_le_bytes(*len))
}

/// What the error of a packet says of its block.
fn fault(error: quicklz::Error) -> String {
    match error {
        quicklz::Error::Invalid(what) => format!("has a packet that {what}"),
        error => format!("does not decode: {error}"),
    }
}
