//! [`EntryChoice`]: which file of an archive is decoded.
//!
//! qpress archives hold several files. The walkers of such formats take the choice from the options, and give the files
//! that they have passed to the listing and the summary as [`ArchiveEntry`].

use std::sync::Arc;

/// Which files of an archive are decoded. Formats that are no archives have one unnamed content, and only
/// [`Self::Named`] is an error there.
///
/// ```
/// use pzcomp::{EntryChoice, Options};
/// let options = Options::builder().entry(EntryChoice::named("ibdata1")).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryChoice {
    /// The first file. The others are passed over. 7z archives list empty files first, so there it is the first file
    /// that has data.
    #[default]
    First,
    /// All files, one after the other, without anything between them.
    All,
    /// The first file with this path, whose folders are separated by `/`. It is an error if there is none.
    Named(Arc<[u8]>),
}

impl EntryChoice {
    /// The file of this path.
    pub fn named(path: impl AsRef<[u8]>) -> Self {
        Self::Named(path.as_ref().into())
    }
}

/// A file in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveEntry {
    /// The path, with `/` between folders. Bytes that are not UTF-8 are replaced, and so are control characters, which a
    /// terminal would obey.
    pub name: String,
    /// Bytes of coded data, with the headers of the file.
    pub coded_len: u64,
    /// Bytes of plain data, as the headers state them.
    pub plain_len: u64,
    /// Whether the file is one of those that the options choose.
    pub is_chosen: bool,
}
