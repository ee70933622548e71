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
mod header;
mod piece;
mod probe;
mod walk;

use super::places::{Places, Stated};
use super::probe::Probe;
use super::{Codec, Cursor, Decoder, Info, Reading, Starts, Walker};
use crate::error::Result;
use crate::options::Decode;
use decode::BlockDecoder;
use engine::io::RandomAccess;
use header::CHOSEN;
use header::MAGIC;
use probe::ArchiveProbe;
use walk::ArchiveWalker;

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
