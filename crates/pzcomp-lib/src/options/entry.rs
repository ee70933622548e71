//! [`EntryChoice`]: which file of an archive is decoded.
//!
//! qpress archives hold several files. The walkers of such formats take the choice from the options, and give the files
//! that they have passed to the listing and the summary as [`ArchiveEntry`].

use std::sync::Arc;

use crate::printable::printable;

/// Which files of an archive are decoded. Formats that are no archives have one unnamed content, and only
/// [`Self::Named`] and [`Self::Number`] are errors there.
///
/// ```
/// use pzcomp::{Decode, EntryChoice};
/// let options = Decode::builder().entry(EntryChoice::named("ibdata1")).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryChoice {
    /// The first file. The others are passed over.
    #[default]
    First,
    /// All files, one after the other, without anything between them.
    All,
    /// The first file with this path, whose folders are separated by `/`. It is an error if there is none.
    Named(Arc<[u8]>),
    /// The file at this place of the archive, as a listing counts them, from 1. It is an error if there are fewer
    /// files. So a file can be chosen whose name another file has too, or whose name cannot be typed.
    Number(u64),
}

impl EntryChoice {
    /// The file of this path.
    pub fn named(path: impl AsRef<[u8]>) -> Self {
        Self::Named(path.as_ref().into())
    }

    /// What is wrong if an archive of this many files, which begins with `listed`, does not hold the file.
    pub(crate) fn not_found(&self, listed: &[ArchiveEntry], count: u64) -> String {
        /// So many files are named.
        const NAMED_MAX: usize = 20;
        if listed.is_empty() {
            return "the archive that begins there holds no file".into();
        }
        let named: Vec<&str> = listed.iter().take(NAMED_MAX).map(|entry| entry.name.as_str()).collect();
        let more = if count > named.len() as u64 { ", …" } else { "" };
        let named = named.join(", ");
        match self {
            Self::Named(name) => format!(
                "the archive that begins there holds no file '{}'; it holds: {named}{more}",
                printable(name)
            ),
            Self::Number(number) => format!(
                "the archive that begins there holds no file number {number}, but {count} file(s): {named}{more}"
            ),
            Self::First | Self::All => "no file of the archive that begins there was chosen".into(),
        }
    }

    /// Whether one file is chosen that the input must have.
    pub(crate) fn is_demanded(&self) -> bool {
        matches!(self, Self::Named(_) | Self::Number(_))
    }
}

/// A file in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveEntry {
    /// The path, with `/` between folders. Bytes that are not UTF-8 are replaced, and so are control characters, which
    /// a terminal would obey, and characters that change the direction of writing.
    pub name: String,
    /// Bytes of coded data, with the headers of the file.
    pub coded_len: u64,
    /// Bytes of plain data, as the headers state them.
    pub plain_len: u64,
    /// Whether the file is one of those that the options choose.
    pub is_chosen: bool,
}
