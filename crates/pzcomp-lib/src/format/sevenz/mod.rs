//! 7z, the archives of 7-Zip. `7zFormat.txt` in its source describes them.
//!
//! ```text
//! signature header(32)   packed streams   header
//! ```
//!
//! pzcomp only reads the format. The header is at the end, so the input must be a file or memory.
//! `decompress/archive.rs` opens the archive first ([`Archive`] reads the header), and then walks through the packed
//! streams in order: a folder is a packed stream with the method that unpacks it, and its plain data is one file or
//! several.
//!
//! `crates/sevenz` parses the header. [`archive`] says which folders are decoded, [`walk`] divides them into units, and
//! [`decode`] decodes these. Both read the lengths of LZMA2 chunks with [`chunks`]. A BZip2 folder is a bzip2 stream,
//! so its units go to the decoder of that format. Nothing here looks at the lengths and the CRC-32 of files: the sink
//! in `decompress/archive.rs` compares them in the order of the output.

mod archive;
mod chunks;
mod coding;
mod decode;
mod header;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use super::archive::{ArchiveFormat, Contents, OpenArchive};
use super::places::Places;
use super::{Codec, Cursor, Decoder, Info, Reading, Starts, Unit, Walker};
use crate::error::{Error, Result};
use crate::options::{Decode, EntryChoice};
use archive::Archive;
use decode::FolderDecoder;
use engine::io::RandomAccess;
use pzcomp_sevenz::SIGNATURE;
use walk::FolderWalker;

const NAME: &str = "7z";
/// The name of the check of each file.
const CHECK: &str = "CRC32";

pub(super) struct SevenZ;

impl Codec for SevenZ {
    fn info(&self) -> &'static Info {
        static INFO: Info = Info::read_only(NAME, &[(".7z", "")]);
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&SIGNATURE)
    }

    fn starts(&self) -> Starts {
        Starts::First
    }

    fn has_entries(&self) -> bool {
        true
    }

    fn archive(&self) -> Option<&'static dyn ArchiveFormat> {
        Some(&SevenZ)
    }

    fn places(&self) -> &'static dyn Places {
        &SevenZ
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(Unseekable)
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Err(not_a_file())
    }
}

/// The walker through an archive that comes as a stream. It refuses the archive.
struct Unseekable;

impl Walker for Unseekable {
    fn unit(&mut self, _: &mut dyn Cursor) -> Result<Unit> {
        Err(not_a_file())
    }

    fn pass(&mut self, _: &mut dyn Cursor) -> Result<()> {
        Err(not_a_file())
    }
}

fn not_a_file() -> Error {
    let what = "the list of its files is at its end, so it is read from files only, and gets no index beside it. If it comes \
                from a pipe, save it to a file, and name that file";
    Error::unsupported(NAME, 0, what)
}

impl Places for SevenZ {
    /// Its folders are listed in the archive only.
    fn may_begin(&self, _: u64, _: u8, _: u8) -> bool {
        false
    }
}

impl ArchiveFormat for SevenZ {
    fn list(&self, place: RandomAccess, range: Range<u64>, choice: &EntryChoice) -> Result<Contents> {
        Archive::list(place, range, choice).map(|archive| archive.contents)
    }

    fn open(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        choice: &EntryChoice,
    ) -> Result<Arc<dyn OpenArchive>> {
        Ok(Arc::new(Archive::read(place, range, choice)?))
    }
}

impl OpenArchive for Archive {
    fn contents(&self) -> &Contents {
        &self.contents
    }

    fn walker(self: Arc<Self>, workers: usize, reading: &Reading) -> Box<dyn Walker> {
        Box::new(FolderWalker::new(self, workers, reading.clone()))
    }

    fn decoder(self: Arc<Self>, reading: &Reading) -> Box<dyn Decoder> {
        Box::new(FolderDecoder::new(self, reading.clone()))
    }
}
