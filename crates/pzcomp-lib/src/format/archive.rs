//! [`ArchiveFormat`]: archives of files with names, whose list is at their end.
//!
//! Such an archive is read from a file or from memory. `decompress/archive.rs` opens it, runs the pipeline with its
//! walker and decoder, and divides the output of all folders into files: it compares their CRC-32, so the decoder does
//! not.

use std::ops::Range;
use std::sync::Arc;

use super::{Decoder, Reading, Walker};
use crate::error::Result;
use crate::options::{ArchiveEntry, EntryChoice};
use engine::io::RandomAccess;

/// A part of the output of the folders: the data of a file, at least one byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) len: u64,
    pub(crate) crc: Option<u32>,
    /// Whether the file is one of those that were chosen. Others are decoded because they are in the same folder.
    pub(crate) is_chosen: bool,
    /// The number of the file in [`Contents::entries`].
    pub(crate) entry: usize,
    /// Where its folder begins.
    pub(crate) folder: u64,
}

/// What the list of an archive says. A folder is what is decoded as a whole: the data of one file or of several.
pub(crate) struct Contents {
    /// The output of the folders that are decoded.
    pub(crate) stretches: Vec<Stretch>,
    /// All files.
    pub(crate) entries: Vec<ArchiveEntry>,
    /// How many folders there are.
    pub(crate) folder_count: u64,
    /// The name of the check of a file.
    pub(crate) check: &'static str,
}

impl Contents {
    /// The data of all chosen files that have some has a check.
    pub(crate) fn is_checked(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.crc.is_some() || !stretch.is_chosen)
    }

    /// The name of the check of the files, `-` if one of them has none.
    pub(crate) fn check(&self) -> &'static str {
        if self.is_checked() && !self.stretches.is_empty() { self.check } else { "-" }
    }
}

/// A format of such archives.
pub(crate) trait ArchiveFormat: Sync {
    /// What the archive in this range holds. Folders that cannot be decoded are no error. All files count, and those
    /// that `choice` takes are marked. It is no error if there are none.
    fn list(&self, place: RandomAccess, range: Range<u64>, choice: &EntryChoice) -> Result<Contents>;
    /// Opens the archive in this range, to decode the files of this choice.
    fn open(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        choice: &EntryChoice,
    ) -> Result<Arc<dyn OpenArchive>>;
}

/// An archive whose files are decoded.
pub(crate) trait OpenArchive: Send + Sync {
    fn contents(&self) -> &Contents;
    /// The walker through the folders.
    fn walker(self: Arc<Self>, workers: usize, reading: &Reading) -> Box<dyn Walker>;
    /// A decoder for one worker.
    fn decoder(self: Arc<Self>, reading: &Reading) -> Box<dyn Decoder>;
}
